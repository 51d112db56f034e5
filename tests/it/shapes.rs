//! Shapes of Rust code that instrumentation must survive, and options that choose among sites.

use serde_json::Value;

use crate::common::{GRADES, MANIFEST, Run, Subject, strings};

pub fn patched(subject: &Subject, args: &[&str]) -> Value {
    let run = subject.nopol(&[&["--format", "json"], args].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    run.json()
}

pub fn first_condition(report: &Value) -> &str {
    report["patches"][0]["edits"][0]["condition"]
        .as_str()
        .unwrap()
}

/// Sites as `LINE:COLUMN TEXT` from `cargo nopol list`.
pub fn sites(run: &Run) -> Vec<String> {
    let report = run.json();
    let sites = report["sites"].as_array().unwrap();
    sites
        .iter()
        .map(|site| {
            format!(
                "{} {}",
                site["kind"].as_str().unwrap(),
                site["text"].as_str().unwrap()
            )
        })
        .collect()
}

/// Code that is hard to instrument, with one failing test for each of several faults.
const SHAPES: &str = r##"
#![forbid(unsafe_code)]
use std::cell::Cell;
use std::collections::HashMap;

pub const fn half(n: u32) -> u32 { if n > 1 { n / 2 } else { 0 } }
pub static TABLE: [u32; 2] = [half(2), if half(8) > 3 { 1 } else { 0 }];

#[derive(Debug, Default, Clone)]
pub struct Node<'a, T: Clone> {
    pub name: &'a str,
    value: Option<T>,
    next: Option<Box<Node<'a, T>>>,
    visits: Cell<u32>,
}

impl<'a, T: Clone + PartialOrd> Node<'a, T> {
    pub fn find(&self, wanted: &T) -> Option<&Node<'a, T>> {
        let mut at = Some(self);
        while let Some(node) = at && node.visits.get() < 100 {
            if let Some(value) = &node.value && value == wanted { return Some(node); }
            node.visits.set(node.visits.get() + 1);
            at = node.next.as_deref();
        }
        None
    }
}

#[repr(packed)]
pub struct Packed { pub a: u8, pub b: u32 }
pub union Bits { pub a: u32, pub b: f32 }

pub fn late(flag: bool) -> String {
    let text;
    if flag { text = String::from("a"); } else { text = "b".to_string(); }
    text
}

pub fn moved(items: Vec<u32>, flag: bool) -> usize {
    let kept = items;
    if flag { drop(kept); return 0; }
    let n = kept.len();
    consume(kept);
    if n > 2 { return n; }
    match n { 0 => 7, k if k > 1 && flag => k, k if { let q = k; q == 1 } => 9, _ => 3 }
}
fn consume(_: Vec<u32>) {}

pub fn question(text: &str) -> Result<i32, std::num::ParseIntError> {
    if text.parse::<i32>()? > 3 { return Ok(1); }
    let big = |x: &i32| -> bool { if *x > 2 { true } else { false } };
    Ok([1, 2, 3].iter().filter(|x| big(x)).count() as i32)
}

pub async fn later(n: u32) -> u32 {
    if other(n).await > 3 { other(1).await; return 2; }
    other(n).await
}
async fn other(n: u32) -> u32 { n }
pub fn is_send() { fn send<T: Send>(_: T) {} send(later(1)); }

pub fn position(rows: &[Vec<i32>]) -> Option<(usize, usize)> {
    'rows: for (i, row) in rows.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            if *x < 0 { continue 'rows; }
            if *x == 7 { return Some((i, j)); }
        }
    }
    None
}

pub fn full(map: &mut HashMap<String, Vec<u8>>, key: &str) -> bool {
    if map.is_empty() || !map.contains_key(key) { map.insert(key.to_owned(), vec![]); return true; }
    let Some(list) = map.get_mut(key) else { return false };
    list.push(b'x');
    if list.len() as u32 > 2u32 && matches!(list[0], b'a'..=b'z') { list.clear(); }
    list.is_empty()
}

pub trait Shape {
    fn area(&self) -> f64;
    fn big(&self) -> bool { if self.area() > 10.0 { return true; } false }
}
impl Shape for f64 { fn area(&self) -> f64 { *self } }

