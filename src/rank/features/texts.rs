//! Information from the texts of names and clauses alone.

use nopol_source::words::mentions;

/// The lines of a text that contain conditions.
pub fn conditions(text: &str) -> Vec<&str> {
    let decides = |line: &&str| {
        [
            "if ", "while ", "assert", " && ", " || ", " == ", " != ", " < ", " > ", " <= ", " >= ",
        ]
        .iter()
        .any(|word| line.contains(word))
    };
    text.lines().filter(decides).collect()
}

/// A clause with its names and literals replaced by `#`. `None` if it is short or has only one name.
pub fn skeleton(clause: &str) -> Option<String> {
    let mut bare = String::new();
    let mut names = 0;
    let mut was_name = false;
    for c in clause.chars().filter(|c| !c.is_whitespace()) {
        let is_name = c.is_alphanumeric() || c == '_';
        if is_name && !was_name {
            names += 1;
            bare.push('#');
        } else if !is_name {
            bare.push(c);
        }
        was_name = is_name;
    }
    (names > 1 && bare.len() > 3).then_some(bare)
}

/// A text without white space.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a text contains a word.
pub fn has_word(text: &str, word: &str) -> bool {
    !word.is_empty() && mentions(text, word)
}

/// The words of a name, in lower case: `open` and `bracket` for `openBracket` and `open_bracket`.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            parts.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = parts.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    parts.retain(|part| part.len() > 1 && part != "self");
    parts
}

/// The share of their words that two operands have in common, 0 to 1.
pub fn alike(a: &str, b: &str) -> f64 {
    let (a, b) = (parts(a), parts(b));
    let shared = a.iter().filter(|part| b.contains(part)).count() as f64;
    let all = (a.len() + b.len()) as f64 - shared;
    if all > 0.0 { shared / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words_and_compared_by_them() {
        assert_eq!(parts("self.bracketOpen_2"), ["bracket", "open"]);
        assert!(alike("self.bracket_open", "self.bracket_closed") > 0.3);
        assert!(alike("self.depth", "self.bracket_closed") < 1e-9);
    }

    #[test]
    fn a_clause_with_other_names_has_the_same_skeleton() {
        assert_eq!(
            skeleton("self.minor == Some(a.minor)"),
            skeleton("self.patch == Some(b.patch)")
        );
        assert_ne!(skeleton("a < b"), skeleton("a <= b"));
        assert_eq!(skeleton("is_done"), None);
    }
}
