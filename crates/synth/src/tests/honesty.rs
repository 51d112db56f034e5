//! The reasons reported when nothing is found, and values at the edges of their types.

use super::*;
use crate::Answer;

fn one(ty: Type) -> Problem {
    Problem::default().term("x", ty, Origin::Variable)
}

#[test]
fn nan_is_neither_below_nor_above() {
    let problem = one(Type::F64)
        .term("y", Type::F64, Origin::Variable)
        .row(&[f64(f64::NAN), f64(1.0)], true)
        .row(&[f64(2.0), f64(1.0)], true)
        .row(&[f64(1.0), f64(1.0)], false)
        .row(&[f64(0.5), f64(1.0)], false);
    // `x > y` is false for a NaN; only the negation of `<=` is not.
    assert_eq!(
        problem.answers().first().map(String::as_str),
        Some("!(x <= y)")
    );
}

#[test]
fn zeros_of_both_signs_are_equal() {
    let problem = one(Type::F64)
        .term("y", Type::F64, Origin::Variable)
        .row(&[f64(-0.0), f64(0.0)], true)
        .row(&[f64(0.0), f64(-0.0)], true)
        .row(&[f64(-1.0), f64(0.0)], false)
        .row(&[f64(f64::INFINITY), f64(0.0)], false);
    assert_eq!(problem.answers()[0], "x == y");
}

#[test]
fn the_largest_and_smallest_integers_are_told_apart_from_their_neighbours() {
    let unsigned = |value: u128| Some(Value::Int(IntType::U128, Int::from_u128(value)));
    let (u128, i128) = (Type::Int(IntType::U128), Type::Int(IntType::I128));
    let problem = one(u128)
        .term("y", u128, Origin::Variable)
        .row(&[unsigned(u128::MAX - 1), unsigned(u128::MAX)], true)
        .row(&[unsigned(u128::MAX), unsigned(u128::MAX)], false)
        .row(&[unsigned(u128::MAX), unsigned(0)], false)
        .row(&[unsigned(0), unsigned(1)], true);
    assert_eq!(problem.answers()[0], "x < y");
    let signed = |value| int(IntType::I128, value);
    let problem = one(i128)
        .term("y", i128, Origin::Variable)
        .row(&[signed(i128::MIN), signed(i128::MIN + 1)], true)
        .row(&[signed(i128::MIN), signed(i128::MIN)], false)
        .row(&[signed(i128::MAX), signed(i128::MIN)], false)
        .row(&[signed(-1), signed(0)], true);
    assert_eq!(problem.answers()[0], "x < y");
}

#[cfg(feature = "z3")]
#[test]
fn sums_of_the_largest_integers_are_exact_in_the_solver() {
    // `x + y <= z` where 64 and even 128 bits would wrap around; where the sum leaves the type
    // the row would panic, so none does.
    let ty = IntType::I128;
    let i128 = Type::Int(ty);
    let mut problem = one(i128)
        .term("y", i128, Origin::Variable)
        .term("z", i128, Origin::Variable);
    let (low, high) = (i128::MIN, i128::MAX);
    for (x, y, z) in [
        (high, low, -1),
        (high, low, -2),
        (low, 3, low + 3),
        (low, 3, low + 2),
        (low, 3, low + 4),
        (high - 5, 5, high),
        (high - 5, 5, high - 1),
        (2, 2, 4),
        (2, 2, 3),
        (-9, 2, -7),
        (-9, 2, -8),
        (0, 0, -1),
        (5, -7, 0),
        (-7, 5, -3),
        (low, 1, -1),
        (1, low, low),
        (high, -1, high - 2),
    ] {
        problem = problem.row(&[int(ty, x), int(ty, y), int(ty, z)], x + y <= z);
    }
    let answers = problem.answers();
    let known = |answer: &String| {
        ["x + y <= z", "y + x <= z", "z >= x + y", "z >= y + x"].contains(&answer.as_str())
    };
    assert!(answers.iter().any(known), "{answers:?}");
}

#[test]
fn levels_that_are_proved_empty_say_so() {
    let synthesis = one(Type::Bool)
        .term("y", Type::Bool, Origin::Variable)
        .row(&[bool(true), bool(true)], true)
        .row(&[bool(true), bool(false)], false)
        .row(&[bool(false), bool(true)], false)
        .row(&[bool(false), bool(false)], false)
        .solve();
    assert!(!synthesis.candidates.is_empty());
    assert_eq!(synthesis.reason, None);
    if cfg!(feature = "z3") {
        assert!(
            synthesis
                .levels
                .iter()
                .any(|(_, answer)| *answer == Answer::Nothing)
        );
    }
}

#[test]
fn what_no_term_explains_is_left_unexplained() {
    // Exclusive or of three booleans is beyond every level.
    let mut problem = Problem::default();
    for name in ["a", "b", "c"] {
        problem = problem.term(name, Type::Bool, Origin::Variable);
    }
    for bits in 0..8u8 {
        let values = [0, 1, 2].map(|bit| bits >> bit & 1 == 1);
        problem = problem.row(
            &values.map(bool),
            values.iter().filter(|on| **on).count() % 2 == 1,
        );
    }
    let synthesis = problem.solve();
    assert!(synthesis.candidates.is_empty());
    assert!(synthesis.reason.is_some());
}
