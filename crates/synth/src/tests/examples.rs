//! The first candidate for bugs from the literature and from practice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::Stop;
use crate::weights::WEIGHTS;

const I32: Type = Type::Int(IntType::I32);
const USIZE: Type = Type::Int(IntType::Usize);

#[test]
fn percentile_gets_its_published_patch() {
    let problem = Problem::default()
        .term("pos", Type::F64, Origin::Old)
        .term("n", Type::F64, Origin::Old)
        .term("length", I32, Origin::Variable)
        .term("begin", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Gt, 1))
        .row(&[f64(3.0), f64(3.0), i32(3), i32(0)], true)
        .row(&[f64(0.5), f64(3.0), i32(3), i32(0)], false)
        .row(&[f64(5.0), f64(4.0), i32(4), i32(1)], true)
        .row(&[f64(2.5), f64(4.0), i32(4), i32(1)], false);
    assert_eq!(problem.answers()[0], "pos >= n");
}

#[test]
fn of_two_spellings_the_shorter_is_the_patch() {
    // `x >= high + 1` is one operator away, and means the same.
    let more = term(1).arith(ArithOp::Add, term(3));
    let problem = Problem::default()
        .term("x", I32, Origin::Old)
        .term("high", I32, Origin::Old)
        .constants(IntType::I32)
        .old(term(0).cmp(CmpOp::Gt, more))
        .row(&[i32(4), i32(9)], false)
        .row(&[i32(9), i32(9)], false)
        .row(&[i32(10), i32(9)], true)
        .row(&[i32(12), i32(9)], true);
    assert_eq!(problem.answers()[0], "x > high");
}

#[test]
fn gcd_is_not_decided_by_a_product_that_overflows() {
    let product = term(0).arith(ArithOp::Mul, term(1));
    let problem = Problem::default()
        .term("u", I32, Origin::Old)
        .term("v", I32, Origin::Old)
        .constants(IntType::I32)
        .old(product.cmp(CmpOp::Eq, term(2)))
        .row(&[i32(3_145_728), i32(98_304)], false)
        .row(&[i32(98_304), i32(3_145_728)], false)
        .row(&[i32(60_000), i32(-70_000)], false)
        .row(&[i32(-70_000), i32(60_000)], false)
        .row(&[i32(-3), i32(-5)], false)
        .row(&[i32(0), i32(17)], true)
        .row(&[i32(17), i32(0)], true)
        .row(&[i32(-17), i32(0)], true)
        .row(&[i32(0), i32(-17)], true)
        .row(&[i32(0), i32(0)], true)
        .row(&[i32(1), i32(1)], false);
    assert_eq!(problem.answers()[0], "u == 0 || v == 0");
}

fn list(with_is_empty: bool) -> Problem {
    let problem = Problem::default()
        .term("list.is_some()", Type::Bool, Origin::Query)
        .term("list.unwrap().len()", USIZE, Origin::Query)
        .term("list.unwrap().is_empty()", Type::Bool, Origin::Query)
        .constants(IntType::Usize);
    let empty = |empty: bool| if with_is_empty { bool(empty) } else { None };
    problem
        .row(&[bool(false), None, None], false)
        .row(&[bool(true), usize(0), empty(true)], false)
        .row(&[bool(true), usize(1), empty(false)], true)
        .row(&[bool(true), usize(7), empty(false)], true)
}

#[test]
fn a_payload_is_guarded_by_the_query_that_defines_it() {
    let answers = list(false).answers();
    assert_eq!(answers[0], "list.is_some() && list.unwrap().len() > 0");
    let answers = list(true).answers();
    assert_eq!(answers[0], "list.is_some() && !list.unwrap().is_empty()");
}

/// `v[i] == x`.
fn element() -> Problem {
    Problem::default()
        .term("v[i]", I32, Origin::Old)
        .term("x", I32, Origin::Old)
        .term("i", USIZE, Origin::Variable)
        .term("v.len()", USIZE, Origin::Query)
        .constants(IntType::Usize)
        .old(cmp(0, CmpOp::Eq, 1))
}

