//! The whole search: localizes, searches among what is suspicious, and only then anywhere (Wolverine2, sections 2.2 and 5).
//! What is not suspicious is locked. Insertions come second, because they make a search much larger; the search for them
//! also has the changes without them.

use std::collections::BTreeSet;

use super::ir::{Routine, SlotId, StatementId};
use super::localize::{Suspects, localize};
use super::narrow::{explaining_insertions, narrow, tried};
use super::patch::Change;
use super::problem::Triple;
use super::repair::{HeapOptions, HeapOutcome, Repaired, repair};
use super::space::Space;

/// Where changes are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// Among suspicious statements first.
    #[default]
    Suspects,
    /// In the parts of the function that failing triples run through.
    Section,
    /// Everywhere.
    Nothing,
}

/// What was found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfinedRepair {
    /// The result.
    pub repaired: Repaired,
    /// The statements that were suspected.
    pub suspects: Suspects,
}

/// Most changes of a repair without insertions that is taken before one with insertions is looked for.
const FEW: usize = 2;

/// Searches for changes with which the routine fulfils all triples.
pub fn search(
    routine: &Routine,
    triples: &[Triple],
    confinement: Confinement,
    options: HeapOptions<'_>,
) -> ConfinedRepair {
    let until = options.until;
    let suspects = localize(routine, triples, until);
    let suspects = narrow(routine, triples, suspects, until);
    let all: BTreeSet<StatementId> = routine.statements.keys().collect();
    let passed: BTreeSet<StatementId> = match confinement {
        Confinement::Section => super::localize::section(routine, triples),
        Confinement::Suspects | Confinement::Nothing => BTreeSet::new(),
    };
    let suspected = suspects.statements(routine);
    let everywhere: BTreeSet<SlotId> = routine.slots.keys().collect();
    let none = BTreeSet::new();
    let mut best = Repaired {
        result: HeapOutcome::Exhausted,
        widenings: 0,
        queries: 0,
    };
    let stages = match confinement {
        Confinement::Suspects => vec![
            (&suspected, &none, FEW),
            (&suspected, &suspects.slots, FEW + 1),
            (&all, &none, FEW),
            (&all, &everywhere, usize::MAX),
            // Where all of it is too much.
            (&suspected, &none, usize::MAX),
            (&suspected, &suspects.slots, usize::MAX),
        ],
        Confinement::Section => vec![
            (&passed, &none, FEW),
            (&passed, &suspects.slots, usize::MAX),
        ],
        Confinement::Nothing => vec![(&all, &none, FEW), (&all, &everywhere, usize::MAX)],
    };
    // Whether a stage was given up, and whether one that closed nothing found that there is no repair.
    let (mut is_cut, mut is_proved) = (false, false);
    for (statements, slots, most) in stages {
        if until.is_over() {
            is_cut = true;
            break;
        }
        let insertions = match slots.is_empty() {
            true => 0,
            false => options.insertions,
        };
        let options = HeapOptions {
            insertions,
            most: u32::try_from(most).unwrap_or(u32::MAX),
            ..options
        };
        let mut space = Space::new(routine, statements, slots, &suspects.numbers);
        if insertions > 0
            && confinement == Confinement::Suspects
            && let Some(few) = explaining_insertions(routine, triples, &space, until)
        {
            let all = std::mem::replace(&mut space.insertions, few);
            let found = repair(routine, triples, &space, options);
            best = better(best, found);
            if size(&best.result).is_some_and(|size| size <= FEW) {
                break;
            }
            space.insertions = all;
        }
        let mut found = repair(routine, triples, &space, options);
        if found.result == HeapOutcome::Unknown {
            if !std::mem::replace(&mut is_cut, true) {
                let space = Space::new(routine, &all, &everywhere, &suspects.numbers);
                if let Some(change) = tried(routine, triples, &space, until) {
                    best.result = HeapOutcome::Patch(vec![change]);
                    break;
                }
            }
            // Sums of what is chosen have too many values: pointers alone have few.
            space.close_numbers(routine);
            found = repair(routine, triples, &space, options);
        } else if let HeapOutcome::Contradiction(_) = found.result {
            is_proved = statements.len() == all.len() && slots.len() == everywhere.len();
        }
        if let HeapOutcome::Contradiction(_) = found.result
            && !is_proved
        {
            // That holds where this stage looked, and not of the function.
            found.result = HeapOutcome::Exhausted;
        }
        best = better(best, found);
        let is_enough = |size| size <= FEW || most > FEW;
        if size(&best.result).is_some_and(is_enough) || is_proved {
            break;
        }
    }
    if is_cut && !is_proved && size(&best.result).is_none() {
        best.result = HeapOutcome::Unknown;
    }
    ConfinedRepair {
        repaired: best,
        suspects,
    }
}

/// The smaller repair, with the work of both.
fn better(one: Repaired, other: Repaired) -> Repaired {
    let result = match (size(&one.result), size(&other.result)) {
        (Some(size), Some(other_size)) if size <= other_size => one.result,
        (Some(_), None) => one.result,
        _ => other.result,
    };
    Repaired {
        result,
        widenings: one.widenings.max(other.widenings),
        queries: one.queries + other.queries,
    }
}

fn size(outcome: &HeapOutcome) -> Option<usize> {
    match outcome {
        HeapOutcome::Correct => Some(0),
        HeapOutcome::Patch(changes) => Some(changes.len()),
        HeapOutcome::Contradiction(_) | HeapOutcome::Exhausted | HeapOutcome::Unknown => None,
    }
}

/// The lines that changes are at, for messages.
pub fn lines(routine: &Routine, changes: &[Change]) -> Vec<u32> {
    changes
        .iter()
        .map(|change| match change {
            Change::Insert(insertion) => routine.slots[insertion.slot].line,
            Change::Leaf { statement, .. }
            | Change::Comparison { statement, .. }
            | Change::Skip(statement) => routine.statements[*statement].line,
        })
        .collect()
}
