//! Values of several cells, written where they are needed: tuples, structures, arrays, `Some` and `None`.

use std::rc::Rc;

use syn::{Expr as Syntax, Member};

use super::blocks::{Role, is_flow};
use super::body::{Body, Sink};
use super::build::{
    Repr, Value, compare, constant, count, element, field, load, load_variable, truth, wrapping,
};
use super::expressions::bare;
use super::source::number;
use super::types::{Struct, Type};
use crate::ir::{BinaryOp, Expr, ExprKind, Lvalue, Outside, Span, Statement};

/// Up to this many equal elements are written one by one.
const MOST_ONE_BY_ONE: u32 = 64;

impl Body<'_, '_> {
    /// Writes the value of an expression, and says which type it has.
    pub fn store(
        &mut self,
        syntax: &Syntax,
        target: Lvalue,
        expected: Option<&Type>,
        role: Role,
    ) -> Result<Type, Outside> {
        let syntax = bare(syntax);
        let span = self.span(syntax);
        let expected = expected.map(|expected| self.guesses.resolved(expected));
        let expected = expected.as_ref();
        if is_flow(syntax) {
            let ty = expected
                .cloned()
                .unwrap_or_else(|| self.guesses.at(span.start, false));
            if super::blocks::never_has_value(syntax) {
                let value = self.value(syntax, None)?;
                return Ok(value.ty);
            }
            self.flow(syntax, &Sink::Store(target, ty.clone()))?;
            return Ok(self.guesses.resolved(&ty));
        }
        let found = match syntax {
            Syntax::Tuple(of) if !of.elems.is_empty() => {
                let expected = match expected {
                    Some(Type::Tuple(of)) => of.to_vec(),
                    _ => Vec::new(),
                };
                let mut offset = 0;
                let mut types = Vec::new();
                for (nth, part) in of.elems.iter().enumerate() {
                    let ty =
                        self.store(part, field(target.clone(), offset), expected.get(nth), role)?;
                    offset += ty.size();
                    types.push(ty);
                }
                Type::Tuple(types.into())
            }
            Syntax::Struct(of) => self.store_struct(of, &target, role, span)?,
            Syntax::Array(of) => self.store_array(of, &target, expected, role, span)?,
            Syntax::Repeat(of) => self.store_repeated(of, target, expected, role)?,
            Syntax::Call(_) | Syntax::Path(_)
                if self.is_constructor(syntax)
                    && !(expected.is_some_and(Type::is_link)
                        && self.is_option_constructor(syntax)) =>
            {
                self.store_constructed(syntax, &target, expected, role, span)?
            }
            _ => {
                let value = self.whole(|body| {
                    let value = body.value(syntax, expected)?;
                    match expected {
                        Some(expected) => body.coerced(value, expected, span),
                        None => Ok(value),
                    }
                })?;
                let ty = self.guesses.resolved(&value.ty);
                self.write(target, value, role, span);
                return Ok(ty);
            }
        };
        if let Some(expected) = expected {
            self.unify(expected, &found, span)?;
        }
        Ok(self.guesses.resolved(&found))
    }

    fn store_struct(
        &mut self,
        of: &syn::ExprStruct,
        target: &Lvalue,
        role: Role,
        span: Span,
    ) -> Result<Type, Outside> {
        let Some(ty @ Type::Struct(_)) = self.type_at_path(&of.path, span)? else {
            return Err(self.outside(span, format!("`{}` is not supported", self.text(span))));
        };
        let Type::Struct(structure) = ty.clone() else {
            return Ok(ty);
        };
        let mut missing: Vec<bool> = structure.fields.iter().map(|_| true).collect();
        for given in &of.fields {
            let nth = self.field_of(&structure, &given.member, span)?;
            let field_type = &structure.fields[nth];
            missing[nth] = false;
            let at = field(target.clone(), field_type.offset);
            self.store(&given.expr, at, Some(&field_type.ty), role)?;
        }
        if let Some(rest) = &of.rest {
            let base = self.locate(rest)?;
            let base = self.through(base, span)?;
            self.unify(&ty, &base.ty, span)?;
            let Repr::At(source) = base.repr else {
                return Err(
                    self.outside(span, "this base of a structure expression is not supported")
                );
            };
            let source = self.steady(source, span);
            for (of, _) in structure
                .fields
                .iter()
                .zip(missing)
                .filter(|(_, missing)| *missing)
            {
                let part = Value::at(of.ty.clone(), field(source.clone(), of.offset));
                let part = self.loaded(part, span);
                let role = Role {
                    has_places: false,
                    ..role
                };
                self.write(field(target.clone(), of.offset), part, role, span);
            }
        }
        Ok(ty)
    }

