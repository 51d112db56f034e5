//! A form in which expressions that only differ in how they are written are equal, so that each is
//! shown once: negations pushed inwards, clauses in order, integer comparisons as `a + k < b`,
//! state queries by what they mean (`is_empty` is `len == 0`, `is_none` is `!is_some`).
//!
//! Overflow, where it is undefined, is left out of it: `n + 1 > m` and `n >= m` have one form, and the shorter is kept, at the
//! cost of the cheaper.

use crate::spec::{ArithOp, CmpOp, Expr, Pool, TermId, Type, Value};

/// The form of a boolean expression.
pub(super) fn normal_form(expr: &Expr, pool: &Pool) -> String {
    form(expr, false, pool)
}

fn form(expr: &Expr, negated: bool, pool: &Pool) -> String {
    match expr {
        Expr::Term(term) => query(*term, negated, pool),
        Expr::Not(a) => form(a, !negated, pool),
        Expr::And(..) | Expr::Or(..) => {
            let mut clauses = Vec::new();
            let conjunction = matches!(expr, Expr::And(..)) != negated;
            flatten(expr, conjunction, negated, pool, &mut clauses);
            clauses.sort();
            clauses.dedup();
            format!(
                "({})",
                clauses.join(if conjunction { " & " } else { " | " })
            )
        }
        Expr::Cmp(op, a, b) => comparison(*op, a, b, negated, pool),
        Expr::Arith(..) => operand(expr, pool),
    }
}

/// The clauses of a conjunction or disjunction, as it is once negations are pushed inwards.
fn flatten(expr: &Expr, conjunction: bool, negated: bool, pool: &Pool, clauses: &mut Vec<String>) {
    match expr {
        Expr::Not(a) => flatten(a, conjunction, !negated, pool, clauses),
        Expr::And(a, b) | Expr::Or(a, b)
            if (matches!(expr, Expr::And(..)) != negated) == conjunction =>
        {
            flatten(a, conjunction, negated, pool, clauses);
            flatten(b, conjunction, negated, pool, clauses);
        }
        _ => clauses.push(form(expr, negated, pool)),
    }
}

/// A boolean term; one of two queries that are each other's opposite stands for both.
fn query(term: TermId, negated: bool, pool: &Pool) -> String {
    let text = &pool.terms[term].text;
    let opposites = [("is_none()", "is_some()"), ("is_err()", "is_ok()")];
    for (query, opposite) in opposites {
        if let Some(receiver) = text.strip_suffix(query) {
            return literal(&format!("{receiver}{opposite}"), !negated);
        }
    }
    match text.strip_suffix("is_empty()") {
        // A length is never negative: either 0, or more.
        Some(receiver) if negated => less("", &format!("{receiver}len()"), 0),
        Some(receiver) => less(&format!("{receiver}len()"), "", -1),
        None => literal(text, negated),
    }
}

fn literal(text: &str, negated: bool) -> String {
    format!("{}{text}", if negated { "!" } else { "" })
}

/// `a + k < b`, where an empty text is 0.
fn less(a: &str, b: &str, k: i128) -> String {
    format!("{a} + {k} < {b}")
}

fn comparison(op: CmpOp, a: &Expr, b: &Expr, negated: bool, pool: &Pool) -> String {
    let ty = a.ty(pool);
    let Some(Type::Int(int)) = ty else {
        let is_float = matches!(ty, Some(Type::F32 | Type::F64));
        // The negation of an order of floats is no order.
        let exact = !op.orders() || !is_float;
        let (op, negated) = if negated && exact {
            (op.negated(), false)
        } else {
            (op, negated)
        };
        let (mut a, mut b, mut op) = (operand(a, pool), operand(b, pool), op);
        if matches!(op, CmpOp::Gt | CmpOp::Ge) || (!op.orders() && b < a) {
            (a, b, op) = (b, a, op.mirrored());
        }
        return literal(&format!("({a} {op:?} {b})"), negated);
    };
    let op = if negated { op.negated() } else { op };
    let ((a, left), (b, right)) = (offset(a, pool), offset(b, pool));
    let k = left.saturating_sub(right);
    match op {
        CmpOp::Lt => less(&a, &b, k),
        CmpOp::Le => less(&a, &b, k.saturating_sub(1)),
        CmpOp::Gt => less(&b, &a, k.saturating_neg()),
        CmpOp::Ge => less(&b, &a, k.saturating_neg().saturating_sub(1)),
        CmpOp::Eq | CmpOp::Ne => {
            let (a, b, k) = if b < a {
                (b, a, k.saturating_neg())
            } else {
                (a, b, k)
            };
            let is_zero = a.is_empty() && k == 0 && !int.signed();
            match (is_zero, op) {
                (true, CmpOp::Eq) => less(&b, "", -1),
                (true, _) => less("", &b, 0),
                (false, _) => format!("{a} + {k} {op:?} {b}"),
            }
        }
    }
}

