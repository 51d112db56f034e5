//! Candidate terms that ask a value of the standard library what it is: `value.is_finite()`, `f.alternate()`.

use super::{Generator, guess};
use crate::candidate_terms::TermText;

/// Operands of a type that are asked, nearest first.
const MOST_OPERANDS: usize = 2;

/// Types, and what people ask values of them.
const QUESTIONS: [(&[&str], &[&str]); 7] = [
    (&["f32", "f64"], &["is_finite", "is_nan"]),
    (
        &["char"],
        &[
            "is_whitespace",
            "is_alphanumeric",
            "is_alphabetic",
            "is_ascii_digit",
        ],
    ),
    (
        &["u8"],
        &[
            "is_ascii_whitespace",
            "is_ascii_alphanumeric",
            "is_ascii_alphabetic",
            "is_ascii_digit",
        ],
    ),
    (
        &[
            "Formatter",
            "fmt::Formatter",
            "std::fmt::Formatter",
            "core::fmt::Formatter",
        ],
        &["alternate"],
    ),
    (
        &["Path", "PathBuf", "std::path::Path", "std::path::PathBuf"],
        &["is_absolute"],
    ),
    (
        &["Duration", "std::time::Duration", "core::time::Duration"],
        &["is_zero"],
    ),
    (&["*const", "*mut"], &["is_null"]),
];

impl Generator<'_> {
    /// What values of types of the standard library are asked.
    pub(super) fn queries(&self) -> Vec<TermText> {
        let mut terms = Vec::new();
        for (types, methods) in QUESTIONS {
            let is_of_it = |plain: &str| {
                let name = plain.split('<').next().unwrap_or_default();
                let is_pointer = types
                    .iter()
                    .any(|ty| ty.starts_with('*') && plain.starts_with(ty));
                types.contains(&name) || is_pointer
            };
            let operands = self.operands.iter();
            let fitting =
                operands.filter(|it| it.ty.as_ref().is_some_and(|ty| is_of_it(&ty.plain)));
            for operand in fitting.take(MOST_OPERANDS) {
                let calls = methods
                    .iter()
                    .map(|method| guess(format!("{}.{method}()", operand.text)));
                terms.extend(calls);
            }
        }
        terms
    }
}
