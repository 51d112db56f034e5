//! Admission: which specs can be answered at all, and which of their rows the first pass must explain.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use nopol_expr::{Pool, Row, Spec, Term, Type, Value};

use super::table::Bits;

/// The reason not to search for an expression, if there is one.
pub(super) fn unanswerable(spec: &Spec, pool: &Pool, classes: &Classes) -> Option<String> {
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
            return Some("the old condition there cannot be written with the terms".into());
        }
        None if spec.old_is_impure => {
            return Some(
                "the old condition there has effects, but what it yields is unknown".into(),
            );
        }
        _ => {}
    }
    if classes.contradict() {
        return Some(
            "the values recorded there cannot tell apart evaluations that must have different outcomes"
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

/// The rows of a spec by their values, and what outcomes rows with these values have.
pub(super) struct Classes {
    /// The class of each row.
    of: Vec<usize>,
    /// For each class the total weight of each outcome; `u64::MAX` if a hard row has it.
    votes: Vec<[u64; 2]>,
    /// Some rows of a class have one outcome and some the other.
    is_mixed: bool,
}

impl Classes {
    pub fn new(spec: &Spec) -> Self {
        // Hashing is most of the work. The values are a program's own, so no hash needs to be safe from attacks.
        let mut known: HashMap<_, usize, FixedState> = HashMap::default();
        let mut classes = Self {
            of: Vec::with_capacity(spec.rows.len()),
            votes: Vec::new(),
            is_mixed: false,
        };
        let mut outcomes: Vec<bool> = Vec::new();
        for row in &spec.rows {
            let class = *known.entry(&row.values).or_insert(classes.votes.len());
            if class == classes.votes.len() {
                classes.votes.push([0; 2]);
                outcomes.push(row.expected);
            }
            classes.is_mixed |= outcomes[class] != row.expected;
            let weight = match row.hard {
                true => u64::MAX,
                false => u64::from(row.weight),
            };
            let vote = &mut classes.votes[class][usize::from(row.expected)];
            *vote = vote.saturating_add(weight);
            classes.of.push(class);
        }
        classes
    }

    /// Whether two rows have equal values and different expected outcomes.
    pub fn are_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Whether two hard rows have equal values and different expected outcomes.
    pub fn contradict(&self) -> bool {
        self.votes.contains(&[u64::MAX; 2])
    }

    /// All hard rows, and the soft rows that no hard row and no heavier class of rows with equal values
    /// contradicts.
    pub fn consistent(&self, spec: &Spec) -> Bits {
        Bits::from_fn(spec.rows.len(), |row| {
            let [no, yes] = self.votes[self.of[row]];
            let row = &spec.rows[row];
            row.hard || row.constrains() && row.expected == (yes >= no)
        })
    }
}
