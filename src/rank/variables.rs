//! Which variables people ask about at a place: mostly those that the lines around it mention. Learned from edits of
//! people (`cargo xtask learn variables`), who saw no recorded values either.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::words::words;

use super::features::texts::has_word;

/// What is known of a variable at a place; see [`Place::row`].
pub const FEATURES: usize = 10;

/// What is known of a variable, as numbers.
pub type Row = [f64; FEATURES];

/// Where there was no condition: learned from guards and wrapped statements of 57 repositories, 822 in all. Of 141 that were
/// held back, by repository, a variable asked about was first among the visible ones in 53 %; by chance in 26 %.
const OF_NEW: Row = [1.14, 0.26, 0.81, 0.41, 0.77, 0.13, 0.63, 0.46, 0.25, 0.09];
/// For a clause that is added to a condition: 375, and 70 % instead of 23 % of the 53 that were held back.
const OF_CLAUSE: Row = [0.19, 0.60, 0.18, 0.17, 0.45, 0.36, 1.85, 0.59, 0.06, -0.39];
/// The mean score of what people asked about: in guards, and in conditions of statements. Where there is a condition, by how
/// much it differs from the largest there: which condition gets a clause is not learned.
const USUAL: [f64; 2] = [2.44, 2.84];
const USUAL_OF_CLAUSE: f64 = -0.66;
/// Bytes after a place that are looked at.
const NEAR: usize = 1500;
/// The largest relevance, and the largest irrelevance.
const LARGEST: f64 = 2.0;
/// Words in lower case that are no variables.
const KEYWORDS: [&str; 27] = [
    "if", "else", "let", "mut", "ref", "return", "for", "in", "while", "loop", "match", "self",
    "fn", "pub", "as", "break", "continue", "true", "false", "move", "unsafe", "const", "static",
    "where", "dyn", "await", "matches",
];

/// A place in a function's text.
#[derive(Debug)]
pub struct Place<'t> {
    signature: &'t str,
    before: &'t str,
    near: &'t str,
    /// The old condition, or what a new one controls.
    about: &'t str,
    is_condition: bool,
    /// Statements are there that get a condition.
    is_wrap: bool,
    /// Lines with code before and after the place, nearest first.
    lines: [Vec<&'t str>; 2],
}

impl<'t> Place<'t> {
    /// The place with this span: of a condition, or of what gets one, which is empty where something is inserted. `body` is
    /// what a new condition controls; `None` for a place that has a condition.
    pub fn new(function: &'t str, span: Range<usize>, body: Option<&'t str>) -> Self {
        let is_condition = body.is_none();
        let is_wrap = !is_condition && !span.is_empty();
        let before = function.get(..span.start).unwrap_or_default();
        let rest = match is_condition {
            true => span.end,
            false => span.start,
        };
        let about = body.unwrap_or_else(|| function.get(span).unwrap_or_default());
        let after = function.get(rest..).unwrap_or_default();
        let code = |line: &'t str| {
            let line = line.trim();
            (!line.is_empty() && !line.starts_with("//")).then_some(line)
        };
        let mut lines_before: Vec<&str> = before.lines().rev().filter_map(code).collect();
        let mut lines_after: Vec<&str> = after.lines().filter_map(code).collect();
        if is_condition {
            // The line of the condition itself says nothing.
            let heads = ["if", "while", "let", "return", "} else if"];
            let is_head = |line: &&str| heads.iter().any(|head| line.starts_with(head));
            if lines_before.first().is_some_and(is_head) {
                lines_before.remove(0);
            }
            if lines_after.first() == Some(&"{") {
                lines_after.remove(0);
            }
        }
        let end = (NEAR..after.len()).find(|end| after.is_char_boundary(*end));
        Self {
            signature: before.split('{').next().unwrap_or_default(),
            before,
            near: &after[..end.unwrap_or(after.len())],
            about,
            is_condition,
            is_wrap,
            lines: [lines_before, lines_after],
        }
    }

    /// Parameters, variables bound before the place by `let` and `for`, and fields of `self` that are mentioned around it.
    pub fn variables(&self) -> BTreeSet<&'t str> {
        let mut found = BTreeSet::new();
        for range in words(self.signature) {
            let after = self.signature[range.end..].trim_start();
            let name = &self.signature[range];
            if is_variable(name) && after.starts_with(':') && !after.starts_with("::") {
                found.insert(name);
            }
        }
        for range in words(self.before) {
            let rest = &self.before[range.end..];
            let pattern = match &self.before[range] {
                "let" => rest.split('=').next().unwrap_or_default(),
                "for" => rest.split(" in ").next().unwrap_or_default(),
                _ => continue,
            };
            found.extend(bound(pattern));
        }
        for text in [self.before, self.near] {
            for range in words(text) {
                let name = &text[range.clone()];
                let is_field = text[..range.start].ends_with("self.");
                if is_field && is_variable(name) && !text[range.end..].starts_with('(') {
                    found.insert(name);
                }
            }
        }
        found
    }

    /// Whether the line before binds it, that line mentions it, one of the three lines before does, the line after, one of
    /// the three lines after, the signature, or the old condition or what a new one controls; the logarithm of how often it
    /// is mentioned; whether it is a field of `self`; whether it is that of a loop.
    pub fn row(&self, variable: &str) -> Row {
        let [before, after] = &self.lines;
        let of = |is: bool| f64::from(u8::from(is));
        let mentions = |lines: &[&str], most: usize| {
            of(lines.iter().take(most).any(|it| has_word(it, variable)))
        };
        let binds = before.first().is_some_and(|line| {
            let bound = line
                .strip_prefix("let ")
                .and_then(|rest| rest.split_once('='));
            bound.is_some_and(|(pattern, _)| has_word(pattern, variable))
        });
        let number = |text: &str| {
            let all = words(text).into_iter();
            all.filter(|range| &text[range.clone()] == variable).count()
        };
        let often = number(self.before) + number(self.near);
        let is_bound = |by: &str| {
            let mut all = words(self.before).into_iter();
            all.any(|range| {
                let rest = &self.before[range.end..];
                let pattern = rest.split(['=', '{', '\n']).next().unwrap_or_default();
                &self.before[range] == by && bound(pattern).any(|name| name == variable)
            })
        };
        let owned = format!("self.{variable}");
        let is_field = [self.before, self.about, self.near]
            .iter()
            .any(|text| text.contains(&owned));
        // The line after a condition begins its body.
        let next = match self.is_condition {
            true => 2,
            false => 1,
        };
        [
            of(binds),
            mentions(before, 1),
            mentions(before, 3),
            mentions(after, next),
            mentions(after, 3),
            of(has_word(self.signature, variable)),
            of(has_word(self.about, variable)),
            (1.0 + often as f64).ln(),
            of(is_field && !is_bound("let")),
            of(is_bound("for")),
        ]
    }

    /// How likely the variables of a clause are, as a mean of logarithms: 0 if as likely as those that people ask about, or if
    /// it has none of the place's variables.
    pub fn relevance(&self, clause: &str) -> f64 {
        let asked: BTreeSet<&str> = asked(clause).collect();
        let weights = match self.is_condition {
            true => OF_CLAUSE,
            false => OF_NEW,
        };
        let score = |variable: &&str| -> f64 {
            let row = self.row(variable);
            let weighted = row.iter().zip(weights);
            weighted.map(|(value, weight)| value * weight).sum()
        };
        let known = self.variables();
        let own: Vec<f64> = known.intersection(&asked).map(score).collect();
        if own.is_empty() {
            return 0.0;
        }
        let usual = match self.is_condition {
            true => known.iter().map(score).fold(f64::NEG_INFINITY, f64::max) + USUAL_OF_CLAUSE,
            false => USUAL[usize::from(self.is_wrap)],
        };
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        // Statements mention what is asked about them more often than a condition does that could be edited instead.
        let largest = match self.is_wrap {
            true => 0.0,
            false => LARGEST,
        };
        (mean - usual).clamp(-LARGEST, largest)
    }
}

