//! Values for which a patch overflows, of edits that are made of recorded values and of those that are made of the text.

use crate::common::Subject;

const ROOT: &str = r"
/// The greatest number whose square is at most `n`.
pub fn root(n: u64) -> u64 {
    let mut low = 0;
    let mut high = n + 1;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if middle * middle < n {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
#[test] fn zero() { assert_eq!(root(0), 0); }
#[test] fn two() { assert_eq!(root(2), 1); }
#[test] fn four() { assert_eq!(root(4), 2); }
#[test] fn eight() { assert_eq!(root(8), 2); }
#[test] fn nine() { assert_eq!(root(9), 3); }
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_product_that_overflows_is_named_although_the_old_condition_has_it_and_no_caller_chooses_it() {
    let args = ["--no-cache", "--format", "json", "--top", "1"];
    let report = Subject::lib(ROOT).nopol(&args).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "middle * middle <= n");
    let why = patch["why"].as_str().unwrap();
    assert!(
        why.ends_with(
            "computing `middle * middle` would overflow with `middle` = 4294967296; no recorded context has this value, and it \
             may be impossible; the old condition fails there, too"
        ),
        "{why}"
    );
}

const SUM: &str = r"
pub fn total(a: u8, b: u8) -> u8 {
    a - b
}
#[test] fn first() { assert_eq!(total(3, 0), 3); }
#[test] fn second() { assert_eq!(total(3, 2), 5); }
#[test] fn third() { assert_eq!(total(7, 1), 8); }
";

#[test]
#[ignore = "make test-full: it takes long"]
fn what_is_made_of_the_text_alone_is_said_to_overflow_too() {
    let args = [
        "--no-cache",
        "--format",
        "json",
        "--top",
        "1",
        "--kind",
        "arithmetic",
    ];
    let report = Subject::lib(SUM).nopol(&args).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "a + b");
    let why = patch["why"].as_str().unwrap();
    assert!(
        why.ends_with(
            "computing `a + b` overflows with `a` = 255, `b` = 1; no values were recorded there"
        ),
        "{why}"
    );
}

/// A value that is looked up is not an operand, so its values are not recorded.
const AGES: &str = r"
use std::collections::HashMap;
pub fn is_old(born: &HashMap<u32, (u64, String)>, key: u32, now: u64, most: u64) -> bool {
    let Some((at, _)) = born.get(&key) else { return true };
    if now - at > most {
        return true;
    }
    false
}
#[cfg(test)]
mod tests {
    use super::*;
    fn born() -> HashMap<u32, (u64, String)> { HashMap::from([(1, (5, String::new()))]) }
    #[test] fn young() { assert!(!is_old(&born(), 1, 6, 10)); }
    #[test] fn just() { assert!(is_old(&born(), 1, 15, 10)); }
    #[test] fn old() { assert!(is_old(&born(), 1, 16, 10)); }
    #[test] fn unknown() { assert!(is_old(&born(), 2, 16, 10)); }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_difference_with_what_a_caller_chooses_is_named_though_its_operands_were_not_recorded() {
    let args = ["--no-cache", "--format", "json", "--top", "1"];
    let report = Subject::lib(AGES).nopol(&args).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "now - at >= most");
    let why = patch["why"].as_str().unwrap();
    assert!(
        why.ends_with(
            "computing `now - at` would overflow with `now` = 0, `at` = 1; no values were recorded there, and they may be \
             impossible; the old condition fails there, too"
        ),
        "{why}"
    );
}

const TOTAL: &str = r"
pub fn folded(data: &[u8]) -> u8 {
    let mut sum = 0u8;
    for &b in data {
        if sum + b > 200 { sum = 0; }
        sum += b;
    }
    sum
}
#[test] fn few() { assert_eq!(folded(&[1, 2, 3]), 6); }
#[test] fn most() { assert_eq!(folded(&[100, 99, 1]), 1); }
#[test] fn more() { assert_eq!(folded(&[100, 90, 20]), 20); }
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_sum_in_eight_bits_is_named_though_no_caller_chooses_it() {
    let args = ["--no-cache", "--format", "json", "--top", "1"];
    let report = Subject::lib(TOTAL).nopol(&args).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "sum + b >= 200");
    let why = patch["why"].as_str().unwrap();
    assert!(
        why.contains("computing `sum + b` would overflow with "),
        "{why}"
    );
}
