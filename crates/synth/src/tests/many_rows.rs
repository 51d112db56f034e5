//! Specs of more rows than one search looks at.

use super::*;

/// Two numbers and a flag at each of `rows` evaluations; hardly one row tells `a <= b` from `a < b`.
fn ordered(rows: i128, expected: impl Fn(i128, i128, bool) -> bool, hard: bool) -> Problem {
    let mut problem = Problem::default()
        .term("a", Type::Int(IntType::I32), Origin::Variable)
        .term("b", Type::Int(IntType::I32), Origin::Variable)
        .term("open", Type::Bool, Origin::Variable);
    for row in 0..rows {
        let a = row * 7919 % 3001;
        let b = match row {
            4321 => a,
            _ => (row * 104_729 + 1) % 2999 + row % 2 * 3002,
        };
        let open = row % 97 != 5;
        let values = [i32(a), i32(b), Some(Value::Bool(open))];
        let outcome = expected(a, b, open);
        problem = match hard {
            true => problem.row(&values, outcome),
            false => problem.soft(&values, outcome, 1),
        };
    }
    problem
}

#[test]
fn a_single_row_among_thousands_decides() {
    let exclusive = ordered(6000, |a, b, _| a < b, true);
    assert_eq!(exclusive.answers()[0], "a < b");
    assert!(!exclusive.answers().contains(&"a <= b".to_owned()));
    let inclusive = ordered(6000, |a, b, _| a <= b, true);
    assert_eq!(inclusive.answers()[0], "a <= b");
}

#[test]
fn a_second_clause_is_found_and_every_candidate_holds_in_all_rows() {
    let problem = ordered(6000, |a, b, open| open && a < b, true);
    let candidates = problem.solve().candidates;
    assert!(!candidates.is_empty());
    for candidate in &candidates {
        let holds = |row: &Row| candidate.expr.eval_bool(row) == Some(row.expected);
        assert!(problem.spec.rows.iter().all(holds));
    }
    assert_eq!(problem.answers()[0], "open && a < b");
}

#[test]
fn the_weight_of_violated_rows_is_that_of_all_rows() {
    // No expression explains the soft rows, which are drawn from the row's number.
    let mut problem = ordered(6000, |a, b, _| (a + b) % 5 == 0, false)
        .row(&[i32(5000), i32(1), Some(Value::Bool(true))], true)
        .row(&[i32(1), i32(5000), Some(Value::Bool(true))], false);
    problem.spec.old = None;
    let candidates = problem.solve().candidates;
    assert_eq!(problem.answers()[0], "a > b");
    let rows = problem.spec.rows.iter().filter(|row| !row.hard);
    let wrong = rows.filter(|row| candidates[0].expr.eval_bool(row) != Some(row.expected));
    assert_eq!(candidates[0].soft_violated as usize, wrong.count());
}
