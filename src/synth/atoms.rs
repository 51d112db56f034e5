//! The clauses a condition is built from: boolean terms, their negations, and comparisons of two
//! terms. Of clauses that agree in every row only the cheapest few are kept.

use super::rank;
use super::table::{Planes, Table};
use crate::spec::{CmpOp, Expr, Pool, TermId, Type};
use std::collections::BTreeMap;

/// How many clauses that agree in every row are kept, so that ranking can show alternatives.
const PER_CLASS: usize = 3;

/// A clause and what it yields in each row.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub expr: Expr,
    pub planes: Planes,
    pub cost: u32,
}

/// Whether a term is a literal.
pub(super) fn is_constant(pool: &Pool, term: TermId) -> bool {
    pool.terms[term].constant.is_some()
}

/// `a op b` as a human writes it: the constant on the right.
pub(super) fn comparison(pool: &Pool, op: CmpOp, a: TermId, b: TermId) -> Expr {
    match is_constant(pool, a) && !is_constant(pool, b) {
        true => Expr::Term(b).cmp(op.mirrored(), Expr::Term(a)),
        false => Expr::Term(a).cmp(op, Expr::Term(b)),
    }
}

/// Every clause that yields both outcomes somewhere, cheapest first.
pub(super) fn atoms(table: &Table) -> Vec<Atom> {
    let mut classes: BTreeMap<Planes, Vec<(u32, Expr)>> = BTreeMap::new();
    let mut keep = |expr: Expr, planes: Planes| {
        if planes.is_constant() {
            return;
        }
        let class = classes.entry(planes).or_default();
        class.push((rank::expr_cost(&expr, table.pool), expr));
        class.sort();
        class.truncate(PER_CLASS);
    };
    let terms = &table.pool.terms;
    let usable = |term: &TermId| !table.is_opaque(*term);
    for a in (0..terms.len()).filter(usable) {
        if terms[a].ty == Type::Bool {
            if !is_constant(table.pool, a) {
                let expr = Expr::Term(a);
                keep(expr.clone(), table.planes(&expr));
                keep(expr.clone().not(), table.planes(&expr.not()));
            }
            continue;
        }
        for b in (a + 1..terms.len()).filter(usable) {
            if terms[b].ty != terms[a].ty
                || is_constant(table.pool, a) && is_constant(table.pool, b)
                || !terms[a].goes_with(b)
                || !terms[b].goes_with(a)
            {
                continue;
            }
            for (op, planes) in table.comparisons(a, b) {
                if op.orders() && !terms[a].ty.ordered() {
                    continue;
                }
                let expr = comparison(table.pool, op, a, b);
                // With a NaN the negation of an order is not the opposite order.
                if op.orders() && (table.has_nan(a) || table.has_nan(b)) {
                    keep(expr.clone().not(), planes.negated());
                }
                keep(expr, planes);
            }
        }
    }
    let mut atoms: Vec<Atom> = Vec::new();
    for (planes, class) in classes {
        for (cost, expr) in class {
            atoms.push(Atom {
                expr,
                planes: planes.clone(),
                cost,
            });
        }
    }
    atoms.sort_by(|a, b| (a.cost, &a.expr).cmp(&(b.cost, &b.expr)));
    atoms
}
