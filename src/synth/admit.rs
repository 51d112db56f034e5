//! Admission: which specs can be answered at all, and which of their rows the first pass must explain.

use super::table::Bits;
use crate::spec::{Pool, Row, Spec, Term, Type, Value};
use std::collections::HashMap;

/// The reason not to search for an expression, if there is one.
pub(super) fn unanswerable(spec: &Spec, pool: &Pool) -> Option<String> {
    if !spec.rows.iter().any(Row::constrains) && spec.any_of.is_empty() {
        return Some("no evaluation was recorded there that constrains a condition".into());
    }
    if !spec.rows.iter().all(|row| matches_pool(row, pool)) {
        return Some("the recorded values there do not match the terms".into());
    }
    let is_group =
        |group: &Vec<usize>| !group.is_empty() && group.iter().all(|row| *row < spec.rows.len());
    if !spec.any_of.iter().all(is_group) {
        return Some(
            "one of a group of evaluations there must change, but they are unknown".into(),
        );
    }
    match &spec.old {
        Some(old) if old.ty(pool) != Some(Type::Bool) => {
            return Some("the old condition there is no condition over the terms".into());
        }
        None if spec.old_is_impure => {
            return Some(
                "the old condition there has effects, but what it yields is unknown".into(),
            );
        }
        _ => {}
    }
    if contradicts(spec, |row| row.hard) {
        return Some(
            "what is captured there cannot tell apart evaluations that must have different outcomes"
                .into(),
        );
    }
    // An existing condition is edited all the same, since the limit may lie beyond what tests exercise.
    one_sided(spec).filter(|_| spec.old.is_none() || spec.old_is_impure)
}

/// Whether the row has a value of the right type, or none, for each term, and the constant for each literal.
fn matches_pool(row: &Row, pool: &Pool) -> bool {
    let fits = |(value, term): (&Option<Value>, &Term)| match (value, &term.constant) {
        (Some(value), _) if value.ty() != term.ty => false,
        (value, Some(_)) => *value == term.constant,
        _ => true,
    };
    row.values.len() == pool.terms.len() && row.values.iter().zip(&pool.terms).all(fits)
}

/// The reason to report if every expected outcome is the same. A spec with groups leaves outcomes open.
pub(super) fn one_sided(spec: &Spec) -> Option<String> {
    let first = spec.rows.first()?;
    (spec.any_of.is_empty() && spec.is_one_sided()).then(|| {
        let outcome = first.expected;
        format!(
            "every outcome observed there is the same, so only the constant `{outcome}` would explain it"
        )
    })
}

/// Whether two of the wanted rows have equal values and different expected outcomes.
pub(super) fn contradicts(spec: &Spec, wanted: impl Fn(&Row) -> bool) -> bool {
    let mut outcomes = HashMap::new();
    let mut rows = spec.rows.iter().filter(|row| wanted(row));
    rows.any(|row| *outcomes.entry(&row.values).or_insert(row.expected) != row.expected)
}

/// All hard rows, and the soft rows that no hard row and no heavier class of rows with equal values
/// contradicts.
pub(super) fn consistent(spec: &Spec) -> Bits {
    /// Total weight of each outcome; `u64::MAX` if a hard row has it.
    type Votes = [u64; 2];
    let mut classes: HashMap<_, usize> = HashMap::new();
    let mut votes: Vec<Votes> = Vec::new();
    let mut class_of = Vec::new();
    for row in &spec.rows {
        let class = *classes.entry(&row.values).or_insert(votes.len());
        if class == votes.len() {
            votes.push(Votes::default());
        }
        let weight = match row.hard {
            true => u64::MAX,
            false => u64::from(row.weight),
        };
        let vote = &mut votes[class][usize::from(row.expected)];
        *vote = vote.saturating_add(weight);
        class_of.push(class);
    }
    Bits::from_fn(spec.rows.len(), |row| {
        let [no, yes] = votes[class_of[row]];
        let row = &spec.rows[row];
        row.hard || row.constrains() && row.expected == (yes >= no)
    })
}
