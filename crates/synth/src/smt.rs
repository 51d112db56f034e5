//! The component-based encoding of the Nopol paper, §3.4 in z3: it finds a wiring of a [`Library`] that explains
//! rows of the spec, or proves that there is none. Only this file and its submodules use z3; `distinguish` also
//! uses it to compare two conditions.
//!
//! The paper's formulas needed corrections: φ_OUTPUT's strict lower bound leaves one slot too few, φ_CONS must
//! range over outputs (two inputs may share a source), and `l_r = m` would forbid a bare variable or an unused
//! last block. Here φ_OUTPUT and φ_CONS are not needed: a block's operator is a choice of its own, so blocks of
//! one kind are interchangeable and each has a fixed place.
//!
//! Everything is finite, so the encoding is propositional, for z3's finite-domain solver (`QF_FD`): a location
//! variable l_x is one boolean per place it may have, exactly one of which holds. (In an earlier version,
//! bit-vectors or integers as locations with z3's default solver were up to four times slower.) A value is its
//! rank among the values of its type in its row, which makes comparisons of integers, characters, strings and
//! floats exact (−0.0 and 0.0 share a rank, NaN is a place of its own). Only levels with sums represent integers
//! by their values, in bit-vectors in which no sum can wrap around; a side condition makes sums outside the type
//! undefined. Every value that may be undefined has a definedness bit, and `&&`/`||` need their right operand
//! defined only if the left one leaves the result open.
//!
//! Measured on a hundred random problems (4 to 40 variables, 4 to 1000 rows, conditions of one to
//! three clauses, some with a sum), the solver alone, one thread, default limits:
//!
//! | encoding | solved | median, 90 %, slowest of the solved | all hundred |
//! | --- | --- | --- | --- |
//! | outputs in free slots, `!`, `&&`, `\|\|`, `+`, `-` as blocks | 93 | 134 ms, 2.3 s, 6.8 s | 125 s |
//! | outputs in fixed places, operators as choices, the original condition as input | 100 | 46 ms, 0.2 s, 1.8 s | 11 s |
//! | the same, and the next row is the one that most proposals failed | 100 | 43 ms, 0.2 s, 0.6 s | 8 s |
//!
//! With twice the variables, the second encoding solves 97 of them. The others need two comparisons over a
//! hundred terms, where z3 reaches its limit. A problem without a solution takes all levels and up to twenty
//! seconds.

mod bounded;
pub(super) mod distinguish;
pub(super) mod library;
mod machine;
mod number;
mod operators;
pub(super) mod search;
mod semantics;
mod structure;
mod texts;

use bounded::Bounded;
use library::{Library, Wiring};
use std::collections::BTreeMap;
use z3::SatResult;
use z3::ast::Bool;

/// The solver's answer.
pub(super) enum Verdict {
    Found(Wiring),
    /// A proof that there is none.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// Runs `work` in a new z3 context, so that earlier work cannot influence the answer.
pub(super) fn isolated<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    z3::with_z3_config(&z3::Config::new(), work)
}

/// A location variable l_x.
struct Location {
    /// For each place that x may have, whether x is there.
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
    /// The choices of each block's operator; see [`Block`](super::library::Block).
    choices: Vec<Vec<Bool>>,
    result: Location,
    /// Whether the result is negated.
    negated: Bool,
    /// Assumptions that allow only inputs up to a tier, without those already refuted.
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

    /// Sets the budget for the work from now on.
    pub fn limit(&mut self, rlimit: u32) {
        self.solver.limit(rlimit);
    }

    /// φ_PATCH (§3.4.4): a wiring that satisfies every asserted row, with inputs of a low tier first.
    pub fn phi_patch(&mut self) -> Verdict {
        while let Some(tier) = self.tiers.first() {
            if self.solver.query(std::slice::from_ref(tier), 8) == SatResult::Sat {
                return self.read();
            }
            // A refutation still holds with more rows. If the solver gives up, the unrestricted query may be
            // easier.
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

    /// Excludes the expression, regardless of unused blocks.
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
