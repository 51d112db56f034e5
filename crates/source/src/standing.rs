//! Conditions that stand near a place: a forgotten guard or `if` often tests what is already tested nearby.

use std::collections::BTreeSet;

use super::words::mentions;
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
    use super::negated;

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
