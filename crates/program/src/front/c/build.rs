//! Builds expressions and statements.

use super::Translator;
use super::types::Type;
use crate::ir::{
    BinaryOp, Expr, ExprKind, FaultKind, Lvalue, NodeId, Overflow, Scalar, Shape, Span, Statement,
    UnaryOp, Variable, VariableId,
};

/// A value and its type in C. The cell type of a comparison is `Bool` though its type is `int`: it is cast where it
/// is used as a number.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) ty: Type,
}

/// A constant.
pub(super) fn constant(value: i128, ty: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Constant(value),
        ty,
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

/// An expression that is written in one place, such as the body of a macro, and used in another one.
pub(super) fn used_at(expr: Expr, span: Span) -> Expr {
    if expr.span == span {
        return expr;
    }
    if expr.ty == Scalar::Pointer {
        return Expr { span, ..expr };
    }
    Expr {
        ty: expr.ty,
        kind: ExprKind::Cast(Box::new(expr)),
        span,
    }
}

/// A value that is in a cell.
pub(super) fn load(from: Lvalue, ty: Scalar, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Load(Box::new(from)),
        ty,
        span,
    }
}

/// The address of a cell.
pub(super) fn address(of: Lvalue, span: Span) -> Expr {
    part_address(of, None, span)
}

/// The address of the first of so many cells, which are a part of something larger unless they are a whole variable.
pub(super) fn part_address(of: Lvalue, cells: Option<u32>, span: Span) -> Expr {
    let kind = match (of, cells) {
        (Lvalue::Deref(pointer), None) => pointer.kind,
        (of @ Lvalue::Variable(_), _) => ExprKind::Address(Box::new(of), None),
        (of, cells) => ExprKind::Address(Box::new(of), cells),
    };
    Expr {
        kind,
        ty: Scalar::Pointer,
        span,
    }
}

/// What is at an address.
pub(super) fn dereferenced(pointer: Expr) -> Lvalue {
    match pointer.kind {
        ExprKind::Address(of, None) => *of,
        _ => Lvalue::Deref(pointer),
    }
}

/// A pointer moved by this many elements.
pub(super) fn offset(pointer: Expr, by: Expr, stride: u32, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Offset(Box::new(pointer), Box::new(by), stride),
        ty: Scalar::Pointer,
        span,
    }
}

/// The null pointer.
pub(super) fn null(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Null,
        ty: Scalar::Pointer,
        span,
    }
}

/// An operation.
pub(super) fn binary(
    op: BinaryOp,
    overflow: Overflow,
    left: Expr,
    right: Expr,
    ty: Scalar,
    span: Span,
) -> Expr {
    Expr {
        kind: ExprKind::Binary(op, overflow, Box::new(left), Box::new(right)),
        ty,
        span,
    }
}

/// A comparison.
pub(super) fn compare(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    binary(op, Overflow::Wraps, left, right, Scalar::Bool, span)
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

/// Only statements.
pub(super) fn effect(statements: Vec<Statement>, span: Span) -> Value {
    Value {
        expr: block(statements, constant(0, Scalar::INT, span)),
        ty: Type::Void,
    }
}

/// The number in another type.
pub(super) fn cast(value: Expr, to: Scalar) -> Expr {
    if value.ty == to {
        return value;
    }
    let span = value.span;
    let kind = match value.kind {
        ExprKind::Constant(number) if to == Scalar::Bool => {
            ExprKind::Constant(i128::from(number != 0))
        }
        ExprKind::Constant(number) => ExprKind::Constant(to.wrap(number)),
        _ => ExprKind::Cast(Box::new(value)),
    };
    Expr { kind, ty: to, span }
}

/// Whether the value is not 0 or null: what a condition means.
pub(super) fn truth(value: Expr) -> Expr {
    let span = value.span;
    let zero = match value.ty {
        Scalar::Bool => return value,
        Scalar::Pointer => null(nowhere(span)),
        ty => constant(0, ty, nowhere(span)),
    };
    compare(BinaryOp::Ne, value, zero, span)
}

/// The opposite.
pub(super) fn not(condition: Expr, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)),
        ty: Scalar::Bool,
        span,
    }
}

/// A fault if a pointer is null.
pub(super) fn present(pointer: Expr, span: Span) -> Statement {
    Statement::Assert(
        compare(BinaryOp::Ne, pointer, null(span), span),
        FaultKind::NullPointer,
    )
}

/// An assignment that cannot be wrong.
pub(super) fn assign(target: Lvalue, value: Expr) -> Statement {
    Statement::Assign {
        place: None,
        target,
        value,
    }
}

/// Whether evaluating it twice is like evaluating it once, also for those who count branches and calls.
pub(super) fn is_repeatable(lvalue: &Lvalue) -> bool {
    match lvalue {
        Lvalue::Variable(_) => true,
        Lvalue::Deref(pointer) => is_simple(pointer),
        Lvalue::Index { array, index, .. } => is_repeatable(array) && is_simple(index),
        Lvalue::Field(structure, _) => is_repeatable(structure),
    }
}

fn is_simple(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Null => true,
        ExprKind::Load(of) | ExprKind::Address(of, _) => is_repeatable(of),
        ExprKind::Unary(_, of) | ExprKind::Cast(of) => is_simple(of),
        ExprKind::Binary(_, _, left, right)
        | ExprKind::Offset(left, right, _)
        | ExprKind::Distance(left, right, _) => is_simple(left) && is_simple(right),
        ExprKind::Logical(..)
        | ExprKind::Conditional(..)
        | ExprKind::Call(..)
        | ExprKind::Builtin(..)
        | ExprKind::Block(..)
        | ExprKind::Choice(..) => false,
    }
}

impl Translator<'_> {
    /// The next node.
    pub(super) fn node(&mut self) -> NodeId {
        let node = NodeId::new(self.program.nodes);
        self.program.nodes += 1;
        node
    }

    /// A new variable.
    pub(super) fn variable(
        &mut self,
        name: impl Into<String>,
        cells: Vec<Scalar>,
        is_global: bool,
    ) -> VariableId {
        self.program.variables.push_and_get_key(Variable {
            name: name.into(),
            cells,
            shape: Shape::Other,
            access: Default::default(),
            is_global,
            home: None,
            within: None,
            initially: Default::default(),
            is_constant: false,
            is_row: false,
        })
    }

    /// A new variable that holds a value from here on.
    pub(super) fn temporary(
        &mut self,
        what: &str,
        value: Expr,
        statements: &mut Vec<Statement>,
    ) -> VariableId {
        let id = self.variable(format!("#{what}"), vec![value.ty], false);
        statements.push(Statement::Declare(id));
        statements.push(assign(Lvalue::Variable(id), value));
        id
    }
}
