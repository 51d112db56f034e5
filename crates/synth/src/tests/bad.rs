//! Malformed specs: each gets a defined answer from every engine, and none panics.

use super::properties::explains;
use super::*;
use crate::{Candidate, EngineKind};
use proptest::prelude::*;

/// The engines that are built in.
const ENGINES: &[EngineKind] = match cfg!(feature = "z3") {
    true => &EngineKind::ALL,
    false => &[EngineKind::Enumerate],
};

/// The reason that every engine gives instead of a candidate.
fn reason(problem: &Problem) -> String {
    let refuse = |engine: EngineKind| {
        let synthesis = solve(problem, engine);
        assert!(synthesis.candidates.is_empty(), "{synthesis:?}");
        synthesis.reason.unwrap_or_default()
    };
    let mut reasons: Vec<String> = ENGINES.iter().map(|engine| refuse(*engine)).collect();
    reasons.dedup();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    reasons.remove(0)
}

fn solve(problem: &Problem, engine: EngineKind) -> Synthesis {
    let limits = Limits {
        engine,
        ..Limits::default()
    };
    synthesize(&problem.spec, &problem.pool, &limits)
}

/// The best condition of each engine.
fn first(problem: &Problem) -> Vec<Expr> {
    let best = |engine: &EngineKind| solve(problem, *engine).candidates.remove(0).expr;
    ENGINES.iter().map(best).collect()
}

/// `x` is true, and so is the outcome, or neither is.
fn sound() -> Problem {
    Problem::default()
        .term("x", Type::Bool, Origin::Variable)
        .term("n", Type::Int(IntType::I32), Origin::Variable)
        .constants(IntType::I32)
        .row(&[bool(true), i32(3)], true)
        .row(&[bool(false), i32(4)], false)
}

/// The sound problem with one defect.
fn with(spoil: impl FnOnce(&mut Problem)) -> Problem {
    let mut problem = sound();
    assert_eq!(first(&problem)[0], term(0));
    spoil(&mut problem);
    problem
}

#[test]
fn a_spec_that_constrains_nothing_is_refused() {
    let empty = with(|problem| problem.spec.rows.clear());
    let idle = with(|problem| {
        for row in &mut problem.spec.rows {
            (row.hard, row.weight) = (false, 0);
        }
    });
    for problem in [Problem::default(), empty, idle] {
        assert!(reason(&problem).contains("no evaluation was recorded"));
    }
}

#[test]
fn contradictory_hard_rows_are_named() {
    let problem = sound().row(&[bool(true), i32(3)], false);
    assert!(reason(&problem).contains("cannot tell apart"));
}

#[test]
fn a_single_outcome_is_explained_by_a_constant_only() {
    for outcome in [true, false] {
        let problem = with(|problem| {
            for row in &mut problem.spec.rows {
                (row.expected, row.hard) = (outcome, outcome);
            }
        });
        assert!(reason(&problem).contains(&format!("the constant `{outcome}`")));
    }
}

#[test]
fn values_that_do_not_fit_their_terms_are_refused() {
    let at = |term: u32, value: Option<Value>| {
        with(|problem| problem.spec.rows[1].values_mut()[TermId::new(term)] = value)
    };
    let short = with(|problem| drop(problem.spec.rows[0].values_mut().pop()));
    let long = with(|problem| problem.spec.rows[1].values_mut().push(None));
    let mistyped = with(|problem| problem.pool.terms[TermId::new(2)].constant = usize(0));
    // `n`, and the literal 0.
    for problem in [
        short,
        long,
        mistyped,
        at(1, usize(4)),
        at(2, i32(1)),
        at(2, None),
    ] {
        assert!(reason(&problem).contains("do not match the terms"));
    }
}

#[test]
fn an_old_condition_that_is_none_is_refused() {
    let ill_typed = term(0).and(cmp(0, CmpOp::Lt, 1));
    for old in [term(7), term(1), ill_typed, term(7).not().or(term(0))] {
        let problem = with(|problem| problem.spec.old = Some(old));
        assert!(reason(&problem).contains("cannot be written with the terms"));
    }
    let unknown = with(|problem| problem.spec.old_is_impure = true);
    assert!(reason(&unknown).contains("what it yields is unknown"));
}

#[test]
fn groups_of_rows_that_are_not_there_are_refused() {
    for group in [vec![], vec![2], vec![0, usize::MAX]] {
        let problem = with(|problem| problem.spec.any_of = vec![vec![0], group]);
        assert!(reason(&problem).contains("a group of evaluations"));
    }
}

