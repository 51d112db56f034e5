//! Conditions with side effects. Forcing or replacing `a && self.eat(b)` as a whole would omit the side effect or cause
//! it too early. So `a` is a site of its own, and before `self.eat(b)` there is an insertion point for an operand.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_expr::Binding;
use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

use super::{Finder, Ids};
use crate::rust::condition::is_assignment;
use crate::rust::harvest::path_text;
use crate::rust::purity::Purity;
use crate::rust::templates::template;
use crate::template::Template;
use crate::{Site, SiteIndex, SiteKind, Sources};

/// The operands of a connective in a condition that is a site. Without a connective, the condition itself is the only
/// operand.
#[derive(Debug)]
pub struct Chain {
    /// The site of the whole condition.
    whole: SiteIndex,
    /// The binding strength of the connective.
    connective: Option<Binding>,
    /// Whether another operand of `&&` can be put before the whole condition.
    takes_premise: bool,
    operands: Vec<Operand>,
}

#[derive(Debug)]
struct Operand {
    /// The bytes in the file.
    span: Range<usize>,
    at: LineColumn,
    doings: Doings,
}

/// The calls and changes in an operand.
#[derive(Debug, Default)]
struct Doings {
    /// The paths of called functions, and called methods as `.name`.
    calls: Vec<String>,
    /// Whether it assigns, or borrows mutably.
    changes: bool,
}

impl Finder<'_> {
    /// Notes the operands of the condition that became a site last.
    pub(super) fn operands(&mut self, condition: &Expr) {
        let Some((whole, site)) = self.sources.sites.last_key_value() else {
            return;
        };
        let is_condition = !site.kind.info().is_inferred;
        let takes_premise = is_condition && binds_like_and(condition);
        self.chain(condition, whole, takes_premise);
    }

    fn chain(&mut self, condition: &Expr, whole: SiteIndex, takes_premise: bool) {
        let condition = inside(condition);
        let connective = connective(condition);
        if connective.is_none() && !takes_premise {
            return;
        }
        let mut operands = Vec::new();
        collect(condition, connective, &mut operands);
        if connective.is_some() {
            operands
                .iter()
                .for_each(|operand| self.chain(operand, whole, false));
        }
        let operands = operands.into_iter().map(|operand| Operand {
            span: self.range(operand),
            at: operand.span().start(),
            doings: Doings::of(operand),
        });
        let operands = operands.collect();
        self.all.chains.push(Chain {
            whole,
            connective,
            takes_premise,
            operands,
        });
    }
}

/// Whether a condition can be an operand of `&&` without parentheses.
fn binds_like_and(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => !matches!(binary.op, BinOp::Or(_)) && !is_assignment(&binary.op),
        Expr::Unary(_)
        | Expr::MethodCall(_)
        | Expr::Call(_)
        | Expr::Macro(_)
        | Expr::Paren(_)
        | Expr::Try(_) => true,
        _ => false,
    }
}

/// The binding strength of a connective.
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

/// The operands of one connective, left to right. An expression without it is a single operand.
fn collect<'e>(expr: &'e Expr, of: Option<Binding>, operands: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(binary) if of.is_some() && connective(expr) == of => {
            collect(&binary.left, of, operands);
            collect(&binary.right, of, operands);
        }
        _ => operands.push(expr),
    }
}

/// A condition without the parentheses and negations around it.
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

/// Adds sites for operands without side effects if another operand has some, and insertion points before conditions
/// that start with a side effect.
pub fn add_sites(
    sources: &mut Sources,
    chains: Vec<Chain>,
    ids: &mut Ids,
    purity: &Purity,
    mutating: &BTreeSet<&str>,
) {
    let mut found: Vec<Site> = Vec::new();
    for chain in chains {
        let whole = &sources.sites[chain.whole];
        let owner = sources.functions[whole.function].owner.as_deref();
        let has_effect = |operand: &Operand| {
            let mut calls = operand.doings.calls.iter();
            operand.doings.changes || calls.any(|call| purity.changes(call, owner, mutating))
        };
        // `at` is a line and a column, both counted from 1.
        let mut site =
            |kind: SiteKind, span: Range<usize>, at: (usize, usize), template: Template| {
                let file = &sources.files[whole.file];
                let name = &sources.functions[whole.function].name;
                // The id of an insertion point is made from the condition after it.
                let text = match span.is_empty() {
                    true => &whole.text,
                    false => &file.text[span.clone()],
                };
                found.push(Site {
                    id: ids.id(&file.path, name, kind, text),
                    kind,
                    line: at.0,
                    column: at.1,
                    text: file.text[span.clone()].to_owned(),
                    span,
                    min_binding: template.min_binding,
                    template,
                    ..whole.clone()
                });
            };
        let runs = chain
            .operands
            .chunk_by(|one, next| has_effect(one) == has_effect(next));
        let runs: Vec<&[Operand]> = runs.collect();
        let Some(first) = chain.operands.first() else {
            continue;
        };
        if chain.takes_premise
            && has_effect(first)
            && let Some(template) = template(SiteKind::Premise)
        {
            let start = whole.span.start;
            let at = (whole.line, whole.column);
            site(SiteKind::Premise, start..start, at, template);
        }
        let Some(binding) = chain.connective.filter(|_| runs.len() > 1) else {
            continue;
        };
        for run in runs {
            if let [first, ..] = run
                && let [.., last] = run
                && !has_effect(first)
            {
                let span = first.span.start..last.span.end;
                let template = Template::replacing(binding);
                let at = (first.at.line, first.at.column + 1);
                site(SiteKind::LetOperand, span, at, template);
            }
        }
    }
    sources.sites.extend(found);
}

#[cfg(test)]
mod tests {
    use crate::SiteKind;
    use crate::rust::read_text;

    fn sites(condition: &str, kind: SiteKind) -> Vec<String> {
        let text = format!(
            "struct P {{ at: usize, on: bool }} impl P {{
                fn eat(&mut self, c: char) -> bool {{ self.at += 1; c == 'a' }}
                fn is_on(&self) -> bool {{ self.on }}
                fn f(&mut self, n: usize, it: &mut std::str::Chars) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}
            }}"
        );
        let sources = read_text(&text);
        let sites = sources.sites.iter();
        let of_kind = sites.filter(|site| site.kind == kind);
        of_kind.map(|site| site.text.clone()).collect()
    }

    fn operands(condition: &str) -> Vec<String> {
        sites(condition, SiteKind::LetOperand)
    }

    #[test]
    fn an_operand_can_be_put_before_a_side_effect() {
        let has_point = |condition: &str| !sites(condition, SiteKind::Premise).is_empty();
        for condition in [
            "self.eat('a')",
            "!self.eat('a') && n > 1",
            "it.next() == Some('a')",
        ] {
            assert!(has_point(condition), "{condition}");
        }
        for condition in [
            "n > 1 && self.eat('a')",
            "self.eat('a') || n > 1",
            "self.is_on()",
        ] {
            assert!(!has_point(condition), "{condition}");
        }
    }

    #[test]
    fn an_operand_without_side_effects_is_a_site_beside_one_with_them() {
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
    fn an_insertion_point_is_at_the_start_of_the_whole_condition() {
        let sources = read_text(
            "fn f(it: &mut std::str::Chars) -> u8 { if !it.next().is_some() { 1 } else { 2 } }",
        );
        let columns = [SiteKind::If, SiteKind::Premise].map(|kind| {
            let mut sites = sources.sites.iter();
            sites.find(|site| site.kind == kind).unwrap().column
        });
        assert_eq!(columns[0], columns[1]);
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
