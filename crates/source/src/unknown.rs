//! Names in an edited condition that cannot be meant: a build with one of them is a build that fails.

use crate::clauses::is_called;
use crate::words::{mentions, words};
use crate::{Language, Site, Sources};

/// Whether an edit of the site's condition has a name that it did not have, and that is no variable visible there or, after
/// a variable of a struct of the subject, no field of that struct. `false` where that cannot be seen from the text.
pub fn has_unknown_name(sources: &Sources, site: &Site, text: &str) -> bool {
    if sources.language == Language::C {
        return has_unknown_name_in_c(sources, site, text);
    }
    // A macro's body has parameters, and a pattern with braces may bind names.
    if site.text.contains('$') || text.contains('{') {
        return false;
    }
    let old = words_of(site);
    words(text).into_iter().any(|range| {
        let (word, before) = (&text[range.clone()], &text[..range.start]);
        let is_variable = word.len() > 1 && word.starts_with(|c: char| c.is_lowercase());
        if !is_variable || old.contains(&word) || is_called(text, &range) {
            return false;
        }
        if let Some(receiver) = before.strip_suffix('.') {
            return !may_be_field(sources, site, receiver, word);
        }
        let is_path = before.ends_with("::") || text[range.end..].starts_with("::");
        let is_bound = heads_of_closures(text)
            .iter()
            .any(|head| mentions(head, word));
        let is_type =
            before.trim_end().ends_with(" as") || nopol_expr::Type::from_name(word).is_some();
        // A lifetime, or what precedes a literal.
        let is_prefix = before.ends_with('\'') || text[range.end..].starts_with(['"', '\'', '#']);
        let is_other = is_path || is_bound || is_type || is_prefix;
        !is_other && !is_keyword(word) && !site.names.iter().any(|name| name.text == word)
    })
}

/// The words of a site's own condition.
fn words_of(site: &Site) -> Vec<&str> {
    let ranges = words(&site.text).into_iter();
    ranges.map(|range| &site.text[range]).collect()
}

/// The same in C. A macro of a system header is not known, but has no small letters.
fn has_unknown_name_in_c(sources: &Sources, site: &Site, text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "char", "double", "enum", "false", "float", "int", "long", "short", "signed", "sizeof",
        "true", "unsigned",
    ];
    let old = words_of(site);
    words(text).into_iter().any(|range| {
        let (word, before) = (&text[range.clone()], text[..range.start].trim_end());
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.contains(|c: char| c.is_lowercase());
        let is_part = ["struct", "union", "enum", "->", "."]
            .iter()
            .any(|part| before.ends_with(part));
        let is_known = || {
            old.contains(&word)
                || WORDS.contains(&word)
                || site.names.iter().any(|name| name.text == word)
                || sources.constants.iter().any(|it| it.name == word)
                || sources.functions.iter().any(|it| it.name == word)
        };
        is_name && !is_part && !is_called(text, &range) && !is_known()
    })
}

/// Whether the struct that the text before a dot ends in may have this field.
fn may_be_field(sources: &Sources, site: &Site, receiver: &str, field: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = receiver.trim_end_matches(is_part).len();
    let (before, name) = receiver.split_at(name);
    let is_alone = !before.ends_with(['.', ':']) && !name.is_empty();
    let mut names = site.names.iter().rev();
    let Some(ty) = names
        .find(|it| it.text == name && is_alone)
        .and_then(|it| it.ty.as_ref())
    else {
        return true;
    };
    let ty = ty.plain.split('<').next().unwrap_or_default();
    let follows = |owner: &str| {
        let implementation = ("Deref".to_owned(), owner.to_owned());
        sources.implementations.contains(&implementation)
    };
    let mut named = sources.types.iter().filter(|it| it.name == ty);
    match (named.next(), named.next()) {
        (Some(only), None) if !only.fields.is_empty() && !follows(ty) => {
            only.fields.iter().any(|(name, _)| name == field)
        }
        _ => true,
    }
}

/// The parameters of the closures in a text.
fn heads_of_closures(text: &str) -> Vec<String> {
    let text = text.replace("||", "  ");
    let between = text.split('|').skip(1).step_by(2);
    between.map(str::to_owned).collect()
}

fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 9] = [
        "as", "false", "if", "in", "let", "mut", "ref", "self", "true",
    ];
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{c, rust::read_text};

    #[test]
    fn a_name_is_known_in_c_that_is_a_variable_with_a_value_or_a_constant() {
        let dir = tempfile::tempdir().unwrap();
        let root = camino::Utf8Path::from_path(dir.path()).unwrap();
        let text = "typedef unsigned long size_t;\nenum { none_size };\nstatic int most_size;\n\
            int f(size_t first_size, size_t second_size) {\n    int last_size;\n    // Any size of two_size.\n    \
            if (first_size > 3) return 1;\n    last_size = 1;\n    return last_size;\n}\n";
        std::fs::write(root.join("a.c"), text).unwrap();
        let files = c::language::Files {
            paths: vec!["a.c".into()],
            taken: None,
        };
        let sources = c::read(root, &files, &|_| true);
        let site = (sources.sites.iter()).find(|site| site.text == "first_size > 3");
        let unknown = |text: &str| has_unknown_name(&sources, site.unwrap(), text);
        for known in [
            "second_size > 3",
            "first_size > none_size",
            "first_size > most_size",
            "first_size > INT_MAX && other(3)",
            "first_size > sizeof(int) && second_size->size && second_size.two_size",
        ] {
            assert!(!unknown(known), "{known}");
        }
        for odd in ["size_t > 3", "two_size > 3", "last_size > 3"] {
            assert!(unknown(odd), "{odd}");
        }
    }

    #[test]
    fn a_name_is_known_that_is_visible_or_a_field_of_its_struct() {
        let text = "struct Range { start: usize, end: usize }
        fn f(range: &Range, last: usize, words: &[&str]) -> bool {
            let found_words = words.len();
            // A `word` that was found.
            if range.end > found_words { return true; }
            false
        }";
        let sources = read_text(text);
        let site = (sources.sites.iter()).find(|site| site.text == "range.end > found_words");
        let unknown = |text: &str| has_unknown_name(&sources, site.unwrap(), text);
        for known in [
            "range.end > last",
            "range.start > found_words",
            "range.end > found_words && last > 0",
            "range.end > found_words as u32",
            "words.iter().any(|it| it.len() > last || it.is_empty())",
            "range.end > usize::MAX",
            "range.len() > found_words",
            "words.first > found_words",
            "range.end == LIMIT",
            "words[last] == \"found\"",
            "words[last].as_bytes() == br\"found\"",
        ] {
            assert!(!unknown(known), "{known}");
        }
        for odd in [
            "range.end > found",
            "range.last > found_words",
            "range.end > word",
        ] {
            assert!(unknown(odd), "{odd}");
        }
    }
}
