//! Expressions and their values.

use syn::{Expr as Syntax, UnOp};

use super::body::{Body, Sink};
use super::build::{Repr, Value, cast, constant, count, is_written_number, not, unary, within};
use super::types::Type;
use crate::ir::{Expr, ExprKind, Lvalue, Outside, Overflow, Scalar, Span, Statement, UnaryOp};

/// An expression without parentheses around it.
pub(super) fn bare(syntax: &Syntax) -> &Syntax {
    match syntax {
        Syntax::Paren(inner) => bare(&inner.expr),
        Syntax::Group(inner) => bare(&inner.expr),
        _ => syntax,
    }
}

impl Body<'_, '_> {
    /// The value of an expression.
    pub fn value(&mut self, syntax: &Syntax, expected: Option<&Type>) -> Result<Value, Outside> {
        let syntax = bare(syntax);
        let span = self.span(syntax);
        if super::blocks::is_flow(syntax) {
            return self.value_of_flow(syntax, expected, span);
        }
        if let Some(expected) = expected.map(|ty| self.guesses.resolved(ty))
            && expected.is_link()
            && self.is_option_constructor(syntax)
        {
            return self.link(syntax, &expected, span);
        }
        match syntax {
            Syntax::Lit(lit) => self.literal(&lit.lit, false, expected, span),
            Syntax::Unary(of) => self.unary(of, expected, span),
            Syntax::Binary(of) => self.binary(of, expected, span),
            Syntax::Cast(of) => self.cast(of, span),
            Syntax::Reference(of) => {
                self.reference(&of.expr, of.mutability.is_some(), expected, span)
            }
            Syntax::Call(of) if !self.is_constructor(syntax) => self.call(of, expected, span),
            Syntax::MethodCall(of) => self.method_call(of, expected, span),
            Syntax::Macro(of) => self.macro_call(&of.mac, span),
            Syntax::Try(of) => self.question_mark(&of.expr, span),
            Syntax::Tuple(of) if of.elems.is_empty() => Ok(Value::unit()),
            Syntax::Path(_) if !self.is_constructor(syntax) => {
                let located = self.locate(syntax)?;
                Ok(self.loaded(located, span))
            }
            Syntax::Field(_) | Syntax::Index(_) => {
                let located = self.locate(syntax)?;
                Ok(self.loaded(located, span))
            }
            Syntax::Tuple(_) | Syntax::Struct(_) | Syntax::Array(_) | Syntax::Repeat(_) => {
                self.built(syntax, expected, false)
            }
            Syntax::Path(_) | Syntax::Call(_) => self.built(syntax, expected, false),
            Syntax::Closure(_) => Err(self.outside(span, "closures are not supported")),
            Syntax::Range(_) => Err(self.outside(
                span,
                "a range is supported only in the head of a `for` and as an index",
            )),
            Syntax::Let(_) => Err(self.outside(span, "`let` is not supported here")),
            Syntax::RawAddr(of) => {
                let value = self.reference(&of.expr, false, None, span)?;
                self.raw(value, span)
            }
            _ => Err(self.outside(span, format!("`{}` is not supported", self.text(span)))),
        }
    }

    /// An aggregate in memory. Its cells are places if it is a statement's.
    pub fn built(
        &mut self,
        syntax: &Syntax,
        expected: Option<&Type>,
        has_places: bool,
    ) -> Result<Value, Outside> {
        let variable = self.temporary(&Type::unit());
        let role = super::blocks::Role {
            has_places,
            ..super::blocks::Role::LET
        };
        let ty = self.store(syntax, Lvalue::Variable(variable), expected, role)?;
        self.set_cells(variable, &ty);
        let span = self.span(syntax);
        Ok(self.loaded(Value::at(ty, Lvalue::Variable(variable)), span))
    }

    fn value_of_flow(
        &mut self,
        syntax: &Syntax,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        if super::blocks::never_has_value(syntax) {
            self.flow(syntax, &Sink::Discard)?;
            let is_loop = matches!(
                syntax,
                Syntax::While(_) | Syntax::ForLoop(_) | Syntax::Assign(_) | Syntax::Binary(_)
            );
            return Ok(if is_loop {
                Value::unit()
            } else {
                Value::never()
            });
        }
        let ty = match expected {
            Some(expected) => self.guesses.resolved(expected),
            None => self.guesses.at(span.start, false),
        };
        let variable = self.temporary(&ty);
        let sink = Sink::Store(Lvalue::Variable(variable), ty.clone());
        self.flow(syntax, &sink)?;
        let ty = self.guesses.resolved(&ty);
        Ok(self.loaded(Value::at(ty, Lvalue::Variable(variable)), span))
    }

