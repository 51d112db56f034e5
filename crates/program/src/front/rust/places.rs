//! Where values are: variables, fields, elements, and what references point to.

use syn::{Expr as Syntax, Member, UnOp};

use super::body::Body;
use super::build::{
    Repr, Value, address, compare, constant, count, element, field, is_written_number, nowhere,
    offset, wrapping,
};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, FaultKind, Lvalue, Outside, Span, Statement};

impl Body<'_, '_> {
    /// Where the value of an expression is; what is nowhere gets a temporary variable.
    pub fn locate(&mut self, syntax: &Syntax) -> Result<Value, Outside> {
        let syntax = bare(syntax);
        let span = self.span(syntax);
        match syntax {
            Syntax::Path(path) if !self.is_constructor(syntax) => self.named(&path.path, span),
            Syntax::Field(of) => {
                let base = self.locate(&of.base)?;
                let base = self.through(base, span)?;
                self.member(base, &of.member, span)
            }
            Syntax::Index(of) => self.indexed(&of.expr, &of.index, span),
            Syntax::Unary(of) if matches!(of.op, UnOp::Deref(_)) => {
                let value = self.value(&of.expr, None)?;
                self.dereferenced(value, span)
            }
            _ => {
                let value = self.value(syntax, None)?;
                Ok(self.in_memory(value))
            }
        }
    }

    /// A value somewhere in memory.
    fn in_memory(&mut self, value: Value) -> Value {
        match value.repr {
            Repr::Scalar(_) => self.copied(value),
            // What a slice points to is in memory.
            Repr::Slice(..) | Repr::At(_) | Repr::Nothing => value,
        }
    }

    fn member(&mut self, base: Value, member: &Member, span: Span) -> Result<Value, Outside> {
        let Repr::At(lvalue) = base.repr else {
            return Err(self.outside(span, format!("a field of `{}` is not supported", base.ty)));
        };
        match (&base.ty, member) {
            (Type::Struct(structure), member) => {
                let of = &structure.fields[self.field_of(structure, member, span)?];
                Ok(Value::at(of.ty.clone(), field(lvalue, of.offset)))
            }
            (Type::Tuple(types), Member::Unnamed(nth)) if (nth.index as usize) < types.len() => {
                let (before, from) = types.split_at(nth.index as usize);
                let offset = before.iter().map(Type::size).sum();
                Ok(Value::at(from[0].clone(), field(lvalue, offset)))
            }
            _ => Err(self.outside(span, format!("a field of `{}` is not supported", base.ty))),
        }
    }

    /// What a reference refers to.
    pub fn dereferenced(&mut self, value: Value, span: Span) -> Result<Value, Outside> {
        let ty = self.guesses.resolved(&value.ty);
        let loaded = self.loaded(value, span);
        let to = match ty {
            Type::Reference(to) | Type::Raw(to) | Type::Box(to) => to,
            Type::Borrowed(to) => {
                return Ok(Value {
                    ty: Type::Box(to),
                    repr: loaded.repr,
                });
            }
            ty => return Err(self.no_operator("*", &ty, span)),
        };
        let home = self.home.clone();
        let to = std::rc::Rc::new(self.front.known(&home, &to, span)?);
        Ok(match loaded.repr {
            Repr::Scalar(pointer) => {
                let lvalue = match pointer.kind {
                    ExprKind::Address(lvalue, _) => *lvalue,
                    _ => Lvalue::Deref(pointer),
                };
                Value::at((*to).clone(), lvalue)
            }
            repr => Value {
                ty: (*to).clone(),
                repr,
            },
        })
    }

    /// What a value refers to in the end, as operators and methods see it.
    pub fn through(&mut self, mut value: Value, span: Span) -> Result<Value, Outside> {
        value.ty = self.guesses.resolved(&value.ty);
        while matches!(
            value.ty,
            Type::Reference(_) | Type::Box(_) | Type::Borrowed(_)
        ) {
            value = self.dereferenced(value, span)?;
        }
        Ok(value)
    }

