//! The normal form of expressions. Expressions that differ only in spelling have the same normal form, so that
//! each condition is shown once: negations are pushed inwards, clauses are sorted, integer comparisons become
//! `a + k < b`, and state queries are reduced (`is_empty` to a length of 0, `is_none` to not `is_some`).
//!
//! The normal form ignores undefined overflow: `n + 1 > m` and `n >= m` are the same, and the shorter is kept
//! at the lower cost.

use nopol_expr::{Access, ArithOp, CmpOp, Expr, Pool, Query, TermId, Type, Value};

/// The normal form of a boolean expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Form {
    /// A boolean operand, or its negation.
    Truth { of: Operand, negated: bool },
    /// `a op b`, or its negation.
    Compared {
        a: Operand,
        op: CmpOp,
        b: Operand,
        negated: bool,
    },
    /// `a + k < b`.
    Less { a: Sum, k: i128, b: Sum },
    /// `a + k op b`, where `op` is `==` or `!=`.
    Offset { a: Sum, k: i128, op: CmpOp, b: Sum },
    /// A conjunction or disjunction of sorted clauses.
    Clauses { conjunction: bool, of: Vec<Form> },
}

/// A sum without its constant part; `None` is 0.
type Sum = Option<Box<Operand>>;

/// The normal form of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Operand {
    Read(Access),
    /// A constant by its value.
    Constant(String),
    /// A sum or difference without its constant part.
    Sum(Sum, Sum),
    Difference(Sum, Sum),
    Arith(ArithOp, Box<Operand>, Box<Operand>),
    Form(Box<Form>),
}

/// The normal form of a boolean expression.
pub(super) fn normal_form(expr: &Expr, pool: &Pool) -> Form {
    form(expr, false, pool)
}

fn form(expr: &Expr, negated: bool, pool: &Pool) -> Form {
    match expr {
        Expr::Term(term) => query(*term, negated, pool),
        Expr::Not(a) => form(a, !negated, pool),
        Expr::And(..) | Expr::Or(..) => {
            let mut clauses = Vec::new();
            let conjunction = matches!(expr, Expr::And(..)) != negated;
            flatten(expr, conjunction, negated, pool, &mut clauses);
            clauses.sort();
            clauses.dedup();
            Form::Clauses {
                // A single clause has one form.
                conjunction: conjunction || clauses.len() < 2,
                of: clauses,
            }
        }
        Expr::Cmp(op, a, b) => comparison(*op, a, b, negated, pool),
        Expr::Arith(..) => Form::Truth {
            of: operand(expr, pool),
            negated: false,
        },
    }
}