#[test]
fn a_guard_goes_before_an_old_condition_that_is_undefined_without_it() {
    let problem = element()
        .row(&[None, i32(4), usize(3), usize(3)], false)
        .row(&[None, i32(4), usize(2), usize(1)], false)
        .row(&[i32(4), i32(4), usize(2), usize(3)], true)
        .row(&[i32(5), i32(4), usize(0), usize(3)], false);
    assert_eq!(problem.answers()[0], "i < v.len() && v[i] == x");
}

#[test]
fn a_guard_goes_before_an_old_condition_that_was_false_wherever_it_is_defined() {
    let problem = element()
        .row(&[None, i32(4), usize(3), usize(3)], false)
        .row(&[i32(5), i32(4), usize(0), usize(3)], false)
        .row(&[i32(6), i32(4), usize(2), usize(3)], false);
    assert_eq!(problem.answers()[0], "i < v.len() && v[i] == x");
}

#[test]
fn what_binds_more_tightly_is_put_in_parentheses() {
    let flag = |at| term(at);
    let problem = Problem::default()
        .term("staff", Type::Bool, Origin::Old)
        .term("guest", Type::Bool, Origin::Old)
        .term("ticket", Type::Bool, Origin::Old)
        .term("open", Type::Bool, Origin::Old)
        .old(flag(0).or(flag(1).and(flag(2)).and(flag(3))))
        .row(&[bool(true), bool(false), bool(false), bool(true)], true)
        .row(&[bool(true), bool(false), bool(true), bool(false)], false)
        .row(&[bool(false), bool(true), bool(true), bool(true)], true)
        .row(&[bool(false), bool(true), bool(false), bool(true)], false)
        .row(&[bool(false), bool(true), bool(true), bool(false)], false);
    assert_eq!(problem.answers()[0], "(staff || (guest && ticket)) && open");
}

#[test]
fn a_condition_may_lack_two_clauses() {
    let eight = |at| term(at).cmp(CmpOp::Gt, term(2));
    let mut problem = Problem::default()
        .term("from", I32, Origin::Old)
        .term("to", I32, Origin::Old)
        .term("8", I32, Origin::Old)
        .constants(IntType::I32)
        .old(eight(0).or(eight(1)));
    for (from, to, expected) in [
        (0, 8, true),
        (5, 0, true),
        (9, 5, true),
        (8, 10, true),
        (8, 5, false),
        (5, 8, false),
        (1, 1, false),
        (8, 1, false),
        (1, 8, false),
        (4, 4, false),
    ] {
        problem = problem.row(&[i32(from), i32(to), i32(8)], expected);
    }
    let wanted = "((from > 8 || to > 8) || from == 0) || to == 0";
    assert_eq!(problem.answers()[0], wanted);
}

#[test]
fn an_index_off_by_one_is_an_operator_off_by_one() {
    let problem = Problem::default()
        .term("i", USIZE, Origin::Old)
        .term("len", USIZE, Origin::Old)
        .term("done", Type::Bool, Origin::Variable)
        .constants(IntType::Usize)
        .old(cmp(0, CmpOp::Le, 1))
        .row(&[usize(3), usize(3), bool(true)], false)
        .row(&[usize(0), usize(3), bool(false)], true)
        .row(&[usize(2), usize(3), bool(false)], true);
    assert_eq!(problem.answers()[0], "i < len");
}

#[test]
fn upward_preferred_of_the_paper_can_be_told_by_one_comparison() {
    // the Nopol paper, §4.1, Table 1: bias is down_sep where inhibit holds.
    let mut problem = Problem::default()
        .term("bias", I32, Origin::Old)
        .term("down_sep", I32, Origin::Old)
        .term("inhibit", Type::Bool, Origin::Variable)
        .term("up_sep", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Gt, 1));
    let table = [
        (true, 0, 100, false),
        (true, 11, 110, true),
        (false, 100, 50, true),
        (true, -20, 60, true),
        (false, 0, 10, false),
    ];
    for (inhibit, up, down, expected) in table {
        let bias = if inhibit { down } else { up };
        problem = problem.row(&[i32(bias), i32(down), bool(inhibit), i32(up)], expected);
    }
    let answers = problem.answers();
    assert!(answers.contains(&"up_sep != 0".to_owned()), "{answers:?}");
}

