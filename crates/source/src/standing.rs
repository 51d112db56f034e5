//! Conditions that stand near a place: a forgotten guard or `if` often tests what is already tested nearby.

use std::collections::BTreeSet;

use nopol_expr::Binding;

use super::condition::{Node, Shape};
use super::one_step::binding;
use super::words::{mentions, plain_names, words};
use super::{Site, SiteKind, Sources};

/// Most conditions for one place, each plain and negated.
const MOST: usize = 6;
/// The longest condition, in bytes, that is repeated. Longer ones are too specific.
const LONGEST: usize = 60;

/// The conditions of the same function, then of others of the same type and file, that read only names visible at a
/// place. Nearest first, each with its negation.
pub fn conditions<'s>(sources: &'s Sources, place: &Site) -> Vec<(&'s Site, String)> {
    let function = &sources.functions[place.function];
    let is_near = |other: &&Site| {
        let of = &sources.functions[other.function];
        other.file == place.file && of.owner == function.owner
    };
    let reads_visible = |other: &&Site| {
        let mut read = other
            .names
            .iter()
            .filter(|name| mentions(&other.text, &name.text));
        read.all(|name| place.names.iter().any(|known| known.text == name.text))
    };
    let is_short = |other: &&Site| {
        let is_condition = matches!(other.kind, SiteKind::If | SiteKind::While);
        is_condition && other.text.len() <= LONGEST && !other.text.contains('\n')
    };
    // The tests reject conditions with hidden side effects, and conditions whose variables have changed.
    let mut near: Vec<&Site> = sources
        .sites
        .iter()
        .filter(is_short)
        .filter(is_near)
        .filter(reads_visible)
        .filter(|other| other.is_pure != Some(false))
        .collect();
    let distance = |other: &Site| {
        let is_elsewhere = other.function != place.function;
        (is_elsewhere, other.line.abs_diff(place.line), other.line)
    };
    near.sort_by_key(|other| distance(other));
    let mut seen = BTreeSet::new();
    near.retain(|other| seen.insert(&*other.text));
    near.truncate(MOST);
    near.into_iter()
        .map(|other| {
            let opposite = sources.language.opposite(&other.text);
            (other, opposite.unwrap_or_else(|| negated(&other.text)))
        })
        .collect()
}

/// A clause of another condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingClause {
    /// Its text.
    pub text: String,
    /// How tightly it binds.
    pub binding: Binding,
    /// Whether `&&` joins it to the others there, and not `||`.
    pub is_and: bool,
    /// Whether it comes before the operator.
    pub is_before: bool,
    /// Whether the rest of the condition is built as that of the place is, as `v > max` and `v < min` are.
    pub is_alike: bool,
}

/// Most clauses for one condition.
const MOST_CLAUSES: usize = 8;

/// The clauses of other conditions of the same function that read only names visible at a place and have no side effects. Those that
/// share names with its condition come first, then the nearest. One that stands alone there may be joined in either way.
pub fn clauses(sources: &Sources, place: &Site) -> Vec<StandingClause> {
    let own = plain_names(&place.text);
    let own_names: BTreeSet<&str> = (words(&own).into_iter()).map(|it| &own[it]).collect();
    let others = sources.sites.iter().filter(|other| {
        other.function == place.function
            && other.span != place.span
            && other.kind.has_condition()
            && !other.text.contains('\n')
    });
    let mut found: Vec<((bool, bool, usize), StandingClause)> = Vec::new();
    for other in others {
        let text = plain_names(&other.text);
        let Some(tree) = sources.language.parse(&text) else {
            continue;
        };
        let mut here = Vec::new();
        joined(&tree, &text, None, &mut here);
        for mut clause in here {
            clause.is_alike = shape(&rest(&tree, &text, &clause.text)) == shape(&own);
            let names = words(&clause.text);
            let mut names = names.into_iter().map(|it| &clause.text[it]);
            let is_visible = |name: &&str| {
                let mut known = other.names.iter().filter(|known| known.text == **name);
                known.all(|_| place.names.iter().any(|visible| visible.text == **name))
            };
            let shared = names
                .clone()
                .filter(|name| own_names.contains(name))
                .count();
            if clause.text.len() > LONGEST
                || !names.all(|name| is_visible(&name))
                || !sources.language.is_surely_pure(&clause.text)
            {
                continue;
            }
            let distance = other.line.abs_diff(place.line);
            let rank = (!clause.is_alike, shared == 0, distance);
            found.push((rank, clause));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    let mut clauses: Vec<StandingClause> = Vec::new();
    for (_, clause) in found {
        if clauses.len() < MOST_CLAUSES && !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    clauses
}

/// A condition without this clause and the operator that joins it; empty if it is the whole condition.
fn rest(tree: &Node, text: &str, clause: &str) -> String {
    let (Shape::And(a, b) | Shape::Or(a, b)) = &tree.shape else {
        return String::new();
    };
    let of = |node: &Node| &text[node.span.clone()];
    match (of(a) == clause, of(b) == clause) {
        (true, _) => of(b).to_owned(),
        (_, true) => of(a).to_owned(),
        _ => String::new(),
    }
}

/// A text with its names and numbers as one mark each, and its comparisons as another one.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        let c = match c {
            c if c.is_alphanumeric() || c == '_' => 'x',
            '<' | '>' | '=' | '!' => '<',
            c => c,
        };
        if !matches!(c, 'x' | '<') || !shape.ends_with(c) {
            shape.push(c);
        }
    }
    shape
}

/// The clauses of a condition, given how it is joined to others.
fn joined(node: &Node, text: &str, within: Option<(bool, bool)>, found: &mut Vec<StandingClause>) {
    let (a, b, is_and) = match &node.shape {
        Shape::And(a, b) => (a, b, true),
        Shape::Or(a, b) => (a, b, false),
        _ => {
            let ways = match within {
                Some(way) => vec![way],
                None => vec![(true, false), (false, false)],
            };
            for (is_and, is_before) in ways {
                found.push(StandingClause {
                    text: text[node.span.clone()].to_owned(),
                    binding: binding(node),
                    is_and,
                    is_before,
                    is_alike: false,
                });
            }
            return;
        }
    };
    joined(a, text, Some((is_and, true)), found);
    joined(b, text, Some((is_and, false)), found);
}

/// The negation of a condition that is not an equality.
fn negated(text: &str) -> String {
    let is_atom = |text: &str| !text.contains([' ', '<', '>', '=']);
    match text.strip_prefix('!') {
        Some(inner) if is_atom(inner) => inner.to_owned(),
        _ if is_atom(text) => format!("!{text}"),
        _ => format!("!({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::{negated, shape};

    #[test]
    fn conditions_that_differ_in_names_and_comparisons_are_alike() {
        assert_eq!(shape("v > s.max"), shape("value<= t.min"));
        assert_ne!(shape("v > s.max"), shape("v > max"));
        assert_ne!(shape("f(v) == 0"), shape("v == 0"));
    }

    #[test]
    fn a_negation_is_removed_or_added() {
        for (text, wanted) in [
            ("f.alternate()", "!f.alternate()"),
            ("!self.is_empty()", "self.is_empty()"),
            ("a < b", "!(a < b)"),
            ("!a && b", "!(!a && b)"),
        ] {
            assert_eq!(negated(text), wanted);
        }
    }
}
