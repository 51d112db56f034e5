//! Repairs as propositional formulas for z3: only this file and its submodules use it.
//!
//! A run of a triple begins in a known state, so that every value is one of a few ([`cases`]); what a repair chooses is a
//! [`holes::Hole`] of which one alternative holds. There is no sort but booleans: the solver is z3's one for finite domains,
//! which keeps what it learns from one query to the next.

mod cases;
mod guard;
mod holes;
mod run;

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use z3::ast::Bool;
use z3::{Params, SatResult, Solver};

use guard::Guard;
use holes::Holes;
use run::Run;

use super::closeness::{Answer, Bound, Closeness};
use super::ir::Routine;
use super::problem::Triple;
use super::space::Space;
use super::until::Until;

/// Work that one query may take, in z3's own unit.
const RLIMIT: u32 = 50_000_000;

/// Memory that one query may take, in megabytes.
const MEMORY: u32 = 1000;

/// How often a search is asked whether it must end.
const TICK: Duration = Duration::from_millis(20);

/// Runs something in a context of its own, so that earlier work cannot influence it.
pub fn isolated<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    z3::with_z3_config(&z3::Config::new(), work)
}

/// A repair that is sought. To be used within [`isolated`].
pub struct Query<'q> {
    routine: &'q Routine,
    space: &'q Space,
    holes: Holes,
    solver: Solver,
    /// What is assumed so that a triple must hold.
    triples: Vec<Bool>,
    /// What is assumed so that a bound holds, as far as they were needed.
    bounds: Vec<((Option<Bound>, u32), Bool)>,
    /// Excludes the last repair.
    another: Option<Bool>,
    /// When the search ends.
    until: Until<'q>,
}

impl<'q> Query<'q> {
    /// A query for changes out of a space, with at most this many insertions.
    pub fn new(
        routine: &'q Routine,
        space: &'q Space,
        insertions: usize,
        until: Until<'q>,
    ) -> Self {
        let solver = Solver::new_for_logic("QF_FD").unwrap_or_default();
        let mut params = Params::new();
        params.set_u32("rlimit", RLIMIT);
        params.set_u32("max_memory", MEMORY);
        // The supervisor handles signals; z3 would replace its handler.
        params.set_bool("ctrl_c", false);
        solver.set_params(&params);
        let holes = Holes::new(routine, space, insertions, &solver);
        Self {
            routine,
            space,
            holes,
            solver,
            triples: Vec::new(),
            bounds: Vec::new(),
            another: None,
            until,
        }
    }

    /// How many choices count for each bound.
    pub fn selectors(&self) -> Vec<Bound> {
        self.holes
            .selectors
            .iter()
            .map(|(_, bound)| *bound)
            .collect()
    }

    /// Adds a triple that must hold. Whether it could be encoded.
    pub fn add(&mut self, triple: &Triple) -> bool {
        let number = self.triples.len();
        let assumed = Bool::new_const(format!("triple.{number}"));
        let encoded = Run::encode(self.routine, self.space, &self.holes, triple, self.until);
        let is_encoded = encoded.is_ok();
        for constraint in encoded.unwrap_or_default() {
            match constraint {
                Guard::Always => {}
                constraint => self.solver.assert(assumed.implies(constraint.term())),
            }
        }
        self.triples.push(assumed);
        is_encoded
    }

    /// Seeks a repair that is so close to the program.
    pub fn solve(&mut self, closeness: Closeness) -> Answer {
        let mut assumed = self.triples.clone();
        for (bound, most) in Bound::ALL.into_iter().zip(closeness.most) {
            assumed.extend(self.bound(Some(bound), most));
        }
        assumed.extend(self.bound(None, closeness.total));
        self.query(&assumed)
    }

    /// Solves with these selectors free and all others fixed: AlgVar (Wolverine2, section 4.2).
    pub fn solve_selected(&mut self, free: &[usize]) -> Answer {
        let mut assumed = self.triples.clone();
        for (number, (selector, _)) in self.holes.selectors.iter().enumerate() {
            if !free.contains(&number) {
                let fixed = Bool::new_const(format!("fixed.{number}"));
                self.solver.assert(fixed.implies(selector.not()));
                assumed.push(fixed);
            }
        }
        self.query(&assumed)
    }

    /// Asks for another repair than the last one from now on.
    pub fn exclude_last(&mut self) {
        if let Some(another) = self.another.take() {
            self.solver.assert(another);
        }
    }

    fn query(&mut self, assumed: &[Bool]) -> Answer {
        match self.checked(assumed) {
            SatResult::Sat => {
                let Some(model) = self.solver.get_model() else {
                    return Answer::Unknown;
                };
                self.another = Some(self.holes.otherwise(&model));
                Answer::Repaired(self.holes.changes(self.space, &model))
            }
            SatResult::Unsat => {
                let core = self.solver.get_unsat_core();
                let of = |assumption: &Bool| core.contains(assumption);
                let needed = self.bounds.iter().filter(|(_, assumption)| of(assumption));
                let mut bounds: Vec<Bound> = needed
                    .clone()
                    .filter_map(|((bound, _), _)| *bound)
                    .collect();
                bounds.sort_unstable();
                bounds.dedup();
                let selectors = 0..self.holes.selectors.len();
                let selectors = selectors
                    .filter(|number| of(&Bool::new_const(format!("fixed.{number}"))))
                    .collect();
                let triples = self.triples.iter().enumerate();
                let triples = triples.filter(|(_, assumption)| of(assumption));
                Answer::Impossible {
                    bounds,
                    is_total: needed.clone().any(|((bound, _), _)| bound.is_none()),
                    selectors,
                    triples: triples.map(|(number, _)| number).collect(),
                }
            }
            SatResult::Unknown => Answer::Unknown,
        }
    }

    /// Asks the solver, which gives up once the search must end.
    fn checked(&self, assumed: &[Bool]) -> SatResult {
        if self.until.is_over() {
            return SatResult::Unknown;
        }
        let (is_done, done) = (Mutex::new(false), Condvar::new());
        let handle = self.solver.get_context().handle();
        let until = self.until;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut is_done = is_done.lock().unwrap_or_else(PoisonError::into_inner);
                while !*is_done {
                    let waited = done.wait_timeout(is_done, TICK);
                    is_done = waited.unwrap_or_else(PoisonError::into_inner).0;
                    if !*is_done && until.is_over() {
                        handle.interrupt();
                    }
                }
            });
            let result = self.solver.check_assumptions(assumed);
            *is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
            done.notify_one();
            result
        })
    }

    /// What is assumed so that at most this many choices of a kind differ; nothing if all may.
    fn bound(&mut self, bound: Option<Bound>, most: u32) -> Option<Bool> {
        let counted = self.holes.selectors.iter();
        let counted = counted.filter(|(_, other)| bound.is_none_or(|bound| bound == *other));
        let counted: Vec<(&Bool, i32)> = counted.map(|(selector, _)| (selector, 1)).collect();
        if counted.len() <= most as usize {
            return None;
        }
        if let Some((_, assumed)) = self
            .bounds
            .iter()
            .find(|(known, _)| *known == (bound, most))
        {
            return Some(assumed.clone());
        }
        let name = match bound {
            Some(bound) => format!("{bound:?}.{most}"),
            None => format!("all.{most}"),
        };
        let assumed = Bool::new_const(name);
        let few = Bool::pb_le(&counted, i32::try_from(most).unwrap_or(i32::MAX));
        self.solver.assert(assumed.implies(few));
        self.bounds.push(((bound, most), assumed.clone()));
        Some(assumed)
    }
}
