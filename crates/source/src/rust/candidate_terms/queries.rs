//! Candidate terms that query values of the standard library: `value.is_finite()`, `f.alternate()`.

use super::{Generator, Operand, guess};
use crate::candidate_terms::TermText;

/// Most operands of a type that are queried, nearest first.
const MOST_OPERANDS: usize = 2;
/// Most values whose parts are all queried, nearest first.
const MOST_OF_ALL: usize = 2;

/// Types, and the queries that people use on their values.
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
    /// Queries of values with types of the standard library.
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
        terms.extend(self.of_all().into_iter().take(MOST_OF_ALL).map(guess));
        terms
    }

    /// Queries of all parts of a value: whether all lists in a list are empty, and whether a string has only digits.
    /// The latter only if the function parses numbers, which might have a sign.
    fn of_all(&self) -> Vec<String> {
        let text = &self.sources.files[self.function.file].text[self.function.span.clone()];
        let reads_numbers = [".parse", "from_str_radix("]
            .iter()
            .any(|it| text.contains(it));
        let operands = self.operands.iter();
        let asked = operands.filter_map(|Operand { text, ty }| {
            let plain = &*ty.as_ref()?.plain;
            match element(plain) {
                Some(element) if is_list(element) => {
                    Some(format!("{text}.iter().all(|it| it.is_empty())"))
                }
                None if reads_numbers && matches!(plain, "str" | "String") => {
                    Some(format!("{text}.bytes().all(|it| it.is_ascii_digit())"))
                }
                _ => None,
            }
        });
        asked.collect()
    }
}

/// The type of the elements of a slice or vector.
fn element(plain: &str) -> Option<&str> {
    let of_slice = plain.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    of_slice.or_else(|| plain.strip_prefix("Vec<")?.strip_suffix('>'))
}

/// Whether a type is a sequence of elements.
fn is_list(plain: &str) -> bool {
    const NAMES: [&str; 6] = ["str", "String", "Vec", "VecDeque", "IoSlice", "PathBuf"];
    let plain = plain.trim_start_matches('&').trim();
    let head = plain.split('<').next().unwrap_or_default();
    plain.starts_with('[') || NAMES.contains(&head.rsplit("::").next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::candidate_terms;
    use crate::rust::read_text;

    #[test]
    fn all_parts_of_a_value_are_queried() {
        let text = "fn f(n: u8, parts: &[Vec<u8>], word: &str) -> u8 { if n == 1 { word.parse().unwrap() } else { g(parts) } }
            fn h(m: u8, all: &[u8], word: &str) -> u8 { if m == 1 { 2 } else { g(all, word) } }";
        let sources = read_text(text);
        let asked = |condition: &str| {
            let mut sites = sources.sites.iter();
            let site = sites.find(|site| site.text == condition).unwrap();
            let terms = candidate_terms::at(&sources, site).into_iter();
            let texts = terms.map(|term| term.text);
            texts
                .filter(|text| text.contains(".all("))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            asked("n == 1"),
            [
                "word.bytes().all(|it| it.is_ascii_digit())",
                "parts.iter().all(|it| it.is_empty())"
            ]
        );
        assert!(asked("m == 1").is_empty());
    }
}
