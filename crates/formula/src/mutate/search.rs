//! The repair unit (AllRepair, Fig. 4): sets of mutations, the smallest first, until each is known to be right, wrong or not
//! minimal.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nopol_program::ir::{ChoiceId, Made};
use nopol_program::position::Positions;

use super::judge::{Answer, Judge, Trouble, is_late};
use super::must::{Prune, must};
use super::operators::Level;
use super::space::Space;
use super::specification::{Check, Specification, Verdict};
use crate::circuit::cnf::{Lit, Solver};
use crate::circuit::count::at_least;
use crate::circuit::{Bit, Circuit};
use crate::encode::{self, entry::Growing};
use crate::encode::{Choices, Explored, Extent, Side, StopKind};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct MutateOptions {
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
pub enum MutateOutcome {
    /// Every minimal repair up to the size was found, at least one.
    Repaired,
    /// There is none up to the size.
    None,
    /// The time ended the search.
    Limit,
    /// The program is right as it is.
    Right {
        /// Whether no run goes beyond the bound.
        is_unbounded: bool,
    },
    /// Nothing is known of the program: for no arguments do both it and its reference return within the bound.
    Unjudged {
        /// Whether no run goes beyond the bound: the reference goes wrong for all arguments.
        is_unbounded: bool,
    },
    /// No arguments meet the assumptions: every program is right.
    Vacuous,
}

/// What a search found and what it cost.
#[derive(Clone, Debug)]
pub struct MutateRepairs {
    /// How it ended.
    pub outcome: MutateOutcome,
    /// The repairs, in the order in which they were found: none is larger than one after it.
    pub repairs: Vec<Repair>,
    /// The largest size that was searched completely.
    pub complete_to: usize,
    /// Whether there is none of a larger size either.
    pub is_exhausted: bool,
    /// Whether only some of the numbers that a constant may become were tried: the runs are too large for formulas.
    pub is_sampled: bool,
    /// Whether repairs with odd numbers are left out, because a number close by, or 0, does the same.
    pub has_odd_numbers: bool,
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
    holds: Option<Bit>,
    /// Whether its circuit would be too large.
    is_large: bool,
}

/// Most gates of the circuit of one run. Runs of more are examined one by one.
const LARGE: usize = 60_000;

/// Most numbers that are tried for a constant in runs that are examined one by one.
const NUMBERS: usize = 16;

struct Search<'a> {
    space: &'a Space,
    specification: &'a Specification,
    options: MutateOptions,
    circuit: Circuit,
    positions: Positions,
    choices: Choices,
    solver: Solver,
    /// Finds cores.
    cores: Solver,
    judge: Judge<'a>,
    known: Vec<Known>,
    /// How many numbers were tried for each choice of any number, one by one.
    tried: HashMap<ChoiceId, usize>,
    found: MutateRepairs,
    started: Instant,
}

