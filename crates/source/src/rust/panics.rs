//! How tests fail without a panic, and the panic message that a test expects: `#[should_panic(expected = "…")]`.

use camino::{Utf8Path, Utf8PathBuf};
use syn::visit::Visit;
use syn::{Attribute, Expr, ItemFn, Lit, Meta};

use super::prevented;
use crate::language::{Panics, Prevented};

/// Tests with `#[should_panic]`, and tests that catch panics.
pub struct ShouldPanic;

impl Panics for ShouldPanic {
    fn silent(&self, output: &str) -> Option<String> {
        if !output.contains("\nrunning 1 test\n") && !output.starts_with("running 1 test\n") {
            return None;
        }
        if !output.contains("test result: FAILED") {
            return Some("ends the process before it has passed or failed".to_owned());
        }
        // The standard harness prints a returned error after everything that the test prints.
        let mut lines = output.lines().rev();
        let error = lines.find_map(|line| line.strip_prefix("Error: "))?;
        let cut: String = error.chars().take(MOST_LETTERS).collect();
        let more = if cut.len() < error.len() { " …" } else { "" };
        Some(format!("returns an error: {cut}{more}"))
    }

    fn place(&self, root: &Utf8Path, test: &str) -> Option<String> {
        let name = test.rsplit("::").next().unwrap_or(test);
        let mut places = files(root).flat_map(|(path, text)| {
            let lines = lines_of(&text, name);
            let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
            lines.into_iter().map(move |line| format!("{path}:{line}"))
        });
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    fn is_missing(&self, output: &str) -> bool {
        // The words of the standard harness.
        output.contains("did not panic")
    }

    fn complaint(&self, output: &str) -> Option<String> {
        let after = |words: &str| {
            let line = output.lines().find(|line| line.contains(words))?;
            line.split_once(words).map(|(_, rest)| rest.trim())
        };
        if let Some(rest) = after("test did not panic as expected") {
            // Harnesses before Rust 1.85 do not say where the test is.
            return Some(match rest.strip_prefix("at ") {
                Some(place) => format!("should panic, but does not; the test is at {place}"),
                None => "should panic, but does not".to_owned(),
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

    /// If several files have such a test, the first one by name decides.
    fn message(&self, root: &Utf8Path, test: &str) -> Option<String> {
        let message = files(root).find_map(|(_, text)| expected(&text, test));
        // Braces would be placeholders in an assertion's message.
        message.filter(|message| !message.contains(['{', '}']))
    }

    fn prevented(&self, text: &str, line: usize, column: usize, message: &str) -> Vec<Prevented> {
        prevented::conditions(text, line, column, message)
    }
}

/// Most characters of an error in a sentence.
const MOST_LETTERS: usize = 300;

/// The Rust files below a directory with their texts, ordered by name.
fn files(root: &Utf8Path) -> impl Iterator<Item = (Utf8PathBuf, String)> {
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let paths = files
        .flatten()
        .filter_map(|file| Utf8PathBuf::try_from(file.into_path()).ok());
    let paths = paths.filter(|path| path.extension() == Some("rs"));
    paths.filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path, text))
    })
}

/// The lines, counted from 1, at which functions with this name and a test attribute start.
fn lines_of(text: &str, name: &str) -> Vec<usize> {
    if !text.contains(name) {
        return Vec::new();
    }
    let Ok(file) = syn::parse_file(text) else {
        return Vec::new();
    };
    let mut found = Tests {
        name,
        lines: Vec::new(),
    };
    found.visit_file(&file);
    found.lines
}

struct Tests<'a> {
    name: &'a str,
    lines: Vec<usize>,
}

impl<'ast> Visit<'ast> for Tests<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        // `#[test]`, `#[tokio::test]` and similar ones.
        let is_test = |attribute: &Attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| last.ident == "test")
        };
        if function.sig.ident == self.name && function.attrs.iter().any(is_test) {
            self.lines.push(function.sig.ident.span().start().line);
        }
        syn::visit::visit_item_fn(self, function);
    }
}

/// The panic message that the test with this name expects, if this file has such a test.
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

/// The message in `should_panic = "…"` or `should_panic(expected = "…")`.
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
    fn a_test_that_does_not_panic_returns_an_error_or_ends_the_process() {
        let silent = |output: &str| ShouldPanic.silent(output);
        let run = "\nrunning 1 test\nError: usage\nError: ParseIntError\ntest t ... FAILED\n";
        let returned = silent(&format!("{run}\ntest result: FAILED. 0 passed; 1 failed"));
        assert_eq!(returned.as_deref(), Some("returns an error: ParseIntError"));
        assert!(silent(run).is_some_and(|it| it.starts_with("ends the process")));
        // Other harnesses may print anything.
        assert_eq!(silent("Error: usage\n"), None);
    }

    #[test]
    fn a_test_is_found_by_its_name_and_attribute() {
        let text = "fn four() {}\n#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn four() {}\n    #[test]\n    fn five() {}\n}\n";
        assert_eq!(lines_of(text, "four"), [5]);
        assert_eq!(lines_of(text, "five"), [7]);
        assert!(lines_of(text, "six").is_empty());
    }

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
