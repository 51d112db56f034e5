//! The rows that a condition must explain: recorded contexts with their expected outcomes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use nopol_expr::{Row, Values};
use nopol_process::run::trace::Context;

use super::captures::Columns;
use super::limits;
use super::{Cure, Recorded};

/// Choices of one cure per failing test: the first cure of each test, then the second of each, and so on. A
/// test with fewer cures contributes its last one.
pub fn choices(recorded: &Recorded) -> Vec<Vec<&Cure>> {
    let most = recorded.cured.values().map(Vec::len).max().unwrap_or(0);
    (0..most.min(limits::MOST_SPECS))
        .map(|nth| {
            let cures = recorded.cured.values();
            cures
                .filter_map(|cures| cures.get(nth).or(cures.last()))
                .collect()
        })
        .collect()
}

/// Builds rows from recorded contexts.
pub struct Rows<'a> {
    /// Looks up the values of terms.
    columns: &'a Columns,
    /// The contexts.
    recorded: &'a Recorded,
    /// The rows of passing tests, which are the same in each spec, with their weights.
    passing: Vec<(Key, u32)>,
}

/// What a row is, except for its weight.
#[derive(Clone, Debug)]
struct Key {
    values: Arc<Values>,
    expected: bool,
    demand: Demand,
}

/// Rows in the order of their first occurrence. Equal values are one allocation, so its address stands for them.
#[derive(Default)]
struct Distinct {
    rows: Vec<(Key, u32)>,
    index: HashMap<(*const Values, bool, Demand), usize>,
}

impl Distinct {
    fn add(&mut self, key: Key, weight: u32) {
        let id = (Arc::as_ptr(&key.values), key.expected, key.demand);
        match self.index.get(&id) {
            Some(at) => self.rows[*at].1 += weight,
            None => {
                self.index.insert(id, self.rows.len());
                self.rows.push((key, weight));
            }
        }
    }
}

/// How strictly a row demands its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Demand {
    Hard,
    Soft,
    /// The row constrains nothing and shows which values occur.
    None,
}

impl Demand {
    /// The weight of one context.
    fn weight(self) -> u32 {
        u32::from(self != Self::None)
    }
}

/// The outcome of the original condition; if it was not evaluated, the opposite of the forced outcome.
pub fn old(context: &Context) -> bool {
    context.old.unwrap_or(!context.outcome)
}

/// Whether the forced outcome differs from the condition's own.
pub fn changed(context: &Context) -> bool {
    old(context) != context.outcome
}

impl<'a> Rows<'a> {
    /// `unconditional`: see [`nopol_source::SiteKind::unconditional`].
    pub fn new(columns: &'a Columns, recorded: &'a Recorded, unconditional: Option<bool>) -> Self {
        let dont_care = recorded.dont_care.iter();
        let dont_care: HashSet<_> = dont_care.map(|context| &context.values).collect();
        let mut passing = Distinct::default();
        for context in recorded.passing.iter().flat_map(|(_, contexts)| contexts) {
            let demand = match dont_care.contains(&context.values) {
                true => Demand::None,
                false => Demand::Soft,
            };
            let key = Key {
                values: columns.values(context),
                // A statement that a passing test executes must stay executed.
                expected: unconditional.unwrap_or(context.outcome),
                demand,
            };
            passing.add(key, demand.weight());
        }
        Self {
            columns,
            recorded,
            passing: passing.rows,
        }
    }

    /// Rows that demand the outcome of every forced evaluation of a cured test. Unforced evaluations are soft,
    /// like those of passing tests.
    pub fn strict(&self, cured: &[&Cure]) -> Vec<Row> {
        let rows = cured.iter().flat_map(|cure| {
            cure.contexts.iter().map(|context| {
                let unforced = !cure.constant && !changed(context);
                let demand = if unforced { Demand::Soft } else { Demand::Hard };
                (context, context.outcome, demand)
            })
        });
        self.collect(rows)
    }