    fn indexed(&mut self, base: &Syntax, index: &Syntax, span: Span) -> Result<Value, Outside> {
        let located = self.locate(base)?;
        let mut base = self.through(located, span)?;
        if let Syntax::Range(range) = bare(index) {
            return self.sliced(base, range, span);
        }
        let mark = self.out.len();
        let index = self.size(index)?;
        self.keep_value(mark, &mut base, span);
        self.element_of(base, index, span)
    }

    /// The element with this number; a fault if there is none.
    pub fn element_of(&mut self, base: Value, index: Expr, span: Span) -> Result<Value, Outside> {
        match (&base.ty, base.repr) {
            (Type::Array(of, _), Repr::At(lvalue)) => {
                Ok(Value::at((**of).clone(), element(lvalue, index, &base.ty)))
            }
            (Type::Array(of, 0), _) => Ok(Value {
                ty: (**of).clone(),
                repr: Repr::Nothing,
            }),
            (Type::Slice(of), Repr::Slice(pointer, length)) => {
                let index = self.checked_index(index, length);
                Ok(Value::at((**of).clone(), slice_element(pointer, index, of)))
            }
            _ => Err(self.outside(span, format!("an index of `{}` is not supported", base.ty))),
        }
    }

    /// The number of an element of a slice. Its length is not that of the object, so that it must be compared.
    fn checked_index(&mut self, index: Expr, length: Expr) -> Expr {
        let before = std::mem::take(&mut self.out);
        let index = match super::body::is_simple(&index) && !self.is_written(&index) {
            true => index,
            false => self.saved(index),
        };
        let mut statements = std::mem::replace(&mut self.out, before);
        let is_inside = compare(BinaryOp::Lt, index.clone(), length);
        statements.push(Statement::Assert(is_inside, FaultKind::OutOfBounds));
        Expr {
            ty: index.ty,
            span: index.span,
            kind: ExprKind::Block(statements, Box::new(index)),
        }
    }

    /// `base[start..end]`
    fn sliced(
        &mut self,
        base: Value,
        range: &syn::ExprRange,
        span: Span,
    ) -> Result<Value, Outside> {
        let (of, pointer, length) = self.as_slice(base, span)?;
        let mut pointer = self.lasting(pointer);
        let mut length = self.lasting(length);
        let mut start = match &range.start {
            Some(start) => self.size(start)?,
            None => count(0, nowhere(span)),
        };
        let mark = self.out.len();
        let end = match &range.end {
            Some(end) => {
                let end = self.size(end)?;
                match range.limits {
                    syn::RangeLimits::HalfOpen(_) => end,
                    // The largest number has no next one, and so it is out of bounds anyway.
                    syn::RangeLimits::Closed(_) => {
                        let one = constant(1, end.ty, span);
                        super::build::binary(BinaryOp::Add, crate::ir::Overflow::Fault, end, one)
                    }
                }
            }
            None => length.clone(),
        };
        self.keep(mark, [&mut pointer, &mut length, &mut start]);
        let [start, end] = [start, end].map(|bound| match self.is_written(&bound) {
            true => self.saved(bound),
            false => self.lasting(bound),
        });
        for (a, b) in [(&start, &end), (&end, &length)] {
            let is_inside = compare(BinaryOp::Le, a.clone(), b.clone());
            self.out
                .push(Statement::Assert(is_inside, FaultKind::OutOfBounds));
        }
        let pointer = offset(pointer, start.clone(), of.size());
        let pointer = self.lasting(pointer);
        let length = match start.kind {
            ExprKind::Constant(0) if !is_written_number(&start) => end,
            _ => {
                let length = wrapping(BinaryOp::Sub, end, start);
                self.lasting(length)
            }
        };
        Ok(Value {
            ty: Type::Slice(of.into()),
            repr: Repr::Slice(pointer, length),
        })
    }

