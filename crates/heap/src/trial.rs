//! Repair by tests, without a specification of the heap: tries small changes of a function until failing tests pass and
//! passing ones still do.
//!
//! Only a change with which the function does something new is run with the whole program ([`super::fate`]). The most likely ones
//! are tried first ([`super::likely`]).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use camino::Utf8PathBuf;
use nopol_program::front::c;
use nopol_program::interpret::{End, run};
use nopol_program::ir::{FunctionId, Program, Test};
use nopol_program::position::Positions;

use super::fate::{Runs, to_end};
use super::ir::{Kind, Routine, Statement, Type};
use super::likely::{Weigher, pairs};
use super::load::{Loaded, TRIED};
use super::machine::Machine;
use super::memory::Memory;
use super::narrow::{all_insertions, single_changes};
use super::patch::{Change, Undo};
use super::rewrite::{edits, rewritten};
use super::space::Space;

/// How many calls of a function, over all failing tests, are compared to distinguish insertions.
const MOST_CALLS: usize = 12;

/// Most changes of a function that are run with the whole program, single ones and pairs each: so that the result does not
/// depend on the machine unless a user's limit ends the search.
const MOST_RUN: usize = 8000;

/// Most repairs of a function that are found.
const MOST_FOUND: usize = 8;

/// How much less likely an alternative may be than the first repair that is found.
const MORE: usize = 2;

/// A program with tests that fail.
pub struct Trial<'t> {
    /// The program.
    pub program: &'t Program,
    /// The texts of its files.
    pub texts: &'t [String],
    /// All tests that count.
    pub tests: &'t [Test],
    /// The names of those that fail and should pass; all that fail if none is named.
    pub wanted: &'t [String],
    /// Whether the search must end.
    pub is_over: &'t dyn Fn() -> bool,
    /// Hears how far the search is.
    pub heard: &'t dyn Fn(Heard<'_>),
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard<'h> {
    /// So many changes of a function are tried from here on, at most; of two statements each, if it is pairs.
    Started {
        /// Whether it is pairs.
        is_pairs: bool,
        /// How many.
        changes: usize,
    },
    /// One of them was tried.
    Tried,
    /// No more of them are tried.
    Finished {
        /// The function.
        function: &'h str,
        /// How many were tried.
        tried: usize,
        /// How many of them are repairs.
        found: usize,
    },
}

/// A repair.
#[derive(Clone, Debug)]
pub struct TrialRepair {
    /// The function.
    pub loaded: Loaded,
    /// The changes.
    pub changes: Vec<Change>,
    /// How unlike the program they make it.
    pub cost: usize,
}

impl TrialRepair {
    /// The names of those among these tests that pass with it.
    pub fn passed<'t>(&self, tests: impl Iterator<Item = &'t Test>) -> Vec<&'t str> {
        let Some(program) = read(&self.loaded, &self.changes) else {
            return Vec::new();
        };
        let passing = tests.filter(|test| passes(&program, test));
        passing.map(|test| &*test.name).collect()
    }
}

/// What became of a search.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The names of the tests that fail.
    pub failing: Vec<String>,
    /// The names of the other tests that fail; repairs need not make them pass.
    pub given_up: Vec<String>,
    /// The repairs, the smallest first.
    pub found: Vec<TrialRepair>,
    /// The functions that were searched.
    pub searched: Vec<String>,
    /// How many single changes and how many pairs of changes were tried.
    pub looked: [usize; 2],
    /// Whether there are more of them than a search looks at.
    pub is_capped: bool,
    /// The others, and why they could not be.
    pub outside: Vec<(String, String)>,
    /// Whether time ran out.
    pub is_over: bool,
}

