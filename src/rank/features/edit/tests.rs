//! Features of edits in small programs.

use super::*;
use crate::rank::facts::{Candidate, Failure, FunctionText};

/// The features of a condition in this function, or of an inserted one if `before` is empty. The test panics there.
fn row(function: &str, before: &str, after: &str, message: &str) -> Row {
    with_support(function, before, after, message, None)
}

/// As [`row`], with recorded contexts.
fn with_support(
    function: &str,
    before: &str,
    after: &str,
    message: &str,
    support: Option<Support>,
) -> Row {
    let is_exit = before.is_empty();
    let at = function
        .find(if is_exit { "n / d" } else { before })
        .unwrap();
    let facts = EditFacts {
        span: at..at + before.len(),
        kind: if is_exit {
            SiteKind::EarlyExit
        } else {
            SiteKind::If
        },
        panic: PanicAt::Here,
        support,
        ..EditFacts::of_condition(before, after)
    };
    let case = Case {
        failures: vec![Failure {
            message: message.to_owned(),
            ..Failure::default()
        }],
        functions: vec![FunctionText {
            text: function.to_owned(),
            ..FunctionText::default()
        }],
        candidates: vec![Candidate::default()],
        ..Case::default()
    };
    EditFeatures::new(&case, &facts).features()
}

#[test]
fn a_condition_that_tests_the_panicking_number_is_recognized() {
    let asks = |before: &str, after: &str, message: &str| {
        let function = "fn f(n: u8, d: u8) -> u8 { if n - d > 1 { return 0; } n / d }";
        row(function, before, after, message)[Feature::AsksForPanic as usize] > 0.0
    };
    assert!(asks("", "d == 0", "attempt to divide by zero"));
    assert!(!asks("", "n == 0", "attempt to divide by zero"));
    assert!(!asks("", "d == 0", "assertion failed: f(1, 0) == 1"));
    let overflow = "attempt to subtract with overflow";
    assert!(asks("n - d > 1", "n >= d && n - d > 1", overflow));
    assert!(!asks("n - d > 1", "n >= 7 && n - d > 1", overflow));
}

#[test]
fn an_early_exit_that_tests_the_panicking_number_is_recognized() {
    let asks = |code: &str, after: &str, message: &str| {
        let function = format!("fn f(n: u8, d: u8) -> u8 {{ if n == 0 {{ return 0; }} {code} }}");
        row(&function, "n == 0", after, message)[Feature::AsksForPanic as usize] > 0.0
    };
    assert!(asks("n / d", "d == 0", "attempt to divide by zero"));
    assert!(!asks("n / d", "n == 1", "attempt to divide by zero"));
    let overflow = "attempt to subtract with overflow";
    assert!(asks("*n -= d; *n", "*n < d", overflow));
    assert!(asks("*n -= 1; *n", "*n > 0", overflow));
    assert!(asks("*n -= 1; *n", "*n >= 1", overflow));
    assert!(!asks("*n -= 1; *n", "*n > 7", overflow));
    assert!(!asks("*n -= 1; *n", "d > 0", overflow));
}

#[test]
fn newly_compared_truth_values_are_recognized() {
    let compares = |before: &str, after: &str| {
        let function = format!("fn f(a: bool, b: bool, c: bool) {{ if {before} {{}} }}");
        row(&function, before, after, "")[Feature::ComparesTruth as usize] > 0.0
    };
    assert!(compares("a || b || c", "(a || b) != c"));
    assert!(!compares("a || b", "a != b"));
    assert!(!compares("(a || b) != c", "(a || b) == c"));
}

#[test]
fn a_number_of_one_context_is_singled_out() {
    let singled_out = |after: &str, contexts: u32| {
        let function = "fn f(n: u64) { if n == 0 {} let m = 8; }";
        let support = Support {
            failing: 1,
            passing: 5,
            singled_out: Some(contexts),
            ..Support::default()
        };
        let row = with_support(function, "n == 0", after, "", Some(support));
        row[Feature::NumberSingledOut as usize] > 0.0
    };
    assert!(singled_out("n == 0 || n == 9", 1));
    assert!(!singled_out("n == 0 || n == 9", 2));
    assert!(!singled_out("n == 0 || n == 8", 1));
    assert!(!singled_out("n == 0 || n > 9", 1));
    assert!(!singled_out("n == 9", 1));
}

#[test]
fn another_variable_in_a_sum_is_an_added_term() {
    let is_added = |after: &str| {
        let function = "fn f(a: usize, b: usize) { if a >= 9 {} }";
        let row = with_support(function, "a >= 9", after, "", None);
        row[Feature::TermAdded as usize] > 0.0
    };
    assert!(is_added("a + b >= 9"));
    assert!(!is_added("a + 1 >= 9"));
    assert!(is_added("a >= 9 || 9 < a + b"));
    assert!(!is_added("a >= 9 || b >= 9"));
}
