//! Crates as strangers have them: code where cargo finds it in unusual ways, and methods that must not be called.

use crate::causes::first_of_each_group;
use crate::common::{MANIFEST, Subject, strings};

/// A root package that is not a workspace.
const ROOT: &str = r#"
[package]
name = "shop"
version = "0.1.0"
edition = "2021"

[dependencies]
prices = { path = "parts/prices" }
"#;

const LIBRARY: &str = r"
include!(`orders.in`);

/// A shelf, whose size is known when it is compiled.
pub struct Shelf<const N: usize> { len: usize }
impl<const N: usize> Shelf<N> {
    pub const fn new() -> Self { Self { len: 0 } }
    pub const fn is_full(&self) -> bool { self.len > N }
    pub const fn half(n: usize) -> usize { if n > 1 { n / 2 } else { 1 } }
    pub fn put(&mut self) { self.len += 1; }
}
pub static BOXES: [u8; Shelf::<1>::half(8)] = [0; 4];
const fn scaled<const FROM: u8, const TO: u8>(n: u8) -> u8 { if FROM > TO { n / 2 } else { n } }
macro_rules! level { ($name:ident) => { pub const $name: u8 = scaled::<{ u8::MAX }, 31>(8); } }
level!(LEVEL);

#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn one() { let mut shelf = Shelf::<2>::new(); shelf.put(); assert!(!shelf.is_full()); }
    #[test] fn two() { let mut shelf = Shelf::<2>::new(); shelf.put(); shelf.put(); assert!(shelf.is_full()); }
    #[test] fn boxes() { assert_eq!(BOXES.len(), 4); }
    #[test] fn small() { assert!(!is_large(1, 10)); }
    #[test] fn large() { assert!(is_large(11, 10)); }
    #[test] fn just() { assert!(is_large(10, 10)); }
    #[test] fn dear() { assert_eq!(prices::fee(9), 5); }
    #[test] fn cheap() { assert_eq!(prices::fee(20), 0); }
    #[test] fn no_fee() { assert_eq!(prices::fee(10), 0); }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn const_functions_included_files_and_dependencies_below_the_package_are_repaired() {
    let subject = Subject::new(&[
        ("Cargo.toml", ROOT),
        ("src/lib.rs", &LIBRARY.replace('`', "\"")),
        (
            "src/orders.in",
            "pub fn is_large(items: u32, limit: u32) -> bool { if items > limit { true } else { false } }\n",
        ),
        (
            "parts/prices/Cargo.toml",
            &MANIFEST
                .replace("\"subject\"", "\"prices\"")
                .replace("[workspace]", ""),
        ),
        (
            "parts/prices/src/lib.rs",
            "pub fn fee(price: u32) -> u32 { if price <= 10 { 5 } else { 0 } }\n",
        ),
    ]);
    let before = subject.snapshot();
    let run = subject.nopol(&["--format", "json", "--top", "1"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    let of = |name: &str| vec![format!("shop::shop::tests::{name}")];
    let mut firsts = first_of_each_group(&report);
    firsts.sort();
    assert_eq!(
        firsts,
        [
            (of("just"), "items >= limit".to_owned()),
            (of("no_fee"), "price < 10".to_owned()),
            (of("two"), "self.len >= N".to_owned()),
        ]
    );
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
    assert_eq!(subject.snapshot(), before);
}

/// `weight` and `is_heavy` recurse without end unless there is nothing; the subject never calls them.
const BAG: &str = r"
pub struct Bag { items: Vec<u32>, most: usize }
impl Bag {
    pub fn weight(&self) -> usize { if self.items.is_empty() { 0 } else { 1 + self.weight() } }
    pub fn is_heavy(&self) -> bool { self.weight() > 100 }
    pub fn put(&mut self, item: u32) -> bool {
        if self.items.len() > self.most {
            return false;
        }
        self.items.push(item);
        true
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    fn bag(items: usize) -> Bag { Bag { items: vec![1; items], most: 2 } }
    #[test] fn into_an_empty_one() { assert!(bag(0).put(1)); }
    #[test] fn into_the_last_place() { assert!(bag(1).put(1)); }
    #[test] fn into_a_full_one() { assert!(!bag(2).put(1)); }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_method_that_ends_the_test_when_it_is_recorded_is_left_out_and_the_rest_recorded() {
    let subject = Subject::lib(BAG);
    let run = subject.nopol(&["--format", "json", "--top", "1"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(
        report["patches"][0]["edits"][0]["condition"],
        "self.items.len() >= self.most"
    );
    // Before, what was recorded there was nothing, and no tests could be named that decide the condition.
    let clauses = report["patches"][0]["clauses"].as_array().unwrap();
    assert!(!clauses.is_empty(), "{report}");
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
}

/// Says how many coins an amount takes; `>` should be `>=`.
const COINS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include "coins.h"

int main(int argc, char **argv)
{
    int amount, coins = 0;

    if (argc != 2)
        return 2;
    amount = atoi(argv[1]);
    while (amount > LARGEST) {
        amount -= LARGEST;
        coins++;
    }
    printf("%d and %d\n", coins, amount);
    return amount == 0 ? 3 : 0;
}
"#;

const INPUTS_ONLY: &str = r#"[c]
sources = ["coins.c"]
build = "cc -std=c99 -g -o coins coins.c"
timeout = 2

[c.tests]
input = "tests/*.args"
command = "./coins {args-file}"
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_version_that_is_right_says_what_tests_without_an_output_expect() {
    let inputs = ["0", "3", "5", "10", "12", "20", "23", "many more"];
    let names = inputs.map(|input| format!("tests/{}.args", input.replace(' ', "-")));
    let mut files: Vec<(&str, &str)> = vec![
        ("nopol.toml", INPUTS_ONLY),
        ("coins.c", COINS),
        ("coins.h", "#define LARGEST 5\n"),
    ];
    files.extend(names.iter().map(String::as_str).zip(inputs));
    let subject = Subject::new(&files);
    let right = COINS.replace("amount > LARGEST", "amount >= LARGEST");
    let right = right.replace(
        "if (argc != 2)",
        "if (argc == 3)\n        abort();\n    if (argc != 2)",
    );
    let golden = Subject::new(&[("coins.c", &right), ("coins.h", "#define LARGEST 5\n")]);
    let before = (subject.snapshot(), golden.snapshot());
    let golden_dir = golden.root.to_str().unwrap();

    let run = subject.nopol_c(&["--format", "json", "--reference", golden_dir]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(strings(&report["failing_tests"]), ["5", "10", "20"]);
    assert!(strings(&report["warnings"])[0].starts_with("`many-more` is left out: "));
    let first = &report["patches"][0]["edits"][0]["condition"];
    assert_eq!(first, "amount >= LARGEST");
    assert_eq!((subject.snapshot(), golden.snapshot()), before);

    // Without it, only an exit code says that a test fails.
    let run = subject.nopol_c(&["--no-cache", "--format", "json"]);
    assert_eq!(strings(&run.json()["failing_tests"]), ["0", "many-more"]);
    assert_eq!((run.code, &run.json()["outcome"]), (0, &"patched".into()));
    let (none, other) = ("no/where", subject.root.join("tests"));
    for (dir, says) in [
        (none, "there is no directory no/where"),
        (
            other.to_str().unwrap(),
            "has none of the program's source files, which are coins.c",
        ),
    ] {
        let run = subject.nopol_c(&["--reference", dir]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
}

/// Names of many types around the one expression that is wrong, which is a long one: `+ 1` should be `- 1`.
const MANY_TYPES: &str = r"
/// The bytes that are left of some rows after a header.
pub fn left(rows: &[u8], width: usize, name: &str, is_padded: bool) -> usize {
    let label: Vec<u8> = name.bytes().collect();
    let share: f64 = 0.5;
    let open = rows.first();
    let _ = (&label, share, open, is_padded);
    let all = rows.len() * (width + rows.len()) - ((width * width + rows.len() * width) / (width * 2) + 1);
    all
}

#[cfg(test)]
mod tests {
    use super::left;
    #[test] fn two() { assert_eq!(left(&[1, 2], 4, `a`, true), 10); }
    #[test] fn four() { assert_eq!(left(&[1, 2, 3, 4], 6, `b`, false), 36); }
    #[test] fn none_is_too_few() { assert!(std::panic::catch_unwind(|| left(&[], 0, ``, false)).is_err()); }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn names_of_other_types_beside_an_integer_hide_no_edit_of_it() {
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &MANY_TYPES.replace('`', "\"")),
    ]);
    let run = subject.nopol(&["--format", "json", "--kind", "arithmetic"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(strings(&report["warnings"]), [""; 0]);
    let first = report["patches"][0]["edits"][0]["condition"].as_str();
    assert_eq!(
        first,
        Some(
            "rows.len() * (width + rows.len()) - ((width * width + rows.len() * width) / (width * 2) - 1)"
        )
    );

    // Where none helps, it is said of what.
    let text = subject.root.join("src/lib.rs");
    let hopeless = MANY_TYPES
        .replace('`', "\"")
        .replace("true), 10)", "true), 77)");
    std::fs::write(text, hopeless).unwrap();
    let run = subject.nopol(&["--kind", "arithmetic", "--failing", "two"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let says = "No small edit of any of them fixes a test without breaking another.";
    assert!(run.stdout.contains(says), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_asks_for_its_arguments_fails_only_where_it_has_some() {
    let asks = "#[test] fn alone() { assert_eq!(std::env::args().count(), 1); }\n";
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        (
            "src/lib.rs",
            "pub fn f(a: u8) -> bool { a > 1 }\n#[test] fn two() { assert!(f(2)); }\n",
        ),
        ("tests/asks.rs", asks),
    ]);
    let run = subject.nopol(&[]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("Nothing to repair"), "{}", run.stdout);
    let says = "`alone` passes only as `cargo test` runs it";
    assert!(run.stderr.contains(says), "{}", run.stderr);
}

#[test]
#[ignore = "it waits for slow tests"]
fn a_test_that_is_slow_once_it_passes_is_named() {
    let slow = "pub fn f(a: u8) -> bool { if a > 2 { true } else { false } }
#[test] fn one() { assert!(!f(1)); }
#[test] fn three() { assert!(f(3)); }
#[test] fn two() { assert!(f(2)); }
#[test] fn slow() { assert!(f(2)); std::thread::sleep(std::time::Duration::from_secs(SECONDS)); }
";
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &slow.replace("SECONDS", "30")),
    ]);
    let run = subject.nopol(&["--test-timeout", "6"]);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let says = "slow reaches the time limit with some candidates";
    assert!(run.stderr.contains(says), "{}", run.stderr);

    // Within the limit it has the time that it needs.
    std::fs::write(
        subject.root.join("src/lib.rs"),
        slow.replace("SECONDS", "5"),
    )
    .unwrap();
    let run = subject.nopol(&[
        "--test-timeout",
        "8",
        "--format",
        "json",
        "--failing",
        "slow",
    ]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.json()["patches"][0]["edits"][0]["condition"], "a >= 2");
}

/// Whoever reads `taken` where nothing was written to it gets what was in the memory before.
const SEATS: &str = r#"#include <stdio.h>
#include <stdlib.h>

/* Marks which of n seats are taken; every fourth is. */
static int *seats(int n)
{
    int *taken = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            taken[i] = 1;
        else if (i > 0)
            taken[i] = 0;
    }
    return taken;
}

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 2;
    int *taken = seats(n);
    int left = 0;
    for (int i = 0; i < n; i++) {
        if (taken[i] == 0)
            left++;
    }
    printf("%d\n", left);
    return 0;
}
"#;

#[test]
#[ignore = "make test-full: needs valgrind, and make test may run without"]
fn a_patch_that_makes_a_program_use_what_was_never_written_does_not_come_first() {
    let tests = [(3, 2), (4, 3), (6, 4)].map(|(seats, left)| {
        format!("[[c.test]]\nname = \"{seats}\"\ncommand = \"./seats\"\nstdin = \"{seats}\"\nstdout = \"{left}\\n\"\n")
    });
    let settings = "[c]\nsources = [\"seats.c\"]\nbuild = \"cc -o seats seats.c\"\n".to_owned();
    let subject = Subject::new(&[
        ("seats.c", SEATS),
        ("nopol.toml", &(settings + &tests.concat())),
    ]);
    let report = subject.nopol_c(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let doubts = |patch: &serde_json::Value| strings(&patch["doubts"]);
    assert_eq!(patches[0]["edits"][0]["condition"], "i % 4 == 0");
    let found = "valgrind finds: `main` uses an uninitialized value".to_owned();
    assert!(doubts(&patches[0]).is_empty(), "{report:#}");
    assert!(
        patches[1..].iter().any(|it| doubts(it).contains(&found)),
        "{report:#}"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_the_instrumentation_changes_takes_no_place_from_others() {
    let sums = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int sum = 0;\n    \
                for (int i = 1; i < argc; i++) {\n        if (atoi(argv[i]) > 0)\n            sum += atoi(argv[i]);\n        else if (i > 2)\n            \
                sum += 10;\n    }\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let case = |name: &str, command: &str, sum: &str| {
        format!("[[c.test]]\nname = \"{name}\"\ncommand = \"{command}\"\nstdout = \"{sum}\\n\"\n")
    };
    // The last one fails with a text of the program that is much longer.
    let measure = format!(
        "./sums 1 2 && test $(wc -c < sums.c) -lt {}",
        sums.len() + 20
    );
    let settings = "[c]\nsources = [\"sums.c\"]\nbuild = \"cc -o sums sums.c\"\n".to_owned()
        + &case("none", "./sums 0", "0")
        + &case("two", "./sums 1 2", "3")
        + &case("third", "./sums 1 2 0", "13")
        + &case("second", "./sums 1 0", "11")
        + &case("measured", &measure, "3");
    let subject = Subject::new(&[("sums.c", sums), ("nopol.toml", &settings)]);
    let run = subject.nopol_c(&["--format", "json", "--failing", "second"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(report["patches"][0]["edits"][0]["condition"], "i >= 2");
    let warnings = strings(&report["warnings"]);
    let says = |warning: &String| {
        warning.starts_with("the result of `measured` changes once recording code is added")
    };
    assert!(warnings.iter().any(says), "{warnings:?}");
}

/// Reads nested lists; what is put into `depth` makes its frame several times as large.
const NESTED: &str = r#"
pub struct Reader<'a> { text: &'a [u8], at: usize }
impl<'a> Reader<'a> {
    pub fn new(text: &'a [u8]) -> Self { Self { text, at: 0 } }
    fn peek(&self) -> Option<u8> { self.text.get(self.at).copied() }
    pub fn depth(&mut self, left: usize) -> Result<usize, String> {
        if left < 1 { return Err("too deep".into()); }
        if self.peek() != Some(b'[') { return Err("no list".into()); }
        self.at += 1;
        let mut deepest = 0;
        while let Some(next) = self.peek() {
            if next == b']' { break; }
            if next == b',' && next == b' ' { self.at += 1; continue; }
            if next == b'[' {
                let inner = self.depth(left - 1)?;
                if inner > deepest { deepest = inner; }
            } else if next.is_ascii_alphabetic() {
                self.at += 1;
            } else {
                return Err(format!("what is {next}?"));
            }
        }
        if self.peek() != Some(b']') { return Err("no end".into()); }
        self.at += 1;
        Ok(deepest + 1)
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    fn depth(text: &str) -> Result<usize, String> { Reader::new(text.as_bytes()).depth(1300) }
    #[test] fn nested() { assert_eq!(depth("[a[b]c]"), Ok(2)); }
    #[test] fn separated() { assert_eq!(depth("[a, [b, c]]"), Ok(2)); }
    #[test] fn deep() { let n = 1300; assert_eq!(depth(&("[".repeat(n) + &"]".repeat(n))), Ok(n)); }
    #[test] fn odd() { assert!(depth("[1]").is_err()); assert!(depth("a").is_err()); assert!(depth("[").is_err()); }
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_recurses_as_deep_as_it_may_passes_with_instrumentation_too() {
    let subject = Subject::lib(NESTED);
    let report = subject.nopol(&["--format", "json", "--top", "1"]).json();
    assert_eq!(strings(&report["warnings"]), [] as [String; 0]);
    let condition = &report["patches"][0]["edits"][0]["condition"];
    assert_eq!(condition, "next == b',' || next == b' '");
}

/// The type of `label` is known only where it is returned, and calling `contains` on it before asks for it.
const UNKNOWN_TYPE: &str = r#"
use std::borrow::Cow;
pub struct Span { pub start: usize, pub end: usize }
impl Span {
    pub fn contains(&self, at: usize) -> bool { self.start <= at && at < self.end }
    pub fn meets(&self, other: &Span) -> bool { self.contains(other.start) || other.contains(self.start) }
}
pub fn read(text: &str) -> Option<(usize, Cow<'_, str>)> {
    let bytes = text.as_bytes();
    let mut words = String::new();
    let mut mark = 0;
    let mut at = 0;
    let mut is_blank = false;
    loop {
        match *bytes.get(at)? {
            b']' => break,
            b' ' => {
                let start = at;
                while at < bytes.len() && bytes[at] == b' ' {
                    at += 1;
                }
                if at - start > 1 {
                    words.push_str(&text[mark..start]);
                    words.push(' ');
                    mark = at;
                }
            }
            _ => {
                is_blank = false;
                at += 1;
            }
        }
    }
    if is_blank {
        None
    } else {
        let label = if mark == 0 {
            text[..at].into()
        } else {
            words.push_str(&text[mark..at]);
            words.into()
        };
        Some((at + 1, label))
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn words() { assert_eq!(read("a b]"), Some((4, "a b".into()))); }
    #[test] fn spaces() { assert_eq!(read("a   b] c"), Some((6, "a b".into()))); }
    #[test] fn nothing() { assert_eq!(read("]"), None); }
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_variable_whose_type_is_known_only_later_costs_no_places() {
    let subject = Subject::lib(UNKNOWN_TYPE);
    let report = subject.nopol(&["--format", "json", "--top", "1"]).json();
    assert_eq!(strings(&report["warnings"]), [] as [String; 0]);
    let condition = &report["patches"][0]["edits"][0]["condition"];
    assert_eq!(condition, "is_blank || at == 0");
}

/// What `can_ship` should ask is written in functions, methods and a field that other builds lack.
const CONDITIONAL: &str = r#"
pub struct Item { pub weight: u32, pub fragile: bool, #[cfg(not(feature = "small"))] pub soft: bool }
impl Item {
    #[cfg(debug_assertions)]
    pub fn is_handy(&self) -> bool { self.weight <= 20 && !self.fragile }
}
#[cfg(not(feature = "small"))]
pub fn is_light(item: &Item) -> bool { item.weight <= 20 && !item.soft }
pub fn can_ship(item: &Item) -> bool { item.weight < 10 }
#[cfg(test)]
mod tests {
    use super::*;
    fn item(weight: u32, fragile: bool) -> Item { Item { weight, fragile, soft: fragile } }
    #[test] fn small() { assert!(can_ship(&item(5, false))); }
    #[test] fn large() { assert!(can_ship(&item(20, false)) && can_ship(&item(15, false))); }
    #[test] fn too_large() { assert!(!can_ship(&item(21, false))); }
    #[test] fn fragile() { assert!(!can_ship(&item(15, true)) && !can_ship(&item(20, true))); }
    #[test] fn small_and_fragile() { assert!(!can_ship(&item(3, true))); }
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn no_patch_uses_what_another_build_lacks() {
    let manifest = format!("{MANIFEST}\n[features]\nsmall = []\n");
    let subject = Subject::new(&[("Cargo.toml", &manifest), ("src/lib.rs", CONDITIONAL)]);
    let run = subject.nopol(&["--format", "json", "--top", "30"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let patches = run.json()["patches"].as_array().unwrap().clone();
    assert!(!patches.is_empty());
    for patch in &patches {
        let diff = patch["diff"].as_str().unwrap();
        let mut added = diff.lines().filter(|line| line.starts_with('+'));
        let lacks = ["is_handy", "is_light", ".soft"];
        assert!(
            !added.any(|line| lacks.iter().any(|name| line.contains(name))),
            "{diff}"
        );
    }
}