impl Trial<'_> {
    /// Searches a function, or all that failing tests call and that have pointers to structures. A test fails if the program
    /// does not do what it says.
    pub fn search(&self, function: Option<FunctionId>) -> Tried {
        let mut failing: Vec<&Test> = Vec::new();
        for test in self.tests {
            if (self.is_over)() {
                return Tried {
                    is_over: true,
                    ..Tried::default()
                };
            }
            if !passes(self.program, test) {
                failing.push(test);
            }
        }
        // Other tests that fail may go on failing.
        let is_wanted = |test: &&Test| self.wanted.is_empty() || self.wanted.contains(&test.name);
        let (failing, given_up): (Vec<&Test>, Vec<&Test>) =
            failing.into_iter().partition(is_wanted);
        let mut tried = Tried {
            failing: failing.iter().map(|test| test.name.clone()).collect(),
            given_up: given_up.iter().map(|test| test.name.clone()).collect(),
            ..Tried::default()
        };
        let mut functions = Vec::new();
        for id in self.functions(&failing, function) {
            if (self.is_over)() {
                break;
            }
            match Loaded::of_one(self.program.clone(), self.texts.to_vec(), id) {
                Ok(loaded) if has_pointers(&loaded.routine) => functions.push(loaded),
                Ok(_) => {}
                Err(outside) => {
                    let name = self.program.functions[id].name.clone();
                    tried.outside.push((name, outside.to_string()));
                }
            }
        }
        let mut searches = Vec::new();
        for loaded in &functions {
            if (self.is_over)() {
                break;
            }
            tried.searched.push(loaded.routine.name.clone());
            let mut search = self.in_function(loaded, &failing, &given_up);
            search.singles(self.heard, &mut tried);
            searches.push(search);
        }
        // Only where no single change of any function is a repair.
        let has_found = !tried.found.is_empty();
        for mut search in searches.into_iter().filter(|_| !has_found) {
            if (self.is_over)() {
                break;
            }
            search.pairs(self.heard, &mut tried);
        }
        // A stable sort: functions that are called first come first.
        tried
            .found
            .sort_by_key(|found| (found.changes.len(), found.cost));
        tried.is_over = (self.is_over)();
        tried
    }

    /// The functions that failing tests call, those first that the fewest other tests call.
    fn functions(&self, failing: &[&Test], wanted: Option<FunctionId>) -> Vec<FunctionId> {
        let called = |test: &Test| -> BTreeSet<FunctionId> {
            let mut positions = Positions::default();
            let run = run(self.program, test, &TRIED, &mut positions, &HashMap::new());
            let places = run.evaluated.iter();
            let functions = places.filter_map(|of| self.program.places[of.instance.place].function);
            functions.collect()
        };
        let mut counts: BTreeMap<FunctionId, (usize, usize)> = BTreeMap::new();
        for test in self.tests {
            if (self.is_over)() {
                break;
            }
            let fails = failing.iter().any(|other| other.name == test.name);
            for function in called(test) {
                let (failing, passing) = counts.entry(function).or_default();
                match fails {
                    true => *failing += 1,
                    false => *passing += 1,
                }
            }
        }
        let mut functions: Vec<(FunctionId, (usize, usize))> = counts
            .into_iter()
            .filter(|(id, (failing, _))| {
                let name = &self.program.functions[*id].name;
                let is_wanted = wanted.map_or(name != "main", |wanted| wanted == *id);
                *failing > 0 && is_wanted
            })
            .collect();
        functions.sort_by_key(|(id, (failing, passing))| (usize::MAX - failing, *passing, *id));
        functions.into_iter().map(|(id, _)| id).collect()
    }

    /// The changes of a function, and what decides on them.
    fn in_function<'s>(
        &'s self,
        loaded: &'s Loaded,
        failing: &[&'s Test],
        given_up: &[&Test],
    ) -> InFunction<'s> {
        let is_other = |test: &&Test| {
            let mut known = failing.iter().chain(given_up);
            !known.any(|other| other.name == test.name)
        };
        let others = self.tests.iter().filter(is_other);
        // Those that decide most first.
        let tests = failing.iter().copied().chain(others);
        let mut judge = Judge {
            loaded,
            routine: loaded.routine.clone(),
            tests: tests.map(|test| (test, Runs::default())).collect(),
            is_over: self.is_over,
            heard: self.heard,
            run: 0,
            looked: 0,
        };
        let calls = judge.calls(failing.len());
        let space = Space::whole(&loaded.routine);
        let weigh = Weigher::new(&loaded.routine);
        let statements = weigh.sorted(single_changes(&space));
        let insertions = all_insertions(&loaded.routine, &space.insertions).map(Change::Insert);
        let insertions = weigh.sorted(insertions.collect());
        InFunction {
            judge,
            calls,
            statements,
            insertions,
        }
    }
}

