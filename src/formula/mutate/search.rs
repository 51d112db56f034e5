//! The repair unit (AllRepair, Fig. 4): sets of mutations, the smallest first, until each is known to be right, wrong or not
//! minimal.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::applied::{Made, mutant};
use super::must::{Prune, must};
use super::space::Space;
use super::specification::{Answer, Check, Judge, Specification, Trouble, is_late};
use crate::formula::circuit::cnf::{Lit, Solver};
use crate::formula::circuit::{Bit, Circuit};
use crate::formula::encode::entry::Growing;
use crate::formula::encode::{Choices, Explored, Extent, Side};
use crate::formula::faults::enumerate::at_least;
use crate::formula::ir::{ChoiceId, Program};
use crate::formula::position::Positions;

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How far programs are followed.
    pub extent: Extent,
    /// Most statements that a repair changes.
    pub size: usize,
    /// How programs are ruled out.
    pub prune: Prune,
}

/// A minimal repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The mutations, with the numbers that they bring along.
    pub made: Made,
    /// Whether it is right for all runs: none goes beyond the bound.
    pub is_unbounded: bool,
    /// When it was found, counted from the beginning.
    pub after: Duration,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every minimal repair up to the size was found, at least one.
    Repaired,
    /// There is none up to the size.
    None,
    /// The time ended the search.
    Limit,
    /// The program is right as it is.
    Right,
}

/// What a search found and what it cost.
#[derive(Clone, Debug)]
pub struct Found {
    /// How it ended.
    pub outcome: Outcome,
    /// The repairs, in the order in which they were found: none is larger than one after it.
    pub repairs: Vec<Repair>,
    /// The largest size that was searched completely.
    pub complete_to: usize,
    /// Whether there is none of a larger size either.
    pub is_exhausted: bool,
    /// How many mutated programs were examined.
    pub examined: usize,
    /// How many of them a solver had to judge.
    pub asked: usize,
    /// The inputs for which the original or a mutated program is wrong, in the order in which they were found.
    pub inputs: Vec<Check>,
    /// Time in all.
    pub total: Duration,
}

/// An input for which a program was wrong.
struct Known {
    check: Check,
    sides: HashSet<Side>,
    /// Whether a program is right for it, with all choices open.
    holds: Bit,
}

struct Search<'a> {
    space: &'a Space,
    specification: &'a Specification,
    options: Options,
    circuit: Circuit,
    positions: Positions,
    choices: Choices,
    solver: Solver,
    /// Finds cores.
    cores: Solver,
    judge: Judge<'a>,
    known: Vec<Known>,
    found: Found,
    started: Instant,
}

/// Every minimal repair of at most so many statements.
///
/// # Errors
/// If a run cannot be encoded, or the formula and the interpreter disagree.
pub fn repairs(
    space: &Space,
    specification: &Specification,
    options: Options,
) -> Result<Found, Trouble> {
    let started = Instant::now();
    let mut found = Found {
        outcome: Outcome::None,
        repairs: Vec::new(),
        complete_to: 0,
        is_exhausted: false,
        examined: 0,
        asked: 0,
        inputs: Vec::new(),
        total: Duration::ZERO,
    };
    let judge = match Judge::new(specification, space, options.extent) {
        Ok(judge) => judge,
        Err(Trouble::Late) => {
            found.outcome = Outcome::Limit;
            return Ok(found);
        }
        Err(trouble) => return Err(trouble),
    };
    let mut search = Search {
        space,
        specification,
        options,
        circuit: Circuit::default(),
        positions: Positions::default(),
        choices: Choices::default(),
        solver: Solver::until(options.extent.deadline),
        cores: Solver::until(options.extent.deadline),
        judge,
        known: Vec::new(),
        found,
        started,
    };
    let outcome = match search.all() {
        Ok(outcome) => outcome,
        Err(Trouble::Late) => Outcome::Limit,
        Err(trouble) => return Err(trouble),
    };
    let mut found = search.found;
    found.outcome = outcome;
    found.asked = search.judge.asked;
    found.inputs = search.known.into_iter().map(|known| known.check).collect();
    found.total = started.elapsed();
    Ok(found)
}

