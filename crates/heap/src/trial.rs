//! Repair by tests, where nobody says what the heap must be: tries small changes of a function until failing tests pass and
//! passing ones still do.
//!
//! Changes with which the function leaves the same memory behind, wherever a failing test calls it, share their fate: the
//! machine tells them apart in microseconds, and only the most likely one of each kind that can be written is tried on the tests.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use camino::Utf8PathBuf;

use super::ir::{Routine, Type};
use super::load::Loaded;
use super::machine::{Fault, Machine, Point};
use super::memory::Memory;
use super::narrow::{all_insertions, single_changes};
use super::patch::{Change, patched};
use super::rewrite::{edits, rewritten};
use super::space::Space;
use nopol_basics::hash::fnv1a;
use nopol_program::front::c;
use nopol_program::interpret::{End, Limits, run};
use nopol_program::ir::{FunctionId, Program, Test};
use nopol_program::position::Positions;

/// How far a test is run. One that runs further fails.
const LIMITS: Limits = Limits {
    bound: 20_000,
    steps: 400_000,
    implicit: true,
};

/// Most calls of a function, over all failing tests, that changes are told apart by.
const MOST_CALLS: usize = 12;

/// Most pairs of changes of a function that are looked at.
const MOST_PAIRS: usize = 40_000;

/// Most changes of a function that are tried on the tests, single ones and pairs each: so that the result does not depend on the
/// machine unless a user's limit ends the search.
const MOST_TRIED: usize = 4000;

/// Most changes with the same effect of which one is tried.
const MOST_MEMBERS: usize = 20;

/// Most repairs of a function that are found.
const MOST_FOUND: usize = 8;

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
}

/// A repair.
#[derive(Clone, Debug)]
pub struct Found {
    /// The function.
    pub loaded: Loaded,
    /// The changes.
    pub changes: Vec<Change>,
    /// How unlike the program they make it.
    pub cost: usize,
}

/// What became of a search.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The names of the tests that fail.
    pub failing: Vec<String>,
    /// The repairs, the smallest first.
    pub found: Vec<Found>,
    /// The functions that were searched.
    pub searched: Vec<String>,
    /// How many single changes and how many pairs of changes were looked at.
    pub looked: [usize; 2],
    /// Whether there are more of them than a search looks at.
    pub is_capped: bool,
    /// Why the others could not be.
    pub outside: Vec<String>,
    /// Whether time ran out.
    pub is_over: bool,
}

