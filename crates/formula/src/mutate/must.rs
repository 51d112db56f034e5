//! What an input for which a mutated program is wrong says about other ones: sets of choices one of which must be made
//! otherwise (FL-AllRepair, Fig. 4: blocking by must location sets).

use std::collections::HashMap;

use super::operators::Level;
use crate::circuit::cnf::{Lit, Solver, Unknown};
use crate::circuit::{Bit, Circuit};

/// How programs are ruled out that are wrong for an input like one that was examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prune {
    /// Only the program itself is (AllRepair, Fig. 4).
    Nothing,
    /// All that agree on what its run depends on: a value-aware slice (FL-AllRepair, Algorithms 1 and 2), taken from the gates of
    /// the run's circuit rather than from its statements.
    Slice,
    /// All that agree on choices that make the run wrong by themselves: a minimal core.
    Core,
    /// All that are wrong for this input: the run with all choices open becomes a part of what is solved. Not in the papers.
    Run,
}

impl Prune {
    /// The fastest way for the mutations of a level, as measured (`docs/benchmarks.md`, *Mutations*). Only a run's circuit has
    /// all numbers that a constant may become at level 3.
    pub const fn of(level: Level) -> Self {
        match level {
            Level::One | Level::Two => Self::Slice,
            Level::Three => Self::Run,
        }
    }
}

/// Most attempts to leave a choice out of a core.
const ATTEMPTS: usize = 64;

/// The choices, as signals with values, whose values make a run wrong. `holds` is whether the run is right.
///
/// # Errors
/// If the solver gives up.
pub fn must(
    prune: Prune,
    circuit: &Circuit,
    holds: Bit,
    made: &HashMap<Bit, bool>,
    solver: &mut Solver,
) -> Result<Vec<(Bit, bool)>, Unknown> {
    let all = |mut bits: Vec<Bit>| {
        bits.sort_unstable();
        bits.iter().map(|bit| (*bit, made[bit])).collect()
    };
    match prune {
        Prune::Nothing | Prune::Run => Ok(all(made.keys().copied().collect())),
        Prune::Slice => {
            let values = circuit.evaluate(made);
            let inputs = circuit.justification(&values, holds);
            Ok(all(inputs
                .into_iter()
                .filter(|bit| made.contains_key(bit))
                .collect()))
        }
        Prune::Core => {
            let goal = solver.literal(circuit, holds);
            let mut of: HashMap<Lit, Bit> = HashMap::new();
            let mut core = Vec::new();
            let mut bits: Vec<Bit> = made.keys().copied().collect();
            bits.sort_unstable();
            for bit in bits {
                let lit = solver.literal(circuit, bit);
                let lit = if made[&bit] { lit } else { !lit };
                of.insert(lit, bit);
                core.push(lit);
            }
            let mut smaller = |assumed: &[Lit]| -> Result<Option<Vec<Lit>>, Unknown> {
                let with_goal: Vec<Lit> = assumed.iter().copied().chain([goal]).collect();
                if solver.check(&with_goal)? {
                    return Ok(None);
                }
                let mut core = solver.core();
                core.retain(|lit| *lit != goal);
                Ok(Some(core))
            };
            if let Some(found) = smaller(&core)? {
                core = found;
            }
            let mut at = 0;
            for _ in 0..ATTEMPTS {
                if at >= core.len() {
                    break;
                }
                let mut without = core.clone();
                without.remove(at);
                match smaller(&without)? {
                    Some(found) => {
                        core = without
                            .into_iter()
                            .filter(|lit| found.contains(lit))
                            .collect();
                    }
                    None => at += 1,
                }
            }
            let bits = core.iter().filter_map(|lit| of.get(lit).copied());
            Ok(all(bits.collect()))
        }
    }
}
