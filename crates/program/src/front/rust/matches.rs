//! `match` and `matches!`.

use syn::{Arm, Expr as Syntax, ExprMatch, Pat};

use super::body::{Body, Sink};
use super::build::{Repr, Value, load_variable, truth};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{ExprKind, Lvalue, NodeId, Outside, PlaceKind, Scalar, Span, Statement};

impl Body<'_, '_> {
    pub fn match_arms(&mut self, of: &ExprMatch, sink: &Sink) -> Result<(), Outside> {
        let header = (self.span(&of.match_token), self.span(&of.expr));
        self.in_scope(|body| {
            let value = body.in_statement(header, |body| body.scrutinee(&of.expr))?;
            if value.ty == Type::Never {
                return Ok(());
            }
            let arms: Vec<&Arm> = of.arms.iter().collect();
            if arms.iter().any(|arm| matches!(arm.pat, Pat::Guard(_))) {
                body.guarded_arms(&arms, &value, sink)
            } else {
                body.arms(&arms, &value, sink, header.0)
            }
        })
    }

    /// The value that patterns are matched with. It stays the same and can be written several times.
    pub fn scrutinee(&mut self, syntax: &Syntax) -> Result<Value, Outside> {
        let span = self.span(syntax);
        let is_place = matches!(
            bare(syntax),
            Syntax::Path(_) | Syntax::Field(_) | Syntax::Index(_) | Syntax::Unary(_)
        );
        let value = self.whole(|body| {
            if !is_place {
                return body.value(syntax, None);
            }
            let located = body.locate(syntax)?;
            Ok(if located.ty.is_value() {
                body.loaded(located, span)
            } else {
                located
            })
        })?;
        let ty = self.guesses.resolved(&value.ty);
        if let Some(link) = self.link_scrutinee(&ty, &value, span)? {
            return Ok(link);
        }
        let repr = match value.repr {
            Repr::Scalar(expr) => {
                let is_place = ty.is_value() && !super::blocks::is_flow(bare(syntax));
                let place = if is_place {
                    self.value_place(PlaceKind::Value, &ty, span)
                } else {
                    None
                };
                let scalar = expr.ty;
                if place.is_none() {
                    Repr::Scalar(self.lasting(expr))
                } else {
                    let variable = self.declare("#scrutinee", &ty, true);
                    self.assign(place, Lvalue::Variable(variable), expr);
                    Repr::Scalar(load_variable(variable, scalar, span))
                }
            }
            Repr::Slice(pointer, length) => {
                Repr::Slice(self.lasting(pointer), self.lasting(length))
            }
            Repr::At(lvalue) => Repr::At(self.steady(lvalue, span)),
            Repr::Nothing => Repr::Nothing,
        };
        Ok(Value { ty, repr })
    }

    /// The value that patterns of an option that is a pointer are matched with, also behind a reference: it is read once.
    fn link_scrutinee(
        &mut self,
        ty: &Type,
        value: &Value,
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        let (option, is_behind) = match ty {
            Type::Reference(to) => ((**to).clone(), true),
            ty => (ty.clone(), false),
        };
        if !option.is_link() {
            return Ok(None);
        }
        let mut held = value.clone();
        if is_behind {
            held = self.dereferenced(held, span)?;
        }
        let (pointer, _) = self.as_scalar(held, span)?;
        let variable = self.declare("#scrutinee", &option, true);
        self.set(variable, pointer);
        let cell = Lvalue::Variable(variable);
        let repr = match is_behind {
            true => Repr::Scalar(super::build::address(cell, span)),
            false => Repr::At(cell),
        };
        Ok(Some(Value {
            ty: ty.clone(),
            repr,
        }))
    }