    /// The number of a field.
    pub fn field_of(
        &self,
        structure: &Struct,
        member: &Member,
        span: Span,
    ) -> Result<usize, Outside> {
        let name = match member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(nth) => nth.index.to_string(),
        };
        let found = structure.fields.iter().position(|field| field.name == name);
        found.ok_or_else(|| {
            self.outside(span, format!("`{}` has no field `{name}`", structure.name))
        })
    }

    fn store_array(
        &mut self,
        of: &syn::ExprArray,
        target: &Lvalue,
        expected: Option<&Type>,
        role: Role,
        span: Span,
    ) -> Result<Type, Outside> {
        let length = number(of.elems.len());
        let mut element_type = element_type(expected);
        let role = Role {
            has_places: false,
            ..role
        };
        for (nth, part) in of.elems.iter().enumerate() {
            // The elements' size is that of the first one.
            let size = element_type.as_ref().map_or(0, Type::size);
            let at = Lvalue::Index {
                array: Box::new(target.clone()),
                index: count(number(nth), span),
                length: Some(length),
                stride: size,
            };
            let at = if nth == 0 { target.clone() } else { at };
            let ty = self.store(part, at, element_type.as_ref(), role)?;
            element_type.get_or_insert(ty);
        }
        let open = || self.guesses.at(span.start, false);
        let element_type = element_type.unwrap_or_else(open);
        Ok(Type::Array(Rc::new(element_type), length))
    }

    fn store_repeated(
        &mut self,
        of: &syn::ExprRepeat,
        target: Lvalue,
        expected: Option<&Type>,
        role: Role,
    ) -> Result<Type, Outside> {
        let home = self.home.clone();
        let span = self.span(of);
        let length = self.front.constant_value(&home, &of.len)?;
        let Ok(length) = u32::try_from(length) else {
            return Err(self.outside(span, "an array has too many elements"));
        };
        let expected = element_type(expected);
        let value = self.value(&of.expr, expected.as_ref())?;
        let value = match &expected {
            Some(expected) => self.coerced(value, expected, span)?,
            None => value,
        };
        let value = match value.repr {
            Repr::Scalar(expr) => Value::scalar(value.ty, self.repeatable(expr)),
            _ => value,
        };
        let ty = Type::Array(Rc::new(self.guesses.resolved(&value.ty)), length);
        let is_zero = matches!(
            &value.repr,
            Repr::Scalar(Expr {
                kind: ExprKind::Constant(0),
                ..
            })
        );
        // A zero that is written may be another number, unless there are too many.
        let is_idle = is_zero && (length > MOST_ONE_BY_ONE || self.is_fixed);
        if is_idle && role.is_fresh || value.ty.size() == 0 {
            return Ok(ty);
        }
        let role = Role {
            has_places: false,
            ..role
        };
        if length <= MOST_ONE_BY_ONE {
            for nth in 0..length {
                let at = element(target.clone(), count(nth, span), &ty);
                self.write(at, value.clone(), role, span);
            }
            return Ok(ty);
        }
        let target = self.steady(target, span);
        self.repeated(count(length, span), span, |body, nth| {
            body.write(element(target, nth, &ty), value, role, span);
            Ok(())
        })?;
        Ok(ty)
    }

    /// A loop that does something for each number from 0 up to another one.
    pub fn repeated(
        &mut self,
        times: Expr,
        span: Span,
        work: impl FnOnce(&mut Self, Expr) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let times = self.lasting(times);
        let scalar = times.ty;
        let counter = self.declare("#counter", &Type::USIZE, false);
        let nth = load_variable(counter, scalar, span);
        let body = self.statements(|body| work(body, nth.clone()))?;
        let next = wrapping(BinaryOp::Add, nth.clone(), constant(1, scalar, span));
        let step = Statement::Assign {
            place: None,
            target: Lvalue::Variable(counter),
            value: next,
        };
        let node = self.node();
        self.out.push(Statement::Loop {
            node,
            place: None,
            condition: compare(BinaryOp::Lt, nth, times),
            tests_first: true,
            body,
            update: vec![step],
        });
        Ok(())
    }

    /// Whether it is `Some(…)`, `None`, or a structure without names for its fields.
    pub fn is_constructor(&mut self, syntax: &Syntax) -> bool {
        let (path, has_arguments) = match bare(syntax) {
            Syntax::Path(path) => (path, false),
            Syntax::Call(call) => match bare(&call.func) {
                Syntax::Path(path) => (path, true),
                _ => return false,
            },
            _ => return false,
        };
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        let name = last.ident.to_string();
        if !has_arguments && self.local(&name).is_some() && path.path.get_ident().is_some() {
            return false;
        }
        match (&*name, has_arguments) {
            ("Some", true) | ("None", false) => {
                matches!(self.front.items.enum_with(&name), Ok(None))
            }
            _ => {
                let span = self.span(path);
                matches!(
                    self.type_at_path(&path.path, span),
                    Ok(Some(Type::Struct(_)))
                )
            }
        }
    }

    /// Whether it is `Some(…)` or `None`.
    pub fn is_option_constructor(&mut self, syntax: &Syntax) -> bool {
        let path = match bare(syntax) {
            Syntax::Path(path) => path,
            Syntax::Call(call) => match bare(&call.func) {
                Syntax::Path(path) => path,
                _ => return false,
            },
            _ => return false,
        };
        let last = path.path.segments.last();
        let is_option = last.is_some_and(|last| last.ident == "Some" || last.ident == "None");
        is_option && self.is_constructor(syntax)
    }

    fn store_constructed(
        &mut self,
        syntax: &Syntax,
        target: &Lvalue,
        expected: Option<&Type>,
        role: Role,
        span: Span,
    ) -> Result<Type, Outside> {
        let (func, arguments) = match syntax {
            Syntax::Call(call) => (bare(&call.func), call.args.iter().collect::<Vec<_>>()),
            _ => (syntax, Vec::new()),
        };
        let Syntax::Path(path) = func else {
            return Err(self.outside(span, "this is not supported"));
        };
        if let Some(ty) = self.type_at_path(&path.path, span)? {
            let Type::Struct(structure) = &ty else {
                return Err(self.outside(span, "this is not supported"));
            };
            for (of, argument) in structure.fields.iter().zip(arguments) {
                self.store(
                    argument,
                    field(target.clone(), of.offset),
                    Some(&of.ty),
                    role,
                )?;
            }
            return Ok(ty);
        }
        let inner = match expected {
            Some(Type::Option(of)) => Some((**of).clone()),
            _ => None,
        };
        let is_none = arguments.is_empty();
        let is_some = Value::scalar(Type::Bool, truth(!is_none, span));
        let mark = self.out.len();
        let places = self.front.state.program.places.len();
        let inner = match arguments.first() {
            Some(argument) => {
                let ty = self.store(argument, field(target.clone(), 1), inner.as_ref(), role)?;
                if ty == Type::Never {
                    return Ok(ty);
                }
                if ty.is_niche() {
                    // Only now it is known that the option is a pointer.
                    self.out.truncate(mark);
                    self.front.state.program.places.truncate(places);
                    self.store(argument, target.clone(), Some(&ty), role)?;
                    return Ok(Type::option(ty));
                }
                ty
            }
            None => inner.unwrap_or_else(|| self.guesses.at(span.start, false)),
        };
        if let Some(place) = self.write(target.clone(), is_some, role, span) {
            let names = [(0, "None"), (1, "Some(…)")];
            self.front.state.program.places[place].names =
                names.map(|(value, name)| (value, name.to_owned())).into();
            if is_none && inner.size() > 0 {
                self.note_absent(role.kind, span);
            }
        }
        Ok(Type::option(inner))
    }

    /// The first cells of an aggregate's parts, loaded.
    pub fn part(&self, ty: &Type, lvalue: &Lvalue, offset: u32, span: Span) -> Value {
        let at = field(lvalue.clone(), offset);
        match ty.scalar() {
            Some(scalar) => Value::scalar(ty.clone(), load(at, scalar, span)),
            None => self.loaded(Value::at(ty.clone(), at), span),
        }
    }
}

fn element_type(array: Option<&Type>) -> Option<Type> {
    match array {
        Some(Type::Array(of, _)) => Some((**of).clone()),
        _ => None,
    }
}