#[test]
fn a_new_condition_asks_whether_an_amount_is_left() {
    let guard = |values: &[(i128, bool)]| {
        let mut problem = Problem::default()
            .term("n", I32, Origin::Variable)
            .constants(IntType::I32);
        for (n, expected) in values {
            problem = problem.row(&[i32(*n)], *expected);
        }
        problem.answers().remove(0)
    };
    assert_eq!(guard(&[(0, false), (1, true), (2, true)]), "n > 0");
    // Of a flag, and of a number that may be negative, it asks whether it is set.
    assert_eq!(guard(&[(0, false), (1, true)]), "n != 0");
    assert_eq!(guard(&[(0, false), (3, true), (-2, true)]), "n != 0");
}

#[test]
fn a_number_is_made_for_one_context_if_it_decides_in_one_only() {
    // `n != 3` decides in the last context alone, although other contexts have that number.
    let mut problem = Problem::default()
        .term("is_open", Type::Bool, Origin::Old)
        .term("n", I32, Origin::Variable)
        .term("is_wide", Type::Bool, Origin::Variable)
        .old(term(0));
    problem.pool.terms.push(Term {
        constant: i32(3),
        ..Term::new(Access::literal("3".to_owned()), I32, Origin::FileLiteral)
    });
    for (is_open, n, is_wide, expected) in [
        (false, 3, true, false),
        (false, 3, true, false),
        (true, 4, true, true),
        (true, 5, true, true),
        (true, 3, false, false),
    ] {
        problem = problem.row(&[bool(is_open), i32(n), bool(is_wide)], expected);
    }
    let synthesis = problem.solve();
    let cost = |text: &str| {
        let mut all = synthesis.candidates.iter();
        let found = all.find(|it| problem.show(&it.expr) == text);
        found.map(|it| it.cost).unwrap()
    };
    let singled_out = cost("is_open && n != 3");
    assert!(singled_out > cost("is_open && is_wide") + WEIGHTS.idiom.singled_out as u32 - 1);
}

#[test]
fn the_one_number_that_is_right_is_not_singled_out() {
    let cost = |wrong: &[i128]| {
        let mut problem =
            Problem::default()
                .constants(IntType::I32)
                .term("n", I32, Origin::Variable);
        problem.pool.terms.push(Term {
            constant: i32(6),
            ..Term::new(Access::literal("6".to_owned()), I32, Origin::Mined)
        });
        problem = problem.soft(&[i32(6)], false, 1);
        for wrong in wrong {
            problem = problem.row(&[i32(*wrong)], true);
        }
        let candidates = problem.solve().candidates;
        let mut of_it = candidates
            .iter()
            .filter(|it| problem.show(&it.expr) == "n != 6");
        of_it.next().map(|it| it.cost).unwrap()
    };
    assert!(cost(&[4, 7]) + WEIGHTS.idiom.singled_out as u32 <= cost(&[4]));
}

#[test]
fn a_search_ends_soon_after_the_run_is_stopped() {
    let mut problem = Problem::default().constants(IntType::I32);
    let mut old: Option<Expr> = None;
    for number in 0..12 {
        problem = problem.term(&format!("v{number}"), I32, Origin::Old);
        let clause = cmp(3 + number, CmpOp::Gt, 0);
        old = Some(match old {
            Some(old) => old.and(clause),
            None => clause,
        });
    }
    problem.spec.old = old;
    for row in 0..200 {
        let values: Vec<_> = (0..12)
            .map(|number| i32((row * (number + 3)) % 17 - 3))
            .collect();
        problem = problem.row(&values, row % 7 == 3);
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let limits = Limits {
        stop: Stop::when(move || count.fetch_add(1, Ordering::Relaxed) >= 5),
        ..Limits::default()
    };
    let stopped = synthesize(&problem.spec, &problem.pool, &limits);
    assert!(stopped.candidates.is_empty());
    assert!(asked.load(Ordering::Relaxed) < 200, "{asked:?}");
}

#[test]
fn an_impure_condition_is_kept_and_only_joined() {
    let mut problem = Problem::default()
        .term("queue.pop().is_some()", Type::Bool, Origin::Old)
        .term("stopped", Type::Bool, Origin::Variable)
        .term("n", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(term(0))
        .row(&[bool(true), bool(true), i32(3)], false)
        .row(&[bool(true), bool(false), i32(3)], true)
        .row(&[bool(false), bool(false), i32(4)], false);
    problem.spec.old_is_impure = true;
    let synthesis = problem.solve();
    assert_eq!(problem.answers()[0], "queue.pop().is_some() && !stopped");
    for candidate in synthesis.candidates {
        let terms = candidate.expr.terms();
        assert_eq!(terms[0], TermId::new(0));
        assert_eq!(terms.iter().filter(|term| **term == terms[0]).count(), 1);
    }
}

#[test]
fn an_impure_condition_may_be_negated() {
    let mut problem = Problem::default()
        .term("next()", Type::Bool, Origin::Old)
        .old(term(0))
        .row(&[bool(true)], false)
        .row(&[bool(false)], true);
    problem.spec.old_is_impure = true;
    assert_eq!(problem.answers(), ["!next()"]);
}

#[test]
fn soft_rows_decide_between_what_the_hard_ones_leave_open() {
    let problem = Problem::default()
        .term("a", I32, Origin::Old)
        .term("b", I32, Origin::Old)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Lt, 1))
        .row(&[i32(2), i32(2)], true)
        .soft(&[i32(1), i32(2)], true, 3)
        .soft(&[i32(3), i32(2)], false, 3)
        // This row contradicts the failing test, so every candidate violates it.
        .soft(&[i32(2), i32(2)], false, 1);
    let synthesis = problem.solve();
    assert_eq!(problem.show(&synthesis.candidates[0].expr), "a <= b");
    assert_eq!(synthesis.candidates[0].soft_violated, 1);
}