#[test]
fn a_value_that_was_seen_in_no_term_is_compared_with_none() {
    const SEEN: TermId = TermId::new(5);
    let limit = |mined_from: &[u32]| {
        let unknown = with(|problem| problem.spec.rows[0].values_mut()[TermId::new(0)] = None);
        let mut problem = unknown.term("4", Type::Int(IntType::I32), Origin::Mined);
        let seen = &mut problem.pool.terms[SEEN];
        seen.constant = i32(4);
        seen.mined_from = mined_from.iter().copied().map(TermId::new).collect();
        for row in &mut problem.spec.rows {
            row.values_mut().push(i32(4));
        }
        problem
    };
    let uses = |expr: &Expr| expr.terms().contains(&SEEN);
    assert!(first(&limit(&[1, 9])).iter().all(uses));
    assert!(reason(&limit(&[9])).contains("no condition over the values"));
}

#[test]
fn one_text_in_two_types_stands_for_two_terms() {
    let problem = Problem::default()
        .term("x", Type::Int(IntType::I32), Origin::Variable)
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::Int(IntType::I32), Origin::Variable)
        .term("y", Type::F64, Origin::Variable)
        .row(&[i32(1), f64(1.0), i32(2), f64(1.0)], false)
        .row(&[i32(2), f64(1.0), i32(1), f64(2.0)], true)
        .row(&[i32(2), f64(2.0), i32(1), f64(1.0)], false);
    assert!(
        first(&problem)
            .iter()
            .all(|expr| *expr == cmp(1, CmpOp::Lt, 3))
    );
}

#[test]
fn nan_tells_nothing_apart_whatever_its_bits() {
    let nan = |bits: u64| Some(Value::F64(f64::NAN.to_bits() | bits));
    let problem = Problem::default()
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::F64, Origin::Variable)
        .row(&[nan(1), f64(0.0)], true)
        .row(&[nan(2), f64(-0.0)], false);
    assert!(reason(&problem).contains("no condition over the values"));
}

#[test]
fn the_weights_of_soft_rows_count_up_to_the_largest_number() {
    let problem = sound()
        .soft(&[bool(true), i32(3)], false, u32::MAX)
        .soft(&[bool(false), i32(4)], true, u32::MAX)
        .soft(&[bool(true), i32(5)], false, 0);
    let best = &problem.solve().candidates[0];
    assert_eq!((&best.expr, best.soft_violated), (&term(0), u32::MAX));
}

#[test]
fn few_candidates_are_asked_for_and_the_best_are_given() {
    let problem = Problem::default()
        .term("x", Type::Int(IntType::I32), Origin::Variable)
        .term("y", Type::Int(IntType::I32), Origin::Variable)
        .constants(IntType::I32)
        .old(cmp(0, CmpOp::Lt, 1))
        .row(&[i32(2), i32(2)], true)
        .soft(&[i32(1), i32(3)], true, 1)
        .soft(&[i32(3), i32(1)], false, 1);
    let answers = |candidates| {
        let limits = Limits {
            candidates,
            ..Limits::default()
        };
        synthesize(&problem.spec, &problem.pool, &limits).candidates
    };
    for wanted in [1, 2, 5] {
        let found = answers(wanted);
        assert_eq!(found.len(), wanted);
        assert_eq!(found[0].expr, cmp(0, CmpOp::Le, 1));
    }
}

#[test]
fn an_old_condition_with_effects_comes_first_and_once_in_what_disagrees_with_soft_rows_too() {
    let mut problem = Problem::default()
        .term("it.next()", Type::Bool, Origin::Old)
        .term("x", Type::Bool, Origin::Variable)
        .old(term(0))
        .row(&[bool(true), bool(false)], false)
        .row(&[bool(true), bool(true)], true)
        .soft(&[bool(false), bool(true)], false, 1)
        .soft(&[bool(false), bool(false)], true, 1);
    problem.spec.old_is_impure = true;
    let found = problem.solve().candidates;
    let sound = |found: &Candidate| found.expr.children().next() == Some(&term(0));
    assert!(!found.is_empty() && found.iter().all(sound), "{found:?}");
}

