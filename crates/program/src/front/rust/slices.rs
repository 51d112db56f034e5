//! Methods of arrays and slices.

use syn::Expr as Syntax;

use super::body::Body;
use super::build::{
    Repr, Value, address, compare, constant, count, field, load_variable, wrapping,
};
use super::places::slice_element;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, Lvalue, Outside, Scalar, Span, Statement};

impl Body<'_, '_> {
    pub fn row_method(
        &mut self,
        name: &str,
        mut value: Value,
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        let (of, pointer, length) = self.as_slice(value.clone(), span)?;
        let zero = count(0, span);
        Ok(Some(match (name, arguments) {
            ("len", []) => Value::scalar(Type::USIZE, Expr { span, ..length }),
            ("is_empty", []) => Value::scalar(Type::Bool, compare(BinaryOp::Eq, length, zero)),
            ("clone", []) => self.loaded(value, span),
            ("as_slice" | "as_mut_slice", []) => {
                let pointer = self.repeatable(pointer);
                Value {
                    ty: Type::reference(Type::Slice(of.into())),
                    repr: Repr::Slice(pointer, length),
                }
            }
            ("first" | "last", []) => {
                let pointer = self.lasting(pointer);
                let length = self.lasting(length);
                let is_some = compare(BinaryOp::Gt, length.clone(), zero.clone());
                let index = match name {
                    "first" => zero,
                    _ => wrapping(BinaryOp::Sub, length, count(1, span)),
                };
                self.element_option(of, pointer, is_some, index, span)
            }
            ("get" | "get_mut", [index])
                if !matches!(super::expressions::bare(index), Syntax::Range(_)) =>
            {
                let types = [&Type::USIZE];
                let Some([index]) = self.operands(&mut value, &[index], types, span)? else {
                    return Ok(None);
                };
                let index = self.lasting(index);
                let (of, pointer, length) = self.as_slice(value, span)?;
                let is_some = compare(BinaryOp::Lt, index.clone(), length);
                self.element_option(of, pointer, is_some, index, span)
            }
            ("swap", [_, _]) => {
                let types = [&Type::USIZE, &Type::USIZE];
                let Some([a, b]) = self.operands(&mut value, arguments, types, span)? else {
                    return Ok(None);
                };
                let (a, b) = (self.lasting(a), self.lasting(b));
                let a = self.element_of(value.clone(), a, span)?;
                let b = self.element_of(value, b, span)?;
                self.exchange(a, b, span)?;
                Value::unit()
            }
            ("fill", [_]) => {
                let Some([filling]) = self.operands(&mut value, arguments, [&of], span)? else {
                    return Ok(None);
                };
                let filling = self.lasting(filling);
                let (_, pointer, length) = self.as_slice(value, span)?;
                let pointer = self.lasting(pointer);
                self.repeated(length, span, |body, nth| {
                    body.assign(None, slice_element(pointer, nth, &of), filling);
                    Ok(())
                })?;
                Value::unit()
            }
            ("contains", [_]) => self.contains(value, arguments, span)?,
            _ if is_iterator(name) => {
                let reason = "iterators are supported only in the head of a `for`";
                return Err(self.outside(span, reason));
            }
            _ => return Ok(None),
        }))
    }

    /// A reference to an element, if there is one.
    fn element_option(
        &mut self,
        of: Type,
        pointer: Expr,
        is_some: Expr,
        index: Expr,
        span: Span,
    ) -> Value {
        let reference = Type::reference(of.clone());
        let option = Type::option(reference);
        let target = Lvalue::Variable(self.temporary(&option));
        self.assign(None, target.clone(), is_some.clone());
        let element = address(slice_element(pointer, index, &of), span);
        let then = vec![Statement::Assign {
            place: None,
            target: field(target.clone(), 1),
            value: element,
        }];
        self.when(is_some, then);
        Value::at(option, target)
    }

    fn contains(
        &mut self,
        value: Value,
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Value, Outside> {
        let (of, pointer, length) = self.as_slice(value, span)?;
        let (mut pointer, mut length) = (self.lasting(pointer), self.lasting(length));
        let mark = self.out.len();
        let sought = self.value(arguments[0], Some(&Type::reference(of.clone())))?;
        self.keep(mark, [&mut pointer, &mut length]);
        let sought = self.through(sought, span)?;
        let sought = match sought.repr {
            Repr::At(lvalue) => Value::at(sought.ty, self.steady(lvalue, span)),
            _ => sought,
        };
        let is_found = self.declare("#found", &Type::Bool, false);
        let now = load_variable(is_found, Scalar::Bool, span);
        self.repeated(length, span, |body, nth| {
            let element = Value::at(of.clone(), slice_element(pointer, nth, &of));
            let element = body.loaded(element, span);
            let is_equal = body.equal(element, sought, span)?;
            let then = vec![Statement::Assign {
                place: None,
                target: Lvalue::Variable(is_found),
                value: constant(1, Scalar::Bool, span),
            }];
            body.when(is_equal, then);
            Ok(())
        })?;
        Ok(Value::scalar(Type::Bool, self.saved(now)))
    }
}

fn is_iterator(name: &str) -> bool {
    [
        "iter",
        "iter_mut",
        "into_iter",
        "windows",
        "chunks",
        "chunks_exact",
        "split",
    ]
    .contains(&name)
}
