//! Narrows what is suspected by trying: a statement of which no single change fulfils a failing triple cannot be the only fault.
//! This needs no solver, because a change is one of a few and a triple is short.

use std::collections::{BTreeMap, BTreeSet};

use super::ir::{Routine, StatementId};
use super::localize::Suspects;
use super::patch::{Change, patched};
use super::problem::Triple;
use super::space::Space;

/// Most runs that are tried; beyond them all suspects stay.
const MOST_RUNS: usize = 40_000;

/// How much more suspicious a statement is of which a change fulfils a failing triple.
const EXPLAINS: u32 = 5;

/// The suspects of which one change fulfils all failing triples, if there are any. Else all of them, with more weight on those
/// of which one change fulfils at least one of these triples.
///
/// If the program has a single fault in the repair space, it is among them: undoing it fulfils everything.
pub fn narrow(routine: &Routine, triples: &[Triple], suspects: Suspects) -> Suspects {
    let failing: Vec<&Triple> = triples
        .iter()
        .filter(|triple| triple.check(routine).is_err())
        .collect();
    let statements = suspects.statements(routine);
    let changes = single_changes(&Space::new(routine, &statements, &BTreeSet::new()));
    if failing.is_empty() || changes.len() * failing.len() > MOST_RUNS {
        return suspects;
    }
    let mut explained: BTreeMap<StatementId, usize> = BTreeMap::new();
    for change in &changes {
        let Some(statement) = change.statement() else {
            continue;
        };
        let patched = patched(routine, std::slice::from_ref(change));
        let fulfilled = failing
            .iter()
            .filter(|triple| triple.check(&patched).is_ok());
        let most = explained.entry(routine.unit(statement)).or_default();
        *most = fulfilled.count().max(*most);
    }
    let explains = |id: &StatementId| explained.get(id).copied().unwrap_or(0);
    let is_single = |id: &StatementId| explains(id) == failing.len();
    let Suspects { mut weights, slots } = suspects;
    if weights.keys().any(is_single) {
        weights.retain(|id, _| is_single(id));
    } else {
        for (id, weight) in &mut weights {
            if explains(id) > 0 {
                *weight += EXPLAINS;
            }
        }
    }
    Suspects { weights, slots }
}

/// All changes of one leaf, one comparison or one whole statement.
fn single_changes(space: &Space) -> Vec<Change> {
    let mut changes = Vec::new();
    for (statement, choices) in space.statements.iter_enumerated() {
        for (leaf, atoms) in choices.leaves.iter().enumerate() {
            let others = atoms.iter().skip(1);
            changes.extend(others.map(|atom| Change::Leaf {
                statement,
                leaf,
                atom: atom.clone(),
            }));
        }
        for (number, comparisons) in choices.comparisons.iter().enumerate() {
            let others = comparisons.iter().skip(1);
            changes.extend(others.map(|comparison| Change::Comparison {
                statement,
                number,
                comparison: *comparison,
            }));
        }
        if choices.can_skip {
            changes.push(Change::Skip(statement));
        }
    }
    changes
}
