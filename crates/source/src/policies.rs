//! Properties of a language's programs and tests that affect the search for a patch. Data only: each language defines
//! one [`Policies`] value.

use std::time::Duration;

/// How the search treats subjects of one language. It has no default, so a new language must set every field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policies {
    /// Whether one passing test is weak evidence. If a test is a command with an input and an expected output, there
    /// are many tests, and most of them pass under either outcome of a condition. Then the search checks for each test
    /// whether it depends on the outcomes observed in it, and a patch that agrees with a hundred tests may end the
    /// search. A unit test is stronger evidence but costs more to run, and few unit tests concern any one condition.
    pub passing_tests_are_weak_evidence: bool,
    /// Whether evaluating a capture can be undefined behaviour that the compiler accepts, so that a sanitizer ends the
    /// run. If recording then disturbs a run, every site that the run reaches is recorded again, with only the
    /// expressions that the program itself reads there. Otherwise only sites without any recorded context are recorded
    /// again.
    pub captures_may_be_undefined: bool,
    /// Whether the compiler recompiles only changed functions. Then instrumentation stays in the others from build to
    /// build, and otherwise in other files.
    pub compiles_incrementally: bool,
    /// The minimum wall-clock limit of a forced run. Fuel bounds loops. This limit catches code that uses no fuel, and
    /// leaves room for anything that slows down the whole run.
    pub min_timeout: Duration,
    /// Whether compilers warn about `a || b && c`, because the conjunction has no parentheses.
    pub compilers_warn_of_bare_conjunctions: bool,
    /// Whether a test may call any function of the subject with any arguments. If tests are commands, functions get
    /// their arguments from the program.
    pub tests_call_functions: bool,
    /// The formatter of patched files, if the language has a standard one.
    pub formatter: Option<FormatTool>,
}

/// A program that formats a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatTool {
    /// The standard formatter of Rust.
    Rustfmt,
}
