//! Positions inside an operand that are off by one: an index, or what is in `Some(…)`.

use std::ops::Range;

use super::{neighbours, number};
use crate::words::words;

/// What takes a position or a number, and is often off by one.
const POSITIONAL: [&str; 6] = ["Some", "Ok", "get", "nth", "take", "skip"];

/// The index or the only argument inside an operand, off by one.
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
        // A field or the length of something may stand there, too.
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
                // What is off by one already is put right.
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
