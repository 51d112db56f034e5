//! Synthesis by refutation, for specs of many rows. Candidates are found on a sample of the rows and checked
//! against all of them; the rows that refute a candidate join the sample, until all candidates hold. A search looks
//! at every row for each of thousands of expressions, whereas a check looks at few of them for most candidates.
//!
//! What the sample cannot explain, nothing explains, so "nothing found" is as certain as without a sample.

use std::collections::BTreeMap;

use nopol_expr::{Expr, Row, Spec};

use super::collect::Accepted;
use super::table::Bits;
use crate::limits;

/// A part of a spec's rows, in their order.
pub(super) struct Sample {
    /// Whether a row is in the sample.
    members: Vec<bool>,
}

impl Sample {
    /// A sample to begin with: the same number of rows of each kind, evenly spread, and every row of a group.
    /// `None` if that is most of the spec anyway.
    pub fn of(spec: &Spec) -> Option<Self> {
        let rows = spec.rows.len();
        let grouped: usize = spec.any_of.iter().map(Vec::len).sum();
        if rows <= limits::ALL_ROWS || grouped > limits::ALL_ROWS {
            return None;
        }
        let mut kinds: BTreeMap<(bool, bool, bool), Vec<usize>> = BTreeMap::new();
        for (at, row) in spec.rows.iter().enumerate() {
            let kind = (row.hard, row.constrains(), row.expected);
            kinds.entry(kind).or_default().push(at);
        }
        let mut members = vec![false; rows];
        for of_kind in kinds.values() {
            let step = of_kind.len().div_ceil(limits::SAMPLED).max(1);
            of_kind
                .iter()
                .step_by(step)
                .for_each(|at| members[*at] = true);
        }
        spec.any_of
            .iter()
            .flatten()
            .for_each(|at| members[*at] = true);
        Some(Self { members })
    }

    /// The spec with the rows of the sample only, and which of these are among `consistent`.
    pub fn spec(&self, spec: &Spec, consistent: &Bits) -> (Spec, Bits) {
        let chosen: Vec<usize> = (0..spec.rows.len())
            .filter(|at| self.members[*at])
            .collect();
        let index = |at: &usize| chosen.binary_search(at).unwrap_or_default();
        let sampled = Spec {
            rows: chosen.iter().map(|at| spec.rows[*at].clone()).collect(),
            any_of: spec
                .any_of
                .iter()
                .map(|group| group.iter().map(index).collect())
                .collect(),
            old: spec.old.clone(),
            old_is_impure: spec.old_is_impure,
        };
        let consistent = Bits::from_fn(chosen.len(), |row| consistent.contains(chosen[row]));
        (sampled, consistent)
    }
}

/// Checks candidates against all rows, and remembers the outcome.
pub(super) struct Judge<'a> {
    spec: &'a Spec,
    consistent: &'a Bits,
    /// The weight of soft rows that an expression violates; only of those that hold.
    known: BTreeMap<Expr, u32>,
}

impl<'a> Judge<'a> {
    pub fn new(spec: &'a Spec, consistent: &'a Bits) -> Self {
        Self {
            spec,
            consistent,
            known: BTreeMap::new(),
        }
    }

    /// Drops the candidates that do not hold in all rows, and adds rows that refute them to the sample. Returns
    /// whether all of them hold.
    pub fn refute(&mut self, found: &mut Vec<Accepted>, sample: &mut Sample) -> bool {
        let before = found.len();
        let mut joining = Vec::new();
        found.retain_mut(|candidate| {
            if let Some(violated) = self.known.get(&candidate.expr) {
                candidate.soft_violated = *violated;
                return true;
            }
            // What disagrees with consistent soft rows of the sample was accepted for the hard rows alone.
            let disagrees = candidate.soft_violated > self.unavoidable(&candidate.expr, sample);
            let refuting = self.refuting(&candidate.expr, disagrees);
            if !refuting.is_empty() {
                joining.extend(refuting);
                return false;
            }
            candidate.soft_violated = self.violated(&candidate.expr, |_| true);
            self.known
                .insert(candidate.expr.clone(), candidate.soft_violated);
            true
        });
        joining
            .into_iter()
            .for_each(|row| sample.members[row] = true);
        found.sort_by(|a, b| a.key().cmp(&b.key()));
        found.len() == before
    }

    /// The first rows that refute an expression.
    fn refuting(&self, expr: &Expr, hard_only: bool) -> Vec<usize> {
        let rows = self.spec.rows.iter().enumerate();
        let demanded =
            rows.filter(|(at, row)| row.hard || !hard_only && self.consistent.contains(*at));
        let wrong = demanded.filter(|(_, row)| is_wrong(expr, row));
        wrong.map(|(at, _)| at).take(limits::REFUTING).collect()
    }

    /// The weight of the soft rows in the sample that it violates although they are not demanded.
    fn unavoidable(&self, expr: &Expr, sample: &Sample) -> u32 {
        self.violated(expr, |at| {
            sample.members[at] && !self.consistent.contains(at)
        })
    }

    fn violated(&self, expr: &Expr, counts: impl Fn(usize) -> bool) -> u32 {
        let rows = self.spec.rows.iter().enumerate();
        rows.filter(|(at, row)| !row.hard && counts(*at) && is_wrong(expr, row))
            .fold(0, |sum, (_, row)| sum.saturating_add(row.weight))
    }
}

fn is_wrong(expr: &Expr, row: &Row) -> bool {
    expr.eval_bool(row) != Some(row.expected)
}
