//! How close a repair is to the program (Wolverine2, section 4.1), and what a solver answers when it is asked for one this
//! close.

use super::patch::Change;

/// Which closeness bound a choice counts for (Wolverine2, section 4.2), the smallest change first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    /// Changed guards, and statements that are removed.
    Guard,
    /// Changed statements.
    Statement,
    /// Inserted statements.
    Insertion,
}

impl Bound {
    /// All of them, by priority.
    pub const ALL: [Self; 3] = [Self::Guard, Self::Statement, Self::Insertion];
}

/// How many choices of each kind may differ from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closeness {
    /// For each of [`Bound::ALL`].
    pub most: [u32; 3],
    /// In all.
    pub total: u32,
}

/// The solver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// These changes fulfil all triples.
    Repaired(Vec<Change>),
    /// There are none so close. The bounds and the triples, by the order in which they were added, that the proof needs.
    Impossible {
        /// The bounds.
        bounds: Vec<Bound>,
        /// Whether the proof needs the bound on all changes.
        is_total: bool,
        /// The selectors, if they were bounded one by one.
        selectors: Vec<usize>,
        /// The triples.
        triples: Vec<usize>,
    },
    /// The solver gave up.
    Unknown,
}