/// The search in a function.
struct InFunction<'t> {
    judge: Judge<'t>,
    /// The memory at the first calls of the function.
    calls: Vec<Memory>,
    /// The changes of a statement, and those that insert one, with their costs, the least first.
    statements: Vec<(usize, Change)>,
    insertions: Vec<(usize, Change)>,
}

impl InFunction<'_> {
    /// Tries single changes.
    fn singles(&mut self, heard: &dyn Fn(Heard<'_>), tried: &mut Tried) {
        let mut singles: Vec<(usize, Vec<Change>)> = self
            .statements
            .iter()
            .chain(&self.insertions)
            .map(|(cost, change)| (*cost, vec![change.clone()]))
            .collect();
        singles.sort_by_key(|(cost, _)| *cost);
        heard(Heard::Started {
            is_pairs: false,
            changes: singles.len(),
        });
        self.judge.search(singles.into_iter(), false, tried);
    }

    /// Tries pairs of changes.
    fn pairs(&mut self, heard: &dyn Fn(Heard<'_>), tried: &mut Tried) {
        // Two insertions that do the same alone need not do the same with another change, but there are too many.
        let insertions = self.told_apart();
        let pairs = pairs(&self.statements, &insertions);
        tried.is_capped |= pairs.is_capped;
        heard(Heard::Started {
            is_pairs: true,
            changes: pairs.len(),
        });
        self.judge.search(pairs.iter(), true, tried);
    }

    /// One insertion for each effect on the calls, except for effects that other changes have, too.
    fn told_apart(&self) -> Vec<(usize, Change)> {
        let mut routine = self.judge.routine.clone();
        let mut seen = HashSet::from([behaviour(&routine, &self.calls)]);
        let mut is_new = |change: &Change| {
            if (self.judge.is_over)() {
                return false;
            }
            let undo = change.apply(&mut routine);
            let is_new = seen.insert(behaviour(&routine, &self.calls));
            undo.apply(&mut routine);
            is_new
        };
        for (_, change) in &self.statements {
            is_new(change);
        }
        let mut insertions = self.insertions.clone();
        // Where no call can be followed, changes cannot be distinguished.
        insertions.retain(|(_, change)| is_new(change) || self.calls.is_empty());
        insertions
    }
}

/// What decides whether changes of a function repair it.
struct Judge<'t> {
    loaded: &'t Loaded,
    /// The function, which is changed and changed back.
    routine: Routine,
    /// The tests, those that should pass first, with what is known of them.
    tests: Vec<(&'t Test, Runs)>,
    is_over: &'t dyn Fn() -> bool,
    heard: &'t dyn Fn(Heard<'_>),
    /// How many changes were run with the whole program, and how many were looked at.
    run: usize,
    looked: usize,
}

