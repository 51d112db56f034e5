//! Conditions in the bodies of `macro_rules` macros. A body is not Rust before expansion, so conditions are found among
//! its tokens: between `if` or `while` and a block, or between `if` and `=>`. All expansions share the site.

use std::ops::Range;

use nopol_basics::skip::is_marked_skip;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ItemMacro;

use super::Finder;
use crate::rust::{condition, literals, modules};
use crate::words::plain_names;
use crate::{Function, SiteKind};

impl Finder<'_> {
    /// Adds the conditions in the bodies of a macro that is defined by rules, unless it is only for tests or marked
    /// `nopol: skip`.
    pub(super) fn macro_definition(&mut self, item: &ItemMacro) {
        let Some(name) = item
            .ident
            .as_ref()
            .filter(|_| item.mac.path.is_ident("macro_rules"))
        else {
            return;
        };
        let span = self.range(item);
        let head = self.range(&item.mac.path).start;
        if modules::is_test_code(&item.attrs) || is_marked_skip(self.text, span.start, head) {
            return;
        }
        let mut found = Vec::new();
        for body in bodies(item.mac.tokens.clone()) {
            conditions(body, &mut found);
        }
        if found.is_empty() {
            return;
        }
        let scopes = std::mem::take(&mut self.scopes);
        let outer = self.function.replace(self.sources.functions.next_key());
        self.path.push(format!("{name}!"));
        self.sources.functions.push(Function {
            constness: None,
            name: self.path.join("::"),
            file: self.file,
            span,
            owner: None,
            cfgs: self.cfgs.clone(),
            returns: None,
            returned_values: Vec::new(),
            exit_statements: Vec::new(),
            splits: Vec::new(),
            parameters: Vec::new(),
            literals: literals::of_tokens(item.mac.tokens.to_token_stream()),
            constants: Vec::new(),
            expressions: Vec::new(),
        });
        for (kind, tokens) in found {
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
                continue;
            };
            let bytes = self.span_of(first).start..self.span_of(last).end;
            let text = &self.text[bytes.clone()];
            if condition::parse(&plain_names(text)).is_some() {
                self.site(kind, bytes, first.span().start());
            }
        }
        self.path.pop();
        self.function = outer;
        self.scopes = scopes;
    }

    fn span_of(&self, token: &TokenTree) -> Range<usize> {
        self.range(token)
    }
}

/// The bodies of a macro's rules.
fn bodies(rules: TokenStream) -> Vec<TokenStream> {
    let mut bodies = Vec::new();
    let mut is_arrow = [false, false];
    for token in rules {
        match &token {
            TokenTree::Group(group) if is_arrow == [true, true] => bodies.push(group.stream()),
            _ => {}
        }
        let sign = match &token {
            TokenTree::Punct(sign) => sign.as_char(),
            _ => ' ',
        };
        is_arrow = match sign {
            '=' => [true, false],
            '>' if is_arrow[0] => [true, true],
            _ => [false, false],
        };
    }
    bodies
}

/// The tokens of each condition, outermost first.
fn conditions(body: TokenStream, found: &mut Vec<(SiteKind, Vec<TokenTree>)>) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => conditions(group.stream(), found),
            TokenTree::Ident(word) if word == "if" || word == "while" => {
                let rest = &tokens[at + 1..];
                if let Some((end, is_guard)) = end_of_condition(rest) {
                    let kind = match (is_guard, word == "while") {
                        (true, _) => SiteKind::Guard,
                        (false, true) => SiteKind::While,
                        (false, false) => match follows_else(&tokens[..at]) {
                            true => SiteKind::ElseIf,
                            false => SiteKind::If,
                        },
                    };
                    found.push((kind, rest[..end].to_vec()));
                }
            }
            _ => {}
        }
    }
}

fn follows_else(before: &[TokenTree]) -> bool {
    matches!(before.last(), Some(TokenTree::Ident(word)) if word == "else")
}

/// The index at which a condition ends, and whether it is the guard of a match arm. `None` if it has a pattern.
fn end_of_condition(tokens: &[TokenTree]) -> Option<(usize, bool)> {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) if word == "let" => return None,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return (at > 0).then_some((at, false));
            }
            TokenTree::Punct(sign) if sign.as_char() == ';' || sign.as_char() == ',' => {
                return None;
            }
            TokenTree::Punct(sign) if sign.as_char() == '=' => {
                let next = tokens.get(at + 1);
                let is_arrow =
                    matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == '>');
                if is_arrow {
                    return (at > 0).then_some((at, true));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<(SiteKind, String)> {
        let mut found = Vec::new();
        for body in bodies(body.parse().unwrap()) {
            conditions(body, &mut found);
        }
        let text = |tokens: Vec<TokenTree>| tokens.into_iter().collect::<TokenStream>().to_string();
        found
            .into_iter()
            .map(|(kind, tokens)| (kind, text(tokens)))
            .collect()
    }

    #[test]
    fn conditions_are_found_before_blocks_and_arrows() {
        let rules = "($a:expr) => {{ if $a > 0 { 1 } else if b { 2 } else { 3 } }};
                     () => { while x.y() < 2 { } match z { Some(n) if n > 1 => {} _ => {} } }";
        assert_eq!(
            found(rules),
            [
                (SiteKind::If, "$ a > 0".to_owned()),
                (SiteKind::ElseIf, "b".to_owned()),
                (SiteKind::While, "x . y () < 2".to_owned()),
                (SiteKind::Guard, "n > 1".to_owned()),
            ]
        );
    }

    #[test]
    fn patterns_and_macro_matchers_are_left_alone() {
        assert!(found("($x:ident if $y:expr) => { if let Some(x) = y { } }").is_empty());
    }
}
