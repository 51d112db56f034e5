//! All minimal candidates, the smallest first (AgxFaults, Algorithm 1). The paper asks one incremental MaxSMT solver. Here each test
//! has an incremental SAT solver of its own, which is asked whether certain places are enough; if they are not, it returns a core,
//! and [`super::hitting`] proposes the next places. So tests need no common formula, and a formula is only asked with nearly
//! everything in it fixed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nopol_program::interpret::{Angelic, End, Run};
use nopol_program::ir::{PlaceId, Program, Test};
use nopol_program::position::Positions;

pub use super::angelic::Part as Formula;
use super::angelic::{AngelicProgram, Failing, Guess, Replay, Shared, guess};
use super::hitting::Hitting;
use super::spared::{Budget, spared};
use super::{Candidate, FaultSets, FaultsOutcome, Limit, Trouble, eager, transfer};
use crate::circuit::cnf::{Lit, Solver};
use crate::circuit::{Bit, Circuit};
use crate::encode::Extent;

/// What is searched.
#[derive(Clone, Debug)]
pub struct FaultsOptions {
    /// How far the program is followed.
    pub extent: Extent,
    /// How much of it is in the formula.
    pub formula: Formula,
    /// Most places in a candidate.
    pub size: usize,
    /// The places that may be in candidates; all if not given.
    pub places: Option<BTreeSet<PlaceId>>,
    /// What may be spent on each run of a candidate to leave out values.
    pub budget: Budget,
}

/// How many times as large as after the last restart a solver may be: what refinement replaced stays in it.
const GARBAGE: u32 = 2;

/// How many decisions a solver makes for a set before others of its size are tried, and how many times as many it makes
/// when it is tried again.
const FEW_DECISIONS: u64 = 10_000;
const MORE_DECISIONS: u64 = 10;

/// Most combinations of usual values that are tried before a solver is asked.
const MOST_GUESSES: usize = 16;

pub(super) struct Search<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) options: FaultsOptions,
    pub(super) tests: &'a [Test],
    /// Values that each place has in passing tests, and simple ones.
    pub(super) usual: &'a BTreeMap<PlaceId, Vec<i128>>,
    hitting: Hitting,
    /// The tests, those that refuted sets lately first.
    order: Vec<usize>,
    /// The angelic programs of tests that a solver was needed for.
    asked: BTreeMap<usize, Asked<'a>>,
    /// The tests as they run.
    failing: HashMap<usize, Failing<'a>>,
    /// The sets that were found.
    blocked: Vec<Vec<PlaceId>>,
    /// The sets that runs of others were tried with.
    tried: HashSet<Vec<PlaceId>>,
    /// How many decisions a solver may make for one set before it is postponed.
    decisions: u64,
    /// Whether formulas may grow for the set at hand, and whether they must for one that was postponed.
    may_grow: bool,
    wants_to_grow: bool,
    refinements: usize,
    solving: Duration,
}

/// What is known of a set of places.
enum Examined<T> {
    /// It is a candidate.
    Holds(T),
    /// It is none, and there is a new core.
    Fails,
    /// Not yet: it takes more decisions, or leads out of what is explored.
    Open,
}

/// A test's angelic program, and the solver that knows it.
pub(super) struct Asked<'a> {
    pub(super) angelic: AngelicProgram<'a>,
    pub(super) solver: Solver,
    /// The solver's size after it was last made anew.
    clean: u32,
}

/// Every minimal set of at most this many places that makes all of these failing tests pass. `usual` are values of each
/// place that are tried before a solver is asked, and shown rather than its.
///
/// # Errors
/// If a run cannot be encoded, the solver gives up, or a candidate does not hold when it is replayed.
pub fn localize(
    program: &Program,
    tests: &[Test],
    usual: &BTreeMap<PlaceId, Vec<i128>>,
    options: FaultsOptions,
) -> Result<FaultSets, Trouble> {
    let started = Instant::now();
    let mut circuit = Circuit::default();
    let broken: BTreeMap<PlaceId, Bit> = program
        .places
        .keys()
        .filter(|place| (options.places.as_ref()).is_none_or(|places| places.contains(place)))
        .map(|place| (place, circuit.input()))
        .collect();
    let patience = options.extent.patience();
    let mut search = Search {
        hitting: Hitting::new(broken.keys().copied(), options.size, patience),
        shared: Shared {
            program,
            extent: options.extent,
            circuit,
            broken,
            positions: Positions::default(),
            led_to: HashSet::new(),
            small: Rc::new(eager::small(program)),
        },
        options,
        tests,
        usual,
        order: (0..tests.len()).collect(),
        asked: BTreeMap::new(),
        failing: HashMap::new(),
        blocked: Vec::new(),
        tried: HashSet::new(),
        decisions: FEW_DECISIONS,
        may_grow: false,
        wants_to_grow: false,
        refinements: 0,
        solving: Duration::ZERO,
    };
    let (outcome, mut candidates, complete_to) = search.all()?;
    for candidate in &mut candidates {
        search.spare(candidate);
    }
    let checks = search.asked.values().map(|asked| asked.solver.calls);
    Ok(FaultSets {
        outcome,
        candidates,
        complete_to,
        encoded: search.asked.keys().copied().collect(),
        checks: checks.sum(),
        positions: search.shared.positions,
        refinements: search.refinements,
        gates: search.shared.circuit.len(),
        solving: search.solving.as_secs_f64(),
        total: started.elapsed().as_secs_f64(),
    })
}

