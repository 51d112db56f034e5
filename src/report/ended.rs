//! The endings of `faults`, `mutate` and `heap`.

use serde::Serialize;

use super::Ending;

/// How a search with formulas or heaps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// Places were found where different values make the failing tests pass.
    Localized,
    /// Repairs were found.
    Repaired,
    /// Nothing to repair: no test fails, and no run violates the specification.
    Correct,
    /// Nothing is wrong in the runs that were followed, but there are runs that were not, or there were no runs.
    Unjudged,
    /// The search was complete and found nothing.
    #[default]
    None,
    /// The specification contradicts itself.
    Contradiction,
    /// A limit ended the search.
    Limit,
    /// The user ended it.
    Interrupted,
    /// The tool cannot reason about the program, or about any of the tests.
    Outside,
}

impl Ended {
    /// Whether the search was cut off.
    pub const fn is_cut(self) -> bool {
        matches!(self, Self::Limit | Self::Interrupted)
    }
}

impl From<Ended> for Ending {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Localized => Self::Localized,
            Ended::Repaired => Self::Patched,
            Ended::Correct => Self::NothingToRepair,
            Ended::None | Ended::Contradiction | Ended::Unjudged => Self::NoPatch,
            Ended::Limit => Self::TimeLimit,
            Ended::Interrupted => Self::Interrupted,
            Ended::Outside => Self::UnusableBaseline,
        }
    }
}