/// An integer expression as a text and a number added to it.
fn offset(expr: &Expr, pool: &Pool) -> (String, i128) {
    if let Some(number) = constant(expr, pool) {
        return (String::new(), number);
    }
    let wraps = matches!(expr.ty(pool), Some(Type::Int(int)) if int.wraps());
    if let Expr::Arith(op @ (ArithOp::Add | ArithOp::Sub), a, b) = expr
        && !wraps
    {
        let ((a, j), (b, k)) = (offset(a, pool), offset(b, pool));
        return match op {
            ArithOp::Sub if b.is_empty() => (a, j.saturating_sub(k)),
            ArithOp::Sub => (format!("({a} - {b})"), j.saturating_sub(k)),
            _ => {
                let mut parts = [a, b];
                parts.sort();
                let sum = match parts {
                    [a, b] if a.is_empty() => b,
                    [a, b] => format!("({a} + {b})"),
                };
                (sum, j.saturating_add(k))
            }
        };
    }
    (operand(expr, pool), 0)
}

fn constant(expr: &Expr, pool: &Pool) -> Option<i128> {
    match expr {
        Expr::Term(term) => match &pool.terms[*term].constant {
            Some(Value::Int(_, int)) => int.to_i128(),
            _ => None,
        },
        _ => None,
    }
}

fn operand(expr: &Expr, pool: &Pool) -> String {
    match expr {
        Expr::Term(term) => match &pool.terms[*term].constant {
            Some(value) => value.to_string(),
            None => pool.terms[*term].text.clone(),
        },
        Expr::Arith(op, a, b) => {
            let (mut a, mut b) = (operand(a, pool), operand(b, pool));
            if matches!(op, ArithOp::Add | ArithOp::Mul) && b < a {
                (a, b) = (b, a);
            }
            format!("({a} {op:?} {b})")
        }
        _ => form(expr, false, pool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Binding, Int, IntType, Origin, Term};

    const LEN: TermId = 0;
    const IS_EMPTY: TermId = 1;
    const N: TermId = 2;
    const ZERO: TermId = 3;
    const ONE: TermId = 4;
    const X: TermId = 5;
    const IS_SOME: TermId = 6;
    const IS_NONE: TermId = 7;

    fn pool() -> Pool {
        let usize = Type::Int(IntType::Usize);
        let terms = [
            ("v.len()", usize, None),
            ("v.is_empty()", Type::Bool, None),
            ("n", usize, None),
            ("0", usize, Some(0)),
            ("1", usize, Some(1)),
            ("x", Type::F64, None),
            ("o.is_some()", Type::Bool, None),
            ("o.is_none()", Type::Bool, None),
        ];
        let term = |(text, ty, number): (&str, Type, Option<u128>)| Term {
            text: text.to_owned(),
            ty,
            origin: Origin::Variable,
            binding: Binding::Atom,
            constant: number.map(|number| Value::Int(IntType::Usize, Int::from_u128(number))),
            negation: None,
            seen_in: Vec::new(),
            definition: None,
        };
        Pool {
            terms: terms.map(term).to_vec(),
        }
    }

    fn cmp(a: TermId, op: CmpOp, b: TermId) -> Expr {
        Expr::Term(a).cmp(op, Expr::Term(b))
    }

    fn assert_same(a: &Expr, b: &Expr) {
        assert_eq!(normal_form(a, &pool()), normal_form(b, &pool()));
    }

    fn assert_differ(a: &Expr, b: &Expr) {
        assert_ne!(normal_form(a, &pool()), normal_form(b, &pool()));
    }

    #[test]
    fn spellings_of_one_comparison_have_one_form() {
        assert_same(&cmp(N, CmpOp::Lt, LEN), &cmp(LEN, CmpOp::Gt, N));
        assert_same(&cmp(N, CmpOp::Lt, LEN).not(), &cmp(N, CmpOp::Ge, LEN));
        assert_same(&cmp(LEN, CmpOp::Ne, ZERO), &cmp(LEN, CmpOp::Ge, ONE));
        assert_same(&cmp(LEN, CmpOp::Le, ZERO), &cmp(LEN, CmpOp::Lt, ONE));
        assert_same(&Expr::Term(IS_EMPTY).not(), &cmp(ZERO, CmpOp::Lt, LEN));
        assert_same(&Expr::Term(IS_EMPTY), &cmp(LEN, CmpOp::Eq, ZERO));
        let next = Expr::Term(N).arith(ArithOp::Add, Expr::Term(ONE));
        assert_same(
            &next.clone().cmp(CmpOp::Gt, Expr::Term(LEN)),
            &cmp(N, CmpOp::Ge, LEN),
        );
        assert_differ(
            &next.cmp(CmpOp::Ge, Expr::Term(LEN)),
            &cmp(N, CmpOp::Ge, LEN),
        );
        assert_differ(&cmp(N, CmpOp::Eq, LEN), &cmp(N, CmpOp::Ne, LEN));
    }

    #[test]
    fn the_negation_of_an_order_of_floats_is_no_order() {
        assert_differ(&cmp(X, CmpOp::Lt, X).not(), &cmp(X, CmpOp::Ge, X));
        assert_same(&cmp(X, CmpOp::Eq, X).not(), &cmp(X, CmpOp::Ne, X));
    }

    #[test]
    fn clauses_are_a_set_and_negations_go_inwards() {
        let (a, b) = (Expr::Term(IS_SOME), cmp(LEN, CmpOp::Lt, N));
        assert_same(&a.clone().and(b.clone()), &b.clone().and(a.clone()));
        assert_differ(&a.clone().and(b.clone()), &a.clone().or(b.clone()));
        let none_or_not = Expr::Term(IS_NONE).or(b.clone().not()).not();
        assert_same(&none_or_not, &a.clone().and(b.clone()));
        assert_same(&a.clone().and(a.clone().and(b.clone())), &a.and(b));
    }
}
