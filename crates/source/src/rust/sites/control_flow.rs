//! Control flow: the conditions of `if`, `while` and match arms, loop bodies and closures.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Arm, Block, Expr, Pat, Stmt};

use super::forms::{chain_operands, has_let, is_catch_all, only_panics};
use super::{Enclosing, Finder};
use crate::rust::early_exits::snippets;
use crate::{ExitSnippet, Loop, SiteKind};

impl Finder<'_> {
    /// Visits the condition of an `if` or `while`. Names bound by its `let`s are visible afterwards, in the scope that
    /// the caller has pushed.
    pub(super) fn condition_or_chain(&mut self, kind: SiteKind, condition: &Expr) {
        if !has_let(condition) {
            self.condition(kind, condition);
            self.visit_covered(condition);
            return;
        }
        let mut operands = Vec::new();
        chain_operands(condition, &mut operands);
        let mut run: Option<(Range<usize>, proc_macro2::LineColumn)> = None;
        for operand in operands {
            if let Expr::Let(binding) = operand {
                if let Some((span, at)) = run.take() {
                    self.site(SiteKind::LetOperand, span, at);
                }
                self.visit_expr(&binding.expr);
                self.scopes.bind_pattern(&binding.pat);
            } else {
                let range = self.range(operand);
                run = Some(match run {
                    Some((span, at)) => (span.start..range.end, at),
                    None => (range, operand.span().start()),
                });
                self.visit_covered(operand);
            }
        }
        match run {
            Some((span, at)) => self.site(SiteKind::LetOperand, span, at),
            None if self.has_chains => {
                self.site_after(SiteKind::Pattern, condition, String::new());
            }
            None => {}
        }
    }

    pub(super) fn loop_body(&mut self, label: Option<&syn::Label>, body: &Block) {
        if self.function.is_some() {
            let open = self.range(&body.brace_token.span.open());
            let start = open.end;
            self.sources.files[self.file]
                .loops
                .push(Loop { start, end: None });
        }
        let outer = self.enclosing.in_loop;
        self.enclosing.in_loop = true;
        let label = label.map_or_else(String::new, |label| label.name.to_string());
        self.labels.push(label);
        self.scopes.push();
        self.statements(body, true);
        self.insertion_point_at_end(body);
        self.scopes.pop();
        self.labels.pop();
        self.enclosing.in_loop = outer;
    }

    pub(super) fn branch(&mut self, branch: &syn::ExprIf, kind: SiteKind) {
        self.scopes.push();
        let first = self.sources.sites.next_key();
        self.condition_or_chain(kind, &branch.cond);
        if only_panics(&branch.then_branch) {
            self.count_check(first);
        }
        self.block(&branch.then_branch, branch.else_branch.is_none());
        self.scopes.pop();
        match branch.else_branch.as_ref().map(|(_, expr)| &**expr) {
            Some(Expr::If(next)) => self.branch(next, SiteKind::ElseIf),
            Some(other) => self.visit_expr(other),
            None => {}
        }
    }

    pub(super) fn arm(&mut self, arm: &Arm, later: &[Arm]) {
        self.scopes.push();
        self.scopes.bind_pattern(&arm.pat);
        if let Pat::Guard(guard) = &arm.pat {
            if !has_let(&guard.guard) {
                self.condition(SiteKind::Guard, &guard.guard);
                self.visit_covered(&guard.guard);
            } else {
                self.visit_expr(&guard.guard);
            }
        } else if later.iter().any(|later| is_catch_all(&later.pat)) {
            self.site_after(SiteKind::Arm, &arm.pat, String::new());
        }
        self.visit_value(&arm.body);
        self.scopes.pop();
    }

    pub(super) fn closure(&mut self, closure: &syn::ExprClosure) {
        self.scopes.push();
        for input in &closure.inputs {
            self.scopes.bind_pattern(input);
        }
        let values = match &*closure.body {
            Expr::Block(body) => self.values_of_closure(&body.block),
            _ => Vec::new(),
        };
        self.inside_closure(values, |finder| finder.visit_value(&closure.body));
        self.scopes.pop();
    }

    fn values_of_closure(&self, body: &Block) -> Vec<ExitSnippet> {
        let mut values = snippets::returned_values(body, self.text, self.ast.offset);
        let tail = match body.stmts.last() {
            Some(Stmt::Expr(tail, None)) => Some(tail),
            _ => None,
        };
        // A predicate may yield a value that it does not write, as `false` in
        // `take_while(|it| { …; it.end() == end })`.
        if tail.is_some_and(|tail| self.is_boolean(tail)) {
            let (text, names) = ("false".to_owned(), Vec::new());
            values.push(ExitSnippet { text, names });
        }
        values
    }

    /// Visits code inside a closure with these values. From there, neither the function nor an enclosing loop can be
    /// left.
    pub(super) fn inside_closure(
        &mut self,
        values: Vec<ExitSnippet>,
        visit: impl FnOnce(&mut Self),
    ) {
        let of_outer = std::mem::replace(&mut self.closure_values, values.into());
        let enclosing = std::mem::replace(&mut self.enclosing, Enclosing::CLOSURE);
        let labels = std::mem::take(&mut self.labels);
        visit(self);
        self.closure_values = of_outer;
        (self.enclosing, self.labels) = (enclosing, labels);
    }
}
