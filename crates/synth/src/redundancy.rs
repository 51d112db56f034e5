//! The redundancy filter rejects conditions with a clause that decides nothing, a repeated clause, or a
//! comparison of unrelated values.

use nopol_expr::{Access, CmpOp, Expr, Pool, Reading, TermId, Type, Value};

/// Whether a part of a condition decides nothing, given the types of its operands: `n >= 0` of an unsigned number, or a
/// clause that another one makes superfluous.
pub fn has_idle_part(expr: &Expr, pool: &Pool) -> bool {
    has_tautology(expr, pool) || has_repeated_clause(expr, pool)
}

/// Whether two clauses of one conjunction or disjunction compare the same two operands, or one operand with two literals so
/// that one clause is enough, or both are always or never fulfilled.
pub(super) fn has_repeated_clause(expr: &Expr, pool: &Pool) -> bool {
    let mut clauses = Vec::new();
    let conjunction = matches!(expr, Expr::And(..));
    match expr {
        Expr::And(..) => clauses_of(expr, true, &mut clauses),
        Expr::Or(..) => clauses_of(expr, false, &mut clauses),
        _ => {}
    }
    let repeated = clauses.iter().enumerate().any(|(at, clause)| {
        let mut earlier = clauses[..at].iter();
        earlier.any(|other| {
            same_operands(other, clause)
                || same_side(other, clause, pool)
                || is_idle(other, clause, conjunction, pool)
        })
    });
    // `a && (a || b)` is `a`, and `a && (!a || b)` is `a && b`.
    let is_absorbed = clauses.iter().any(|clause| {
        let mut inner = Vec::new();
        clauses_of(clause, !conjunction, &mut inner);
        let mut others = clauses
            .iter()
            .filter(|other| !std::ptr::eq(**other, *clause));
        let is_same = |other: &Expr, part: &Expr| other == part || same_operands(other, part);
        inner.len() > 1 && others.any(|other| inner.iter().any(|part| is_same(other, part)))
    });
    repeated
        || is_absorbed
        || expr
            .children()
            .any(|child| has_repeated_clause(child, pool))
}

/// The clauses of a conjunction (or, if not `conjunction`, a disjunction). Any other expression is a single
/// clause.
pub(super) fn clauses_of<'e>(expr: &'e Expr, conjunction: bool, clauses: &mut Vec<&'e Expr>) {
    match (expr, conjunction) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            clauses_of(a, conjunction, clauses);
            clauses_of(b, conjunction, clauses);
        }
        _ => clauses.push(expr),
    }
}

/// Whether two clauses bound one operand on the same side.
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

/// The number or character that a constant is.
fn number(expr: &Expr, pool: &Pool) -> Option<i128> {
    let Expr::Term(term) = expr else {
        return None;
    };
    match &pool.terms[*term].constant {
        Some(Value::Int(_, int)) => int.to_i128(),
        Some(Value::Char(letter)) => Some(i128::from(u32::from(*letter))),
        _ => None,
    }
}

/// What a clause compares with a number. In C the truth of a number is another term than the number itself.
#[derive(PartialEq)]
enum Compared<'e> {
    Access(&'e Access),
    Expr(&'e Expr),
}

/// What a clause compares with a number, by which operator, and the number. The truth of a number asks whether it is 0.
fn bound<'e>(expr: &'e Expr, pool: &'e Pool) -> Option<(Compared<'e>, CmpOp, i128)> {
    let compared = |expr: &'e Expr| match expr {
        Expr::Term(term) => Compared::Access(&pool.terms[*term].access),
        _ => Compared::Expr(expr),
    };
    match expr {
        Expr::Cmp(op, left, right) => match (number(left, pool), number(right, pool)) {
            (None, Some(value)) => Some((compared(left), *op, value)),
            (Some(value), None) => Some((compared(right), op.mirrored(), value)),
            _ => None,
        },
        Expr::Term(term) => {
            let term = &pool.terms[*term];
            let is_truth = term.reading == Reading::Converted && term.ty == Type::Bool;
            is_truth.then_some((Compared::Access(&term.access), CmpOp::Ne, 0))
        }
        Expr::Not(inner) if matches!(**inner, Expr::Term(_)) => {
            bound(inner, pool).map(|(compared, _, value)| (compared, CmpOp::Eq, value))
        }
        _ => None,
    }
}

