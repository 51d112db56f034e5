//! Equivalence and counterexamples: examples with the context that shows the difference, and random pairs whose
//! results are confirmed by independent evaluation.

use super::*;
use crate::distinguish::axioms::axioms;
use crate::{Counterexample, Equality, covers, difference, equal, possible_difference};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn verdict(problem: &Problem, a: &Expr, b: &Expr) -> Equality {
    equal(a, b, &problem.pool, &problem.spec.rows)
}

/// The values of the simplest counterexample as text, and the outcomes of both conditions.
fn shown(problem: &Problem, a: &Expr, b: &Expr) -> Option<(String, [Option<bool>; 2])> {
    let Counterexample { values, yields, .. } =
        difference(a, b, &problem.pool, &problem.spec.rows)?;
    let value = |(term, value): &(TermId, Option<Value>)| {
        let value = value.as_ref().map_or("undefined".into(), Value::to_string);
        format!(
            "{} = {value}",
            write::text(&problem.pool.terms[*term].access)
        )
    };
    let values: Vec<_> = values.iter().map(value).collect();
    Some((values.join(", "), yields))
}

const USIZE: Type = Type::Int(IntType::Usize);

/// Terms 0 and 1 are `n` and `m`, 2 and 3 the literals 0 and 1.
fn numbers(ty: IntType) -> Problem {
    Problem::default()
        .term("n", Type::Int(ty), Origin::Variable)
        .term("m", Type::Int(ty), Origin::Variable)
        .constants(ty)
}

#[test]
fn a_sum_differs_from_none_only_at_overflow() {
    let problem = numbers(IntType::Usize)
        .row(&[usize(3), usize(5)], true)
        .row(&[usize(4), usize(2)], false);
    let sum = term(0).arith(ArithOp::Add, term(3)).cmp(CmpOp::Gt, term(1));
    let (values, yields) = shown(&problem, &sum, &cmp(0, CmpOp::Ge, 1)).unwrap();
    assert_eq!(values, "n = 18446744073709551615, m = 5");
    assert_eq!(yields, [None, Some(false)].map(|value| value.map(|_| true)));
}

#[test]
fn a_sum_is_covered_by_what_it_equals_where_it_does_not_overflow() {
    let problem = numbers(IntType::Usize)
        .row(&[usize(3), usize(5)], true)
        .row(&[usize(4), usize(2)], false);
    let sum = term(0).arith(ArithOp::Add, term(3)).cmp(CmpOp::Gt, term(1));
    let covers = |a: &Expr, b: &Expr| covers(a, b, &problem.pool, &problem.spec.rows);
    assert!(covers(&cmp(0, CmpOp::Ge, 1), &sum));
    assert!(!covers(&sum, &cmp(0, CmpOp::Ge, 1)));
    assert!(!covers(&cmp(0, CmpOp::Gt, 1), &sum));
}

#[test]
fn what_compares_the_same_remainder_is_equal_or_not_known_to_be() {
    let compared = |ty: IntType, op: ArithOp, a: CmpOp, b: CmpOp| {
        let number = |value| Some(Value::Int(ty, Int::from_i128(value)));
        let problem = numbers(ty)
            .row(&[number(7), number(3)], true)
            .row(&[number(6), number(3)], false);
        let computed = || term(0).arith(op, term(1));
        let [a, b] = [a, b].map(|op| computed().cmp(op, term(2)));
        let both = |a: &Expr, b: &Expr| equal(a, b, &problem.pool, &problem.spec.rows);
        (
            both(&a, &b),
            covers(&a, &b, &problem.pool, &problem.spec.rows),
        )
    };
    // Nothing unsigned is less than 0.
    for op in [ArithOp::Rem, ArithOp::Div, ArithOp::Mul] {
        let (equality, covers) = compared(IntType::U32, op, CmpOp::Gt, CmpOp::Ne);
        assert_eq!(equality, Equality::Proved, "{op:?}");
        assert!(covers);
        let (equality, covers) = compared(IntType::I64, op, CmpOp::Gt, CmpOp::Ne);
        assert!(
            matches!(equality, Equality::Differ(_)),
            "{op:?}: {equality:?}"
        );
        assert!(!covers);
    }
    // It cannot be computed where `m` is 0: there it is not known what is equal.
    let seven = || Some(Value::Int(IntType::U32, Int::from_i128(7)));
    let problem = numbers(IntType::U32).row(&[seven(), seven()], true);
    let rest = || term(0).arith(ArithOp::Rem, term(1));
    let [always, same] = [cmp(0, CmpOp::Eq, 0), rest().cmp(CmpOp::Eq, rest())];
    let both = equal(&same, &always, &problem.pool, &problem.spec.rows);
    assert_ne!(both, Equality::Proved);
    // Equal for a reason that is not seen: not proved, and no difference either.
    let below = rest().cmp(CmpOp::Lt, term(1));
    let below_or_same = rest().cmp(CmpOp::Le, term(1));
    let both = equal(&below, &below_or_same, &problem.pool, &problem.spec.rows);
    assert_eq!(both, Equality::Unknown);
}

