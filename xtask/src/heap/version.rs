//! One faulty version: the searches for its repair, and how far down its faults are in rankings of its statements.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nopol_heap::benchmark::{Faulty, Subject, translated};
use nopol_heap::confine::{ConfinedRepair, Confinement, search};
use nopol_heap::ir::StatementId;
use nopol_heap::patch::Change;
use nopol_heap::repair::{HeapOptions, HeapOutcome, Strategy};
use nopol_heap::until::Until;

use super::spectrum::{Formula, Spectrum, rank};

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub confinement: Confinement,
    pub strategy: Strategy,
}

/// What came of one search.
#[derive(Clone, Debug)]
pub struct Searched {
    pub seconds: f64,
    pub widenings: u32,
    pub outcome: &'static str,
    /// Whether the repaired program does the same as the reference in other runs.
    pub is_equal: bool,
}

impl Searched {
    pub fn is_repaired(&self) -> bool {
        self.outcome == "repaired"
    }
}

/// Shares of the function's statements that are read, most suspicious first, until all mutated ones were seen.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub ours: f64,
    pub tarantula: f64,
    pub ochiai: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Row {
    pub program: String,
    /// The number of the class.
    pub class: usize,
    /// One for each way.
    pub searched: Vec<Searched>,
    /// The share of the statements that are suspected.
    pub suspected: f64,
    /// Whether all mutated ones are.
    pub is_suspected: bool,
    pub effort: Effort,
}

impl Row {
    /// Whether it is one of the large programs.
    pub fn is_large(&self) -> bool {
        self.program.starts_with('l')
    }
}

/// Measures a version; each search may take so long.
pub fn measure(
    subject: &Subject,
    class: usize,
    faulty: &Faulty,
    ways: &[Way],
    limit: Duration,
) -> Row {
    let routine = &faulty.loaded.routine;
    let mut searched = Vec::new();
    let mut weights: BTreeMap<StatementId, f64> = BTreeMap::new();
    for way in ways {
        let start = Instant::now();
        let options = HeapOptions {
            strategy: way.strategy,
            until: Until::at(start + limit),
            ..HeapOptions::default()
        };
        let found = search(routine, &faulty.triples, way.confinement, options);
        searched.push(judged(subject, faulty, &found, start.elapsed()));
        let suspects = found.suspects.weights.iter();
        weights = suspects
            .map(|(id, weight)| (*id, f64::from(*weight)))
            .collect();
    }
    let suspected = weights.len();
    for id in routine.units() {
        weights.entry(id).or_insert(0.0);
    }
    let size = weights.len().max(1);
    let spectrum = Spectrum::new(routine, &faulty.others);
    let mutated = || faulty.mutated.iter().map(|id| routine.unit(*id));
    let effort = |suspicion: &BTreeMap<StatementId, f64>| {
        let ranks = mutated().map(|id| rank(suspicion, id).unwrap_or(f64::from(u32::MAX)));
        ranks.fold(0.0, f64::max) / count(size)
    };
    Row {
        program: subject.id.clone(),
        class,
        searched,
        suspected: count(suspected) / count(size),
        is_suspected: mutated().all(|id| weights.get(&id).is_some_and(|weight| *weight > 0.0)),
        effort: Effort {
            ours: effort(&weights),
            tarantula: effort(&spectrum.suspicion(Formula::Tarantula)),
            ochiai: effort(&spectrum.suspicion(Formula::Ochiai)),
        },
    }
}

fn judged(subject: &Subject, faulty: &Faulty, found: &ConfinedRepair, took: Duration) -> Searched {
    let (outcome, is_equal) = match &found.repaired.result {
        HeapOutcome::Patch(changes) => ("repaired", is_equal(subject, faulty, changes)),
        HeapOutcome::Correct => ("correct", false),
        HeapOutcome::Contradiction(_) => ("contradiction", false),
        HeapOutcome::Exhausted => ("exhausted", false),
        HeapOutcome::Unknown => ("unknown", false),
    };
    Searched {
        seconds: took.as_secs_f64(),
        widenings: found.repaired.widenings,
        outcome,
        is_equal,
    }
}

/// Whether the repaired program, written and read again, does the same as the reference in other runs.
fn is_equal(subject: &Subject, faulty: &Faulty, changes: &[Change]) -> bool {
    let written = subject.with(&faulty.loaded, changes);
    written.is_ok_and(|written| {
        subject.others.iter().all(|triple| {
            let triple = translated(triple, &subject.reference.routine, &written.routine);
            triple.check(&written.routine).is_ok()
        })
    })
}

/// A count as a number to divide.
pub fn count(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
