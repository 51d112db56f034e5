//! `cargo nopol mutate --function` on Rust functions that take or return more than a number: arrays, structures, tuples,
//! options, enumerations and characters.

use crate::common::Subject;
use crate::mutate::{found, repairs};

const VALUES: &str = r"
#[derive(Clone, Copy)]
pub struct Size { pub wide: u8, pub high: u8 }
pub struct Pair(i8, bool);
pub struct Grid { cells: [[u8; 2]; 2] }
#[derive(Clone, Copy, PartialEq)]
pub enum Step { Back = -1, Stay, Far = 5 }

impl Size {
    pub fn half(self) -> u8 { self.wide / 2 - self.high / 2 }
    pub fn half_ref(self) -> u8 { self.wide / 2 + self.high / 2 }
}

pub fn last(a: [u8; 3]) -> u8 { a[1] }
pub fn last_ref(a: [u8; 3]) -> u8 { a[2] }
pub fn long(a: [bool; 40]) -> bool { a[1] }
pub fn long_ref(a: [bool; 40]) -> bool { a[2] }
pub fn corner(g: Grid) -> u8 { g.cells[0][1] }
pub fn corner_ref(g: Grid) -> u8 { g.cells[1][1] }
pub fn signed(p: Pair) -> i8 { if p.1 { p.0 / 2 } else { p.0 / 2 + 1 } }
pub fn signed_ref(p: Pair) -> i8 { p.0 / 2 }
pub fn order((a, b): (u8, u8)) -> bool { a < b }
pub fn order_ref((a, b): (u8, u8)) -> bool { b >= a }
pub fn given(o: Option<u8>, other: u8) -> u8 { match o { Some(x) => x / 2 + 1, None => other } }
pub fn given_ref(o: Option<u8>, other: u8) -> u8 { match o { Some(x) => x / 2, None => other } }
pub fn moved(s: Step) -> bool { s as i32 > 5 }
pub fn moved_ref(s: Step) -> bool { s == Step::Far }
pub fn upper(c: char) -> bool { c > 'A' && c <= 'Z' }
pub fn upper_ref(c: char) -> bool { c.is_ascii_uppercase() }

pub fn known(s: Step) { let n = s as i32; assert!(n == -1 || n == 0 || n == 5); }
pub fn scalar(c: char) { let n = c as u32; assert!(n < 0xd800 || n >= 0xe000 && n < 0x110000); }

pub fn sorted(a: u8, b: u8) -> (u8, u8) { if a > b { (a, b) } else { (b, a) } }
pub fn sorted_ref(a: u8, b: u8) -> (u8, u8) { if a <= b { (a, b) } else { (b, a) } }
pub fn positive(x: i8) -> Option<i8> { if x >= 0 { Some(x) } else { None } }
pub fn positive_ref(x: i8) -> Option<i8> { if x > 0 { Some(x) } else { None } }
pub fn swapped(s: Size) -> Size { Size { wide: s.high, high: s.wide / 1 + 1 } }
pub fn swapped_ref(s: Size) -> Size { if s.wide == 255 { panic!() } Size { wide: s.high, high: s.wide } }
pub fn wrong(x: u8) -> [u64; 2] { [x as u64, 300 / x as u64] }
";