#[test]
fn a_sum_is_found_among_many_terms() {
    // Hundreds of sums differ from some term wherever the outcome is true, but not everywhere.
    let names = (0..16).map(|at| format!("x{at}"));
    let mut problem = names.fold(Problem::default(), |problem, name| {
        problem.term(&name, Type::Int(IntType::I32), Origin::Variable)
    });
    let mut seed = 1;
    for _ in 0..80 {
        let values: Vec<i128> = (0..16)
            .map(|_| {
                seed = seed * 48271 % 0x7fff_ffff;
                seed % 41 - 20
            })
            .collect();
        let row: Vec<_> = values.iter().map(|value| i32(*value)).collect();
        problem = problem.row(&row, values[13] + values[14] < values[15]);
    }
    let found = solve(&problem, EngineKind::Enumerate).candidates;
    let wanted = term(13).arith(ArithOp::Add, term(14));
    let wanted = wanted.cmp(CmpOp::Lt, term(15));
    assert!(found.iter().any(|found| found.expr == wanted), "{found:?}");
}

#[test]
fn a_hundred_thousand_contexts_are_as_good_as_a_few() {
    let mut problem = Problem::default()
        .term("x", Type::Int(IntType::I32), Origin::Variable)
        .term("y", Type::Int(IntType::I32), Origin::Variable);
    for at in 0..100_000 {
        let (x, y) = (at * 7919 % 1009, at % 503);
        problem = problem.weighted(&[i32(x), i32(y)], x < y, at % 9 == 0, 1);
    }
    assert!(
        first(&problem)
            .iter()
            .all(|expr| *expr == cmp(0, CmpOp::Lt, 1))
    );
}

/// Types of random terms and values, so that two of them match or mismatch.
fn types() -> impl Strategy<Value = Type> {
    let integers = [IntType::I8, IntType::Usize, IntType::U128, IntType::I128].map(Type::Int);
    let others = [Type::Bool, Type::F32, Type::F64, Type::Char, Type::Str];
    prop::sample::select([&integers[..], &others].concat())
}

/// A value of the type, usually at the edges of its range.
fn value(ty: Type, pick: usize) -> Value {
    fn at<T: Clone>(values: &[T], pick: usize) -> T {
        values[pick % values.len()].clone()
    }
    let float = at(&[f64::NAN, -0.0, 0.0, 1.0, f64::INFINITY, f64::MIN], pick);
    match ty {
        Type::Bool => Value::Bool(pick.is_multiple_of(2)),
        Type::Int(int) => {
            let numbers = [0, 1, -1, 2, 127, -128, i128::MAX, i128::MIN].map(Int::from_i128);
            let fitting = numbers.into_iter().filter(|number| number.fits(int));
            let top = Int::from_u128(u128::MAX >> (128 - int.bits()));
            let all: Vec<Int> = fitting.chain(top.fits(int).then_some(top)).collect();
            Value::Int(int, at(&all, pick))
        }
        Type::F32 => Value::F32((float as f32).to_bits()),
        Type::F64 => Value::F64(float.to_bits()),
        Type::Char => Value::Char(at(&['a', '\0', char::MAX], pick)),
        Type::Str => Value::Str(at(&["", "a", "a\0"], pick).into()),
    }
}

/// A few texts, so that two terms may share one.
const TEXTS: [&str; 9] = [
    "x",
    "y",
    "0",
    "v",
    "v.len()",
    "v.is_empty()",
    "o.is_some()",
    "o.is_none()",
    "*o.unwrap()",
];

fn term_of(types: Vec<Type>) -> impl Strategy<Value = Term> {
    let any_value = (self::types(), any::<usize>()).prop_map(|(ty, pick)| value(ty, pick));
    (
        prop::sample::select(types),
        prop::sample::select(&TEXTS[..]),
        prop::option::weighted(0.3, any_value),
        prop::collection::vec((0..8_u32).prop_map(TermId::new), 0..2),
        prop::sample::select(vec![
            Origin::Old,
            Origin::Variable,
            Origin::Constant,
            Origin::Mined,
        ]),
    )
        .prop_map(|(ty, text, constant, mined_from, origin)| Term {
            constant,
            mined_from,
            ..Term::new(Language::Rust.access(text), ty, origin)
        })
}

/// A tree that may be ill-typed, over terms that may not exist.
fn tree() -> impl Strategy<Value = Expr> {
    let ops = prop::sample::select(&CmpOp::ALL[..]);
    let sums = prop::sample::select(vec![ArithOp::Add, ArithOp::Sub, ArithOp::Mul, ArithOp::Rem]);
    let leaf = (0..6_u32).prop_map(term);
    leaf.prop_recursive(3, 12, 2, move |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            3 => (ops.clone(), pair()).prop_map(|(op, (a, b))| a.cmp(op, b)),
            1 => (sums.clone(), pair()).prop_map(|(op, (a, b))| a.arith(op, b)),
            1 => pair().prop_map(|(a, b)| a.and(b)),
            1 => pair().prop_map(|(a, b)| a.or(b)),
            1 => inner.clone().prop_map(Expr::not),
        ]
    })
}