impl<'a> Search<'a> {
    fn all(&mut self) -> Result<(FaultsOutcome, Vec<Candidate>, usize), Trouble> {
        if self.tests.is_empty() {
            return Ok((FaultsOutcome::None, Vec::new(), 0));
        }
        let mut found: Vec<Candidate> = self.probed();
        for candidate in &found {
            self.block(&candidate.places);
        }
        for size in 1..=self.options.size {
            match self.of_size(size, &mut found) {
                Err(Trouble::Limit(limit)) => {
                    return Ok((FaultsOutcome::Limit(limit), found, size - 1));
                }
                searched => searched?,
            }
            if self.hitting.is_exhausted() {
                break;
            }
        }
        let outcome = if found.is_empty() {
            FaultsOutcome::None
        } else {
            FaultsOutcome::Localized
        };
        let all = self.shared.broken.len();
        Ok((outcome, found, self.options.size.min(all)))
    }

    /// Leaves the values of a candidate's runs to the program where it may have its own.
    fn spare(&mut self, candidate: &mut Candidate) {
        // The runs of the formula of a path need not pass.
        if !self.options.formula.is_exact() {
            return;
        }
        for (number, run) in &mut candidate.runs {
            if self.is_late() {
                return;
            }
            let test = &self.tests[*number];
            *run = spared(run.clone(), self.options.budget, |values| {
                self.shared.run(test, values)
            });
        }
    }