    /// The type of the elements, a pointer to the first one, and how many there are.
    pub fn as_slice(&mut self, value: Value, span: Span) -> Result<(Type, Expr, Expr), Outside> {
        let value = self.through(value, span)?;
        match (&value.ty, value.repr) {
            (Type::Slice(of), Repr::Slice(pointer, length)) => {
                Ok(((**of).clone(), pointer, length))
            }
            (Type::Array(of, length), Repr::At(lvalue)) => {
                Ok(((**of).clone(), address(lvalue, span), count(*length, span)))
            }
            _ => Err(self.outside(span, format!("`{}` is not supported as a slice", value.ty))),
        }
    }

    /// `&expression`
    pub fn reference(
        &mut self,
        syntax: &Syntax,
        is_mutable: bool,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        if is_mutable && self.is_global(syntax) {
            return Err(self.outside(span, "a mutable reference to a constant is not supported"));
        }
        let inner = match expected {
            Some(Type::Reference(to)) if !matches!(**to, Type::Slice(_) | Type::Reference(_)) => {
                Some((**to).clone())
            }
            Some(Type::Reference(to)) => match &**to {
                Type::Slice(of) => array_of(syntax, of),
                _ => None,
            },
            _ => None,
        };
        let is_place = matches!(
            bare(syntax),
            Syntax::Path(_) | Syntax::Field(_) | Syntax::Index(_) | Syntax::Unary(_)
        );
        let located = if is_place {
            self.locate(syntax)?
        } else {
            self.value(syntax, inner.as_ref())?
        };
        Ok(self.refer(located, span))
    }

    /// The reference to what is there.
    pub fn refer(&mut self, located: Value, span: Span) -> Value {
        let is_slice = matches!(located.ty, Type::Slice(_));
        let located = self.in_memory(located);
        let ty = Type::reference(located.ty.clone());
        match located.repr {
            Repr::At(lvalue) => Value::scalar(ty, address(lvalue, span)),
            Repr::Slice(pointer, length) if is_slice => Value {
                ty,
                repr: Repr::Slice(pointer, length),
            },
            // A reference to the reference to a slice: its two cells must be somewhere.
            Repr::Slice(pointer, length) => {
                let variable = self.temporary(&located.ty);
                let target = Lvalue::Variable(variable);
                self.assign(None, target.clone(), pointer);
                self.assign(None, field(target.clone(), 1), length);
                Value::scalar(ty, address(target, span))
            }
            Repr::Scalar(_) | Repr::Nothing => {
                // It has no cells, but it is somewhere.
                let variable = self.temporary(&Type::Bool);
                Value::scalar(ty, address(Lvalue::Variable(variable), span))
            }
        }
    }

    /// Whether it is a part of a constant or static.
    fn is_global(&mut self, syntax: &Syntax) -> bool {
        match bare(syntax) {
            Syntax::Path(path) => match path.path.get_ident() {
                Some(name) => self.local(&name.to_string()).is_none(),
                None => true,
            },
            Syntax::Field(of) => self.is_global(&of.base),
            Syntax::Index(of) => self.is_global(&of.expr),
            _ => false,
        }
    }
}

/// An element of a slice.
pub(super) fn slice_element(pointer: Expr, index: Expr, of: &Type) -> Lvalue {
    let first = match pointer.kind {
        ExprKind::Address(lvalue, _) => *lvalue,
        _ => Lvalue::Deref(pointer),
    };
    Lvalue::Index {
        array: Box::new(first),
        index,
        length: None,
        stride: of.size(),
    }
}

/// The type of an array that is written out, if its elements are of this type.
fn array_of(syntax: &Syntax, of: &Type) -> Option<Type> {
    match bare(syntax) {
        Syntax::Array(array) => Some(Type::Array(
            of.clone().into(),
            super::source::number(array.elems.len()),
        )),
        _ => None,
    }
}