#[test]
fn of_passing_tests_that_disagree_the_majority_is_explained() {
    let problem = Problem::default()
        .term("a", I32, Origin::Old)
        .term("b", I32, Origin::Old)
        .term("c", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Lt, 1))
        .row(&[i32(2), i32(2), i32(7)], true)
        .soft(&[i32(3), i32(2), i32(-1)], true, 1)
        .soft(&[i32(3), i32(2), i32(-1)], false, 9)
        .soft(&[i32(1), i32(2), i32(0)], true, 1);
    let synthesis = problem.solve();
    assert_eq!(problem.show(&synthesis.candidates[0].expr), "a <= b");
    assert_eq!(synthesis.candidates[0].soft_violated, 1);
    assert!(
        synthesis
            .levels
            .iter()
            .all(|(name, _)| !name.contains("failing tests only"))
    );
}

#[test]
fn two_edits_are_tried_where_one_does_not_do() {
    let mut problem = Problem::default()
        .term("i", I32, Origin::Old)
        .term("n", I32, Origin::Old)
        .term("k", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Lt, 1));
    for (i, n, k) in [
        (1, 2, 0),
        (2, 2, 0),
        (3, 2, 0),
        (1, 2, 5),
        (2, 2, 5),
        (2, 2, -5),
        (4, 2, 9),
    ] {
        problem = problem.row(&[i32(i), i32(n), i32(k)], i <= n && k != 0);
    }
    assert_eq!(problem.answers()[0], "i <= n && k != 0");
}

#[test]
fn what_holds_where_a_guard_ends_it_is_turned() {
    let mut problem = Problem::default()
        .term("i", I32, Origin::Old)
        .term("n", I32, Origin::Old)
        .term("a.has(i)", Type::Bool, Origin::Old)
        .old(cmp(0, CmpOp::Ge, 1).or(term(2)));
    for (i, n, c) in [(0, 2, true), (1, 2, false), (2, 2, false), (3, 2, true)] {
        problem = problem.row(&[i32(i), i32(n), bool(c)], i < n && c);
    }
    assert_eq!(problem.answers()[0], "i < n && a.has(i)");
}

