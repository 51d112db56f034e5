//! Where a function splits expressions that may be strings: `&s[..n]`, `s.split_at(n)`.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

/// The longest operand, in bytes, that keeps a condition readable.
const LONGEST: usize = 40;
/// Methods that panic if their first argument, a position, is inside a character.
const METHODS: [&str; 6] = [
    "split_at",
    "split_off",
    "truncate",
    "insert",
    "insert_str",
    "drain",
];

/// The expressions that a body splits, each with the position, as written, in source order, without duplicates.
pub fn of_body(body: &Block, text: &str, offset: usize) -> Vec<[String; 2]> {
    let mut splits = Splits {
        text,
        offset,
        found: Vec::new(),
    };
    splits.visit_block(body);
    splits.found
}

struct Splits<'t> {
    text: &'t str,
    offset: usize,
    found: Vec<[String; 2]>,
}

impl Splits<'_> {
    fn put(&mut self, of: &Expr, at: &Expr) {
        let of = match of {
            Expr::Reference(reference) => &reference.expr,
            of => of,
        };
        let text = |expr: &Expr| {
            let Range { start, end } = expr.span().byte_range();
            self.text[self.offset + start..self.offset + end].to_owned()
        };
        let pair = [text(of), text(at)];
        let is_simple = |text: &String| {
            text.len() < LONGEST && !text.contains(" as ") && !text.contains(['\n', '{', '?', '"'])
        };
        // There is always a boundary at the start.
        if pair[1] != "0" && pair.iter().all(is_simple) && !self.found.contains(&pair) {
            self.found.push(pair);
        }
    }
}

impl<'ast> Visit<'ast> for Splits<'_> {
    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        if let Expr::Range(range) = &*index.index {
            for end in [&range.start, &range.end].into_iter().flatten() {
                self.put(&index.expr, end);
            }
        }
        visit::visit_expr_index(self, index);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if METHODS.iter().any(|method| call.method == method)
            && let Some(at) = call.args.first()
            && !matches!(at, Expr::Range(_))
        {
            self.put(&call.receiver, at);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