pub fn infer() -> u64 {
    let mut n = 0;
    let mut list = Vec::new();
    if list.len() > 3 { n += 1; }
    list.push(n);
    let k = "5".parse().unwrap_or(3);
    if k > 2 { n = k; }
    n
}

macro_rules! made { ($n:ident) => { pub fn $n(x: i32) -> i32 { if x > 3 { 1 } else { 2 } } } }
made!(by_macro);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_runs() {
        let node = Node { name: "a", value: Some(1), next: Some(Box::new(Node { name: "b", value: Some(2), ..Default::default() })), visits: Cell::new(0) };
        assert!(node.find(&2).is_some());
        assert_eq!(late(true), "a");
        assert_eq!(late(false), "b");
        assert_eq!(moved(vec![1, 2, 3], false), 3);
        assert_eq!(moved(vec![1], false), 9);
        assert_eq!(question("4"), Ok(1));
        is_send();
        assert_eq!(position(&[vec![1, -1], vec![7]]), Some((1, 0)));
        let mut map = HashMap::new();
        assert!(full(&mut map, "a"));
        assert!(!full(&mut map, "a"));
        assert_eq!(infer(), 5);
        assert!(11.0f64.big());
        assert_eq!(by_macro(4), 1);
        assert_eq!(half(4), 2);
    }

    #[test]
    fn an_early_return() {
        assert_eq!(moved(vec![1, 2], false), 2);
        assert_eq!(moved(vec![], false), 7);
    }

    #[test]
    fn a_let_chain() {
        let node = Node { name: "a", value: Some(1), next: None, visits: Cell::new(100) };
        assert!(node.find(&1).is_some());
        node.visits.set(101);
        assert!(node.find(&1).is_none());
    }

    #[test]
    fn a_cast() {
        let mut map = HashMap::new();
        map.insert("k".to_string(), vec![b'a']);
        assert!(full(&mut map, "k"));
        map.insert("k".to_string(), vec![]);
        assert!(!full(&mut map, "k"));
    }

    #[test]
    fn a_provided_method() {
        assert!(10.0f64.big());
        assert!(!9.0f64.big());
    }
}
"##;

#[test]
fn code_of_every_shape_is_instrumented_and_repaired() {
    let cast = "list.len() as u32 >= 2u32 && matches!(list[0], b'a'..=b'z')";
    are_repaired(&[
        ("a_let_chain", &["node.visits.get() <= 100"]),
        ("a_cast", &[cast]),
    ]);
}

#[test]
#[ignore = "make test-full: other faults of the same crate"]
fn code_of_every_shape_is_repaired_of_its_other_faults() {
    are_repaired(&[
        ("an_early_return", &["n >= 2", "n > 1", "k > 1"]),
        ("a_provided_method", &["self.area() >= 10.0"]),
    ]);
}

/// For each failing test the first patch is one of these conditions.
fn are_repaired(cases: &[(&str, &[&str])]) {
    let manifest = MANIFEST.replace("2021", "2024");
    let subject = Subject::new(&[("Cargo.toml", &manifest), ("src/lib.rs", SHAPES)]);
    for (test, good) in cases {
        let report = patched(&subject, &["--failing", &format!("tests::{test}")]);
        let first = first_condition(&report);
        assert!(good.contains(&first), "{test}: {first}");
        assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
    }
}

