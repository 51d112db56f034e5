//! What nobody would write: conditions that say nothing, say it twice, or compare what has nothing to
//! do with each other.

use crate::spec::{CmpOp, Expr, Pool, Value};

/// Whether two clauses of one conjunction or disjunction compare the same two operands, or bound one
/// operand by two literals on the same side: one of them would do.
pub(super) fn repeats_itself(expr: &Expr, pool: &Pool) -> bool {
    let mut clauses = Vec::new();
    match expr {
        Expr::And(..) => clauses_of(expr, true, &mut clauses),
        Expr::Or(..) => clauses_of(expr, false, &mut clauses),
        _ => {}
    }
    let repeated = clauses.iter().enumerate().any(|(at, clause)| {
        let mut earlier = clauses[..at].iter();
        earlier.any(|other| same_operands(other, clause) || same_side(other, clause, pool))
    });
    // `a && (a || b)` is `a`, and `a && (!a || b)` is `a && b`.
    let conjunction = matches!(expr, Expr::And(..));
    let is_absorbed = clauses.iter().any(|clause| {
        let mut inner = Vec::new();
        clauses_of(clause, !conjunction, &mut inner);
        let mut others = clauses
            .iter()
            .filter(|other| !std::ptr::eq(**other, *clause));
        inner.len() > 1 && others.any(|other| inner.iter().any(|part| same_operands(other, part)))
    });
    repeated || is_absorbed || expr.children().any(|child| repeats_itself(child, pool))
}

/// The clauses of a conjunction or disjunction; a single one otherwise.
pub(super) fn clauses_of<'e>(expr: &'e Expr, conjunction: bool, clauses: &mut Vec<&'e Expr>) {
    match (expr, conjunction) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            clauses_of(a, conjunction, clauses);
            clauses_of(b, conjunction, clauses);
        }
        _ => clauses.push(expr),
    }
}

fn same_side(a: &Expr, b: &Expr, pool: &Pool) -> bool {
    let bound = |expr: &Expr| match expr {
        Expr::Cmp(op, left, right) => match &**right {
            Expr::Term(term) if pool.terms[*term].constant.is_some() => {
                Some((*op, (**left).clone()))
            }
            _ => None,
        },
        _ => None,
    };
    let is_upper = |op: CmpOp| matches!(op, CmpOp::Lt | CmpOp::Le);
    match (bound(a), bound(b)) {
        (Some((s, x)), Some((t, y))) => {
            x == y && s.orders() && t.orders() && is_upper(s) == is_upper(t)
        }
        _ => false,
    }
}

/// Whether a value that was seen is used where it was not seen, or a number has a type only because of
/// an operand that is not there.
pub(super) fn has_stray_value(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Cmp(_, a, b) => match (&**a, &**b) {
            (Expr::Term(a), Expr::Term(b)) => !pool.go_together(*a, *b),
            (a, b) => {
                !pool.have_type(&expr.terms())
                    || has_stray_value(a, pool)
                    || has_stray_value(b, pool)
            }
        },
        Expr::Term(term) => !pool.terms[*term].seen_in.is_empty(),
        // What is computed of two `int`s is an `int`, whatever it is compared with.
        Expr::Arith(_, a, b) => {
            !pool.have_type(&expr.terms()) || has_stray_value(a, pool) || has_stray_value(b, pool)
        }
        _ => expr.children().any(|child| has_stray_value(child, pool)),
    }
}

/// Whether some part of the expression says nothing: `true` or `false` as a clause, a thing compared
/// with itself, or whether a number is within the bounds of its type.
pub(super) fn has_tautology(expr: &Expr, pool: &Pool) -> bool {
    let is_literal = |expr: &Expr| matches!(expr, Expr::Term(term) if matches!(pool.terms[*term].constant, Some(Value::Bool(_))));
    let own = match expr {
        Expr::And(a, b) | Expr::Or(a, b) => is_literal(a) || is_literal(b),
        Expr::Cmp(op, a, b) => {
            let bounds = |expr: &Expr| match expr {
                Expr::Term(term) => match &pool.terms[*term].constant {
                    Some(Value::Int(ty, int)) => {
                        let value = int.to_i128();
                        let greatest = match (ty.signed(), ty.bits()) {
                            (_, 128) => None,
                            (true, bits) => Some((1_i128 << (bits - 1)) - 1),
                            (false, bits) => Some((1_i128 << bits) - 1),
                        };
                        let least = match ty.signed() {
                            true => greatest.map(|greatest| -greatest - 1),
                            false => Some(0),
                        };
                        (
                            value.is_some() && value == least,
                            value.is_some() && value == greatest,
                        )
                    }
                    _ => (false, false),
                },
                _ => (false, false),
            };
            let settled = |op: CmpOp, (is_least, is_greatest): (bool, bool)| match op {
                CmpOp::Ge | CmpOp::Lt => is_least,
                CmpOp::Le | CmpOp::Gt => is_greatest,
                CmpOp::Eq | CmpOp::Ne => false,
            };
            a == b || settled(*op, bounds(b)) || settled(op.mirrored(), bounds(a))
        }
        _ => false,
    };
    own || expr.children().any(|child| has_tautology(child, pool))
}

/// Whether both are comparisons of the same two operands.
pub(super) fn same_operands(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Cmp(_, a, b), Expr::Cmp(_, c, d)) => a == c && b == d || a == d && b == c,
        _ => false,
    }
}