impl Search<'_> {
    fn all(&mut self) -> Result<Outcome, Trouble> {
        for (choice, of) in self.space.choices.iter_enumerated() {
            let bit = self.circuit.input();
            self.choices.made.insert(choice, bit);
            if let Some(ty) = of.number {
                let word = self.circuit.free(usize::from(ty.bits()));
                self.choices.numbers.insert(choice, word);
            }
        }
        let changed = self.one_each();
        let counted = at_least(&mut self.circuit, &changed, self.options.size + 1);
        let original = mutant(&self.space.program, &Made::new());
        match self.judge.ask(&original, &mut self.positions)? {
            Answer::Right { .. } => return Ok(Outcome::Right),
            Answer::Wrong(check) => self.refuted(&original, &Made::new(), check)?,
        }
        for size in 1..=self.options.size {
            loop {
                if is_late(self.options.extent) {
                    return Err(Trouble::Late);
                }
                let larger = counted.get(size).map(|&more| {
                    let more = self.solver.literal(&self.circuit, more);
                    !more
                });
                let assumptions: Vec<Lit> = larger.into_iter().collect();
                if !self.solver.check(&assumptions)? {
                    // What no number of statements makes possible is not possible at all.
                    self.found.is_exhausted = match larger {
                        Some(larger) => !self.solver.core().contains(&larger),
                        None => true,
                    };
                    break;
                }
                let made = self.proposed();
                self.examine(made)?;
            }
            self.found.complete_to = size;
            if self.found.is_exhausted {
                break;
            }
        }
        Ok(match self.found.repairs.is_empty() {
            true => Outcome::None,
            false => Outcome::Repaired,
        })
    }

    /// At most one choice of each statement is made (Fig. 4, line 9). Gives whether one is, for each.
    fn one_each(&mut self) -> Vec<Bit> {
        let mut changed = vec![Bit::FALSE; self.space.locations.len()];
        for (choice, of) in self.space.choices.iter_enumerated() {
            let made = self.choices.made[&choice];
            let before = changed[usize::from(of.location)];
            let both = self.circuit.and(made, before);
            let both = self.solver.literal(&self.circuit, both);
            self.solver.require(&[!both]);
            // What no input reaches is never needed, but it must be known to the solver.
            self.solver.literal(&self.circuit, made);
            changed[usize::from(of.location)] = self.circuit.or(made, before);
        }
        changed
    }

    /// The choices of the solver's model.
    fn proposed(&self) -> Made {
        let made = self.choices.made.iter();
        made.filter(|(_, bit)| self.solver.value(**bit))
            .map(|(choice, _)| {
                let number = self.choices.numbers.get(choice).map(|word| {
                    let ty = self.space.choices[*choice].number;
                    let bits = self.solver.number(word);
                    ty.map_or(0, |ty| ty.value(bits))
                });
                (*choice, number.unwrap_or(0))
            })
            .collect()
    }

    /// Finds out about a mutated program (Fig. 4, phase 2).
    fn examine(&mut self, made: Made) -> Result<(), Trouble> {
        self.found.examined += 1;
        let program = mutant(&self.space.program, &made);
        // An input that is known costs a run, and not a solver.
        for at in 0..self.known.len() {
            let check = &self.known[at].check;
            let extent = self.options.extent;
            let verdict = self
                .specification
                .judge(&program, check, extent, &mut self.positions);
            if !verdict.holds {
                return self.learned(at, &made, verdict.sides);
            }
        }
        match self.judge.ask(&program, &mut self.positions)? {
            Answer::Wrong(check) => self.refuted(&program, &made, check),
            Answer::Right { is_unbounded } => {
                if self.mends(&program)? {
                    self.found.repairs.push(Repair {
                        made: made.clone(),
                        is_unbounded,
                        after: self.started.elapsed(),
                    });
                    let made: Vec<ChoiceId> = made.into_keys().collect();
                    self.block(made.iter().map(|choice| (*choice, true)));
                } else {
                    self.block_exactly(&made);
                }
                Ok(())
            }
        }
    }

    /// Whether a program that is right comes to an end where the original is wrong.
    fn mends(&mut self, program: &Program) -> Result<bool, Trouble> {
        for known in &self.known {
            let extent = self.options.extent;
            let mut judged = |program: &Program| {
                let positions = &mut self.positions;
                self.specification
                    .judge(program, &known.check, extent, positions)
            };
            if judged(program).ends && !judged(&mutant(&self.space.program, &Made::new())).holds {
                return Ok(true);
            }
        }
        self.judge.mends(program)
    }

    /// A program is wrong for an input that was not known.
    fn refuted(&mut self, program: &Program, made: &Made, check: Check) -> Result<(), Trouble> {
        let extent = self.options.extent;
        let verdict = self
            .specification
            .judge(program, &check, extent, &mut self.positions);
        self.known.push(Known {
            check,
            sides: HashSet::new(),
            holds: Bit::TRUE,
        });
        self.learned(self.known.len() - 1, made, verdict.sides)
    }

    /// A program is wrong for a known input: so are others.
    fn learned(&mut self, at: usize, made: &Made, sides: Vec<Side>) -> Result<(), Trouble> {
        if self.options.prune == Prune::Nothing {
            self.block_exactly(made);
            return Ok(());
        }
        let known = &mut self.known[at];
        let before = known.sides.len();
        known.sides.extend(sides);
        let is_new = known.sides.len() > before || known.holds == Bit::TRUE;
        if is_new {
            let explored = Explored::Only(known.sides.clone());
            known.holds = self.specification.holds(
                self.space,
                &known.check,
                (self.options.extent, &explored),
                &self.choices,
                Growing {
                    circuit: &mut self.circuit,
                    positions: &mut self.positions,
                },
            )?;
        }
        let holds = known.holds;
        if self.options.prune == Prune::Run {
            if !is_new {
                return Err(Trouble::Disagreement);
            }
            let holds = self.solver.literal(&self.circuit, holds);
            self.solver.require(&[holds]);
            return Ok(());
        }
        let inputs = self.inputs(made);
        if self.circuit.evaluate(&inputs).of(holds) {
            return Err(Trouble::Disagreement);
        }
        let (circuit, cores) = (&self.circuit, &mut self.cores);
        let blocked = must(self.options.prune, circuit, holds, &inputs, cores)?;
        let clause: Vec<Lit> = blocked
            .into_iter()
            .map(|(bit, value)| {
                let lit = self.solver.literal(&self.circuit, bit);
                if value { !lit } else { lit }
            })
            .collect();
        self.solver.require(&clause);
        Ok(())
    }

    /// The signals of all choices, as they are made.
    fn inputs(&self, made: &Made) -> HashMap<Bit, bool> {
        let bits = self.choices.made.iter();
        bits.map(|(choice, bit)| (*bit, made.contains_key(choice)))
            .collect()
    }

    /// Only this program from now on is ruled out.
    fn block_exactly(&mut self, made: &Made) {
        let choices: Vec<_> = self
            .space
            .choices
            .keys()
            .map(|choice| (choice, made.contains_key(&choice)))
            .collect();
        self.block(choices.into_iter());
    }

    /// No program in which choices are made like this.
    fn block(&mut self, made: impl Iterator<Item = (ChoiceId, bool)>) {
        let clause: Vec<Lit> = made
            .map(|(choice, value)| {
                let bit = self.choices.made[&choice];
                let lit = self.solver.literal(&self.circuit, bit);
                if value { !lit } else { lit }
            })
            .collect();
        self.solver.require(&clause);
    }
}
