//! Samples: a test passes in the interpreter as it does when the sample is compiled with `rustc --test`, where those
//! whose names begin with `fails` fail, and all others pass.

use super::{end_of, read};
use crate::interpret::End;
use crate::ir::FaultKind;

/// The paths of the tests in a sample.
fn tests_in(text: &str) -> Vec<String> {
    let mut prefix = "";
    let mut is_test = false;
    let mut tests = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("mod tests") {
            prefix = "tests::";
        }
        if let Some(name) = line.strip_prefix("fn ").filter(|_| is_test) {
            let name = name.split('(').next().unwrap_or_default();
            tests.push(format!("{prefix}{name}"));
        }
        is_test = line.starts_with("#[test]") || is_test && line.starts_with("#[");
    }
    tests
}

fn check(text: &str) {
    let names = tests_in(text);
    assert!(names.len() > 1, "{names:?}");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (program, tests) = read(text, &names).unwrap_or_else(|outside| panic!("{outside}"));
    for test in &tests {
        let end = end_of(&program, test);
        let fails = test.name.trim_start_matches("tests::").starts_with("fails");
        match &end {
            End::Passed => assert!(!fails, "{} passes", test.name),
            End::Fault(kind, span) => {
                let line = text[..span.start as usize].lines().count();
                assert!(fails, "{} fails in line {line}: {kind}", test.name);
            }
            other => panic!("{} ends with {other:?}", test.name),
        }
    }
}

#[test]
fn numbers_have_a_greatest_common_divisor() {
    check(include_str!("samples/gcd.rs"));
}

#[test]
fn slices_are_searched_and_sorted() {
    check(include_str!("samples/search.rs"));
}

#[test]
fn triangles_are_classified() {
    check(include_str!("samples/triangle.rs"));
}

#[test]
fn aircraft_are_advised() {
    check(include_str!("samples/tcas.rs"));
}

#[test]
fn options_are_values() {
    check(include_str!("samples/options.rs"));
}

#[test]
fn integers_calculate_as_they_should() {
    check(include_str!("samples/integers.rs"));
}

#[test]
fn flow_goes_where_it_should() {
    check(include_str!("samples/flow.rs"));
}

#[test]
fn structures_have_methods() {
    check(include_str!("samples/structs.rs"));
}

#[test]
fn faults_say_what_went_wrong() {
    let kind = |body: &str| {
        let text = format!("fn id(x: i32) -> i32 {{ x }}\n#[test] fn t() {{ {body}; }}");
        match super::end(&text) {
            End::Fault(kind, _) => kind,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(kind("assert!(id(1) == 2)"), FaultKind::Assertion);
    assert_eq!(kind("panic!()"), FaultKind::Panic);
    assert_eq!(
        kind("let x: Option<i32> = None; x.unwrap()"),
        FaultKind::Panic
    );
    assert_eq!(kind("id(i32::MAX) + 1"), FaultKind::Overflow);
    assert_eq!(kind("1 / id(0)"), FaultKind::DivisionByZero);
    assert_eq!(kind("1 << id(32)"), FaultKind::Shift);
    assert_eq!(
        kind("let xs = [1, 2]; xs[id(2) as usize]"),
        FaultKind::OutOfBounds
    );
}

#[test]
fn corners_are_turned() {
    check(include_str!("samples/corners.rs"));
}
