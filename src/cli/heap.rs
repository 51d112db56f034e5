//! `cargo nopol heap`: repairs a function that manipulates linked structures.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::Args;
use nopol_basics::{agree, all, count, counted};
use nopol_heap::written::Written;

use super::formula;
use super::repair::given_options;
use super::{SubjectOptions, Target, output};
use crate::config::seconds;
use crate::formula::UserStop;
use crate::heap::batch::{self, Batch, By, HeapRequest};
use crate::invocation::{self, Invocation};
use crate::repair::settings::Settings;
use crate::report::Assurance;
use crate::report::Ended;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::format::Format;
use crate::report::markup::code;
use crate::report::phrases::{names, sentence};
use crate::report::progress::Progress;
use crate::report::terminal::Terminal;
use crate::subject::Project;

/// Exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    a patch was found, or nothing is wrong
  1    no patch was found
  2    wrong usage: no manifest, no such package, test or function, a state that cannot be read
  4    the function, or every test, is outside what can be modelled
  5    the time limit was reached
  70   internal error, or writing to standard output failed
  130  interrupted";

#[derive(Args, Clone, Debug)]
pub struct Heap<P: Target> {
    #[command(flatten)]
    place: SubjectOptions<P>,

    /// The function to repair; it needs a specification, except with --failing. With --failing the default is every function
    /// that the failing tests call
    #[arg(long, value_name = "FUNCTION", help_heading = "Specification")]
    function: Option<String>,

    /// C only: fix this failing test, without a specification of the heap; may be given several times
    #[arg(
        long,
        value_name = "TEST",
        conflicts_with_all = ["reference_function", "pre", "only"],
        help_heading = "Specification"
    )]
    failing: Vec<String>,

    /// Stop after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "120",
        value_parser = seconds::parse_any,
        help_heading = "Search"
    )]
    time_limit: Duration,

    /// A correct function of the program that does the same: after each call in a test, the heap must be as this function
    /// would leave it
    #[arg(long, value_name = "FUNCTION", help_heading = "Specification")]
    reference_function: Option<String>,

    /// Consider only the calls in this test; may be given several times [default: all tests]
    #[arg(long, value_name = "TEST", help_heading = "Specification")]
    only: Vec<String>,

    /// The state before a call, such as `head = n1; n1.next = null`, or a file that contains it; may be given
    /// several times
    #[arg(
        long,
        value_name = "STATE",
        requires = "post",
        help_heading = "Specification"
    )]
    pre: Vec<String>,

    /// The state after that call; variables and fields that it does not mention may have any value
    #[arg(
        long,
        value_name = "STATE",
        requires = "pre",
        help_heading = "Specification"
    )]
    post: Vec<String>,

    /// Print no progress
    #[arg(long, short)]
    quiet: bool,

    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formula::formats(Format::shows_reasoned), help_heading = "Report")]
    format: Format,
}

