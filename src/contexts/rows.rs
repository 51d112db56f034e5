//! The rows a condition must explain: which outcomes of which recorded contexts are asked for.

use super::limits;
use std::collections::{BTreeSet, HashMap, HashSet};

use typed_index_collections::TiVec;

use super::captures::Columns;
use super::{Cure, Recorded};
use crate::run::trace::Context;
use crate::spec::{Row, TermId, Value};

/// One cure per failing test: the first of each, then the second of each, and so on; a test with
/// fewer keeps its last.
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

/// What rows are made from.
pub struct Rows<'a> {
    /// Where the terms' values are.
    pub columns: &'a Columns,
    pub recorded: &'a Recorded,
    /// See [`crate::source::SiteKind::unconditional`].
    pub unconditional: Option<bool>,
}

/// How much a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Say {
    Must,
    Should,
    /// Shows what values occur, and constrains nothing.
    Nothing,
}

/// What the condition yielded; if it was not evaluated, the opposite of what was forced.
pub fn old(context: &Context) -> bool {
    context.old.unwrap_or(!context.outcome)
}

/// Whether a forced outcome is another than the condition's own.
pub fn changed(context: &Context) -> bool {
    old(context) != context.outcome
}

impl Rows<'_> {
    /// Every forced evaluation of a cured test must have its outcome; those that were left alone
    /// should have theirs, like those of a passing test.
    pub fn strict(&self, cured: &[&Cure]) -> Vec<Row> {
        let rows = cured.iter().flat_map(|cure| {
            cure.contexts.iter().map(|context| {
                let left_alone = !cure.constant && !changed(context);
                let say = if left_alone { Say::Should } else { Say::Must };
                (context, context.outcome, say)
            })
        });
        self.collect(rows)
    }

    /// What all cures of a test agree on: where one of them had one outcome and another the other, a
    /// test that passes either way forbids neither. `None` if no two cures of a test disagree.
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
                let left_alone = !cure.constant && !changed(context);
                let say = match (both, left_alone) {
                    (true, _) => Say::Nothing,
                    (false, true) => Say::Should,
                    (false, false) => Say::Must,
                };
                failing.push((context, context.outcome, say));
            }
        }
        disagree.then(|| self.collect(failing.into_iter()))
    }

    /// Of the evaluations whose outcome was changed, in whichever cure of whichever test, some must
    /// be, and all others are left open: what cured one test may be an accident of that test.
    /// Without a cure some evaluation of some failing test must change. The rows, and the group.
    /// `None` if every test has but one evaluation, so that the strict specs say all there is.
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
            .map(|(context, expected, _)| (*context, *expected, Say::Nothing));
        let rows = self.collect(open);
        let row = |(context, expected, _): &(&Context, bool, bool)| {
            let values = self.values(context);
            let is_it =
                |row: &Row| row.weight == 0 && row.expected == *expected && row.values == values;
            rows.iter().position(is_it)
        };
        let changed = failing.iter().filter(|(_, _, changed)| *changed);
        let group: BTreeSet<usize> = changed.filter_map(row).collect();
        Some((rows, vec![group.into_iter().collect()]))
    }

    /// Only the evaluations whose change alone cured a test must have that outcome; all others
    /// of failing tests are left open. `None` if there is no such evaluation.
    pub fn sharp(&self) -> Option<(Vec<Row>, Vec<Vec<usize>>)> {
        let mut sharp = false;
        let mut failing = Vec::new();
        for cures in self.recorded.cured.values() {
            let alone = |cure: &&Cure| cure.contexts.iter().filter(|c| changed(c)).count() == 1;
            let chosen = cures.iter().find(alone);
            sharp |= chosen.is_some();
            let Some(cure) = chosen.or(cures.first()) else {
                continue;
            };
            failing.extend(cure.contexts.iter().map(|context| {
                match chosen.is_some() && changed(context) {
                    true => (context, context.outcome, Say::Must),
                    false => (context, old(context), Say::Nothing),
                }
            }));
        }
        sharp.then(|| (self.collect(failing.into_iter()), Vec::new()))
    }

    /// The rows of failing tests as given, and those of passing tests, each context once.
    fn collect<'c>(&self, failing: impl Iterator<Item = (&'c Context, bool, Say)>) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut index: HashMap<_, usize> = HashMap::new();
        let mut add = |context: &Context, expected: bool, say: Say| {
            let values = self.values(context);
            let key = (say, expected, values);
            let weight = u32::from(say != Say::Nothing);
            match index.get(&key) {
                Some(at) => rows[*at].weight += weight,
                None => {
                    rows.push(Row {
                        values: key.2.clone(),
                        expected,
                        hard: say == Say::Must,
                        weight,
                    });
                    index.insert(key, rows.len() - 1);
                }
            }
        };
        failing.for_each(|(context, expected, say)| add(context, expected, say));
        let indifferent = self.recorded.indifferent.iter();
        let indifferent: HashSet<_> = indifferent.map(|context| &context.values).collect();
        let passing = self.recorded.passing.iter();
        for context in passing.flat_map(|(_, contexts)| contexts) {
            let say = match indifferent.contains(&context.values) {
                true => Say::Nothing,
                false => Say::Should,
            };
            // What a passing test executes is to be executed.
            let outcome = self.unconditional.unwrap_or(context.outcome);
            add(context, outcome, say);
        }
        rows
    }

    fn values(&self, context: &Context) -> TiVec<TermId, Option<Value>> {
        self.columns.values(context)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::contexts::captures::Captures;
    use crate::run::suite::TestIndex;
    use crate::run::trace::Read;
    use crate::source::{Language, SiteIndex};
    use crate::spec::{Int, IntType, Origin, Pool, Term, Type};

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
            values: BTreeMap::from([(Arc::new(read), value)]),
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
        check(&Rows {
            columns: &captures.columns(&Pool { terms }, None),
            recorded,
            unconditional: None,
        });
    }

    #[test]
    fn what_was_changed_must_be_and_what_was_left_alone_should() {
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
            // Only one evaluation was changed, and of such some must be.
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
