//! Synthesis of a boolean expression that explains a spec: a pure function from [`Spec`] and
//! [`Pool`] to ranked expressions (papers/nopol.txt §3.4). Knows nothing of cargo, files or
//! processes; only `smt.rs` knows z3.

use crate::spec::{Expr, Pool, Spec};

/// Bounds on the work done; none of them is a clock, so that the answer is the same everywhere.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many candidates are returned at most.
    pub candidates: usize,
    /// z3's `rlimit` for one query.
    pub rlimit: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            candidates: 20,
            rlimit: 20_000_000,
        }
    }
}

/// An expression that satisfies every hard row.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub expr: Expr,
    /// See `rank.rs`; smaller is better. Comparable between sites.
    pub cost: u32,
    /// Summed weight of the soft rows it violates.
    pub soft_violated: u32,
    /// One clause for the reader, lower case: how the expression was found.
    pub why: String,
}

/// What became of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// That many candidates.
    Found(usize),
    /// Proved: no expression of this level explains the spec.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// The result of [`synthesize`].
#[derive(Clone, Debug, Default)]
pub struct Synthesis {
    /// Best first, no two equal.
    pub candidates: Vec<Candidate>,
    /// Each level tried, by name, in order.
    pub levels: Vec<(String, Answer)>,
    /// Why there is no candidate, in a sentence; `None` if there is one.
    pub reason: Option<String>,
}

/// Finds expressions that explain `spec`.
pub fn synthesize(_spec: &Spec, _pool: &Pool, _limits: &Limits) -> Synthesis {
    Synthesis::default()
}
