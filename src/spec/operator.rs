//! The operators of conditions.

use std::cmp::Ordering;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CmpOp {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

impl CmpOp {
    /// Every comparison operator.
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];

    /// The operator for exchanged operands: `a < b` is `b > a`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
        }
    }

    /// The operator with the opposite outcome, except for NaN.
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// Whether it holds for two values in this order. A NaN is unordered (`None`).
    pub fn holds(self, ordering: Option<Ordering>) -> bool {
        match self {
            Self::Eq => ordering == Some(Ordering::Equal),
            Self::Ne => ordering != Some(Ordering::Equal),
            Self::Lt => ordering == Some(Ordering::Less),
            Self::Le => ordering.is_some_and(Ordering::is_le),
            Self::Gt => ordering == Some(Ordering::Greater),
            Self::Ge => ordering.is_some_and(Ordering::is_ge),
        }
    }

    /// Whether the operator needs an order, not just equality.
    pub fn orders(self) -> bool {
        !matches!(self, Self::Eq | Self::Ne)
    }

    /// The operator's token.
    pub fn token(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

/// An arithmetic operator. Overflow and division by zero are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArithOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`, truncated.
    Div,
    /// `%`.
    Rem,
}