    /// Adds all candidates of at most this many places.
    fn of_size(&mut self, size: usize, found: &mut Vec<Candidate>) -> Result<(), Trouble> {
        self.decisions = FEW_DECISIONS;
        loop {
            if self.is_late() {
                return Err(Trouble::Limit(Limit::Time));
            }
            let next = self.hitting.next(size);
            let Some(set) = next.map_err(|_| self.given_up())? else {
                if !self.hitting.resume() {
                    return Ok(());
                }
                // One that leads out of the formulas makes them grow, and then the others come first again.
                self.may_grow = self.wants_to_grow;
                if !std::mem::take(&mut self.wants_to_grow) {
                    self.decisions = self.decisions.saturating_mul(MORE_DECISIONS);
                }
                continue;
            };
            let examined = self.examine(&set)?;
            self.may_grow = false;
            match examined {
                Examined::Holds(runs) => {
                    self.block(&set);
                    found.push(Candidate { places: set, runs });
                    if self.options.formula == Formula::OnDemand {
                        self.transfer(found);
                    }
                }
                // There is a new core.
                Examined::Fails => {}
                Examined::Open => self.hitting.postpone(&set),
            }
        }
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
                    let may_be = self.shared.broken.contains_key(&other);
                    if rest.contains(&other) || !may_be {
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
        self.options.extent.deadline.is_over()
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

    /// The runs with angelic values at these places, if all tests have one.
    fn examine(&mut self, set: &[PlaceId]) -> Result<Examined<BTreeMap<usize, Run>>, Trouble> {
        let mut runs = BTreeMap::new();
        let mut guesses = self.usual_guesses(set);
        for at in 0..self.order.len() {
            let number = self.order[at];
            // Values that the program has there anyway say more than the solver's, and a run costs less.
            let run = match self.guessed(number, &mut guesses) {
                Some(run) => run,
                None => match self.holds(number, set)? {
                    Examined::Holds(run) => run,
                    Examined::Fails => {
                        self.order[..=at].rotate_right(1);
                        return Ok(Examined::Fails);
                    }
                    Examined::Open => return Ok(Examined::Open),
                },
            };
            let new = guess(&run);
            if !guesses.contains(&new) {
                guesses.insert(0, new);
            }
            runs.insert(number, run);
        }
        Ok(Examined::Holds(runs))
    }

    /// The run of a test with angelic values at these places, if there is one.
    fn holds(&mut self, number: usize, set: &[PlaceId]) -> Result<Examined<Run>, Trouble> {
        let mut asked = match self.asked.remove(&number) {
            Some(asked) => asked,
            None => Asked {
                angelic: AngelicProgram::new(
                    &mut self.shared,
                    &self.tests[number],
                    self.options.formula,
                )?,
                solver: Solver::patient(self.options.extent.patience()),
                clean: u32::MAX,
            },
        };
        let answer = self.answer(number, &mut asked, set);
        self.asked.insert(number, asked);
        answer
    }

    fn answer(
        &mut self,
        number: usize,
        asked: &mut Asked<'a>,
        set: &[PlaceId],
    ) -> Result<Examined<Run>, Trouble> {
        // A set that was postponed because it leads out of what is explored does so still.
        let mut leads_out = self.may_grow;
        loop {
            if self.is_late() {
                return Err(Trouble::Limit(Limit::Time));
            }
            asked.tidy();
            let Asked {
                angelic, solver, ..
            } = asked;
            let goal = angelic.goal(&mut self.shared.circuit);
            let mut assumptions = vec![solver.literal(&self.shared.circuit, goal)];
            let mut places: HashMap<Lit, PlaceId> = HashMap::new();
            for (place, bit) in &self.shared.broken {
                let lit = solver.literal(&self.shared.circuit, *bit);
                if set.contains(place) {
                    assumptions.push(lit);
                } else {
                    assumptions.push(!lit);
                    places.insert(!lit, *place);
                }
            }
            let (answer, is_inside) = match std::mem::take(&mut leads_out) {
                true => (self.ask(&mut asked.solver, &assumptions)?, false),
                false => self.ask_inside_first(asked, &assumptions)?,
            };
            let Some(has_model) = answer else {
                return Ok(Examined::Open);
            };
            if has_model && !is_inside && !self.may_grow {
                self.wants_to_grow = true;
                return Ok(Examined::Open);
            }
            if !has_model {
                let core = asked.solver.core();
                let core = core.iter().filter_map(|lit| places.get(lit).copied());
                let core: Vec<PlaceId> = core.collect();
                self.hitting.require(&core);
                return Ok(Examined::Fails);
            }
            let Asked {
                angelic, solver, ..
            } = asked;
            let values: HashMap<_, _> = angelic.values(solver, set);
            match angelic.replay(&mut self.shared, &values)? {
                Replay::Holds(run) => {
                    let run = self.closer(asked, &assumptions, set, run);
                    return Ok(Examined::Holds(run));
                }
                Replay::Refined => self.refinements += 1,
                // That the formula of a path says more than holds is what is compared.
                Replay::Disagrees(run) if !self.options.formula.is_exact() => {
                    return Ok(Examined::Holds(run));
                }
                Replay::Disagrees(run) if run.end == End::Late => {
                    return Err(Trouble::Limit(Limit::Time));
                }
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

    /// Whether there is a model, and whether it stays in what is explored: if possible, one that does, so that the formula does
    /// not grow for candidates that need no more of it.
    fn ask_inside_first(
        &mut self,
        asked: &mut Asked<'a>,
        assumptions: &[Lit],
    ) -> Result<(Option<bool>, bool), Trouble> {
        let escapes = asked.angelic.encoded.escapes;
        let can_leave = self.options.formula == Formula::OnDemand && escapes != Bit::FALSE;
        if can_leave {
            let mut inside = assumptions.to_vec();
            inside.push(!asked.solver.literal(&self.shared.circuit, escapes));
            match self.ask(&mut asked.solver, &inside)? {
                Some(false) => {}
                answer => return Ok((answer, true)),
            }
        }
        Ok((self.ask(&mut asked.solver, assumptions)?, !can_leave))
    }

    pub(super) fn ask(
        &mut self,
        solver: &mut Solver,
        assumptions: &[Lit],
    ) -> Result<Option<bool>, Trouble> {
        let started = Instant::now();
        let answer = solver.check_within(self.decisions, assumptions);
        self.solving += started.elapsed();
        answer.map_err(|_| self.given_up())
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
        if set.is_empty() {
            return Vec::new();
        }
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

    /// Excludes all supersets of these places from now on.
    fn block(&mut self, set: &[PlaceId]) {
        self.hitting.block(set);
        self.blocked.push(set.to_vec());
    }
}

impl Asked<'_> {
    /// Makes the solver anew if most of it is of formulas that were replaced.
    fn tidy(&mut self) {
        let size = self.solver.size();
        if self.clean == u32::MAX && size > 1 {
            self.clean = size;
        } else if size > self.clean.saturating_mul(GARBAGE) {
            self.solver.restarted();
            self.clean = u32::MAX;
        }
    }
}
