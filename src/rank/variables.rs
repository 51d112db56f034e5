//! Estimates which variables people test at a place: mostly those that the lines around it mention. Learned from edits
//! of people (`cargo xtask learn variables`), who did not see recorded values either.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::words::words;

use super::features::texts::has_word;

/// Number of features of a variable at a place; see [`Place::row`].
pub const FEATURES: usize = 10;

/// The features of a variable.
pub type Row = [f64; FEATURES];

/// Weights for new conditions, learned from 822 guards and wrapped statements of 57 repositories. For 141 held-out
/// ones, of other repositories, a tested variable ranks first among the visible ones in 53 % (by chance: 26 %).
const OF_NEW: Row = [1.14, 0.26, 0.81, 0.41, 0.77, 0.13, 0.63, 0.46, 0.25, 0.09];
/// Weights for clauses added to a condition, learned from 375 clauses. For 53 held-out ones, a tested variable ranks
/// first in 70 % (by chance: 23 %).
const OF_CLAUSE: Row = [0.19, 0.60, 0.18, 0.17, 0.45, 0.36, 1.85, 0.59, 0.06, -0.39];
/// The mean score of the variables that people tested in guards and in conditions of statements.
const USUAL: [f64; 2] = [2.44, 2.84];
/// For added clauses, the mean difference of that score from the largest score at the place: the model does not learn
/// which condition gets a clause.
const USUAL_OF_CLAUSE: f64 = -0.66;
/// Bytes of text after a place that are read.
const NEAR: usize = 1500;
/// The bound on the relevance, positive and negative.
const LARGEST: f64 = 2.0;
/// Lower-case words that are not variables.
const KEYWORDS: [&str; 27] = [
    "if", "else", "let", "mut", "ref", "return", "for", "in", "while", "loop", "match", "self",
    "fn", "pub", "as", "break", "continue", "true", "false", "move", "unsafe", "const", "static",
    "where", "dyn", "await", "matches",
];

/// A place in the text of a function.
#[derive(Debug)]
pub struct Place<'t> {
    signature: &'t str,
    before: &'t str,
    near: &'t str,
    /// The old condition, or the code that a new one controls.
    about: &'t str,
    is_condition: bool,
    /// Whether a condition is put around existing statements.
    is_wrap: bool,
    /// Lines with code before and after the place, nearest first.
    lines: [Vec<&'t str>; 2],
}

impl<'t> Place<'t> {
    /// The place with this span: that of a condition or of wrapped statements, or an empty one for an insertion. `body`
    /// is the code that a new condition controls; `None` for an existing condition.
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
            // The line of the condition itself is not context.
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

    /// Parameters, variables bound before the place by `let` and `for`, and fields of `self` mentioned around it.
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

    /// The features of a variable, each 0 or 1 but the eighth: the line before binds it; the line before mentions it;
    /// one of the three lines before; the line after; one of the three lines after; the signature; the old condition or
    /// the code that a new one controls; the logarithm of 1 plus its number of mentions; it is a field of `self`; a
    /// `for` loop binds it.
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
        // The line after a condition starts its body.
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

    /// The relevance of a clause: the mean score of its variables relative to the usual score of variables that people
    /// test. 0 if it has none of the place's variables.
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
        // Statements mention their variables more often than conditions do, so they get no positive relevance.
        let largest = match self.is_wrap {
            true => 0.0,
            false => LARGEST,
        };
        (mean - usual).clamp(-LARGEST, largest)
    }
}

/// The variables that a pattern binds. Its type is ignored.
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

/// The names in a clause that may be variables: lower-case names that are not called.
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
    fn variables_just_bound_and_used_next_are_relevant() {
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
    fn variables_of_a_condition_are_relevant_to_new_clauses() {
        let text = "fn f(low: u8, high: u8, name: &str) -> u8 {\n    if low > 3 {\n        return high;\n    }\n    0\n}";
        let at = text.find("low > 3").unwrap();
        let place = Place::new(text, at..at + 7, None);
        let relevance = |clause: &str| place.relevance(clause);
        assert!(relevance("low < 9") > relevance("high < 9"));
        assert!(relevance("high < 9") > relevance("name.is_empty()"));
    }
}
