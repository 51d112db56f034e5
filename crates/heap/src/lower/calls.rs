//! Inlines calls.

use nopol_program::ir::{
    Builtin, Dialect, Expr, ExprKind, FunctionId, Lvalue, Outside, PointerKind, Span,
};

use super::statements::on_one_line;
use super::terms::Parts;
use super::{Activation, DEEPEST_CALL, Lowering, MOST_INSTRUCTIONS, number};
use crate::ir::{
    Atom, Instruction, Kind, Leaf, Path, Removal, Statement, StatementId, Term, Type, VariableId,
};

impl Lowering<'_> {
    /// Lowers a call; gives the variable that holds its result.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Option<VariableId>, Outside> {
        let of = &self.program.functions[function];
        let is_active = self
            .activations
            .iter()
            .any(|activation| activation.function == function);
        if is_active {
            return self.outside(span, format!("`{}` calls itself", of.name));
        }
        if self.activations.len() > DEEPEST_CALL {
            return self.outside(
                span,
                format!("calls are nested more than {DEEPEST_CALL} deep"),
            );
        }
        if self.routine.code.len() > MOST_INSTRUCTIONS {
            return self.outside(
                span,
                format!(
                    "with all calls inlined, the function has more than {MOST_INSTRUCTIONS} instructions"
                ),
            );
        }
        let result = match (of.result_points_to, of.result) {
            (Some(record), _) => Some(Type::Pointer(record)),
            (None, Some(scalar)) => number(scalar),
            (None, None) => None,
        };
        // Arguments are evaluated where the call is, so they belong to the caller.
        let mut values = Vec::new();
        for (parameter, argument) in of.parameters.iter().zip(arguments) {
            if let (ExprKind::Address(of, _), Dialect::Rust) =
                (&argument.kind, self.program.dialect)
                && is_steady(of)
            {
                self.aliases.insert(*parameter, (**of).clone());
                continue;
            }
            let ty = match self.program.variables[*parameter].shape {
                nopol_program::ir::Shape::Pointer(record) => Some(Type::Pointer(record)),
                _ => None,
            };
            let mut parts = Parts::default();
            let ty = ty.or_else(|| number(argument.ty));
            let Some(ty) = ty else {
                let text = on_one_line(self.text(argument.span));
                return self.outside(
                    argument.span,
                    format!("the argument `{text}` has a type that is not modelled"),
                );
            };
            let holder = self.hidden("argument", ty);
            parts.leaf(Atom::Read(Path::of(holder)), ty, None);
            let term = self.term(argument, Some(ty), &mut parts)?;
            let statement = self.statement_at(Kind::Call, argument.span, parts, None);
            self.emit(Instruction::Assign(statement, term));
            values.push((*parameter, holder));
        }
        let result = result.map(|ty| self.hidden("result", ty));
        let end = self.target();
        self.activations.push(Activation {
            function,
            result,
            end,
        });
        let scope = self.scope.clone();
        for (parameter, holder) in values {
            self.declare(parameter, false);
            if let Some(id) = self.names.get(&(parameter, 0)).copied() {
                self.emit(Instruction::Declare(id));
                self.copy(id, holder, span);
            }
        }
        self.body(&of.body)?;
        self.activations.pop();
        self.scope = scope;
        self.place(end);
        Ok(result)
    }

    /// `target = source;` between variables.
    fn copy(&mut self, target: VariableId, source: VariableId, span: Span) {
        let ty = self.routine.variables[target].ty;
        let leaf = |variable| Leaf {
            atom: Atom::Read(Path::of(variable)),
            ty,
            access: PointerKind::Raw,
            span: None,
        };
        let parts = Parts {
            leaves: vec![leaf(target), leaf(source)],
            comparisons: Vec::new(),
        };
        let statement = self.statement_at(Kind::Call, span, parts, None);
        self.emit(Instruction::Assign(statement, Term::Leaf(1)));
    }

    /// Lowers what is evaluated for its effects.
    pub(super) fn effect(&mut self, expr: &Expr) -> Result<(), Outside> {
        match &expr.kind {
            ExprKind::Call(_, function, arguments) => {
                self.call(*function, arguments, expr.span).map(|_| ())
            }
            ExprKind::Block(statements, value) => {
                self.statements(statements, None)?;
                self.effect(value)
            }
            ExprKind::Builtin(_, Builtin::Free, arguments) => {
                let Some(pointer) = arguments.first() else {
                    return Ok(());
                };
                let mut parts = Parts::default();
                let term = self.term(pointer, None, &mut parts)?;
                let statement = self.statement_at(Kind::Call, pointer.span, parts, None);
                self.emit(Instruction::Free(statement, term));
                Ok(())
            }
            ExprKind::Builtin(_, Builtin::Exit, _) => {
                self.emit(Instruction::Halt);
                Ok(())
            }
            ExprKind::Builtin(_, Builtin::Print(_), arguments) => {
                for argument in arguments {
                    // Text is of no interest.
                    let mut parts = Parts::default();
                    if number(argument.ty).is_some() {
                        let term = self.term(argument, None, &mut parts)?;
                        let statement = self.statement_at(Kind::Call, argument.span, parts, None);
                        self.emit(Instruction::Use(statement, term));
                    }
                }
                self.emit(Instruction::Print);
                Ok(())
            }
            ExprKind::Constant(_) | ExprKind::Null => Ok(()),
            ExprKind::Load(_) => Ok(()),
            ExprKind::Cast(inner) => self.effect(inner),
            _ => self.outside(
                expr.span,
                format!("`{}` is not modelled", self.text(expr.span)),
            ),
        }
    }

    /// A statement that is written there.
    pub(super) fn statement_at(
        &mut self,
        kind: Kind,
        span: Span,
        parts: Parts,
        whole: Option<Span>,
    ) -> StatementId {
        let is_guard = matches!(kind, Kind::Guard | Kind::LoopGuard);
        let outlined = self.outline.around(span);
        // What is in the head of a `for` is a statement of its own.
        let outlined = outlined.filter(|outlined| is_guard || !self.is_for(outlined.span));
        let span = match parts.leaves.first().and_then(|target| target.span) {
            Some(target) if outlined.is_none() && kind == Kind::Assignment => Span {
                start: span.start.min(target.start),
                ..span
            },
            _ => span,
        };
        let whole = whole
            .or_else(|| outlined.map(|outlined| outlined.span))
            .unwrap_or(span);
        let header = match is_guard {
            true => Span {
                end: span.end,
                ..whole
            },
            false => whole,
        };
        let mut text = on_one_line(self.text(header));
        let is_c = self.program.dialect == Dialect::C;
        // Control comes to the condition of a `do` behind its body.
        let placed = match is_c && kind == Kind::LoopGuard {
            true => span,
            false => whole,
        };
        if is_c && is_guard && text.contains('(') {
            text.push(')');
        }
        let scope = self.scope_at(span);
        let is_locked = !self.is_own()
            || self.activations.first().map(|first| first.function) != Some(self.function);
        self.new_statement(Statement {
            kind,
            span,
            whole,
            line: self.line(placed),
            text,
            leaves: parts.leaves,
            comparisons: parts.comparisons,
            scope,
            is_locked,
            removal: Removal::No,
        })
    }
}

impl Lowering<'_> {
    /// Whether this is a `for` of C.
    fn is_for(&self, span: Span) -> bool {
        let after = self.text(span).strip_prefix("for");
        self.program.dialect == Dialect::C
            && after.is_some_and(|after| after.trim_start().starts_with('('))
    }
}

/// Whether it is the same cell as long as its variable lives.
fn is_steady(of: &Lvalue) -> bool {
    match of {
        Lvalue::Variable(_) => true,
        Lvalue::Field(inner, _) => is_steady(inner),
        Lvalue::Deref(_) | Lvalue::Index { .. } => false,
    }
}
