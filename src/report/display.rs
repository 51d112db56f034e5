//! How a result is shown, as a setting.

use serde::{Deserialize, Serialize};

use super::format::Format;
use super::{Ending, Outcome};

/// What to show of a result, and how.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Display {
    /// The format of the report.
    pub format: Format,
    /// The endings with exit code 1.
    pub fail_on: FailOn,
    /// Whether patches that fix some of the failing tests count like patches that fix all.
    pub allow_partial: bool,
    /// Whether to print more about each step.
    pub verbose: bool,
    /// Whether to print nothing about the steps.
    pub quiet: bool,
}

/// The endings of a completed search that have exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A patch was found: there is something to review.
    Patched,
    /// Tests fail, and no patch was found.
    #[default]
    NoPatch,
    /// No ending.
    Never,
}

impl FailOn {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Patched, Self::NoPatch, Self::Never];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patched => "patched",
            Self::NoPatch => "no-patch",
            Self::Never => "never",
        }
    }
}

impl Display {
    /// The exit code of a run. Patches found before the time limit count as found.
    pub fn exit_code(&self, outcome: &Outcome) -> u8 {
        let ending = outcome.ending;
        match ending {
            Ending::Patched | Ending::PartlyPatched => match self.fail_on {
                FailOn::Patched => 1,
                FailOn::NoPatch if self.allow_partial => 0,
                FailOn::NoPatch => ending.exit_code(),
                FailOn::Never => 0,
            },
            Ending::NoPatch => match self.fail_on {
                FailOn::NoPatch => ending.exit_code(),
                FailOn::Patched | FailOn::Never => 0,
            },
            Ending::TimeLimit if self.fail_on == FailOn::Patched && !outcome.patches.is_empty() => {
                1
            }
            Ending::TimeLimit
            | Ending::NothingToRepair
            | Ending::Localized
            | Ending::Listed
            | Ending::CannotBuild
            | Ending::UnusableBaseline
            | Ending::Interrupted
            | Ending::Usage
            | Ending::Internal => ending.exit_code(),
        }
    }
}
