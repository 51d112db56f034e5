//! What code tests: how often each function is called, and the literals of `starts_with` and similar methods.

use std::collections::{BTreeMap, BTreeSet};

use nopol_expr::TextPart;

use crate::{File, Function};

/// Methods that test a part of a string.
const METHODS: [(&str, TextPart); 5] = [
    (".starts_with(", TextPart::Start),
    (".strip_prefix(", TextPart::Start),
    (".ends_with(", TextPart::End),
    (".strip_suffix(", TextPart::End),
    (".contains(", TextPart::Anywhere),
];

/// How often the expressions of functions call each name, by its last segment.
pub fn times<'f>(functions: impl IntoIterator<Item = &'f Function>) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    let all = functions.into_iter().flat_map(|it| &it.expressions);
    for call in all.flat_map(|found| &found.calls) {
        *times.entry(last_name(call).to_owned()).or_default() += 1;
    }
    times
}

/// The name of a method or function, without its path.
pub fn last_name(call: &str) -> &str {
    call.rsplit(['.', ':']).next().unwrap_or_default()
}

/// The literals with which a file tests strings outside of test code, each with the tested part of the string.
pub fn asked(file: &File) -> BTreeSet<(TextPart, &str)> {
    let mut found = BTreeSet::new();
    for (method, part) in METHODS {
        for (at, _) in file.text.match_indices(method) {
            let rest = &file.text[at + method.len()..];
            let mut literals = file.literals.iter();
            let is_argument = |literal: &&String| {
                let after = rest.strip_prefix(literal.as_str());
                after.is_some_and(|after| after.starts_with(')'))
            };
            if rest.starts_with(['"', '\''])
                && let Some(literal) = literals.find(is_argument)
            {
                found.insert((part, literal.as_str()));
            }
        }
    }
    found
}