#[test]
fn what_was_the_same_in_many_rows_stays_the_same() {
    let rows = |values: &[i128]| {
        let mut problem = numbers(IntType::Usize);
        for value in values {
            problem = problem.row(&[usize(*value), usize(*value)], *value > 0);
        }
        shown(&problem, &cmp(0, CmpOp::Ge, 3), &cmp(1, CmpOp::Gt, 3))
    };
    let (values, yields) = rows(&[0, 3, 4, 7]).unwrap();
    assert_eq!(
        (&*values, yields),
        ("n = 1, m = 1", [Some(true), Some(false)])
    );
    // Three values may be an accident.
    let (values, _) = rows(&[0, 3, 4]).unwrap();
    assert_eq!(values, "n = 1, m = 0");
}

#[test]
fn a_context_that_can_occur_differs_from_a_row_in_inputs_only() {
    let problem = numbers(IntType::Usize)
        .row(&[usize(3), usize(4)], true)
        .row(&[usize(5), usize(6)], true);
    let possible = |inputs: &[u32]| {
        let inputs: BTreeSet<TermId> = inputs.iter().map(|id| TermId::new(*id)).collect();
        let (less, at_most) = (cmp(0, CmpOp::Lt, 1), cmp(0, CmpOp::Le, 1));
        let rows = &problem.spec.rows;
        let found = possible_difference(&less, &at_most, &problem.pool, rows, &inputs)?;
        Some(
            found
                .values
                .into_iter()
                .map(|(_, value)| value)
                .collect::<Vec<_>>(),
        )
    };
    // `m` is `n + 1`: what makes them equal is made up.
    assert_eq!(possible(&[]), None);
    assert_eq!(possible(&[1]), Some(vec![usize(3), usize(3)]));
    assert_eq!(possible(&[0]), Some(vec![usize(4), usize(4)]));
}

#[test]
fn an_input_that_another_operand_is_made_of_is_not_chosen() {
    let problem = Problem::default()
        .term("n", USIZE, Origin::Variable)
        .term("n / 2", USIZE, Origin::Harvested)
        .row(&[usize(6), usize(3)], true);
    let (a, b) = (cmp(0, CmpOp::Gt, 1), cmp(0, CmpOp::Ge, 1));
    let inputs = BTreeSet::from([TermId::new(0)]);
    let rows = &problem.spec.rows;
    assert!(difference(&a, &b, &problem.pool, rows).is_some());
    assert_eq!(
        possible_difference(&a, &b, &problem.pool, rows, &inputs),
        None
    );
}

#[test]
fn neighbouring_literals_and_their_operators_mean_the_same() {
    let mut problem = numbers(IntType::I32);
    for number in [5, 6] {
        problem.pool.terms.push(Term {
            access: Access::literal(number.to_string()),
            constant: i32(number),
            ..problem.pool.terms[TermId::new(2)].clone()
        });
    }
    let (at_most_5, below_6) = (cmp(0, CmpOp::Le, 5), cmp(0, CmpOp::Lt, 6));
    assert_eq!(verdict(&problem, &at_most_5, &below_6), Equality::Proved);
    let below_5 = cmp(0, CmpOp::Lt, 5);
    let (values, yields) = shown(&problem, &at_most_5, &below_5).unwrap();
    assert_eq!(
        (values.as_str(), yields),
        ("n = 5", [Some(true), Some(false)])
    );
}

