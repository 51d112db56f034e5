//! Calls of functions, and what is passed to them.

use std::rc::Rc;

use syn::{Expr as Syntax, ExprCall};

use super::body::{Body, Mark};
use super::build::{Repr, Value, address, constant, load_variable};
use super::expressions::bare;
use super::items::Function;
use super::source::number;
use super::types::Type;
use crate::ir::{Expr, ExprKind, Lvalue, Outside, PlaceKind, Scalar, Span, Statement};

impl<'a> Body<'_, 'a> {
    pub fn call(
        &mut self,
        of: &ExprCall,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        let Syntax::Path(path) = bare(&of.func) else {
            return Err(self.outside(span, "only functions with a name can be called"));
        };
        let path = &path.path;
        let arguments: Vec<&Syntax> = of.args.iter().collect();
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|of| of.ident.to_string())
            .collect();
        let (owner, name) = match &*names {
            [.., owner, name] => (Some(owner.as_str()), name.as_str()),
            [name] => (None, name.as_str()),
            [] => (None, ""),
        };
        if owner.is_none() && self.local(name).is_some() {
            return Err(self.outside(span, "functions as values are not supported"));
        }
        let home = self.home.clone();
        let imports = &self.front.items.imports[self.home.file];
        let first = names.first().map_or("", String::as_str);
        if let Some((original, at)) = imports.original(first) {
            // The same place for all calls, so that all tests with such a call are left out for one reason.
            let at = Span {
                file: span.file,
                start: number(at.start),
                end: number(at.end),
            };
            let reason = format!("`{original}` is imported as `{first}`, which is not supported");
            return Err(self.outside(at, reason));
        }
        let is_type = owner.is_some_and(|owner| owner.starts_with(char::is_uppercase));
        let imports_std = imports.is_of_std(first);
        let is_std = super::imports::is_std(first) || imports_std && !is_type;
        if let Some(value) = self.call_of_pointers(owner, name, &arguments, expected, span)? {
            return Ok(value);
        }
        if let Some(owner) = owner
            && !is_std
        {
            if let Some(primitive) = self.front.primitive(owner) {
                return self.call_of_primitive(&primitive, name, &arguments, expected, span);
            }
            let ty = self.front.type_named(&home, owner, span)?;
            let owner = match &ty {
                Some(Type::Struct(of)) => Some(of.name.clone()),
                Some(Type::Enum(of)) => Some(of.name.clone()),
                _ => None,
            };
            if let Some(owner) = owner {
                let method = format!("{owner}::{name}");
                let Some(function) = self.find(&method, span)? else {
                    return Err(
                        self.outside(span, format!("`{method}` is not a function of the crate"))
                    );
                };
                return self.call_function(&function, None, &arguments, span);
            }
        }
        if !is_std && let Some(function) = self.find(name, span)? {
            return self.call_function(&function, None, &arguments, span);
        }
        match (name, &*arguments) {
            ("min" | "max", [first, rest @ ..]) if owner.is_none_or(|owner| owner == "cmp") => {
                self.method(first, name, rest, expected, span)
            }
            ("swap", [a, b]) if owner.is_none_or(|owner| owner == "mem") => self.swap(a, b, span),
            ("drop", [dropped]) if owner.is_none_or(|owner| owner == "mem") => {
                let value = self.value(dropped, None)?;
                self.let_go(dropped, value, true, span);
                Ok(Value::unit())
            }
            _ => {
                // The type says why it cannot be constructed.
                self.type_at_path(path, span)?;
                let written = names.join("::");
                let is_std = is_std || imports_std;
                Err(self.outside(
                    span,
                    match is_std {
                        true => format!("`{written}` of the standard library is not supported"),
                        false if self.front.items.may_be_made_by_macro(name) => {
                            format!("a macro may make `{written}`, which is not supported")
                        }
                        false => format!("`{written}` is not a function of the crate"),
                    },
                ))
            }
        }
    }

    pub fn find(&self, name: &str, span: Span) -> Result<Option<Rc<Function<'a>>>, Outside> {
        self.front
            .items
            .function(name)
            .map_err(|reason| self.outside(span, reason))
    }

    /// `i32::abs(x)`, `i64::from(x)`
    fn call_of_primitive(
        &mut self,
        ty: &Type,
        name: &str,
        arguments: &[&Syntax],
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        match (name, arguments) {
            ("from", [value]) => {
                let (value, from) = self.scalar(value, None)?;
                let is_known = from.int().is_some() || matches!(from, Type::Bool | Type::Char);
                match (ty.scalar(), is_known) {
                    (Some(scalar), true) => {
                        Ok(Value::scalar(ty.clone(), super::build::cast(value, scalar)))
                    }
                    _ => {
                        Err(self
                            .outside(span, format!("`{ty}::from` of `{from}` is not supported")))
                    }
                }
            }
            ("max_value" | "min_value", []) => match ty {
                Type::Int(int) => {
                    let limit = if name == "max_value" {
                        int.kind().greatest()
                    } else {
                        int.kind().least()
                    };
                    Ok(Value::scalar(
                        ty.clone(),
                        constant(limit, Scalar::from(*int), span),
                    ))
                }
                _ => Err(self.outside(span, format!("`{ty}::{name}` is not supported"))),
            },
            (_, [receiver, rest @ ..]) => self.method(
                receiver,
                name,
                rest,
                expected.filter(|expected| *expected == ty).or(Some(ty)),
                span,
            ),
            _ => Err(self.outside(span, format!("`{ty}::{name}` is not supported"))),
        }
    }

    /// `std::mem::swap`
    fn swap(&mut self, a: &Syntax, b: &Syntax, span: Span) -> Result<Value, Outside> {
        let (a, a_type) = self.scalar(a, None)?;
        let a = self.lasting(a);
        let (b, b_type) = self.scalar(b, Some(&a_type))?;
        let b = self.lasting(b);
        self.unify(&a_type, &b_type, span)?;
        let a = self.dereferenced(Value::scalar(a_type, a), span)?;
        let b = self.dereferenced(Value::scalar(b_type, b), span)?;
        self.exchange(a, b, span)?;
        Ok(Value::unit())
    }

    /// Exchanges what is in two places.
    pub fn exchange(&mut self, a: Value, b: Value, span: Span) -> Result<(), Outside> {
        let (Repr::At(x), Repr::At(y)) = (a.repr, b.repr) else {
            return Err(self.outside(span, "`swap` is not supported here"));
        };
        let cells = a.ty.cells();
        let (x, y) = (self.steady(x, span), self.steady(y, span));
        let temporary = Lvalue::Variable(self.temporary(&a.ty));
        for (target, source) in [(&temporary, &x), (&x, &y), (&y, &temporary)] {
            self.out.push(Statement::Copy {
                target: target.clone(),
                source: source.clone(),
                cells: cells.clone(),
                span,
            });
        }
        Ok(())
    }

    /// Calls a function of the crate. A receiver has been evaluated, by the statements since the mark.
    pub fn call_function(
        &mut self,
        function: &Rc<Function<'a>>,
        mut receiver: Option<(Value, Mark)>,
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Value, Outside> {
        let id = self.front.function(function, span)?;
        let (parameters, result) = self.front.signature(function)?;
        let mut given = Vec::new();
        let mut target = None;
        if result.is_in_memory() {
            let variable = self.temporary(&result);
            if let Some((_, mark)) = &mut receiver {
                // Its declaration goes before the statements of the receiver, which become a part of the call.
                self.out[mark.statements..].rotate_right(1);
                mark.statements += 1;
            }
            target = Some(Lvalue::Variable(variable));
            given.push(address(Lvalue::Variable(variable), span));
        }
        let has_receiver = receiver.is_some();
        if let (Some((receiver, mark)), Some((_, ty))) = (receiver, parameters.first()) {
            let from = given.len();
            self.receiver(receiver, ty, span, &mut given)?;
            self.enclose(mark, &mut given, from);
        }
        let types = parameters.iter().skip(usize::from(has_receiver));
        if types.len() != arguments.len() {
            return Err(self.outside(span, "the number of arguments is wrong"));
        }
        for ((_, ty), argument) in types.zip(arguments) {
            let (mark, from) = (self.mark(), given.len());
            given.extend(self.argument(argument, ty)?);
            self.enclose(mark, &mut given, from);
        }
        let node = self.node();
        let call = Expr {
            kind: ExprKind::Call(node, id, given),
            ty: result.scalar().unwrap_or(Scalar::INT),
            span,
        };
        if result.scalar().is_some() {
            return Ok(Value::scalar(result, call));
        }
        self.out.push(Statement::Eval(call));
        Ok(match target {
            Some(target) => self.loaded(Value::at(result, target), span),
            None => Value {
                ty: result,
                repr: Repr::Nothing,
            },
        })
    }

    /// Makes the statements since the mark a part of the expression at this index: other values at a place around a call
    /// do not spare its arguments. Statements that may leave a loop or the function stay statements; then the
    /// expressions before this index keep what was evaluated before.
    fn enclose(&mut self, mark: Mark, given: &mut [Expr], index: usize) {
        let (earlier, exprs) = given.split_at_mut(index);
        match exprs.first_mut() {
            Some(expr) if mark.jumps == self.jumps && !self.is_fixed => {
                let statements = self.out.split_off(mark.statements);
                *expr = super::arithmetic::block(statements, expr.clone());
            }
            _ => self.keep(mark.statements, earlier),
        }
    }

    fn receiver(
        &mut self,
        receiver: Value,
        ty: &Type,
        span: Span,
        given: &mut Vec<Expr>,
    ) -> Result<(), Outside> {
        let receiver = self.through(receiver, span)?;
        if let Type::Reference(to) = ty {
            self.unify(to, &receiver.ty, span)?;
            let reference = self.refer(receiver, span);
            given.push(self.as_scalar(reference, span)?.0);
            return Ok(());
        }
        self.unify(ty, &receiver.ty, span)?;
        if ty.scalar().is_some() {
            given.push(self.as_scalar(receiver, span)?.0);
        } else if ty.size() > 0
            && let Repr::At(lvalue) = self.copied(receiver).repr
        {
            given.push(address(lvalue, span));
        }
        Ok(())
    }

    /// The cells that are passed for an argument.
    fn argument(&mut self, syntax: &Syntax, ty: &Type) -> Result<Vec<Expr>, Outside> {
        let span = self.span(syntax);
        if ty.scalar().is_some() {
            let is_place = ty.is_value() && may_be_wrong(bare(syntax));
            let value = if is_place {
                let value = self.whole(|body| {
                    let value = body.typed(syntax, ty)?;
                    Ok(Value::scalar(ty.clone(), value))
                })?;
                self.as_scalar(value, span)?.0
            } else {
                self.typed(syntax, ty)?
            };
            let place = if is_place {
                self.value_place(PlaceKind::Value, ty, span)
            } else {
                None
            };
            if place.is_none() {
                return Ok(vec![value]);
            }
            let scalar = value.ty;
            let variable = self.declare("#argument", ty, true);
            self.assign(place, Lvalue::Variable(variable), value);
            return Ok(vec![load_variable(variable, scalar, span)]);
        }
        if ty.is_slice_reference() {
            let value = self.value(syntax, Some(ty))?;
            return match self.coerced(value, ty, span)?.repr {
                Repr::Slice(pointer, length) => Ok(vec![pointer, length]),
                _ => Ok(Vec::new()),
            };
        }
        // The function gets a copy of its own.
        let value = self.built(syntax, Some(ty), true)?;
        match value.repr {
            Repr::At(lvalue) => Ok(vec![address(lvalue, span)]),
            _ => Ok(Vec::new()),
        }
    }
}

/// Whether an argument is more than a variable, a constant or a call. The parts of one made of statements are places
/// themselves.
fn may_be_wrong(syntax: &Syntax) -> bool {
    match syntax {
        Syntax::Path(_)
        | Syntax::Lit(_)
        | Syntax::Call(_)
        | Syntax::MethodCall(_)
        | Syntax::Macro(_) => false,
        Syntax::Unary(of) => !matches!(bare(&of.expr), Syntax::Lit(_)),
        _ => !super::blocks::is_flow(syntax),
    }
}
