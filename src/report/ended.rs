//! How `faults`, `mutate` and `heap` end.

use serde::Serialize;

use super::Ending;

/// How a search in formulas or heaps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// Places were found where different values make the failing tests pass.
    Localized,
    /// Repairs were found.
    Repaired,
    /// Nothing is wrong: no test fails, and no run violates the specification.
    Correct,
    /// Nothing is wrong as far as the program was followed, but there are runs beyond that, or no others.
    Unjudged,
    /// There is none.
    #[default]
    None,
    /// The specification contradicts itself.
    Contradiction,
    /// A limit ended the search.
    Limit,
    /// The user ended it.
    Interrupted,
    /// The program, or every test, is outside of what the tool can reason about.
    Outside,
}

impl Ended {
    /// Whether the search was not complete.
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
