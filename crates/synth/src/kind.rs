//! How an expression was derived, as a value that can be compared. Only its display is text.

use std::fmt;

use nopol_expr::{ArithOp, CmpOp};

/// How a candidate was derived from the original condition, or that it is a new condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditKind {
    /// `!a` to `a`.
    NegationRemoved,
    /// `&&` to `||`.
    AndToOr,
    /// `||` to `&&`.
    OrToAnd,
    /// `a || b` to `!a && b`, or `a && b` to `!a || b`.
    GuardTurned,
    /// `a || b && c` to `(a || b) && c`, and the like.
    Regrouped,
    /// A connective to `==` or `!=`.
    ConnectiveToComparison(CmpOp),
    /// A conjunction or disjunction negated.
    PartNegated,
    /// A comparison of floats negated, which is not the negated operator.
    ComparisonNegated,
    /// A boolean term negated.
    ConditionNegated,
    /// The original condition, which has side effects, negated.
    OldNegated,
    /// One side of a connective removed.
    ClauseDropped,
    /// One side of a connective replaced by another clause.
    ClauseReplaced,
    /// The first comparison operator to the second.
    Operator(CmpOp, CmpOp),
    /// The operator of a comparison that is one term.
    OperatorOfWhole,
    /// All comparisons of one operator, or of one direction, changed between strict and inclusive.
    StrictOrInclusive,
    /// A named constant replaced by something unnamed.
    NamedConstantReplaced,
    /// A constant replaced by its neighbour.
    ConstantOffByOne,
    /// A constant replaced by another.
    Constant,
    /// An operand replaced by another.
    Operand,
    /// 1 added to or subtracted from an operand.
    OperandOffByOne,
    /// Another term added to or subtracted from an operand.
    OperandOffset(ArithOp),
    /// An arithmetic operator changed.
    ArithmeticOperator,
    /// Arithmetic replaced by one of its operands.
    ArithmeticDropped,
    /// A clause added anywhere in the original condition.
    ClauseAdded,
    /// Two clauses added to the original condition.
    ClausesAdded,
    /// A clause added after an original condition that must be evaluated first.
    ClauseAddedAfter,
    /// A clause added that has the shape of an existing one.
    ParallelClauseAdded,
    /// A further value that an operand is compared with.
    ValueAdded,
    /// `&& n != 0` or `|| n == 0` added, or the same with 1.
    SpecialCaseAdded,
    /// A clause added on top of another edit.
    AndClauseAdded(Box<EditKind>),
    /// A new condition of one comparison.
    NewComparison,
    /// A new condition of one boolean term.
    NewBoolean,
    /// A new condition of a guard and the clause it guards.
    NewGuard,
    /// A new conjunction of this number of clauses.
    NewConjunction(usize),
    /// A new disjunction of this number of clauses.
    NewDisjunction(usize),
    /// A new condition of a clause and a group of two.
    NewGroup,
    /// A new condition found by the solver at the level of this name.
    NewAtLevel(String),
}

impl EditKind {
    /// Whether the expression is a new condition.
    pub fn is_new(&self) -> bool {
        matches!(
            self,
            Self::NewComparison
                | Self::NewBoolean
                | Self::NewGuard
                | Self::NewConjunction(_)
                | Self::NewDisjunction(_)
                | Self::NewGroup
                | Self::NewAtLevel(_)
        )
    }
}

impl fmt::Display for EditKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = match self {
            Self::NegationRemoved => "negation removed",
            Self::AndToOr => "`&&` changed to `||`",
            Self::OrToAnd => "`||` changed to `&&`",
            Self::GuardTurned => "`&&` and `||` exchanged, and the operand before it negated",
            Self::Regrouped => "operands of `&&` and `||` grouped differently",
            Self::ConnectiveToComparison(op) => {
                return write!(f, "logical operator changed to `{}`", op.token());
            }
            Self::PartNegated => "part of the old condition negated",
            Self::ComparisonNegated => "comparison negated",
            Self::ConditionNegated => "condition negated",
            Self::OldNegated => "old condition negated",
            Self::ClauseDropped => "clause removed",
            Self::ClauseReplaced => "clause of the old condition replaced",
            Self::Operator(old, new) => {
                return write!(f, "`{}` changed to `{}`", old.token(), new.token());
            }
            Self::OperatorOfWhole => "comparison operator changed",
            Self::StrictOrInclusive => "comparisons changed between strict and inclusive",
            Self::NamedConstantReplaced => "named constant replaced",
            Self::ConstantOffByOne => "constant changed by 1",
            Self::Constant => "constant replaced",
            Self::Operand => "operand changed",
            Self::OperandOffByOne => "1 added to or subtracted from an operand",
            Self::OperandOffset(ArithOp::Sub) => "an operand subtracted",
            Self::OperandOffset(_) => "an operand added",
            Self::ArithmeticOperator => "arithmetic operator changed",
            Self::ArithmeticDropped => "arithmetic expression replaced by one of its operands",
            Self::ClausesAdded => "two clauses added to the old condition",
            Self::ClauseAdded => "clause added to the old condition",
            Self::ClauseAddedAfter => "clause added to the old condition",
            Self::ParallelClauseAdded => "clause added, modelled on an existing one",
            Self::ValueAdded => "comparison with another value added",
            Self::SpecialCaseAdded => "comparison with 0 or 1 added to the old condition",
            Self::AndClauseAdded(edit) => return write!(f, "{edit}, and a clause added"),
            // A term may be a comparison, too: `a == b` of the code nearby.
            Self::NewComparison | Self::NewBoolean => "new condition with 1 clause",
            Self::NewGuard => {
                "new condition with 2 clauses; the first ensures that the second can be computed"
            }
            Self::NewConjunction(clauses) => {
                return write!(f, "new condition with {clauses} clauses joined by `&&`");
            }
            Self::NewDisjunction(clauses) => {
                return write!(f, "new condition with {clauses} clauses joined by `||`");
            }
            Self::NewGroup => "new condition with 3 clauses joined by `&&` and `||`",
            Self::NewAtLevel(level) => return write!(f, "new condition of {level}"),
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_says_how_an_expression_was_found() {
        let strict = EditKind::Operator(CmpOp::Le, CmpOp::Lt);
        assert_eq!(strict.to_string(), "`<=` changed to `<`");
        let both = EditKind::AndClauseAdded(Box::new(strict));
        assert_eq!(both.to_string(), "`<=` changed to `<`, and a clause added");
        let flag = EditKind::NewBoolean.to_string();
        assert_eq!(flag, "new condition with 1 clause");
        assert_eq!(flag, EditKind::NewComparison.to_string());
        let level = EditKind::NewAtLevel("two comparisons".to_owned());
        assert_eq!(level.to_string(), "new condition of two comparisons");
    }
}
