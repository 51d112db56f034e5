//! Which of the patches that no test tells apart is shown, and that no patch goes wrong before its own guard.

use std::fs;

use serde_json::Value;

use crate::common::Subject;

/// The condition of the first patch.
fn first(report: &Value) -> &str {
    let condition = report["patches"][0]["edits"][0]["condition"].as_str();
    condition.unwrap_or_else(|| panic!("no patch: {report:#}"))
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
    let of = |test: &str| {
        let report = subject
            .nopol(&["--failing", test, "--format", "json"])
            .json();
        first(&report).to_owned()
    };
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
