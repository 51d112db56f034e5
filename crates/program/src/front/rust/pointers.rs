//! Raw pointers, boxes, and options of boxes and references, which are pointers that may be null.

use std::rc::Rc;

use syn::Expr as Syntax;

use super::blocks::Role;
use super::body::Body;
use super::build::{Repr, Value, compare, load_variable, not};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{
    BinaryOp, Builtin, Expr, ExprKind, FaultKind, Initially, Lvalue, Outside, Scalar, Span,
    Statement,
};

/// The null pointer.
pub(super) fn null(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Null,
        ty: Scalar::Pointer,
        span,
    }
}

/// Whether a pointer is null. The null has the span of the whole, because it is not in the source.
fn is_null(pointer: Expr, span: Span) -> Expr {
    let compared = compare(BinaryOp::Eq, pointer, null(span));
    super::build::with_span(compared, span)
}

/// Whether a pointer is not null.
pub(super) fn is_some(pointer: Expr, span: Span) -> Expr {
    let compared = compare(BinaryOp::Ne, pointer, null(span));
    super::build::with_span(compared, span)
}

/// Whether a call makes a box of a raw pointer, which is given back if nothing holds it.
fn is_from_raw(syntax: &Syntax) -> bool {
    let Syntax::Call(call) = bare(syntax) else {
        return false;
    };
    matches!(bare(&call.func), Syntax::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "from_raw"))
}

impl Body<'_, '_> {
    /// Calls of `std::ptr` and of `Box`.
    pub fn call_of_pointers(
        &mut self,
        owner: Option<&str>,
        name: &str,
        arguments: &[&Syntax],
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        let expected = expected.map(|ty| self.guesses.resolved(ty));
        let is_own = |body: &Self, name: &str| {
            matches!(body.front.items.named(name), Ok(None))
                && matches!(body.front.items.function(name), Ok(None))
        };
        let is_of_ptr = match owner {
            Some(owner) => owner == "ptr",
            None => self.front.items.imports[self.home.file].is_of_std(name),
        };
        match (owner, name, arguments) {
            (_, "null" | "null_mut", []) if is_of_ptr => {
                let ty = match expected {
                    Some(ty @ Type::Raw(_)) => ty,
                    _ => Type::Raw(Rc::new(self.guesses.at(span.start, false))),
                };
                Ok(Some(Value::scalar(ty, null(span))))
            }
            (_, "eq", [a, b]) if is_of_ptr && owner.is_some() => {
                let mut a = self.pointer(a)?;
                let mark = self.out.len();
                let b = self.pointer(b)?;
                self.keep(mark, [&mut a]);
                let same = compare(BinaryOp::Eq, a, b);
                Ok(Some(Value::scalar(Type::Bool, same)))
            }
            (Some("Box"), "new", [value]) if is_own(self, "Box") => {
                let inner = match &expected {
                    Some(Type::Box(of)) => Some((**of).clone()),
                    _ => None,
                };
                self.boxed(value, inner.as_ref(), span).map(Some)
            }
            (Some("Box"), "into_raw" | "leak" | "from_raw", [value]) if is_own(self, "Box") => {
                let inner = match &expected {
                    Some(Type::Raw(of) | Type::Box(of) | Type::Reference(of)) => Some(of.clone()),
                    _ => None,
                };
                let wanted = inner.map(|of| match name {
                    "from_raw" => Type::Raw(of),
                    _ => Type::Box(of),
                });
                let (pointer, ty) = self.scalar(value, wanted.as_ref())?;
                let ty = self.guesses.resolved(&ty);
                let ty = match (name, ty) {
                    ("into_raw", Type::Box(of)) => Type::Raw(of),
                    ("leak", Type::Box(of)) => Type::Reference(of),
                    ("from_raw", Type::Raw(of)) => Type::Box(of),
                    (_, ty) => {
                        let reason = format!("`Box::{name}` of `{ty}` is not supported");
                        return Err(self.outside(span, reason));
                    }
                };
                Ok(Some(Value::scalar(ty, pointer)))
            }
            _ => Ok(None),
        }
    }

    /// What a pointer or reference is.
    fn pointer(&mut self, syntax: &Syntax) -> Result<Expr, Outside> {
        Ok(self.scalar(syntax, None)?.0)
    }

    /// `Box::new(value)`
    fn boxed(
        &mut self,
        value: &Syntax,
        inner: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        let variable = self.declare("#box", &Type::Bool, true);
        let at = self.out.len();
        self.set(variable, null(span));
        let pointer = load_variable(variable, Scalar::Pointer, span);
        let ty = self.store(value, Lvalue::Deref(pointer.clone()), inner, Role::LET)?;
        if ty == Type::Never {
            return Ok(Value::never());
        }
        let cells = ty.cells();
        let of = Type::Box(Rc::new(ty));
        self.set_cells(variable, &of);
        let node = self.node();
        let allocated = Expr {
            kind: ExprKind::Builtin(node, Builtin::Allocate(cells, Initially::Zero), Vec::new()),
            ty: Scalar::Pointer,
            span,
        };
        self.out[at] = Statement::Assign {
            place: None,
            target: Lvalue::Variable(variable),
            value: allocated,
        };
        Ok(Value::scalar(of, pointer))
    }

