//! The operators and constants of functions and initializers as they are written ([`Written`]). This is a walk over the
//! syntax alone: what is translated, and how, does not matter here.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Lit, Pat, Stmt};

use super::arithmetic::{calculating, comparing};
use super::source::span_of;
use crate::ir::{LogicalOp, Span};
use crate::written::{Item, ItemKind, Operand, Operation, Operator, Owner, Written};

/// A walk.
struct Walk<'w> {
    written: &'w mut Written,
    file: usize,
    owner: Owner,
    statement: Span,
    /// Whether operators and constants in this part must stay as they are.
    is_fixed: bool,
}

/// Notes what is written in the body of a function.
pub(super) fn note_block(written: &mut Written, file: usize, block: &Block, owner: Owner) {
    let mut walk = Walk {
        written,
        file,
        owner,
        statement: span_of(file, block),
        is_fixed: false,
    };
    walk.visit_block(block);
}

/// Notes what is written in the initializer of a constant. `is_fixed`: a type depends on it.
pub(super) fn note_value(
    written: &mut Written,
    file: usize,
    value: &Expr,
    (owner, is_fixed): (Owner, bool),
) {
    let mut walk = Walk {
        written,
        file,
        owner,
        statement: span_of(file, value),
        is_fixed,
    };
    walk.visit_expr(value);
}

/// The lengths of arrays in a type.
struct Lengths<'l, 'a>(&'l mut Vec<&'a Expr>);

impl<'a> Visit<'a> for Lengths<'_, 'a> {
    fn visit_type_array(&mut self, of: &'a syn::TypeArray) {
        self.0.push(&of.len);
        visit::visit_type_array(self, of);
    }
}

/// Adds the lengths of arrays in a type.
pub(super) fn lengths_in<'a>(ty: &'a syn::Type, lengths: &mut Vec<&'a Expr>) {
    Lengths(lengths).visit_type(ty);
}

/// Adds the lengths of arrays in the parameters and the result of a function.
pub(super) fn lengths_in_signature<'a>(sig: &'a syn::Signature, lengths: &mut Vec<&'a Expr>) {
    Lengths(lengths).visit_signature(sig);
}

