//! The kinds of one-step edits, with their names in reports.

use std::fmt;

use nopol_expr::CmpOp;

/// The kind of a one-step edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The first comparison operator to the second.
    Operator(CmpOp, CmpOp),
    /// All comparisons of one operator changed between strict and inclusive.
    AllOperators,
    /// `&&` to `||`.
    AndToOr,
    /// `||` to `&&`.
    OrToAnd,
    /// `a || b` to `!a && b`, or `a && b` to `!a || b`, where `a` guards `b`: the outcome changes where `b` is not
    /// evaluated.
    GuardTurned,
    /// `a || b && c` to `(a || b) && c`, and the like.
    Regrouped,
    /// `|` to `||` or `&` to `&&`, which skips an operand that need not be evaluated.
    ShortCircuit,
    /// One side of a connective removed.
    ClauseDropped,
    /// `!a` to `a`.
    NegationRemoved,
    /// A part, or the whole condition, negated.
    Negated,
    /// A number replaced by its neighbour.
    ConstantOffByOne,
    /// A literal replaced by another one of the function.
    Constant,
    /// 1 added to or subtracted from a compared operand.
    OperandOffByOne,
    /// An arithmetic operator replaced by its inverse, or a remainder by a quotient.
    ArithmeticOperator,
    /// Arithmetic replaced by one of its operands.
    ArithmeticDropped,
    /// Arithmetic that overflowed computed by a method that defines the result, or in a wider type.
    OverflowAvoided,
    /// The operands of an arithmetic operator, or two arguments, exchanged.
    Exchanged,
    /// A name replaced by its opposite: `is_some` by `is_none`, `left` by `right`.
    Opposite,
    /// A clause added, modelled on an existing one ([`clauses`](crate::clauses)).
    Parallel,
    /// A clause of another condition of the function added, and whether the rest of that condition is built as this one is.
    Borrowed(bool),
    /// C: a pointer tested before a clause that follows it.
    NullGuard,
    /// A clause replaced by one that resembles it.
    Sibling,
    /// A variable, field or function of a computation replaced by another one of its type.
    Name,
    /// An alternative of a pattern, or an element of a list, added.
    AlternativeAdded,
    /// Several of them added.
    AlternativesAdded,
    /// One of them removed.
    AlternativeRemoved,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Operator(old, new) => {
                return write!(f, "`{}` changed to `{}`", old.token(), new.token());
            }
            Self::AllOperators => "comparisons changed between strict and inclusive",
            Self::AndToOr => "`&&` changed to `||`",
            Self::OrToAnd => "`||` changed to `&&`",
            Self::GuardTurned => "`&&` and `||` exchanged, and the operand before it negated",
            Self::Regrouped => "operands of `&&` and `||` grouped differently",
            Self::ShortCircuit => "`&` or `|` changed to `&&` or `||`",
            Self::ClauseDropped => "clause removed",
            Self::NegationRemoved => "negation removed",
            Self::Negated => "condition, or a part of it, negated",
            Self::ConstantOffByOne => "constant changed by 1",
            Self::Constant => "constant replaced",
            Self::OperandOffByOne => "1 added to or subtracted from an operand",
            Self::ArithmeticOperator => "arithmetic operator changed",
            Self::ArithmeticDropped => "arithmetic expression replaced by one of its operands",
            Self::OverflowAvoided => "computed without overflow",
            Self::Exchanged => "operands exchanged",
            Self::Opposite => "name replaced by its counterpart",
            Self::Parallel => "clause added, modelled on an existing one",
            Self::Borrowed(_) => "clause added that stands in another condition of the function",
            Self::NullGuard => "test of a pointer added before a clause that follows it",
            Self::Sibling => "clause replaced by one with other names of the same kind",
            Self::Name => "name replaced by another one of the same type",
            Self::AlternativeAdded => "case added to a pattern or a list",
            Self::AlternativesAdded => "cases added to a pattern or a list",
            Self::AlternativeRemoved => "case of a pattern or a list removed",
        })
    }
}
