//! One more or one fewer alternative: in the pattern of a `matches!`, or in a list that is searched for a value. New
//! ones resemble the existing ones.

use std::ops::Range;

use super::{Edits, Step};
use crate::clauses;
use crate::condition::Node;

/// Most alternatives added to a pattern or a list.
const MOST_ADDED: usize = 8;

/// A list: its elements, and the separator between them.
#[derive(Debug, PartialEq, Eq)]
struct List {
    elements: Vec<Range<usize>>,
    separator: &'static str,
}

impl Edits<'_> {
    /// Adds the edits of the lists in an operand.
    pub(super) fn alternatives(&mut self, node: &Node) {
        let text = self.source(node);
        let here = |range: Range<usize>| node.span.start + range.start..node.span.start + range.end;
        for List {
            elements,
            separator,
        } in patterns(&text).into_iter().chain(lists(&text))
        {
            if let [_, _, ..] = &elements[..] {
                for (nth, element) in elements.iter().enumerate() {
                    let gone = match elements.get(nth + 1) {
                        Some(next) => element.start..next.start,
                        None => elements[nth - 1].end..element.end,
                    };
                    self.put(Step::AlternativeRemoved, vec![(here(gone), String::new())]);
                }
            }
            let Some(last) = elements.last().cloned() else {
                continue;
            };
            let known: Vec<&str> = elements.iter().map(|range| &text[range.clone()]).collect();
            let mut added: Vec<String> = Vec::new();
            let mut like: Vec<(usize, String)> = Vec::new();
            for element in &known {
                let of_element = clauses::like(element, self.nearby.around);
                like.extend(of_element.into_iter().enumerate());
            }
            // Take turns, so that no element crowds out the variants of others.
            like.sort_by_key(|(nth, _)| *nth);
            for (_, new) in like {
                if added.len() < MOST_ADDED && !known.contains(&&*new) && !added.contains(&new) {
                    added.push(new);
                }
            }
            for new in added {
                let at = here(last.end..last.end);
                self.put(
                    Step::AlternativeAdded,
                    vec![(at, format!("{separator}{new}"))],
                );
            }
        }
    }
}

/// The patterns of each `matches!` in a text.
fn patterns(text: &str) -> Vec<List> {
    let opened = text.match_indices("matches!(");
    let of_macro = opened.filter_map(|(at, head)| {
        let start = at + head.len();
        let end = closing(text, start)?;
        let comma = split(text, start..end, ",").first()?.end;
        let pattern = text.get(comma + 1..end)?;
        let guard = split(text, comma + 1..end, " if ").first()?.end;
        let end = match guard < end {
            true => guard,
            // The pattern may end with a comma.
            false => comma + 1 + pattern.trim_end().trim_end_matches(',').len(),
        };
        Some(List {
            elements: trimmed(text, split(text, comma + 1..end, "|")),
            separator: " | ",
        })
    });
    of_macro.collect()
}

/// The array literals in a text on which `contains` is called.
fn lists(text: &str) -> Vec<List> {
    let asked = text.match_indices("].contains(");
    let of_array = asked.filter_map(|(end, _)| {
        let starts = text[..end].match_indices('[').map(|(at, _)| at);
        let start = starts
            .filter(|at| closing(text, at + 1) == Some(end))
            .find(|at| {
                // An index expression is not an array literal.
                !text[..*at].ends_with(|c: char| c.is_alphanumeric() || "_)]!".contains(c))
            })?;
        let elements = trimmed(text, split(text, start + 1..end, ","));
        (!elements.is_empty()).then_some(List {
            elements,
            separator: ", ",
        })
    });
    of_array.collect()
}

/// The ranges without surrounding white space. Empty ones are dropped.
fn trimmed(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let trim = |range: Range<usize>| {
        let part = &text[range.clone()];
        let start = range.start + part.len() - part.trim_start().len();
        start..start + part.trim().len()
    };
    let trimmed = ranges.into_iter().map(trim);
    trimmed.filter(|range| !range.is_empty()).collect()
}

/// The byte of the bracket that closes one opened before `start`.
fn closing(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    outside_of_literals(text, start).find_map(|(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// The parts of a range between separators outside brackets and literals.
fn split(text: &str, range: Range<usize>, separator: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (range.start, 0_usize);
    for (at, c) in outside_of_literals(text, range.start) {
        if at >= range.end {
            break;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= start && text[at..range.end].starts_with(separator) {
            parts.push(start..at);
            start = at + separator.len();
        }
    }
    parts.push(start..range.end);
    parts
}

/// The characters outside literals, from the byte `start` on.
fn outside_of_literals(text: &str, start: usize) -> impl Iterator<Item = (usize, char)> {
    let literals = clauses::literals(text);
    let is_outside = move |at: usize| !literals.iter().any(|range| range.contains(&at));
    let chars = text[start..].char_indices();
    chars
        .map(move |(at, c)| (start + at, c))
        .filter(move |(at, _)| is_outside(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, found: &[List]) -> Vec<Vec<String>> {
        let of_list = |list: &List| {
            let elements = list.elements.iter();
            elements
                .map(|range| text[range.clone()].to_owned())
                .collect()
        };
        found.iter().map(of_list).collect()
    }

    #[test]
    fn alternatives_are_those_of_the_outermost_pattern() {
        for (text, wanted) in [
            (
                "matches!(a.b(c, d), A | B(1 | 2) | C)",
                &["A", "B(1 | 2)", "C"][..],
            ),
            ("matches!(c, '|' | ',' | b'\"')", &["'|'", "','", "b'\"'"]),
            ("matches!(\n    a,\n    A\n        | B,\n)", &["A", "B"]),
            ("matches!(a, Some(n) if n > 1 || n < 0)", &["Some(n)"]),
        ] {
            assert_eq!(texts(text, &patterns(text)), [wanted], "{text}");
        }
        assert_eq!(patterns("matches!(a)"), []);
    }

    #[test]
    fn elements_are_those_of_the_list_that_is_searched() {
        let elements = |text: &str| texts(text, &lists(text));
        assert_eq!(elements("[A, f(1, 2)].contains(&a[1])"), [["A", "f(1, 2)"]]);
        assert_eq!(elements("v[at..].contains(&n)"), Vec::<Vec<String>>::new());
    }
}
