//! Operators and conversions.

use nopol_scalar::IntKind;

use super::build::{self, Value};
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{BinaryOp, Expr, ExprKind, Overflow, Scalar, UnaryOp};

/// Why two pointers are neither ordered nor subtracted.
const DIFFERENT_TYPES: &str = "these pointers have different types";

impl Translator<'_> {
    /// A number after the integer promotions.
    pub(super) fn number(&self, value: Value, syntax: Syntax<'_>) -> Translated<Value> {
        if !value.ty.is_number() {
            let name = self.types.name(&value.ty);
            return self.outside(
                syntax,
                format!(
                    "`{}` has the type `{name}`, which is not a number",
                    self.written(syntax)
                ),
            );
        }
        let ty = value.ty.promoted();
        Ok(Value {
            expr: build::cast(value.expr, ty.scalar().unwrap_or(Scalar::INT)),
            ty,
        })
    }

    /// The value in another type, as by an assignment.
    pub(super) fn convert(
        &mut self,
        value: Value,
        to: &Type,
        syntax: Syntax<'_>,
    ) -> Translated<Expr> {
        let span = value.expr.span;
        match (&value.ty, to, to.scalar()) {
            (from, _, Some(scalar)) if from.is_number() && to.is_number() => {
                Ok(self.number_as(value.expr, scalar))
            }
            (Type::Int { .. }, Type::Pointer(_), _) if Self::is_null(&value) => {
                Ok(build::null(span))
            }
            (Type::Pointer(_), Type::Bool, _) => Ok(build::truth(value.expr)),
            (Type::Memory, Type::Pointer(element), _) if **element != Type::Void => {
                self.typed_memory(value.expr, element, syntax)
            }
            (Type::Memory, Type::Pointer(_), _) => Ok(value.expr),
            (Type::Pointer(from), Type::Pointer(target), _) => {
                let is_null = matches!(value.expr.kind, ExprKind::Null);
                if is_null || self.types.are_compatible(from, target) {
                    return Ok(value.expr);
                }
                let (from, to) = (self.types.name(&value.ty), self.types.name(to));
                self.outside(
                    syntax,
                    format!(
                        "a pointer of the type `{from}` is used as `{to}`, which is not supported"
                    ),
                )
            }
            // A function of the library may have a result that is not modelled.
            (Type::Void, ..) => {
                let text = self.written(syntax);
                self.outside(
                    syntax,
                    format!("the result of `{text}` is used, which is not supported"),
                )
            }
            (from, ..) => {
                let (from, to) = (self.types.name(from), self.types.name(to));
                self.outside(
                    syntax,
                    format!(
                        "`{}` of the type `{from}` is used as `{to}`, which is not supported",
                        self.written(syntax)
                    ),
                )
            }
        }
    }

    /// A unary operator.
    pub(super) fn unary(
        &mut self,
        operator: &str,
        operand: Syntax<'_>,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let span = syntax.span();
        if operator == "!" {
            let condition = self.condition(operand)?;
            return Ok(Value {
                expr: build::not(condition, span),
                ty: Type::INT,
            });
        }
        let value = self.value(operand)?;
        let Value { expr, ty } = self.number(value, operand)?;
        let op = match operator {
            "+" => return Ok(Value { expr, ty }),
            "-" => UnaryOp::Neg(overflow(&ty)),
            "~" => UnaryOp::BitNot,
            _ => {
                return self.outside(
                    syntax,
                    format!("the operator `{operator}` is not supported"),
                );
            }
        };
        let is_number = operand.kind() == "number_literal" || !self.keeps_constants();
        let kind = match expr.kind {
            // A negative number is written as one, unless the number has parentheses of its own.
            ExprKind::Constant(number)
                if operator == "-" && is_number && expr.ty.wrap(-number) == -number =>
            {
                ExprKind::Constant(-number)
            }
            _ => ExprKind::Unary(op, Box::new(expr.clone())),
        };
        let expr = Expr {
            kind,
            ty: expr.ty,
            span,
        };
        Ok(Value { expr, ty })
    }

    /// A binary operator other than `&&` and `||`.
    pub(super) fn binary(
        &mut self,
        operator: &str,
        left: Value,
        right: Value,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let Some(op) = BinaryOp::from_token(operator) else {
            return self.outside(
                syntax,
                format!("the operator `{operator}` is not supported"),
            );
        };
        let is_pointer = |value: &Value| matches!(value.ty, Type::Pointer(_) | Type::Memory);
        if is_pointer(&left) || is_pointer(&right) {
            return self.pointers(op, left, right, syntax);
        }
        let (span, used_at) = (self.own_span(syntax), syntax.span());
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let left = self.number(left, syntax)?;
            let right = self.number(right, syntax)?;
            let ty = left.expr.ty;
            let expr = build::binary(op, overflow(&left.ty), left.expr, right.expr, ty, span);
            return Ok(Value {
                expr: build::used_at(expr, used_at),
                ty: left.ty,
            });
        }
        for side in [&left, &right] {
            self.number(side.clone(), syntax)?;
        }
        let common = left.ty.common(&right.ty);
        let is_comparison = op.comparison().is_some();
        let left = self.convert(left, &common, syntax)?;
        let right = self.convert(right, &common, syntax)?;
        if is_comparison {
            return Ok(Value {
                expr: build::used_at(build::compare(op, left, right, span), used_at),
                ty: Type::INT,
            });
        }
        let ty = left.ty;
        let expr = build::binary(op, overflow(&common), left, right, ty, span);
        Ok(Value {
            expr: build::used_at(expr, used_at),
            ty: common,
        })
    }

    /// Arithmetic and comparisons of pointers.
    fn pointers(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        match (op, &left.ty, &right.ty) {
            (BinaryOp::Add, _, Type::Pointer(_)) => self.moved(right, left, false, syntax),
            (BinaryOp::Add, Type::Pointer(_), _) => self.moved(left, right, false, syntax),
            (BinaryOp::Sub, Type::Pointer(_), Type::Pointer(_)) => {
                let stride = self.stride(&left.ty, syntax)?;
                self.distance(left, right, stride, syntax)
            }
            (BinaryOp::Sub, Type::Pointer(_), _) => self.moved(left, right, true, syntax),
            (BinaryOp::Eq | BinaryOp::Ne, ..) => {
                let side = |value: Value, this: &Self| match value.ty {
                    Type::Pointer(_) => Ok(value.expr),
                    _ if Self::is_null(&value) => Ok(build::null(value.expr.span)),
                    _ => this.outside(syntax, "a pointer is compared with a number"),
                };
                let (left, right) = (side(left, self)?, side(right, self)?);
                Ok(self.same_pointer(op, left, right, syntax))
            }
            (
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge,
                Type::Pointer(_),
                Type::Pointer(_),
            ) => {
                if !self.types.are_compatible(&left.ty, &right.ty) {
                    return self.outside(syntax, DIFFERENT_TYPES);
                }
                // Members of one structure have an order (C11, 6.5.8p5), though no distance.
                Ok(self.same_pointer(op, left.expr, right.expr, syntax))
            }
            _ => self.outside(
                syntax,
                format!("`{}` is not supported for pointers", self.written(syntax)),
            ),
        }
    }

    /// Whether it is null or 0.
    pub(super) fn is_null(value: &Value) -> bool {
        let mut expr = &value.expr;
        while let ExprKind::Cast(inner) = &expr.kind {
            expr = inner;
        }
        matches!(expr.kind, ExprKind::Null | ExprKind::Constant(0))
    }

    /// A comparison of pointers.
    fn same_pointer(&self, op: BinaryOp, left: Expr, right: Expr, syntax: Syntax<'_>) -> Value {
        let expr = build::compare(op, left, right, self.own_span(syntax));
        Value {
            expr: build::used_at(expr, syntax.span()),
            ty: Type::INT,
        }
    }

    /// How many cells are between a pointer and the next one.
    fn stride(&self, pointer: &Type, syntax: Syntax<'_>) -> Translated<u32> {
        let stride = match pointer {
            Type::Pointer(element) => self.types.cells(element),
            _ => None,
        };
        stride.ok_or_else(|| {
            self.error(
                syntax,
                "the size of the type that the pointer points to is not known",
            )
        })
    }

    fn moved(
        &mut self,
        pointer: Value,
        by: Value,
        is_back: bool,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let stride = self.stride(&pointer.ty, syntax)?;
        let by = self.number(by, syntax)?;
        let mut by = self.convert(by, &Type::LONG, syntax)?;
        if is_back {
            by = match by.kind {
                // Whoever reads leniently wants to see a number.
                ExprKind::Constant(number) if self.is_lenient => {
                    build::constant(by.ty.wrap(-number), by.ty, by.span)
                }
                _ => Expr {
                    ty: by.ty,
                    span: by.span,
                    kind: ExprKind::Unary(UnaryOp::Neg(Overflow::Wraps), Box::new(by)),
                },
            };
        }
        let expr = build::offset(pointer.expr, by, stride, self.own_span(syntax));
        Ok(Value {
            expr: build::used_at(expr, syntax.span()),
            ty: pointer.ty,
        })
    }

    fn distance(
        &mut self,
        left: Value,
        right: Value,
        stride: u32,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        if !self.types.are_compatible(&left.ty, &right.ty) {
            return self.outside(syntax, DIFFERENT_TYPES);
        }
        Ok(Value {
            expr: Expr {
                kind: ExprKind::Distance(Box::new(left.expr), Box::new(right.expr), stride),
                ty: Scalar::LONG,
                span: syntax.span(),
            },
            ty: Type::LONG,
        })
    }
}

/// Signed arithmetic must not overflow; unsigned arithmetic wraps.
fn overflow(ty: &Type) -> Overflow {
    match ty {
        Type::Int(IntKind { signed: false, .. }, _) => Overflow::Wraps,
        _ => Overflow::Fault,
    }
}
