//! Options: their methods, and `?`.

use syn::Expr as Syntax;

use super::blocks::Role;
use super::body::Body;
use super::build::{Repr, Value, constant, field, load, load_variable, not, truth};
use super::types::Type;
use crate::ir::{Expr, ExprKind, FaultKind, Lvalue, Outside, Scalar, Span, Statement};

impl Body<'_, '_> {
    pub fn option_method(
        &mut self,
        name: &str,
        mut value: Value,
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        let Some((of, lvalue)) = self.option_at(&mut value, span) else {
            return Ok(None);
        };
        let is_some = load(lvalue.clone(), Scalar::Bool, span);
        let inner = self.part(&of, &lvalue, 1, span);
        Ok(Some(match (name, arguments) {
            ("is_some", []) => Value::scalar(Type::Bool, is_some),
            ("is_none", []) => Value::scalar(Type::Bool, not(is_some)),
            ("unwrap", []) | ("expect", [_]) => {
                self.out.push(Statement::Assert(is_some, FaultKind::Panic));
                inner
            }
            ("unwrap_or", [other]) => {
                let Some(scalar) = of.scalar() else {
                    return Ok(None);
                };
                // The other value is evaluated in any case.
                let other = self.typed(other, &of)?;
                let other = self.repeatable(other);
                let inner = load(field(lvalue, 1), scalar, span);
                Value::scalar(of, self.choose(is_some, inner, other))
            }
            ("unwrap_or_default", []) => {
                let (Some(scalar), true) = (of.scalar(), of.int().is_some() || of == Type::Bool)
                else {
                    return Ok(None);
                };
                let inner = load(field(lvalue, 1), scalar, span);
                let zero = constant(0, scalar, span);
                Value::scalar(of, self.choose(is_some, inner, zero))
            }
            ("clone", []) => value,
            ("copied" | "cloned", []) => return self.copied_option(&of, is_some, inner, span),
            ("as_ref" | "as_mut", []) => {
                let inner = self.refer(Value::at(of, field(lvalue, 1)), span);
                let ty = inner.ty.clone();
                let (inner, _) = self.as_scalar(inner, span)?;
                self.option(&ty, is_some, inner)
            }
            ("take", []) => {
                let taken = self.copied(value);
                self.assign(None, lvalue, truth(false, span));
                taken
            }
            _ => return Ok(None),
        }))
    }

    /// What an option may contain, and where the option is.
    fn option_at(&mut self, value: &mut Value, span: Span) -> Option<(Type, Lvalue)> {
        let Type::Option(of) = &value.ty else {
            return None;
        };
        let of = self.guesses.resolved(of);
        let Repr::At(lvalue) = &mut value.repr else {
            return None;
        };
        *lvalue = self.steady(lvalue.clone(), span);
        Some((of, lvalue.clone()))
    }

    /// An option of what the references refer to.
    pub fn copied_option(
        &mut self,
        of: &Type,
        is_some: Expr,
        inner: Value,
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        let Type::Reference(to) = of else {
            return Ok(None);
        };
        let option = Type::option((**to).clone());
        let target = Lvalue::Variable(self.temporary(&option));
        self.assign(None, target.clone(), is_some.clone());
        let then = self.statements(|body| {
            let inner = body.dereferenced(inner, span)?;
            let inner = body.loaded(inner, span);
            let role = Role {
                has_places: false,
                ..Role::STORE
            };
            body.write(field(target.clone(), 1), inner, role, span);
            Ok(())
        })?;
        self.when(is_some, then);
        Ok(Some(Value::at(option, target)))
    }

    /// A branch that is in no source.
    pub fn when(&mut self, condition: Expr, then: Vec<Statement>) {
        let node = self.node();
        self.out.push(Statement::If {
            node,
            place: None,
            condition,
            then,
            otherwise: Vec::new(),
        });
    }

    /// `expression?`
    pub fn question_mark(&mut self, syntax: &Syntax, span: Span) -> Result<Value, Outside> {
        let mut value = self.value(syntax, None)?;
        value.ty = self.guesses.resolved(&value.ty);
        let opened = match &value.ty {
            Type::Option(of) if value.ty.is_link() => {
                let of = (**of).clone();
                let (pointer, _) = self.as_scalar(value, span)?;
                let pointer = self.lasting(pointer);
                let is_some = super::pointers::is_some(pointer.clone(), span);
                Some((is_some, Value::scalar(of, pointer)))
            }
            _ => self.option_at(&mut value, span).map(|(of, lvalue)| {
                let is_some = load(lvalue.clone(), Scalar::Bool, span);
                (is_some, self.part(&of, &lvalue, 1, span))
            }),
        };
        let (Some((is_some, inner)), Type::Option(_)) = (opened, self.result.clone()) else {
            let reason = "`?` is supported only for an `Option`, in a function that returns one";
            return Err(self.outside(span, reason));
        };
        let then = self.statements(|body| {
            let value = match body.result_pointer {
                Some(pointer) => {
                    let pointer = load_variable(pointer, Scalar::Pointer, span);
                    body.assign(None, Lvalue::Deref(pointer), truth(false, span));
                    None
                }
                None => Some(super::pointers::null(span)),
            };
            body.leave(Statement::Return { place: None, value });
            Ok(())
        })?;
        self.when(not(is_some), then);
        Ok(inner)
    }

    /// A fault of the program itself, unless the condition holds.
    pub fn assert(&mut self, condition: Expr) {
        self.out
            .push(Statement::Assert(condition, FaultKind::Panic));
    }

    /// The program gives up.
    pub fn panic(&mut self, span: Span) -> Value {
        self.assert(truth(false, span));
        // The run goes on behind a fault, but the function does not. An initializer has nowhere to go.
        if self.function.is_some() {
            let value = self.result.scalar().map(|ty| Expr {
                kind: if ty == Scalar::Pointer {
                    ExprKind::Null
                } else {
                    ExprKind::Constant(0)
                },
                ty,
                span,
            });
            self.leave(Statement::Return { place: None, value });
        }
        Value::never()
    }
}
