//! Equivalence of two conditions, and the simplest counterexample if they differ. This interface is independent
//! of z3. The solver works over machine types (`smt/distinguish.rs`), and every counterexample it proposes is
//! confirmed by [`Expr::eval_bool`].

pub(super) mod axioms;
mod nearby;
mod opaque;
pub(super) mod pair;

use std::collections::BTreeSet;

use super::smt::distinguish as solver;
use nopol_expr::{Expr, Pool, Row, TermId};
use pair::Pair;
pub use pair::{Counterexample, Equality};

/// Whether two conditions are defined in the same contexts and have the same values there. The rows show which
/// terms may be undefined: a term that is defined in every row counts as always defined, unless it is a payload.
pub fn equal(a: &Expr, b: &Expr, pool: &Pool, rows: &[Row]) -> Equality {
    let [a, b] = &[a, b].map(|expr| expr.expanded(pool));
    let Some(pair) = Pair::new(a, b, pool, rows) else {
        return Equality::Unknown;
    };
    if a == b {
        return Equality::Proved;
    }
    match pair.observed().or_else(|| nearby::difference(&pair)) {
        Some(context) => Equality::Differ(context),
        None if is_hard(&pair) => match opaque::are_equal(&pair) {
            true => Equality::Proved,
            false => Equality::Unknown,
        },
        None => solver::equal(&pair),
    }
}

/// Whether `a` has the value of `b` wherever `b` can be computed, which is proved; then `b` is `a`, or `a` that panics for
/// some values.
pub fn covers(a: &Expr, b: &Expr, pool: &Pool, rows: &[Row]) -> bool {
    let [a, b] = &[a, b].map(|expr| expr.expanded(pool));
    let Some(pair) = Pair::new(a, b, pool, rows) else {
        return false;
    };
    let pair = Pair {
        is_covering: true,
        ..pair
    };
    let is_refuted = pair.observed().is_some() || nearby::difference(&pair).is_some();
    !is_refuted
        && match is_hard(&pair) {
            true => opaque::are_equal(&pair),
            false => solver::equal(&pair) == Equality::Proved,
        }
}

/// The simplest context in which two conditions differ: a row if they differ in one, else a row with as few
/// terms as possible changed to values of small magnitude. What was the same in all of many rows stays the same.
/// `None` if they are equal, or if none is found within the limit.
pub fn difference(a: &Expr, b: &Expr, pool: &Pool, rows: &[Row]) -> Option<Counterexample> {
    let [a, b] = &[a, b].map(|expr| expr.expanded(pool));
    let pair = Pair::new(a, b, pool, rows)?.tied();
    let found = pair.observed().or_else(|| nearby::difference(&pair));
    match found {
        // The solver knows no ties.
        None if pair.tied.is_empty() && !is_hard(&pair) => solver::difference(&pair),
        found => found,
    }
}

/// As [`difference`], but only a context that can occur: a row, or one with other values of `inputs`, the terms that whoever
/// calls the function may choose as they like. Terms that something else used depends on keep their values.
pub fn possible_difference(
    a: &Expr,
    b: &Expr,
    pool: &Pool,
    rows: &[Row],
    inputs: &BTreeSet<TermId>,
) -> Option<Counterexample> {
    let [a, b] = &[a, b].map(|expr| expr.expanded(pool));
    let pair = Pair::new(a, b, pool, rows)?.tied().varying(inputs);
    let found = pair.observed().or_else(|| nearby::difference(&pair));
    match found {
        None if pair.varied.len() == pair.used.len() && pair.tied.is_empty() && !is_hard(&pair) => {
            solver::difference(&pair)
        }
        found => found,
    }
}

fn is_hard(pair: &Pair) -> bool {
    pair.exprs
        .iter()
        .any(|expr| nearby::is_hard(expr, pair.pool))
}
