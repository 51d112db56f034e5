//! The layout of Rust files, as rustfmt writes them.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

use super::modules;
use crate::layout::{Layout, Unbraced};

/// The layout of Rust.
pub struct Style;

impl Layout for Style {
    fn indentation(&self, _: &str) -> String {
        "    ".to_owned()
    }

    fn omits_braces(&self, _: &str) -> bool {
        false
    }

    /// The statements of a body stay on one line.
    fn statements(&self, body: &str) -> Vec<String> {
        vec![body.to_owned()]
    }

    fn lines_inside_literals(&self, text: &str) -> Vec<usize> {
        let mut lines = Vec::new();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            collect(tokens, &mut lines);
        }
        lines
    }

    fn unbraced(&self, _: &str, _: &Range<usize>) -> Option<Unbraced> {
        None
    }

    fn code_before(&self, text: &str, at: usize) -> usize {
        let (body, offset) = modules::blanked(text);
        match body.parse::<TokenStream>() {
            Ok(tokens) => last_end(tokens, at.saturating_sub(offset)) + offset,
            Err(_) => at,
        }
    }

    fn comment(&self, text: &str) -> usize {
        let is_plain = |doc: [&str; 2], not: [&str; 2]| {
            !doc.iter().any(|doc| text.starts_with(doc))
                || not.iter().any(|it| text.starts_with(it))
        };
        match text.get(..2) {
            Some("//") if is_plain(["///", "//!"], ["////"; 2]) => {
                text.lines().next().map_or(0, str::len)
            }
            Some("/*") if is_plain(["/**", "/*!"], ["/**/", "/***"]) => {
                let mut depth = 0_usize;
                let mut at = 0;
                while let Some(next) = text[at..].find(['/', '*']).map(|next| at + next) {
                    at = match text.get(next..next + 2) {
                        Some("/*") => {
                            depth += 1;
                            next + 2
                        }
                        Some("*/") if depth == 1 => return next + 2,
                        Some("*/") => {
                            depth -= 1;
                            next + 2
                        }
                        _ => next + 1,
                    };
                }
                0
            }
            _ => 0,
        }
    }
}

/// The end of the last token that ends at or before the byte `at`.
fn last_end(tokens: TokenStream, at: usize) -> usize {
    let ends = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let open = group.span_open().byte_range().end;
            let close = group.span_close().byte_range().end;
            match () {
                () if close <= at => close,
                () if open <= at => open.max(last_end(group.stream(), at)),
                () => 0,
            }
        }
        token => Some(token.span().byte_range().end)
            .filter(|end| *end <= at)
            .unwrap_or(0),
    });
    ends.max().unwrap_or(0)
}

fn collect(tokens: TokenStream, lines: &mut Vec<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), lines),
            TokenTree::Literal(literal) => {
                let span = literal.span();
                lines.extend(span.start().line..span.end().line);
            }
            _ => {}
        }
    }
}
