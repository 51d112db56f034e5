//! Lowers statements: branches and loops become jumps, and every place between two statements of a block can take
//! another one.

use std::borrow::Cow;

use nopol_program::ir::{
    Dialect, Expr, ExprKind, Lvalue, NodeId, OutlineKind, Outlined, Outside, PlaceId, Span,
    Statement,
};

use super::terms::Parts;
use super::{Exits, Lowering};
use crate::ir::{
    Atom, Concrete, Instruction, Kind, Path, Removal, Slot, Statement as Written, StatementId, Term,
};

impl Lowering<'_> {
    /// The body of the function that is being lowered.
    pub(super) fn body(&mut self, body: &[Statement]) -> Result<(), Outside> {
        let block = body
            .iter()
            .find_map(written_at)
            .and_then(|span| self.function_block(span));
        self.statements(body, block)
    }

    /// The outermost block around something.
    fn function_block(&self, span: Span) -> Option<Span> {
        self.program
            .outline
            .iter()
            .filter(|outlined| {
                outlined.kind == OutlineKind::Block && crate::outline::contains(outlined.span, span)
            })
            .max_by_key(|outlined| outlined.span.end - outlined.span.start)
            .map(|outlined| outlined.span)
    }

    /// Whether it is written in a function, and not in the definition of a macro, which may be used elsewhere, too.
    pub(super) fn is_in_body(&self, span: Span) -> bool {
        self.program.dialect == Dialect::Rust || self.function_block(span).is_some()
    }

    /// Statements one after another, in this block if they are in one.
    pub(super) fn statements(
        &mut self,
        statements: &[Statement],
        block: Option<Span>,
    ) -> Result<(), Outside> {
        let statements = &without_scopes(statements);
        let scope = self.scope.clone();
        let block = block.filter(|_| self.is_own());
        let children = block.map_or_else(Vec::new, |block| self.outline.children(block));
        let mut next = 0;
        let owners = owners(&children, statements);
        let mut at = 0;
        while let Some(owner) = owners.get(at) {
            let mut end = at + 1;
            if let Some(number) = *owner {
                if number >= next && children[number].kind != OutlineKind::Declaration {
                    self.slot(children[number].span, false);
                }
                next = number + 1;
                if self.is_lenient {
                    let last = owners.iter().rposition(|other| other == owner);
                    end = last.map_or(end, |last| last + 1);
                }
            }
            let written = owner.map(|number| children[number].span);
            self.written = written.or(self.written);
            self.group(&statements[at..end], written)?;
            at = end;
        }
        let is_open = children
            .last()
            .is_none_or(|last| last.kind != OutlineKind::Tail);
        if let Some(block) = block.filter(|_| is_open) {
            let end = block.end.saturating_sub(1);
            self.slot(
                Span {
                    start: end,
                    ..block
                },
                true,
            );
        }
        self.scope = scope;
        Ok(())
    }

    /// What one statement of the source, if it is known, was translated to.
    fn group(&mut self, group: &[Statement], written: Option<Span>) -> Result<(), Outside> {
        let before = (self.is_lenient && self.is_own()).then(|| self.clone());
        let mut all = group.iter();
        let done = all.try_for_each(|statement| self.statement(statement));
        match (done, written, before) {
            (Err(outside), Some(written), Some(before)) if !escapes(group, &mut Vec::new()) => {
                *self = before;
                let mut declared = group
                    .iter()
                    .filter(|of| matches!(of, Statement::Declare(_)));
                declared.try_for_each(|statement| self.statement(statement))?;
                self.concrete(outside, written);
                Ok(())
            }
            (done, _, _) => done,
        }
    }

    /// A statement of which only the effect is known.
    fn concrete(&mut self, outside: Outside, span: Span) {
        let statement = self.new_statement(Written {
            kind: Kind::Concrete,
            span,
            whole: span,
            line: self.line(span),
            text: on_one_line(self.text(span)),
            leaves: Vec::new(),
            comparisons: Vec::new(),
            scope: self.scope_at(span),
            is_locked: true,
            removal: Removal::No,
        });
        let end = Span {
            start: span.end.saturating_sub(1),
            ..span
        };
        self.routine.concrete.push(Concrete {
            statement,
            last: self.line(end),
            outside,
        });
        self.emit(Instruction::Concrete(statement));
    }

    fn slot(&mut self, before: Span, is_last: bool) {
        let at = Span {
            end: before.start,
            ..before
        };
        let line = self.line(before);
        let scope = self.scope_at(at);
        let slot = self.new_slot(Slot {
            at,
            line,
            is_last,
            scope,
        });
        self.emit(Instruction::Slot(slot));
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Outside> {
        match statement {
            Statement::Declare(variable) => {
                self.declare(*variable, false);
                for cell in 0..self.program.variables[*variable].cells.len() {
                    let cell = u32::try_from(cell).unwrap_or(u32::MAX);
                    if let Some(id) = self.names.get(&(*variable, cell)).copied() {
                        self.emit(Instruction::Declare(id));
                    }
                }
                Ok(())
            }
            Statement::Assign {
                place,
                target,
                value,
            } => {
                let mut parts = Parts::default();
                self.type_temporary(target, value);
                let path = self.path(target, value.span)?;
                if let Some((from, leaf)) = self.taken(&path, value) {
                    self.emit(Instruction::Clear(from, leaf));
                    return Ok(());
                }
                let Some(ty) = self.routine.type_of(&path) else {
                    return self.outside(
                        value.span,
                        "an assignment to a value of this type is not modelled",
                    );
                };
                let written = place.and_then(|place| self.program.places[place].target);
                // What surrounds an assignment, as in `while ((a = b) != c)`, reads its target, too.
                let written = written.filter(|_| !self.is_value);
                let access = self.routine.access(&path);
                let atom = Atom::Read(path);
                let written = written.and_then(|span| self.replaceable(span, &atom));
                parts.leaf_as(atom, ty, access, written);
                let before = self.routine.code.len();
                let term = self.term(value, Some(ty), &mut parts)?;
                let has_calls = self.routine.code.len() > before;
                let is_step = self.is_step(value.span, &parts);
                if self.is_compound(value.span, &parts) || is_step {
                    // What is calculated with is what is assigned to: it is written only once, so nothing else can stand for one
                    // of the two. In Rust the function is read again with the change.
                    if self.program.dialect == Dialect::C {
                        parts.leaves[0].span = None;
                    }
                    parts.leaves[1].span = None;
                }
                let kind = match self.outline.around(value.span) {
                    Some(outlined) if outlined.kind == OutlineKind::Declaration => {
                        Kind::Initializer
                    }
                    _ => Kind::Assignment,
                };
                let id = self.statement_at(kind, value.span, parts, None);
                if kind == Kind::Assignment && !has_calls {
                    let of = &mut self.routine.statements[id];
                    of.removal = Removal::Goes(of.whole);
                }
                self.emit(Instruction::Assign(id, term));
                Ok(())
            }
            Statement::Eval(expr) => self.effect(expr),
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => self.branch(condition, then, otherwise),
            Statement::Loop {
                node,
                condition,
                tests_first,
                body,
                update,
                ..
            } => {
                let exits = Exits {
                    leave: self.target(),
                    again: self.target(),
                };
                self.loops.insert(*node, exits);
                self.repeat(condition, *tests_first, body, update, exits)?;
                self.loops.remove(node);
                Ok(())
            }
            Statement::Break(node) => self.leave(*node, |exits| exits.leave),
            Statement::Continue(node) => self.leave(*node, |exits| exits.again),
            Statement::Return { place, value } => self.give_back(*place, value.as_ref()),
            Statement::Assert(..) | Statement::Assume(_) => Ok(()),
            Statement::Opaque(outside, span) if self.is_lenient && self.is_own() => {
                self.concrete((**outside).clone(), *span);
                Ok(())
            }
            Statement::Opaque(outside, _) => Err((**outside).clone()),
            Statement::Copy {
                target,
                source,
                cells,
                ..
            } if self.program.dialect == Dialect::Rust => {
                self.copy_cells(target, source, cells.len())
            }
            Statement::Copy { .. } => {
                self.outside(Span::default(), "copying a structure is not modelled")
            }
            Statement::Breakable(node, body) if self.program.dialect == Dialect::Rust => {
                let leave = self.target();
                let exits = Exits {
                    leave,
                    again: leave,
                };
                self.loops.insert(*node, exits);
                self.statements(body, None)?;
                self.loops.remove(node);
                self.place(leave);
                Ok(())
            }
            Statement::Scope(_, body) => self.statements(body, None),
            Statement::Breakable(..) => self.outside(Span::default(), "`switch` is not modelled"),
        }
    }

    /// The statement and its leaf that an assignment of null empties, as the second half of `path.take()` does: one change
    /// of what is taken changes both halves.
    fn taken(&self, path: &Path, value: &Expr) -> Option<(StatementId, usize)> {
        let Some(Instruction::Assign(from, Term::Leaf(leaf))) = self.routine.code.last() else {
            return None;
        };
        let of = &self.routine.statements[*from];
        let is_same = of.leaves[*leaf].atom == Atom::Read(path.clone());
        let is_taken = self.program.dialect == Dialect::Rust
            && matches!(value.kind, ExprKind::Null)
            && of.span == value.span;
        (is_taken && is_same).then_some((*from, *leaf))
    }

    /// Whether it is written as `a += b`, or with another operator.
    fn is_compound(&self, span: Span, parts: &Parts) -> bool {
        let [target, first, ..] = parts.leaves.as_slice() else {
            return false;
        };
        let Some(at) = first.span.filter(|at| at.start == span.start) else {
            return false;
        };
        let rest = self.text(Span {
            start: at.end,
            ..span
        });
        let operator: String = rest.trim_start().chars().take(3).collect();
        let is_assigning = |operator: &str| operator.ends_with('=') && !operator.starts_with('=');
        target.atom == first.atom
            && (operator.get(..2).is_some_and(is_assigning) || is_assigning(&operator))
    }

    /// Whether it is written as `a++` or `--a`: `a` is both what is assigned to and what is calculated with.
    fn is_step(&self, span: Span, parts: &Parts) -> bool {
        let Some(at) = parts.leaves.get(1).and_then(|leaf| leaf.span) else {
            return false;
        };
        let before = self.text(Span {
            end: at.start,
            ..span
        });
        let after = self.text(Span {
            start: at.end,
            ..span
        });
        let is_step = |text: &str| matches!(text.trim(), "++" | "--");
        is_step(before) && after.is_empty() || is_step(after) && before.is_empty()
    }

    /// A copy of a structure, field by field.
    fn copy_cells(
        &mut self,
        target: &Lvalue,
        source: &Lvalue,
        cells: usize,
    ) -> Result<(), Outside> {
        let span = Span::default();
        let mut copied = 0;
        for cell in (0..).take(cells) {
            let at = |of: &Lvalue| Lvalue::Field(Box::new(of.clone()), cell);
            let (Ok(target), Ok(source)) =
                (self.path(&at(target), span), self.path(&at(source), span))
            else {
                continue;
            };
            let (Some(ty), Some(from)) =
                (self.routine.type_of(&target), self.routine.type_of(&source))
            else {
                continue;
            };
            let mut parts = Parts::default();
            parts.leaf(Atom::Read(target), ty, None);
            let term = parts.leaf(Atom::Read(source), from, None);
            let id = self.statement_at(Kind::Call, span, parts, None);
            self.emit(Instruction::Assign(id, term));
            copied += 1;
        }
        if copied == 0 {
            return self.outside(span, "this copy is not modelled");
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        condition: &Expr,
        tests_first: bool,
        body: &[Statement],
        update: &[Statement],
        exits: Exits,
    ) -> Result<(), Outside> {
        let whole = self.outline.around(condition.span);
        let body_of = whole.and_then(|whole| self.outline.children(whole.span).last().copied());
        let block = body_of
            .filter(|body| body.kind == OutlineKind::Block)
            .map(|body| body.span);
        self.written = body_of.map(|body| body.span);
        let start = self.routine.code.len();
        if tests_first {
            let head = self.head(condition)?;
            self.goes_to(head, exits.leave);
            self.set_body(head, head + 1);
            self.statements(body, block)?;
            self.place(exits.again);
            self.statements(update, None)?;
            self.emit(Instruction::Back(start));
        } else {
            self.statements(body, block)?;
            self.place(exits.again);
            let head = self.head(condition)?;
            self.goes_to(head, exits.leave);
            self.set_body(head, head + 1);
            self.emit(Instruction::Back(start));
        }
        self.place(exits.leave);
        Ok(())
    }

    fn head(&mut self, condition: &Expr) -> Result<usize, Outside> {
        let mut parts = Parts::default();
        let lowered = self.condition(condition, &mut parts)?;
        let statement = self.statement_at(Kind::LoopGuard, condition.span, parts, None);
        let id = self.new_loop(statement);
        Ok(self.emit(Instruction::Head {
            statement,
            id,
            condition: lowered,
            body: usize::MAX,
            exit: usize::MAX,
        }))
    }

    fn set_body(&mut self, head: usize, at: usize) {
        if let Some(Instruction::Head { body, .. }) = self.routine.code.get_mut(head) {
            *body = at;
        }
    }

    fn leave(
        &mut self,
        node: nopol_program::ir::NodeId,
        to: impl Fn(Exits) -> super::Target,
    ) -> Result<(), Outside> {
        let Some(exits) = self.loops.get(&node).copied() else {
            return self.outside(Span::default(), "`switch` is not modelled");
        };
        self.jump(to(exits));
        Ok(())
    }

    /// A jump that is written as a statement.
    fn jump(&mut self, to: super::Target) {
        let jump = self.emit(Instruction::Jump(usize::MAX));
        self.goes_to(jump, to);
        let written = self.written.filter(|_| self.is_own()).filter(|span| {
            let text = self.text(*span);
            let words = ["break", "continue", "return"];
            words.iter().any(|word| text.starts_with(word))
        });
        if let Some(span) = written {
            let line = self.line(span);
            self.routine.jumps.insert(jump, line);
        }
    }

    fn give_back(&mut self, place: Option<PlaceId>, value: Option<&Expr>) -> Result<(), Outside> {
        let Some(activation) = self.activations.last().cloned() else {
            return Ok(());
        };
        if let (Some(value), Some(result)) = (value, activation.result) {
            let ty = self.routine.variables[result].ty;
            let mut parts = Parts::default();
            parts.leaf(Atom::Read(Path::of(result)), ty, None);
            let term = self.term(value, Some(ty), &mut parts)?;
            let kind = match place {
                Some(_) => Kind::Return,
                None => Kind::Call,
            };
            let id = self.statement_at(kind, value.span, parts, None);
            self.emit(Instruction::Assign(id, term));
        }
        self.jump(activation.end);
        Ok(())
    }
}

/// Which statements of the block these belong to.
fn owners(children: &[Outlined], statements: &[Statement]) -> Vec<Option<usize>> {
    let mut next = 0;
    let owners = statements.iter().map(|statement| {
        let owner = child_of(children, statement, next);
        next = owner.map_or(next, |owner| owner + 1);
        owner
    });
    owners.collect()
}

/// The statements with those of inner blocks in their places.
fn without_scopes(statements: &[Statement]) -> Cow<'_, [Statement]> {
    let is_scope = |statement: &Statement| matches!(statement, Statement::Scope(..));
    if !statements.iter().any(is_scope) {
        return Cow::Borrowed(statements);
    }
    let mut all = Vec::new();
    for statement in statements {
        match statement {
            Statement::Scope(_, body) => all.extend(without_scopes(body).into_owned()),
            other => all.push(other.clone()),
        }
    }
    Cow::Owned(all)
}