impl Walk<'_> {
    fn span(&self, node: &impl Spanned) -> Span {
        span_of(self.file, node)
    }

    fn within(&mut self, statement: Span, walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.statement, statement);
        walk(self);
        self.statement = before;
    }

    fn fixed(&mut self, is_fixed: bool, walk: impl FnOnce(&mut Self)) {
        let before = self.is_fixed;
        self.is_fixed |= is_fixed;
        walk(self);
        self.is_fixed = before;
    }

    fn item(&mut self, span: Span, kind: ItemKind) {
        let item = Item {
            kind,
            statement: self.statement,
            is_shared: false,
            owners: vec![self.owner],
            is_fixed: self.is_fixed,
            is_of_type: false,
            not: Vec::new(),
            limit: None,
        };
        self.written.add(span, item);
    }

    fn literal(&mut self, lit: &Lit) {
        if matches!(lit, Lit::Int(_) | Lit::Byte(_)) {
            self.item(self.span(lit), ItemKind::Constant);
        }
    }

    /// An expression that is a statement's own, such as a condition.
    fn part(&mut self, of: &Expr) {
        self.within(self.span(of), |walk| walk.visit_expr(of));
    }

    fn operand(&self, of: &Expr) -> Operand {
        Operand {
            span: self.span(of),
            is_bare: !matches!(of, Expr::Paren(_)),
            ends_with_type: ends_with_type(of),
        }
    }

    /// What is written in a macro that computes something.
    fn arguments(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let name = name.unwrap_or_default();
        // What is asserted is never wrong, and what is printed does not matter.
        if name == "matches"
            && let Ok((scrutinee, pat, guard)) = super::macros::matches_of(mac)
        {
            self.visit_expr(&scrutinee);
            self.visit_pat(&pat);
            guard.iter().for_each(|guard| self.visit_expr(guard));
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.within(self.span(stmt), |walk| visit::visit_stmt(walk, stmt));
    }

    // Items in functions are functions and constants of their own.
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.arguments(mac);
    }

    fn visit_lit(&mut self, lit: &'ast Lit) {
        self.literal(lit);
    }

    fn visit_expr_binary(&mut self, of: &'ast syn::ExprBinary) {
        let logical = match of.op {
            BinOp::And(_) => Some(LogicalOp::And),
            BinOp::Or(_) => Some(LogicalOp::Or),
            _ => None,
        };
        let binary = calculating(&of.op).or_else(|| comparing(&of.op));
        let operator = match (logical, binary) {
            (Some(op), _) => Some((Operator::Logical(op), ItemKind::Connective)),
            (_, Some(op)) => Some((Operator::Binary(op), ItemKind::Operator(op))),
            _ => None,
        };
        if let Some((operator, kind)) = operator {
            let at = self.span(&of.op);
            self.item(at, kind);
            let operation = Operation {
                operator,
                at,
                assigns: super::arithmetic::assigning(&of.op).is_some(),
                operands: Some([self.operand(&of.left), self.operand(&of.right)]),
                step: None,
            };
            self.written.add_operation(self.span(of), operation);
        }
        visit::visit_expr_binary(self, of);
    }

    fn visit_expr_if(&mut self, of: &'ast syn::ExprIf) {
        self.part(&of.cond);
        self.visit_block(&of.then_branch);
        if let Some((_, otherwise)) = &of.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, of: &'ast syn::ExprWhile) {
        self.part(&of.cond);
        self.visit_block(&of.body);
    }

    fn visit_expr_for_loop(&mut self, of: &'ast syn::ExprForLoop) {
        self.visit_pat(&of.pat);
        self.part(&of.expr);
        self.visit_block(&of.body);
    }

    fn visit_expr_match(&mut self, of: &'ast syn::ExprMatch) {
        self.part(&of.expr);
        // Without an arm for all values the compiler might find one that no other arm has.
        let has_all = of.arms.iter().any(|arm| is_for_all(&arm.pat));
        for arm in &of.arms {
            let (pat, guard) = match &arm.pat {
                Pat::Guard(of) => (&*of.pat, Some(&*of.guard)),
                pat => (pat, None),
            };
            self.within(self.span(&of.expr), |walk| {
                walk.fixed(!has_all, |walk| walk.visit_pat(pat));
            });
            guard.into_iter().for_each(|guard| self.part(guard));
            self.part(&arm.body);
        }
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        // The compiler rejects a range that is empty.
        let is_range = matches!(pat, Pat::Range(_));
        self.fixed(is_range, |walk| visit::visit_pat(walk, pat));
    }

    fn visit_expr_repeat(&mut self, of: &'ast syn::ExprRepeat) {
        self.visit_expr(&of.expr);
        self.fixed(true, |walk| walk.visit_expr(&of.len));
    }

    fn visit_type_array(&mut self, of: &'ast syn::TypeArray) {
        self.visit_type(&of.elem);
        self.fixed(true, |walk| walk.visit_expr(&of.len));
    }

    // The number of a field is a name.
    fn visit_member(&mut self, _: &'ast syn::Member) {}
}

/// Whether a pattern matches every value.
fn is_for_all(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(of) => {
            let name = of.ident.to_string();
            of.subpat.is_none() && name.starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        Pat::Paren(of) => is_for_all(&of.pat),
        Pat::Or(of) => of.cases.iter().any(is_for_all),
        _ => false,
    }
}

/// Whether the last thing of an expression is the type of a cast.
fn ends_with_type(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(_) => true,
        Expr::Binary(of) => ends_with_type(&of.right),
        Expr::Unary(of) => ends_with_type(&of.expr),
        Expr::Reference(of) => ends_with_type(&of.expr),
        _ => false,
    }
}