#[test]
fn the_negation_of_an_order_of_floats_differs_at_nan() {
    let problem = Problem::default()
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::F64, Origin::Variable)
        .row(&[f64(1.5), f64(2.5)], true);
    let (not_less, at_least) = (cmp(0, CmpOp::Lt, 1).not(), cmp(0, CmpOp::Ge, 1));
    let (values, yields) = shown(&problem, &not_less, &at_least).unwrap();
    assert_eq!(
        (values.as_str(), yields),
        ("x = NaN, y = 2.5", [Some(true), Some(false)])
    );
    let unequal = cmp(0, CmpOp::Eq, 1).not();
    assert_eq!(
        verdict(&problem, &unequal, &cmp(0, CmpOp::Ne, 1)),
        Equality::Proved
    );
}

#[test]
fn state_queries_are_tied_by_their_texts() {
    let problem = Problem::default()
        .term("v.len()", USIZE, Origin::Query)
        .term("v.is_empty()", Type::Bool, Origin::Query)
        .term("o.is_some()", Type::Bool, Origin::Query)
        .term("o.is_none()", Type::Bool, Origin::Query)
        .term("r.is_ok()", Type::Bool, Origin::Query)
        .term("r.is_err()", Type::Bool, Origin::Query)
        .term("w.is_empty()", Type::Bool, Origin::Query)
        .constants(IntType::Usize);
    let same = |a: &Expr, b: &Expr| assert_eq!(verdict(&problem, a, b), Equality::Proved);
    same(&cmp(0, CmpOp::Gt, 7), &term(1).not());
    same(&term(2), &term(3).not());
    same(&term(4).not(), &term(5));
    let (values, _) = shown(&problem, &cmp(0, CmpOp::Gt, 7), &term(6).not()).unwrap();
    assert_eq!(values, "v.len() = 0, w.is_empty() = false");
    // No length is larger than `isize::MAX`, so this sum never overflows.
    let next = term(0).arith(ArithOp::Add, term(8));
    same(&next.cmp(CmpOp::Gt, term(8)), &cmp(0, CmpOp::Ge, 8));
}

#[test]
fn a_cast_is_the_number_that_it_was() {
    let problem = Problem::default()
        .term("n", Type::Int(IntType::I8), Origin::Variable)
        .term("n as u32", Type::Int(IntType::U32), Origin::Variable)
        .constants(IntType::I8)
        .constants(IntType::U32);
    let (one, wide_one) = (3, 6);
    let above = cmp(0, CmpOp::Gt, one).or(cmp(1, CmpOp::Eq, wide_one));
    let at_least = cmp(0, CmpOp::Ge, one);
    assert_eq!(verdict(&problem, &above, &at_least), Equality::Proved);
    // A negative number is huge as `u32`.
    let (values, _) = shown(&problem, &cmp(1, CmpOp::Ge, wide_one), &at_least).unwrap();
    assert_eq!(values, "n as u32 = 4294967168, n = -128");
}

#[test]
fn a_payload_needs_its_guard_even_if_it_was_always_there() {
    let i32_type = Type::Int(IntType::I32);
    let problem = Problem::default()
        .term("o.is_some()", Type::Bool, Origin::Query)
        .term("o.unwrap()", i32_type, Origin::Query)
        .constants(IntType::I32)
        .row(&[bool(true), i32(3)], true)
        .row(&[bool(true), i32(-3)], false);
    let positive = cmp(1, CmpOp::Gt, 2);
    let guarded = term(0).and(positive.clone());
    let (values, yields) = shown(&problem, &guarded, &positive).unwrap();
    assert_eq!(values, "o.is_some() = false, o.unwrap() = undefined");
    assert_eq!(yields, [Some(false), None]);
    let after = positive.clone().and(term(0));
    assert_eq!(verdict(&problem, &after, &positive), Equality::Proved);
}

#[test]
fn clauses_commute_where_nothing_is_undefined() {
    let problem = Problem::default()
        .term("a", Type::Bool, Origin::Variable)
        .term("b", Type::Bool, Origin::Variable);
    let (ab, ba) = (term(0).and(term(1)), term(1).and(term(0)));
    let total = problem.clone().row(&[bool(true), bool(false)], true);
    assert_eq!(verdict(&total, &ab, &ba), Equality::Proved);
    let partial = total.row(&[bool(true), None], true);
    let (values, yields) = shown(&partial, &ab, &ba).unwrap();
    assert_eq!(values, "a = false, b = undefined");
    assert_eq!(yields, [Some(false), None]);
}

