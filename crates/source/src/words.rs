//! The words of a text: names, as far as they can be recognized without a parser.

use std::ops::Range;

/// The byte ranges of the identifiers in a text, outside its string and character literals.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut quote = None;
    let mut start = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None => {
                let is_part = c.is_alphanumeric() || c == '_';
                match (start, is_part) {
                    (None, true) => start = Some(at),
                    (Some(first), false) => {
                        words.push(first..at);
                        start = None;
                    }
                    _ => {}
                }
                // An apostrophe may start a lifetime.
                let is_char = c == '\'' && text[at + 1..].chars().nth(1) == Some('\'');
                if c == '"' || is_char {
                    quote = Some(c);
                }
            }
        }
    }
    words
}

/// Whether a text contains a whole word.
pub fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|part| part == word)
}

/// A condition of a macro's body with plain names (`_a`) instead of the macro's parameters (`$a`), so that it can be
/// parsed. No byte moves.
pub fn plain_names(text: &str) -> String {
    let mut plain = text.to_owned();
    for at in parameters(text).map(|name| name.start) {
        plain.replace_range(at..=at, "_");
    }
    plain
}

/// The byte ranges of a macro's parameters in a text, with their `$`, outside its string and character literals.
fn parameters(text: &str) -> impl Iterator<Item = Range<usize>> {
    let words = words(text).into_iter();
    words.filter_map(|word| {
        text[..word.start]
            .ends_with('$')
            .then(|| word.start - 1..word.end)
    })
}

/// Turns the plain names back into parameters of the macro. `original` is the text with the parameters.
pub fn with_parameters(text: &str, original: &str) -> String {
    let names =
        parameters(original).map(|name| format!("_{}", &original[name.start + 1..name.end]));
    let names: Vec<String> = names.collect();
    let mut text = text.to_owned();
    for range in words(&text).into_iter().rev() {
        if names.iter().any(|name| *name == text[range.clone()]) {
            text.replace_range(range.start..=range.start, "$");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_parameters_become_names_and_parameters_again() {
        let condition = "$a.len() > _b && $limit != \"$a\"";
        let plain = plain_names(condition);
        assert_eq!(plain, "_a.len() > _b && _limit != \"$a\"");
        let edited = plain.replace('>', ">=");
        let expected = "$a.len() >= _b && $limit != \"$a\"";
        assert_eq!(with_parameters(&edited, condition), expected);
    }
}
