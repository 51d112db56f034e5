//! Memory: `malloc`, arrays of computed lengths, `memset`.

use nopol_scalar::IntKind;

use super::build::{self, Value};
use super::constants::fold;
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{
    BinaryOp, Builtin, Expr, ExprKind, FaultKind, Initially, LogicalOp, Lvalue, Overflow, Scalar,
    Span, Statement,
};

impl Translator<'_> {
    /// So many bytes, before their type is known.
    pub(super) fn untyped_memory(
        &mut self,
        bytes: Expr,
        initially: Initially,
        syntax: Syntax<'_>,
    ) -> Value {
        let builtin = Builtin::Allocate(Vec::new(), initially);
        Value {
            expr: Expr {
                kind: ExprKind::Builtin(self.node(), builtin, vec![bytes]),
                ty: Scalar::Pointer,
                span: syntax.span(),
            },
            ty: Type::Memory,
        }
    }

    /// These bytes as a row of elements.
    pub(super) fn typed_memory(
        &mut self,
        untyped: Expr,
        element: &Type,
        syntax: Syntax<'_>,
    ) -> Translated<Expr> {
        let span = untyped.span;
        let ExprKind::Builtin(node, Builtin::Allocate(_, initially), arguments) = untyped.kind
        else {
            return self.outside(syntax, "this memory is not supported");
        };
        let Some(bytes) = arguments.into_iter().next() else {
            return self.outside(syntax, "this memory is not supported");
        };
        let (cells, count) = match fold(&bytes) {
            Some(bytes) => {
                let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
                (self.memory(bytes, element, syntax)?, None)
            }
            None => {
                let (Some(cells), Some((size, _))) =
                    (self.types.scalars(element), self.types.layout(element))
                else {
                    let name = self.types.name(element);
                    return self.outside(syntax, format!("the size of `{name}` is not known"));
                };
                let size = build::constant(i128::from(size.max(1)), bytes.ty, span);
                let ty = bytes.ty;
                let count = build::binary(BinaryOp::Div, Overflow::Wraps, bytes, size, ty, span);
                (cells, Some(count))
            }
        };
        Ok(Expr {
            kind: ExprKind::Builtin(
                node,
                Builtin::Allocate(cells, initially),
                count.into_iter().collect(),
            ),
            ty: Scalar::Pointer,
            span,
        })
    }

    /// An array of as many elements as a computed number says, in memory of its own.
    pub(super) fn row_of(
        &mut self,
        count: Syntax<'_>,
        element: &Type,
        declarator: Syntax<'_>,
    ) -> Translated<Expr> {
        let Some(cells) = self.types.scalars(element) else {
            let name = self.types.name(element);
            return self.outside(declarator, format!("the size of `{name}` is not known"));
        };
        let count = self.converted(count, &Type::SIZE)?;
        let builtin = Builtin::Row(cells);
        Ok(Expr {
            kind: ExprKind::Builtin(self.node(), builtin, vec![count]),
            ty: Scalar::Pointer,
            span: declarator.span(),
        })
    }

    /// The cells of this many bytes of elements.
    pub(super) fn memory(
        &self,
        bytes: u64,
        element: &Type,
        syntax: Syntax<'_>,
    ) -> Translated<Vec<Scalar>> {
        let size = self.types.layout(element).map_or(0, |(size, _)| size);
        let whole = bytes
            .checked_div(size)
            .filter(|_| bytes.is_multiple_of(size))
            .and_then(|count| u32::try_from(count).ok());
        let cells = whole.and_then(|count| {
            self.types
                .scalars(&Type::Array(element.clone().into(), Some(count)))
        });
        let name = self.types.name(element);
        cells.ok_or_else(|| {
            self.error(
                syntax,
                match whole {
                    Some(_) => format!("{bytes} bytes of `{name}` are more than is supported"),
                    None => format!("{bytes} bytes are not a whole number of `{name}`"),
                },
            )
        })
    }

    /// The pointer and the type of what it points to: arrays of one type of cell are taken as rows of cells.
    fn row(&mut self, pointer: Syntax<'_>) -> Translated<(Value, Type)> {
        let value = self.value(pointer)?;
        let Type::Pointer(element) = &value.ty else {
            return self.outside(
                pointer,
                format!("`{}` is not a pointer", self.written(pointer)),
            );
        };
        let mut element = (**element).clone();
        while let Type::Array(inner, _) = &element {
            element = (**inner).clone();
        }
        Ok((value, element))
    }

    /// `memset`
    pub(super) fn set_memory(
        &mut self,
        target: Syntax<'_>,
        byte: Syntax<'_>,
        size: Syntax<'_>,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let span = syntax.span();
        let (pointer, element) = self.row(target)?;
        let (constant, _) = self.constant(byte)?;
        let (Some(cells), Some((element_size, _))) =
            (self.types.scalars(&element), self.types.layout(&element))
        else {
            return self.outside(
                target,
                "the size of the elements that `memset` sets is not known",
            );
        };
        let long = Scalar::SIZE;
        let mut statements = Vec::new();
        let pointer = self.temporary("memory", pointer.expr, &mut statements);
        let count = self.converted(size, &Type::SIZE)?;
        let element_size = build::constant(i128::from(element_size), long, span);
        let count = build::binary(
            BinaryOp::Div,
            Overflow::Wraps,
            count,
            element_size,
            long,
            span,
        );
        let count = self.temporary("count", count, &mut statements);
        // What a pointer or a truth value would become is not known, so that only 0 can be written there.
        let is_any = cells.iter().all(|cell| matches!(cell, Scalar::Int(_)));
        let byte = if self.keeps_constants() && is_any {
            let byte = self.converted(byte, &Type::integer(8, false))?;
            Some(self.temporary("byte", byte, &mut statements))
        } else {
            self.fix(byte);
            None
        };
        let there = build::load(Lvalue::Variable(pointer), Scalar::Pointer, span);
        statements.push(build::present(there, span));
        let number = self.temporary("number", build::constant(0, long, span), &mut statements);
        let load = |variable, ty| build::load(Lvalue::Variable(variable), ty, span);
        let mut body = Vec::new();
        for (cell, scalar) in (0_u32..).zip(&cells) {
            let value = match (scalar, byte) {
                (Scalar::Int(kind), Some(byte)) => {
                    repeated(load(byte, Scalar::BYTE), kind.bits, *scalar)
                }
                (Scalar::Pointer, _) if constant == 0 => build::null(span),
                (Scalar::Bool, _) if constant == 0 => build::constant(0, Scalar::Bool, span),
                (Scalar::Int(kind), None) if kind.bits == 8 || constant == 0 || constant == -1 => {
                    build::constant(scalar.wrap(constant), *scalar, span)
                }
                _ => return self.outside(syntax, "`memset` is only supported with 0 and -1"),
            };
            let element = Lvalue::Index {
                array: Box::new(Lvalue::Deref(load(pointer, Scalar::Pointer))),
                index: load(number, long),
                length: None,
                stride: u32::try_from(cells.len()).unwrap_or(u32::MAX),
            };
            body.push(build::assign(Lvalue::Field(Box::new(element), cell), value));
        }
        let one = build::constant(1, long, span);
        let next = build::binary(
            BinaryOp::Add,
            Overflow::Wraps,
            load(number, long),
            one,
            long,
            span,
        );
        statements.push(Statement::Loop {
            node: self.node(),
            place: None,
            condition: build::compare(BinaryOp::Lt, load(number, long), load(count, long), span),
            tests_first: true,
            body,
            update: vec![build::assign(Lvalue::Variable(number), next)],
        });
        Ok(build::effect(statements, span))
    }

    /// Whether areas, each with so many cells, have nothing in common.
    pub(super) fn are_apart(
        &mut self,
        (to, cells): (Expr, Expr),
        (from, others): (Expr, Expr),
        span: Span,
    ) -> Expr {
        let arguments = vec![to, cells, from, others];
        Expr {
            kind: ExprKind::Builtin(self.node(), Builtin::Apart, arguments),
            ty: Scalar::Bool,
            span,
        }
    }

    /// A fault if a number is no character. The tables of libraries begin at the smallest `char`.
    pub(super) fn character(&mut self, value: Expr, span: Span) -> Vec<Statement> {
        let mut statements = Vec::new();
        let value = self.temporary("character", value, &mut statements);
        for (op, limit) in [(BinaryOp::Ge, -128), (BinaryOp::Le, 255)] {
            let value = build::load(Lvalue::Variable(value), Scalar::INT, span);
            let limit = build::constant(limit, Scalar::INT, span);
            let fits = build::compare(op, value, limit, span);
            statements.push(Statement::Assert(fits, FaultKind::Character));
        }
        statements
    }

    /// `memcpy` and `memmove` of a constant size
    pub(super) fn copy_memory(
        &mut self,
        target: Syntax<'_>,
        source: Syntax<'_>,
        size: Syntax<'_>,
        may_overlap: bool,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let span = syntax.span();
        let (to, element) = self.row(target)?;
        let (from, other) = self.row(source)?;
        if !self.types.are_compatible(&element, &other) {
            return self.outside(syntax, "memory of different types is copied");
        }
        self.fix(size);
        let (bytes, _) = self.constant(size)?;
        let cells = self.memory(u64::try_from(bytes).unwrap_or(u64::MAX), &element, size)?;
        let (mut statements, mut to, mut from) = (Vec::new(), to.expr, from.expr);
        if !may_overlap {
            let areas = [("to", &mut to), ("from", &mut from)];
            let [to, from] = areas.map(|(what, pointer)| {
                let variable = self.temporary(what, pointer.clone(), &mut statements);
                *pointer = build::load(Lvalue::Variable(variable), Scalar::Pointer, pointer.span);
                pointer.clone()
            });
            let count = build::constant(cells.len() as i128, Scalar::SIZE, span);
            // Compilers copy what is already there in this way themselves.
            let same = build::compare(BinaryOp::Eq, to.clone(), from.clone(), span);
            let apart = self.are_apart((to, count.clone()), (from, count), span);
            let fits = Expr {
                kind: ExprKind::Logical(
                    LogicalOp::Or,
                    self.node(),
                    Box::new(same),
                    Box::new(apart),
                ),
                ty: Scalar::Bool,
                span,
            };
            statements.push(Statement::Assert(fits, FaultKind::Overlap));
        }
        for pointer in [&to, &from] {
            if cells.is_empty() {
                statements.push(build::present(pointer.clone(), span));
            }
        }
        statements.push(Statement::Copy {
            target: build::dereferenced(to),
            source: build::dereferenced(from),
            cells,
            span,
        });
        Ok(build::effect(statements, span))
    }
}

/// A byte as often as it fits a number of this type.
fn repeated(byte: Expr, bits: u8, to: Scalar) -> Expr {
    let span = byte.span;
    let wide = Scalar::Int(IntKind::new(bits, false));
    let ones = (0..bits / 8).fold(0_i128, |ones, _| ones << 8 | 1);
    let byte = build::cast(byte, wide);
    let ones = build::constant(ones, wide, build::nowhere(span));
    let value = build::binary(BinaryOp::Mul, Overflow::Wraps, byte, ones, wide, span);
    build::cast(value, to)
}
