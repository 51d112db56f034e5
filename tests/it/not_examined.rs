//! Values that `faults` does not try other values for: it names where they are.

use crate::common::{MANIFEST, Subject};
use crate::faults::program;

/// No part of what these functions return is written in them.
const WHOLE: &str = r"
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point { pub x: i32, pub y: i32 }

pub fn swapped(p: Point) -> Point {
    let q = p;
    q
}
pub fn kept(o: Option<i32>) -> Option<i32> { o }
pub fn tail(v: &[i32]) -> &[i32] { v }

#[test] fn swaps() { assert_eq!(swapped(Point { x: 1, y: 2 }), Point { x: 2, y: 1 }); }
#[test] fn keeps() { assert_eq!(kept(Some(3)), None); }
#[test] fn leaves() { assert_eq!(tail(&[1, 2]).len(), 1); }
";

#[test]
fn values_that_are_written_as_a_whole_are_named_as_not_examined() {
    let subject = Subject::lib(WHOLE);
    let note = "note: structures and other values of several parts were examined only where their parts are written out, so not: ";
    for (test, lines) in [
        ("swaps", "src/lib.rs:6, src/lib.rs:7"),
        ("keeps", "src/lib.rs:9"),
        ("leaves", "src/lib.rs:10"),
    ] {
        let run = subject.nopol(&["faults", "--only", test]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(
            run.stdout.contains(&format!("{note}{lines}\n")),
            "{}",
            run.stdout
        );
        // It was "no different values of at most 0 places".
        let nowhere = "the failing test reaches no place where another value could be tried";
        assert!(run.stdout.contains(nowhere), "{}", run.stdout);
    }
}

#[test]
fn structures_of_c_that_are_copied_are_named_as_not_examined() {
    let text = r#"#include <stdio.h>
struct pair { int a, b; };
int main(void)
{
    struct pair p = {1, 2}, q = {3, 4}, r;
    r = p;
    printf("%d\n", r.a);
    return 0;
}
"#;
    let subject = program(text, &[("", "3")]);
    let run = subject.nopol(&["c", "faults"]);
    assert!(
        run.stdout.contains("; not examined: p.c:6\n"),
        "{}",
        run.stdout
    );
}

const FEATURE: &str = r#"
pub fn is_small(n: u32) -> bool { n < 3 }
#[cfg(feature = "extra")]
#[test] fn small() { assert!(is_small(3)); }
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_needs_a_feature_is_left_out_with_the_option_that_runs_it() {
    let manifest = format!("{MANIFEST}\n[features]\nextra = []\n");
    let subject = Subject::new(&[("Cargo.toml", &manifest), ("src/lib.rs", FEATURE)]);
    let run = subject.nopol(&["mutate", "--only", "small"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let said = "`small` is used, but conditional compilation, here `cfg(feature = \"extra\")`, is not supported; `localize` and \
                `repair` run what is compiled with `--features extra`\n";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    // Nothing else is a test.
    let run = subject.nopol(&["--quiet"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    let said = "if there are tests, check --package, --test and --features";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

const ABSENT: &str = r"
pub fn found(x: u8) -> Option<u8> { if x > 100 { return Some(1); } None }
pub fn never(x: u8) -> Option<u8> { None }
pub fn pair(x: u8) -> (u8, Option<u8>) { (x, None) }
pub fn unit(x: u8) -> Option<()> { if x > 100 { Some(()) } else { None } }
pub fn looped(mut x: u8) -> Option<u8> { while x > 3 { x -= 1; } None }
#[test] fn finds() { assert_eq!(found(5), Some(2)); }
#[test] fn nevers() { assert_eq!(never(5), Some(2)); }
#[test] fn pairs() { assert_eq!(pair(5).1, Some(2)); }
#[test] fn units() { assert!(unit(5).is_some()); }
#[test] fn loops() { assert_eq!(looped(5), Some(2)); }
";

#[test]
fn the_value_that_none_leaves_out_is_named_as_not_examined() {
    let subject = Subject::lib(ABSENT);
    let note = "note: for a `None` that should be a `Some`, the value in it was not examined: ";
    for (test, line) in [
        ("finds", Some(2)),
        ("nevers", Some(3)),
        ("pairs", Some(4)),
        ("units", None),
    ] {
        let run = subject.nopol(&["faults", "--only", test]);
        match line {
            Some(line) => {
                let note = format!("{note}src/lib.rs:{line}\n");
                assert!(run.stdout.contains(&note), "{}", run.stdout);
            }
            None => assert!(!run.stdout.contains("not examined"), "{}", run.stdout),
        }
    }
    let json = subject.nopol(&["faults", "--only", "nevers", "--format", "json"]);
    assert_eq!(json.json()["absent"][0]["line"], 3, "{}", json.stdout);
}

#[test]
fn a_larger_bound_is_proposed_only_where_something_repeats() {
    let subject = Subject::lib(ABSENT);
    let none = |options: &[&str]| {
        let run = subject.nopol(&[&["faults"], options].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let mut lines = run.stdout.lines();
        let line = lines.find(|line| line.starts_with("no different values"));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(
        none(&["--only", "nevers"]),
        "no different values of a single place make the failing test pass"
    );
    assert_eq!(
        none(&["--only", "finds", "--size=1"]),
        "no different values of a single place make the failing test pass; a larger --size tries more places at once"
    );
    let looped = none(&["--only", "loops"]);
    assert!(
        looped.contains(" in runs in which no loop iterates more than ")
            && looped.ends_with("a larger --bound allows more iterations"),
        "{looped}"
    );
}
