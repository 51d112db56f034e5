//! Operands of conditions with side effects. Who forces or replaces `a && self.eat(b)` as a whole leaves the side effect
//! out; so `a` is a site of its own.

use std::ops::Range;

use nopol_expr::Binding;
use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

use super::{Finder, Gathered};
use crate::rust::condition::is_assignment;
use crate::rust::effects;
use crate::rust::harvest::path_text;
use crate::rust::purity::Purity;
use crate::template::Template;
use crate::{Site, SiteIndex, SiteKind, Sources};

/// The operands of `&&`, or of `||`, in a condition that is a site.
#[derive(Debug)]
pub struct Chain {
    /// The site of the whole condition.
    whole: SiteIndex,
    /// A condition that replaces operands and binds less tightly needs parentheses.
    min_binding: Binding,
    operands: Vec<Operand>,
}

#[derive(Debug)]
struct Operand {
    /// Bytes in the file.
    span: Range<usize>,
    at: LineColumn,
    doings: Doings,
}

/// What an operand does when it is evaluated.
#[derive(Debug, Default)]
struct Doings {
    /// The paths of the functions that it calls, and methods as `.name`.
    calls: Vec<String>,
    /// It assigns, or borrows mutably.
    changes: bool,
}

impl Finder<'_> {
    /// Remembers the operands of the condition that became a site last.
    pub(super) fn operands(&mut self, condition: &Expr) {
        let Some(whole) = self.sources.sites.last_key() else {
            return;
        };
        let condition = inside(condition);
        let Some(min_binding) = connective(condition) else {
            return;
        };
        let mut operands = Vec::new();
        chain(condition, min_binding, &mut operands);
        for operand in &operands {
            self.operands(operand);
        }
        let operands = operands.into_iter().map(|operand| Operand {
            span: self.range(operand),
            at: operand.span().start(),
            doings: Doings::of(operand),
        });
        let operands = operands.collect();
        self.all.chains.push(Chain {
            whole,
            min_binding,
            operands,
        });
    }
}

/// How tightly a connective binds its operands.
fn connective(expr: &Expr) -> Option<Binding> {
    match expr {
        Expr::Binary(binary) => match binary.op {
            BinOp::And(_) => Some(Binding::And),
            BinOp::Or(_) => Some(Binding::Or),
            _ => None,
        },
        _ => None,
    }
}

/// The operands of one connective, left to right.
fn chain<'e>(expr: &'e Expr, of: Binding, operands: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(binary) if connective(expr) == Some(of) => {
            chain(&binary.left, of, operands);
            chain(&binary.right, of, operands);
        }
        _ => operands.push(expr),
    }
}

/// A condition without parentheses and negations around it.
fn inside(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => inside(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => inside(&unary.expr),
        _ => expr,
    }
}

impl Doings {
    fn of(expr: &Expr) -> Self {
        let mut doings = Self::default();
        doings.visit_expr(expr);
        doings
    }
}

impl<'ast> Visit<'ast> for Doings {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::MethodCall(call) => self.calls.push(format!(".{}", call.method)),
            Expr::Call(call) => {
                if let Expr::Path(path) = &*call.func {
                    self.calls.push(path_text(&path.path));
                }
            }
            Expr::Assign(_) => self.changes = true,
            Expr::Binary(binary) => self.changes |= is_assignment(&binary.op),
            Expr::Reference(reference) => self.changes |= reference.mutability.is_some(),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// Makes sites of the operands without side effects where another operand of the condition has some.
pub fn add_sites(sources: &mut Sources, gathered: &mut Gathered) {
    let purity = Purity::of(&gathered.effects);
    let mutating = effects::mutating(&gathered.effects);
    let mut found: Vec<Site> = Vec::new();
    for chain in std::mem::take(&mut gathered.chains) {
        let whole = &sources.sites[chain.whole];
        let owner = sources.functions[whole.function].owner.as_deref();
        let has_effect = |operand: &Operand| {
            let mut calls = operand.doings.calls.iter();
            operand.doings.changes || calls.any(|call| purity.changes(call, owner, &mutating))
        };
        let runs = chain
            .operands
            .chunk_by(|one, next| has_effect(one) == has_effect(next));
        let runs: Vec<&[Operand]> = runs.collect();
        for run in runs.iter().filter(|_| runs.len() > 1) {
            if let [first, ..] = run
                && let [.., last] = run
                && !has_effect(first)
            {
                let span = first.span.start..last.span.end;
                let text = sources.files[whole.file].text[span.clone()].to_owned();
                let path = &sources.files[whole.file].path;
                let name = &sources.functions[whole.function].name;
                found.push(Site {
                    id: gathered.ids.id(path, name, SiteKind::LetOperand, &text),
                    kind: SiteKind::LetOperand,
                    span,
                    line: first.at.line,
                    column: first.at.column + 1,
                    text,
                    min_binding: chain.min_binding,
                    template: Template::replacing(chain.min_binding),
                    ..whole.clone()
                });
            }
        }
    }
    sources.sites.extend(found);
}

#[cfg(test)]
mod tests {
    use crate::SiteKind;
    use crate::rust::read_text;

    fn operands(condition: &str) -> Vec<String> {
        let text = format!(
            "struct P {{ at: usize, on: bool }} impl P {{
                fn eat(&mut self, c: char) -> bool {{ self.at += 1; c == 'a' }}
                fn is_on(&self) -> bool {{ self.on }}
                fn f(&mut self, n: usize, it: &mut std::str::Chars) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}
            }}"
        );
        let sources = read_text(&text);
        let sites = sources.sites.iter();
        let operands = sites.filter(|site| site.kind == SiteKind::LetOperand);
        operands.map(|site| site.text.clone()).collect()
    }

    #[test]
    fn what_changes_nothing_is_a_site_beside_what_does() {
        assert_eq!(
            operands("n > 1 && self.is_on() && self.eat('a')"),
            ["n > 1 && self.is_on()"]
        );
        assert_eq!(operands("self.eat('b') && n > 1"), ["n > 1"]);
        assert_eq!(operands("!(n > 1 || it.next().is_some())"), ["n > 1"]);
        assert_eq!(
            operands("self.on || n > 2 && (self.eat('a') || n > 3)"),
            ["self.on", "n > 2", "n > 3"]
        );
    }

    #[test]
    fn other_conditions_have_no_such_sites() {
        for condition in [
            "n > 1 && self.is_on()",
            "self.eat('a')",
            "self.eat('a') && self.eat('b')",
        ] {
            assert!(operands(condition).is_empty(), "{condition}");
        }
    }
}