    /// Arms without conditions: one branch within the other.
    fn arms(
        &mut self,
        arms: &[&Arm],
        value: &Value,
        sink: &Sink,
        from: Span,
    ) -> Result<(), Outside> {
        let Some((first, rest)) = arms.split_first() else {
            // No value gets here, unless one is not of its type.
            self.panic(from);
            return Ok(());
        };
        let condition = self.test(&first.pat, value.clone())?;
        // One of the arms matches.
        let is_last = rest.is_empty() && !value.ty.has_enum();
        if is_last || matches!(condition.kind, ExprKind::Constant(1)) {
            return self.in_scope(|body| body.arm(&first.pat, first, value, sink));
        }
        let node = self.node();
        let then = self.statements(|body| body.arm(&first.pat, first, value, sink))?;
        let otherwise = self.statements(|body| body.arms(rest, value, sink, from))?;
        self.out.push(Statement::If {
            node,
            place: None,
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    /// The variables and the value of an arm.
    fn arm(&mut self, pat: &Pat, arm: &Arm, value: &Value, sink: &Sink) -> Result<(), Outside> {
        self.bind(pat, value.clone())?;
        self.arm_body(arm, sink)
    }

    fn arm_body(&mut self, arm: &Arm, sink: &Sink) -> Result<(), Outside> {
        let statement = (self.span(&arm.pat), self.span(&arm.body));
        self.in_statement(statement, |body| body.flow(&arm.body, sink))
    }

    /// Arms with conditions: one behind the other in a block that each of them leaves.
    fn guarded_arms(&mut self, arms: &[&Arm], value: &Value, sink: &Sink) -> Result<(), Outside> {
        let node = self.node();
        let statements = self.statements(|body| {
            let mut is_open = true;
            for (nth, arm) in arms.iter().enumerate() {
                let is_last = nth + 1 == arms.len() && !value.ty.has_enum();
                is_open = is_open && body.guarded_arm(arm, value, sink, node, is_last)?;
            }
            if is_open {
                // No value gets here, unless one is not of its type.
                let span = body.always().span;
                body.panic(span);
            }
            Ok(())
        })?;
        self.out.push(Statement::Breakable(node, statements));
        Ok(())
    }

    /// Whether the arms behind this one may be reached.
    fn guarded_arm(
        &mut self,
        arm: &Arm,
        value: &Value,
        sink: &Sink,
        node: NodeId,
        is_last: bool,
    ) -> Result<bool, Outside> {
        let (pat, guard) = match &arm.pat {
            Pat::Guard(of) => (&*of.pat, Some((&of.if_token, &*of.guard))),
            pat => (pat, None),
        };
        let condition = self.test(pat, value.clone())?;
        let then = self.statements(|body| {
            body.bind(pat, value.clone())?;
            let finish = |body: &mut Self| {
                body.arm_body(arm, sink)?;
                body.leave(Statement::Break(node));
                Ok(())
            };
            match guard {
                Some((if_token, guard)) => {
                    let header = (body.span(if_token), body.span(guard));
                    body.branch(guard, header, finish, |_| Ok(()))
                }
                None => finish(body),
            }
        })?;
        if guard.is_none() && (is_last || matches!(condition.kind, ExprKind::Constant(1))) {
            self.out.extend(then);
            return Ok(false);
        }
        self.when(condition, then);
        Ok(true)
    }

    /// `matches!(scrutinee, pattern if guard)`
    pub fn matches(
        &mut self,
        scrutinee: &Syntax,
        pat: &Pat,
        guard: Option<&Syntax>,
        span: Span,
    ) -> Result<Value, Outside> {
        let mut inner = None;
        if let Pat::Guard(of) = pat {
            inner = Some((&*of.pat, &*of.guard));
        }
        let (pat, guard) = match inner {
            Some((pat, guard)) => (pat, Some(guard)),
            None => (pat, guard),
        };
        self.in_scope(|body| {
            let value = body.scrutinee(scrutinee)?;
            let condition = body.test(pat, value.clone())?;
            let Some(guard) = guard else {
                return Ok(Value::scalar(Type::Bool, condition));
            };
            let result = body.declare("#matches", &Type::Bool, false);
            body.set(result, truth(false, span));
            let then = body.statements(|body| {
                body.bind(pat, value)?;
                let guard = body.typed(guard, &Type::Bool)?;
                body.set(result, guard);
                Ok(())
            })?;
            body.when(condition, then);
            let now = load_variable(result, Scalar::Bool, span);
            Ok(Value::scalar(Type::Bool, body.saved(now)))
        })
    }
}
