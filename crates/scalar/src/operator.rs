//! Operators between scalars.

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

    /// Whether of two comparisons of one number with constants, joined by `&&` if `conjunction` and else by `||`, one is enough,
    /// or none is needed: `n > 1 && n > 2`, `n >= 32 || n < 127`.
    pub fn are_idle(compared: [(Self, i128); 2], conjunction: bool) -> bool {
        let [(_, first), (_, second)] = compared;
        // Between and beyond these nothing changes.
        let points = [first, second].into_iter();
        let points = points.flat_map(|at| [at.saturating_sub(1), at, at.saturating_add(1)]);
        let outcomes = points.map(|at| compared.map(|(op, value)| op.holds(Some(at.cmp(&value)))));
        let outcomes: Vec<[bool; 2]> = outcomes.collect();
        let joined = |[a, b]: [bool; 2]| if conjunction { a && b } else { a || b };
        let is = |wanted: &dyn Fn([bool; 2]) -> bool| outcomes.iter().all(|both| wanted(*both));
        is(&|both| joined(both) == both[0])
            || is(&|both| joined(both) == both[1])
            || is(&joined)
            || is(&|both| !joined(both))
    }

    /// The operator among all operators with two operands.
    pub const fn binary(self) -> BinaryOp {
        match self {
            Self::Eq => BinaryOp::Eq,
            Self::Ne => BinaryOp::Ne,
            Self::Lt => BinaryOp::Lt,
            Self::Le => BinaryOp::Le,
            Self::Gt => BinaryOp::Gt,
            Self::Ge => BinaryOp::Ge,
        }
    }

    /// The operator's token.
    pub const fn token(self) -> &'static str {
        self.binary().token()
    }
}

/// An arithmetic operator.
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

impl ArithOp {
    /// The operator among all operators with two operands.
    pub const fn binary(self) -> BinaryOp {
        match self {
            Self::Add => BinaryOp::Add,
            Self::Sub => BinaryOp::Sub,
            Self::Mul => BinaryOp::Mul,
            Self::Div => BinaryOp::Div,
            Self::Rem => BinaryOp::Rem,
        }
    }

    /// The operator's token.
    pub const fn token(self) -> &'static str {
        self.binary().token()
    }

    /// Whether the result is one of the operands or a constant, whatever the other operand is: `n + 0`, `n * 0`, `n / 1`. An
    /// operand is given if it is a constant.
    pub fn is_idle(self, left: Option<i128>, right: Option<i128>) -> bool {
        match self {
            Self::Add => left == Some(0) || right == Some(0),
            Self::Sub => right == Some(0),
            Self::Mul => [left, right].iter().any(|side| matches!(side, Some(0 | 1))),
            Self::Div | Self::Rem => right == Some(1) || left == Some(0),
        }
    }
}

/// An operator with two operands that are always evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, towards zero
    Div,
    /// `%`, with the sign of the first operand
    Rem,
    /// `&`, also of bools
    And,
    /// `|`, also of bools
    Or,
    /// `^`, also of bools
    Xor,
    /// `<<`; it overflows if the number times the power of 2 does not fit, and where that is a fault, a negative number is one, too
    Shl,
    /// `>>`, of signed numbers arithmetic
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [Self; 16] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
    ];

    /// The operator's token, in C and in Rust.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// The operator with this token.
    pub fn from_token(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.token() == token)
    }

    /// The operator as a comparison, if it is one.
    pub const fn comparison(self) -> Option<CmpOp> {
        Some(match self {
            Self::Eq => CmpOp::Eq,
            Self::Ne => CmpOp::Ne,
            Self::Lt => CmpOp::Lt,
            Self::Le => CmpOp::Le,
            Self::Gt => CmpOp::Gt,
            Self::Ge => CmpOp::Ge,
            _ => return None,
        })
    }

    /// The operator as one of arithmetic, if it is one.
    pub const fn arithmetic(self) -> Option<ArithOp> {
        Some(match self {
            Self::Add => ArithOp::Add,
            Self::Sub => ArithOp::Sub,
            Self::Mul => ArithOp::Mul,
            Self::Div => ArithOp::Div,
            Self::Rem => ArithOp::Rem,
            _ => return None,
        })
    }
}

/// An operator whose second operand may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

impl LogicalOp {
    /// The operator's token, in C and in Rust.
    pub const fn token(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
        }
    }

    /// The operator with this token.
    pub fn from_token(token: &str) -> Option<Self> {
        let mut all = [Self::And, Self::Or].into_iter();
        all.find(|op| op.token() == token)
    }
}

#[cfg(test)]
mod tests {
    use super::ArithOp::{Add, Div, Mul, Rem, Sub};
    use super::CmpOp::{self, Eq, Ge, Gt, Le, Lt, Ne};

    #[test]
    fn arithmetic_with_zero_and_one_may_do_nothing() {
        let (zero, one) = (Some(0), Some(1));
        assert!(Add.is_idle(zero, None) && Add.is_idle(None, zero));
        assert!(Sub.is_idle(None, zero) && !Sub.is_idle(zero, None));
        assert!(Mul.is_idle(one, None) && Mul.is_idle(None, zero));
        assert!(Div.is_idle(None, one) && !Div.is_idle(one, None));
        assert!(Rem.is_idle(None, one) && Rem.is_idle(zero, None));
        assert!(!Add.is_idle(None, one) && !Mul.is_idle(None, None));
    }

    #[test]
    fn of_two_bounds_one_may_say_nothing() {
        let both = |a, b| CmpOp::are_idle([a, b], true);
        let either = |a, b| CmpOp::are_idle([a, b], false);
        assert!(both((Gt, 1), (Gt, 2)));
        assert!(both((Le, 127), (Lt, 127)));
        assert!(both((Eq, 1), (Lt, 9)));
        assert!(both((Lt, 1), (Gt, 2)));
        assert!(!both((Ge, 32), (Lt, 127)));
        assert!(!both((Ne, 1), (Ne, 2)));
        assert!(either((Ge, 32), (Lt, 127)));
        assert!(either((Ne, 1), (Ne, 2)));
        assert!(!either((Eq, 1), (Eq, 2)));
        assert!(!either((Lt, 32), (Ge, 127)));
    }
}
