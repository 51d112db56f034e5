//! What an engine is, and what it is asked.

use super::collect::Collector;
use super::table::{Bits, Table};
use super::{Answer, atoms};
use std::cell::OnceCell;

/// Which engine looks for expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Component-based synthesis with z3 (papers/nopol.txt §3.4).
    Smt,
    /// Edits of the old condition and bottom-up enumeration.
    Enumerate,
    /// The enumerator, and the solver where that finds nothing.
    #[default]
    Portfolio,
}

impl EngineKind {
    /// Every engine.
    pub const ALL: [Self; 3] = [Self::Smt, Self::Enumerate, Self::Portfolio];

    /// The engine's name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smt => "smt",
            Self::Enumerate => "enumerate",
            Self::Portfolio => "portfolio",
        }
    }
}

/// Each level tried, by name, with what became of it.
pub(super) type Levels = Vec<(String, Answer)>;

/// One search: which rows of the table must be explained, and with how much work.
#[cfg_attr(
    not(feature = "z3"),
    expect(dead_code, reason = "some of it only the solver needs")
)]
pub(super) struct Task<'a> {
    pub table: &'a Table<'a>,
    pub constrained: &'a Bits,
    /// What an expression costs that is not made from the old condition.
    pub base: u32,
    /// z3's `rlimit` for one level.
    pub rlimit: u32,
    /// Shared by all searches in one table.
    pub atoms: &'a OnceCell<Vec<atoms::Atom>>,
}

impl Task<'_> {
    /// Every clause over the table's terms, cheapest first.
    pub fn atoms(&self) -> &[atoms::Atom] {
        self.atoms.get_or_init(|| atoms::atoms(self.table))
    }
}

/// A way of finding expressions that explain the constrained rows of a task.
pub(super) trait Engine {
    /// Offers what it finds to the collector, which checks it.
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels;
}
