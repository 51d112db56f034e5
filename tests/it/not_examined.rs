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
    let note = "note: structs, tuples and other compound values were examined only where the source builds them from their parts; not examined: ";
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
        // It was "no other values at up to 0 places".
        let nowhere = "The failing test reaches no place where another value could be tried";
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
        run.stdout
            .contains("only where the source builds them from their parts; not examined: p.c:6\n"),
        "{}",
        run.stdout
    );
}

const BORROWED: &str = r"
pub struct Pair<'a> { first: &'a i32, second: i32 }
pub fn chosen(a: i32, b: i32) -> i32 {
    let mut chosen = if a > 0 { &a } else { &b };
    if a > 5 {
        chosen = &b;
    }
    *chosen
}
pub fn picked<'p>(p: &Pair<'p>) -> &'p i32 {
    p.first
}
pub fn sum(a: i32, b: i32) -> i32 {
    let pair = Pair { first: &a, second: b };
    *picked(&pair) + pair.second
}
#[test] fn chooses() { assert_eq!(chosen(1, 2), 2); }
#[test] fn adds() { assert_eq!(sum(1, 2), 4); }
";

#[test]
fn references_are_named_as_not_examined() {
    let subject = Subject::lib(BORROWED);
    for (test, lines) in [
        ("chooses", "src/lib.rs:4, src/lib.rs:6"),
        ("adds", "src/lib.rs:11, src/lib.rs:14"),
    ] {
        let run = subject.nopol(&["faults", "--only", test]);
        let note = format!("note: pointers and references were not examined: {lines}\n");
        assert!(run.stdout.contains(&note), "{}{}", run.stdout, run.stderr);
    }
}

const FEATURE: &str = r#"
#[cfg(not(feature = "extra"))]
pub fn is_small(n: u32) -> bool { n < 2 }
#[cfg(feature = "extra")]
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
    let said = "`small` is used, but it is compiled only under `cfg(feature = \"extra\")`; `--features extra` compiles it\n";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    for options in [&["--features", "extra"][..], &["--all-features"]] {
        let run = subject.nopol(&[&["mutate"], options].concat());
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("becomes  n <= 3"), "{}", run.stdout);
    }
    // Nothing else is a test.
    let run = subject.nopol(&["--quiet"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    let said = "if there are tests, check --package, --test and --features";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

const MODULES: &str = r#"
pub trait Wide { fn wide(&self) -> bool { self.small() < 7 } fn small(&self) -> u32; }
#[cfg(feature = "extra")]
mod limits { pub fn least() -> u32 { 2 } }
#[cfg(not(feature = "extra"))]
mod limits { pub fn least() -> u32 { 3 } #[cfg(feature = "extra")] pub struct Odd(f64); }
#[cfg(feature = "extra")]
mod more;
pub fn most() -> u32 { 4 }
pub fn is_small(n: u32) -> bool { n < limits::least() }
pub fn same(n: u32) -> bool { n <= 2 + most() - 4 }
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn modules_are_read_according_to_the_features() {
    let manifest = format!("{MANIFEST}\n[features]\nextra = []\n");
    let more = "pub fn most() -> u32 { 5 }\npub fn odd() -> f64 { 0.5 }\n";
    let subject = Subject::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", MODULES),
        ("src/more.rs", more),
    ]);
    let ask = [
        "mutate",
        "--function",
        "is_small",
        "--reference-function",
        "same",
    ];
    let run = subject.nopol(&ask);
    let nothing = "No run violates the specification";
    assert!(run.stdout.contains(nothing), "{}{}", run.stdout, run.stderr);
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
        let line = lines.find(|line| line.starts_with("No other values"));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(
        none(&["--only", "nevers"]),
        "No other values at a single place make the failing test pass."
    );
    assert_eq!(
        none(&["--only", "finds", "--size=1"]),
        "No other values at a single place make the failing test pass; a larger --size tries more places at once."
    );
    let looped = none(&["--only", "loops"]);
    assert!(
        looped.contains(", with at most ")
            && looped.ends_with("a larger --bound allows longer runs."),
        "{looped}"
    );
}

/// `apart` and `show` have what is not supported; `apart` is called only with a large number, and `show` never.
const UNSUPPORTED: &str = r#"#include <stdio.h>
#include <stdlib.h>
static double half(int n) { return n / 2.0; }
static void show(int n) { if (half(n)) puts("half"); }
static int apart(int n)
{
again:
    if (n > 3) { n--; goto again; }
    return n;
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    if (n > 8) n = apart(n);
    if (n > 90) show(n);
    printf("%d\n", n + 1);
    return 0;
}
"#;

#[test]
fn a_function_that_is_not_supported_keeps_only_runs_that_enter_it_from_being_examined() {
    let subject = program(UNSUPPORTED, &[("3", "3"), ("5", "5"), ("9", "4")]);
    for command in ["mutate", "faults"] {
        let run = subject.nopol(&["c", command]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        for note in [
            "note: `t9` is left out: `apart` is called, but is not supported: p.c:7: labels are not supported\n",
            "note: `show` and runs that enter it are not examined: p.c:3: the type `double` is used, and \
             floating-point numbers are not supported\n",
        ] {
            assert!(run.stdout.contains(note), "{}", run.stdout);
        }
        assert!(!run.stdout.contains("has no others"), "{}", run.stdout);
        let run = subject.nopol(&["c", command, "--only", "t9"]);
        assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout
                .contains("`apart` is called, but is not supported"),
            "{}",
            run.stdout
        );
    }
    // What is proved for all arguments needs all that is called.
    let run = subject.nopol(&["c", "mutate", "--function", "half"]);
    assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("p.c:3: the type `double`"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_becomes_a_fault_is_worded_as_in_its_language() {
    let text = "#include <stdlib.h>\nint main(void)\n{\n    if (1 > 0)\n        abort();\n    return 0;\n}\n";
    let toml = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\n";
    let subject = Subject::new(&[("p.c", text), ("nopol.toml", toml)]);
    let run = subject.nopol(&["c", "faults"]);
    let fails = "`t` fails: the program calls `abort` at p.c:5";
    assert!(run.stdout.contains(fails), "{}", run.stdout);
}

#[test]
fn the_time_limit_holds_while_rust_is_read() {
    let functions = (0..40_000).map(|n| format!("pub fn f{n}(x: i32) -> i32 {{ x + {n} * 2 }}\n"));
    let text = functions.collect::<String>() + "#[test] fn one() { assert_eq!(f1(1), 4); }\n";
    let subject = Subject::lib(&text);
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&[command, "--time-limit", "0.01"]);
        assert_eq!(run.code, 5, "{}{}", run.stdout, run.stderr);
        let late = "ended the reading of the program";
        assert!(run.stdout.contains(late), "{}", run.stdout);
    }
}