    /// Rows that demand what all cures of a test agree on. Where two cures have different outcomes in one
    /// context, the test passes with either, so both are allowed. `None` if no two cures of a test disagree.
    pub fn agreed(&self) -> Option<Vec<Row>> {
        let mut failing = Vec::new();
        let mut disagree = false;
        for cures in self.recorded.cured.values() {
            let all = || {
                cures
                    .iter()
                    .flat_map(|cure| cure.contexts.iter().map(move |c| (cure, c)))
            };
            let mut outcomes: HashMap<_, BTreeSet<bool>> = HashMap::new();
            for (_, context) in all() {
                let outcomes = outcomes.entry(&context.values).or_default();
                outcomes.insert(context.outcome);
            }
            for (cure, context) in all() {
                let both = outcomes[&context.values].len() > 1;
                disagree |= both;
                let unforced = !cure.constant && !changed(context);
                let demand = match (both, unforced) {
                    (true, _) => Demand::None,
                    (false, true) => Demand::Soft,
                    (false, false) => Demand::Hard,
                };
                failing.push((context, context.outcome, demand));
            }
        }
        disagree.then(|| self.collect(failing.into_iter()))
    }

    /// Rows and one group that demand that at least one outcome changes, of those changed in any cure of any
    /// test; all others are left open, because a cure may be an accident of its test. Without cures, some
    /// evaluation of some failing test must change. `None` if every test has a single evaluation, since the
    /// strict specs then say the same.
    pub fn relaxed(&self) -> Option<(Vec<Row>, Vec<Vec<usize>>)> {
        let cured = || self.recorded.cured.values();
        let is_single = |cures: &Vec<Cure>| cures.iter().all(|cure| cure.contexts.len() < 2);
        if self.recorded.uncured.is_empty() && cured().all(is_single) {
            return None;
        }
        let cured = cured().flatten().flat_map(|cure| &cure.contexts);
        let cured = cured.map(|context| (context, context.outcome, changed(context)));
        let uncured = self.recorded.uncured.iter().flatten();
        let uncured = uncured.map(|context| (context, !context.outcome, true));
        let failing: Vec<(&Context, bool, bool)> = cured.chain(uncured).collect();

        let open = failing
            .iter()
            .map(|(context, expected, _)| (*context, *expected, Demand::None));
        let rows = self.collect(open);
        let mut open_rows: HashMap<(*const Values, bool), usize> = HashMap::new();
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.weight == 0) {
            let id = (Arc::as_ptr(&row.values), row.expected);
            open_rows.entry(id).or_insert(at);
        }
        let row = |(context, expected, _): &(&Context, bool, bool)| {
            let id = (Arc::as_ptr(&self.columns.values(context)), *expected);
            open_rows.get(&id).copied()
        };
        let changed = failing.iter().filter(|(_, _, changed)| *changed);
        let group: BTreeSet<usize> = changed.filter_map(row).collect();
        Some((rows, vec![group.into_iter().collect()]))
    }

    /// Rows that demand the outcome only of evaluations whose change alone cured a test. All other evaluations
    /// of failing tests are left open. `None` if there is no such evaluation.
    pub fn minimal(&self) -> Option<(Vec<Row>, Vec<Vec<usize>>)> {
        let mut minimal = false;
        let mut failing = Vec::new();
        for cures in self.recorded.cured.values() {
            let alone = |cure: &&Cure| cure.contexts.iter().filter(|c| changed(c)).count() == 1;
            let chosen = cures.iter().find(alone);
            minimal |= chosen.is_some();
            let Some(cure) = chosen.or(cures.first()) else {
                continue;
            };
            failing.extend(cure.contexts.iter().map(|context| {
                match chosen.is_some() && changed(context) {
                    true => (context, context.outcome, Demand::Hard),
                    false => (context, old(context), Demand::None),
                }
            }));
        }
        minimal.then(|| (self.collect(failing.into_iter()), Vec::new()))
    }

    /// The given rows of failing tests, and those of passing tests, deduplicated.
    fn collect<'c>(&self, failing: impl Iterator<Item = (&'c Context, bool, Demand)>) -> Vec<Row> {
        let mut all = Distinct::default();
        for (context, expected, demand) in failing {
            let values = self.columns.values(context);
            let key = Key {
                values,
                expected,
                demand,
            };
            all.add(key, demand.weight());
        }
        for (key, weight) in &self.passing {
            all.add(key.clone(), *weight);
        }
        let row = |(key, weight): (Key, u32)| Row {
            values: key.values,
            expected: key.expected,
            hard: key.demand == Demand::Hard,
            weight,
        };
        all.rows.into_iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use nopol_expr::{Int, IntType, Origin, Pool, Term, Type, Value};
    use nopol_process::run::suite::TestIndex;
    use nopol_process::run::trace::Read;
    use nopol_source::{Language, SiteIndex};

    use super::*;
    use crate::contexts::captures::Captures;

    fn context(n: i128, old: bool, outcome: bool) -> Context {
        let read = Read {
            captured: "n".to_owned(),
            steps: Vec::new(),
        };
        let value = Value::Int(IntType::I64, Int::from_i128(n));
        Context {
            site: SiteIndex::new(0),
            outcome,
            old: Some(old),
            count: 1,
            values: [(Arc::new(read), value)].into_iter().collect(),
        }
    }

    /// Rows as (value of `n`, expected, hard, weight).
    fn shown(rows: &[Row]) -> Vec<(String, bool, bool, u32)> {
        let n = |row: &Row| row.values.first()?.as_ref().map(ToString::to_string);
        let row = |row: &Row| (n(row).unwrap(), row.expected, row.hard, row.weight);
        rows.iter().map(row).collect()
    }

    fn with_rows(recorded: &Recorded, check: impl FnOnce(&Rows)) {
        let captures = Captures::of(Language::Rust, recorded.contexts());
        let n = Term::new(
            Language::Rust.access("n"),
            Type::Int(IntType::I64),
            Origin::Variable,
        );
        let terms = vec![n].into();
        let columns = captures.columns(&Pool { terms }, None);
        check(&Rows::new(&columns, recorded, None));
    }

    #[test]
    fn changed_outcomes_are_hard_and_unforced_ones_soft() {
        let cure = Cure {
            constant: false,
            contexts: vec![context(1, false, true), context(2, true, true)],
        };
        let [passing, failing] = [0, 1].map(TestIndex::new);
        let recorded = Recorded {
            passing: vec![(
                passing,
                vec![context(2, true, true), context(3, false, false)],
            )],
            cured: BTreeMap::from([(failing, vec![cure])]),
            ..Recorded::default()
        };
        with_rows(&recorded, |rows| {
            let strict = rows.strict(&choices(&recorded)[0]);
            let row = |n: &str, expected, hard, weight| (n.to_owned(), expected, hard, weight);
            assert_eq!(
                shown(&strict),
                [
                    row("1", true, true, 1),
                    row("2", true, false, 2),
                    row("3", false, false, 1)
                ]
            );
            // The group has the only evaluation whose outcome was changed.
            let (_, groups) = rows.relaxed().unwrap();
            assert_eq!(groups, [[0]]);
        });
    }

    #[test]
    fn cures_that_disagree_leave_a_context_open() {
        let cure = |outcome: bool| Cure {
            constant: true,
            contexts: vec![context(1, !outcome, outcome)],
        };
        let recorded = Recorded {
            cured: BTreeMap::from([(TestIndex::new(0), vec![cure(true), cure(false)])]),
            ..Recorded::default()
        };
        with_rows(&recorded, |rows| {
            let agreed = rows.agreed().unwrap();
            assert!(agreed.iter().all(|row| !row.constrains()));
        });
    }
}