impl Trial<'_> {
    /// Searches a function, or all that failing tests call and that have pointers to structures. A test fails if the program
    /// does not do what it says.
    pub fn search(&self, function: Option<&str>) -> Tried {
        let failing: Vec<&Test> = self
            .tests
            .iter()
            .filter(|test| !passes(self.program, test))
            .collect();
        // Other tests that fail may go on failing.
        let is_wanted = |test: &&Test| self.wanted.is_empty() || self.wanted.contains(&test.name);
        let (failing, given_up): (Vec<&Test>, Vec<&Test>) =
            failing.into_iter().partition(is_wanted);
        let mut tried = Tried {
            failing: failing.iter().map(|test| test.name.clone()).collect(),
            ..Tried::default()
        };
        for id in self.functions(&failing, function) {
            let name = &self.program.functions[id].name;
            match Loaded::of(self.program.clone(), self.texts.to_vec(), name) {
                Ok(loaded) if has_pointers(&loaded.routine) => {
                    tried.searched.push(name.clone());
                    let found = self.in_function(&loaded, &failing, &given_up, &mut tried);
                    tried
                        .found
                        .extend(found.into_iter().map(|(cost, changes)| Found {
                            loaded: loaded.clone(),
                            changes,
                            cost,
                        }));
                }
                Ok(_) => {}
                Err(outside) => tried.outside.push(outside.to_string()),
            }
        }
        // A stable sort: functions that are called first come first.
        tried
            .found
            .sort_by_key(|found| (found.changes.len(), found.cost));
        tried.is_over = (self.is_over)();
        tried
    }

    /// The functions that failing tests call, those first that the fewest other tests call.
    fn functions(&self, failing: &[&Test], wanted: Option<&str>) -> Vec<FunctionId> {
        let called = |test: &Test| -> BTreeSet<FunctionId> {
            let mut positions = Positions::default();
            let run = run(self.program, test, &LIMITS, &mut positions, &HashMap::new());
            let places = run.evaluated.iter();
            let functions = places.filter_map(|of| self.program.places[of.instance.place].function);
            functions.collect()
        };
        let mut counts: BTreeMap<FunctionId, (usize, usize)> = BTreeMap::new();
        for test in self.tests {
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
                let is_wanted = wanted.map_or(name != "main", |wanted| wanted == name);
                *failing > 0 && is_wanted
            })
            .collect();
        functions.sort_by_key(|(id, (failing, passing))| (usize::MAX - failing, *passing, *id));
        functions.into_iter().map(|(id, _)| id).collect()
    }

    /// Single changes, or else pairs.
    fn in_function(
        &self,
        loaded: &Loaded,
        failing: &[&Test],
        given_up: &[&Test],
        tried: &mut Tried,
    ) -> Vec<(usize, Vec<Change>)> {
        let routine = &loaded.routine;
        let calls: Vec<Memory> = failing
            .iter()
            .flat_map(|test| loaded.entries_of(test))
            // What the machine cannot follow tells nothing apart.
            .filter(|call| is_followed(routine, call))
            .take(MOST_CALLS)
            .collect();
        let is_other = |test: &&Test| {
            let mut known = failing.iter().chain(given_up);
            !known.any(|other| other.name == test.name)
        };
        let others = self.tests.iter().filter(is_other);
        // Those that decide most first.
        let tests: Vec<&Test> = failing.iter().copied().chain(others).collect();
        let space = Space::whole(routine);
        let mut seen = HashSet::from([effect(routine, &calls)]);
        let statements = costed(&space, single_changes(&space));
        let kinds = self.kinds(routine, &calls, &mut seen, statements.clone());
        let insertions = all_insertions(routine, &space.insertions).map(Change::Insert);
        let insertions = costed(&space, insertions.collect());
        tried.looked[0] += statements.len() + insertions.len();
        let insertions = self.kinds(routine, &calls, &mut seen, insertions);
        let mut singles = kinds;
        singles.extend(insertions.iter().cloned());
        singles.sort_by_key(|kind| kind.cost);
        tried.is_capped |= singles.len() > MOST_TRIED;
        let found = self.accepted(loaded, &tests, singles);
        if !found.is_empty() {
            return found;
        }
        // Two changes that do the same alone need not do the same with a third one.
        let mut pairs = Vec::new();
        for (at, (cost, first)) in statements.iter().enumerate() {
            let inserted = insertions.iter().map(Kind::likeliest);
            let others = statements[at + 1..].iter().map(|(cost, of)| (*cost, of));
            for (other_cost, second) in others.chain(inserted) {
                if statement(first) != statement(second) {
                    let both = first.iter().chain(second).cloned().collect();
                    pairs.push((cost + other_cost, both));
                }
            }
        }
        pairs.sort_by_key(|(cost, _)| *cost);
        tried.is_capped |= pairs.len() > MOST_PAIRS;
        pairs.truncate(MOST_PAIRS);
        tried.looked[1] += pairs.len();
        let pairs = self.kinds(routine, &calls, &mut seen, pairs);
        tried.is_capped |= pairs.len() > MOST_TRIED;
        self.accepted(loaded, &tests, pairs)
    }

    /// Groups changes by their effect, but for effects that were seen before.
    fn kinds(
        &self,
        routine: &Routine,
        calls: &[Memory],
        seen: &mut HashSet<u64>,
        all: Vec<(usize, Vec<Change>)>,
    ) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut places: HashMap<u64, usize> = HashMap::new();
        for (cost, changes) in all {
            if (self.is_over)() {
                break;
            }
            let members = vec![changes];
            // Where no call can be followed, nothing tells changes apart.
            if calls.is_empty() {
                kinds.push(Kind { cost, members });
                continue;
            }
            let effect = effect(&patched(routine, &members[0]), calls);
            if seen.contains(&effect) {
                continue;
            }
            match places.get(&effect) {
                Some(at) if kinds[*at].members.len() < MOST_MEMBERS => {
                    kinds[*at].members.extend(members);
                }
                Some(_) => {}
                None => {
                    places.insert(effect, kinds.len());
                    kinds.push(Kind { cost, members });
                }
            }
        }
        seen.extend(places.into_keys());
        kinds
    }

    /// Those with which all tests pass.
    fn accepted(
        &self,
        loaded: &Loaded,
        tests: &[&Test],
        all: Vec<Kind>,
    ) -> Vec<(usize, Vec<Change>)> {
        let tried = all
            .into_iter()
            .take(MOST_TRIED)
            .take_while(|_| !(self.is_over)());
        let accepted = tried.filter_map(|Kind { cost, members }| {
            // What names something that is not in scope cannot be read; another member has the same effect.
            let mut readable = members.into_iter().filter_map(|changes| {
                let edits = edits(&loaded.routine, &loaded.texts, &changes);
                let texts = rewritten(&loaded.texts, &edits);
                let files = loaded.program.files.iter().cloned().zip(texts);
                let files: Vec<(Utf8PathBuf, String)> = files.collect();
                Some((changes, c::read(&files).ok()?))
            });
            let (changes, program) = readable.next()?;
            let passes = tests.iter().all(|test| passes(&program, test));
            passes.then_some((cost, changes))
        });
        accepted.take(MOST_FOUND).collect()
    }
}

