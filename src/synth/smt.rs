//! The component-based encoding of papers/nopol.txt §3.4 in z3, the only file that knows z3: given
//! a [`Library`] and rows of the spec, is there a wiring, and which?
//!
//! The printed formulas needed mending: φ_OUTPUT's strict lower bound leaves one slot too few,
//! φ_CONS must range over outputs (two inputs may well share a source), and `l_r = m` would forbid
//! a bare variable or an idle last block.
//!
//! Everything is finite here, so everything becomes propositional and z3's finite-domain solver
//! (`QF_FD`) can do it: a location variable l_x is one boolean per place it may have, exactly one of
//! which holds. A value is its rank among the values of its type in its row, which makes
//! comparisons of integers, characters, strings and floats exact (−0.0 and 0.0 share a rank, NaN
//! is a bit of its own). Only with arithmetic, integers are their true values, in bit-vectors in
//! which no sum can wrap around; leaving the type is a side condition that makes the sum undefined.
//! A definedness bit goes with every value, and `&&`/`||` need their right operand defined only
//! where the left one leaves the result open.
//!
//! Measured on proofs that no expression exists (28, 18 and 25 terms, release build; two
//! comparisons with connectives / one comparison with arithmetic):
//!
//! | locations, solver | 28 terms, 40 rows | 18 terms, 40 rows | 25 terms, 1000 rows |
//! | --- | --- | --- | --- |
//! | one boolean per place, `QF_FD` | 0.8 s / 3.1 s | 0.2 s / 1.6 s | 0.1 s / 5.2 s |
//! | bit-vectors, `QF_FD` | 1.5 s / 4.3 s | 0.2 s / 2.0 s | 0.2 s / 4.9 s |
//! | one boolean per place, default | 1.7 s / 10.6 s | 0.3 s / 4.6 s | 0.4 s / 12.3 s |
//! | bit-vectors, default | 2.4 s / 14.4 s | 0.3 s / 6.5 s | 0.4 s / 11.9 s |
//! | integers, default | 2.4 s / 8.9 s | 0.4 s / 5.0 s | 0.4 s / gave up |

mod bounded;
pub(super) mod distinguish;
mod machine;
mod number;
mod semantics;
mod structure;
mod texts;

use super::library::{Library, Wiring};
use bounded::Bounded;
use std::collections::BTreeMap;
use z3::SatResult;
use z3::ast::Bool;

/// What the solver says.
pub(super) enum Verdict {
    Found(Wiring),
    /// Proved that there is none.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// Runs `work` in a z3 context of its own, so that earlier work cannot influence the answer.
pub(super) fn isolated<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    z3::with_z3_config(&z3::Config::new(), work)
}

/// A location variable l_x.
struct Location {
    /// For each place x may have: x is there.
    at: BTreeMap<usize, Bool>,
}

impl Location {
    fn at(&self, place: usize) -> Bool {
        self.at
            .get(&place)
            .cloned()
            .unwrap_or_else(|| Bool::from_bool(false))
    }

    fn among(&self, wanted: impl Fn(usize) -> bool) -> Bool {
        any(self
            .at
            .iter()
            .filter(|(place, _)| wanted(**place))
            .map(|(_, at)| at.clone()))
    }
}

/// The encoding of one level.
pub(super) struct Encoding<'a> {
    library: &'a Library<'a>,
    solver: Bounded,
    inputs: Vec<[Location; 2]>,
    /// What each block's operator is; see [`Block`](super::library::Block).
    choices: Vec<Vec<Bool>>,
    result: Location,
    /// Whether the result is negated.
    negated: Bool,
    /// Assumptions that allow only inputs up to a tier, as far as that was not refuted.
    tiers: Vec<Bool>,
    fresh: u32,
}

impl<'a> Encoding<'a> {
    /// φ_WFF of the library (§3.4.4), with no row asserted yet.
    pub fn new(library: &'a Library<'a>, rlimit: u32) -> Self {
        let mut encoding = Self {
            library,
            solver: Bounded::new(rlimit),
            inputs: Vec::new(),
            choices: Vec::new(),
            result: Location {
                at: BTreeMap::new(),
            },
            negated: Bool::from_bool(false),
            tiers: Vec::new(),
            fresh: 0,
        };
        encoding.phi_wff();
        encoding
    }

    /// Allows that much work from now on.
    pub fn limit(&mut self, rlimit: u32) {
        self.solver.limit(rlimit);
    }

    /// φ_PATCH (§3.4.4): a wiring that serves every row asserted, inputs of a low tier first.
    pub fn phi_patch(&mut self) -> Verdict {
        while let Some(tier) = self.tiers.first() {
            if self.solver.query(std::slice::from_ref(tier), 8) == SatResult::Sat {
                return self.read();
            }
            // What was refuted stays so with more rows. Giving up is no answer yet: the
            // unrestricted question may be easier.
            self.tiers.remove(0);
        }
        match self.solver.query(&[], 1) {
            SatResult::Sat => self.read(),
            SatResult::Unsat => Verdict::Nothing,
            SatResult::Unknown => Verdict::Unknown(self.solver.reason()),
        }
    }

    fn read(&self) -> Verdict {
        let Some(model) = self.solver.model() else {
            return Verdict::Unknown("z3: no model".to_owned());
        };
        let holds =
            |atom: &Bool| model.eval(atom, true).and_then(|value| value.as_bool()) == Some(true);
        let place = |location: &Location| {
            let mut places = location.at.iter().filter(|(_, at)| holds(at));
            places.next().map_or(0, |(place, _)| *place)
        };
        let choices = self.choices.iter();
        Verdict::Found(Wiring {
            inputs: self
                .inputs
                .iter()
                .map(|inputs| [0, 1].map(|input| place(&inputs[input])))
                .collect(),
            choices: choices
                .map(|choices| choices.iter().map(holds).collect())
                .collect(),
            result: place(&self.result),
            negated: holds(&self.negated),
        })
    }

    /// Excludes the expression, whatever idle blocks do.
    pub fn exclude(&self, wiring: &Wiring) {
        let mut wires = vec![
            self.result.at(wiring.result),
            self.negated.iff(Bool::from_bool(wiring.negated)),
        ];
        for block in wiring.used(self.library) {
            for (location, place) in self.inputs[block].iter().zip(wiring.inputs[block]) {
                wires.push(location.at(place));
            }
            for (choice, taken) in self.choices[block].iter().zip(&wiring.choices[block]) {
                wires.push(choice.iff(Bool::from_bool(*taken)));
            }
        }
        self.solver.assert(all(wires).not());
    }

    fn boolean(&mut self) -> Bool {
        Bool::new_const(next(&mut self.fresh))
    }
}

/// The next unused name of a z3 constant.
fn next(fresh: &mut u32) -> u32 {
    *fresh += 1;
    *fresh
}
fn any(parts: impl IntoIterator<Item = Bool>) -> Bool {
    let parts: Vec<Bool> = parts.into_iter().collect();
    Bool::or(&parts)
}

fn all(parts: impl IntoIterator<Item = Bool>) -> Bool {
    let parts: Vec<Bool> = parts.into_iter().collect();
    Bool::and(&parts)
}
