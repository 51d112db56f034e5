//! The words of a text: names as far as they can be told without a parser.

use std::ops::Range;

/// The identifiers of a text outside of its string and character literals.
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