/// Changes with the same effect.
#[derive(Clone, Debug)]
struct Kind {
    /// How unlike the program the first of them makes it.
    cost: usize,
    /// The changes, the most likely first.
    members: Vec<Vec<Change>>,
}

impl Kind {
    /// The most likely change, and its cost.
    fn likeliest(&self) -> (usize, &Vec<Change>) {
        (self.cost, &self.members[0])
    }
}

/// What a repair must not do twice.
fn statement(changes: &[Change]) -> Option<super::ir::StatementId> {
    changes.first().and_then(Change::statement)
}

fn costed(space: &Space, changes: Vec<Change>) -> Vec<(usize, Vec<Change>)> {
    let costed = changes.into_iter().map(|change| {
        let changes = vec![change];
        (space.cost(&changes), changes)
    });
    let mut costed: Vec<(usize, Vec<Change>)> = costed.collect();
    costed.sort_by_key(|(cost, _)| *cost);
    costed
}

/// Whether the machine knows enough of a call to run it.
fn is_followed(routine: &Routine, call: &Memory) -> bool {
    let mut machine = Machine::new(routine, call.clone());
    loop {
        let done = match machine.advance(None) {
            Ok(Point::Head(_)) => machine.decide(None).map(|_| ()),
            Ok(_) => return true,
            Err(fault) => Err(fault),
        };
        if let Err(fault) = done {
            return !matches!(fault, Fault::Unknown(_) | Fault::Dangling(_));
        }
    }
}

/// A hash of what the routine leaves behind after each call.
fn effect(routine: &Routine, calls: &[Memory]) -> u64 {
    let mut text = String::new();
    for call in calls {
        let mut machine = Machine::new(routine, call.clone());
        let end = loop {
            match machine.advance(None) {
                Ok(Point::Head(_)) => match machine.decide(None) {
                    Ok(_) => {}
                    Err(fault) => break Err(fault),
                },
                Ok(_) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{end:?}{:?}", machine.memory);
    }
    fnv1a(&text)
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
    let run = run(program, test, &LIMITS, &mut positions, &HashMap::new());
    run.end == End::Passed
}
