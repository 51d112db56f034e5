//! How a result is shown, as a setting.

use serde::{Deserialize, Serialize};

use super::format::Format;
use super::{Ending, Outcome};

/// What is shown, and how.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Display {
    /// The format of the report.
    pub format: Format,
    /// What makes the exit code 1.
    pub fail_on: FailOn,
    /// Patches that fix some of the failing tests are as good as patches that fix all.
    pub allow_partial: bool,
    /// Print more about each step.
    pub verbose: bool,
    /// Print nothing about the steps.
    pub quiet: bool,
}

/// What makes the exit code 1, when a search came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A patch was found: there is something to review.
    Patched,
    /// Tests fail, and no patch was found.
    #[default]
    NoPatch,
    /// Nothing.
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
    /// The exit code of a run. What was found before the time limit counts as found.
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