#[test]
fn strings_are_known_or_made_up() {
    let mut problem = Problem::default()
        .term("s", Type::Str, Origin::Variable)
        .term("s.is_empty()", Type::Bool, Origin::Query)
        .row(&[Some(Value::Str("x".into())), bool(false)], true);
    for text in ["", "x"] {
        problem.pool.terms.push(Term {
            access: Access::literal(format!("{text:?}")),
            constant: Some(Value::Str(text.into())),
            ..problem.pool.terms[TermId::new(0)].clone()
        });
        problem.spec.rows[0]
            .values_mut()
            .push(Some(Value::Str(text.into())));
    }
    assert_eq!(
        verdict(&problem, &cmp(0, CmpOp::Eq, 2), &term(1)),
        Equality::Proved
    );
    let (values, yields) = shown(&problem, &cmp(0, CmpOp::Eq, 3), &term(1).not()).unwrap();
    assert_eq!(values, "s = \"a\", s.is_empty() = false");
    assert_eq!(yields, [Some(false), Some(true)]);
}

#[test]
fn a_sum_of_floats_is_what_the_machine_makes_of_it() {
    let problem = Problem::default()
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::F64, Origin::Variable)
        .row(&[f64(1.5), f64(2.5)], true);
    let sum = |a, b| term(a).arith(ArithOp::Add, term(b));
    let (xy, yx) = (
        sum(0, 1).cmp(CmpOp::Gt, term(0)),
        sum(1, 0).cmp(CmpOp::Gt, term(0)),
    );
    assert_eq!(verdict(&problem, &xy, &yx), Equality::Proved);
    let context = difference(
        &xy,
        &cmp(1, CmpOp::Ge, 0),
        &problem.pool,
        &problem.spec.rows,
    );
    assert_eq!(
        context.map(|context| context.yields),
        Some([Some(true), Some(false)])
    );
}

/// `s.is_empty()` of [`pool`].
const IS_EMPTY: TermId = TermId::new(3);
/// `o.is_none()` of [`pool`].
const IS_NONE: TermId = TermId::new(5);

/// Terms of every kind, related by axioms where possible.
fn pool() -> Problem {
    let small = Type::Int(IntType::I8);
    Problem::default()
        .term("i", small, Origin::Variable)
        .term("j", small, Origin::Variable)
        .term("s.len()", USIZE, Origin::Query)
        .term("s.is_empty()", Type::Bool, Origin::Query)
        .term("o.is_some()", Type::Bool, Origin::Query)
        .term("o.is_none()", Type::Bool, Origin::Query)
        .term("o.unwrap()", small, Origin::Query)
        .term("x", Type::F64, Origin::Variable)
        .term("y", Type::F64, Origin::Variable)
        .term("c", Type::Char, Origin::Variable)
        .term("d", Type::Char, Origin::Variable)
        .constants(IntType::I8)
        .constants(IntType::Usize)
}

/// Values that satisfy the axioms.
fn values() -> impl Strategy<Value = Vec<Option<Value>>> {
    let number = || prop::sample::select(vec![-128i128, -127, -2, -1, 0, 1, 2, 126, 127]);
    let float = || prop::sample::select(vec![f64::NAN, -0.0, 0.0, 1.5, f64::INFINITY]);
    let letter = || prop::sample::select(vec!['\0', 'a', 'b', char::MAX]);
    let parts = (
        prop::option::weighted(0.8, number()),
        number(),
        0..3i128,
        prop::option::of(number()),
        (float(), float()),
        (letter(), letter()),
    );
    parts.prop_map(|(i, j, len, o, (x, y), (c, d))| {
        let small = |value| int(IntType::I8, value);
        vec![
            i.and_then(small),
            small(j),
            usize(len),
            bool(len == 0),
            bool(o.is_some()),
            bool(o.is_none()),
            o.and_then(small),
            f64(x),
            f64(y),
            Some(Value::Char(c)),
            Some(Value::Char(d)),
        ]
    })
}

