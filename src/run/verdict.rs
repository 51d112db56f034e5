//! What became of a test, from how its process ended and what it said.

use nopol_instrument::layout;

use super::process::Ended;
use super::trace::Trace;

/// What became of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    Passed,
    Failed,
    /// Ended by a signal: abort, stack overflow, a limit on memory.
    Crashed,
    TimedOut,
    OutOfFuel,
    /// Ended with exit code 0 but without saying that the test passed: `exit(0)`.
    Silent,
    /// The harness did not run it, which some do not tell before.
    Ignored,
}

impl Verdict {
    /// That the test did not come to its end, whatever its harness.
    pub fn before_its_end(ended: &Ended, trace: Option<&Trace>) -> Option<Self> {
        if trace.is_some_and(|trace| trace.out_of_fuel) || ended.code == Some(layout::FUEL_EXIT) {
            return Some(Self::OutOfFuel);
        }
        ended.timed_out.then_some(Self::TimedOut)
    }

    /// From how its process ended and what Rust's harness printed.
    pub fn of(ended: &Ended, printed: &str) -> Self {
        match ended.code {
            None => Self::Crashed,
            Some(0) => match summary(printed) {
                Some(said) if said.starts_with("ok. 1 passed;") => Self::Passed,
                Some(said) if said.starts_with("ok. 0 passed; 0 failed; 1 ignored;") => {
                    Self::Ignored
                }
                _ => Self::Silent,
            },
            Some(_) => Self::Failed,
        }
    }

    pub fn passed(self) -> bool {
        self == Self::Passed
    }

    /// The verdict as a clause of a sentence about the test.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Passed => "passes",
            Self::Failed => "fails",
            Self::Crashed => "crashes",
            Self::TimedOut => "does not end within the time limit",
            Self::OutOfFuel => "loops without end",
            Self::Silent => "exits before its verdict",
            Self::Ignored => "is ignored",
        }
    }
}

/// What a harness says in the end: `ok. 1 passed; 0 failed; …`, without colours.
pub fn summary(printed: &str) -> Option<String> {
    let plain = anstream::adapter::strip_str(printed).to_string();
    let mut said = plain
        .lines()
        .filter_map(|line| line.strip_prefix("test result: "));
    said.next_back().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(code: Option<i32>, printed: &str) -> Verdict {
        let ended = Ended {
            code,
            timed_out: false,
            seconds: 0.0,
        };
        Verdict::of(&ended, printed)
    }

    #[test]
    fn a_verdict_is_what_the_harness_says_in_the_end_in_colour_too() {
        let says =
            |counts: &str| format!("\nrunning 1 test\n\ntest result: {counts}; 7 filtered out\n");
        let passed = says("ok. 1 passed; 0 failed; 0 ignored");
        assert_eq!(verdict(Some(0), &passed), Verdict::Passed);
        let coloured = passed.replace("ok.", "\u{1b}[32mok\u{1b}[0m.");
        assert_eq!(verdict(Some(0), &coloured), Verdict::Passed);
        let ignored = says("ok. 0 passed; 0 failed; 1 ignored");
        assert_eq!(verdict(Some(0), &ignored), Verdict::Ignored);
        let nothing = says("ok. 0 passed; 0 failed; 0 ignored");
        assert_eq!(verdict(Some(0), &nothing), Verdict::Silent);
        assert_eq!(verdict(Some(0), ""), Verdict::Silent);
        assert_eq!(verdict(Some(101), &passed), Verdict::Failed);
        assert_eq!(verdict(None, &passed), Verdict::Crashed);
    }
}
