//! The operands of two connectives grouped the other way: `a || b && c` to `(a || b) && c`.

use nopol_expr::Expr;

use crate::redundancy::clauses_of;

/// The expressions that a node may become, as long as one connective stands in the other.
pub(super) fn regrouped(node: &Expr) -> Vec<Expr> {
    let (a, b, is_and) = match node {
        Expr::And(a, b) => (&**a, &**b, true),
        Expr::Or(a, b) => (&**a, &**b, false),
        _ => return Vec::new(),
    };
    let mut all = around(a, b, is_and);
    // Of `x || a || b && c` also the last two only.
    if let (Expr::And(first, last), true) | (Expr::Or(first, last), false) = (a, is_and) {
        let parts = around(last, b, is_and).into_iter();
        all.extend(parts.map(|part| join(is_and, (**first).clone(), part)));
    }
    all
}

/// `a op b`, where `a` or `b` is a chain of the other connective: of the chain, the first or last operands are grouped with
/// what stands beside it.
fn around(a: &Expr, b: &Expr, is_and: bool) -> Vec<Expr> {
    let chain = |expr| -> Vec<Expr> {
        let mut clauses = Vec::new();
        clauses_of(expr, !is_and, &mut clauses);
        clauses.into_iter().cloned().collect()
    };
    let chained = |clauses: &[Expr]| {
        let clauses = clauses.iter().cloned();
        clauses.reduce(|a, b| join(!is_and, a, b))
    };
    let mut all = Vec::new();
    let (before, after) = (chain(a), chain(b));
    for end in 1..after.len() {
        if let (Some(grouped), Some(rest)) = (chained(&after[..end]), chained(&after[end..])) {
            all.push(join(!is_and, join(is_and, a.clone(), grouped), rest));
        }
    }
    for start in 1..before.len() {
        if let (Some(rest), Some(grouped)) = (chained(&before[..start]), chained(&before[start..]))
        {
            all.push(join(!is_and, rest, join(is_and, grouped, b.clone())));
        }
    }
    all
}

fn join(is_and: bool, a: Expr, b: Expr) -> Expr {
    match is_and {
        true => a.and(b),
        false => a.or(b),
    }
}
