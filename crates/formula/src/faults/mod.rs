//! Minimal angelic fix candidates: every minimal set of places where different values would have made the failing tests
//! pass, after Phung and Lee, *Incremental Formula-Based Fix Localization* (AgxFaults), 2021.
//!
//! The angelic program of each test ([`angelic`]) grows on demand, by more than one side where that is cheap ([`eager`]),
//! and [`enumerate`] has one incremental solver for all of them. What the runs of a candidate say of others needs no solver
//! ([`transfer`]), what a solver chose is moved towards what the program computes (`closer`), values that a run does not need
//! are left out ([`spared`]), and of long runs single places are tried without a solver first (`probe`). Every candidate is
//! replayed by the interpreter before it is given to anybody.

pub mod angelic;
mod closer;
pub mod eager;
pub mod enumerate;
mod hitting;
mod probe;
pub mod spared;
pub mod transfer;

use std::collections::BTreeMap;
use std::fmt;

use super::encode::{Stop, StopKind};
use nopol_program::interpret::Run;
use nopol_program::ir::PlaceId;
use nopol_program::position::Positions;

pub use enumerate::{FaultsOptions, Formula, localize};

/// A minimal set of places, and what must be computed there.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The places, in the order of the source.
    pub places: Vec<PlaceId>,
    /// For each failing test, by its number, the run with angelic values: it passes.
    pub runs: BTreeMap<usize, Run>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultsOutcome {
    /// All candidates up to the size were found, at least one.
    Localized,
    /// There is none up to the size.
    None,
    /// A limit ended the search.
    Limit(Limit),
}

/// A limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time is over.
    Time,
    /// A formula is too large.
    Gates,
    /// A run with other values takes too long.
    Steps,
    /// The solver made as many decisions as it may.
    Decisions,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the time limit ended the search",
            Self::Decisions => "the search ended because the solver gave up",
            Self::Gates => "the search ended because the formula became too large",
            Self::Steps => "the search ended because a run takes too long with other values",
        })
    }
}

/// What a search found and what it cost.
#[derive(Clone, Debug)]
pub struct FaultSets {
    /// How it ended.
    pub outcome: FaultsOutcome,
    /// The candidates, in the order in which they were found: no set is larger than one after it.
    pub candidates: Vec<Candidate>,
    /// The largest size that was searched completely.
    pub complete_to: usize,
    /// The numbers of the tests with runs in the formula.
    pub encoded: Vec<usize>,
    /// The positions of the candidates' runs.
    pub positions: Positions,
    /// How often the angelic programs were extended.
    pub refinements: usize,
    /// How often a solver was asked.
    pub checks: usize,
    /// How many gates the formula has.
    pub gates: usize,
    /// Time in the solver, and in all, in seconds.
    pub solving: f64,
    /// Time in all, in seconds.
    pub total: f64,
}

/// Why a search has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A run needs what formulas do not have.
    Stop(Stop),
    /// A candidate does not hold when it is replayed: the formula and the interpreter disagree, which is a bug here.
    Disagreement {
        /// The test.
        test: usize,
        /// What happened instead.
        end: String,
    },
    /// The solver gave up.
    Unknown,
    /// A limit was reached.
    Limit(Limit),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop.kind {
            StopKind::Late => Self::Limit(Limit::Time),
            StopKind::Large => Self::Limit(Limit::Gates),
            StopKind::Outside => Self::Stop(stop),
        }
    }
}
