//! The part of the program that a run was allowed to examine.

use serde::{Deserialize, Serialize};

/// How much of the program the options leave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Number of places that may be changed. `None` if the run ended before they were counted.
    pub places: Option<usize>,
    /// Number of those places that `list` leaves out, because early exits are possible nearly everywhere.
    pub unlisted: usize,
    /// Whether only changed lines are searched, but no line was changed.
    pub is_unchanged: bool,
    /// Whether the run only forced outcomes and did not search for patches.
    pub is_localization: bool,
}