fn row(types: Vec<Type>) -> impl Strategy<Value = Row> {
    let kinds = (
        prop::sample::select(types),
        any::<usize>(),
        prop::bool::weighted(0.9),
    );
    (
        prop::collection::vec(kinds, 0..7),
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(vec![0, 1, u32::MAX]),
    )
        .prop_map(|(kinds, expected, hard, weight)| {
            let values = kinds.into_iter();
            let values = values.map(|(ty, pick, there)| there.then(|| value(ty, pick)));
            Row {
                values: values.collect::<Values>().into(),
                expected,
                hard,
                weight,
            }
        })
}

/// Any spec that the types of Rust allow.
fn wild() -> impl Strategy<Value = Problem> {
    let kinds = prop::collection::vec(types(), 1..3);
    kinds.prop_flat_map(|types| {
        let groups = prop::collection::vec(prop::collection::vec(0..9usize, 0..4), 1..3);
        (
            prop::collection::vec(term_of(types.clone()), 0..7),
            prop::collection::vec(row(types), 0..9),
            prop_oneof![3 => Just(Vec::new()), 1 => groups],
            prop::option::of(tree()),
            prop::bool::weighted(0.2),
        )
            .prop_map(|(terms, rows, any_of, old, old_is_impure)| Problem {
                pool: Pool {
                    terms: terms.into(),
                },
                spec: Spec {
                    rows,
                    any_of,
                    old,
                    old_is_impure,
                },
            })
    })
}

/// The same with most defects repaired.
fn tamed(mut problem: Problem, left: usize) -> Problem {
    let terms = &mut problem.pool.terms;
    if left != 0 {
        for (at, term) in terms.iter_mut().enumerate() {
            term.constant = term.constant.as_ref().map(|_| value(term.ty, at));
        }
    }
    for row in &mut problem.spec.rows {
        if left != 1 {
            row.values_mut().resize(terms.len(), None);
        }
        for (at, (value, term)) in row.values_mut().iter_mut().zip(&*terms).enumerate() {
            if left != 2
                && let Some(wrong) = value.as_ref().filter(|value| value.ty() != term.ty)
            {
                let pick = at + format!("{wrong}").len();
                *value = Some(self::value(term.ty, pick));
            }
            if left != 3 && term.constant.is_some() {
                *value = term.constant.clone();
            }
        }
    }
    let rows = problem.spec.rows.len();
    if left != 4 {
        problem
            .spec
            .any_of
            .iter_mut()
            .for_each(|group| group.retain(|row| *row < rows));
    }
    if left != 5 {
        problem.spec.any_of.retain(|group| !group.is_empty());
    }
    if left != 6 {
        let old = problem.spec.old.take();
        problem.spec.old = old.filter(|old| old.ty(&problem.pool) == Some(Type::Bool));
    }
    problem
}

/// Number of occurrences of the original condition in the expression.
fn mentions(expr: &Expr, old: &Expr) -> usize {
    usize::from(expr == old)
        + expr
            .children()
            .map(|child| mentions(child, old))
            .sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_spec_there_is_a_right_answer_or_a_reason(
        (problem, defect) in (wild(), 0..12usize),
        engine in prop::sample::select(&EngineKind::ALL[..]),
        (candidates, rlimit) in (0..9usize, prop::sample::select(vec![0, 1, 30_000, 300_000])),
    ) {
        let problem = tamed(problem, defect);
        let (spec, pool) = (&problem.spec, &problem.pool);
        let synthesis = synthesize(spec, pool, &Limits { engine, candidates, rlimit, ..Limits::default() });
        prop_assert_eq!(synthesis.candidates.is_empty(), synthesis.reason.is_some());
        prop_assert!(synthesis.candidates.len() <= candidates);
        for candidate in &synthesis.candidates {
            let expr = &candidate.expr;
            prop_assert_eq!(expr.ty(pool), Some(Type::Bool));
            prop_assert!(explains(expr, spec, |row| row.hard));
            let holds = |row: &usize| expr.eval_bool(&spec.rows[*row]) == Some(spec.rows[*row].expected);
            prop_assert!(spec.any_of.iter().all(|group| group.iter().any(holds)));
            if let (Some(old), true) = (&spec.old, spec.old_is_impure) {
                prop_assert_eq!(expr.children().next(), Some(old));
                prop_assert_eq!(mentions(expr, old), 1);
            }
        }
    }
}