    /// The value of an expression with one cell.
    pub fn scalar(
        &mut self,
        syntax: &Syntax,
        expected: Option<&Type>,
    ) -> Result<(Expr, Type), Outside> {
        let value = self.value(syntax, expected)?;
        let span = self.span(syntax);
        self.as_scalar(value, span)
    }

    pub fn as_scalar(&mut self, value: Value, span: Span) -> Result<(Expr, Type), Outside> {
        match self.loaded(value, span) {
            Value {
                ty,
                repr: Repr::Scalar(expr),
            } => Ok((expr, ty)),
            // It is never computed, so that any value will do.
            Value {
                ty: Type::Never, ..
            } => Ok((constant(0, Scalar::INT, span), Type::Never)),
            Value { ty, .. } => Err(self.outside(
                span,
                format!(
                    "`{}` has the type `{ty}`, which is not supported here",
                    self.text(span)
                ),
            )),
        }
    }

    /// The value of an expression of this type with one cell.
    pub fn typed(&mut self, syntax: &Syntax, ty: &Type) -> Result<Expr, Outside> {
        let value = self.value(syntax, Some(ty))?;
        let span = self.span(syntax);
        let value = self.coerced(value, ty, span)?;
        let (expr, of) = self.as_scalar(value, span)?;
        let scalar = ty.scalar().unwrap_or(Scalar::INT);
        Ok(if of == Type::Never {
            constant(0, scalar, span)
        } else {
            expr
        })
    }

    /// A number of elements, or the number of one.
    pub fn size(&mut self, syntax: &Syntax) -> Result<Expr, Outside> {
        self.typed(syntax, &Type::USIZE)
    }

    /// The value as one of the expected type.
    pub fn coerced(
        &mut self,
        mut value: Value,
        expected: &Type,
        span: Span,
    ) -> Result<Value, Outside> {
        let expected = self.guesses.resolved(expected);
        value.ty = self.guesses.resolved(&value.ty);
        if matches!(expected, Type::Raw(_))
            && matches!(value.ty, Type::Reference(_) | Type::Borrowed(_))
            && !value.ty.is_slice_reference()
        {
            value = self.raw(value, span)?;
        }
        if let (Type::Option(to), Type::Option(from)) = (&expected, &value.ty)
            && let (Type::Reference(to), Type::Borrowed(from)) = (&**to, &**from)
            && to == from
        {
            value.ty = expected.clone();
        }
        if let Type::Reference(to) = &expected {
            let depth = |ty: &Type| {
                let mut depth = 0;
                let mut ty = ty.clone();
                while let Type::Reference(to) | Type::Box(to) | Type::Borrowed(to) = &ty {
                    depth += 1 + u32::from(matches!(ty, Type::Borrowed(_)));
                    ty = (**to).clone();
                }
                depth
            };
            while depth(&value.ty) > depth(&expected) {
                let target = self.dereferenced(value, span)?;
                value = self.loaded(target, span);
            }
            if let Type::Box(from) = &value.ty
                && !matches!(**to, Type::Box(_))
            {
                value.ty = Type::Reference(from.clone());
            }
            if let (Type::Slice(of), Type::Reference(from)) = (&**to, value.ty.clone())
                && let Type::Array(element, length) = &*from
            {
                self.unify(of, element, span)?;
                let (pointer, _) = self.as_scalar(value, span)?;
                let pointer = self.repeatable(pointer);
                return Ok(Value {
                    ty: expected,
                    repr: Repr::Slice(pointer, count(*length, span)),
                });
            }
        }
        self.unify(&expected, &value.ty, span)?;
        Ok(value)
    }

    /// Makes sure that two types are the same.
    pub fn unify(&mut self, expected: &Type, found: &Type, span: Span) -> Result<(), Outside> {
        if self.guesses.unify(expected, found) {
            return Ok(());
        }
        let (expected, found) = (
            self.guesses.resolved(expected),
            self.guesses.resolved(found),
        );
        let reason = format!(
            "`{}` has the type `{found}` where `{expected}` is expected",
            self.text(span)
        );
        Err(self.outside(span, reason))
    }

    /// Evaluates a value only for its effects and faults.
    pub fn discard(&mut self, value: Value, span: Span) {
        match value.repr {
            Repr::Scalar(expr) => {
                let is_idle = match &expr.kind {
                    ExprKind::Constant(_) | ExprKind::Null => true,
                    ExprKind::Load(lvalue) => matches!(**lvalue, Lvalue::Variable(_)),
                    _ => false,
                };
                if !is_idle {
                    self.out.push(Statement::Eval(expr));
                }
            }
            Repr::At(lvalue) => {
                self.steady(lvalue, span);
            }
            Repr::Slice(..) | Repr::Nothing => {}
        }
    }

