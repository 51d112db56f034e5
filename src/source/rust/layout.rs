//! The layout of Rust files: rustfmt's.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

use crate::source::layout::{Layout, Unbraced};

/// Rust's layout.
pub struct Style;

impl Layout for Style {
    fn indentation(&self, _: &str) -> String {
        "    ".to_owned()
    }

    fn omits_braces(&self, _: &str) -> bool {
        false
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
