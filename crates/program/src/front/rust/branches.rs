//! `if`, also with `let` in its condition.

use syn::{BinOp, Expr as Syntax, ExprIf, Pat};

use super::body::{Body, Sink};
use super::build::Value;
use super::types::Type;
use crate::ir::{Outside, PlaceKind, Span, Statement};

/// What is done in a branch.
type Work<'w, B> = Box<dyn FnOnce(&mut B) -> Result<(), Outside> + 'w>;

impl Body<'_, '_> {
    pub fn if_else(&mut self, of: &ExprIf, sink: &Sink) -> Result<(), Outside> {
        let header = (self.span(&of.if_token), self.span(&of.cond));
        let then = |body: &mut Self| body.block(&of.then_branch, sink);
        let otherwise = |body: &mut Self| match &of.else_branch {
            Some((_, otherwise)) => body.flow(otherwise, sink),
            None => Ok(()),
        };
        let clauses = clauses(&of.cond);
        if !clauses
            .iter()
            .any(|clause| matches!(clause, Syntax::Let(_)))
        {
            return self.in_scope(|body| body.branch(&of.cond, header, then, otherwise));
        }
        if let [_] = &*clauses {
            return self.in_scope(|body| body.chain(&clauses, header, then, otherwise));
        }
        if of.else_branch.is_none() {
            return self.in_scope(|body| body.chain(&clauses, header, then, |_| Ok(())));
        }
        // Whichever clause fails, the other branch is the same one.
        let node = self.node();
        let statements = self.statements(|body| {
            let then = |body: &mut Self| {
                then(body)?;
                body.leave(Statement::Break(node));
                Ok(())
            };
            body.in_scope(|body| body.chain(&clauses, header, then, |_| Ok(())))?;
            otherwise(body)
        })?;
        self.out.push(Statement::Breakable(node, statements));
        Ok(())
    }

    /// A branch with a condition that is a place.
    pub fn branch(
        &mut self,
        condition: &Syntax,
        header: (Span, Span),
        then: impl FnOnce(&mut Self) -> Result<(), Outside>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let span = self.span(condition);
        let (condition, place) = self.in_statement(header, |body| {
            let condition = body.whole(|body| {
                let condition = body.typed(condition, &Type::Bool)?;
                Ok(Value::scalar(Type::Bool, condition))
            })?;
            let (condition, _) = body.as_scalar(condition, span)?;
            Ok((condition, body.place(PlaceKind::Condition, span)))
        })?;
        let node = self.node();
        let then = self.statements(then)?;
        let otherwise = self.statements(otherwise)?;
        self.out.push(Statement::If {
            node,
            place,
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    /// Branches one within the other, one for each clause. `otherwise` is for the first one.
    pub fn chain(
        &mut self,
        clauses: &[&Syntax],
        header: (Span, Span),
        then: impl FnOnce(&mut Self) -> Result<(), Outside>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let Some((first, rest)) = clauses.split_first() else {
            return then(self);
        };
        let next: Work<Self> = if rest.is_empty() {
            Box::new(then)
        } else {
            Box::new(move |body: &mut Self| {
                let then: Work<Self> = Box::new(then);
                let otherwise: Work<Self> = Box::new(|_| Ok(()));
                body.chain(rest, header, then, otherwise)
            })
        };
        match first {
            Syntax::Let(of) => self.if_let(&of.pat, &of.expr, header, next, otherwise),
            condition => self.branch(condition, header, next, otherwise),
        }
    }

    /// A branch that a pattern decides.
    pub fn if_let(
        &mut self,
        pat: &Pat,
        scrutinee: &Syntax,
        header: (Span, Span),
        then: impl FnOnce(&mut Self) -> Result<(), Outside>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let value = self.in_statement(header, |body| body.scrutinee(scrutinee))?;
        let condition = self.test(pat, value.clone())?;
        let node = self.node();
        let then = self.statements(|body| {
            body.bind(pat, value)?;
            then(body)
        })?;
        let otherwise = self.statements(otherwise)?;
        self.out.push(Statement::If {
            node,
            place: None,
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    /// `let pattern = scrutinee else { … }`
    pub fn let_else(
        &mut self,
        pat: &Pat,
        scrutinee: &Syntax,
        ty: Option<&Type>,
        otherwise: &Syntax,
    ) -> Result<(), Outside> {
        let span = self.span(scrutinee);
        let value = self.scrutinee(scrutinee)?;
        if let Some(ty) = ty {
            self.unify(ty, &value.ty, span)?;
        }
        let condition = self.test(pat, value.clone())?;
        let otherwise = self.statements(|body| body.flow(otherwise, &Sink::Discard))?;
        self.when(super::build::not(condition), otherwise);
        self.bind(pat, value)
    }
}

/// The clauses of a condition, if one of them is a `let`; otherwise the condition.
pub(super) fn clauses(condition: &Syntax) -> Vec<&Syntax> {
    fn collect<'s>(condition: &'s Syntax, clauses: &mut Vec<&'s Syntax>) {
        match condition {
            Syntax::Binary(of) if matches!(of.op, BinOp::And(_)) => {
                collect(&of.left, clauses);
                collect(&of.right, clauses);
            }
            _ => clauses.push(condition),
        }
    }
    let mut all = Vec::new();
    collect(condition, &mut all);
    if all.iter().any(|clause| matches!(clause, Syntax::Let(_))) {
        all
    } else {
        vec![condition]
    }
}
