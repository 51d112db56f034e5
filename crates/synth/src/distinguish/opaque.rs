//! Conditions that multiply, divide or take remainders, which solvers cannot: what they compute so is any value, the same one
//! wherever the same is computed, in whichever order sums and products have their operands. What is equal then is equal. Nothing else
//! follows.

use std::sync::Arc;

use nopol_expr::{Access, ArithOp, Expr, Origin, Pool, Row, Term, TermId};

use super::axioms::Axiom;
use super::nearby::{is_hard_itself, is_power_of_two};
use super::pair::{Equality, Pair};
use super::solver;

/// Whether the conditions of a pair are equal whatever their products, quotients and remainders are.
pub(super) fn are_equal(pair: &Pair) -> bool {
    let mut opaque = Opaque {
        pool: pair.pool.clone(),
        hidden: Vec::new(),
    };
    let ordered = pair.exprs.map(|expr| ordered(expr, pair.pool));
    let [Some(a), Some(b)] = ordered.map(|expr| opaque.hide(&expr)) else {
        return false;
    };
    let rows: Vec<Row> = pair.rows.iter().map(|row| opaque.extended(row)).collect();
    let Some(mut new) = Pair::new(&a, &b, &opaque.pool, &rows) else {
        return false;
    };
    new.is_covering = pair.is_covering;
    // A product may overflow where it did not in any row.
    let is_hidden = |id: TermId| opaque.hidden.iter().any(|(_, hidden)| *hidden == id);
    new.axioms
        .retain(|axiom| !matches!(axiom, Axiom::Total(id) if is_hidden(*id)));
    solver::equal(&new) == Equality::Proved
}

/// The same with the operands of each sum and product in one order, powers of two last: the solver can multiply by them.
fn ordered(expr: &Expr, pool: &Pool) -> Expr {
    let both = |a: &Expr, b: &Expr| (ordered(a, pool), ordered(b, pool));
    match expr {
        Expr::Term(term) => Expr::Term(*term),
        Expr::Not(a) => ordered(a, pool).not(),
        Expr::And(a, b) => {
            let (a, b) = both(a, b);
            a.and(b)
        }
        Expr::Or(a, b) => {
            let (a, b) = both(a, b);
            a.or(b)
        }
        Expr::Cmp(op, a, b) => {
            let (a, b) = both(a, b);
            a.cmp(*op, b)
        }
        Expr::Arith(op, a, b) => {
            let (a, b) = both(a, b);
            let place = |of: &Expr| (is_power_of_two(of, pool), of.clone());
            let is_turned = matches!(op, ArithOp::Add | ArithOp::Mul) && place(&b) < place(&a);
            match is_turned {
                true => b.arith(*op, a),
                false => a.arith(*op, b),
            }
        }
    }
}

struct Opaque {
    pool: Pool,
    /// What is hidden, and the term that stands for it.
    hidden: Vec<(Expr, TermId)>,
}

impl Opaque {
    /// An expression with a term for each hard part; `None` if its types do not fit.
    fn hide(&mut self, expr: &Expr) -> Option<Expr> {
        if is_hard_itself(expr, &self.pool) {
            return self.term(expr).map(Expr::Term);
        }
        let mut both = |a: &Expr, b: &Expr| Some((self.hide(a)?, self.hide(b)?));
        Some(match expr {
            Expr::Term(term) => Expr::Term(*term),
            Expr::Not(a) => self.hide(a)?.not(),
            Expr::And(a, b) => {
                let (a, b) = both(a, b)?;
                a.and(b)
            }
            Expr::Or(a, b) => {
                let (a, b) = both(a, b)?;
                a.or(b)
            }
            Expr::Cmp(op, a, b) => {
                let (a, b) = both(a, b)?;
                a.cmp(*op, b)
            }
            Expr::Arith(op, a, b) => {
                let (a, b) = both(a, b)?;
                a.arith(*op, b)
            }
        })
    }

    fn term(&mut self, expr: &Expr) -> Option<TermId> {
        if let Some((_, known)) = self.hidden.iter().find(|(hidden, _)| hidden == expr) {
            return Some(*known);
        }
        let ty = expr.ty(&self.pool)?;
        // No variable has such a name.
        let access = Access::variable(format!("hidden {}", self.hidden.len()));
        let term = Term::new(access, ty, Origin::Harvested);
        let id = self.pool.terms.push_and_get_key(term);
        self.hidden.push((expr.clone(), id));
        Some(id)
    }

    /// A row with the values of what is hidden.
    fn extended(&self, row: &Row) -> Row {
        let mut values = (*row.values).clone();
        for (expr, _) in &self.hidden {
            values.push(expr.eval(row));
        }
        Row {
            values: Arc::new(values),
            ..row.clone()
        }
    }
}
