//! Estimates which variables people test at a place: mostly those that the lines around it mention. Learned from edits
//! of people (`cargo xtask learn variables`), who did not see recorded values either.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::Language;
use nopol_source::c::code::code;
use nopol_source::words::words;

use super::features::texts::has_word;

/// Number of features of a variable at a place; see [`Place::row`].
pub const FEATURES: usize = 10;

/// The features of a variable.
pub type Row = [f64; FEATURES];

/// What was learned from the edits of one language.
struct Learned {
    /// Weights for new conditions.
    of_new: Row,
    /// Weights for clauses added to a condition.
    of_clause: Row,
    /// The mean score of the variables that people tested in guards and in conditions of statements.
    usual: [f64; 2],
    /// Whether that is the difference from the largest score at the place: then only variables of one place compare, not places.
    is_by_place: bool,
    /// For added clauses, the mean difference of that score from the largest score at the place: the model does not learn
    /// which condition gets a clause.
    usual_of_clause: f64,
}

/// From 822 guards and wrapped statements of 57 repositories, and 375 clauses. For 141 held-out guards and statements, of other
/// repositories, a tested variable ranks first among the visible ones in 53 % (by chance: 26 %); for 53 clauses in 70 % (by
/// chance: 23 %).
const RUST: Learned = Learned {
    of_new: [1.14, 0.26, 0.81, 0.41, 0.77, 0.13, 0.63, 0.46, 0.25, 0.09],
    of_clause: [0.19, 0.60, 0.18, 0.17, 0.45, 0.36, 1.85, 0.59, 0.06, -0.39],
    usual: [2.44, 2.84],
    is_by_place: false,
    usual_of_clause: -0.66,
};

/// From 561 guards and wrapped statements of 36 repositories, and 182 clauses. For 90 held-out guards and statements, of other
/// repositories, a tested variable ranks first in 59 % (by chance: 14 %); for 37 clauses in 64 % (by chance: 15 %).
const C: Learned = Learned {
    of_new: [1.42, -0.14, 0.62, 1.06, 0.71, 0.66, 0.47, 0.51, 0.27, 0.51],
    of_clause: [0.90, 0.06, 0.51, -0.32, 0.72, 0.03, 1.87, 0.38, -0.54, 0.03],
    usual: [-0.74, -0.83],
    is_by_place: true,
    usual_of_clause: -0.83,
};

/// Bytes of text after a place that are read.
const NEAR: usize = 1500;
/// The bound on the relevance, positive and negative.
const LARGEST: f64 = 2.0;
/// Lower-case words of Rust that are not variables.
const KEYWORDS: [&str; 27] = [
    "if", "else", "let", "mut", "ref", "return", "for", "in", "while", "loop", "match", "self",
    "fn", "pub", "as", "break", "continue", "true", "false", "move", "unsafe", "const", "static",
    "where", "dyn", "await", "matches",
];

/// The same of C.
const KEYWORDS_OF_C: [&str; 34] = [
    "if", "else", "return", "for", "while", "do", "switch", "case", "default", "break", "continue",
    "goto", "sizeof", "true", "false", "int", "char", "short", "long", "float", "double", "void",
    "signed", "unsigned", "bool", "struct", "union", "enum", "const", "volatile", "static",
    "extern", "register", "inline",
];

