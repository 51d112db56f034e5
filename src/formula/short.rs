//! Statements that are too long for a line, shortened around the part that is meant.

use std::ops::Range;

/// The most characters of a line.
const MOST: usize = 100;

/// Of a longer one, how many characters are kept at its beginning, and on each side of the part.
const START: usize = 32;
const BESIDE: usize = 16;

/// A text with dots for what is far from a part of it, if it is long. The part may be anywhere; bytes that are not in the text,
/// or not between characters, count as the beginning.
pub fn around(text: &str, part: &Range<usize>) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= MOST {
        return text.to_owned();
    }
    let character = |at: usize| text.get(..at).map_or(0, |before| before.chars().count());
    let (from, to) = (character(part.start), character(part.end));
    // What is long itself is cut, too.
    let to = to.clamp(from, from + MOST - START - 2 * BESIDE);
    let from = match from.saturating_sub(BESIDE) {
        close if close <= START + 3 => 0,
        far => far,
    };
    let to = match to + BESIDE {
        close if close + 3 >= characters.len() => characters.len(),
        far => far.max(START),
    };
    let of = |range: Range<usize>| characters[range].iter().collect::<String>();
    let start = match from {
        0 => String::new(),
        _ => format!("{} … ", of(0..START).trim_end()),
    };
    let end = if to < characters.len() { " …" } else { "" };
    format!("{start}{}{end}", of(from..to).trim_matches([' ', ',']))
}

/// The beginning of a text, if it is long.
pub fn beginning(text: &str) -> String {
    around(text, &(0..0))
}

/// Two versions of a text, shortened around the part in which they differ.
pub fn both(before: &str, after: &str) -> (String, String) {
    let pairs = before.char_indices().zip(after.chars());
    let start = pairs
        .take_while(|((_, one), other)| one == other)
        .map(|((at, one), _)| at + one.len_utf8())
        .last()
        .unwrap_or(0);
    let (rest, other) = (&before[start..], &after[start..]);
    let pairs = rest.chars().rev().zip(other.chars().rev());
    let same: usize = pairs
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum();
    (
        around(before, &(start..before.len() - same)),
        around(after, &(start..after.len() - same)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shortened_around_the_part() {
        let numbers: Vec<String> = (100..160).map(|number| number.to_string()).collect();
        let text = format!("int t[] = {{{}}};", numbers.join(", "));
        let shown = |part: &str| {
            let at = text.find(part).unwrap();
            around(&text, &(at..at + part.len()))
        };
        assert_eq!(shown("100"), "int t[] = {100, 101, 102, 103, 1 …");
        assert_eq!(
            shown("130"),
            "int t[] = {100, 101, 102, 103, 1 … 127, 128, 129, 130, 131, 132, 133 …"
        );
        assert_eq!(
            shown("159"),
            "int t[] = {100, 101, 102, 103, 1 … 156, 157, 158, 159};"
        );
        assert!(shown(&text).chars().count() <= MOST);
        assert_eq!(around("short", &(1..2)), "short");
        assert_eq!(
            around(&"é".repeat(200), &(0..2)),
            format!("{} …", "é".repeat(START))
        );
    }

    #[test]
    fn two_versions_are_shortened_around_their_difference() {
        let text = |number: u32| format!("f({}{number}{})", "1, ".repeat(40), ", 2".repeat(40));
        assert_eq!(
            both(&text(77), &text(8)),
            (
                "f(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … 1, 1, 1, 1, 1, 77, 2, 2, 2, 2, 2 …".to_owned(),
                "f(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … 1, 1, 1, 1, 1, 8, 2, 2, 2, 2, 2 …".to_owned(),
            )
        );
    }
}
