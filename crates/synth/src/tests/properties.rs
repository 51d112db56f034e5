//! Random specs: independent evaluation confirms every candidate, and the same input gives the same output.

use super::*;
use proptest::prelude::*;

/// The terms of random specs: every kind of type, with literals for one of them.
fn pool() -> Problem {
    Problem::default()
        .term("p", Type::Bool, Origin::Variable)
        .term("q", Type::Bool, Origin::Query)
        .term("i", Type::Int(IntType::I8), Origin::Old)
        .term("j", Type::Int(IntType::I8), Origin::Variable)
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::F64, Origin::Field)
        .term("s", Type::Str, Origin::Variable)
        .term("t", Type::Str, Origin::Variable)
        .constants(IntType::I8)
}

fn undefined_sometimes(
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Option<Value>> {
    prop::option::weighted(0.9, value)
}

fn row() -> impl Strategy<Value = (Vec<Option<Value>>, bool, bool, u32)> {
    let boolean = || undefined_sometimes(any::<bool>().prop_map(Value::Bool));
    let numbers = prop::sample::select(vec![-128i128, -127, -1, 0, 1, 2, 126, 127]);
    let number = move || {
        let value = numbers
            .clone()
            .prop_map(|n| Value::Int(IntType::I8, Int::from_i128(n)));
        undefined_sometimes(value)
    };
    let floats = prop::sample::select(vec![f64::NAN, -0.0, 0.0, 1.5, f64::NEG_INFINITY]);
    let float = move || undefined_sometimes(floats.clone().prop_map(|x| Value::F64(x.to_bits())));
    let texts = prop::sample::select(vec!["", "a", "b"]);
    let text = move || undefined_sometimes(texts.clone().prop_map(|s| Value::Str(s.into())));
    let values = (
        boolean(),
        boolean(),
        number(),
        number(),
        float(),
        float(),
        text(),
        text(),
    )
        .prop_map(|(a, b, c, d, e, f, g, h)| vec![a, b, c, d, e, f, g, h]);
    (values, any::<bool>(), prop::bool::weighted(0.7), 1..4u32)
}

fn old() -> impl Strategy<Value = Option<Expr>> {
    prop::sample::select(vec![
        None,
        Some(cmp(2, CmpOp::Lt, 3)),
        Some(cmp(4, CmpOp::Ge, 5).not()),
        Some(term(0).and(cmp(2, CmpOp::Eq, 8))),
        Some(cmp(6, CmpOp::Ne, 7).or(term(1).not())),
        Some(term(2).arith(ArithOp::Add, term(3)).cmp(CmpOp::Gt, term(8))),
        Some(term(0).cmp(CmpOp::Eq, term(1))),
    ])
}

pub fn problem(rows: std::ops::Range<usize>) -> impl Strategy<Value = Problem> {
    (
        prop::collection::vec(row(), rows),
        old(),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(rows, old, impure)| {
            let mut problem = pool();
            for (values, expected, hard, weight) in rows {
                problem = problem.weighted(&values, expected, hard, weight);
            }
            problem.spec.old = if impure { Some(term(0)) } else { old };
            problem.spec.old_is_impure = impure;
            problem
        })
}

/// Limits with little work for the solver, which may give up.
fn solve(problem: &Problem) -> Synthesis {
    let limits = Limits {
        rlimit: 300_000,
        ..Limits::default()
    };
    synthesize(&problem.spec, &problem.pool, &limits)
}

pub fn explains(expr: &Expr, spec: &Spec, wanted: impl Fn(&Row) -> bool) -> bool {
    let mut rows = spec.rows.iter().filter(|row| wanted(row));
    rows.all(|row| expr.eval_bool(row) == Some(row.expected))
}

pub fn is_constant(expr: &Expr, spec: &Spec) -> bool {
    let yields = |outcome| {
        spec.rows
            .iter()
            .any(|row| expr.eval_bool(row) == Some(outcome))
    };
    !yields(true) || !yields(false)
}

/// Whether a clause stands before the original condition, which has no outcome in some row.
fn protects_old(expr: &Expr, spec: &Spec) -> bool {
    let (Expr::And(_, kept) | Expr::Or(_, kept)) = expr else {
        return false;
    };
    spec.old.as_ref() == Some(&**kept) && spec.rows.iter().any(|row| kept.eval_bool(row).is_none())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn candidates_explain_every_hard_row_and_no_new_condition_is_constant(problem in problem(1..9)) {
        let synthesis = solve(&problem);
        prop_assert_eq!(synthesis.candidates.is_empty(), synthesis.reason.is_some());
        for candidate in &synthesis.candidates {
            let expr = &candidate.expr;
            let shown = problem.show(expr);
            prop_assert!(explains(expr, &problem.spec, |row| row.hard), "{}", shown);
            let violated: u32 = problem.spec.rows.iter()
                .filter(|row| !row.hard && expr.eval_bool(row) != Some(row.expected))
                .map(|row| row.weight)
                .sum();
            prop_assert_eq!(candidate.soft_violated, violated, "{}", shown);
            // An edited limit may lie beyond all rows, and the original condition may only need a clause before it.
            let may_be_constant = !candidate.kind.is_new() || protects_old(expr, &problem.spec);
            prop_assert!(may_be_constant || !is_constant(expr, &problem.spec), "{}", shown);
            prop_assert_eq!(expr.ty(&problem.pool), Some(Type::Bool));
        }
        let order: Vec<_> = synthesis.candidates.iter()
            .map(|candidate| (candidate.soft_violated, candidate.cost))
            .collect();
        prop_assert!(order.is_sorted());
    }

    #[test]
    fn the_same_spec_gets_the_same_answer(problem in problem(2..8)) {
        let (first, second) = (solve(&problem), solve(&problem));
        prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }
}
