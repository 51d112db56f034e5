//! The constants that must be known before the program runs, because the length of an array or an exponent depends on
//! them: their initializers are not places, as no formula has an array of unknown length.

use std::collections::HashSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, ExprPath, ExprRepeat, Macro, TypeArray, Variant};

/// Adds the names in all lengths, exponents and discriminants of a file.
pub(super) fn collect(file: &syn::File, names: &mut HashSet<String>) {
    Lengths { names }.visit_file(file);
}

/// Adds the names in an expression.
pub(super) fn collect_names(expr: &Expr, names: &mut HashSet<String>) {
    Names { names }.visit_expr(expr);
}

struct Names<'n> {
    names: &'n mut HashSet<String>,
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let last = path.path.segments.last();
        self.names.extend(last.map(|last| last.ident.to_string()));
    }
}

struct Lengths<'n> {
    names: &'n mut HashSet<String>,
}

impl<'ast> Visit<'ast> for Lengths<'_> {
    fn visit_type_array(&mut self, array: &'ast TypeArray) {
        collect_names(&array.len, self.names);
        visit::visit_type_array(self, array);
    }

    fn visit_expr_repeat(&mut self, array: &'ast ExprRepeat) {
        collect_names(&array.len, self.names);
        visit::visit_expr_repeat(self, array);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "pow" {
            call.args
                .iter()
                .for_each(|exponent| collect_names(exponent, self.names));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if let Some((_, value)) = &variant.discriminant {
            collect_names(value, self.names);
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.in_tokens(&call.tokens);
    }
}

impl Lengths<'_> {
    /// The arguments of a macro are not parsed here, but what is behind a semicolon in brackets is a length, and what
    /// is in the parentheses behind `pow` an exponent.
    fn in_tokens(&mut self, tokens: &TokenStream) {
        let mut is_exponent = false;
        for token in tokens.clone() {
            if let TokenTree::Group(group) = &token {
                let mut is_length = is_exponent;
                for token in group.stream() {
                    match token {
                        TokenTree::Ident(name) if is_length => {
                            self.names.insert(name.to_string());
                        }
                        TokenTree::Punct(punct) if group.delimiter() == Delimiter::Bracket => {
                            is_length |= punct.as_char() == ';';
                        }
                        _ => {}
                    }
                }
                self.in_tokens(&group.stream());
            }
            is_exponent = matches!(&token, TokenTree::Ident(name) if name == "pow");
        }
    }
}
