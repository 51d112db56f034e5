//! Every statement and block as it is written.

use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, Stmt};

use super::source::{Source, span_of};
use crate::ir::{OutlineKind, Outlined};

/// The statements of a file, a block before what is in it.
pub(super) fn outline(file: usize, source: &Source) -> Vec<Outlined> {
    let mut outline = Outline {
        file,
        found: Vec::new(),
    };
    outline.visit_file(&source.file);
    outline.found
}

struct Outline {
    file: usize,
    found: Vec<Outlined>,
}

impl Outline {
    fn add(&mut self, node: &impl syn::spanned::Spanned, kind: OutlineKind) {
        let span = span_of(self.file, node);
        if self.found.last().is_none_or(|last| last.span != span) {
            self.found.push(Outlined { span, kind });
        }
    }
}

impl<'ast> Visit<'ast> for Outline {
    fn visit_block(&mut self, block: &'ast Block) {
        let braces = block.brace_token.span.join().byte_range();
        let number = super::source::number;
        let mut span = span_of(self.file, block);
        (span.start, span.end) = (number(braces.start), number(braces.end));
        self.found.push(Outlined {
            span,
            kind: OutlineKind::Block,
        });
        visit::visit_block(self, block);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        match stmt {
            Stmt::Local(_) => self.add(stmt, OutlineKind::Declaration),
            Stmt::Expr(expr, None) if !is_closed(expr) => self.add(stmt, OutlineKind::Tail),
            Stmt::Expr(..) | Stmt::Macro(_) => self.add(stmt, OutlineKind::Statement),
            Stmt::Item(_) => {}
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if let Expr::Assign(_) = *arm.body {
            self.add(&*arm.body, OutlineKind::Statement);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let is_statement = matches!(
            expr,
            Expr::If(_) | Expr::While(_) | Expr::Loop(_) | Expr::ForLoop(_) | Expr::Match(_)
        );
        if is_statement {
            self.add(expr, OutlineKind::Statement);
        }
        visit::visit_expr(self, expr);
    }
}

/// Whether it ends with a brace, so that a statement can come after it.
fn is_closed(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::If(_)
            | Expr::While(_)
            | Expr::Loop(_)
            | Expr::ForLoop(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
    )
}
