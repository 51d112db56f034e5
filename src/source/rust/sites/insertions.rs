//! Insertion points: for early exits, for another branch, and around several statements.

use syn::spanned::Spanned;
use syn::{Block, Expr, Stmt};

use super::Finder;
use super::forms::{is_check, is_skippable};
use crate::source::rust::early_exits::InsertionPoint;
use crate::source::{SiteIndex, SiteKind};

/// The number of branches of a chain whose bodies are copied.
const MOST_COPIES: usize = 3;
/// Longer bodies are not copied.
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
        let Some(function) = self.function else {
            return;
        };
        let range = self.range(statement);
        let at = statement.span().start();
        let outer = self.labels.len().saturating_sub(1);
        let mut labels = self.labels[..outer].to_vec();
        labels.retain(|label| !label.is_empty());
        self.all.insertion_points.push(InsertionPoint {
            file: self.file,
            function,
            at: range.start,
            line: at.line,
            column: at.column + 1,
            before: self.text[range].to_owned(),
            names: self.scopes.visible(),
            in_loop: self.enclosing.in_loop,
            labels,
            in_closure: self.enclosing.in_closure,
            is_before_check: is_check(statement),
        });
    }

    /// Adds a site for the longest list of statements that starts here and can be skipped together.
    pub(super) fn statement_list(&mut self, block: &Block, at: usize, is_unit: bool) {
        let skippable = |nth: usize| {
            let is_last = nth + 1 == block.stmts.len();
            is_skippable(&block.stmts[nth], is_last, is_unit)
        };
        let starts = skippable(at) && (at == 0 || !skippable(at - 1));
        let length = (at..block.stmts.len())
            .take_while(|nth| skippable(*nth))
            .count();
        if starts && length > 1 {
            let (first, last) = (&block.stmts[at], &block.stmts[at + length - 1]);
            let span = self.range(first).start..self.range(last).end;
            self.site(SiteKind::Statements, span, first.span().start());
        }
    }

    /// Adds insertion points for another branch in a chain of `if`s, each with a copy of another branch's
    /// body.
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