/// The variables that a pattern binds, without its type.
fn bound(pattern: &str) -> impl Iterator<Item = &str> {
    let is_type = |at: &usize| {
        let rest = &pattern[*at + 1..];
        let inside = pattern[..*at].contains('{');
        !inside && !rest.starts_with(':') && !pattern[..*at].ends_with(':')
    };
    let mut colons = pattern.match_indices(':').map(|(at, _)| at);
    let pattern = &pattern[..colons.find(is_type).unwrap_or(pattern.len())];
    asked(pattern)
}

/// The names in a clause that may be variables: those in lower case that are not called.
pub fn asked(clause: &str) -> impl Iterator<Item = &str> {
    let ranges = words(clause).into_iter();
    let names = ranges.filter(|range| !clause[range.end..].starts_with(['(', '!']));
    names
        .map(|range| &clause[range])
        .filter(|name| is_variable(name))
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_lowercase() || first == '_')
        && !KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn next(&mut self, data: &[u8]) -> Option<u8> {
    let kind = data[0];
    // How long it is.
    let size = usize::from(data[1]);
    let own = data.get(..size)?;
    self.left -= 1;
    Some(kind)
}";

    #[test]
    fn what_was_just_bound_and_is_used_next_is_asked_about() {
        let at = TEXT.find("let own").unwrap();
        let place = Place::new(TEXT, at..at, Some("return None;"));
        let variables: Vec<&str> = place.variables().into_iter().collect();
        assert_eq!(variables, ["data", "kind", "left", "size"]);
        let relevance = |clause: &str| place.relevance(clause);
        assert!(relevance("size < 2") > relevance("data.len() < 2"));
        assert!(relevance("size < 2") > 0.0 && relevance("self.left == 2") < 0.0);
        let of_kind = Place::new(TEXT, at..at, Some("return Some(kind);"));
        assert!(of_kind.relevance("kind == 2") > relevance("kind == 2"));
        assert!(relevance("MOST < 2").abs() < 1e-9);
    }

    #[test]
    fn what_a_condition_asks_about_is_asked_about_again() {
        let text = "fn f(low: u8, high: u8, name: &str) -> u8 {\n    if low > 3 {\n        return high;\n    }\n    0\n}";
        let at = text.find("low > 3").unwrap();
        let place = Place::new(text, at..at + 7, None);
        let relevance = |clause: &str| place.relevance(clause);
        assert!(relevance("low < 9") > relevance("high < 9"));
        assert!(relevance("high < 9") > relevance("name.is_empty()"));
    }
}
