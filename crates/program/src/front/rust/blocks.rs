//! Statements, and expressions that are made of statements: their value goes where it is needed.

use std::rc::Rc;

use syn::{Block, Expr as Syntax, Local, Pat, Stmt};

use super::body::{Body, Sink};
use super::build::{Repr, Value, field, load_variable, with_span};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{Lvalue, Outside, PlaceId, PlaceKind, Scalar, Span, Statement, VariableId};

/// What a written value is to its statement.
#[derive(Clone, Copy)]
pub(super) struct Role {
    pub kind: PlaceKind,
    /// Whether the value may be wrong.
    pub has_places: bool,
    /// Whether it is written to a new object, which is zero.
    pub is_fresh: bool,
}

impl Role {
    pub const LET: Self = Self {
        kind: PlaceKind::Value,
        has_places: true,
        is_fresh: true,
    };

    pub const STORE: Self = Self {
        is_fresh: false,
        ..Self::LET
    };

    const RETURN: Self = Self {
        kind: PlaceKind::Return,
        ..Self::STORE
    };
}

/// Whether an expression is made of statements.
pub(super) fn is_flow(syntax: &Syntax) -> bool {
    match syntax {
        Syntax::If(_)
        | Syntax::Match(_)
        | Syntax::Block(_)
        | Syntax::Unsafe(_)
        | Syntax::Loop(_)
        | Syntax::While(_)
        | Syntax::ForLoop(_)
        | Syntax::Return(_)
        | Syntax::Break(_)
        | Syntax::Continue(_)
        | Syntax::Assign(_) => true,
        Syntax::Binary(of) => super::arithmetic::assigning(&of.op).is_some(),
        _ => false,
    }
}

/// Whether it is made of statements that have no value.
pub(super) fn never_has_value(syntax: &Syntax) -> bool {
    !matches!(
        syntax,
        Syntax::If(_) | Syntax::Match(_) | Syntax::Block(_) | Syntax::Unsafe(_) | Syntax::Loop(_)
    )
}

impl Body<'_, '_> {
    pub fn block(&mut self, block: &Block, sink: &Sink) -> Result<(), Outside> {
        self.in_scope(|body| {
            let Some((last, others)) = block.stmts.split_last() else {
                return Ok(());
            };
            for stmt in others {
                body.stmt(stmt, &Sink::Discard)?;
            }
            match last {
                Stmt::Expr(_, None) => body.stmt(last, sink),
                Stmt::Macro(of) if of.semi_token.is_none() => body.stmt(last, sink),
                _ => body.stmt(last, &Sink::Discard),
            }
        })
    }

    fn stmt(&mut self, stmt: &Stmt, sink: &Sink) -> Result<(), Outside> {
        let span = self.span(stmt);
        self.in_statement((span, span), |body| match stmt {
            Stmt::Local(local) => {
                let start = body.span(&local.let_token);
                body.in_statement((start, span), |body| body.local_variable(local, span))
            }
            Stmt::Expr(syntax, _) => body.flow(syntax, sink),
            Stmt::Macro(of) => {
                let value = body.macro_call(&of.mac, span)?;
                body.finish(value, sink, span)
            }
            // Items are found by their names, wherever they are.
            Stmt::Item(_) => Ok(()),
        })
    }

    /// Evaluates an expression; its value goes into the sink.
    pub fn flow(&mut self, syntax: &Syntax, sink: &Sink) -> Result<(), Outside> {
        let syntax = bare(syntax);
        let span = self.span(syntax);
        match syntax {
            Syntax::If(of) => self.if_else(of, sink),
            Syntax::Match(of) => self.match_arms(of, sink),
            Syntax::Block(of) => match &of.label {
                Some(label) => self.labelled_block(label.name.ident.to_string(), &of.block, sink),
                None => self.block(&of.block, sink),
            },
            Syntax::Unsafe(of) => self.block(&of.block, sink),
            Syntax::Loop(of) => self.endless_loop(of, sink),
            Syntax::While(of) => self.while_loop(of),
            Syntax::ForLoop(of) => self.for_loop(of),
            Syntax::Return(of) => {
                let sink = self.result_sink();
                if let Some(value) = &of.expr {
                    self.flow(value, &sink)?;
                }
                if matches!(sink, Sink::Discard) {
                    self.leave(Statement::Return {
                        place: None,
                        value: None,
                    });
                }
                Ok(())
            }
            Syntax::Break(of) => self.break_out(of, span),
            Syntax::Continue(of) => self.continue_loop(of, span),
            Syntax::Assign(of) => self.assignment(&of.left, &of.right, span),
            Syntax::Binary(of) if is_flow(syntax) => self.compound_assignment(of, span),
            _ => self.leaf(syntax, sink, span),
        }
    }

