//! Expressions over the terms of a spec, and their value in one context.
//!
//! Leaves are indices into [`Pool::terms`](super::Pool). `patch` renders expressions as text.

use super::value::{Type, Value};
use super::{Pool, Row};
use nopol_scalar::{ArithOp, CmpOp, Int};

nopol_basics::index! {
    /// A term of a pool, in [`Pool::terms`](crate::Pool::terms).
    TermId
}

/// A typed expression over the terms of one [`Pool`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expr {
    /// A term of the pool.
    Term(TermId),
    /// `!a`.
    Not(Box<Expr>),
    /// `a && b`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`.
    Or(Box<Expr>, Box<Expr>),
    /// A comparison of two operands of one type.
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    /// An arithmetic operation on two numbers of one type.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
}

/// How arithmetic fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithFailure {
    /// The result does not fit the type.
    Overflows,
    /// The second operand of a division is zero.
    DividesByZero,
}

impl Expr {
    /// `!self`.
    #[expect(
        clippy::should_implement_trait,
        reason = "builds a tree, computes nothing"
    )]
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// `self && right`.
    pub fn and(self, right: Self) -> Self {
        Self::And(Box::new(self), Box::new(right))
    }

    /// `self || right`.
    pub fn or(self, right: Self) -> Self {
        Self::Or(Box::new(self), Box::new(right))
    }

    /// `self op right`.
    pub fn cmp(self, op: CmpOp, right: Self) -> Self {
        Self::Cmp(op, Box::new(self), Box::new(right))
    }

    /// `self op right`.
    pub fn arith(self, op: ArithOp, right: Self) -> Self {
        Self::Arith(op, Box::new(self), Box::new(right))
    }

    /// The expression's operands, left to right.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Self::Term(_) => (None, None),
            Self::Not(a) => (Some(&**a), None),
            Self::And(a, b) | Self::Or(a, b) | Self::Cmp(_, a, b) | Self::Arith(_, a, b) => {
                (Some(&**a), Some(&**b))
            }
        };
        first.into_iter().chain(second)
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        1 + self.children().map(Expr::size).sum::<usize>()
    }

    /// The terms used, in order of appearance, with repetitions.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Self::Term(id) => vec![*id],
            _ => self.children().flat_map(Expr::terms).collect(),
        }
    }

    /// The expression with every defined term replaced by its definition.
    pub fn expanded(&self, pool: &Pool) -> Self {
        let again = |expr: &Self| Box::new(expr.expanded(pool));
        match self {
            Self::Term(id) => match pool
                .terms
                .get(*id)
                .and_then(|term| term.definition.as_ref())
            {
                Some(definition) => definition.expanded(pool),
                None => self.clone(),
            },
            Self::Not(a) => Self::Not(again(a)),
            Self::And(a, b) => Self::And(again(a), again(b)),
            Self::Or(a, b) => Self::Or(again(a), again(b)),
            Self::Cmp(op, a, b) => Self::Cmp(*op, again(a), again(b)),
            Self::Arith(op, a, b) => Self::Arith(*op, again(a), again(b)),
        }
    }

    /// The expression's type; `None` if the types of the operands do not match the operator.
    pub fn ty(&self, pool: &Pool) -> Option<Type> {
        match self {
            Self::Term(id) => pool.terms.get(*id).map(|term| term.ty),
            Self::Not(a) => (a.ty(pool)? == Type::Bool).then_some(Type::Bool),
            Self::And(a, b) | Self::Or(a, b) => {
                (a.ty(pool)? == Type::Bool && b.ty(pool)? == Type::Bool).then_some(Type::Bool)
            }
            Self::Cmp(_, a, b) => (a.ty(pool)? == b.ty(pool)?).then_some(Type::Bool),
            Self::Arith(_, a, b) => {
                let ty = a.ty(pool)?;
                (ty == b.ty(pool)? && matches!(ty, Type::Int(_) | Type::F32 | Type::F64))
                    .then_some(ty)
            }
        }
    }

    /// The expression's value in a context, as the machine computes it; `None` if the evaluation would
    /// panic or read an undefined value. `&&` and `||` short-circuit.
    pub fn eval(&self, row: &Row) -> Option<Value> {
        match self {
            Self::Term(id) => row.values.get(*id)?.clone(),
            Self::Not(a) => Some(Value::Bool(!a.eval_bool(row)?)),
            Self::And(a, b) => Some(Value::Bool(a.eval_bool(row)? && b.eval_bool(row)?)),
            Self::Or(a, b) => Some(Value::Bool(a.eval_bool(row)? || b.eval_bool(row)?)),
            Self::Cmp(op, a, b) => Some(Value::Bool(a.eval(row)?.compare(*op, &b.eval(row)?)?)),
            Self::Arith(op, a, b) => a.eval(row)?.arith(*op, &b.eval(row)?),
        }
    }

    /// The arithmetic that ends [`Expr::eval`] in a context, and how it fails; `None` if there is a value, or a term that is
    /// needed has none.
    pub fn culprit(&self, row: &Row) -> Option<(&Self, ArithFailure)> {
        match self {
            Self::Term(_) => None,
            Self::Not(a) => a.culprit(row),
            Self::And(a, b) | Self::Or(a, b) => match a.eval_bool(row) {
                None => a.culprit(row),
                Some(value) if value == matches!(self, Self::And(..)) => b.culprit(row),
                Some(_) => None,
            },
            Self::Cmp(_, a, b) => a.culprit(row).or_else(|| b.culprit(row)),
            Self::Arith(op, a, b) => a.culprit(row).or_else(|| b.culprit(row)).or_else(|| {
                let (left, right) = (a.eval(row)?, b.eval(row)?);
                if left.arith(*op, &right).is_some() {
                    return None;
                }
                let divides = matches!(op, ArithOp::Div | ArithOp::Rem);
                let is_zero = matches!(right, Value::Int(_, int) if int == Int::from_i128(0));
                Some(match divides && is_zero {
                    true => (self, ArithFailure::DividesByZero),
                    false => (self, ArithFailure::Overflows),
                })
            }),
        }
    }

    /// [`Expr::eval`] of a boolean expression.
    pub fn eval_bool(&self, row: &Row) -> Option<bool> {
        self.eval(row)?.as_bool()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntType;

    #[test]
    fn the_arithmetic_that_ends_an_evaluation_is_found() {
        let term = |term| Expr::Term(TermId::new(term));
        let small = |value| Some(Value::Int(IntType::U8, Int::from_i128(value)));
        let row = Row {
            values: std::sync::Arc::new(vec![small(1), small(0), None].into()),
            expected: true,
            hard: true,
            weight: 1,
        };
        let how = |expr: &Expr| expr.culprit(&row).map(|(_, how)| how);
        let (less, rest) = (
            term(1).arith(ArithOp::Sub, term(0)),
            term(0).arith(ArithOp::Rem, term(1)),
        );
        let below = |left: &Expr| left.clone().cmp(CmpOp::Lt, term(0));
        assert_eq!(how(&below(&less)), Some(ArithFailure::Overflows));
        assert_eq!(how(&below(&rest)), Some(ArithFailure::DividesByZero));
        assert_eq!(how(&below(&term(2))), None);
        assert_eq!(how(&below(&term(0)).and(below(&less))), None);
        assert_eq!(
            how(&below(&term(0)).or(below(&less))),
            Some(ArithFailure::Overflows)
        );
    }
}
