//! Lowers conditions.

use nopol_program::ir::{Expr, ExprKind, LogicalOp, Outside, Scalar, Span, UnaryOp};
use nopol_scalar::CmpOp;

use super::Lowering;
use super::terms::Parts;
use crate::ir::{Atom, Compared, Condition, Term, Type};

impl Lowering<'_> {
    /// Lowers a condition.
    pub(super) fn condition(
        &mut self,
        expr: &Expr,
        parts: &mut Parts,
    ) -> Result<Condition, Outside> {
        match &expr.kind {
            ExprKind::Constant(value) => Ok(Condition::Constant(*value != 0)),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                Ok(Condition::Not(Box::new(self.condition(inner, parts)?)))
            }
            ExprKind::Logical(op, _, first, second) => {
                let first = Box::new(self.condition(first, parts)?);
                let before = self.routine.code.len();
                let second = Box::new(self.condition(second, parts)?);
                if self.routine.code.len() != before {
                    return self.outside(
                        expr.span,
                        "a function call in the right operand of `&&` or `||` is not modelled",
                    );
                }
                Ok(match op {
                    LogicalOp::And => Condition::And(first, second),
                    LogicalOp::Or => Condition::Or(first, second),
                })
            }
            ExprKind::Cast(inner)
                if inner.ty == Scalar::Bool
                    || expr.ty == Scalar::Bool && inner.ty != Scalar::Pointer =>
            {
                self.condition(inner, parts)
            }
            ExprKind::Binary(op, _, left, right) if op.comparison().is_some() => {
                let comparison = op.comparison().unwrap_or(CmpOp::Ne);
                self.comparison(comparison, [left, right], expr.span, parts)
            }
            _ => {
                let left = self.term(expr, None, parts)?;
                let right = Term::Implied(Atom::Number(0));
                Ok(compared(
                    CmpOp::Ne,
                    [left, right],
                    true,
                    (expr.span, None),
                    parts,
                ))
            }
        }
    }

    fn comparison(
        &mut self,
        comparison: CmpOp,
        [left, right]: [&Expr; 2],
        span: Span,
        parts: &mut Parts,
    ) -> Result<Condition, Outside> {
        // `p` alone is compared with a null that is not in the source.
        let is_implied = |side: &Expr| {
            let is_unwritten = side.span == span || side.span.start >= side.span.end;
            is_unwritten && matches!(side.kind, ExprKind::Null | ExprKind::Constant(0))
        };
        let is_written = !is_implied(right) && !is_implied(left);
        let wanted = self.pointer_type(left).or_else(|| self.pointer_type(right));
        let lower = |this: &mut Self, side: &Expr, parts: &mut Parts| match is_implied(side) {
            true if side.ty == Scalar::Pointer => Ok(Term::Implied(Atom::Null)),
            true => Ok(Term::Implied(Atom::Number(0))),
            false => this.term(side, wanted, parts),
        };
        let left_term = lower(self, left, parts)?;
        let right_term = lower(self, right, parts)?;
        let is_of_numbers = left.ty != Scalar::Pointer;
        let operator = match is_written {
            true => self.operator(comparison, left.span, right.span),
            false => None,
        };
        Ok(compared(
            comparison,
            [left_term, right_term],
            is_of_numbers,
            (span, operator),
            parts,
        ))
    }

    /// Where the operator between two operands is written.
    fn operator(&self, comparison: CmpOp, left: Span, right: Span) -> Option<Span> {
        let text = self.text(Span {
            start: left.end,
            end: right.start,
            ..left
        });
        let at = u32::try_from(text.find(comparison.token())?).ok()?;
        let start = left.end + at;
        Some(Span {
            start,
            end: start + u32::try_from(comparison.token().len()).ok()?,
            ..left
        })
    }

    /// The structure that an expression points to, as far as it can be seen without lowering it.
    pub(super) fn pointer_type(&mut self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Block(_, value) => self.pointer_type(value),
            ExprKind::Conditional(_, _, then, otherwise) => {
                let ty = self.pointer_type(then);
                ty.or_else(|| self.pointer_type(otherwise))
            }
            ExprKind::Builtin(..) => None,
            ExprKind::Load(lvalue) => {
                let path = self.path(lvalue, expr.span).ok()?;
                let ty = self.routine.type_of(&path)?;
                matches!(ty, Type::Pointer(_)).then_some(ty)
            }
            ExprKind::Call(_, function, _) => {
                let record = self.program.functions.get(*function)?.result_points_to?;
                Some(Type::Pointer(record))
            }
            _ => None,
        }
    }
}

fn compared(
    comparison: CmpOp,
    [left, right]: [Term; 2],
    is_of_numbers: bool,
    (span, operator): (Span, Option<Span>),
    parts: &mut Parts,
) -> Condition {
    parts.comparisons.push(Compared {
        comparison,
        is_of_numbers,
        span,
        operator,
    });
    Condition::Compare {
        number: parts.comparisons.len() - 1,
        left,
        right,
    }
}
