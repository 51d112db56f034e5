//! Operators of integers and bools.

use syn::{BinOp, ExprBinary};

use super::body::Body;
use super::build::{Value, binary, not, nowhere, with_span, within};
use super::types::Type;
use crate::ir::{
    BinaryOp, Expr, ExprKind, LogicalOp, Lvalue, Outside, Overflow, Scalar, Span, Statement,
};

/// The operator of `a op b` that calculates something, or of `a op= b`.
pub(super) fn calculating(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::Add(_) => BinaryOp::Add,
        BinOp::Sub(_) => BinaryOp::Sub,
        BinOp::Mul(_) => BinaryOp::Mul,
        BinOp::Div(_) => BinaryOp::Div,
        BinOp::Rem(_) => BinaryOp::Rem,
        BinOp::BitXor(_) => BinaryOp::Xor,
        BinOp::BitAnd(_) => BinaryOp::And,
        BinOp::BitOr(_) => BinaryOp::Or,
        BinOp::Shl(_) => BinaryOp::Shl,
        BinOp::Shr(_) => BinaryOp::Shr,
        _ => return assigning(op),
    })
}

/// The operator of `a op= b`.
pub(super) fn assigning(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::AddAssign(_) => BinaryOp::Add,
        BinOp::SubAssign(_) => BinaryOp::Sub,
        BinOp::MulAssign(_) => BinaryOp::Mul,
        BinOp::DivAssign(_) => BinaryOp::Div,
        BinOp::RemAssign(_) => BinaryOp::Rem,
        BinOp::BitXorAssign(_) => BinaryOp::Xor,
        BinOp::BitAndAssign(_) => BinaryOp::And,
        BinOp::BitOrAssign(_) => BinaryOp::Or,
        BinOp::ShlAssign(_) => BinaryOp::Shl,
        BinOp::ShrAssign(_) => BinaryOp::Shr,
        _ => return None,
    })
}

pub(super) fn comparing(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::Eq(_) => BinaryOp::Eq,
        BinOp::Ne(_) => BinaryOp::Ne,
        BinOp::Lt(_) => BinaryOp::Lt,
        BinOp::Le(_) => BinaryOp::Le,
        BinOp::Gt(_) => BinaryOp::Gt,
        BinOp::Ge(_) => BinaryOp::Ge,
        _ => return None,
    })
}

impl Body<'_, '_> {
    pub fn binary(
        &mut self,
        of: &ExprBinary,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        let logical = match of.op {
            BinOp::And(_) => Some(LogicalOp::And),
            BinOp::Or(_) => Some(LogicalOp::Or),
            _ => None,
        };
        if let Some(op) = logical {
            return Ok(Value::scalar(Type::Bool, self.logical(op, of, span)?));
        }
        if let Some(op) = comparing(&of.op) {
            let result = self.comparison(op, &of.left, &of.right, span)?;
            // What is made of several comparisons is one that is written.
            let is_one = matches!(result.kind, ExprKind::Binary(made, ..) if made == op);
            let result = match is_one {
                true => with_span(result, span),
                false => within(with_span(result, nowhere(span)), span),
            };
            return Ok(Value::scalar(Type::Bool, result));
        }
        let is_shift = matches!(of.op, BinOp::Shl(_) | BinOp::Shr(_));
        let (mut left, left_type) = self.operand(&of.left, expected)?;
        let mark = self.out.len();
        let (right, right_type) =
            self.operand(&of.right, Some(&left_type).filter(|_| !is_shift))?;
        self.keep(mark, [&mut left]);
        self.calculated(&of.op, (left, left_type), (right, right_type), span)
    }

    /// The result of an operator that calculates something.
    pub fn calculated(
        &mut self,
        op: &BinOp,
        (left, ty): (Expr, Type),
        (right, right_type): (Expr, Type),
        span: Span,
    ) -> Result<Value, Outside> {
        let Some(of) = calculating(op) else {
            return Err(self.outside(span, format!("`{}` is not supported", self.text(span))));
        };
        if ty == Type::Never || right_type == Type::Never {
            return Ok(Value::never());
        }
        let is_logical = matches!(of, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let is_defined = ty.int().is_some() || ty == Type::Bool && is_logical;
        if !is_defined {
            return Err(self.no_operator(&self.text(span), &ty, span));
        }
        let is_shift = matches!(of, BinaryOp::Shl | BinaryOp::Shr);
        if is_shift {
            if right_type.int().is_none() {
                return Err(self.no_operator(&self.text(span), &right_type, span));
            }
        } else {
            self.unify(&ty, &right_type, span)?;
        }
        // What is shifted out of a number is gone, and no panic.
        let overflow = match is_shift {
            true => Overflow::Wraps,
            false => Overflow::Fault,
        };
        let result = with_span(binary(of, overflow, left, right), span);
        Ok(Value::scalar(self.guesses.resolved(&ty), result))
    }

    /// The second operand is evaluated only if it decides.
    fn logical(&mut self, op: LogicalOp, of: &ExprBinary, span: Span) -> Result<Expr, Outside> {
        let left = self.typed(&of.left, &Type::Bool)?;
        let jumps = self.jumps;
        let (statements, right) = self.scoped(|body| body.typed(&of.right, &Type::Bool))?;
        if jumps == self.jumps {
            let right = block(statements, right);
            let node = self.node();
            return Ok(Expr {
                kind: ExprKind::Logical(op, node, Box::new(left), Box::new(right)),
                ty: Scalar::Bool,
                span,
            });
        }
        // The second operand may leave the function, which is what statements do.
        let result = self.temporary(&Type::Bool);
        self.set(result, left);
        let result_now = super::build::load_variable(result, Scalar::Bool, span);
        let condition = match op {
            LogicalOp::And => result_now.clone(),
            LogicalOp::Or => not(result_now.clone()),
        };
        let mut then = statements;
        then.push(Statement::Assign {
            place: None,
            target: Lvalue::Variable(result),
            value: right,
        });
        let node = self.node();
        self.out.push(Statement::If {
            node,
            place: None,
            condition,
            then,
            otherwise: Vec::new(),
        });
        Ok(result_now)
    }
}

/// Statements, then a value.
pub(super) fn block(statements: Vec<Statement>, value: Expr) -> Expr {
    if statements.is_empty() {
        return value;
    }
    Expr {
        ty: value.ty,
        span: value.span,
        kind: ExprKind::Block(statements, Box::new(value)),
    }
}