/// Whether control may leave these statements otherwise than at their end. `within` are the loops and blocks around.
pub(super) fn escapes(statements: &[Statement], within: &mut Vec<NodeId>) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Return { .. } => true,
        Statement::Break(node) | Statement::Continue(node) => !within.contains(node),
        Statement::If {
            then, otherwise, ..
        } => escapes(then, within) || escapes(otherwise, within),
        Statement::Loop { node, body, .. } | Statement::Breakable(node, body) => {
            within.push(*node);
            let escapes = escapes(body, within);
            within.pop();
            escapes
        }
        Statement::Scope(_, body) => escapes(body, within),
        _ => false,
    })
}

/// Which statement of the block this belongs to; one without a place of its own comes after the last one.
fn child_of(children: &[Outlined], statement: &Statement, next: usize) -> Option<usize> {
    match (statement, written_at(statement)) {
        (Statement::Declare(_), _) => None,
        (_, Some(span)) => children
            .iter()
            .position(|child| crate::outline::contains(child.span, span)),
        (_, None) => (next < children.len()).then_some(next),
    }
}

/// Where a statement is written, or a part of it.
pub(super) fn written_at(statement: &Statement) -> Option<Span> {
    match statement {
        Statement::Assign { value, .. } => Some(value.span),
        Statement::Eval(expr) => Some(expr.span),
        Statement::If { condition, .. } | Statement::Loop { condition, .. } => Some(condition.span),
        Statement::Return { value, .. } => value.as_ref().map(|value| value.span),
        Statement::Assert(condition, _) | Statement::Assume(condition) => Some(condition.span),
        Statement::Opaque(_, span) => Some(*span),
        _ => None,
    }
}

/// Without line breaks and with single blanks.
pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
