//! Programs with known references and injected faults, as benchmarks and tests use them: what section 7.1 of Wolverine2
//! describes.

use camino::{Utf8Path, Utf8PathBuf};
use nopol_program::ir::Outside;
use serde::Deserialize;

use super::RESULT;
use super::inject::{Draw, deletions, faults, mutations};
use super::ir::{Routine, StatementId};
use super::load::Loaded;
use super::memory::Memory;
use super::patch::{Change, patched};
use super::problem::{Recording, Triple};
use super::rewrite::{edits, rewritten};
use super::state::Value;

/// A program of a benchmark, as its list has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// What it does.
    pub title: String,
    /// Its file, beside the list in `programs`.
    pub file: Utf8PathBuf,
    /// The function under repair.
    pub function: String,
    /// The arguments of the runs that are recorded.
    pub inputs: Vec<Vec<String>>,
    /// How other arguments are drawn.
    pub random: Random,
}

/// How arguments are drawn.
#[derive(Clone, Debug, Deserialize)]
pub struct Random {
    /// A number from each of these ranges.
    pub extra: Vec<(i64, i64)>,
    /// Then so many values.
    pub count: (usize, usize),
    /// Each from this range.
    pub values: (i64, i64),
    /// Whether they are sorted.
    pub sorted: Sorted,
}

/// How values are sorted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sorted {
    /// Not at all.
    No,
    /// Small ones first.
    Ascending,
    /// Those near zero first.
    Absolute,
}

impl Random {
    /// Arguments.
    pub fn draw(&self, draw: &mut Draw) -> Vec<String> {
        let mut from = |(low, high): (i64, i64)| {
            let span = usize::try_from(high - low + 1).unwrap_or(1);
            low + i64::try_from(draw.below(span)).unwrap_or(0)
        };
        let extra: Vec<i64> = self.extra.iter().map(|range| from(*range)).collect();
        let most = i64::try_from(self.count.1).unwrap_or(i64::MAX);
        let least = i64::try_from(self.count.0).unwrap_or(0);
        let count = from((least, most));
        let mut values: Vec<i64> = (0..count).map(|_| from(self.values)).collect();
        match self.sorted {
            Sorted::No => {}
            Sorted::Ascending => values.sort_unstable(),
            Sorted::Absolute => values.sort_by_key(|value| value.abs()),
        }
        extra.iter().chain(&values).map(i64::to_string).collect()
    }
}

/// A program, its recorded runs and other runs to judge repairs by.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name.
    pub id: String,
    /// The program as it should be.
    pub reference: Loaded,
    path: Utf8PathBuf,
    /// The triples that the recorded runs consist of.
    pub triples: Vec<Triple>,
    /// What other runs begin and end with.
    pub others: Vec<Triple>,
    mutations: Vec<Change>,
    deletions: Vec<StatementId>,
}

/// A faulty version.
#[derive(Clone, Debug)]
pub struct Faulty {
    /// The faults, as changes of the reference.
    pub faults: Vec<Change>,
    /// The statements of the faulty program that were mutated.
    pub mutated: Vec<StatementId>,
    /// The faulty program.
    pub loaded: Loaded,
    /// What it must fulfil.
    pub triples: Vec<Triple>,
    /// The runs that repairs are judged by.
    pub others: Vec<Triple>,
}

/// How many runs a repair is judged by.
const JUDGED: usize = 100;

/// How often faults are drawn until some can be observed.
const DRAWS: usize = 400;

impl Subject {
    /// Reads a listed program and runs it.
    ///
    /// # Errors
    /// If it cannot be read, or is beyond what is modelled.
    pub fn new(of: &Listed, directory: &Utf8Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(directory.join(&of.file))?;
        let reference = Loaded::new(&[(of.file.clone(), text)], &of.function)?;
        let mut triples = Vec::new();
        for input in &of.inputs {
            for memory in reference.entries(input) {
                if let Ok(recording) = Recording::new(&reference.routine, memory) {
                    triples.extend(recording.triples());
                }
            }
        }
        let mut draw = Draw::new(1);
        let mut others = Vec::new();
        for _ in 0..JUDGED * 10 {
            let arguments = of.random.draw(&mut draw);
            for memory in reference.entries(&arguments) {
                if let Ok(recording) = Recording::new(&reference.routine, memory) {
                    others.push(outcome(&reference.routine, recording.whole()));
                }
            }
            if others.len() >= JUDGED {
                break;
            }
        }
        others.truncate(JUDGED);
        Ok(Self {
            id: of.id.clone(),
            mutations: mutations(&reference.routine),
            deletions: deletions(&reference.routine),
            reference,
            path: of.file.clone(),
            triples,
            others,
        })
    }