    /// Where the value of a `return` goes.
    pub fn result_sink(&self) -> Sink {
        if self.result.is_unit() || self.result == Type::Never {
            Sink::Discard
        } else {
            Sink::Return
        }
    }

    /// An expression that is not made of statements.
    fn leaf(&mut self, syntax: &Syntax, sink: &Sink, span: Span) -> Result<(), Outside> {
        match sink {
            Sink::Store(target, ty) => {
                self.store(syntax, target.clone(), Some(ty), Role::STORE)?;
                Ok(())
            }
            Sink::Return => match self.result_pointer {
                Some(pointer) => {
                    let pointer = load_variable(pointer, Scalar::Pointer, span);
                    let result = self.result.clone();
                    let ty =
                        self.store(syntax, Lvalue::Deref(pointer), Some(&result), Role::RETURN)?;
                    if ty != Type::Never {
                        self.leave(Statement::Return {
                            place: None,
                            value: None,
                        });
                    }
                    Ok(())
                }
                None => {
                    let result = self.result.clone();
                    let value = self.whole(|body| body.value(syntax, Some(&result)))?;
                    self.finish(value, sink, span)
                }
            },
            Sink::Discard => {
                let value = self.value(syntax, None)?;
                self.let_go(syntax, value, false, span);
                Ok(())
            }
        }
    }

    /// A value with the statements that it needs, so that they are a part of the place and its faults are the place's.
    pub fn whole(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<Value, Outside>,
    ) -> Result<Value, Outside> {
        let jumps = self.jumps;
        let (statements, value) = self.scoped(work)?;
        match value.repr {
            Repr::Scalar(expr) if jumps == self.jumps && !self.is_fixed => {
                let expr = super::arithmetic::block(statements, expr);
                Ok(Value::scalar(value.ty, expr))
            }
            // What leaves a loop or the function is a statement, and what is in memory is needed later.
            _ => {
                self.out.extend(statements);
                Ok(value)
            }
        }
    }

    /// A value goes into the sink.
    pub fn finish(&mut self, value: Value, sink: &Sink, span: Span) -> Result<(), Outside> {
        if value.ty == Type::Never {
            return Ok(());
        }
        match sink {
            Sink::Discard => {
                self.discard(value, span);
                Ok(())
            }
            Sink::Store(target, ty) => {
                let value = self.coerced(value, ty, span)?;
                self.write(target.clone(), value, Role::STORE, span);
                Ok(())
            }
            Sink::Return => {
                let result = self.result.clone();
                let value = self.coerced(value, &result, span)?;
                let returned = match (self.result_pointer, value.repr) {
                    (None, Repr::Scalar(expr)) => {
                        let place = self.scalar_place(PlaceKind::Return, &result, span);
                        (place, Some(expr))
                    }
                    (None, _) => (None, None),
                    (Some(pointer), repr) => {
                        let pointer = load_variable(pointer, Scalar::Pointer, span);
                        let value = Value { ty: result, repr };
                        self.write(Lvalue::Deref(pointer), value, Role::RETURN, span);
                        (None, None)
                    }
                };
                let (place, value) = returned;
                self.leave(Statement::Return { place, value });
                Ok(())
            }
        }
    }

    /// Writes a value. Gives its place, if it has one.
    pub fn write(
        &mut self,
        target: Lvalue,
        value: Value,
        role: Role,
        span: Span,
    ) -> Option<PlaceId> {
        let is_whole = matches!(value.repr, Repr::Slice(..) | Repr::At(_));
        if is_whole && role.has_places && value.ty.size() > 0 {
            self.note_whole(role.kind, span);
        }
        match value.repr {
            Repr::Scalar(expr) => {
                let place = match role.has_places {
                    true => self.scalar_place(role.kind, &value.ty, span),
                    false => None,
                };
                self.assign(place, target, with_span(expr, span));
                return place;
            }
            Repr::Slice(pointer, length) => {
                self.assign(None, target.clone(), pointer);
                self.assign(None, field(target, 1), length);
            }
            Repr::At(source) => {
                let cells = value.ty.cells();
                self.out.push(Statement::Copy {
                    target,
                    source,
                    cells,
                    span,
                });
            }
            Repr::Nothing => {}
        }
        None
    }

