//! All minimal candidates, the smallest first (AgxFaults, Algorithm 1): one incremental solver, blocking clauses, and a
//! bound on the number of broken places that grows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::angelic::{AngelicProgram, Failing, Guess, Replay, Shared, guess};
use super::{Candidate, Found, Limit, Outcome, Trouble, eager, transfer};
use crate::formula::circuit::cnf::{Lit, Solver};
use crate::formula::circuit::{Bit, Circuit};
use crate::formula::encode::Extent;
use crate::formula::interpret::{Angelic, End, Run};
use crate::formula::ir::{PlaceId, Program, Test};
use crate::formula::position::Positions;

pub use super::angelic::Part as Formula;

/// What is searched.
#[derive(Clone, Debug)]
pub struct Options {
    /// How far the program is followed.
    pub extent: Extent,
    /// How much of it is in the formula.
    pub formula: Formula,
    /// Most places in a candidate.
    pub size: usize,
    /// The places that may be in candidates; all if not given.
    pub places: Option<BTreeSet<PlaceId>>,
}

/// How many times as large as after the last restart a solver may be: what refinement replaced stays in it.
const GARBAGE: u32 = 2;

/// Most combinations of usual values that are tried before a solver is asked.
const MOST_GUESSES: usize = 16;

pub(super) struct Search<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) options: Options,
    pub(super) tests: &'a [Test],
    /// Values that each place has in passing tests, and simple ones.
    pub(super) usual: &'a BTreeMap<PlaceId, Vec<i128>>,
    solver: Solver,
    /// Its size after it was last made anew.
    clean: u32,
    /// The sets that were found.
    blocked: Vec<Vec<PlaceId>>,
    /// The sets that runs of others were tried with.
    tried: HashSet<Vec<PlaceId>>,
    /// The angelic programs in the formula, by the numbers of their tests, with the literals that their tests pass.
    active: BTreeMap<usize, (AngelicProgram<'a>, Lit)>,
    /// Those that are asked only whether a candidate holds, each with a solver of its own.
    others: BTreeMap<usize, (AngelicProgram<'a>, Solver)>,
    /// Those that are not in the formula.
    failing: HashMap<usize, Failing<'a>>,
    refinements: usize,
    solving: Duration,
}

/// Every minimal set of at most so many places that makes all of these failing tests pass. `usual` are values of each
/// place that are tried before a solver is asked, and shown rather than its.
///
/// # Errors
/// If a run cannot be encoded, the solver gives up, or a candidate does not hold when it is replayed.
pub fn localize(
    program: &Program,
    tests: &[Test],
    usual: &BTreeMap<PlaceId, Vec<i128>>,
    options: Options,
) -> Result<Found, Trouble> {
    let started = Instant::now();
    let mut circuit = Circuit::default();
    let broken: BTreeMap<PlaceId, Bit> = program
        .places
        .keys()
        .filter(|place| (options.places.as_ref()).is_none_or(|places| places.contains(place)))
        .map(|place| (place, circuit.input()))
        .collect();
    let mut search = Search {
        shared: Shared {
            program,
            extent: options.extent,
            circuit,
            broken,
            positions: Positions::default(),
            led_to: HashSet::new(),
            small: Rc::new(eager::small(program)),
        },
        solver: Solver::patient(options.extent.patience()),
        options,
        tests,
        usual,
        clean: u32::MAX,
        blocked: Vec::new(),
        tried: HashSet::new(),
        active: BTreeMap::new(),
        others: BTreeMap::new(),
        failing: HashMap::new(),
        refinements: 0,
        solving: Duration::ZERO,
    };
    let (outcome, candidates, complete_to) = search.all()?;
    let checks = search.solver.calls
        + search
            .others
            .values()
            .map(|(_, solver)| solver.calls)
            .sum::<usize>();
    Ok(Found {
        outcome,
        candidates,
        complete_to,
        encoded: search.active.keys().copied().collect(),
        positions: search.shared.positions,
        refinements: search.refinements,
        checks,
        gates: search.shared.circuit.len(),
        solving: search.solving.as_secs_f64(),
        total: started.elapsed().as_secs_f64(),
    })
}

impl Search<'_> {
    fn all(&mut self) -> Result<(Outcome, Vec<Candidate>, usize), Trouble> {
        if self.tests.is_empty() {
            return Ok((Outcome::None, Vec::new(), 0));
        }
        let mut found: Vec<Candidate> = self.probed();
        match self.activate(0) {
            Err(Trouble::Limit(limit)) => return Ok((Outcome::Limit(limit), found, 0)),
            activated => activated?,
        }
        let places: Vec<PlaceId> = self.shared.broken.keys().copied().collect();
        let broken: Vec<Bit> = self.shared.broken.values().copied().collect();
        let counted = at_least(&mut self.shared.circuit, &broken, self.options.size + 1);
        for candidate in &found {
            self.block(&candidate.places);
        }
        for size in 1..=self.options.size {
            loop {
                if self.is_late() {
                    return Ok((Outcome::Limit(Limit::Time), found, size - 1));
                }
                self.tidy();
                let mut assumptions: Vec<Lit> =
                    self.active.values().map(|(_, passes)| *passes).collect();
                if let Some(&more) = counted.get(size) {
                    assumptions.push(!self.solver.literal(&self.shared.circuit, more));
                }
                match self.ask_inside_first(&assumptions) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(Trouble::Limit(limit)) => {
                        return Ok((Outcome::Limit(limit), found, size - 1));
                    }
                    Err(trouble) => return Err(trouble),
                }
                let set: Vec<PlaceId> = places
                    .iter()
                    .zip(&broken)
                    .filter(|(_, bit)| self.solver.value(**bit))
                    .map(|(place, _)| *place)
                    .collect();
                let runs = match self.examine(&set) {
                    Ok(Some(runs)) => runs,
                    Ok(None) => continue,
                    Err(Trouble::Limit(limit)) => {
                        return Ok((Outcome::Limit(limit), found, size - 1));
                    }
                    Err(trouble) => return Err(trouble),
                };
                self.block(&set);
                found.push(Candidate { places: set, runs });
                if self.options.formula == Formula::OnDemand {
                    self.transfer(&mut found);
                }
            }
        }
        let outcome = if found.is_empty() {
            Outcome::None
        } else {
            Outcome::Localized
        };
        Ok((outcome, found, self.options.size))
    }

    /// Adds the candidates that the runs of the last one show, and those that theirs show ([`transfer`]).
    fn transfer(&mut self, found: &mut Vec<Candidate>) {
        let mut next = found.len() - 1;
        while next < found.len() && !self.is_late() {
            let candidate = found[next].clone();
            for place in &candidate.places {
                let rest = candidate.places.iter().copied();
                let rest: Vec<PlaceId> = rest.filter(|other| other != place).collect();
                let without = transfer::values(&candidate.runs[&0], &rest);
                let without = self.shared.run(&self.tests[0], &without);
                for other in transfer::changed(&without, &candidate.runs[&0]) {
                    if rest.contains(&other) {
                        continue;
                    }
                    let mut set = rest.clone();
                    set.push(other);
                    set.sort_unstable();
                    if let Some(mut runs) = self.transferred(&candidate, &set) {
                        let mut guesses = self.usual_guesses(&set);
                        for (number, run) in &mut runs {
                            if let Some(usual) = self.guessed(*number, &mut guesses) {
                                *run = usual;
                            }
                        }
                        self.block(&set);
                        found.push(Candidate { places: set, runs });
                    }
                }
            }
            next += 1;
        }
    }

    /// The runs with what these places have in a candidate's runs, if they are a new candidate.
    fn transferred(
        &mut self,
        candidate: &Candidate,
        set: &[PlaceId],
    ) -> Option<BTreeMap<usize, Run>> {
        let is_part = |blocked: &Vec<PlaceId>| blocked.iter().all(|place| set.contains(place));
        if self.blocked.iter().any(is_part) || !self.tried.insert(set.to_vec()) {
            return None;
        }
        let runs = candidate.runs.iter().map(|(number, run)| {
            let run = self
                .shared
                .run(&self.tests[*number], &transfer::values(run, set));
            (run.end == End::Passed).then_some((*number, run))
        });
        runs.collect()
    }

    pub(super) fn is_late(&self) -> bool {
        let deadline = self.options.extent.deadline;
        deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Why a solver gave up.
    fn given_up(&self) -> Trouble {
        if self.is_late() {
            Trouble::Limit(Limit::Time)
        } else if self.options.extent.decisions.is_some() {
            Trouble::Limit(Limit::Decisions)
        } else {
            Trouble::Unknown
        }
    }

    /// Makes the solver anew if most of it is of formulas that were replaced.
    fn tidy(&mut self) {
        let size = self.solver.size();
        if size > self.clean.saturating_mul(GARBAGE) {
            self.solver.restarted();
            for (angelic, passes) in self.active.values_mut() {
                let goal = angelic.goal(&mut self.shared.circuit);
                *passes = self.solver.literal(&self.shared.circuit, goal);
            }
            for set in std::mem::take(&mut self.blocked) {
                self.block(&set);
            }
            self.clean = self.solver.size();
        } else if self.clean == u32::MAX {
            self.clean = size;
        }
    }

    /// Whether there is a model: if possible, one that stays in what is explored, so that most candidates are found before
    /// the formula grows.
    fn ask_inside_first(&mut self, assumptions: &[Lit]) -> Result<bool, Trouble> {
        if self.options.formula == Formula::OnDemand {
            let mut inside = assumptions.to_vec();
            for (angelic, _) in self.active.values() {
                let escapes = angelic.encoded.escapes;
                if escapes != Bit::FALSE {
                    inside.push(!self.solver.literal(&self.shared.circuit, escapes));
                }
            }
            if inside.len() > assumptions.len() && self.ask(&inside)? {
                return Ok(true);
            }
        }
        self.ask(assumptions)
    }

    fn ask(&mut self, assumptions: &[Lit]) -> Result<bool, Trouble> {
        let started = Instant::now();
        let answer = self.solver.check(assumptions);
        self.solving += started.elapsed();
        answer.map_err(|_| self.given_up())
    }

    /// Puts the angelic program of a test into the formula.
    fn activate(&mut self, number: usize) -> Result<(), Trouble> {
        let angelic = match self.others.remove(&number) {
            Some((angelic, _)) => angelic,
            None => {
                AngelicProgram::new(&mut self.shared, &self.tests[number], self.options.formula)?
            }
        };
        let goal = angelic.goal(&mut self.shared.circuit);
        let passes = self.solver.literal(&self.shared.circuit, goal);
        self.active.insert(number, (angelic, passes));
        Ok(())
    }

    /// The runs with angelic values at these places, if all tests have one; otherwise the formula was extended.
    fn examine(&mut self, set: &[PlaceId]) -> Result<Option<BTreeMap<usize, Run>>, Trouble> {
        let (mut runs, mut is_refined) = (BTreeMap::new(), false);
        // The model is gone once the solver learns of new gates.
        let active = self.active.iter();
        let values: Vec<_> = active
            .map(|(_, (angelic, _))| angelic.values(&self.solver, set))
            .collect();
        for ((number, (angelic, passes)), values) in self.active.iter_mut().zip(&values) {
            match angelic.replay(&mut self.shared, values)? {
                Replay::Refined => {
                    self.refinements += 1;
                    is_refined = true;
                    let goal = angelic.goal(&mut self.shared.circuit);
                    *passes = self.solver.literal(&self.shared.circuit, goal);
                }
                Replay::Disagrees(run) if run.end == End::Steps => {
                    return Err(Trouble::Limit(Limit::Steps));
                }
                Replay::Disagrees(run) if self.options.formula.is_exact() => {
                    return Err(Trouble::Disagreement {
                        test: *number,
                        end: format!("{:?}", run.end),
                    });
                }
                // That the formula of a path says more than holds is what is compared.
                Replay::Holds(run) | Replay::Disagrees(run) => {
                    runs.insert(*number, run);
                }
            }
        }
        if is_refined {
            return Ok(None);
        }
        let mut guesses = self.usual_guesses(set);
        let remember = |guesses: &mut Vec<Guess>, run: &Run| {
            let new = guess(run);
            if !guesses.contains(&new) {
                guesses.insert(0, new);
            }
        };
        // Values that the program has there anyway say more than the solver's.
        let active: Vec<usize> = runs.keys().copied().collect();
        for number in active {
            match self.guessed(number, &mut guesses) {
                Some(run) => runs.insert(number, run),
                None => {
                    remember(&mut guesses, &runs[&number]);
                    None
                }
            };
        }
        for number in 0..self.tests.len() {
            if self.active.contains_key(&number) {
                continue;
            }
            match self.holds(number, set, &mut guesses)? {
                Some(run) => {
                    remember(&mut guesses, &run);
                    runs.insert(number, run);
                }
                None => {
                    self.activate(number)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(runs))
    }

    /// The run of a test with angelic values at these places, if there is one.
    fn holds(
        &mut self,
        number: usize,
        set: &[PlaceId],
        guesses: &mut [Guess],
    ) -> Result<Option<Run>, Trouble> {
        if let Some(run) = self.guessed(number, guesses) {
            return Ok(Some(run));
        }
        if !self.others.contains_key(&number) {
            let angelic =
                AngelicProgram::new(&mut self.shared, &self.tests[number], self.options.formula)?;
            let solver = Solver::patient(self.options.extent.patience());
            self.others.insert(number, (angelic, solver));
        }
        let Some((angelic, solver)) = self.others.get_mut(&number) else {
            return Ok(None);
        };
        let deadline = self.options.extent.deadline;
        loop {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Err(Trouble::Limit(Limit::Time));
            }
            let goal = angelic.goal(&mut self.shared.circuit);
            let mut assumptions = vec![solver.literal(&self.shared.circuit, goal)];
            for (place, bit) in &self.shared.broken {
                let lit = solver.literal(&self.shared.circuit, *bit);
                assumptions.push(if set.contains(place) { lit } else { !lit });
            }
            let started = Instant::now();
            let answer = solver.check(&assumptions);
            self.solving += started.elapsed();
            let Ok(is_possible) = answer else {
                return Err(self.given_up());
            };
            if !is_possible {
                return Ok(None);
            }
            let values: HashMap<_, _> = angelic.values(solver, set);
            match angelic.replay(&mut self.shared, &values)? {
                Replay::Holds(run) => return Ok(Some(run)),
                Replay::Refined => {
                    self.refinements += 1;
                    // Little was learned, and the new formula replaces the old one.
                    solver.restarted();
                }
                Replay::Disagrees(run) if !self.options.formula.is_exact() => return Ok(Some(run)),
                Replay::Disagrees(run) if run.end == End::Steps => {
                    return Err(Trouble::Limit(Limit::Steps));
                }
                Replay::Disagrees(run) => {
                    let end = format!("{:?}", run.end);
                    return Err(Trouble::Disagreement { test: number, end });
                }
            }
        }
    }

    /// The run of a test with one of these values, if one makes it pass; that one comes first from now on.
    fn guessed(&mut self, number: usize, guesses: &mut [Guess]) -> Option<Run> {
        let (shared, tests) = (&mut self.shared, self.tests);
        let failing = self
            .failing
            .entry(number)
            .or_insert_with(|| Failing::new(shared, &tests[number]));
        let (at, run) = guesses
            .iter()
            .enumerate()
            .find_map(|(at, guess)| Some((at, failing.passes(shared, guess)?)))?;
        guesses[..=at].rotate_right(1);
        Some(run)
    }

    /// Values that these places usually have, in all combinations, but not too many.
    fn usual_guesses(&self, set: &[PlaceId]) -> Vec<Guess> {
        let each = MOST_GUESSES.isqrt().max(MOST_GUESSES / set.len().pow(2));
        let mut guesses = vec![Guess::new()];
        for place in set {
            let usual = self.usual.get(place).map_or(&[][..], Vec::as_slice);
            let with = |guess: &Guess| -> Vec<Guess> {
                let values = usual.iter().take(each);
                let with = values.map(|&value| {
                    let mut guess = guess.clone();
                    guess.insert(*place, Angelic { value, index: None });
                    guess
                });
                with.collect()
            };
            guesses = guesses.iter().flat_map(with).take(MOST_GUESSES).collect();
        }
        guesses
    }

    /// No superset of these places from now on.
    fn block(&mut self, set: &[PlaceId]) {
        let mut clause = Vec::with_capacity(set.len());
        for place in set {
            if let Some(&bit) = self.shared.broken.get(place) {
                clause.push(!self.solver.literal(&self.shared.circuit, bit));
            }
        }
        self.solver.require(&clause);
        self.blocked.push(set.to_vec());
    }
}

/// Signals that at least 1, 2, …, `most` of the bits are true: a totalizer.
pub(in crate::formula) fn at_least(circuit: &mut Circuit, bits: &[Bit], most: usize) -> Vec<Bit> {
    match bits {
        [] => Vec::new(),
        [bit] => vec![*bit],
        _ => {
            let (left, right) = bits.split_at(bits.len() / 2);
            let (left, right) = (
                at_least(circuit, left, most),
                at_least(circuit, right, most),
            );
            let count = (left.len() + right.len()).min(most);
            (1..=count)
                .map(|wanted| {
                    let mut ways = Vec::new();
                    for from_left in 0..=wanted.min(left.len()) {
                        let from_right = wanted - from_left;
                        if from_right > right.len() {
                            continue;
                        }
                        let pick = |side: &[Bit], number: usize| match number {
                            0 => Bit::TRUE,
                            _ => side[number - 1],
                        };
                        ways.push(circuit.and(pick(&left, from_left), pick(&right, from_right)));
                    }
                    circuit.any(ways)
                })
                .collect()
        }
    }
}
