//! Which specs can be answered at all, and which of their rows a first search must explain.

use super::table::Bits;
use crate::spec::{Expr, Pool, Row, Spec};
use std::collections::HashMap;

/// Why no expression could or should be looked for.
pub(super) fn unanswerable(spec: &Spec, pool: &Pool) -> Option<String> {
    if spec.rows.is_empty() {
        return Some("no evaluation was recorded there, so nothing constrains a condition".into());
    }
    if spec
        .rows
        .iter()
        .any(|row| row.values.len() != pool.terms.len())
    {
        return Some("the recorded values there do not match the terms".into());
    }
    let old = spec.old.iter().flat_map(Expr::terms);
    if old.into_iter().any(|term| term >= pool.terms.len()) {
        return Some("the old condition there has parts that are no terms".into());
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
    let mut votes: HashMap<_, Votes> = HashMap::new();
    for row in &spec.rows {
        let vote = &mut votes.entry(&row.values).or_default()[usize::from(row.expected)];
        let weight = if row.hard {
            u64::MAX
        } else {
            u64::from(row.weight)
        };
        *vote = vote.saturating_add(weight);
    }
    Bits::from_fn(spec.rows.len(), |row| {
        let row = &spec.rows[row];
        let [no, yes] = votes.get(&row.values).copied().unwrap_or_default();
        row.hard || row.constrains() && row.expected == (yes >= no)
    })
}