impl<P: Target> Heap<P> {
    pub fn run(self) -> u8 {
        let settings = match self.place.resolve() {
            Ok(settings) => settings,
            Err(code) => return code,
        };
        if self.function.is_none() && self.failing.is_empty() {
            output::complain(match settings.project {
                Project::Cargo(_) => {
                    "give --function FUNCTION with a specification (--reference-function, or --pre and --post)"
                }
                Project::C(_) => "give --function FUNCTION with a specification, or --failing TEST",
            });
            return Ending::Usage.exit_code();
        }
        if self.pre.len() != self.post.len() {
            output::complain("each --pre needs a --post: they are given in pairs");
            return Ending::Usage.exit_code();
        }
        let command = settings.project.command();
        let states = self.pre.iter().map(text).zip(self.post.iter().map(text));
        let request = HeapRequest {
            project: settings.project.clone(),
            function: self.function,
            failing: self.failing,
            time_limit: self.time_limit,
            stop: UserStop::default(),
            reference: self.reference_function,
            tests: self.only,
            states: states.collect(),
        };
        let invocation = match Invocation::new(settings.clone()) {
            Ok(invocation) => invocation,
            Err(error) => {
                output::complain(&error.to_string());
                return Ending::Internal.exit_code();
            }
        };
        // After the warden was forked: it cleans up when a signal ends this process.
        let request = HeapRequest {
            stop: formula::end_on_signals(),
            ..request
        };
        let compile = |texts: &[(Utf8PathBuf, String)]| {
            let observer = Arc::new(Terminal::new(false, true));
            let refusal = invocation.refusal(texts, observer);
            refusal.map_err(|error| format!("{error:#}"))
        };
        let builds = || formula::built(&invocation, &settings, false);
        let progress = Progress::new(Arc::new(Terminal::new(false, self.quiet)));
        let repaired = batch::repair(&request, &compile, &builds, &progress);
        let mut shown = match formula::accepted(repaired, self.format, Batch::outside) {
            Ok(shown) => shown,
            Err(code) => return code,
        };
        shown.warnings = counted(shown.warnings);
        let outcome = kept(&shown, command, &settings);
        let by = format!("{command} heap");
        invocation::keep(&settings, &outcome, &by);
        let reported = Outcome {
            options: given_options(),
            ..outcome
        };
        formula::print(
            &shown,
            self.format,
            |shown| human(shown, command, &settings.place),
            &reported,
        )
    }
}

/// The content of a file, if there is one; else the text itself.
fn text(given: &String) -> String {
    match given.contains('=') {
        true => given.clone(),
        false => std::fs::read_to_string(given).unwrap_or_else(|_| given.clone()),
    }
}

/// Most suspicious statements that are shown.
const MANY: usize = 5;

/// `place`: the options that `apply` needs, each preceded by a space.
fn human(shown: &Batch, command: &str, place: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_human(&mut text, shown, command, place);
    text
}

/// Which tests pass now, given how many failed and how many there are.
fn passing(failing: usize, all: usize) -> String {
    let now = match all - failing {
        0 => agree(failing, "the test now passes", "these tests now pass"),
        others => {
            let now = agree(failing, "this test now passes", "these tests now pass");
            let before = agree(
                others,
                "the one that passed before still does",
                "those that passed before still do",
            );
            return format!("{now} in the tool's interpreter, and {before}");
        }
    };
    format!("{now} in the tool's interpreter")
}

fn write_human(text: &mut String, shown: &Batch, command: &str, place: &str) -> std::fmt::Result {
    for warning in &shown.warnings {
        writeln!(text, "note: {warning}")?;
    }
    if shown.outcome == Ended::Correct {
        return match shown.by {
            By::States => writeln!(
                text,
                "`{}` meets the specification{}.",
                shown.function,
                match shown.calls {
                    1 => String::new(),
                    some => format!(" in {}", all(some, "call")),
                }
            ),
            By::Tests => {
                let passing = names(&shown.passing);
                let pass = agree(shown.passing.len(), "passes", "pass");
                match shown.others_failing.len() {
                    0 => writeln!(text, "{passing} {pass}: there is nothing to repair."),
                    others => writeln!(
                        text,
                        "{passing} {pass}, but {} {}.",
                        names(&shown.others_failing),
                        agree(others, "fails", "fail")
                    ),
                }
            }
        };
    }
    if !shown.failing.is_empty() {
        let failing = shown.failing.len();
        match shown.by {
            By::States => {
                let calls = match failing == shown.calls {
                    true if failing == 1 => String::new(),
                    true => format!(" in {}", all(failing, "call")),
                    false => format!(" in {failing} of {}", count(shown.calls, "call")),
                };
                writeln!(
                    text,
                    "`{}` violates the specification{calls}:",
                    shown.function
                )?;
            }
            By::Tests => {
                let what = agree(failing, "test to fix", "tests to fix");
                match failing == shown.calls {
                    true => writeln!(text, "{what}:")?,
                    false => writeln!(text, "{what} ({failing} of {} tests):", shown.calls)?,
                }
            }
        }
        for failing in shown.failing.iter().take(MANY) {
            writeln!(text, "  {failing}")?;
        }
        if failing > MANY {
            writeln!(text, "  … and {} more", failing - MANY)?;
        }
    }
    if !shown.suspects.is_empty() {
        writeln!(text, "\nsuspicious statements, the most suspicious first:")?;
        for suspect in shown.suspects.iter().take(MANY) {
            writeln!(
                text,
                "  {}:{}  {}",
                suspect.file, suspect.line, suspect.text
            )?;
        }
        if shown.suspects.len() > MANY {
            writeln!(text, "  … and {} more", shown.suspects.len() - MANY)?;
        }
    }
    if let Some(message) = &shown.message {
        writeln!(text, "\n{}", sentence(message))?;
    }
    if shown.written.edits.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\nrepaired by {} in `{}` in {:.2} s; {}:\n",
        count(shown.written.edits.len(), "change"),
        shown.function,
        shown.seconds,
        match shown.by {
            By::States => format!(
                "{} now {} the specification",
                all(shown.calls, "call"),
                agree(shown.calls, "meets", "meet")
            ),
            By::Tests => passing(shown.failing.len(), shown.calls),
        }
    )?;
    writeln!(text, "{}", shown.written.diff.trim_end())?;
    if !shown.alternatives.is_empty() {
        writeln!(text, "\nother changes that also repair it:")?;
    }
    for diff in &shown.alternatives {
        writeln!(text, "{}", brief(diff))?;
    }
    writeln!(
        text,
        "\n`{command} apply{place}` builds and tests the patch before it writes it into the source."
    )
}