/// A place in the text of a function.
#[derive(Debug)]
pub struct Place<'t> {
    language: Language,
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
    pub fn new(
        language: Language,
        function: &'t str,
        span: Range<usize>,
        body: Option<&'t str>,
    ) -> Self {
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
            let is_comment = line.starts_with("//")
                || language == Language::C && (line.starts_with("/*") || line.starts_with("* "));
            (!line.is_empty() && !is_comment).then_some(line)
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
            language,
            signature: before.split('{').next().unwrap_or_default(),
            before,
            near: &after[..end.unwrap_or(after.len())],
            about,
            is_condition,
            is_wrap,
            lines: [lines_before, lines_after],
        }
    }

    /// In Rust parameters, variables bound before the place by `let` and `for`, and fields of `self` mentioned around it. In C
    /// all names up to the place, and the members mentioned around it.
    pub fn variables(&self) -> BTreeSet<&'t str> {
        if self.language == Language::C {
            return self.variables_of_c();
        }
        let mut found = BTreeSet::new();
        for range in words(self.signature) {
            let after = self.signature[range.end..].trim_start();
            let name = &self.signature[range];
            if is_variable(self.language, name)
                && after.starts_with(':')
                && !after.starts_with("::")
            {
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
                if is_field
                    && is_variable(self.language, name)
                    && !text[range.end..].starts_with('(')
                {
                    found.insert(name);
                }
            }
        }
        found
    }

    fn variables_of_c(&self) -> BTreeSet<&'t str> {
        let mut found = BTreeSet::new();
        let mut types = BTreeSet::new();
        for (text, is_before) in [(self.before, true), (self.near, false)] {
            let code = code(text);
            let Ok(code) = str::from_utf8(&code) else {
                continue;
            };
            for range in words(code) {
                let (before, after) = (&code[..range.start], &code[range.end..]);
                let name = &text[range];
                if names_type(after) {
                    types.insert(name);
                }
                let is_here = is_before || is_member(before);
                if is_here
                    && is_variable(self.language, name)
                    && !after.trim_start().starts_with('(')
                {
                    found.insert(name);
                }
            }
        }
        found.difference(&types).copied().collect()
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
            let bound = match self.language {
                Language::Rust => line
                    .strip_prefix("let ")
                    .and_then(|rest| rest.split_once('=')),
                Language::C => line.split_once('='),
            };
            bound.is_some_and(|(pattern, value)| {
                let assigns = !value.starts_with('=') && !pattern.contains(['(', '<', '>', '!']);
                let is_bound = self.language == Language::Rust || assigns;
                is_bound && has_word(pattern, variable)
            })
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
        let around = [self.before, self.about, self.near];
        let is_field = match self.language {
            Language::Rust => {
                let owned = format!("self.{variable}");
                around.iter().any(|text| text.contains(&owned)) && !is_bound("let")
            }
            Language::C => around.iter().any(|text| {
                let mut all = words(text).into_iter();
                all.any(|at| &text[at.clone()] == variable && is_member(&text[..at.start]))
            }),
        };
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
            of(is_field),
            of(is_bound("for")),
        ]
    }

    /// The relevance of a clause: the mean score of its variables relative to the usual score of variables that people
    /// test. 0 if it has none of the place's variables.
    pub fn relevance(&self, clause: &str) -> f64 {
        let asked: BTreeSet<&str> = asked(self.language, clause).collect();
        let learned = match self.language {
            Language::Rust => &RUST,
            Language::C => &C,
        };
        let weights = match self.is_condition {
            true => learned.of_clause,
            false => learned.of_new,
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
            true => learned.usual_of_clause,
            false => learned.usual[usize::from(self.is_wrap)],
        };
        let usual = match self.is_condition || learned.is_by_place {
            true => known.iter().map(score).fold(f64::NEG_INFINITY, f64::max) + usual,
            false => usual,
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

/// The variables that a pattern of Rust binds. Its type is ignored.
fn bound(pattern: &str) -> impl Iterator<Item = &str> {
    let is_type = |at: &usize| {
        let rest = &pattern[*at + 1..];
        let inside = pattern[..*at].contains('{');
        !inside && !rest.starts_with(':') && !pattern[..*at].ends_with(':')
    };
    let mut colons = pattern.match_indices(':').map(|(at, _)| at);
    let pattern = &pattern[..colons.find(is_type).unwrap_or(pattern.len())];
    asked(Language::Rust, pattern)
}

/// The names in a clause that may be variables: lower-case names that are not called.
pub fn asked(language: Language, clause: &str) -> impl Iterator<Item = &str> {
    let ranges = words(clause).into_iter();
    // `name!(…)` is a macro of Rust, `name!=…` a comparison.
    let is_called =
        |rest: &str| rest.starts_with('(') || rest.starts_with('!') && !rest.starts_with("!=");
    let names = ranges.filter(move |range| !is_called(&clause[range.end..]));
    names
        .map(|range| &clause[range])
        .filter(move |name| is_variable(language, name))
}

fn is_variable(language: Language, name: &str) -> bool {
    let keywords = match language {
        Language::Rust => &KEYWORDS[..],
        Language::C => &KEYWORDS_OF_C,
    };
    name.starts_with(|first: char| first.is_lowercase() || first == '_')
        && !keywords.contains(&name)
}

/// Whether a name that ends here is a member of something.
fn is_member(before: &str) -> bool {
    before.ends_with("->") || before.ends_with('.') && !before.ends_with("..")
}

/// C: whether the name before this text is a type there: another name follows, or asterisks beside one.
fn names_type(after: &str) -> bool {
    let rest = after.trim_start_matches('*');
    let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // `a * b` is a product.
    let is_close = rest.trim_start().starts_with('*') && !rest.trim_start().starts_with("* ");
    let name = rest.trim_start().trim_start_matches('*');
    rest.starts_with(char::is_whitespace)
        && is_name(name)
        && (is_close || is_name(rest.trim_start()))
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
        let place = Place::new(Language::Rust, TEXT, at..at, Some("return None;"));
        let variables: Vec<&str> = place.variables().into_iter().collect();
        assert_eq!(variables, ["data", "kind", "left", "size"]);
        let relevance = |clause: &str| place.relevance(clause);
        assert!(relevance("size < 2") > relevance("data.len() < 2"));
        assert!(relevance("size < 2") > 0.0 && relevance("self.left == 2") < 0.0);
        let of_kind = Place::new(Language::Rust, TEXT, at..at, Some("return Some(kind);"));
        assert!(of_kind.relevance("kind == 2") > relevance("kind == 2"));
        assert!(relevance("MOST < 2").abs() < 1e-9);
    }

    #[test]
    fn variables_of_a_condition_are_relevant_to_new_clauses() {
        let text = "fn f(low: u8, high: u8, name: &str) -> u8 {\n    if low > 3 {\n        return high;\n    }\n    0\n}";
        let at = text.find("low > 3").unwrap();
        let place = Place::new(Language::Rust, text, at..at + 7, None);
        let relevance = |clause: &str| place.relevance(clause);
        assert!(relevance("low < 9") > relevance("high < 9"));
        assert!(relevance("high < 9") > relevance("name.is_empty()"));
    }

    #[test]
    fn names_and_members_are_the_variables_of_c() {
        let text = "static int next(struct list *at, size_t size) {
    json_value *const first = at->first;
    int kind = first->kind, *last;
    size_t left = size * 2;
    // How long it is.
    last = table[kind];
    return count(last, MOST, first->size, at->name);
}";
        let at = text.find("last = table").unwrap();
        let place = Place::new(Language::C, text, at..at, Some("return 0;"));
        let variables: Vec<&str> = place.variables().into_iter().collect();
        assert_eq!(
            variables,
            ["at", "first", "kind", "last", "left", "name", "size"]
        );
        let asked: Vec<&str> =
            asked(Language::C, "last!=NULL && first->size > count(kind)").collect();
        assert_eq!(asked, ["last", "first", "size", "kind"]);
        let row = place.row("left");
        assert_eq!(&row[..3], [1.0, 1.0, 1.0]);
        assert_eq!(place.row("name")[8], 1.0);
    }
}
