//! Text that the body of an early exit can repeat: the values that a function returns, and the statements with which it
//! leaves itself or a loop.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

use super::{messages, raised};
use crate::condition::one_line;
use crate::rust::values::{Returns, ends};
use crate::{ExitSnippet, clauses};

/// The longest text that is repeated, in bytes.
const LONGEST: usize = 120;

/// The values that a function returns: first those of `return` expressions, then the errors that it raises with `?`,
/// then the tail expressions.
pub fn returned_values(body: &Block, text: &str, offset: usize) -> Vec<ExitSnippet> {
    let mut returns = Returns::default();
    returns.visit_block(body);
    let mut tails = Vec::new();
    ends(body, &mut tails);
    let mut values: Vec<ExitSnippet> = Vec::new();
    let mut put = |expr: &Expr, is_error: bool| {
        let range = expr.span().byte_range();
        let own = &text[offset + range.start..offset + range.end];
        let found = match is_error {
            true => snippet(&format!("Err({own})"), expr.to_token_stream()),
            false => snippet(own, expr.to_token_stream()),
        };
        // If the message of an error is too long, the error is used with another message.
        let found = found.or_else(|| {
            let joined = own.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = messages::with_message(&joined.replace("( ", "("))?;
            let names = Vec::new();
            Some(ExitSnippet { text, names })
        });
        values.extend(found.filter(|value| !values.contains(value)));
    };
    returns.0.into_iter().for_each(|expr| put(expr, false));
    raised::errors(body)
        .into_iter()
        .for_each(|expr| put(expr, true));
    tails.into_iter().for_each(|expr| put(expr, false));
    values
}

/// Short lists of statements, in branches and at the function's end, that finally leave the function or loop.
pub fn exit_statements(body: &Block, text: &str, offset: usize) -> Vec<ExitSnippet> {
    let mut visitor = ExitStatements {
        text,
        offset,
        found: Vec::new(),
    };
    visitor.visit_block(body);
    // The last statement, and the tail expression after it.
    if let [
        ..,
        statement @ Stmt::Expr(_, Some(_)),
        Stmt::Expr(value, None),
    ] = &*body.stmts
    {
        let statement = visitor.of(statement.span(), statement.to_token_stream());
        let value = visitor.of(value.span(), value.to_token_stream());
        if let (Some(statement), Some(value)) = (statement, value) {
            let mut names = statement.names;
            names.extend(value.names);
            visitor.found.push(ExitSnippet {
                text: format!("{} return {};", statement.text, value.text),
                names,
            });
        }
    }
    visitor.found
}

struct ExitStatements<'a> {
    text: &'a str,
    offset: usize,
    found: Vec<ExitSnippet>,
}

impl ExitStatements<'_> {
    fn of(&self, span: proc_macro2::Span, tokens: TokenStream) -> Option<ExitSnippet> {
        let range = span.byte_range();
        snippet(
            &self.text[self.offset + range.start..self.offset + range.end],
            tokens,
        )
    }
}

impl<'ast> Visit<'ast> for ExitStatements<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        if let [first, .., last] = &*block.stmts
            && let Stmt::Expr(Expr::Return(_) | Expr::Continue(_) | Expr::Break(_), _) = last
        {
            let start = self.offset + first.span().byte_range().start;
            let end = self.offset + last.span().byte_range().end;
            let statements = block.stmts.iter().map(ToTokens::to_token_stream);
            let mut found = snippet(&self.text[start..end], statements.collect());
            if let Some(found) = &mut found {
                let bound = block.stmts.iter().filter_map(|statement| match statement {
                    Stmt::Local(local) => Some(names(local.pat.to_token_stream())),
                    _ => None,
                });
                let bound: Vec<String> = bound.flatten().collect();
                found.names.retain(|name| !bound.contains(name));
                if !found.text.ends_with(';') {
                    found.text.push(';');
                }
            }
            self.found
                .extend(found.filter(|found| !self.found.contains(found)));
        }
        visit::visit_block(self, block);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// A text that can be repeated elsewhere. `None` if it is long, has comments or multi-line strings, or starts with a
/// panic.
fn snippet(text: &str, tokens: TokenStream) -> Option<ExitSnippet> {
    let panics = ["panic!", "unreachable!", "todo!", "unimplemented!"];
    let mut literals = clauses::literals(text).into_iter();
    let has_lines_in_strings = literals.any(|literal| text[literal].contains('\n'));
    let line = one_line(text);
    let is_unfit = line.len() > LONGEST || text.contains("//") || has_lines_in_strings;
    let is_kept = !is_unfit && !panics.iter().any(|name| text.starts_with(name));
    is_kept.then(|| ExitSnippet {
        text: line,
        names: names(tokens),
    })
}

/// The variables that the tokens appear to read: lower-case identifiers that are not fields, paths, calls or macros.
fn names(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |at: Option<&TokenTree>, wanted: &str| match at {
        Some(TokenTree::Punct(punct)) => wanted.contains(punct.as_char()),
        _ => false,
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                let before_that = at.checked_sub(2).and_then(|before| tokens.get(before));
                let after = tokens.get(at + 1);
                // `..x` is a range, `a.x` is a field.
                let is_part = punct(before, ".") && !punct(before_that, ".") || punct(before, ":'");
                let is_called = matches!(after, Some(TokenTree::Group(group))
                    if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
                let is_path = punct(after, "!") && !punct(tokens.get(at + 2), "=")
                    || punct(after, ":") && punct(tokens.get(at + 2), ":");
                let is_variable = name == "self" || syn::parse_str::<syn::Ident>(&name).is_ok();
                if is_variable
                    && name.starts_with(|first: char| first.is_lowercase() || first == '_')
                    && !is_part
                    && !is_called
                    && !is_path
                    && !found.contains(&name)
                {
                    found.push(name);
                }
            }
            _ => {}
        }
    }
}