    /// A version with faults that can be observed, each of them alone, too. `None` if no draw gave one.
    pub fn faulty(&self, draw: &mut Draw, class: (usize, usize)) -> Option<Faulty> {
        (0..DRAWS).find_map(|_| {
            let faults = faults(draw, &self.mutations, &self.deletions, class);
            let is_observed = |changes: &[Change]| {
                let mutant = patched(&self.reference.routine, changes);
                self.triples
                    .iter()
                    .any(|triple| triple.check(&mutant).is_err())
            };
            let is_each = faults
                .iter()
                .all(|fault| is_observed(std::slice::from_ref(fault)));
            if faults.len() != class.0 + class.1 || !is_each || !is_observed(&faults) {
                return None;
            }
            let loaded = self.with(&self.reference, &faults).ok()?;
            let translated =
                |triple: &Triple| translated(triple, &self.reference.routine, &loaded.routine);
            let triples: Vec<Triple> = self.triples.iter().map(translated).collect();
            let others = self.others.iter().map(translated).collect();
            let is_faulty = triples
                .iter()
                .any(|triple| triple.check(&loaded.routine).is_err());
            is_faulty.then_some(Faulty {
                mutated: mutated(&faults, &self.reference.routine, &loaded.routine),
                faults,
                loaded,
                triples,
                others,
            })
        })
    }

    /// The program with changes, written and read again.
    ///
    /// # Errors
    /// If what was written cannot be read.
    pub fn with(&self, loaded: &Loaded, changes: &[Change]) -> Result<Loaded, Outside> {
        let edits = edits(&loaded.routine, &loaded.texts, changes);
        let mut texts = rewritten(&loaded.texts, &edits);
        let text = texts.pop().unwrap_or_default();
        Loaded::new(&[(self.path.clone(), text)], &loaded.routine.name)
    }
}

/// A triple of one routine for another one whose variables have the same names.
pub fn translated(triple: &Triple, from: &Routine, to: &Routine) -> Triple {
    let memory = |memory: &Memory| Memory::from_state(to, &memory.state(from));
    Triple {
        from: triple.from,
        before: memory(&triple.before),
        control: triple.control.clone(),
        to: triple.to,
        after: memory(&triple.after),
        effects: triple.effects.clone(),
    }
}

/// The statements that are mutated, in the routine in which others are missing: by their lines, of which each that is missing
/// had one.
fn mutated(faults: &[Change], reference: &Routine, faulty: &Routine) -> Vec<StatementId> {
    let line = |change: &Change| {
        let statement = change.statement()?;
        Some(reference.statements[statement].line)
    };
    let is_missing = |fault: &&Change| matches!(fault, Change::Skip(_));
    let missing: Vec<u32> = faults.iter().filter(is_missing).filter_map(line).collect();
    let mutated = faults.iter().filter(|fault| !is_missing(fault));
    let found = mutated.filter_map(|fault| {
        let before = missing
            .iter()
            .filter(|missing| Some(**missing) < line(fault));
        let line = line(fault)? - u32::try_from(before.count()).unwrap_or(0);
        let kind = reference.statements[fault.statement()?].kind;
        let mut all = faulty.statements.iter_enumerated();
        all.find(|(_, of)| of.line == line && of.kind == kind && !of.is_locked)
            .map(|(id, _)| id)
    });
    found.collect()
}

/// Only what a caller sees: not the locals.
fn outcome(routine: &Routine, mut whole: Triple) -> Triple {
    for (id, variable) in routine.variables.iter_enumerated() {
        if !variable.is_global && variable.name != RESULT {
            whole.after.variables[id] = Value::Unknown;
        }
    }
    whole
}
