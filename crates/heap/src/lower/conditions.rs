//! Lowers conditions.

use nopol_program::ir::{Dialect, Expr, ExprKind, LogicalOp, Outside, Scalar, Span, UnaryOp};
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
                let inner = self.within(expr.span, |this| this.condition(inner, parts))?;
                Ok(Condition::Not(Box::new(inner)))
            }
            ExprKind::Logical(op, _, first, second) => {
                let lower = |this: &mut Self, of: &Expr, parts: &mut Parts| {
                    this.within(expr.span, |this| this.condition(of, parts))
                };
                let first = Box::new(lower(self, first, parts)?);
                let before = self.routine.code.len();
                let second = Box::new(lower(self, second, parts)?);
                if self.routine.code.len() != before {
                    return self.outside(
                        expr.span,
                        "a call or an assignment in the right operand of `&&` or `||` is not modelled",
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
                let span = match self.is_negatable(expr, expr.span) {
                    true => expr.span,
                    false => nowhere(expr.span),
                };
                Ok(compared(
                    CmpOp::Ne,
                    [left, right],
                    true,
                    (span, None),
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
            false if is_written => this.within(span, |this| this.term(side, wanted, parts)),
            false => this.term(side, wanted, parts),
        };
        let left_term = lower(self, left, parts)?;
        let right_term = lower(self, right, parts)?;
        let is_of_numbers = left.ty != Scalar::Pointer;
        let operator = match is_written {
            true => self.operator(comparison, left.span, right.span),
            false => None,
        };
        let tested = if is_implied(left) { right } else { left };
        let is_open = match is_written {
            true => operator.is_some() || self.program.dialect == Dialect::Rust,
            false => self.is_negatable(tested, span),
        };
        let span = if is_open { span } else { nowhere(span) };
        Ok(compared(
            comparison,
            [left_term, right_term],
            is_of_numbers,
            (span, operator),
            parts,
        ))
    }

    /// Whether `!` before something negates it: of a macro that may be only a part.
    fn is_negatable(&self, tested: &Expr, span: Span) -> bool {
        let text = self.text(span);
        let is_path = match &tested.kind {
            ExprKind::Load(_) => !text.contains('('),
            ExprKind::Call(..) => true,
            _ => false,
        };
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let rest = text.trim_start_matches(is_name);
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        let is_macro = rest.len() < text.len() && (rest.is_empty() || rest.starts_with('('));
        self.program.dialect == Dialect::Rust || is_path || is_number || !is_macro
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
        let operator = Span {
            start,
            end: start + u32::try_from(comparison.token().len()).ok()?,
            ..left
        };
        self.is_in_body(operator).then_some(operator)
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

/// The empty text before something.
const fn nowhere(span: Span) -> Span {
    Span {
        end: span.start,
        ..span
    }
}
