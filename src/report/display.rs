//! How a result is shown, as a setting.

use serde::{Deserialize, Serialize};

/// How the result is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Diffs and sentences.
    #[default]
    Human,
    /// One JSON object, as in docs/schema.json.
    Json,
    /// The first patch as a diff for `git apply`.
    Diff,
}

/// What is shown, and how.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Display {
    pub format: Format,
    /// More is said about what is being done.
    pub verbose: bool,
}
