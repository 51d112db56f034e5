//! Which specs can be answered at all, and which of their rows a first search must explain.

use super::table::Bits;
use crate::spec::{Pool, Row, Spec, Term, Type, Value};
use std::collections::HashMap;

/// Why no expression could or should be looked for.
pub(super) fn unanswerable(spec: &Spec, pool: &Pool) -> Option<String> {
    if !spec.rows.iter().any(Row::constrains) && spec.any_of.is_empty() {
        return Some("no evaluation was recorded there that constrains a condition".into());
    }
    if !spec.rows.iter().all(|row| is_of(row, pool)) {
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
    // Where there is a condition to edit, a limit may be out of sight of all tests.
    one_sided(spec).filter(|_| spec.old.is_none() || spec.old_is_impure)
}

/// Whether the row has a value of its type, or none, for each term, and for a literal its own.
fn is_of(row: &Row, pool: &Pool) -> bool {
    let fits = |(value, term): (&Option<Value>, &Term)| match (value, &term.constant) {
        (Some(value), _) if value.ty() != term.ty => false,
        (value, Some(_)) => *value == term.constant,
        _ => true,
    };
    row.values.len() == pool.terms.len() && row.values.iter().zip(&pool.terms).all(fits)
}

/// What there is to say if every outcome is the same. With groups the outcomes are not given.
pub(super) fn one_sided(spec: &Spec) -> Option<String> {
    let first = spec.rows.first()?;
    (spec.any_of.is_empty() && spec.is_one_sided()).then(|| {
        let outcome = first.expected;
        format!(
            "every outcome observed there is the same, so only the constant `{outcome}` would explain it"
        )
    })
}

/// Whether two of the wanted rows have equal values and different outcomes.
pub(super) fn contradicts(spec: &Spec, wanted: impl Fn(&Row) -> bool) -> bool {
    let mut outcomes = HashMap::new();
    let mut rows = spec.rows.iter().filter(|row| wanted(row));
    rows.any(|row| *outcomes.entry(&row.values).or_insert(row.expected) != row.expected)
}

/// All hard rows, and of soft rows with equal values those that no hard and no weightier row
/// contradicts.
pub(super) fn consistent(spec: &Spec) -> Bits {
    /// Weight behind each outcome, `u64::MAX` for a hard row.
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
