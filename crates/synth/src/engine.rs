//! The interface of the synthesis engines.

use super::collect::Collector;
use super::table::{Bits, Table};
use super::{Answer, atoms};
use std::cell::OnceCell;

/// The engine that searches for expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Component-based synthesis with z3 (the Nopol paper, §3.4).
    Smt,
    /// Edits of the original condition and bottom-up enumeration.
    Enumerate,
    /// The enumerator, then the solver if that finds nothing.
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

/// Each level tried, by name, with its result.
pub(super) type Levels = Vec<(String, Answer)>;

/// One search: the rows of the table that must be explained, and the work allowed.
#[cfg_attr(
    not(feature = "z3"),
    expect(dead_code, reason = "some of it only the solver needs")
)]
pub(super) struct Task<'a> {
    pub table: &'a Table<'a>,
    pub constrained: &'a Bits,
    /// Base cost of an expression that is not derived from the original condition.
    pub base: u32,
    /// z3's `rlimit` for one level.
    pub rlimit: u32,
    /// The clauses, shared by all searches in one table.
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
    /// Offers expressions to the collector, which checks them.
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels;
}
