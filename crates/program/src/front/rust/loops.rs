//! `while`, `loop`, and what leaves them.

use syn::{Block, Expr as Syntax, ExprBreak, ExprContinue, ExprLoop, ExprWhile};

use super::arithmetic::block;
use super::body::{Body, Sink, Target};
use super::build::truth;
use super::types::Type;
use crate::ir::{NodeId, Outside, PlaceKind, Span, Statement};

impl Body<'_, '_> {
    pub fn while_loop(&mut self, of: &ExprWhile) -> Result<(), Outside> {
        let header = (self.span(&of.while_token), self.span(&of.cond));
        let span = self.span(&of.cond);
        let label = of.label.as_ref().map(|label| label.name.ident.to_string());
        let node = self.node();
        let clauses = super::branches::clauses(&of.cond);
        let leave = |body: &mut Self| {
            body.leave(Statement::Break(node));
            Ok(())
        };
        if clauses
            .iter()
            .any(|clause| matches!(clause, Syntax::Let(_)))
        {
            return self.endless(node, label, &Sink::Discard, span, |body| {
                if let [_] = &*clauses {
                    return body.chain(
                        &clauses,
                        header,
                        |body| body.block(&of.body, &Sink::Discard),
                        leave,
                    );
                }
                // Whatever comes behind the clauses is reached if one of them fails.
                let then = |body: &mut Self| {
                    body.block(&of.body, &Sink::Discard)?;
                    body.leave(Statement::Continue(node));
                    Ok(())
                };
                body.chain(&clauses, header, then, |_| Ok(()))?;
                leave(body)
            });
        }
        let jumps = self.jumps;
        let (statements, (condition, place)) = self.scoped(|body| {
            body.in_statement(header, |body| {
                let condition = body.typed(&of.cond, &Type::Bool)?;
                Ok((condition, body.place(PlaceKind::Condition, span)))
            })
        })?;
        if jumps != self.jumps {
            // What leaves a loop or the function is a statement.
            return self.endless(node, label, &Sink::Discard, span, |body| {
                body.out.extend(statements);
                let then = body.statements(|body| body.block(&of.body, &Sink::Discard))?;
                let otherwise = body.statements(leave)?;
                let node = body.node();
                body.out.push(Statement::If {
                    node,
                    place,
                    condition,
                    then,
                    otherwise,
                });
                Ok(())
            });
        }
        let body = self.loop_body(node, label, &Sink::Discard, |body| {
            body.block(&of.body, &Sink::Discard)
        })?;
        self.out.push(Statement::Loop {
            node,
            place,
            condition: block(statements, condition),
            tests_first: true,
            body,
            update: Vec::new(),
        });
        Ok(())
    }

    pub fn endless_loop(&mut self, of: &ExprLoop, sink: &Sink) -> Result<(), Outside> {
        let node = self.node();
        let span = self.span(&of.loop_token);
        let label = of.label.as_ref().map(|label| label.name.ident.to_string());
        self.endless(node, label, sink, span, |body| {
            body.block(&of.body, &Sink::Discard)
        })
    }

    fn endless(
        &mut self,
        node: NodeId,
        label: Option<String>,
        sink: &Sink,
        span: Span,
        work: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let body = self.loop_body(node, label, sink, work)?;
        self.out.push(Statement::Loop {
            node,
            place: None,
            condition: truth(true, span),
            tests_first: true,
            body,
            update: Vec::new(),
        });
        Ok(())
    }

    /// What a loop repeats.
    pub fn loop_body(
        &mut self,
        node: NodeId,
        label: Option<String>,
        sink: &Sink,
        work: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<Vec<Statement>, Outside> {
        self.targets.push(Target {
            label,
            node,
            is_loop: true,
            sink: sink.clone(),
        });
        let body = self.statements(work);
        self.targets.pop();
        body
    }

    pub fn labelled_block(
        &mut self,
        label: String,
        block: &Block,
        sink: &Sink,
    ) -> Result<(), Outside> {
        let node = self.node();
        self.targets.push(Target {
            label: Some(label),
            node,
            is_loop: false,
            sink: sink.clone(),
        });
        let statements = self.statements(|body| body.block(block, sink));
        self.targets.pop();
        self.out.push(Statement::Breakable(node, statements?));
        Ok(())
    }

    pub fn break_out(&mut self, of: &ExprBreak, span: Span) -> Result<(), Outside> {
        let label = of.label.as_ref().map(|label| label.ident.to_string());
        let (node, sink) = self.target(label.as_deref(), span)?;
        if let Some(value) = &of.expr {
            self.flow(value, &sink)?;
        }
        self.leave(Statement::Break(node));
        Ok(())
    }

    pub fn continue_loop(&mut self, of: &ExprContinue, span: Span) -> Result<(), Outside> {
        let label = of.label.as_ref().map(|label| label.ident.to_string());
        let (node, _) = self.target(label.as_deref(), span)?;
        self.leave(Statement::Continue(node));
        Ok(())
    }

    /// The loop or block that is meant, and where its value goes.
    fn target(&self, label: Option<&str>, span: Span) -> Result<(NodeId, Sink), Outside> {
        let found = self.targets.iter().rfind(|target| match label {
            Some(_) => target.label.as_deref() == label,
            None => target.is_loop,
        });
        let found = found.map(|target| (target.node, target.sink.clone()));
        found.ok_or_else(|| self.outside(span, "there is no loop or block to leave"))
    }
}
