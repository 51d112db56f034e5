//! The panic message that a test expects: its `#[should_panic(expected = "…")]`.

use camino::Utf8Path;
use syn::visit::Visit;
use syn::{Attribute, Expr, ItemFn, Lit, Meta};

use crate::language::Panics;

/// Tests with `#[should_panic]`, and those that catch panics.
pub struct ShouldPanic;

impl Panics for ShouldPanic {
    fn is_missing(&self, output: &str) -> bool {
        // The standard harness's words.
        output.contains("did not panic")
    }

    fn complaint(&self, output: &str) -> Option<String> {
        let after = |words: &str| {
            let line = output.lines().find(|line| line.contains(words))?;
            line.split_once(words).map(|(_, rest)| rest.trim())
        };
        if let Some(rest) = after("test did not panic as expected") {
            // Harnesses before Rust 1.85 do not tell where the test is.
            return Some(match rest.strip_prefix("at ") {
                Some(place) => format!("does not panic as expected; the test is at {place}"),
                None => "does not panic as expected".to_owned(),
            });
        }
        after("panic did not contain expected string")?;
        let wanted = after("expected substring:")?;
        let wanted = wanted.trim_end_matches(',');
        Some(format!("does not panic with {wanted} as expected"))
    }

    fn may_be_caught(&self, text: &str) -> bool {
        text.contains("catch_unwind")
    }

    /// Of several files the first one by name decides.
    fn message(&self, root: &Utf8Path, test: &str) -> Option<String> {
        let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
        let files = files
            .flatten()
            .filter(|file| file.path().extension().is_some_and(|it| it == "rs"));
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        let message = texts.find_map(|text| expected(&text, test));
        // Braces would be placeholders in an assertion's message.
        message.filter(|message| !message.contains(['{', '}']))
    }
}

/// The panic message that the test of this name expects, if this file has such a test.
fn expected(text: &str, test: &str) -> Option<String> {
    if !text.contains("should_panic") {
        return None;
    }
    let file = syn::parse_file(text).ok()?;
    let mut found = Expected {
        test,
        message: None,
    };
    found.visit_file(&file);
    found.message
}

struct Expected<'a> {
    test: &'a str,
    message: Option<String>,
}

impl<'ast> Visit<'ast> for Expected<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if function.sig.ident == self.test {
            let mut attributes = function.attrs.iter();
            self.message = attributes.find_map(message).or(self.message.take());
        }
        syn::visit::visit_item_fn(self, function);
    }
}

/// `should_panic = "…"` or `should_panic(expected = "…")`.
fn message(attribute: &Attribute) -> Option<String> {
    if !attribute.path().is_ident("should_panic") {
        return None;
    }
    let value = match &attribute.meta {
        Meta::NameValue(pair) => pair.value.clone(),
        Meta::List(list) => {
            syn::parse2::<syn::MetaNameValue>(list.tokens.clone())
                .ok()?
                .value
        }
        Meta::Path(_) => return None,
    };
    match value {
        Expr::Lit(literal) => match literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_read_from_either_form_of_the_attribute() {
        let text = r#"
            mod tests {
                #[test] #[should_panic(expected = "too far")] fn far() {}
                #[test] #[should_panic = "too near"] fn near() {}
                #[test] #[should_panic] fn silent() {}
            }
        "#;
        assert_eq!(expected(text, "far").as_deref(), Some("too far"));
        assert_eq!(expected(text, "near").as_deref(), Some("too near"));
        assert_eq!(expected(text, "silent"), None);
    }
}