/// The clauses of a conjunction or disjunction after negations are pushed inwards.
fn flatten(expr: &Expr, conjunction: bool, negated: bool, pool: &Pool, clauses: &mut Vec<Form>) {
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

/// The form of a boolean term. Opposite queries are reduced to one of them.
fn query(term: TermId, negated: bool, pool: &Pool) -> Form {
    let access = &pool.terms[term].access;
    let asked = |of: &Access, query: Query| Operand::Read(of.clone().query(query));
    match access.as_query() {
        Some((of, query @ (Query::IsNone | Query::IsErr))) => Form::Truth {
            of: asked(of, query.opposite().unwrap_or(query)),
            negated: !negated,
        },
        // A length is never negative, so `is_empty` is `len < 1`.
        Some((of, Query::IsEmpty)) => {
            let len = Some(Box::new(asked(of, Query::Len)));
            match negated {
                true => less(None, len, 0),
                false => less(len, None, -1),
            }
        }
        _ => Form::Truth {
            of: read(access),
            negated,
        },
    }
}

/// The form of an access; queries lose their white space.
fn read(access: &Access) -> Operand {
    match access.plain() {
        query @ Access::Query(..) => Operand::Read(query.clone()),
        _ => Operand::Read(access.clone()),
    }
}

fn less(a: Sum, b: Sum, k: i128) -> Form {
    Form::Less { a, k, b }
}

fn comparison(op: CmpOp, a: &Expr, b: &Expr, negated: bool, pool: &Pool) -> Form {
    let ty = a.ty(pool);
    let Some(Type::Int(int)) = ty else {
        let is_float = matches!(ty, Some(Type::F32 | Type::F64));
        // The negation of an order of floats is not an order, because of NaN.
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
        return Form::Compared { a, op, b, negated };
    };
    let op = if negated { op.negated() } else { op };
    let ((a, left), (b, right)) = (offset(a, pool), offset(b, pool));
    let k = left.saturating_sub(right);
    match op {
        CmpOp::Lt => less(a, b, k),
        CmpOp::Le => less(a, b, k.saturating_sub(1)),
        CmpOp::Gt => less(b, a, k.saturating_neg()),
        CmpOp::Ge => less(b, a, k.saturating_neg().saturating_sub(1)),
        CmpOp::Eq | CmpOp::Ne => {
            let (a, b, k) = if b < a {
                (b, a, k.saturating_neg())
            } else {
                (a, b, k)
            };
            let is_zero = a.is_none() && k == 0 && !int.signed();
            match (is_zero, op) {
                (true, CmpOp::Eq) => less(b, None, -1),
                (true, _) => less(None, b, 0),
                (false, _) => Form::Offset { a, k, op, b },
            }
        }
    }
}

/// An integer expression as a sum and its constant part.
fn offset(expr: &Expr, pool: &Pool) -> (Sum, i128) {
    if let Some(number) = constant(expr, pool) {
        return (None, number);
    }
    let wraps = matches!(expr.ty(pool), Some(Type::Int(int)) if int.wraps());
    if let Expr::Arith(op @ (ArithOp::Add | ArithOp::Sub), a, b) = expr
        && !wraps
    {
        let ((a, j), (b, k)) = (offset(a, pool), offset(b, pool));
        return match op {
            ArithOp::Sub if b.is_none() => (a, j.saturating_sub(k)),
            ArithOp::Sub => {
                let difference = Operand::Difference(a, b);
                (Some(Box::new(difference)), j.saturating_sub(k))
            }
            _ => {
                let mut parts = [a, b];
                parts.sort();
                let sum = match parts {
                    [None, b] => b,
                    [a, b] => Some(Box::new(Operand::Sum(a, b))),
                };
                (sum, j.saturating_add(k))
            }
        };
    }
    (Some(Box::new(operand(expr, pool))), 0)
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

fn operand(expr: &Expr, pool: &Pool) -> Operand {
    match expr {
        Expr::Term(term) => match &pool.terms[*term].constant {
            Some(value) => Operand::Constant(value.to_string()),
            None => read(&pool.terms[*term].access),
        },
        Expr::Arith(op, a, b) => {
            let (mut a, mut b) = (operand(a, pool), operand(b, pool));
            if matches!(op, ArithOp::Add | ArithOp::Mul) && b < a {
                (a, b) = (b, a);
            }
            Operand::Arith(*op, Box::new(a), Box::new(b))
        }
        _ => Operand::Form(Box::new(form(expr, false, pool))),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Int, IntType, Origin, Term};
    use nopol_source::Language;

    use super::*;

    const LEN: TermId = TermId::new(0);
    const IS_EMPTY: TermId = TermId::new(1);
    const N: TermId = TermId::new(2);
    const ZERO: TermId = TermId::new(3);
    const ONE: TermId = TermId::new(4);
    const X: TermId = TermId::new(5);
    const IS_SOME: TermId = TermId::new(6);
    const IS_NONE: TermId = TermId::new(7);

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
            constant: number.map(|number| Value::Int(IntType::Usize, Int::from_u128(number))),
            ..Term::new(Language::Rust.access(text), ty, Origin::Variable)
        };
        Pool {
            terms: terms.into_iter().map(term).collect(),
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