/// The changed lines of a diff, each run of them below its place.
fn brief(diff: &str) -> String {
    let mut text = String::new();
    let (mut file, mut line, mut is_open) = ("", 0, false);
    for row in diff.lines() {
        if let Some(path) = row.strip_prefix("--- a/") {
            file = path;
        } else if let Some(ranges) = row.strip_prefix("@@ -") {
            let first = ranges.split([',', ' ']).next();
            line = first.and_then(|first| first.parse().ok()).unwrap_or(0);
            is_open = false;
        } else if row.starts_with("+++") {
        } else if row.starts_with(['+', '-']) {
            if !is_open {
                text.push_str(&format!("{file}:{line}\n"));
            }
            is_open = true;
            text.push_str(&format!("{row}\n"));
            line += usize::from(row.starts_with('-'));
        } else {
            is_open = false;
            line += 1;
        }
    }
    text
}

/// The repair as a patch, which `apply`, `undo` and all formats know.
fn kept(shown: &Batch, command: &'static str, settings: &Settings) -> Outcome {
    // Of states the failing ones are calls, and no tests.
    let (evidence, failing) = match shown.by {
        By::States => (Assurance::Asserted, &[][..]),
        By::Tests => (Assurance::Interpreted, &*shown.failing),
    };
    let patches = (shown.outcome == Ended::Repaired).then(|| PatchReport {
        fixes: failing.to_vec(),
        ..patch(&shown.written, evidence)
    });
    Outcome {
        ending: shown.outcome.into(),
        message: shown.message.clone(),
        command,
        failing_tests: failing.to_vec(),
        patches: patches.into_iter().collect(),
        prefix: invocation::prefix(settings),
        ..Outcome::default()
    }
}

/// A change of linked structures as a patch.
pub fn patch(written: &Written, evidence: Assurance) -> PatchReport {
    PatchReport {
        diff: written.diff.clone(),
        why: format!(
            "{} of {} changed",
            count(written.edits.len(), "statement"),
            code(&written.function)
        ),
        ..PatchReport::reasoned(
            "heap-1".to_owned(),
            1,
            &written.edits,
            &written.texts,
            evidence,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn changed_lines_stand_below_their_places() {
        let diff = "--- a/q.c\n+++ b/q.c\n@@ -7,5 +7,5 @@\n a\n-b\n+c\n d\n e\n+f\n";
        assert_eq!(brief(diff), "q.c:8\n-b\n+c\nq.c:11\n+f\n");
    }
}
