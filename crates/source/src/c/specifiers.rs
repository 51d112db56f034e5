//! Macros that stand for specifiers or attributes, or for nothing, such as `local` for `static` or `API` for a
//! visibility. The parser takes their names for types. They are recognized by their definitions in the program's files
//! and headers.

use std::collections::{BTreeMap, BTreeSet};

use super::macros::Macro;
use super::masks::{call, is_part};

/// Words that make up the bodies of such macros, besides attributes and other such macros.
const SPECIFIERS: [&str; 18] = [
    "auto",
    "const",
    "extern",
    "inline",
    "register",
    "restrict",
    "static",
    "volatile",
    "_Noreturn",
    "_Thread_local",
    "__const",
    "__extension__",
    "__forceinline",
    "__inline",
    "__inline__",
    "__restrict",
    "__restrict__",
    "__thread",
];
const ATTRIBUTES: [&str; 3] = ["__attribute__", "__attribute", "__declspec"];

/// The names of such macros among the macros that a program defines.
pub fn known(macros: &[Macro]) -> BTreeSet<String> {
    let mut bodies: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for of in macros.iter().filter(|of| of.parameters.is_none()) {
        bodies.entry(&of.name).or_default().push(&of.body);
    }
    let mut names = BTreeSet::new();
    loop {
        let stands = |body: &&str| stands_for_specifiers(body, &names);
        let more: Vec<String> = bodies
            .iter()
            .filter(|(name, bodies)| {
                // On another system it may stand for a word of that system, such as `WINAPI`.
                let may_stand = |body: &&str| stands(body) || is_word(body);
                !names.contains(**name) && bodies.iter().any(stands) && bodies.iter().all(may_stand)
            })
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}

fn is_word(body: &str) -> bool {
    body.chars().all(is_part) && body.starts_with(|c: char| !c.is_ascii_digit())
}

/// Whether a macro's body has only specifiers, attributes and other such macros.
pub fn stands_for_specifiers(body: &str, names: &BTreeSet<String>) -> bool {
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = match word {
            _ if ATTRIBUTES.contains(&word) => match call(after, 0) {
                Some(end) => &after[end..],
                None => return false,
            },
            _ if SPECIFIERS.contains(&word) || names.contains(word) => after,
            _ => return false,
        }
        .trim_start();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::macros;
    use super::*;

    #[test]
    fn macros_for_specifiers_are_recognized_by_their_definitions() {
        let text = "#define local static\n#define MOST 8\n#define F(x) x\n#define TYPE int\n\
                    #ifndef A_H\n#define A_H\n# define API __attribute__ ((visibility (\"default\"))) // all\n#define API_INLINE static inline API\n#define SIZE\n#define SIZE 3\n#define CALL WINAPI\n#define CALL\n";
        let known = known(&macros::of(text));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        assert_eq!(known, ["API", "API_INLINE", "A_H", "CALL", "local"]);
    }
}
