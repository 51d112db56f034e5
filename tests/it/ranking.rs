//! Which of the patches that no test tells apart is shown, and that no patch goes wrong before its own guard.

use std::fs;

use serde_json::Value;

use crate::common::Subject;

/// The condition of the first patch.
fn first(report: &Value) -> &str {
    let condition = report["patches"][0]["edits"][0]["condition"].as_str();
    condition.unwrap_or_else(|| panic!("no patch: {report:#}"))
}

/// The condition of the first patch for one failing test.
fn first_for(subject: &Subject, test: &str) -> String {
    let report = subject.nopol(&["--failing", test, "--format", "json"]);
    first(&report.json()).to_owned()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_guard_bounds_exactly_what_it_protects() {
    let subject = Subject::lib(
        r#"/// The length of a row without the comma at its end.
pub fn width(row: &[u8]) -> usize {
    let mut n = row.len();
    if row[n - 1] == b',' {
        n -= 1;
    }
    n
}

/// Whether a price is above the one two days before.
pub fn climbs(prices: &[i32], day: usize) -> bool {
    if prices[day - 2] < prices[day] {
        return true;
    }
    false
}

/// Where the blanks end.
pub fn skip(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while text[at] == b' ' {
        at += 1;
    }
    at
}

#[test]
fn width_of_rows() {
    assert_eq!((width(b"ab,"), width(b"ab"), width(b"abcd,")), (2, 2, 4));
}

#[test]
fn width_of_nothing() {
    assert_eq!(width(b""), 0);
}

#[test]
fn climbs_or_not() {
    assert!(climbs(&[1, 2, 3, 4], 3) && climbs(&[4, 3, 5, 1], 2));
    assert!(!climbs(&[4, 3, 2, 1], 3));
}

#[test]
fn climbs_at_the_start() {
    assert!(!climbs(&[4, 3, 2, 1], 0));
}

#[test]
fn skips_blanks() {
    assert_eq!((skip(b" a", 0), skip(b"ab", 0), skip(b"a  b", 1)), (1, 0, 3));
}

#[test]
fn skips_all() {
    assert_eq!(skip(b"   ", 0), 3);
}
"#,
    );
    let of = |test: &str| first_for(&subject, test);
    let width = of("width_of_nothing");
    let guards = ["n > 0", "n >= 1", "n != 0", "!row.is_empty()"];
    let exact = guards.map(|guard| format!("{guard} && row[n - 1] == b','"));
    assert!(exact.contains(&width), "{width}");
    let climbs = of("climbs_at_the_start");
    let guards = ["day > 1", "day >= 2"];
    let exact = guards.map(|guard| format!("{guard} && prices[day - 2] < prices[day]"));
    assert!(exact.contains(&climbs), "{climbs}");
    assert_eq!(of("skips_all"), "at < text.len() && text[at] == b' '");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_guard_of_a_lock_or_a_cell_leads_to_is_asked() {
    let subject = Subject::lib(
        r#"use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Mutex;

pub struct Gate {
    inside: Mutex<u32>,
}

impl Gate {
    pub fn new(inside: u32) -> Self {
        Gate { inside: Mutex::new(inside) }
    }

    pub fn leave(&self) {
        let mut inside = self.inside.lock().unwrap();
        *inside -= 1;
    }

    pub fn inside(&self) -> u32 {
        *self.inside.lock().unwrap()
    }
}

pub struct Account {
    pub balance: u32,
}

/// Takes the fee from each account that has it.
pub fn charge(accounts: &[Rc<RefCell<Account>>], fee: u32) -> u32 {
    let mut taken = 0;
    for account in accounts {
        account.borrow_mut().balance -= fee;
        taken += fee;
    }
    taken
}

#[test]
fn leaves() {
    let gate = Gate::new(2);
    gate.leave();
    assert_eq!(gate.inside(), 1);
    gate.leave();
    assert_eq!(gate.inside(), 0);
}

#[test]
fn leaves_an_empty_room() {
    let gate = Gate::new(0);
    gate.leave();
    assert_eq!(gate.inside(), 0);
}

fn accounts(balances: &[u32]) -> Vec<Rc<RefCell<Account>>> {
    let all = balances.iter().map(|&balance| Rc::new(RefCell::new(Account { balance })));
    all.collect()
}

#[test]
fn charges() {
    assert_eq!(charge(&accounts(&[7, 9, 8, 3]), 3), 12);
}

#[test]
fn charges_who_can_pay() {
    assert_eq!(charge(&accounts(&[7, 1, 2, 3]), 3), 6);
}
"#,
    );
    let report = subject.nopol(&["--format", "json"]).json();
    let conditions: Vec<&str> = report["patches"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|patch| patch["edits"][0]["condition"].as_str())
        .collect();
    let asks = |texts: &[&str]| conditions.iter().any(|it| texts.contains(it));
    assert!(
        asks(&["*inside > 0", "*inside >= 1", "*inside != 0"]),
        "{conditions:?}"
    );
    let of_account = [
        "account.borrow().balance >= fee",
        "account.borrow().balance < fee",
    ];
    assert!(asks(&of_account), "{conditions:?}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_panics_is_prevented_where_no_other_test_comes() {
    let subject = Subject::lib(
        r#"use std::sync::Mutex;

pub struct Gate {
    inside: Mutex<u32>,
    limit: u32,
}

impl Gate {
    pub fn new(limit: u32) -> Self {
        Gate { inside: Mutex::new(0), limit }
    }

    pub fn enter(&self) -> bool {
        let mut inside = self.inside.lock().unwrap();
        if *inside >= self.limit {
            return false;
        }
        *inside += 1;
        true
    }

    pub fn leave(&self) {
        let mut inside = self.inside.lock().unwrap();
        *inside -= 1;
    }
}

/// The share of the first two.
pub fn share(parts: &[u32], total: u32) -> u32 {
    if total > 100 {
        return 0;
    }
    (parts[0] + parts[1]) / total
}

#[test]
fn enters() {
    let gate = Gate::new(1);
    assert!(gate.enter() && !gate.enter());
}

#[test]
fn leaves_an_empty_room() {
    let gate = Gate::new(1);
    gate.leave();
    assert!(gate.enter());
}

#[test]
fn shares_nothing() {
    assert_eq!(share(&[0, 0], 0), 0);
    assert_eq!(share(&[70, 80], 101), 0);
}
"#,
    );
    let of = |test: &str| first_for(&subject, test);
    assert!(["*inside > 0", "*inside == 0"].contains(&&*of("leaves_an_empty_room")));
    assert!(["total == 0", "total > 100 || total == 0"].contains(&&*of("shares_nothing")));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_guard_in_c_stands_before_what_it_protects() {
    let subject = Subject::lib("");
    let source = r#"#include <stdio.h>
#include <string.h>

/* How long the first field is, without a star at its end. What stands before the text is a star, too. */
static int length(const char *text) {
    int n = 0;
    while (text[n] && text[n] != ';')
        n++;
    if (text[n - 1] == '*')
        n--;
    return n;
}

int main(int argc, char **argv) {
    static char all[64] = "****";
    strncpy(all + 4, argv[argc - 1], 32);
    printf("%d\n", length(all + 4));
    return 0;
}
"#;
    let config = r#"[c]
sources = ["field.c"]
build = "cc -g -o field field.c"

[[c.test]]
name = "plain"
command = "./field 'abc;d'"
stdout = "3\n"

[[c.test]]
name = "starred"
command = "./field 'abc*;d'"
stdout = "3\n"

[[c.test]]
name = "short"
command = "./field 'a*;d'"
stdout = "1\n"

[[c.test]]
name = "empty"
command = "./field ';d'"
stdout = "0\n"
"#;
    fs::write(subject.root.join("field.c"), source).unwrap();
    fs::write(subject.root.join("nopol.toml"), config).unwrap();
    let report = subject
        .nopol(&["c", "--top", "9", "--format", "json"])
        .json();
    let right = ["n > 0 && text[n - 1] == '*'", "n && text[n - 1] == '*'"];
    assert!(right.contains(&first(&report)), "{}", first(&report));
    let all = report.to_string();
    for guard in ["n > 0", "n != 0", "n > 1", "n >= 1"] {
        let late = format!("text[n - 1] == '*' && {guard}");
        assert!(!all.contains(&late), "{late}");
    }
}

/// Only the text of the failing test itself tells it from the others.
const STOPS: &str = r#"
pub fn is_stop(word: &str) -> bool {
    if word.len() < 3 {
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_stop;

    #[test]
    fn short() {
        assert!(is_stop("an") && is_stop("of"));
        assert!(!is_stop("cat") && !is_stop("dog") && !is_stop("bread") && !is_stop("house"));
    }

    #[test]
    fn longer() {
        assert!(is_stop("the"));
    }
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_that_memorises_a_text_is_a_guess_even_if_there_is_no_other() {
    let report = Subject::lib(STOPS).nopol(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    assert!(!patches.is_empty(), "{report:#}");
    for patch in patches {
        let condition = patch["edits"][0]["condition"].as_str().unwrap();
        assert!(condition.contains("\"the\""), "{report:#}");
        assert!(patch["confidence"].as_f64().unwrap() <= 0.1, "{patch:#}");
    }
}
