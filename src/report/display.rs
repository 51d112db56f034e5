//! How a result is shown, as a setting.

use serde::{Deserialize, Serialize};

use super::format::Format;

/// What is shown, and how.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Display {
    /// The format of the report.
    pub format: Format,
    /// More is said about what is being done.
    pub verbose: bool,
}
