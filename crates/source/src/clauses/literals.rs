//! The literals of a text, and other literals that can replace one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Around;

/// Most literals that replace one literal.
const MOST_LITERALS: usize = 6;

/// The byte ranges of the literals: characters, strings and decimal numbers.
pub fn literals(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(offset) =
        text[rest..].find(|c: char| c == '\'' || c == '"' || c.is_ascii_digit())
    {
        let at = rest + offset;
        let is_in_word =
            text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let end = match text.as_bytes()[at] {
            quote @ (b'\'' | b'"') => closing(text, at, char::from(quote)),
            _ => {
                let digits = text[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                Some(digits.map_or(text.len(), |digits| at + digits))
            }
        };
        // An apostrophe without a second one starts a lifetime.
        let Some(end) = end else {
            rest = at + 1;
            continue;
        };
        // `b'x'` is one literal.
        let start = match text[..at].ends_with('b') && !text.as_bytes()[at].is_ascii_digit() {
            true => at - 1,
            false => at,
        };
        if start < at || !is_in_word {
            found.push(start..end);
        }
        rest = end;
    }
    found
}

/// The end of a quoted literal.
fn closing(text: &str, at: usize, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (offset, c) in text[at + 1..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return Some(at + 1 + offset + 1),
            _ => {}
        }
    }
    None
}

/// Literals that can replace a literal: others of its kind, and for a number also products and sums of two others.
pub(super) fn other_literals(literal: &str, around: Around) -> Vec<String> {
    let kind = |text: &str| match text.as_bytes().first() {
        Some(first) if first.is_ascii_digit() => b'0',
        Some(b'b') => text.as_bytes().get(1).map_or(b' ', |quote| quote + 128),
        Some(first) => *first,
        None => b' ',
    };
    let of_kind = |text: &&String| kind(text) == kind(literal) && **text != literal;
    let [near, far] = around.literals;
    let mut found: Vec<String> = in_other_case(literal).into_iter().collect();
    found.extend(mate(literal));
    if let Ok(own) = literal.parse::<u64>() {
        let numbers = near.iter().filter_map(|text| text.parse::<u64>().ok());
        let numbers: BTreeSet<u64> = numbers.filter(|number| *number > 1).collect();
        for (nth, a) in numbers.iter().enumerate() {
            for b in numbers.iter().skip(nth + 1) {
                let both = [a.checked_mul(*b), a.checked_add(*b)].into_iter().flatten();
                found.extend(both.filter(|it| *it != own).map(|it| it.to_string()));
            }
        }
        found.truncate(MOST_LITERALS / 2);
    }
    for text in near
        .iter()
        .filter(of_kind)
        .chain(far.iter().filter(of_kind))
    {
        if !found.contains(text) {
            found.push(text.clone());
        }
    }
    found.truncate(MOST_LITERALS);
    found
}

/// The character that is usually treated like this one, such as the closing bracket for the opening one.
pub fn mate(literal: &str) -> Option<String> {
    const MATES: [[&str; 2]; 7] = [
        ["\\n", "\\r"],
        [" ", "\\t"],
        ["(", ")"],
        ["[", "]"],
        ["{", "}"],
        ["<", ">"],
        ["/", "\\\\"],
    ];
    let inside = literal.trim_start_matches('b');
    let inside = inside.strip_prefix('\'')?.strip_suffix('\'')?;
    let pair = MATES.iter().find(|pair| pair.contains(&inside))?;
    let other = pair.iter().find(|other| **other != inside)?;
    Some(literal.replace(inside, other))
}

/// A string or character with its letters in the other case, if all are in one case: `"0X"` for `"0x"`. `None` with
/// escapes, whose letters have no case.
fn in_other_case(literal: &str) -> Option<String> {
    let start = literal.find(['"', '\''])? + 1;
    let (before, inside) = literal.split_at(start);
    let letters: Vec<char> = inside.chars().filter(|c| c.is_alphabetic()).collect();
    let is_in_one_case =
        letters.iter().all(|c| c.is_lowercase()) || letters.iter().all(|c| c.is_uppercase());
    if letters.is_empty() || !is_in_one_case || inside.contains('\\') {
        return None;
    }
    let other = |c: char| match c.is_lowercase() {
        true => c.to_uppercase().to_string(),
        false => c.to_lowercase().to_string(),
    };
    Some(format!(
        "{before}{}",
        inside.chars().map(other).collect::<String>()
    ))
}

/// The literal `other` in the case of `literal`, if each of them has letters of only one case.
pub(super) fn in_case_of(literal: &str, other: &str) -> String {
    let is_upper = |text: &str| text.contains(char::is_uppercase);
    match (in_other_case(literal), in_other_case(other)) {
        (Some(_), Some(turned)) if is_upper(inside(literal)) != is_upper(inside(other)) => turned,
        _ => other.to_owned(),
    }
}

/// A literal from its first quote on.
fn inside(literal: &str) -> &str {
    literal
        .find(['"', '\''])
        .map_or(literal, |at| &literal[at..])
}