    /// Evaluates a value whose owner nothing is: a box made of a raw pointer is given back.
    pub fn let_go(&mut self, syntax: &Syntax, value: Value, is_drop: bool, span: Span) {
        let is_owner = matches!(value.ty, Type::Box(_));
        let is_freed = is_owner && (is_drop || is_from_raw(syntax));
        match (value.repr, is_freed) {
            (Repr::Scalar(pointer), true) => {
                let node = self.node();
                self.out.push(Statement::Eval(Expr {
                    kind: ExprKind::Builtin(node, Builtin::Free, vec![pointer]),
                    ty: Scalar::INT,
                    span,
                }));
            }
            (repr, _) => self.discard(Value { repr, ..value }, span),
        }
    }

    /// A method of a raw pointer.
    pub fn raw_method(
        &mut self,
        name: &str,
        (pointer, to): (Expr, &Rc<Type>),
        arguments: &[&Syntax],
        span: Span,
    ) -> Option<Value> {
        match (name, arguments) {
            ("is_null", []) => Some(Value::scalar(Type::Bool, is_null(pointer, span))),
            ("as_ref" | "as_mut", []) => {
                let option = Type::option(Type::Reference(Rc::clone(to)));
                option.is_link().then(|| Value::scalar(option, pointer))
            }
            ("cast_mut" | "cast_const", []) => {
                Some(Value::scalar(Type::Raw(Rc::clone(to)), pointer))
            }
            _ => None,
        }
    }

    /// A method of an option that is a pointer; `at` is where the receiver is written.
    pub fn link_method(
        &mut self,
        name: &str,
        value: &Value,
        arguments: &[&Syntax],
        (at, span): (Span, Span),
    ) -> Result<Option<Value>, Outside> {
        let Type::Option(of) = &value.ty else {
            return Ok(None);
        };
        let of = self.guesses.resolved(of);
        let borrowed = |is_deep: bool| match &of {
            Type::Box(to) if is_deep => Type::Reference(Rc::clone(to)),
            Type::Box(to) => Type::Borrowed(Rc::clone(to)),
            of => of.clone(),
        };
        if let ("take", [], Repr::At(cell)) = (name, arguments, &value.repr) {
            // Nothing comes between its two uses, so a path can stay as it is written.
            let cell = match is_path(cell) {
                true => cell.clone(),
                false => self.steady(cell.clone(), span),
            };
            let taken = self.declare("#taken", &value.ty, true);
            let held = super::build::load(cell.clone(), Scalar::Pointer, span);
            self.set(taken, held);
            self.assign(None, cell, null(span));
            let taken = load_variable(taken, Scalar::Pointer, span);
            return Ok(Some(Value::scalar(value.ty.clone(), taken)));
        }
        let (pointer, _) = self.as_scalar(value.clone(), at)?;
        Ok(Some(match (name, arguments) {
            ("is_some", []) => Value::scalar(Type::Bool, is_some(pointer, span)),
            ("is_none", []) => Value::scalar(Type::Bool, not_some(pointer, span)),
            ("unwrap", []) | ("expect", [_]) => {
                let pointer = self.repeatable(pointer);
                let is_some = is_some(pointer.clone(), span);
                self.out.push(Statement::Assert(is_some, FaultKind::Panic));
                Value::scalar(of, pointer)
            }
            ("as_ref" | "as_mut", []) => Value::scalar(Type::option(borrowed(false)), pointer),
            ("as_deref" | "as_deref_mut", []) => {
                Value::scalar(Type::option(borrowed(true)), pointer)
            }
            ("clone", []) if matches!(of, Type::Reference(_)) => {
                Value::scalar(value.ty.clone(), pointer)
            }
            ("copied" | "cloned", []) if matches!(of, Type::Reference(_)) => {
                let pointer = self.repeatable(pointer);
                let is_some = is_some(pointer.clone(), span);
                return self.copied_option(&of, is_some, Value::scalar(of.clone(), pointer), span);
            }
            ("unwrap_or", [other]) if matches!(of, Type::Reference(_) | Type::Box(_)) => {
                let other = self.typed(other, &of)?;
                let (pointer, other) = (self.repeatable(pointer), self.repeatable(other));
                let is_some = is_some(pointer.clone(), span);
                Value::scalar(of, self.choose(is_some, pointer, other))
            }
            _ => return Ok(None),
        }))
    }

    /// `Some(…)` or `None` as an option that is a pointer.
    pub fn link(&mut self, syntax: &Syntax, option: &Type, span: Span) -> Result<Value, Outside> {
        let Type::Option(of) = option else {
            return Ok(Value::unit());
        };
        match bare(syntax) {
            Syntax::Call(call) if call.args.len() == 1 => {
                let inner = self.value(&call.args[0], Some(of))?;
                let at = self.span(&call.args[0]);
                let inner = self.coerced(inner, of, at)?;
                let (pointer, ty) = self.as_scalar(inner, at)?;
                Ok(match ty {
                    Type::Never => Value::never(),
                    _ => Value::scalar(option.clone(), pointer),
                })
            }
            _ => Ok(Value::scalar(option.clone(), null(span))),
        }
    }
}

/// Whether a cell is found by reading variables and fields alone.
fn is_path(cell: &Lvalue) -> bool {
    match cell {
        Lvalue::Variable(_) => true,
        Lvalue::Field(inner, _) => is_path(inner),
        Lvalue::Deref(pointer) => matches!(&pointer.kind, ExprKind::Load(of) if is_path(of)),
        Lvalue::Index { .. } => false,
    }
}

/// Whether an option is `None`.
pub(super) fn not_some(pointer: Expr, span: Span) -> Expr {
    not(is_some(pointer, span))
}
