//! Candidate terms that ask whether a text can be split where the function splits it: `s.is_char_boundary(n)` for `&s[..n]`.
//! Elsewhere the end of a slice is asked for by comparing it with a length, which every search does.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ItemFn};

use super::{Generator, guess};
use crate::candidate_terms::TermText;

impl Generator<'_> {
    /// Whether texts that the function slices have a boundary where it does.
    pub(super) fn boundaries(&self) -> Vec<TermText> {
        let own = self.function;
        let text = &self.sources.files[own.file].text[own.span.clone()];
        let mut slices = Slices {
            text,
            found: Vec::new(),
        };
        if text.contains('[') || text.contains("split_at") {
            match syn::parse_str::<ItemFn>(text) {
                Ok(function) => slices.visit_item_fn(&function),
                Err(_) => {
                    if let Ok(function) = syn::parse_str::<syn::ImplItemFn>(text) {
                        slices.visit_impl_item_fn(&function);
                    }
                }
            }
        }
        let root = |text: &str| {
            let words = crate::words::words(text);
            words.first().map(|word| text[word.clone()].to_owned())
        };
        let fits = |(of, at): &(String, String)| {
            let is_text = |plain: &str| matches!(plain, "str" | "String");
            let mut known = self.operands.iter().filter(|it| it.text == *of);
            let ty = known.find_map(|it| it.ty.as_ref());
            let is_visible = |text: &str| root(text).is_some_and(|name| self.is_visible(&name));
            let is_constant = at.chars().all(|c| !c.is_lowercase());
            ty.is_none_or(|ty| is_text(&ty.plain))
                && is_visible(of)
                && (is_constant || is_visible(at))
        };
        let fitting = slices.found.into_iter().filter(fits);
        fitting
            .map(|(of, at)| guess(format!("{of}.is_char_boundary({at})")))
            .collect()
    }
}

/// What is sliced, and where.
struct Slices<'t> {
    text: &'t str,
    found: Vec<(String, String)>,
}

impl Slices<'_> {
    fn put(&mut self, of: &Expr, at: &Expr) {
        let of = match of {
            Expr::Reference(reference) => &reference.expr,
            of => of,
        };
        let text = |expr: &Expr| self.text[expr.span().byte_range()].to_owned();
        let pair = (text(of), text(at));
        let is_simple = |text: &str| {
            text.len() < 40 && !text.contains(" as ") && !text.contains(['\n', '{', '?', '"'])
        };
        // There is always one at the start.
        let is_start = pair.1 == "0";
        if !is_start && is_simple(&pair.0) && is_simple(&pair.1) && !self.found.contains(&pair) {
            self.found.push(pair);
        }
    }
}

impl<'ast> Visit<'ast> for Slices<'_> {
    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        if let Expr::Range(range) = &*index.index {
            for end in [&range.start, &range.end].into_iter().flatten() {
                self.put(&index.expr, end);
            }
        }
        visit::visit_expr_index(self, index);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let splits = [
            "split_at",
            "split_off",
            "truncate",
            "insert",
            "insert_str",
            "drain",
        ];
        if splits.iter().any(|method| call.method == method)
            && let Some(at) = call.args.first()
            && !matches!(at, Expr::Range(_))
        {
            self.put(&call.receiver, at);
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate_terms;
    use crate::rust::read_text;

    #[test]
    fn a_text_is_asked_where_it_is_split() {
        let text =
            "const TAG: usize = 4; fn f(text: &str, bytes: &[u8], n: usize) -> (&str, &[u8]) {
            if text.len() < TAG { return (text, bytes); }
            g(text.split_at(TAG)); (&text[n..], &bytes[..n])
        }";
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text == "text.len() < TAG").unwrap();
        let terms = candidate_terms::at(&sources, site).into_iter();
        let asked: Vec<String> = terms
            .map(|term| term.text)
            .filter(|text| text.contains("boundary"))
            .collect();
        assert_eq!(
            asked,
            ["text.is_char_boundary(TAG)", "text.is_char_boundary(n)"]
        );
    }
}