#[cfg(feature = "z3")]
#[test]
fn the_solver_finds_sums_where_there_is_no_old_condition() {
    let mut problem = Problem::default()
        .term("start", I32, Origin::Variable)
        .term("count", I32, Origin::Variable)
        .term("end", I32, Origin::Variable);
    let rows = [
        (0, 3, 4),
        (0, 4, 4),
        (0, 5, 4),
        (7, 1, 9),
        (7, 2, 9),
        (7, 3, 9),
        (9, -2, 8),
        (9, -1, 8),
        (9, 0, 8),
        (-4, 9, 6),
        (-4, 10, 6),
        (-4, 11, 6),
        (20, -9, 11),
        (20, -8, 11),
        (20, -10, 11),
        (i32::MAX as i128, -1, 5),
        (i32::MIN as i128, 1, 5),
        (5, 5, -1),
        (-5, -5, -11),
    ];
    for (start, count, end) in rows {
        problem = problem.row(&[i32(start), i32(count), i32(end)], start + count <= end);
    }
    let answers = problem.answers();
    let sums = [
        "start + count <= end",
        "start <= end - count",
        "count <= end - start",
    ];
    let mirrored = [
        "end >= start + count",
        "end - count >= start",
        "end - start >= count",
    ];
    let known = |answer: &String| sums.iter().chain(&mirrored).any(|sum| sum == answer);
    assert!(answers.iter().any(known), "{answers:?}");
}

/// The constants as a letter each; the variable `c` is term 0.
fn letters(known: &[char], new: &[char]) -> Problem {
    let mut problem = Problem::default().term("c", Type::Char, Origin::Variable);
    for letter in known.iter().chain(new) {
        problem = problem.term(&format!("{letter:?}"), Type::Char, Origin::FunctionLiteral);
        let constant = problem.pool.terms.last_mut().expect("just added");
        constant.constant = Some(Value::Char(*letter));
    }
    let known = (1..).zip(known);
    let equal = known.map(|(letter, _)| cmp(0, CmpOp::Eq, letter));
    problem.old(equal.reduce(Expr::or).expect("some are known"))
}

#[test]
fn what_is_held_against_values_gets_another_one() {
    let letter = |letter: char| Some(Value::Char(letter));
    let problem = letters(&['a', 'e'], &['i', 'x'])
        .row(&[letter('a')], true)
        .row(&[letter('i')], true)
        .row(&[letter('x')], false);
    assert_eq!(problem.answers()[0], "(c == 'a' || c == 'e') || c == 'i'");
}

#[test]
fn where_every_letter_is_there_in_both_cases_so_is_a_new_one() {
    let letter = |letter: char| Some(Value::Char(letter));
    let problem = letters(&['a', 'A', 'e', 'E'], &['i', 'I', 'x'])
        .row(&[letter('a')], true)
        .row(&[letter('i')], true)
        .row(&[letter('x')], false);
    let first = &problem.answers()[0];
    assert!(first.ends_with("|| c == 'i') || c == 'I'"), "{first}");
}

#[test]
fn limits_that_are_wrong_alike_are_changed_together() {
    let problem = Problem::default()
        .term("x", I32, Origin::Old)
        .term("low", I32, Origin::Old)
        .term("high", I32, Origin::Old)
        .old(cmp(0, CmpOp::Gt, 1).and(cmp(0, CmpOp::Lt, 2)))
        .row(&[i32(3), i32(3), i32(9)], true)
        .row(&[i32(9), i32(3), i32(9)], true)
        .row(&[i32(2), i32(3), i32(9)], false)
        .row(&[i32(10), i32(3), i32(9)], false);
    assert_eq!(problem.answers()[0], "x >= low && x <= high");
}

#[test]
fn a_special_case_is_thought_of_where_one_context_is_all_there_is() {
    let problem = Problem::default()
        .term("sum", I32, Origin::Old)
        .term("n", I32, Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Le, 1))
        .row(&[i32(0), i32(5)], false);
    let first = &problem.answers()[0];
    assert_eq!(first, "sum <= n && sum != 0");
}

#[test]
fn a_clause_is_added_as_another_one_is_written() {
    let problem = Problem::default()
        .term("a[i]", I32, Origin::Old)
        .term("a[j]", I32, Origin::Old)
        .term("n", I32, Origin::Variable)
        .term("b[i]", I32, Origin::Harvested)
        .term("b[j]", I32, Origin::Harvested)
        .old(cmp(0, CmpOp::Eq, 1))
        .row(&[i32(3), i32(3), i32(7), i32(8), i32(8)], true)
        .row(&[i32(3), i32(3), i32(4), i32(8), i32(6)], false)
        .row(&[i32(5), i32(5), i32(9), i32(1), i32(1)], true)
        .row(&[i32(5), i32(4), i32(9), i32(1), i32(1)], false);
    assert_eq!(problem.answers()[0], "a[i] == a[j] && b[i] == b[j]");
}