/// Random conditions over [`pool`].
fn condition() -> impl Strategy<Value = Expr> {
    let small = prop::sample::select(vec![0, 1, 6, 11, 12, 13]).prop_map(term);
    let small = small.prop_recursive(1, 4, 2, |inner| {
        use ArithOp::{Add, Div, Mul, Rem, Sub};
        let op = prop::sample::select(vec![Add, Sub, Mul, Div, Rem]);
        (inner.clone(), op, inner).prop_map(|(a, op, b)| a.arith(op, b))
    });
    let among = |terms: &'static [u32]| {
        let term = || prop::sample::select(terms).prop_map(term);
        (term(), term())
    };
    let float = among(&[7, 8]).prop_flat_map(|(x, y)| {
        let sum = x.clone().arith(ArithOp::Add, y.clone());
        (prop::sample::select(vec![x, sum]), Just(y))
    });
    let op = prop::sample::select(&CmpOp::ALL[..]);
    let operands = prop_oneof![
        2 => (small.clone(), small),
        1 => among(&[2, 14, 15]),
        1 => float,
        1 => among(&[9, 10]),
    ];
    let leaf = prop_oneof![
        3 => (operands, op).prop_map(|((a, b), op)| a.cmp(op, b)),
        1 => prop::sample::select(vec![3, 4, 5]).prop_map(term),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Expr::not),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.or(b)),
        ]
    })
}

