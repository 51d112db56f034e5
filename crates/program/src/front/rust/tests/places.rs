//! Places: which statements may be wrong, where they are, and how they are written.

use std::collections::HashMap;

use super::{LIMITS, read};
use crate::interpret::{Angelic, End, run};
use crate::ir::{Entry, PlaceKind, Program};
use crate::position::Positions;

/// The places of a program: kind, line and column, the text of the expression, and that of the statement.
fn places(text: &str) -> Vec<String> {
    let (program, _) = read(text, &["t"]).unwrap_or_else(|outside| panic!("{outside}"));
    let show = |place: &crate::ir::Place| {
        let expr = &text[place.span.start as usize..place.span.end as usize];
        let (line, column) = (place.line, place.column);
        format!("{:?} {line}:{column} [{expr}] {}", place.kind, place.text)
    };
    program.places.iter().map(show).collect()
}

const SAMPLE: &str = "\
const LIMIT: i32 = 10;
const SIZE: usize = 2;
struct P { x: i32, y: i32 }
fn add(a: i32, b: i32) -> i32 { a + b }
fn f(n: i32) -> i32 {
    let mut x: i32 =
        n + 1;
    if x > LIMIT
        && n > 0 {
        return 5;
    }
    while x < 10 { x += 2; }
    let p = P { x, y: 2 };
    let xs = [0; SIZE];
    x = add(p.x * 2, p.y + xs[0]);
    let z = if x == 3 { 7 } else { n };
    match z {
        1 => 100,
        k if k > 5 => k - 1,
        _ => add(n, 3),
    }
}
#[cfg(test)]
mod tests {
    fn helper() -> i32 { 7 }
    #[test]
    fn t() {
        let x = 3 + 4;
        if x == 7 { assert_eq!(super::f(x), helper() - 1); }
    }
}
";