impl Judge<'_> {
    /// The memory at the first calls of the function in the first tests.
    fn calls(&mut self, tests: usize) -> Vec<Memory> {
        let mut calls = Vec::new();
        for (test, runs) in self.tests.iter_mut().take(tests) {
            let (entries, end) = self.loaded.run_of(&self.loaded.program, test);
            runs.add(&self.loaded.routine, &entries, &end);
            calls.extend(entries.into_iter().flatten());
        }
        calls.truncate(MOST_CALLS);
        calls
    }

    /// Adds those with which all tests pass.
    fn search(
        &mut self,
        all: impl Iterator<Item = (usize, Vec<Change>)>,
        is_pairs: bool,
        tried: &mut Tried,
    ) {
        (self.run, self.looked) = (0, 0);
        let found = self.accepted(all).into_iter();
        tried.found.extend(found.map(|(cost, changes)| TrialRepair {
            loaded: self.loaded.clone(),
            changes,
            cost,
        }));
        tried.looked[usize::from(is_pairs)] += self.looked;
        tried.is_capped |= self.run > MOST_RUN;
    }

    /// Those with which all tests pass.
    fn accepted(
        &mut self,
        all: impl Iterator<Item = (usize, Vec<Change>)>,
    ) -> Vec<(usize, Vec<Change>)> {
        let mut found: Vec<(usize, Vec<Change>)> = Vec::new();
        for (cost, changes) in all {
            // Those that are less likely than the first one are not looked at.
            let first = found.first();
            let is_unlikely = first.is_some_and(|(first, _)| cost > *first + MORE);
            let is_enough = is_unlikely || found.len() == MOST_FOUND;
            if is_enough || self.run > MOST_RUN || (self.is_over)() {
                break;
            }
            self.looked += 1;
            if self.passes(&changes) {
                found.push((cost, changes));
            }
            (self.heard)(Heard::Tried);
        }
        (self.heard)(Heard::Finished {
            function: &self.loaded.routine.name,
            tried: self.looked,
            found: found.len(),
        });
        found
    }

    /// Whether all tests pass with these changes, and no changes before did the same in all of them.
    fn passes(&mut self, changes: &[Change]) -> bool {
        let undo: Vec<Undo> = changes
            .iter()
            .map(|change| change.apply(&mut self.routine))
            .collect();
        let mut ids = changes.iter().filter_map(Change::statement);
        let passes =
            !ids.any(|id| is_idle(&self.routine.statements[id])) && self.passes_now(changes);
        for undo in undo.into_iter().rev() {
            undo.apply(&mut self.routine);
        }
        passes
    }

    fn passes_now(&mut self, changes: &[Change]) -> bool {
        let mut program = None;
        for (test, runs) in &mut self.tests {
            // Not all tests passed in time.
            if (self.is_over)() {
                return false;
            }
            match runs.fate(&self.routine) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            if program.is_none() {
                // What names something that is not in scope cannot be read.
                let Some(read) = read(self.loaded, changes) else {
                    return false;
                };
                program = Some(read);
                self.run += 1;
            }
            let Some(program) = &program else {
                return false;
            };
            let (entries, end) = self.loaded.run_of(program, test);
            runs.add(&self.routine, &entries, &end);
            if end != End::Passed {
                return false;
            }
        }
        program.is_some()
    }
}

/// Whether a statement is now `x = x;`, which people do not write: another change removes it.
fn is_idle(statement: &Statement) -> bool {
    let [target, value] = statement.leaves.as_slice() else {
        return false;
    };
    statement.kind == Kind::Assignment && target.atom == value.atom
}

/// The program with these changes, unless some function cannot be read because of them.
fn read(loaded: &Loaded, changes: &[Change]) -> Option<Program> {
    let edits = edits(&loaded.routine, &loaded.texts, changes);
    let texts = rewritten(&loaded.texts, &edits);
    let files = loaded.program.files.iter().cloned().zip(texts);
    let files: Vec<(Utf8PathBuf, String)> = files.collect();
    let read = c::read(&files).ok()?;
    let is_read = read.opaque(loaded.function).is_none();
    is_read.then_some(read)
}

/// A hash of everything that the routine leaves behind after each call, reachable or not.
fn behaviour(routine: &Routine, calls: &[Memory]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for call in calls {
        let mut machine = Machine::new(routine, call.clone());
        format!("{:?}", to_end(&mut machine)).hash(&mut hasher);
        machine.memory.hash(&mut hasher);
    }
    hasher.finish()
}

fn has_pointers(routine: &Routine) -> bool {
    let units = routine.units();
    let leaves = units
        .iter()
        .flat_map(|id| routine.statements[*id].leaves.iter());
    leaves
        .into_iter()
        .any(|leaf| matches!(leaf.ty, Type::Pointer(_)))
}

fn passes(program: &Program, test: &Test) -> bool {
    let mut positions = Positions::default();
    let run = run(program, test, &TRIED, &mut positions, &HashMap::new());
    run.end == End::Passed
}
