//! Narrows the set of suspects by trial: a statement of which no single change fulfils a failing triple cannot be the only
//! fault. This needs no solver, because a change is one of a few and a triple is short.

use std::collections::{BTreeMap, BTreeSet};

use super::ir::{Atom, Insertion, Routine, StatementId, VariableId};
use super::localize::Suspects;
use super::patch::{Change, patched};
use super::problem::Triple;
use super::space::{Insertions, Space};
use super::until::Until;

/// Most runs that are tried; beyond them nothing is narrowed.
const MOST_RUNS: usize = 40_000;

/// Most triples for each of which an insertion is looked for that fulfils it.
const MOST_TRIPLES: usize = 3;

/// How much more suspicious a statement is of which a change fulfils a failing triple.
const EXPLAINS: u32 = 5;

/// The suspects of which one change fulfils all failing triples, if there are any. Else all of them, with more weight on those
/// of which one change fulfils at least one of these triples.
///
/// If the program has a single fault in the repair space, it is among them: undoing it fulfils everything.
pub fn narrow(
    routine: &Routine,
    triples: &[Triple],
    suspects: Suspects,
    until: Until<'_>,
) -> Suspects {
    let failing: Vec<&Triple> = triples
        .iter()
        .filter(|triple| triple.check(routine).is_err())
        .collect();
    let statements = suspects.statements(routine);
    let changes = single_changes(&Space::new(
        routine,
        &statements,
        &BTreeSet::new(),
        &suspects.numbers,
    ));
    if failing.is_empty() || changes.len() * failing.len() > MOST_RUNS {
        return suspects;
    }
    let mut explained: BTreeMap<StatementId, usize> = BTreeMap::new();
    for change in &changes {
        if until.is_over() {
            return suspects;
        }
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
    let Suspects { mut weights, .. } = suspects;
    if weights.keys().any(is_single) {
        weights.retain(|id, _| is_single(id));
    } else {
        for (id, weight) in &mut weights {
            if explains(id) > 0 {
                *weight += EXPLAINS;
            }
        }
    }
    Suspects {
        weights,
        ..suspects
    }
}

/// Those insertions of a space that fulfil at least one triple without any other change: of the triples that no change of a
/// statement fulfils, those with the fewest nodes. `None` if there are none, or too many to try.
pub fn explaining_insertions(
    routine: &Routine,
    triples: &[Triple],
    space: &Space,
    until: Until<'_>,
) -> Option<Insertions> {
    let changes = single_changes(space);
    let mut failing: Vec<&Triple> = triples
        .iter()
        .filter(|triple| triple.check(routine).is_err())
        .collect();
    failing.sort_by_key(|triple| triple.before.nodes.len());
    let of = &space.insertions;
    let candidates = || all_insertions(routine, of);
    if failing.len() * changes.len() + MOST_TRIPLES * candidates().count() > MOST_RUNS {
        return None;
    }
    let alone = |triple: &&Triple| {
        let mut changes = changes.iter().take_while(|_| !until.is_over());
        changes.any(|change| {
            let patched = patched(routine, std::slice::from_ref(change));
            triple.check(&patched).is_ok()
        })
    };
    failing.retain(|triple| !alone(triple));
    failing.truncate(MOST_TRIPLES);
    let mut inserted = routine.clone();
    let mut explaining: Vec<Insertion> = Vec::new();
    for insertion in candidates().take_while(|_| !until.is_over()) {
        inserted.insertions = vec![insertion];
        if failing.iter().any(|triple| triple.check(&inserted).is_ok()) {
            explaining.append(&mut inserted.insertions);
        }
    }
    if explaining.is_empty() {
        return None;
    }
    let mut narrowed = of.clone();
    narrowed
        .slots
        .retain(|slot| explaining.iter().any(|of| of.slot == *slot));
    narrowed
        .targets
        .retain(|(path, _)| explaining.iter().any(|of| of.target == *path));
    narrowed
        .values
        .retain(|(atom, _)| explaining.iter().any(|of| of.value == *atom));
    Some(narrowed)
}

/// The single change most like the program with which all triples hold, by trying each: where runs are too long for a solver.
pub fn tried(
    routine: &Routine,
    triples: &[Triple],
    space: &Space,
    until: Until<'_>,
) -> Option<Change> {
    let cost = |change: &Change| space.cost(std::slice::from_ref(change));
    let mut changes = single_changes(space);
    changes.sort_by_key(cost);
    let mut insertions: Vec<Change> = all_insertions(routine, &space.insertions)
        .map(Change::Insert)
        .collect();
    insertions.sort_by_key(cost);
    // What fails one of them is not tried on the longer ones.
    let mut all: Vec<&Triple> = triples.iter().collect();
    all.sort_by_key(|triple| triple.before.nodes.len());
    let (mut failing, right): (Vec<&Triple>, Vec<&Triple>) = all
        .into_iter()
        .partition(|triple| triple.check(routine).is_err());
    failing.extend(right);
    let mut changes = changes.into_iter().chain(insertions).take(MOST_RUNS);
    changes.find(|change| {
        let patched = patched(routine, std::slice::from_ref(change));
        let mut failing = failing.iter();
        !until.is_over() && failing.all(|triple| triple.check(&patched).is_ok())
    })
}

/// All insertions of a space that have a meaning where they are, in its order.
pub fn all_insertions<'s>(
    routine: &'s Routine,
    of: &'s Insertions,
) -> impl Iterator<Item = Insertion> + 's {
    of.slots.iter().flat_map(move |slot| {
        let scope = &routine.slots[*slot].scope;
        let targets = of.targets.iter();
        let targets = targets.filter(move |(path, _)| scope.contains(&path.base));
        targets.flat_map(move |(target, ty)| {
            let values = of.values.iter();
            let values = values.filter(move |(value, other)| {
                other == ty && is_visible(value, scope) && !is_of(value, target)
            });
            values.map(move |(value, _)| Insertion {
                slot: *slot,
                target: target.clone(),
                value: value.clone(),
            })
        })
    })
}

fn is_visible(value: &Atom, scope: &[VariableId]) -> bool {
    match value {
        Atom::Read(path) => scope.contains(&path.base),
        Atom::Null | Atom::Number(_) => true,
    }
}

fn is_of(value: &Atom, target: &super::ir::Path) -> bool {
    matches!(value, Atom::Read(path) if path == target)
}

/// All changes of one leaf, one comparison or one whole statement.
pub fn single_changes(space: &Space) -> Vec<Change> {
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