#[test]
fn statements_that_may_be_wrong_are_places() {
    let text = SAMPLE
        .replace("mod tests {", "mod m {")
        .replace("super::f", "f");
    let (program, _) = read(&text, &["m::t"]).unwrap();
    let shown: Vec<String> = program
        .places
        .iter()
        .map(|place| {
            let expr = &text[place.span.start as usize..place.span.end as usize];
            let expr = expr.split_whitespace().collect::<Vec<_>>().join(" ");
            format!(
                "{:?} {}:{} [{expr}] {}",
                place.kind, place.line, place.column, place.text
            )
        })
        .collect();
    let expected = [
        "Value 6:9 [n + 1] let mut x: i32 = n + 1;",
        "Value 1:20 [10] const LIMIT: i32 = 10;",
        "Condition 8:8 [x > LIMIT && n > 0] if x > LIMIT && n > 0",
        "Return 10:16 [5] return 5;",
        "Condition 12:11 [x < 10] while x < 10",
        "Value 12:20 [x += 2] x += 2;",
        "Value 13:17 [x] let p = P { x, y: 2 };",
        "Value 13:23 [2] let p = P { x, y: 2 };",
        "Value 15:13 [p.x * 2] x = add(p.x * 2, p.y + xs[0]);",
        "Value 15:22 [p.y + xs[0]] x = add(p.x * 2, p.y + xs[0]);",
        "Value 15:9 [add(p.x * 2, p.y + xs[0])] x = add(p.x * 2, p.y + xs[0]);",
        "Condition 16:16 [x == 3] if x == 3",
        "Value 16:25 [7] 7",
        "Value 16:36 [n] n",
        "Value 17:11 [z] match z",
        "Return 18:14 [100] 1 => 100",
        "Condition 19:14 [k > 5] if k > 5",
        "Return 19:23 [k - 1] k if k > 5 => k - 1",
        "Return 20:14 [add(n, 3)] _ => add(n, 3)",
        "Return 4:33 [a + b] a + b",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn columns_count_characters() {
    let text = "fn f() -> i32 { /* größer ≥ */ 1 }\n#[test] fn t() { f(); }";
    assert_eq!(places(text), ["Return 1:32 [1] 1"]);
    let text = format!("\u{feff}#!/usr/bin/env run\n{text}");
    assert_eq!(places(&text), ["Return 2:32 [1] 1"]);
}

#[test]
fn results_of_many_cells_have_a_place_for_each() {
    let text = "\
fn f(n: i32) -> Option<i32> {
    if n > 0 { return None; }
    Some(n - 1)
}
#[test] fn t() { f(1); }";
    let expected = [
        "Condition 2:8 [n > 0] if n > 0",
        "Return 2:23 [None] return None;",
        "Return 3:10 [n - 1] Some(n - 1)",
        "Return 3:5 [Some(n - 1)] Some(n - 1)",
    ];
    assert_eq!(places(text), expected);
}

#[test]
fn ranges_of_loops_are_places() {
    let text = "fn f(n: u8) { for i in 1..n + 1 { let _x = i; } }\n#[test] fn t() { f(1); }";
    let expected = [
        "Value 1:24 [1] for i in 1..n + 1",
        "Value 1:27 [n + 1] for i in 1..n + 1",
        "Value 1:44 [i] let _x = i;",
    ];
    assert_eq!(places(text), expected);
}

#[test]
fn constants_in_lengths_are_no_places() {
    let text = "\
const A: usize = 2;
const B: usize = A + 1;
const C: usize = 5;
fn f(xs: [u8; B]) -> usize { let _ = xs; A + B + C }
#[test] fn t() { assert_eq!(f([0; B]), 10); }";
    let expected = [
        "Value 3:18 [5] const C: usize = 5;",
        "Return 4:42 [A + B + C] A + B + C",
    ];
    let mut found = places(text);
    found.sort_by_key(|place| place.starts_with("Return"));
    assert_eq!(found, expected);
}

/// Whether another value at one evaluation of a place makes the test pass.
fn is_repaired(program: &Program, tests: &[crate::ir::Test], place: usize, value: i128) -> bool {
    let mut positions = Positions::default();
    let first = run(program, &tests[0], &LIMITS, &mut positions, &HashMap::new());
    let at = first.evaluated.iter().map(|evaluated| evaluated.instance);
    let unfinished = first.unfinished.iter().copied();
    let instance = at
        .chain(unfinished)
        .find(|at| at.place.number() as usize == place);
    let angelic = HashMap::from([(instance.unwrap(), Angelic { value, index: None })]);
    run(program, &tests[0], &LIMITS, &mut positions, &angelic).end == End::Passed
}

#[test]
fn another_value_repairs_a_test() {
    let text = "\
fn first(xs: &[i32], n: usize) -> i32 {
    let at = n.checked_sub(2).unwrap();
    xs[at]
}
#[test] fn t() { assert_eq!(first(&[4, 5], 1), 5); }";
    let (program, tests) = read(text, &["t"]).unwrap();
    assert!(matches!(tests[0].entry, Entry::Function(_)));
    let kinds: Vec<PlaceKind> = program.places.iter().map(|place| place.kind).collect();
    assert_eq!(kinds, [PlaceKind::Value, PlaceKind::Return]);
    // What the value needs is a part of its place, so that its panic does not matter.
    assert!(is_repaired(&program, &tests, 0, 1));
    assert!(!is_repaired(&program, &tests, 0, 0));
}

#[test]
fn what_is_marked_skip_has_no_places() {
    let text = "\
// nopol: skip
fn g(n: i32) -> bool { n > 5 }
fn f(n: i32) -> bool { g(n) && m::h(n) }
// nopol: skip
mod m {
    pub fn h(n: i32) -> bool { n < 9 }
}
#[test]
fn t() { assert!(f(6)); }
";
    let (program, _) = read(text, &["t"]).unwrap();
    let lines: Vec<u32> = program.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [3]);
}
