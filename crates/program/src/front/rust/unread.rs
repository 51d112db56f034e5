//! Tests that are no plain `#[test]`, and are not read: those that an attribute of another crate or a macro makes, and targets with a
//! harness of their own.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::{Attribute, Item, ItemFn, Macro, Path};

use super::source::Source;

/// Whether a function is a plain test.
pub(super) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("test"))
}

/// Whether an attribute of another crate makes a test, by its name: `#[tokio::test]`, `#[rstest]`, `#[test_case(…)]`.
pub(super) fn is_of_other_crate(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|last| {
        let name = last.ident.to_string();
        name.contains("test") || name == "quickcheck"
    })
}

pub(super) fn attribute_reason(attr: &Attribute) -> String {
    let path = written(attr.path());
    format!("the attribute `#[{path}]` makes the test, which is not supported")
}

pub(super) fn macro_reason(mac: &Macro) -> String {
    let path = written(&mac.path);
    format!("the macro `{path}!` makes the test, which is not supported")
}

fn written(path: &Path) -> String {
    let segments = path.segments.iter();
    let words: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
    words.join("::")
}

/// The names of the tests in the arguments of a macro that makes items of them.
pub(super) fn in_macro(tokens: &TokenStream) -> Vec<Ident> {
    let mut found = Vec::new();
    let (mut is_test, mut is_name) = (false, false);
    for tree in tokens.clone() {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                is_test |= group.stream().to_string() == "test";
            }
            TokenTree::Ident(word) if is_name => {
                found.extend(is_test.then_some(word));
                (is_test, is_name) = (false, false);
            }
            TokenTree::Ident(word) => is_name = word == "fn",
            _ => {}
        }
    }
    found
}

/// Adds all words in the arguments of a macro.
pub(super) fn words(tokens: TokenStream, found: &mut HashSet<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Ident(word) => drop(found.insert(word.to_string())),
            _ => {}
        }
    }
}

/// The `main` of an integration test without tests, which cargo runs as one test (`harness = false`).
pub(super) fn own_main(source: &Source) -> Option<&ItemFn> {
    let mut parts = source.path.components().map(|part| part.as_str()).rev();
    let (file, folder) = (parts.next()?, parts.next()?);
    let is_target = folder == "tests" || file == "main.rs" && parts.next() == Some("tests");
    let functions = || {
        source.file.items.iter().filter_map(|item| match item {
            Item::Fn(function) => Some(function),
            _ => None,
        })
    };
    let mut with_tests = functions().filter(|function| {
        let attrs = &function.attrs;
        is_test(attrs) || attrs.iter().any(is_of_other_crate)
    });
    let is_own = is_target && source.is_for_tests() && with_tests.next().is_none();
    functions().find(|function| is_own && function.sig.ident == "main")
}