    fn unary(
        &mut self,
        of: &syn::ExprUnary,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        match of.op {
            UnOp::Deref(_) => {
                let value = self.value(&of.expr, None)?;
                let located = self.dereferenced(value, span)?;
                Ok(self.loaded(located, span))
            }
            UnOp::Neg(_) => {
                if let Syntax::Lit(lit) = bare(&of.expr)
                    && matches!(lit.lit, syn::Lit::Int(_))
                {
                    return self.literal(&lit.lit, true, expected, span);
                }
                let (expr, ty) = self.operand(&of.expr, expected)?;
                match ty.int() {
                    Some(int) if int.signed() => {
                        let negative = unary(UnaryOp::Neg(Overflow::Fault), expr);
                        Ok(Value::scalar(ty, super::build::with_span(negative, span)))
                    }
                    _ => Err(self.no_operator("-", &ty, span)),
                }
            }
            UnOp::Not(_) => {
                let (expr, ty) = self.operand(&of.expr, expected)?;
                let result = match ty {
                    Type::Bool => not(expr),
                    _ if ty.int().is_some() => unary(UnaryOp::BitNot, expr),
                    _ => return Err(self.no_operator("!", &ty, span)),
                };
                Ok(Value::scalar(ty, super::build::with_span(result, span)))
            }
            _ => Err(self.outside(span, "this operator is not supported")),
        }
    }

    pub fn no_operator(&self, operator: &str, ty: &Type, span: Span) -> Outside {
        self.outside(span, format!("`{operator}` of `{ty}` is not supported"))
    }

    /// The operand of an operator: operators see through references.
    pub fn operand(
        &mut self,
        syntax: &Syntax,
        expected: Option<&Type>,
    ) -> Result<(Expr, Type), Outside> {
        let value = self.value(syntax, expected)?;
        let span = self.span(syntax);
        let value = self.through(value, span)?;
        self.as_scalar(value, span)
    }

    /// A reference or raw pointer as a raw pointer.
    fn raw(&mut self, value: Value, span: Span) -> Result<Value, Outside> {
        let (pointer, ty) = self.as_scalar(value, span)?;
        match self.guesses.resolved(&ty) {
            Type::Raw(to) | Type::Reference(to) | Type::Borrowed(to) => {
                Ok(Value::scalar(Type::Raw(to), pointer))
            }
            ty => Err(self.outside(span, format!("a pointer made of `{ty}` is not supported"))),
        }
    }

    fn cast(&mut self, of: &syn::ExprCast, span: Span) -> Result<Value, Outside> {
        let home = self.home.clone();
        let is_inferred = matches!(*of.ty, syn::Type::Infer(_));
        if is_inferred {
            return Err(self.outside(span, "a cast to `_` is not supported"));
        }
        if let syn::Type::Ptr(pointer) = &*of.ty
            && matches!(*pointer.elem, syn::Type::Infer(_))
        {
            let value = self.value(&of.expr, None)?;
            return self.raw(value, span);
        }
        let to = self.front.type_of(&home, &of.ty)?;
        if matches!(to, Type::Raw(_)) {
            let value = self.value(&of.expr, None)?;
            let value = self.raw(value, span)?;
            self.unify(&to, &value.ty, span)?;
            return Ok(value);
        }
        // A literal is of the type that it is cast to, if it can be.
        let is_literal = match bare(&of.expr) {
            Syntax::Lit(_) => true,
            Syntax::Unary(inner) => matches!(bare(&inner.expr), Syntax::Lit(_)),
            _ => false,
        };
        let (expr, from) = self.scalar(&of.expr, is_literal.then_some(&to))?;
        let from_number =
            from.int().is_some() || matches!(from, Type::Bool | Type::Char | Type::Enum(_));
        let is_cast = match &to {
            Type::Int(_) => from_number,
            Type::Bool | Type::Char => from == to || (to == Type::Char && from.int().is_some()),
            _ => from == to,
        };
        match to.scalar() {
            _ if from == Type::Never => Ok(Value::never()),
            Some(scalar) if is_cast => Ok(Value::scalar(
                to,
                match is_written_number(&expr) {
                    true => within(cast(expr, scalar), span),
                    false => super::build::with_span(cast(expr, scalar), span),
                },
            )),
            _ => Err(self.outside(
                span,
                format!("a cast from `{from}` to `{to}` is not supported"),
            )),
        }
    }
}