#[test]
fn marked_functions_and_modules_and_tests_have_no_sites() {
    let subject = Subject::lib(
        r"
        pub const fn constant(n: u32) -> u32 { if n > 1 { 1 } else { 0 } }
        // nopol: skip
        pub fn marked(n: u32) -> u32 { if n > 2 { 1 } else { 0 } }
        /// With a comment.
        // nopol: skip
        #[inline]
        pub fn marked_too(n: u32) -> u32 { if n > 3 { 1 } else { 0 } }
        // nopol: skip
        pub mod module { pub fn inside(n: u32) -> u32 { if n > 4 { 1 } else { 0 } } }
        pub fn here(n: u32) -> u32 { if n > 5 { 1 } else if n > 6 { 2 } else { 0 } }
        #[cfg(test)] fn helper(n: u32) -> bool { if n > 7 { true } else { false } }
        #[test] fn test() { if here(7) == 2 { panic!(); } assert!(helper(8)); }
        ",
    );
    let run = subject.nopol(&["list", "--format", "json"]);
    let here = ["condition n > 1", "condition n > 5", "condition n > 6"];
    assert_eq!(sites(&run), here);
    assert_eq!(strings(&run.json()["tests"]), ["subject::subject::test"]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn sites_can_be_chosen_by_kind_and_file() {
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", GRADES),
        (
            "src/main.rs",
            "fn main() { let mut n = 1; if n > 3 { n = 2; } n += 1; drop(n); }",
        ),
    ]);
    let list =
        |args: &[&str]| sites(&subject.nopol(&[&["list", "--format", "json"], args].concat()));
    assert_eq!(
        list(&["--file", "src/lib.rs"]),
        [
            "condition score > needed",
            "expression true",
            "expression false"
        ]
    );
    let ways_out = list(&["--file", "src/lib.rs", "--kind", "guard"]);
    assert!(ways_out.contains(&"guard return false;".to_owned()));
    assert_eq!(
        list(&["--exclude-file", "src/lib.rs", "--kind", "condition"]),
        ["condition n > 3"]
    );
    let preconditions = list(&["--kind", "precondition"]);
    assert_eq!(
        preconditions,
        [
            "precondition n = 2;",
            "precondition n += 1;",
            "precondition drop(n);"
        ]
    );

    let run = subject.nopol(&["--kind", "precondition", "--exclude-file", "src/no.rs"]);
    assert_eq!(
        run.code, 1,
        "no statement's skipping cures it: {}",
        run.stdout
    );
    assert!(
        run.stderr
            .contains("no source file matches --exclude-file src/no.rs"),
        "{}",
        run.stderr
    );
    let run = subject.nopol(&["--file", "src/main.rs"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
}

#[test]
fn localize_shows_angelic_sites_and_synthesizes_nothing() {
    let subject = Subject::lib(GRADES);
    let run = subject.nopol(&["localize", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["outcome"], "localized");
    let sites = report["sites"].as_array().unwrap();
    let condition = sites.iter().find(|site| site["text"] == "score > needed");
    let angelic = &condition.unwrap()["angelic"][0];
    assert_eq!(angelic["constant"], true);
    assert_eq!(
        angelic["test"],
        "subject::subject::tests::just_enough_is_enough"
    );
    assert_eq!(report["patches"].as_array().unwrap().len(), 0);
    assert!(
        report["phases"]
            .as_array()
            .unwrap()
            .iter()
            .all(|phase| phase["name"] != "synthesizing")
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn edition_2015_byte_order_marks_and_crlf_are_kept_as_they_are() {
    let text = format!(
        "\u{feff}{}",
        GRADES
            .replace("use super::passes", "use super::*")
            .replace('\n', "\r\n")
    );
    let subject = Subject::new(&[
        ("Cargo.toml", &MANIFEST.replace("2021", "2015")),
        ("src/lib.rs", &text),
    ]);
    subject.commit();
    let report = patched(&subject, &["--apply"]);
    assert_eq!(first_condition(&report), "score >= needed");
    assert_eq!(report["applied"], 1);
    assert_eq!(
        subject.read("src/lib.rs"),
        text.replace("score > needed", "score >= needed")
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn tests_that_pass_only_in_processes_of_their_own_hold_back_no_patch() {
    let text = format!(
        "{GRADES}
#[cfg(test)]
mod alone {{
    use std::sync::atomic::{{AtomicBool, Ordering}};
    static USED: AtomicBool = AtomicBool::new(false);
    #[test]
    fn first() {{
        assert!(!USED.swap(true, Ordering::Relaxed));
    }}
    #[test]
    fn second() {{
        assert!(!USED.swap(true, Ordering::Relaxed));
    }}
}}
"
    );
    let subject = Subject::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &text)]);
    let report = patched(&subject, &[]);
    assert_eq!(first_condition(&report), "score >= needed");
    assert_eq!(report["warnings"], serde_json::json!([]));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_that_breaks_a_doctest_is_not_shown() {
    // Whether `>=` or `!=` is right the unit tests do not tell, but the example does.
    let text = r"
        //! ```
        //! assert!(!subject::over(4, 5));
        //! ```
        pub fn over(n: u32, most: u32) -> bool { if n > most { true } else { false } }
        #[test] fn the_same() { assert!(over(5, 5)); }
        #[test] fn more() { assert!(over(6, 5)); }
        #[test] fn far_less() { assert!(!over(0, 5)); }
    ";
    let report = patched(&Subject::lib(text), &["--top", "50"]);
    for patch in report["patches"].as_array().unwrap() {
        let condition = patch["edits"][0]["condition"].as_str().unwrap();
        assert_ne!(condition, "n > 0");
        assert_ne!(condition, "n != 0");
    }
    assert_eq!(first_condition(&report), "n >= most");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_crate_that_denies_what_this_compiler_reports_is_repaired_with_lints_capped() {
    // Only the example, whose test needs the library, tells a patch from `n > 0`.
    let text = r"
        //! ```
        //! assert!(!subject::over(4, 5));
        //! ```
        #![deny(unused_variables)]
        pub fn over(n: u32, most: u32) -> bool { let denied = 1; if n > most { true } else { false } }
        #[test] fn the_same() { assert!(over(5, 5)); }
        #[test] fn more() { assert!(over(6, 5)); }
        #[test] fn far_less() { assert!(!over(0, 5)); }
    ";
    let subject = Subject::lib(text);
    let denied = subject.cargo_test(&[]);
    assert!(
        denied.stderr.contains("error: unused variable"),
        "{}",
        denied.stderr
    );
    let report = patched(&subject, &["--top", "50"]);
    assert_eq!(first_condition(&report), "n >= most");
    for patch in report["patches"].as_array().unwrap() {
        assert_ne!(patch["edits"][0]["condition"], "n > 0");
    }
    let warnings = strings(&report["warnings"]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("warnings are switched off"),
        "{warnings:?}"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_condition_with_side_effects_is_still_evaluated_once_and_first() {
    let text = r"
        pub fn evens(mut items: std::vec::IntoIter<u32>, limit: u32) -> Vec<u32> {
            let mut found = Vec::new();
            let mut next = 0;
            while { next = items.next().unwrap_or(0); next != 0 } {
                if next % 2 == 0 { found.push(next); }
            }
            let _ = next;
            found
        }
        fn take(list: &[u32], limit: u32) -> Vec<u32> { evens(list.to_vec().into_iter(), limit) }
        #[test] fn all() { assert_eq!(take(&[1, 2, 4], 5), [2, 4]); }
        #[test] fn none() { assert_eq!(take(&[1, 3], 5), []); }
        #[test] fn some() { assert_eq!(take(&[2, 4, 6, 8], 8), [2, 4, 6, 8]); }
        #[test] fn up_to_the_first_big_one() { assert_eq!(take(&[2, 1000, 4], 5), [2]); }
        #[test] fn up_to_another() { assert_eq!(take(&[2, 4, 2000, 6], 7), [2, 4]); }
    ";
    let report = patched(&Subject::lib(text), &["--kind", "condition"]);
    let old = "{ next = items.next().unwrap_or(0); next != 0 }";
    assert_eq!(first_condition(&report), format!("{old} && next <= limit"));
    for patch in report["patches"].as_array().unwrap() {
        let after = patch["edits"][0]["after"].as_str().unwrap();
        assert_eq!(after.matches("items.next()").count(), 1, "{after}");
        assert!(
            after
                .trim_start_matches(['!', '('])
                .starts_with("{ next = items"),
            "{after}"
        );
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn features_and_test_arguments_are_passed_on() {
    let manifest = format!("{MANIFEST}\n[features]\nlenient = []\n");
    let text = GRADES.replace(
        "    #[test]\n    fn just",
        "    #[cfg(feature = \"lenient\")]\n    #[test]\n    fn just",
    );
    let subject = Subject::new(&[("Cargo.toml", &manifest), ("src/lib.rs", &text)]);
    let run = subject.nopol(&["--format", "json"]);
    assert_eq!(run.json()["outcome"], "nothing-to-repair");
    let report = patched(&subject, &["--features", "lenient"]);
    assert_eq!(first_condition(&report), "score >= needed");
    let run = subject.nopol(&[
        "--all-features",
        "--format",
        "json",
        "--",
        "--skip",
        "just_enough",
    ]);
    assert_eq!(run.json()["outcome"], "nothing-to-repair");
}
