//! A condition's method calls with the arguments that similar calls nearby have: `input.peek2(Token![!])` for
//! `input.peek2(Token![::])`, where `input.peek(Token![!])` stands in a neighbour.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall};

use crate::condition::one_line;
use crate::rust::harvest::names_token;

/// The calls of a condition, each with the arguments of similar calls among expressions, the most frequent first.
pub(super) fn with_others<'t>(
    condition: &str,
    nearby: impl Iterator<Item = &'t str>,
) -> Vec<String> {
    let Ok(own) = syn::parse_str::<Expr>(condition) else {
        return Vec::new();
    };
    let own = Calls::of(condition, &own);
    if own.is_empty() {
        return Vec::new();
    }
    let mut counted: BTreeMap<(String, String), usize> = BTreeMap::new();
    for text in nearby {
        let Ok(expr) = syn::parse_str::<Expr>(text) else {
            continue;
        };
        for call in Calls::of(text, &expr) {
            *counted.entry((call.stem, call.argument)).or_default() += 1;
        }
    }
    let mut others: Vec<((String, String), usize)> = counted.into_iter().collect();
    others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut texts = Vec::new();
    for ((stem, argument), _) in &others {
        for call in own.iter().filter(|call| call.stem == *stem) {
            let text = format!("{}{argument}{}", call.before, call.after);
            let is_known = own.iter().any(|other| other.text() == text);
            if !is_known && !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
}

/// A method call with one argument that reads no variable.
struct Call {
    /// The name without a number at its end: `peek2` is like `peek`.
    stem: String,
    before: String,
    argument: String,
    after: String,
}

impl Call {
    fn text(&self) -> String {
        format!("{}{}{}", self.before, self.argument, self.after)
    }
}

struct Calls<'t> {
    text: &'t str,
    found: Vec<Call>,
}

impl<'t> Calls<'t> {
    fn of(text: &'t str, expr: &Expr) -> Vec<Call> {
        let mut calls = Self {
            text,
            found: Vec::new(),
        };
        calls.visit_expr(expr);
        calls.found
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let (1, Some(argument)) = (call.args.len(), call.args.first())
            && is_constant(argument)
        {
            let name = call.method.to_string();
            let [whole, inner] = [call.span(), argument.span()].map(|span| span.byte_range());
            self.found.push(Call {
                stem: name
                    .trim_end_matches(|c: char| c.is_ascii_digit())
                    .to_owned(),
                before: one_line(&self.text[whole.start..inner.start]),
                argument: one_line(&self.text[inner.clone()]),
                after: one_line(&self.text[inner.end..whole.end]),
            });
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether an expression is a literal, a constant, a unit structure or variant, or a macro of such.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Macro(of) => names_token(&of.mac),
        Expr::Path(path) => {
            let last = path.path.segments.last();
            let is_capital = |name: String| name.starts_with(|c: char| c.is_uppercase());
            path.path.segments.len() > 1
                || last.is_some_and(|last| is_capital(last.ident.to_token_stream().to_string()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gets_the_arguments_of_similar_ones() {
        let nearby = [
            "input.peek(Token![!])",
            "content.peek(Token![!])",
            "input.peek2(token::Brace)",
            "input.peek(kind)",
            "input.parse(Token![,])",
        ];
        let condition = "input.peek(token::Group) && !input.peek2(Token![::])";
        assert_eq!(
            with_others(condition, nearby.into_iter()),
            [
                "input.peek(Token![!])",
                "input.peek2(Token![!])",
                "input.peek(token::Brace)",
                "input.peek2(token::Brace)",
            ]
        );
        assert_eq!(with_others("a < b", nearby.into_iter()), [""; 0]);
        let condition = "word.eq_ignore_ascii_case(\"ON\")";
        let nearby = ["w.eq_ignore_ascii_case(\"OFF\")"];
        assert_eq!(
            with_others(condition, nearby.into_iter()),
            ["word.eq_ignore_ascii_case(\"OFF\")"]
        );
    }
}