/// Every minimal repair of at most this many statements.
///
/// # Errors
/// If a run cannot be encoded, or the formula and the interpreter disagree.
pub fn repairs(
    space: &Space,
    specification: &Specification,
    options: MutateOptions,
) -> Result<MutateRepairs, Trouble> {
    let started = Instant::now();
    let mut found = MutateRepairs {
        outcome: MutateOutcome::None,
        repairs: Vec::new(),
        complete_to: 0,
        is_exhausted: false,
        is_sampled: false,
        has_odd_numbers: false,
        examined: 0,
        asked: 0,
        inputs: Vec::new(),
        total: Duration::ZERO,
    };
    let judge = match Judge::new(specification, space, options.extent) {
        Ok(judge) => judge,
        Err(Trouble::Late) => {
            found.outcome = MutateOutcome::Limit;
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
        solver: Solver::patient(options.extent.patience()),
        cores: Solver::patient(options.extent.patience()),
        judge,
        known: Vec::new(),
        tried: HashMap::new(),
        found,
        started,
    };
    let outcome = match search.all() {
        Ok(outcome) => outcome,
        Err(Trouble::Late) => MutateOutcome::Limit,
        Err(trouble) => return Err(trouble),
    };
    let mut found = search.found;
    let all = found.repairs.len();
    found.repairs = without_odd_numbers(space, found.repairs);
    found.has_odd_numbers = found.repairs.len() < all;
    found.outcome = outcome;
    found.asked = search.judge.asked;
    found.inputs = search.known.into_iter().map(|known| known.check).collect();
    found.total = started.elapsed();
    Ok(found)
}

impl Search<'_> {
    fn all(&mut self) -> Result<MutateOutcome, Trouble> {
        for (choice, of) in self.space.choices.iter_enumerated() {
            let bit = self.circuit.input();
            self.choices.made.insert(choice, bit);
            if let Some(number) = &of.number {
                let word = self.circuit.free(usize::from(number.ty.bits()));
                for &other in &number.not {
                    let other = encode::entry::number(number.ty, other);
                    let same = self.circuit.equal(&word, &other);
                    let same = self.circuit.and(bit, same);
                    let same = self.solver.literal(&self.circuit, same);
                    self.solver.require(&[!same]);
                }
                self.choices.numbers.insert(choice, word);
            }
        }
        let changed = self.one_each();
        let counted = at_least(&mut self.circuit, &changed, self.options.size + 1);
        let original = Made::new();
        match self.judge.ask(&original, &mut self.positions)? {
            Answer::Right { .. } if self.judge.is_vacuous()? => return Ok(MutateOutcome::Vacuous),
            Answer::Right { is_unbounded } if self.judge.ends_never()? => {
                return Ok(MutateOutcome::Unjudged { is_unbounded });
            }
            Answer::Right { is_unbounded } => return Ok(MutateOutcome::Right { is_unbounded }),
            Answer::Wrong(check) => self.refuted(&original, check)?,
        }
        let above = self.above();
        for size in 1..=self.options.size {
            let larger = counted.get(size).map(|&more| {
                let more = self.solver.literal(&self.circuit, more);
                !more
            });
            // Likelier mutations first; the last round has all of them.
            for not_above in above.iter().chain([&None]) {
                let assumptions: Vec<Lit> = larger.into_iter().chain(*not_above).collect();
                while self.next(&assumptions)? {
                    let made = self.proposed();
                    self.examine(made)?;
                }
            }
            self.found.complete_to = size;
            // What no number of statements makes possible is not possible at all.
            self.found.is_exhausted = match larger {
                Some(larger) => !self.solver.core().contains(&larger),
                None => true,
            };
            if self.found.is_exhausted {
                break;
            }
        }
        Ok(match self.found.repairs.is_empty() {
            true => MutateOutcome::None,
            false => MutateOutcome::Repaired,
        })
    }

    /// Whether the solver proposes another program.
    fn next(&mut self, assumptions: &[Lit]) -> Result<bool, Trouble> {
        match is_late(self.options.extent) {
            true => Err(Trouble::Late),
            false => Ok(self.solver.check(assumptions)?),
        }
    }

    /// Requires that no choice above a level is made, for all levels but the last.
    fn above(&mut self) -> Vec<Option<Lit>> {
        let levels = [Level::One, Level::Two];
        let above = levels.map(|level| {
            let choices = self.space.choices.iter_enumerated();
            let above = choices.filter(|(_, choice)| choice.level > level);
            let above: Vec<Bit> = above
                .map(|(choice, _)| self.choices.made[&choice])
                .collect();
            let any = self.circuit.any(above);
            (any != Bit::FALSE).then(|| !self.solver.literal(&self.circuit, any))
        });
        above.into_iter().filter(Option::is_some).collect()
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
                let word = self.choices.numbers.get(choice);
                let any = self.space.choices[*choice].number.as_ref();
                let number = any
                    .zip(word)
                    .map(|(any, word)| any.ty.value(self.solver.number(word)));
                (*choice, number.unwrap_or(0))
            })
            .collect()
    }

    /// Finds out about a mutated program (Fig. 4, phase 2).
    fn examine(&mut self, made: Made) -> Result<(), Trouble> {
        self.found.examined += 1;
        // An input that is known costs a run, and not a solver.
        for at in 0..self.known.len() {
            let verdict = self.verdict(&made, at)?;
            if !verdict.holds {
                return self.learned(at, &made, &verdict);
            }
        }
        match self.judge.ask(&made, &mut self.positions)? {
            Answer::Wrong(check) => self.refuted(&made, check),
            Answer::Right { is_unbounded } => {
                let is_wrong = !is_unbounded && self.judge.goes_wrong_later(&made)?;
                if !is_wrong && self.mends(&made)? {
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

    /// How a program fares with a known input.
    fn verdict(&mut self, made: &Made, at: usize) -> Result<Verdict, Trouble> {
        let (extent, check) = (self.options.extent, &self.known[at].check);
        let program = &self.space.program;
        let verdict = self
            .specification
            .judge(program, made, check, extent, &mut self.positions);
        // Of a run that was given up nothing is known.
        match is_late(extent) {
            true => Err(Trouble::Late),
            false => Ok(verdict),
        }
    }

    /// Whether a program that is right comes to an end where the original is wrong.
    fn mends(&mut self, made: &Made) -> Result<bool, Trouble> {
        for at in 0..self.known.len() {
            if self.verdict(made, at)?.ends && !self.verdict(&Made::new(), at)?.holds {
                return Ok(true);
            }
        }
        self.judge.mends(made)
    }

    /// A program is wrong for an input that was not known.
    fn refuted(&mut self, made: &Made, check: Check) -> Result<(), Trouble> {
        self.known.push(Known {
            check,
            sides: HashSet::new(),
            holds: None,
            is_large: false,
        });
        let at = self.known.len() - 1;
        let verdict = self.verdict(made, at)?;
        self.learned(at, made, &verdict)
    }

    /// A program is wrong for a known input: so are others.
    fn learned(&mut self, at: usize, made: &Made, verdict: &Verdict) -> Result<(), Trouble> {
        if self.options.prune == Prune::Nothing {
            self.block_exactly(made);
            return Ok(());
        }
        let is_new = self.encode(at, verdict)?;
        let Some(holds) = self.known[at].holds else {
            self.block_telling(made, verdict);
            return Ok(());
        };
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

    /// Makes sure that a known input's circuit has what a run needs, unless it is too large. Whether it is another one now.
    fn encode(&mut self, at: usize, verdict: &Verdict) -> Result<bool, Trouble> {
        let known = &mut self.known[at];
        if known.is_large {
            return Ok(false);
        }
        let before = known.sides.len();
        known.sides.extend(verdict.sides.iter().copied());
        if known.holds.is_some() && known.sides.len() == before {
            return Ok(false);
        }
        let extent = Extent {
            gates: self.circuit.len() + LARGE,
            ..self.options.extent
        };
        let explored = Explored::Only(known.sides.clone(), Rc::default());
        let holds = self.specification.holds(
            self.space,
            &known.check,
            (extent, &explored),
            &self.choices,
            Growing {
                circuit: &mut self.circuit,
                positions: &mut self.positions,
            },
        );
        match holds {
            Ok(holds) => known.holds = Some(holds),
            Err(stop) if stop.kind == StopKind::Late => return Err(Trouble::Late),
            // Also what circuits do not have, but runs do.
            Err(_) => {
                known.is_large = true;
                known.holds = None;
            }
        }
        Ok(true)
    }

    /// Excludes all programs that agree on all choices on which a run depends.
    fn block_telling(&mut self, made: &Made, verdict: &Verdict) {
        let mut clause = Vec::new();
        for choice in verdict.telling.ones().map(ChoiceId::from) {
            let bit = self.choices.made[&choice];
            let lit = self.solver.literal(&self.circuit, bit);
            clause.push(if made.contains_key(&choice) {
                !lit
            } else {
                lit
            });
            if let Some(other) = self.other_number(choice, made) {
                clause.push(other);
            }
        }
        self.solver.require(&clause);
    }

    /// Requires another number for a choice that is made, as long as not too many were tried.
    fn other_number(&mut self, choice: ChoiceId, made: &Made) -> Option<Lit> {
        let number = made.get(&choice)?;
        let word = self.choices.numbers.get(&choice)?;
        let ty = self.space.choices[choice].number.as_ref()?.ty;
        let tried = self.tried.entry(choice).or_default();
        *tried += 1;
        if *tried >= NUMBERS {
            self.found.is_sampled = true;
            return None;
        }
        let number = encode::entry::number(ty, *number);
        let same = self.circuit.equal(word, &number);
        Some(!self.solver.literal(&self.circuit, same))
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

    /// Excludes programs in which choices are made like this.
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

/// Repairs without those with any number where one close by, or 0, would do.
fn without_odd_numbers(space: &Space, repairs: Vec<Repair>) -> Vec<Repair> {
    let known: HashSet<Vec<ChoiceId>> = repairs
        .iter()
        .map(|repair| repair.made.keys().copied().collect())
        .collect();
    let is_odd = |repair: &Repair| {
        repair.made.keys().any(|choice| {
            let others = space.choices[*choice].number.iter();
            others.flat_map(|number| &number.others).any(|other| {
                let keys = repair.made.keys();
                let mut instead: Vec<ChoiceId> = keys
                    .map(|it| if it == choice { *other } else { *it })
                    .collect();
                instead.sort_unstable();
                known.contains(&instead)
            })
        })
    };
    let mut repairs = repairs;
    repairs.retain(|repair| !is_odd(repair));
    repairs
}
