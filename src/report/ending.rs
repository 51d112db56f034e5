//! How a run ends, and its exit code.

use serde::{Deserialize, Serialize};

/// How the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Patches were found that fix all failing tests, together or alone.
    Patched,
    /// Patches were found, but some failing test has none.
    PartlyPatched,
    /// No patch was found.
    NoPatch,
    /// All tests pass.
    NothingToRepair,
    /// Only `cargo nopol localize`: angelic sites were found.
    Localized,
    /// Only `cargo nopol list`: tests and places were listed.
    Listed,
    /// The subject does not build.
    CannotBuild,
    /// There are no tests, all failures are flaky, instrumentation changes the outcomes, or a build leaves an old
    /// program in place.
    UnusableBaseline,
    /// The time limit was reached.
    TimeLimit,
    /// The user stopped the run.
    Interrupted,
    /// An error that the user must fix: no manifest, no such test.
    Usage,
    /// A defect of the tool.
    Internal,
}

impl Ending {
    /// The process's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Patched | Self::NothingToRepair | Self::Localized | Self::Listed => 0,
            Self::NoPatch | Self::PartlyPatched => 1,
            Self::Usage => 2,
            Self::CannotBuild => 3,
            Self::UnusableBaseline => 4,
            Self::TimeLimit => 5,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }

    /// Whether the run was stopped, by the user or at its time limit.
    pub fn was_stopped(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Interrupted)
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patched => "patched",
            Self::PartlyPatched => "partly-patched",
            Self::NoPatch => "no-patch",
            Self::NothingToRepair => "nothing-to-repair",
            Self::Localized => "localized",
            Self::Listed => "listed",
            Self::CannotBuild => "cannot-build",
            Self::UnusableBaseline => "unusable-baseline",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::Usage => "usage-error",
            Self::Internal => "internal-error",
        }
    }
}

/// The help on the exit codes of a command that searches: its own text for the codes 0 to 2, then the codes that all
/// such commands share.
macro_rules! exit_codes {
    ($own:literal) => {
        concat!(
            "Exit codes:\n",
            $own,
            "
  3    the program does not build
  4    unusable baseline: no tests except doctests and ignored ones, no test that matches the
       arguments after `--`, only flaky failures, instrumentation changes outcomes, or (C) the
       build does not recompile changed sources
  5    the time limit was reached
  70   internal error, or writing to standard output failed
  130  interrupted"
        )
    };
}

/// Exit codes of a search for patches, for `--help`.
pub const EXIT_CODES: &str = exit_codes!(
    "  0    patches were found, or there is nothing to repair (`outcome` in JSON says which)
  1    no patch was found, or some failing test has no patch (see --allow-partial), or only
       doctests fail
  2    wrong usage (no manifest, no such package, test or patch, an argument that the tests
       reject), --apply refused, the report cannot be written, or the disk is full"
);

/// Exit codes of `explain`, which searches if there is no earlier result, for `--help`.
pub const EXPLAIN_EXIT_CODES: &str = exit_codes!(
    "  0    the search found patches, or there is nothing to repair
  1    the search found no patch, or some failing test has no patch, or only doctests fail
  2    wrong usage (no manifest, no such package, test, patch or place, an argument that the tests
       reject), the report cannot be written, or the disk is full"
);

/// Exit codes of `review`, which searches if there is no earlier result, for `--help`.
pub const REVIEW_EXIT_CODES: &str = exit_codes!(
    "  0    there were patches to review, or there is nothing to repair
  1    the search found no patch, or only doctests fail
  2    wrong usage (no manifest, no such package or test, an argument that the tests reject), the
       report cannot be written, or the disk is full"
);

/// Exit codes of `localize`, for `--help`.
pub const LOCALIZE_EXIT_CODES: &str = exit_codes!(
    "  0    places were found, or there is nothing to repair (`outcome` in JSON says which)
  1    no place was found, or only doctests fail
  2    wrong usage (no manifest, no such package or test, an argument that the tests reject), the
       report cannot be written, or the disk is full"
);

/// Exit codes of `list`, for `--help`.
pub const LIST_EXIT_CODES: &str = "\
Exit codes:
  0    the tests and places are shown
  2    wrong usage (no manifest, no such package or test, an argument that the tests reject), the
       report cannot be written, or the disk is full
  3    the program does not build
  4    there are no tests, or none matches the arguments after `--`
  5    the time limit was reached
  70   internal error, or writing to standard output failed
  130  interrupted";

/// Exit codes of `merge`, for `--help`.
pub const MERGE_EXIT_CODES: &str = "\
Exit codes:
  0    patches were found, or there is nothing to repair
  1    no patch was found, or some failing test has no patch, or only doctests fail
  2    wrong usage: a file is not the outcome of a shard, or a shard is missing or given twice
  3    in a shard the program did not build
  4    in a shard the baseline was unusable
  5    in a shard the time limit was reached
  70   internal error, in a shard or in `merge`, or writing to standard output failed
  130  a shard was interrupted";