#[test]
#[ignore = "make test-full: it takes long"]
fn functions_that_take_values_of_several_parts_are_repaired() {
    let subject = Subject::lib(VALUES);
    for (function, call, repair) in [
        ("last", "last([0, 0, 1])", "a[2]"),
        (
            "long",
            "long([false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, …])",
            "a[2]",
        ),
        (
            "corner",
            "corner(Grid { cells: [[0, 1], [0, 0]] })",
            "g.cells[1][1]",
        ),
        ("signed", "signed(Pair(0, false))", "p.0 / 2 + 0"),
        ("order", "order((0, 0))", "a <= b"),
        ("given", "given(Some(0), 0)", "x / 2 + 0"),
        ("moved", "moved(Step::Far)", "s as i32 >= 5"),
        ("upper", "upper('A')", "c >= 'A' && c <= 'Z'"),
        (
            "half",
            "Size::half(Size { wide: 0, high: 2 })",
            "self.wide / 2 + self.high / 2",
        ),
    ] {
        let reference = format!("--reference-function={function}_ref");
        let ask = ["mutate", "--function", function, &reference];
        let run = subject.nopol(&[&ask[..], &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{function}: {}{}", run.stdout, run.stderr);
        let found = found(&run);
        assert_eq!(found["failing"][0]["name"], call, "{}", run.stdout);
        assert!(
            repairs(&found).contains(&repair.to_owned()),
            "{}",
            run.stdout
        );
        assert_eq!(found["repairs"][0]["proved"], "all", "{}", run.stdout);
    }
}

#[test]
fn numbers_that_are_no_value_of_the_type_do_not_count() {
    let subject = Subject::lib(VALUES);
    for function in ["known", "scalar"] {
        let run = subject.nopol(&["mutate", "--function", function]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let right = "No run violates the specification: there is nothing to repair.\n";
        assert!(run.stdout.ends_with(right), "{}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn results_of_several_parts_are_compared() {
    let subject = Subject::lib(VALUES);
    for (function, failing, repair) in [
        (
            "sorted",
            ("sorted(0, 1)", "it does not return (0, 1)"),
            "a < b",
        ),
        (
            "positive",
            ("positive(0)", "it does not return None"),
            "x > 0",
        ),
        (
            "swapped",
            (
                "swapped(Size { wide: 0, high: 0 })",
                "it does not return Size { wide: 0, high: 0 }",
            ),
            "s.wide / 1 + 0",
        ),
    ] {
        let reference = format!("--reference-function={function}_ref");
        let ask = ["mutate", "--function", function, &reference];
        let run = subject.nopol(&[&ask[..], &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{function}: {}{}", run.stdout, run.stderr);
        let found = found(&run);
        let first = &found["failing"][0];
        assert_eq!(
            (first["name"].as_str(), first["reason"].as_str()),
            (Some(failing.0), Some(failing.1)),
            "{}",
            run.stdout
        );
        assert!(
            repairs(&found).contains(&repair.to_owned()),
            "{}",
            run.stdout
        );
    }
    // Without a reference it only must not fail.
    let run = subject.nopol(&["mutate", "--function", "wrong"]);
    assert!(
        run.stdout
            .contains("\n`wrong(0)` fails: a number is divided by zero\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_cannot_be_made_up_or_compared_is_refused_for_its_reason() {
    let text = "pub fn first(v: &[u8]) -> u8 { v[0] }\npub fn some(o: Option<&u8>) -> bool { o.is_some() }\n\
                pub struct Node { next: Option<Box<Node>> }\npub fn end(n: Node) -> bool { n.next.is_none() }\n\
                pub fn wide(x: u8) -> [u64; 2] { [x as u64, 1] }\npub fn pair(x: u8) -> (u8, u8) { (x, x) }\npub fn other(x: u8) -> (u8, bool) { (x, true) }\n";
    let subject = Subject::lib(text);
    let pointer =
        |name: &str| format!("`{name}` takes a pointer or a reference to memory that is not known");
    for (function, reference, said, code) in [
        ("first", "first", pointer("first"), 4),
        ("some", "some", pointer("some"), 4),
        ("end", "end", pointer("end"), 4),
        (
            "wide",
            "wide",
            "`wide` returns `[u64; 2]`, and only results of at most 64 bits".to_owned(),
            4,
        ),
        (
            "pair",
            "other",
            "do not have the same parameters and result".to_owned(),
            2,
        ),
    ] {
        let run = subject.nopol(&[
            "mutate",
            "--function",
            function,
            "--reference-function",
            reference,
        ]);
        assert_eq!(run.code, code, "{function}: {}", run.stdout);
        assert!(run.stderr.contains(&said), "{}", run.stderr);
    }
}