/// Usually the same condition in another spelling, sometimes a different condition.
fn rewritten(expr: &Expr) -> Expr {
    match expr {
        Expr::Not(a) => match &**a {
            Expr::Cmp(op, a, b) => Expr::Cmp(op.negated(), a.clone(), b.clone()),
            other => rewritten(other).not(),
        },
        Expr::And(a, b) => rewritten(a).not().or(rewritten(b).not()).not(),
        Expr::Or(a, b) => rewritten(b).or(rewritten(a)),
        Expr::Cmp(op, a, b) => Expr::Cmp(op.mirrored(), b.clone(), a.clone()),
        Expr::Term(IS_EMPTY) => cmp(2, CmpOp::Lt, 15),
        Expr::Term(IS_NONE) => term(4).not(),
        _ => expr.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_of_two_conditions_holds(
        (a, b) in condition().prop_flat_map(|a| {
            let again = rewritten(&a);
            (Just(a), prop_oneof![2 => Just(again), 1 => condition()])
        }),
        observed in prop::collection::vec(values(), 1..4),
        others in prop::collection::vec(values(), 100),
    ) {
        let mut problem = pool();
        for values in &observed {
            problem = problem.row(values, true);
        }
        let rows = problem.spec.rows.clone();
        let axioms = axioms(&problem.pool, &rows);
        let shown = format!("{} and {}", problem.show(&a), problem.show(&b));
        let check = |context: &Counterexample| {
            let mut row = rows[0].clone();
            for (term, value) in &context.values {
                row.values_mut()[*term] = value.clone();
            }
            assert_eq!([&a, &b].map(|expr| expr.eval_bool(&row)), context.yields, "{shown}");
            assert_ne!(context.yields[0], context.yields[1], "{shown}");
        };
        match verdict(&problem, &a, &b) {
            Equality::Differ(context) => {
                check(&context);
                let smallest = difference(&a, &b, &problem.pool, &rows);
                prop_assert!(smallest.is_some(), "{}", shown);
                prop_assert_eq!(&smallest, &difference(&a, &b, &problem.pool, &rows));
                check(&smallest.unwrap());
            }
            Equality::Proved => {
                prop_assert_eq!(difference(&a, &b, &problem.pool, &rows), None);
                for values in others {
                    problem = problem.row(&values, true);
                }
                for row in &problem.spec.rows {
                    if axioms.iter().all(|axiom| axiom.holds(row)) {
                        prop_assert_eq!(a.eval_bool(row), b.eval_bool(row), "{}", shown);
                    }
                }
            }
            Equality::Unknown => {}
        }
    }
}

#[test]
fn sums_of_literals_are_what_the_machine_makes_of_them() {
    use ArithOp::{Add, Div, Mul, Rem, Sub};
    for ty in [IntType::I8, IntType::U8] {
        let numbers = [-128, -1, 0, 1, 2, 127, 128, 255].map(Int::from_i128);
        let numbers: Vec<Int> = numbers.into_iter().filter(|n| n.fits(ty)).collect();
        let mut problem = Problem::default().term("p", Type::Bool, Origin::Variable);
        for number in &numbers {
            let constant = Some(Value::Int(ty, *number));
            let text = number.to_string();
            problem = problem.term(&text, Type::Int(ty), Origin::Constant);
            problem.pool.terms.last_mut().unwrap().constant = constant;
        }
        let literals: Vec<TermId> = problem.pool.terms.keys().skip(1).collect();
        let pairs = literals
            .iter()
            .flat_map(|a| literals.iter().map(move |b| (*a, *b)));
        for (a, b) in pairs {
            for op in [Add, Sub, Mul, Div, Rem] {
                let sum = Expr::Term(a).arith(op, Expr::Term(b));
                let row = problem.clone().row(&[bool(false)], true).spec.rows[0].clone();
                let result = sum.eval(&row);
                let shown = problem.show(&sum);
                let equals = |c: TermId| sum.clone().cmp(CmpOp::Eq, Expr::Term(c));
                // `p || X` is `X || p` unless X is undefined.
                let early = term(0).or(equals(literals[0]));
                let late = equals(literals[0]).or(term(0));
                let verdict = verdict(&problem, &early, &late);
                assert_eq!(verdict == Equality::Proved, result.is_some(), "{shown}");
                assert_ne!(verdict, Equality::Unknown, "{shown}");
                let known = literals.iter().zip(&numbers);
                for (c, number) in known.filter(|_| result.is_some()) {
                    let is = result == problem.pool.terms[*c].constant;
                    let known = if is {
                        term(0).or(term(0).not())
                    } else {
                        term(0)
                    };
                    let said = equal(&equals(*c).or(term(0)), &known, &problem.pool, &[]);
                    assert_eq!(said, Equality::Proved, "{shown} == {number}");
                }
            }
        }
    }
}

#[test]
fn sums_and_products_of_remainders_are_equal_in_any_order() {
    for ty in [IntType::U32, IntType::I64] {
        let number = |value| Some(Value::Int(ty, Int::from_i128(value)));
        let mut problem = numbers(ty)
            .row(&[number(7), number(3)], true)
            .row(&[number(6), number(3)], false);
        let two = problem.pool.terms.push_and_get_key(Term {
            constant: number(2),
            ..Term::new(
                Access::literal("2".to_owned()),
                Type::Int(ty),
                Origin::Constant,
            )
        });
        for row in &mut problem.spec.rows {
            row.values_mut().push(number(2));
        }
        let two = || Expr::Term(two);
        let rest = || term(0).arith(ArithOp::Rem, term(1));
        let above_one = |of: Expr| of.cmp(CmpOp::Gt, term(3));
        let twice = || above_one(rest().arith(ArithOp::Add, rest()));
        let both = |a: &Expr, b: &Expr| equal(a, b, &problem.pool, &problem.spec.rows);
        for same in [
            rest().arith(ArithOp::Mul, two()),
            two().arith(ArithOp::Mul, rest()),
        ] {
            assert_eq!(both(&twice(), &above_one(same)), Equality::Proved, "{ty:?}");
        }
        let product = |a: Expr, b: Expr| above_one(a.arith(ArithOp::Mul, b));
        let more = || term(1).arith(ArithOp::Add, term(3));
        let more_turned = || term(3).arith(ArithOp::Add, term(1));
        let turned = both(&product(rest(), more()), &product(more_turned(), rest()));
        assert_eq!(turned, Equality::Proved, "{ty:?}");
        // The sum may overflow where the remainder does not, and differences have an order.
        let once = rest().cmp(CmpOp::Gt, term(2));
        assert_ne!(both(&twice(), &once), Equality::Proved, "{ty:?}");
        let less = |a: Expr, b: Expr| above_one(a.arith(ArithOp::Sub, b));
        let turned = both(&less(rest(), term(1)), &less(term(1), rest()));
        assert_ne!(turned, Equality::Proved, "{ty:?}");
    }
}
