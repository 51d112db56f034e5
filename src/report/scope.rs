//! What a run was allowed to examine.

use serde::{Deserialize, Serialize};

/// How much of the program the options leave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Places that may be changed; `None` if the run ended before they were counted.
    pub places: Option<usize>,
    /// Those of them that `list` leaves out, because an early exit could be nearly everywhere.
    pub unlisted: usize,
    /// Whether only changed lines are searched, and there are none.
    pub is_unchanged: bool,
    /// Whether outcomes were forced and no patch was looked for.
    pub is_localization: bool,
}
