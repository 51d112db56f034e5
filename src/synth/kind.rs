//! How an expression was found, as a kind that can be compared; only its display is a sentence.

use std::fmt;

use crate::spec::CmpOp;

/// What was done to the old condition, or instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditKind {
    NegationRemoved,
    AndToOr,
    OrToAnd,
    /// `==` or `!=` for a connective.
    ConnectiveToComparison(CmpOp),
    PartNegated,
    ComparisonNegated,
    ConditionNegated,
    OldNegated,
    ClauseDropped,
    ClauseReplaced,
    /// The first for the second.
    Operator(CmpOp, CmpOp),
    /// The operator of a comparison that is read as a whole.
    OperatorOfWhole,
    StrictOrInclusive,
    NamedConstantReplaced,
    ConstantOffByOne,
    Constant,
    Operand,
    OperandOffByOne,
    OperandOffset,
    ArithmeticOperator,
    ArithmeticDropped,
    ClauseAdded,
    /// Behind an old condition that must be evaluated first.
    ClauseAddedAfter,
    ParallelClauseAdded,
    ValueAdded,
    SpecialCaseAdded,
    /// A clause added on top of another edit.
    AndClauseAdded(Box<EditKind>),
    NewComparison,
    NewBoolean,
    NewGuard,
    /// So many clauses that must all hold.
    NewConjunction(usize),
    /// So many clauses one of which must hold.
    NewDisjunction(usize),
    NewGroup,
    /// Found by the solver at the level of this name.
    NewAtLevel(String),
}

impl EditKind {
    /// Whether nothing of the old condition is in it, as far as its kind tells.
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
            Self::ConnectiveToComparison(op) => {
                return write!(f, "connective changed to `{}`", op.token());
            }
            Self::PartNegated => "part of the old condition negated",
            Self::ComparisonNegated => "comparison negated",
            Self::ConditionNegated => "condition negated",
            Self::OldNegated => "old condition negated",
            Self::ClauseDropped => "clause dropped",
            Self::ClauseReplaced => "clause of the old condition replaced",
            Self::Operator(old, new) => {
                return write!(f, "`{}` changed to `{}`", old.token(), new.token());
            }
            Self::OperatorOfWhole => "operator changed",
            Self::StrictOrInclusive => "comparisons changed between strict and inclusive",
            Self::NamedConstantReplaced => "named constant replaced",
            Self::ConstantOffByOne => "constant off by one",
            Self::Constant => "constant changed",
            Self::Operand => "operand changed",
            Self::OperandOffByOne => "operand off by one",
            Self::OperandOffset => "operand offset by another",
            Self::ArithmeticOperator => "arithmetic operator changed",
            Self::ArithmeticDropped => "arithmetic dropped",
            Self::ClauseAdded => "clause added to the old condition",
            Self::ClauseAddedAfter => "clause added after the old condition",
            Self::ParallelClauseAdded => "clause added of the same shape as another",
            Self::ValueAdded => "another value added",
            Self::SpecialCaseAdded => "special case added to the old condition",
            Self::AndClauseAdded(edit) => return write!(f, "{edit}, and a clause added"),
            Self::NewComparison => "new condition: one comparison",
            Self::NewBoolean => "new condition: a boolean",
            Self::NewGuard => "new condition: a guard and what it guards",
            Self::NewConjunction(clauses) => {
                return write!(f, "new condition: {clauses} clauses that must all hold");
            }
            Self::NewDisjunction(clauses) => {
                return write!(f, "new condition: {clauses} clauses one of which must hold");
            }
            Self::NewGroup => "new condition: a clause and a group of two",
            Self::NewAtLevel(level) => return write!(f, "new condition: {level}"),
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
        let level = EditKind::NewAtLevel("two comparisons".to_owned());
        assert_eq!(level.to_string(), "new condition: two comparisons");
    }
}
