//! Whether two conditions are one, and if not, the context that shows it best: the interface, free
//! of z3. The solver works over machine types (`smt/distinguish.rs`); whatever context it proposes
//! is evaluated by [`Expr::eval_bool`] before anybody sees it.

pub(super) mod axioms;
mod nearby;
pub(super) mod pair;

use super::smt::distinguish as solver;
use crate::spec::{Expr, Pool, Row};
use pair::Pair;
pub use pair::{Context, Equality};

/// Whether two conditions have the same value wherever both are defined and are defined in the
/// same places. The rows say which terms may be undefined: one that never was counts as always
/// defined, but for a payload.
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
        None if is_hard(&pair) => Equality::Unknown,
        None => solver::equal(&pair),
    }
}

/// The smallest context in which two conditions differ: a row if they differ in one, else as few
/// terms as possible changed from a row, to values of small magnitude. `None` if they are equal, or
/// none was found within the limit.
pub fn difference(a: &Expr, b: &Expr, pool: &Pool, rows: &[Row]) -> Option<Context> {
    let [a, b] = &[a, b].map(|expr| expr.expanded(pool));
    let pair = Pair::new(a, b, pool, rows)?;
    let found = pair.observed().or_else(|| nearby::difference(&pair));
    match found {
        None if !is_hard(&pair) => solver::difference(&pair),
        found => found,
    }
}

fn is_hard(pair: &Pair) -> bool {
    pair.exprs
        .iter()
        .any(|expr| nearby::is_hard(expr, pair.pool))
}