    /// The place of a value of one cell. Most references have none.
    fn scalar_place(&mut self, kind: PlaceKind, ty: &Type, span: Span) -> Option<PlaceId> {
        if ty.is_place() {
            return self.value_place(kind, ty, span);
        }
        self.note_reference(kind, span);
        None
    }

    /// The value in a variable of its own.
    pub fn copied(&mut self, value: Value) -> Value {
        let variable = self.temporary(&value.ty);
        self.copied_to(variable, value)
    }

    /// The value in a variable of the source.
    pub fn copied_into(&mut self, name: &str, value: Value) -> Value {
        let variable = self.declare(name, &value.ty, false);
        self.copied_to(variable, value)
    }

    fn copied_to(&mut self, variable: VariableId, value: Value) -> Value {
        let ty = value.ty.clone();
        let span = self.always().span;
        let role = Role {
            has_places: false,
            ..Role::LET
        };
        self.write(Lvalue::Variable(variable), value, role, span);
        Value::at(ty, Lvalue::Variable(variable))
    }

    fn local_variable(&mut self, local: &Local, span: Span) -> Result<(), Outside> {
        let home = self.home.clone();
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) if matches!(*typed.ty, syn::Type::Infer(_)) => (&*typed.pat, None),
            Pat::Type(typed) => {
                let ty = self.front.type_of(&home, &typed.ty)?;
                (&*typed.pat, Some(ty))
            }
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            let Pat::Ident(ident) = pat else {
                return Err(self.outside(span, "a pattern without a value is not supported"));
            };
            let open = self.guesses.at(self.span(pat).start, false);
            let ty = ty.unwrap_or(open);
            let name = ident.ident.to_string();
            let variable = self.declare(&name, &ty, false);
            self.name(name, Value::at(ty, Lvalue::Variable(variable)));
            return Ok(());
        };
        if let Some((_, otherwise)) = &init.diverge {
            return self.let_else(pat, &init.expr, ty.as_ref(), otherwise);
        }
        let mut named = Vec::new();
        self.initialize(pat, &init.expr, ty.as_ref(), &mut named)?;
        for (name, value) in named {
            self.name(name, value);
        }
        Ok(())
    }

    /// Declares what a pattern without alternatives names; the names are not yet visible.
    fn initialize(
        &mut self,
        pat: &Pat,
        init: &Syntax,
        ty: Option<&Type>,
        named: &mut Vec<(String, Value)>,
    ) -> Result<(), Outside> {
        let init = bare(init);
        let span = self.span(pat);
        match (pat, init) {
            (Pat::Ident(ident), _) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = ident.ident.to_string();
                let open = self.guesses.at(span.start, false);
                let is_open = is_flow(init) && !never_has_value(init);
                let ty = ty.cloned().or(is_open.then_some(open));
                let unknown = Type::unit();
                let is_fixed = ident.mutability.is_none();
                let variable = self.declare(&name, ty.as_ref().unwrap_or(&unknown), is_fixed);
                let target = Lvalue::Variable(variable);
                let ty = self.store(init, target.clone(), ty.as_ref(), Role::LET)?;
                self.set_cells(variable, &ty);
                named.push((name, Value::at(ty, target)));
                Ok(())
            }
            (Pat::Tuple(pats), Syntax::Tuple(values))
                if pats.elems.len() == values.elems.len()
                    && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_))) =>
            {
                let types = match ty {
                    Some(Type::Tuple(of)) => Rc::clone(of),
                    _ => Rc::new([]),
                };
                for (nth, (pat, value)) in pats.elems.iter().zip(&values.elems).enumerate() {
                    self.initialize(pat, value, types.get(nth), named)?;
                }
                Ok(())
            }
            (Pat::Wild(_), _) => {
                let value = self.value(init, ty)?;
                self.let_go(init, value, false, span);
                Ok(())
            }
            _ => {
                let value = self.built(init, ty, true)?;
                self.bind_into(pat, value, named)
            }
        }
    }
}
