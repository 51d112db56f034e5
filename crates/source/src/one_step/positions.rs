//! Positions inside an operand that are off by one: an index, the content of `Some(…)`, the end of a range.

use std::ops::Range;

use super::{neighbours, number};
use crate::clauses::literals;
use crate::words::words;

/// Functions whose argument is a position or a number that is often off by one.
const POSITIONAL: [&str; 6] = ["Some", "Ok", "get", "nth", "take", "skip"];

/// The index or the only argument inside an operand, moved by one.
pub(super) fn inner_neighbours(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, open) in text.match_indices(['(', '[']) {
        let close = if open == "(" { ')' } else { ']' };
        let before = &text[..at];
        let name = words(before).pop().filter(|word| word.end == at);
        let name = name.map_or("", |word| &before[word]);
        let is_place = match open {
            "(" => POSITIONAL.contains(&name),
            _ => before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ')'),
        };
        let Some(length) = text[at + 1..].find(['(', '[', ')', ']', ',', '"', '\'', '&', '|', '.'])
        else {
            continue;
        };
        // The index may also be a field or a length.
        let rest = &text[at + 1..];
        let end = match rest[length..].starts_with('.') {
            true => rest.find([',', '"', '\'', '&', '|', '[', ']', ')']),
            false => Some(length),
        };
        let Some(end) = end else {
            continue;
        };
        let end = match rest[..end].ends_with("len(") {
            true => end + 1,
            false => end,
        };
        let inner = rest[..end].trim();
        let is_whole = rest[end..].starts_with(close) && !inner.is_empty();
        if !is_place || !is_whole {
            continue;
        }
        let range = at + 1..at + 1 + end;
        match number(inner) {
            Some(_) => {
                let beside = neighbours(inner).into_iter().map(|(_, new)| new);
                let fits = beside.filter(|new| !new.starts_with('-'));
                found.extend(fits.map(|new| (range.clone(), new)));
            }
            None if inner.contains("..") => {}
            None => {
                // A sum with 1 loses it.
                for (tail, other) in [(" - 1", ""), (" + 1", ""), ("", " - 1"), ("", " + 1")] {
                    if let Some(bare) = inner.strip_suffix(tail)
                        && (tail.is_empty() != inner.ends_with(" 1"))
                    {
                        found.push((range.clone(), format!("{bare}{other}")));
                    }
                }
            }
        }
    }
    found
}

/// Numbers at the ends of ranges, and shift distances, moved by one: `24` in `(0..=24).contains(&h)`.
pub(super) fn ends(text: &str) -> Vec<(Range<usize>, String)> {
    let quoted = literals(text);
    let is_quoted = |at: usize| {
        quoted
            .iter()
            .any(|range| range.contains(&at) && range.start != at)
    };
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for mark in ["..", "<<", ">>"] {
        for (at, _) in text.match_indices(mark).filter(|(at, _)| !is_quoted(*at)) {
            let before = (mark == "..").then(|| number_before(text, at)).flatten();
            let after = number_after(text, at + mark.len());
            for range in before.into_iter().chain(after) {
                for new in beside(&text[range.clone()]) {
                    found.push((range.clone(), new));
                }
            }
        }
    }
    found
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number that ends before the byte `end`.
fn number_before(text: &str, end: usize) -> Option<Range<usize>> {
    let head = text[..end].trim_end();
    let start = head.trim_end_matches(is_part).len();
    let is_whole =
        !head[..start].ends_with('.') && head[start..].starts_with(|c: char| c.is_ascii_digit());
    is_whole.then_some(start..head.len())
}

/// The number that starts after the byte `start`, or after a `=` there.
fn number_after(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text[start..].strip_prefix('=').unwrap_or(&text[start..]);
    let rest = rest.trim_start();
    let from = text.len() - rest.len();
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let is_whole = !rest[length..].starts_with('.') || rest[length..].starts_with("..");
    (is_whole && rest.starts_with(|c: char| c.is_ascii_digit())).then_some(from..from + length)
}

/// The neighbours of a number, in its notation.
fn beside(text: &str) -> Vec<String> {
    let Some(digits) = text.strip_prefix("0x") else {
        let all = neighbours(text).into_iter().map(|(_, new)| new);
        return all.filter(|new| !new.starts_with('-')).collect();
    };
    let Ok(value) = u128::from_str_radix(digits, 16) else {
        return Vec::new();
    };
    let width = digits.len();
    let written = |value: u128| match digits.contains(|c: char| c.is_ascii_lowercase()) {
        true => format!("0x{value:0width$x}"),
        false => format!("0x{value:0width$X}"),
    };
    let all = [value.checked_add(1), value.checked_sub(1)];
    all.into_iter().flatten().map(written).collect()
}
