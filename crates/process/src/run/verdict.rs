//! The verdict on a test, from its exit status and its output.

use nopol_instrument::layout;

use super::process::Exit;
use super::trace::Trace;

/// The verdict on one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Ended by a signal: abort, stack overflow, memory limit.
    Crashed,
    /// It reached the time limit, or the limit on what it writes.
    TimedOut,
    /// It used up its fuel.
    OutOfFuel,
    /// Ended with exit code 0 but without the harness's verdict: `exit(0)`.
    Silent,
    /// Ignored by the harness; some harnesses do not list ignored tests as such.
    Ignored,
}

/// The name of the signal that ends what writes too much.
const FLOODED: &str = "SIGXFSZ";

impl Verdict {
    /// The verdict on a test that was cut short, whatever its harness; `None` if it ended by itself.
    pub fn cut_short(exit: &Exit, trace: Option<&Trace>) -> Option<Self> {
        if trace.is_some_and(|trace| trace.out_of_fuel) || exit.code == Some(layout::FUEL_EXIT) {
            return Some(Self::OutOfFuel);
        }
        (exit.timed_out || exit.is_flooded()).then_some(Self::TimedOut)
    }

    /// The verdict from the exit status and the output of Rust's harness.
    pub fn of(exit: &Exit, printed: &str) -> Self {
        match exit.code {
            None => Self::Crashed,
            Some(0) => match summary(printed) {
                Some(result) if result.starts_with("ok. 1 passed;") => Self::Passed,
                Some(result) if result.starts_with("ok. 0 passed; 0 failed; 1 ignored;") => {
                    Self::Ignored
                }
                _ => Self::Silent,
            },
            Some(_) => Self::Failed,
        }
    }

    /// The same, with the signal of a crash, and with what was written too much.
    pub fn describe_with(self, signal: Option<&str>) -> String {
        match (self, signal) {
            (Self::Crashed, Some(signal)) => format!("{} ({signal})", self.describe()),
            (Self::TimedOut, Some(FLOODED)) => {
                "writes more than 16 MiB of output, or more than 256 MiB to a file".to_owned()
            }
            _ => self.describe().to_owned(),
        }
    }

    /// Whether the test passed.
    pub fn passed(self) -> bool {
        self == Self::Passed
    }

    /// The verdict as a predicate, for a sentence about the test.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Passed => "passes",
            Self::Failed => "fails",
            Self::Crashed => "crashes",
            Self::TimedOut => "does not end within its time limit",
            Self::OutOfFuel => "makes more steps than `--fuel` allows",
            Self::Silent => "exits before it has passed or failed",
            Self::Ignored => "is ignored",
        }
    }
}

/// The harness's last result line, `ok. 1 passed; 0 failed; …`, without colours.
pub fn summary(printed: &str) -> Option<String> {
    let plain = anstream::adapter::strip_str(printed).to_string();
    let mut results = plain
        .lines()
        .filter_map(|line| line.strip_prefix("test result: "));
    results.next_back().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(code: Option<i32>, printed: &str) -> Verdict {
        let exit = Exit {
            code,
            signal: None,
            timed_out: false,
            seconds: 0.0,
        };
        Verdict::of(&exit, printed)
    }

    #[test]
    fn what_writes_too_much_is_cut_short_as_what_does_not_end() {
        let exit = |signal| Exit {
            code: None,
            signal,
            timed_out: false,
            seconds: 0.0,
        };
        let flooded = exit(Some(nix::sys::signal::Signal::SIGXFSZ as i32));
        let verdict = Verdict::cut_short(&flooded, None);
        assert_eq!(verdict, Some(Verdict::TimedOut));
        let described = Verdict::TimedOut.describe_with(flooded.signal_name());
        assert!(described.starts_with("writes more than"), "{described}");
        assert_eq!(Verdict::cut_short(&exit(Some(11)), None), None);
    }

    #[test]
    fn the_verdict_follows_the_last_result_line_even_in_colour() {
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
