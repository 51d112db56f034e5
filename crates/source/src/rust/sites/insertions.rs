//! Insertion points: for early exits, for another branch, and around several statements.

use std::ops::Range;
use std::sync::Arc;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::{Block, Expr, Stmt};

use super::Finder;
use super::forms::{is_check, is_skippable};
use crate::runs::runs;
use crate::rust::early_exits::InsertionPoint;
use crate::{SiteIndex, SiteKind};

/// Most branches of a chain whose bodies are copied.
const MOST_COPIES: usize = 3;
/// The longest body that is copied, in bytes.
const LONGEST_COPY: usize = 160;

impl Finder<'_> {
    /// Notes that the sites from `first` on decide a check.
    pub(super) fn count_check(&mut self, first: SiteIndex) {
        for site in &mut self.sources.sites[first..] {
            site.checks += 1;
        }
    }

    /// Adds an insertion point directly after a node.
    pub(super) fn site_after(&mut self, kind: SiteKind, node: &impl Spanned, body: String) {
        let at = self.range(node).end;
        self.site_with(kind, at..at, node.span().end(), body, None);
    }

    /// Adds the insertion point for early exits before a statement.
    pub(super) fn insertion_point(&mut self, statement: &Stmt) {
        self.point(
            self.range(statement),
            statement.span().start(),
            is_check(statement),
        );
    }

    /// Adds the insertion point for early exits after the last statement of a loop, if the closing brace is on a line
    /// of its own.
    pub(super) fn insertion_point_at_end(&mut self, body: &Block) {
        let is_complete = match body.stmts.last() {
            // Code after such a statement is never reached.
            Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _)) => false,
            None | Some(Stmt::Expr(_, Some(_)) | Stmt::Local(_) | Stmt::Item(_)) => true,
            Some(Stmt::Macro(statement)) => statement.semi_token.is_some(),
            Some(Stmt::Expr(last, None)) => matches!(
                last,
                Expr::If(_) | Expr::Match(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_)
            ),
        };
        let close = body.brace_token.span.close();
        let range = self.range(&close);
        let line = self.text[..range.start].rsplit('\n').next();
        if is_complete && line.is_some_and(|before| before.trim().is_empty()) {
            self.point(range, close.start(), false);
        }
    }

    fn point(&mut self, before: Range<usize>, at: LineColumn, is_before_check: bool) {
        let Some(function) = self.function else {
            return;
        };
        let outer = self.labels.len().saturating_sub(1);
        let mut labels = self.labels[..outer].to_vec();
        labels.retain(|label| !label.is_empty());
        self.all.insertion_points.push(InsertionPoint {
            file: self.file,
            function,
            at: before.start,
            line: at.line,
            column: at.column + 1,
            before: self.text[before].to_owned(),
            names: self.scopes.visible(),
            in_loop: self.enclosing.in_loop,
            labels,
            in_closure: self.enclosing.in_closure,
            closure_values: Arc::clone(&self.closure_values),
            is_before_check,
        });
    }

    /// The runs of a block's statements: see [`runs`].
    pub(super) fn runs(block: &Block, is_unit: bool) -> Vec<Range<usize>> {
        let all = 0..block.stmts.len();
        let is_skippable = all.map(|at| is_skippable(block, at, is_unit));
        runs(&is_skippable.collect::<Vec<_>>())
    }

    /// Adds the site of a run.
    pub(super) fn run(&mut self, block: &Block, run: &Range<usize>) {
        let statements = &block.stmts[run.clone()];
        let parts: Vec<Range<usize>> = statements.iter().map(|it| self.range(it)).collect();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return;
        };
        let span = first.start..last.end;
        let before = self.sources.sites.len();
        self.site(SiteKind::Statements, span, statements[0].span().start());
        for site in self.sources.sites.iter_mut().skip(before) {
            site.parts.clone_from(&parts);
        }
    }

    /// Adds insertion points for another branch in a chain of `if`s, each with a copy of another branch's body.
    pub(super) fn copied_branches(&mut self, root: &syn::ExprIf) {
        let mut blocks = vec![&root.then_branch];
        let mut last = root;
        while let Some((_, next)) = &last.else_branch {
            match &**next {
                Expr::If(next) => {
                    blocks.push(&next.then_branch);
                    last = next;
                }
                Expr::Block(block) => {
                    blocks.push(&block.block);
                    break;
                }
                _ => break,
            }
        }
        let has_else = last.else_branch.is_some();
        // Without an `else`, a branch can also follow the last one.
        let points = if has_else {
            blocks.len() - 1
        } else {
            blocks.len()
        };
        for at in 0..points {
            let others = blocks.iter().enumerate().filter(|(nth, _)| *nth != at);
            let mut bodies: Vec<String> = Vec::new();
            for (_, block) in others.take(MOST_COPIES) {
                let range = self.range(&block.brace_token.span.open()).end
                    ..self.range(&block.brace_token.span.close()).start;
                let body = self.text[range].trim();
                if !body.is_empty() && body.len() <= LONGEST_COPY && !body.contains("//") {
                    bodies.push(body.to_owned());
                }
            }
            bodies.dedup();
            for body in bodies {
                self.site_after(SiteKind::Branch, &blocks[at].brace_token.span.close(), body);
            }
        }
    }
}
