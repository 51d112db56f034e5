//! Statements.

use super::source::Syntax;
use super::types::Type;
use super::{LATE, Translated, Translator, build};
use crate::ir::{Expr, NodeId, OutlineKind, Outlined, PlaceId, PlaceKind, Scalar, Span, Statement};

/// Where `break` goes to, and `continue` if it is a loop.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    pub(super) node: NodeId,
    pub(super) is_loop: bool,
}

impl Translator<'_> {
    /// A block, which has a scope of its own.
    pub(super) fn block(
        &mut self,
        block: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        self.enclosed(statements, |this, statements| {
            this.statements(block, statements)
        })
    }

    /// The statements of a block.
    pub(super) fn statements(
        &mut self,
        block: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let mut children = block.children().into_iter();
        children.try_for_each(|statement| self.statement(statement, statements))
    }

    /// The statements of a branch or a body.
    fn part(&mut self, part: Option<Syntax<'_>>) -> Translated<Vec<Statement>> {
        let mut statements = Vec::new();
        if let Some(part) = part {
            self.scoped(|this| this.statement(part, &mut statements))?;
        }
        Ok(statements)
    }

    /// A statement.
    pub(super) fn statement(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let span = syntax.span();
        if !syntax.source.is_library && !self.is_folding {
            self.program.outline.push(Outlined {
                span,
                kind: match syntax.kind() {
                    "compound_statement" => OutlineKind::Block,
                    "declaration" => OutlineKind::Declaration,
                    _ => OutlineKind::Statement,
                },
            });
        }
        let declared = self.program.variables.len();
        self.at_statement(span, |this| {
            let (before, scopes, jumps) = (statements.len(), this.scopes.len(), this.jumps.len());
            match this.any_statement(syntax, statements) {
                Err(outside) if this.is_lenient && !leaves(syntax, false, false) => {
                    // What it declares exists afterwards.
                    let undone = statements.split_off(before).into_iter();
                    statements.extend(undone.filter(|of| matches!(of, Statement::Declare(_))));
                    this.scopes.truncate(scopes);
                    this.jumps.truncate(jumps);
                    statements.push(Statement::Opaque(Box::new(outside), span));
                    Ok(())
                }
                done => done,
            }
        })?;
        if syntax.kind() != "declaration" {
            for variable in self.program.variables.iter_mut().skip(declared) {
                if !variable.is_global || variable.home.is_some() {
                    variable.within.get_or_insert(span);
                }
            }
        }
        Ok(())
    }

    fn any_statement(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        if self.deadline.is_over() {
            return self.outside(syntax, LATE);
        }
        match syntax.kind() {
            "compound_statement" => self.block(syntax, statements),
            "expression_statement" => match syntax.children().as_slice() {
                [] => Ok(()),
                [expression] => self.effects(*expression, statements),
                _ => self.outside(syntax, "this statement is not supported"),
            },
            "if_statement" => self.branch(syntax, statements),
            "while_statement" => {
                let condition = self.required(syntax, "condition")?;
                let header = syntax.span_to(condition);
                let (condition, place) = self.tested(condition, header)?;
                self.repeat(
                    condition,
                    place,
                    true,
                    syntax.field("body"),
                    Vec::new(),
                    statements,
                )
            }
            "do_statement" => {
                let condition = self.required(syntax, "condition")?;
                let header = self.do_header(syntax, condition);
                let (condition, place) = self.tested(condition, header)?;
                self.repeat(
                    condition,
                    place,
                    false,
                    syntax.field("body"),
                    Vec::new(),
                    statements,
                )
            }
            "for_statement" => self.enclosed(statements, |this, statements| {
                this.counting(syntax, statements)
            }),
            "switch_statement" => self.switch(syntax, statements),
            "return_statement" => self.give_back(syntax, statements),
            "break_statement" => match self.jumps.last() {
                Some(jump) => {
                    statements.push(Statement::Break(jump.node));
                    Ok(())
                }
                None => self.outside(syntax, "there is nothing to `break` out of"),
            },
            "continue_statement" => match self.jumps.iter().rev().find(|jump| jump.is_loop) {
                Some(jump) => {
                    statements.push(Statement::Continue(jump.node));
                    Ok(())
                }
                None => self.outside(syntax, "there is nothing to `continue`"),
            },
            "goto_statement" => self.outside(syntax, "`goto` is not supported"),
            "labeled_statement" => self.outside(syntax, "labels are not supported"),
            "case_statement" => self.outside(
                syntax,
                "`case` is only supported directly in the block of a `switch`",
            ),
            "function_definition" => self.outside(syntax, "nested functions are not supported"),
            _ if self.declaration(syntax, statements)? => Ok(()),
            _ => self.outside(syntax, "this statement is not supported"),
        }
    }

    fn required<'n>(&self, syntax: Syntax<'n>, field: &str) -> Translated<Syntax<'n>> {
        syntax
            .field(field)
            .ok_or_else(|| self.error(syntax, format!("this has no {field}")))
    }

    /// A condition in the header that is written there, and its place.
    pub(super) fn tested(
        &mut self,
        condition: Syntax<'_>,
        header: Span,
    ) -> Translated<(Expr, Option<PlaceId>)> {
        self.at_statement(header, |this| {
            let inner = condition.without_parentheses();
            let expr = this.condition(inner)?;
            let place = this.place(PlaceKind::Condition, inner);
            Ok((expr, place))
        })
    }

    /// The `while (…)` after the body.
    fn do_header(&self, syntax: Syntax<'_>, condition: Syntax<'_>) -> Span {
        let word = syntax
            .parts()
            .into_iter()
            .rev()
            .find(|part| part.kind() == "while");
        let end = condition.span().end;
        let start = word.map_or(condition.span(), Syntax::span);
        Span { end, ..start }
    }

    fn branch(&mut self, syntax: Syntax<'_>, statements: &mut Vec<Statement>) -> Translated<()> {
        let condition = self.required(syntax, "condition")?;
        let header = syntax.span_to(condition);
        let (condition, place) = self.tested(condition, header)?;
        let node = self.node();
        let then = self.part(syntax.field("consequence"))?;
        let otherwise = syntax
            .field("alternative")
            .and_then(|clause| clause.children().first().copied());
        let otherwise = self.part(otherwise)?;
        statements.push(Statement::If {
            node,
            place,
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    fn repeat(
        &mut self,
        condition: Expr,
        place: Option<PlaceId>,
        tests_first: bool,
        body: Option<Syntax<'_>>,
        update: Vec<Statement>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let node = self.node();
        self.jumps.push(Jump {
            node,
            is_loop: true,
        });
        let body = self.part(body)?;
        self.jumps.pop();
        statements.push(Statement::Loop {
            node,
            place,
            condition,
            tests_first,
            body,
            update,
        });
        Ok(())
    }

    /// `for`
    fn counting(&mut self, syntax: Syntax<'_>, statements: &mut Vec<Statement>) -> Translated<()> {
        let close = syntax.parts().into_iter().find(|part| part.kind() == ")");
        let header = close.map_or_else(|| syntax.span(), |close| syntax.span_to(close));
        self.at_statement(header, |this| match syntax.field("initializer") {
            None => Ok(()),
            Some(initializer) if initializer.kind() == "declaration" => {
                this.declaration(initializer, statements).map(|_| ())
            }
            Some(initializer) => this.effects(initializer, statements),
        })?;
        let (condition, place) = match syntax.field("condition") {
            Some(condition) => self.tested(condition, header)?,
            None => (build::constant(1, Scalar::Bool, syntax.span()), None),
        };
        let mut update = Vec::new();
        if let Some(syntax) = syntax.field("update") {
            self.at_statement(header, |this| this.effects(syntax, &mut update))?;
        }
        self.repeat(
            condition,
            place,
            true,
            syntax.field("body"),
            update,
            statements,
        )
    }

    /// `return`
    fn give_back(&mut self, syntax: Syntax<'_>, statements: &mut Vec<Statement>) -> Translated<()> {
        let result = self
            .function
            .as_ref()
            .map_or(Type::Void, |function| function.result.clone());
        let (place, value) = match syntax.children().first().copied() {
            None => (None, None),
            Some(value) if result == Type::Void => {
                self.effects(value, statements)?;
                (None, None)
            }
            Some(syntax) => {
                let value = self.converted(syntax, &result)?;
                let place = self.place(PlaceKind::Return, syntax);
                self.note_type(place, &result);
                (place, Some(value))
            }
        };
        statements.push(Statement::Return { place, value });
        Ok(())
    }
}

/// Whether control may leave a statement otherwise than at its end.
fn leaves(syntax: Syntax<'_>, is_in_loop: bool, is_in_switch: bool) -> bool {
    match syntax.kind() {
        "return_statement" | "goto_statement" | "labeled_statement" => true,
        "break_statement" => !is_in_loop && !is_in_switch,
        "continue_statement" => !is_in_loop,
        kind => {
            let is_loop = matches!(kind, "for_statement" | "while_statement" | "do_statement");
            let is_switch = kind == "switch_statement";
            let mut children = syntax.children().into_iter();
            children.any(|child| leaves(child, is_in_loop || is_loop, is_in_switch || is_switch))
        }
    }
}
