//! Crates as strangers have them: code where cargo finds it in unusual ways, and methods that must not be called.

use crate::common::{MANIFEST, Subject, strings};
use crate::shapes::first_of_each_group;

/// A root package that is no workspace.
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
