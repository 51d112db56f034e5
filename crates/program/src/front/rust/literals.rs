//! Literals.

use nopol_scalar::IntType;
use std::rc::Rc;

use syn::Lit;

use super::body::Body;
use super::build::{Value, constant, count, element, truth};
use super::source::number;
use super::types::{Type, int_named};
use crate::ir::{Expr, ExprKind, Lvalue, Outside, Scalar, Span};

impl Body<'_, '_> {
    /// The value of a literal, or the negative of it.
    pub fn literal(
        &mut self,
        lit: &Lit,
        is_negative: bool,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        Ok(match lit {
            Lit::Bool(bool) => Value::scalar(Type::Bool, truth(bool.value, span)),
            Lit::Char(char) => {
                let value = i128::from(u32::from(char.value()));
                Value::scalar(Type::Char, constant(value, Scalar::UINT, span))
            }
            Lit::Byte(byte) => {
                let value = i128::from(byte.value());
                Value::scalar(Type::Int(IntType::U8), constant(value, Scalar::BYTE, span))
            }
            Lit::Int(int) => {
                let ty = match int_named(int.suffix()) {
                    Some(int) => Type::Int(int),
                    None if int.suffix().is_empty() => self.int_type(expected, span),
                    None => return Err(self.unsupported_type(int.suffix(), span)),
                };
                // In patterns, the sign is a part of the literal.
                let value: Option<i128> = int.base10_parse().ok();
                let value = value.filter(|value| *value <= i128::from(u64::MAX));
                let Some(value) = value else {
                    return Err(
                        self.outside(span, "an integer of more than 64 bits is not supported")
                    );
                };
                let value = if is_negative { -value } else { value };
                let scalar = ty.scalar().unwrap_or(Scalar::INT);
                Value::scalar(ty, constant(scalar.wrap(value), scalar, span))
            }
            Lit::Float(_) => {
                return Err(self.outside(span, "floating-point numbers are not supported"));
            }
            // Strings are in messages only, where they do not matter.
            Lit::Str(_) => {
                let null = Expr {
                    kind: ExprKind::Null,
                    ty: Scalar::Pointer,
                    span,
                };
                Value::scalar(Type::reference(Type::Str), null)
            }
            Lit::ByteStr(bytes) => {
                let bytes = bytes.value();
                let ty = Type::Array(Rc::new(Type::Int(IntType::U8)), number(bytes.len()));
                let array = self.temporary(&ty);
                for (nth, byte) in bytes.into_iter().enumerate() {
                    let byte = constant(i128::from(byte), Scalar::BYTE, span);
                    let at = count(number(nth), span);
                    self.assign(None, element(Lvalue::Variable(array), at, &ty), byte);
                }
                let address = super::build::address(Lvalue::Variable(array), span);
                Value::scalar(Type::reference(ty), address)
            }
            _ => return Err(self.outside(span, "this kind of literal is not supported")),
        })
    }

    /// The type of a literal without a suffix.
    fn int_type(&self, expected: Option<&Type>, span: Span) -> Type {
        match expected.map(|expected| self.guesses.resolved(expected)) {
            Some(Type::Int(int)) => Type::Int(int),
            _ => self.guesses.at(span.start, true),
        }
    }

    pub fn unsupported_type(&self, name: &str, span: Span) -> Outside {
        self.outside(span, format!("the type `{name}` is not supported"))
    }
}