/// Whether two clauses compare one operand with numbers so that one of them is enough, or none is needed.
fn is_idle(a: &Expr, b: &Expr, conjunction: bool, pool: &Pool) -> bool {
    match (bound(a, pool), bound(b, pool)) {
        (Some((x, op, value)), Some((y, other, of_other))) => {
            // With one number, one comparison says what two say.
            let is_one = value == of_other;
            x == y && (is_one || CmpOp::are_idle([(op, value), (other, of_other)], conjunction))
        }
        _ => false,
    }
}

/// Whether a mined constant is compared with a term it was not mined from, something is computed from a sign, a number is converted to a type
/// that no operand has, or it is compared whether a pointer is null.
pub(super) fn has_invalid_operand(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Cmp(_, a, b) if [a, b].iter().any(|side| is_null_test(side, pool)) => true,
        Expr::Cmp(_, a, b) => match (&**a, &**b) {
            (Expr::Term(a), Expr::Term(b)) => !pool.may_compare(*a, *b),
            (a, b) => {
                !pool.have_own_type(&expr.terms())
                    || has_invalid_operand(a, pool)
                    || has_invalid_operand(b, pool)
            }
        },
        Expr::Term(term) => !pool.terms[*term].mined_from.is_empty(),
        // Arithmetic on two `int`s has type `int`, whatever it is compared with.
        Expr::Arith(_, a, b) => {
            let is_sign = |term: &TermId| pool.terms[*term].reading == Reading::Sign;
            expr.terms().iter().any(is_sign)
                || !pool.have_own_type(&expr.terms())
                || has_invalid_operand(a, pool)
                || has_invalid_operand(b, pool)
        }
        _ => expr
            .children()
            .any(|child| has_invalid_operand(child, pool)),
    }
}

/// Whether an expression asks only if a pointer is null.
fn is_null_test(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Term(term) => pool.terms[*term].is_presence(),
        Expr::Not(inner) => is_null_test(inner, pool),
        Expr::And(..) | Expr::Or(..) | Expr::Cmp(..) | Expr::Arith(..) => false,
    }
}

/// Whether a part of the expression is constant by its form: `true` or `false` as a clause, an operand compared
/// with itself, a number compared with the bounds of its type, or one that is divided by 1 and the like.
pub(super) fn has_tautology(expr: &Expr, pool: &Pool) -> bool {
    let is_literal = |expr: &Expr| matches!(expr, Expr::Term(term) if matches!(pool.terms[*term].constant, Some(Value::Bool(_))));
    let own = match expr {
        Expr::And(a, b) | Expr::Or(a, b) => is_literal(a) || is_literal(b),
        Expr::Cmp(op, a, b) => {
            let bounds = |expr: &Expr| match expr {
                Expr::Term(term) => match &pool.terms[*term].constant {
                    Some(Value::Int(ty, int)) => {
                        let [least, greatest] = ty.bounds();
                        (*int == least, *int == greatest)
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
        Expr::Arith(op, a, b) => op.is_idle(number(a, pool), number(b, pool)),
        _ => false,
    };
    own || expr.children().any(|child| has_tautology(child, pool))
}

/// Whether both expressions compare the same two operands.
pub(super) fn same_operands(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Cmp(_, a, b), Expr::Cmp(_, c, d)) => a == c && b == d || a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{NullTest, Origin, Term};
    use nopol_source::Language;

    use super::*;

    #[test]
    fn it_is_not_compared_whether_a_pointer_is_null() {
        let term = |text: &str, reading| Term {
            reading,
            ..Term::new(Language::C.access(text), Type::Bool, Origin::Variable)
        };
        let pool = Pool {
            terms: vec![
                term("p", Reading::Presence(NullTest::Truth)),
                term("flag", Reading::Exact),
            ]
            .into(),
        };
        let [p, flag] = [0, 1].map(|term| Expr::Term(TermId::new(term)));
        let equal = |a: &Expr, b: &Expr| a.clone().cmp(CmpOp::Eq, b.clone());
        let negated = p.clone().not();
        assert!(has_invalid_operand(&equal(&flag, &negated), &pool));
        assert!(has_invalid_operand(
            &flag.clone().and(equal(&p, &flag)),
            &pool
        ));
        assert!(!has_invalid_operand(&equal(&flag, &flag), &pool));
        assert!(!has_invalid_operand(&p.and(flag), &pool));
    }
}
