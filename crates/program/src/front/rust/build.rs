//! Shorthands for expressions and cells of the program.

use super::types::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, Lvalue, Overflow, Scalar, Span, UnaryOp, VariableId};

pub(super) fn constant(value: i128, ty: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Constant(value),
        ty,
        span,
    }
}

pub(super) fn truth(value: bool, span: Span) -> Expr {
    constant(i128::from(value), Scalar::Bool, span)
}

/// A number of elements.
pub(super) fn count(value: u32, span: Span) -> Expr {
    constant(i128::from(value), Scalar::SIZE, span)
}

pub(super) fn load(lvalue: Lvalue, ty: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Load(Box::new(lvalue)),
        ty,
        span,
    }
}

pub(super) fn load_variable(variable: VariableId, ty: Scalar, span: Span) -> Expr {
    load(Lvalue::Variable(variable), ty, span)
}

/// The address of a cell; of what a pointer points to it is the pointer.
pub(super) fn address(lvalue: Lvalue, span: Span) -> Expr {
    match lvalue {
        Lvalue::Deref(pointer) => pointer,
        lvalue => Expr {
            kind: ExprKind::Address(Box::new(lvalue), None),
            ty: Scalar::Pointer,
            span,
        },
    }
}

/// So many cells after the first one.
pub(super) fn field(lvalue: Lvalue, offset: u32) -> Lvalue {
    match lvalue {
        lvalue if offset == 0 => lvalue,
        Lvalue::Field(base, before) => Lvalue::Field(base, before + offset),
        lvalue => Lvalue::Field(Box::new(lvalue), offset),
    }
}

/// An operator whose operands and result have this type.
pub(super) fn binary(op: BinaryOp, overflow: Overflow, a: Expr, b: Expr) -> Expr {
    Expr {
        ty: a.ty,
        span: a.span,
        kind: ExprKind::Binary(op, overflow, Box::new(a), Box::new(b)),
    }
}

pub(super) fn wrapping(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    binary(op, Overflow::Wraps, a, b)
}

pub(super) fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr {
        ty: Scalar::Bool,
        ..binary(op, Overflow::Wraps, a, b)
    }
}

/// `a && b` of bools that cannot go wrong.
pub(super) fn both(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Constant(1), _) => b,
        (_, ExprKind::Constant(1)) => a,
        _ => wrapping(BinaryOp::And, a, b),
    }
}

/// `a || b` of bools that cannot go wrong.
pub(super) fn either(a: Expr, b: Expr) -> Expr {
    wrapping(BinaryOp::Or, a, b)
}

pub(super) fn not(a: Expr) -> Expr {
    match a.kind {
        ExprKind::Constant(value) => truth(value == 0, a.span),
        _ => unary(UnaryOp::Not, a),
    }
}

pub(super) fn unary(op: UnaryOp, a: Expr) -> Expr {
    Expr {
        ty: a.ty,
        span: a.span,
        kind: ExprKind::Unary(op, Box::new(a)),
    }
}

pub(super) fn cast(a: Expr, ty: Scalar) -> Expr {
    if a.ty == ty {
        return a;
    }
    Expr {
        ty,
        span: a.span,
        kind: match a.kind {
            ExprKind::Constant(value) if ty != Scalar::Bool && !is_written_number(&a) => {
                ExprKind::Constant(ty.wrap(value))
            }
            _ => ExprKind::Cast(Box::new(a)),
        },
    }
}

/// A pointer to an element after the one it points to.
pub(super) fn offset(pointer: Expr, by: Expr, cells: u32) -> Expr {
    if matches!(by.kind, ExprKind::Constant(0)) && !is_written_number(&by) {
        return pointer;
    }
    let by = cast(by, Scalar::LONG);
    Expr {
        ty: Scalar::Pointer,
        span: pointer.span,
        kind: ExprKind::Offset(Box::new(pointer), Box::new(by), cells),
    }
}

/// An element of an array; of anything else the first cell.
pub(super) fn element(array: Lvalue, index: Expr, ty: &Type) -> Lvalue {
    let Type::Array(of, length) = ty else {
        return field(array, 0);
    };
    Lvalue::Index {
        array: Box::new(array),
        index,
        length: Some(*length),
        stride: of.size(),
    }
}

pub(super) fn with_span(expr: Expr, span: Span) -> Expr {
    Expr { span, ..expr }
}

/// An expression as a part of another one that is written around it.
pub(super) fn within(expr: Expr, span: Span) -> Expr {
    if expr.span == span {
        return expr;
    }
    Expr {
        ty: expr.ty,
        kind: ExprKind::Cast(Box::new(expr)),
        span,
    }
}

/// A place in the source where nothing is written.
pub(super) fn nowhere(span: Span) -> Span {
    Span {
        end: span.start,
        ..span
    }
}

/// Whether it is a number that is written there.
pub(super) fn is_written_number(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(_)) && expr.span.start < expr.span.end
}

/// A value of the subset.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub ty: Type,
    pub repr: Repr,
}

/// How a value is there.
#[derive(Clone, Debug)]
pub(super) enum Repr {
    /// The value of an expression.
    Scalar(Expr),
    /// A slice, or the reference to one: a pointer and a length. Both can be written several times.
    Slice(Expr, Expr),
    /// In memory.
    At(Lvalue),
    /// It has no cells, or never comes to be.
    Nothing,
}

impl Value {
    pub fn scalar(ty: Type, expr: Expr) -> Self {
        Self {
            ty,
            repr: Repr::Scalar(expr),
        }
    }

    pub fn at(ty: Type, lvalue: Lvalue) -> Self {
        Self {
            ty,
            repr: Repr::At(lvalue),
        }
    }

    pub fn unit() -> Self {
        Self {
            ty: Type::unit(),
            repr: Repr::Nothing,
        }
    }

    /// What never comes to be.
    pub fn never() -> Self {
        Self {
            ty: Type::Never,
            repr: Repr::Nothing,
        }
    }
}
