//! What a language's programs and tests are like, as far as the search for a patch goes by it. Data
//! only: each language has one [`Policies`] of its own.

use std::time::Duration;

/// How the search treats subjects of one language. A struct without a default, so that a new language
/// has to answer every question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policies {
    /// Whether one passing test is weak evidence. Where a test is a command with an input and an
    /// expected output, tests are many and most pass under either outcome of a condition. So each is
    /// asked whether it depends on the outcomes observed in it, and a patch that agrees with a hundred
    /// of them may end the search. Unit tests say more each and cost more to run; of those few are about
    /// any one condition.
    pub passing_tests_say_little: bool,
    /// Whether evaluating a capture can be undefined behaviour that the compiler accepts, so that a
    /// sanitizer ends the run. Where recording disturbs a run, the site is recorded once more with
    /// nothing but what the program itself reads there.
    pub captures_may_be_undefined: bool,
    /// The shortest wall-clock limit of a forced run. Loops are bounded by fuel; this limit is for what
    /// burns none, and leaves room for what slows a run down as a whole.
    pub least_timeout: Duration,
    /// What formats a patched file, where there is a standard formatter.
    pub formatter: Option<FormatTool>,
}

/// A program that formats a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatTool {
    Rustfmt,
}
