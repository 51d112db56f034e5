//! The text of small problems, and answers read back.

use super::*;
use crate::exchange::problem::tests::problem;

const TOTAL: &str = r#"{"variables": [{"name": "i", "type": "i64"}, {"name": "n", "type": "usize"},
        {"name": "s.ok()", "type": "bool"}, {"name": "f", "type": "f64"}],
    "literals": [-1, 2],
    "contexts": [{"values": [-3, 4, true, 0.5], "expected": true},
        {"values": [1, 1, false, "inf"], "expected": false},
        {"values": [1, 1, false, 1], "expected": true, "hard": false}]}"#;

const PARTIAL: &str = r#"{"variables": [{"name": "e", "type": "i8", "optional": true},
        {"name": "b", "type": "bool"}],
    "contexts": [{"values": [1, true], "expected": true}, {"values": [null, false], "expected": false},
        {"values": [2, true], "expected": false}], "any_of": [[0, 2]]}"#;

#[test]
fn where_all_is_defined_the_condition_is_a_bool() {
    let infinity = format!("2{}.0", "0".repeat(308));
    let expected = format!(
        "; SyGuS-IF 2.1: a condition that explains 2 contexts
(set-logic LIRA)
(synth-fun condition ((|s.ok(): bool| Bool) (|i: i64| Int) (|n: usize| Int) (|f: f64| Real))
  Bool
  ((Truth Bool) (Of_i64 Int) (Of_usize Int) (Of_f64 Real))
  ((Truth Bool (|s.ok(): bool| (< Of_i64 Of_i64) (<= Of_i64 Of_i64) (= Of_i64 Of_i64) \
         (< Of_usize Of_usize) (<= Of_usize Of_usize) (= Of_usize Of_usize) \
         (< Of_f64 Of_f64) (<= Of_f64 Of_f64) (= Of_f64 Of_f64) \
         (not Truth) (and Truth Truth) (or Truth Truth)))
   (Of_i64 Int (|i: i64| (- 1) 2 (+ Of_i64 Of_i64) (- Of_i64 Of_i64)))
   (Of_usize Int (|n: usize| 2 (+ Of_usize Of_usize)))
   (Of_f64 Real (|f: f64| (- 1.0) 2.0))))
(constraint (= (condition true (- 3) 4 0.5) true))
(constraint (= (condition false 1 1 {infinity}) false))
(check-synth)
"
    );
    assert_eq!(problem(TOTAL).to_sygus(), expected);
}

#[test]
fn where_something_is_undefined_truth_has_three_values() {
    let text = problem(PARTIAL).to_sygus();
    for line in [
        "(define-fun and3 ((a Int) (b Int)) Int (ite (= a 1) b a))",
        "(Truth Int (|b: bool| (lt_i8 Of_i8 Of_i8)",
        "(= (condition 0 340282366920938463463374607431768211456) 0)",
        "(constraint (or false (= (condition 1 1) 1) (= (condition 1 2) 0)))",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn a_variable_that_is_nan_somewhere_is_left_out_and_named() {
    let text = problem(&TOTAL.replace("\"inf\"", "\"NaN\"")).to_sygus();
    assert!(
        text.contains("; Left out, being NaN or undefined: f: f64"),
        "{text}"
    );
    assert!(!text.contains("|f: f64|"), "{text}");
}

fn answer(problem: &ProblemFile, body: &str) -> Result<Expr, String> {
    let text = format!("(\n(define-fun condition ((|i: i64| Int)) Bool {body})\n)");
    read(&Sexpr::parse(&text)?, problem)
}

#[test]
fn an_answer_is_read_back_with_the_types_of_its_variables() {
    let problem = problem(TOTAL);
    let term = |text: &str, ty: &str| {
        let is_it = |term: &nopol_expr::Term| {
            nopol_source::write::text(&term.access) == text && term.ty.name() == ty
        };
        Expr::Term(problem.pool.terms.position(is_it).unwrap())
    };
    let clause = term("i", "i64").arith(ArithOp::Sub, term("-1", "i64"));
    let clause = clause.cmp(CmpOp::Lt, term("2", "i64"));
    let other = term("2", "usize").cmp(CmpOp::Le, term("n", "usize"));
    assert_eq!(
        answer(
            &problem,
            "(and (< (- |i: i64| (- 1)) 2) (not |s.ok(): bool|) (<= 2 |n: usize|))"
        ),
        Ok(clause.and(term("s.ok()", "bool").not()).and(other))
    );
    for wrong in [
        "(< |i: i64| 3)",
        "(< 1 2)",
        "(f |i: i64|)",
        "(not)",
        "other",
        "(< |i: i64|)",
    ] {
        assert!(answer(&problem, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_three_valued_answer_is_read_back_too() {
    let problem = problem(PARTIAL);
    let read = answer(&problem, "(and3 |b: bool| (not3 (lt_i8 |e: i8| |e: i8|)))").unwrap();
    let [e, b] = [0, 1].map(|term| Expr::Term(TermId::new(term)));
    let less = e.clone().cmp(CmpOp::Lt, e);
    assert_eq!(read, b.and(less.not()));
}
