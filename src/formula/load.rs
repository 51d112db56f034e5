//! A subject's program and tests, ready to be reasoned about: translated, and run once by the interpreter.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use nopol_basics::deadline::Deadline;
use nopol_basics::nearest::nearest_path;
use nopol_basics::{agree, times};
use nopol_program::interpret::{End, Limits, Run, Value, run};
use nopol_program::ir::{Entry, FaultKind, Outside, PlaceId, Program, Span, Test};
use nopol_program::position::Positions;
use nopol_source::Language;

use super::left_out::{self, LeftOut};
use super::localization::Failing;
use super::read::{of_c, of_c_until, of_rust, of_rust_until};
use crate::report::Ended;
use crate::subject::ecosystem::{Described, ProgramText, Seen};
use crate::subject::{Subject, SubjectError};

/// Says what a build of the subject shows, and what its tests show.
pub type Builds<'b> = &'b dyn Fn() -> Seen;

/// The text of a subject, for commands that read it. `builds` is asked only if a build takes little time.
///
/// # Errors
/// If the user chose tests in a way that only a build can follow, the build makes another program than the text describes, or
/// a file cannot be read.
pub fn whole_of(subject: &Subject, builds: Builds<'_>) -> Result<ProgramText, Refusal> {
    if let Some(selection) = subject.ecosystem.selection() {
        // That option is refused only if it leaves out a package.
        let why = match &*selection {
            "--package" => {
                "reads the whole workspace, so --package must not leave out a package".to_owned()
            }
            _ => format!(
                "builds no tests and does not support {selection}, on the command line or in nopol.toml"
            ),
        };
        let them = agree(selection.matches(" and ").count() + 1, "it", "them");
        return Err(Refusal::Usage(format!(
            "this command {why}: remove {them}, and choose tests by parts of their names after `--`"
        )));
    }
    let mut whole = subject.ecosystem.whole(&subject.root)?;
    let is_built = subject.ecosystem.has_cheap_build();
    let seen = match is_built {
        true => builds(),
        false => Seen::default(),
    };
    whole.passes = seen.passes;
    whole.reasons = seen.reasons;
    whole.is_unbuilt = is_built && !seen.is_built;
    let why = match seen.text {
        Described::Unknown => subject.ecosystem.other_program(&subject.root, &whole),
        Described::Right => None,
        Described::Wrong(why) => Some(why),
    };
    match why {
        Some(why) => Err(SubjectError::UnusableBaseline(why).into()),
        None => Ok(whole),
    }
}

/// A program with tests.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// The text of each of its files.
    pub texts: Vec<String>,
    /// Its tests, the wanted ones only.
    pub tests: Vec<Test>,
    /// How each of them ends.
    pub ends: Vec<End>,
    /// The places that each of them goes through.
    pub covered: Vec<FixedBitSet>,
    /// The values that places have in passing tests, the most frequent first, and simple ones.
    pub usual: BTreeMap<PlaceId, Vec<i128>>,
    /// How often loops and functions may go round: what the user says, or a little more than passing tests need.
    pub bound: u32,
    /// The same for a search that also runs the passing tests: never less than these need.
    pub bound_of_all: u32,
    /// How often they might go round when the tests were run.
    pub rounds: u32,
    /// The tests that are left out.
    pub left_out: Vec<LeftOut>,
    /// Whether the documentation may have examples, which are tests, too.
    pub may_have_examples: bool,
    /// The tests that the user names; all count if there is none.
    pub only: Vec<String>,
    /// Whether arguments are given that may choose some tests.
    pub has_test_args: bool,
    /// The time was over before all tests were run.
    pub is_late: bool,
}

/// Why there is nothing to reason about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The user named something that is not there.
    Usage(String),
    /// Something is outside of the subset.
    Outside(String),
    /// A mistake of ours, or a limit of the solver's.
    Internal(String),
}

impl From<SubjectError> for Refusal {
    fn from(error: SubjectError) -> Self {
        match error {
            SubjectError::UnusableBaseline(reason) => Self::Outside(reason),
            other @ (SubjectError::Usage(_) | SubjectError::CannotBuild(..)) => {
                Self::Usage(other.to_string())
            }
        }
    }
}

impl From<Outside> for Refusal {
    fn from(outside: Outside) -> Self {
        Self::Outside(outside.to_string())
    }
}

/// How often loops and functions may go round while the tests are run: more often than that is taken for without end.
const MOST_ROUNDS: u32 = 100_000;

/// How much of the rounds of a passing test counts for those that formulas allow.
const MOST_ROUNDS_OF_PASSING: u32 = 1000;

/// How often they may at least in a formula, and how much more often than in the tests' runs.
const FEW_ROUNDS: u32 = 5;
const MORE_ROUNDS: u32 = 2;

/// Most values of a place that are remembered.
const MOST_USUAL: usize = 14;

/// Why tests are left out that were to run after the end of the search.
const LATE: &str = "the search had ended before their turn";

/// What the time limit ended where no test was seen to fail in time.
const TOO_LATE: &str = "the runs of the tests before any test failed";

/// How far the runs of tests are followed.
#[derive(Clone, Copy, Debug)]
pub struct RunBounds {
    /// Most iterations of a loop and activations of a function, and how often they may go round in formulas; a little more
    /// than the tests need if it is not given.
    pub bound: Option<u32>,
    /// Whether overflow, division by zero and the like are faults.
    pub implicit: bool,
    /// Most statements of a run. A test that needs more is left out.
    pub steps: u64,
    /// When tests are left out that have not run yet.
    pub deadline: Deadline,
}

impl RunBounds {
    /// As far as a user waits.
    pub const fn new(bound: Option<u32>, implicit: bool) -> Self {
        Self {
            bound,
            implicit,
            steps: STEPS,
            deadline: Deadline::Never,
        }
    }
}

/// Checks that each wanted test is among those that were read, or left out.
///
/// # Errors
/// If there is no such test.
pub fn refuse_unknown(
    whole: &ProgramText,
    wanted: &[String],
    tests: &[Test],
    left_out: &[LeftOut],
) -> Result<(), Refusal> {
    let Some(unknown) = wanted.iter().find(|name| {
        !tests.iter().any(|test| test.name == **name)
            && !left_out.iter().any(|test| test.test == **name)
    }) else {
        return Ok(());
    };
    // Only what was wanted has been read.
    let (_, tests, left_out) = match whole.language {
        Language::C => of_c(whole, &[])?,
        Language::Rust => of_rust(whole, &[])?,
    };
    let names = tests.iter().map(|test| &*test.name);
    let names = names.chain(left_out.iter().map(|test| &*test.test));
    let near = nearest_path(unknown, names);
    let near = near.map(|name| format!("; did you mean `{name}`?"));
    Err(Refusal::Usage(format!(
        "no test is named `{unknown}`{}",
        near.unwrap_or_default()
    )))
}

/// Most statements of a run unless less is wanted.
const STEPS: u64 = 1_000_000;

impl Loaded {
    /// Translates a program and runs its tests: all, or those with these names.
    ///
    /// # Errors
    /// If there is no such test, or the program is outside of what formulas can express.
    pub fn new(
        whole: &ProgramText,
        wanted: &[String],
        RunBounds {
            bound,
            implicit,
            steps,
            deadline,
        }: RunBounds,
    ) -> Result<Self, Refusal> {
        let (program, tests, left_out) = match whole.language {
            Language::C => of_c_until(whole, wanted, deadline)?,
            Language::Rust => of_rust_until(whole, wanted, deadline)?,
        };
        refuse_unknown(whole, wanted, &tests, &left_out)?;
        let limits = Limits {
            bound: bound.unwrap_or(MOST_ROUNDS),
            steps,
            implicit,
            deadline,
        };
        let texts = program.files.iter().map(|path| {
            let file = whole.files.iter().find(|(other, _)| other == path);
            file.map_or_else(String::new, |(_, text)| text.clone())
        });
        let mut loaded = Self {
            texts: texts.collect(),
            ends: Vec::new(),
            covered: Vec::new(),
            usual: BTreeMap::new(),
            bound: bound.unwrap_or(FEW_ROUNDS),
            bound_of_all: bound.unwrap_or(FEW_ROUNDS),
            rounds: bound.unwrap_or(MOST_ROUNDS),
            program,
            tests,
            left_out,
            may_have_examples: whole.may_have_examples && wanted.is_empty(),
            has_test_args: !whole.test_args.is_empty(),
            only: wanted.to_vec(),
            is_late: false,
        };
        let mut usual: BTreeMap<PlaceId, BTreeMap<i128, usize>> = BTreeMap::new();
        let mut endless = Vec::new();
        for test in std::mem::take(&mut loaded.tests) {
            let mut positions = Positions::default();
            let none = HashMap::new();
            if loaded.is_late || deadline.is_over() {
                loaded.is_late = true;
                loaded.leave_out(&test, LATE);
                continue;
            }
            let run = run(&loaded.program, &test, &limits, &mut positions, &none);
            if run.end == End::Late {
                loaded.is_late = true;
                loaded.leave_out(&test, LATE);
                continue;
            }
            if let End::Outside(outside) = &run.end {
                let reason = left_out::runs_into(&loaded.program, outside);
                loaded.leave_out(&test, &reason);
                continue;
            }
            let passes = whole.passes.get(&test.name);
            let contradiction = passes.and_then(|passes| contradicts(&run.end, *passes));
            let contradiction = contradiction.or_else(|| fails_otherwise(whole, &test, &run));
            if let Some(reason) = contradiction {
                loaded.leave_out(&test, reason);
                continue;
            }
            if may_not_end(&run.end) && wanted.is_empty() {
                endless.push((test, covered(&run), run.end));
                continue;
            }
            if bound.is_none() && !matches!(run.end, End::Bound(_)) {
                let rounds = run
                    .branches
                    .iter()
                    .map(|(position, ..)| positions.rounds(*position));
                let most = rounds.max().unwrap_or(0);
                let counted = match run.end {
                    End::Passed => most.min(MOST_ROUNDS_OF_PASSING),
                    _ => most,
                };
                loaded.bound = loaded.bound.max(counted + MORE_ROUNDS);
                loaded.bound_of_all = loaded.bound_of_all.max(most + MORE_ROUNDS);
            }
            if run.end == End::Passed {
                for evaluated in &run.evaluated {
                    if let Value::Number(value) = evaluated.value {
                        let counts = usual.entry(evaluated.instance.place).or_default();
                        *counts.entry(value).or_default() += 1;
                    }
                }
            }
            loaded.add(test, covered(&run), run.end);
        }
        // A long run may be one that does not end, or just a long one: it counts as failing only if nothing else does.
        let is_needed = loaded.ends.iter().all(|end| *end == End::Passed);
        for (test, covered, end) in endless {
            match is_needed {
                true => loaded.add(test, covered, end),
                false => {
                    let reason = match end {
                        End::Steps => format!("it takes more than {steps} statements"),
                        end => loaded.reason(&end),
                    };
                    loaded.leave_out(&test, &reason);
                }
            }
        }
        for place in loaded.program.places.keys() {
            let counts = usual.remove(&place).unwrap_or_default();
            let mut values: Vec<(i128, usize)> = counts.into_iter().collect();
            values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let mut values: Vec<i128> = values.into_iter().map(|(value, _)| value).collect();
            values.truncate(MOST_USUAL);
            for simple in [0, 1] {
                if !values.contains(&simple) {
                    values.push(simple);
                }
            }
            loaded.usual.insert(place, values);
        }
        Ok(loaded)
    }

    /// How a search ends if no test fails, and the message. `work` is the verb for what the command does if one fails, within
    /// this time.
    pub fn nothing(&self, work: &str, limit: Option<Duration>) -> (Ended, String) {
        if self.is_late {
            return (Ended::Limit, super::late(limit, TOO_LATE));
        }
        let are_left_out = !self.left_out.is_empty();
        if !self.only.is_empty() && !are_left_out {
            return (Ended::Correct, left_out::nothing_of(&self.only, work));
        }
        let chosen = match (self.only.is_empty(), self.has_test_args) {
            (false, _) => " named by `--only`",
            (true, true) => " selected by the arguments after `--`",
            (true, false) => "",
        };
        left_out::nothing(
            self.tests.len(),
            are_left_out,
            self.may_have_examples,
            chosen,
            work,
        )
    }

    fn add(&mut self, test: Test, covered: FixedBitSet, end: End) {
        self.covered.push(covered);
        self.ends.push(end);
        self.tests.push(test);
    }

    fn leave_out(&mut self, test: &Test, reason: &str) {
        self.left_out.push(LeftOut {
            test: test.name.clone(),
            reason: reason.to_owned(),
        });
    }

    /// A test that does not pass.
    pub fn failing_test(&self, test: &Test, end: &End) -> Failing {
        Failing {
            name: test.name.clone(),
            reason: match (end, &test.entry) {
                (End::WrongExit(code), Entry::Main { exit, .. }) => {
                    format!("it exits with code {code} instead of {exit}")
                }
                _ => self.reason(end),
            },
            may_not_end: may_not_end(end),
        }
    }

    /// Why a test ends this way, as a sentence without its subject.
    pub fn reason(&self, end: &End) -> String {
        match end {
            End::Passed => "it passes".to_owned(),
            End::Fault(kind, span) => {
                let line = self.line(*span);
                format!("{kind}{line}")
            }
            End::WrongOutput => "it prints the wrong output".to_owned(),
            End::WrongExit(code) => format!("it exits with code {code}"),
            End::Bound(_) => format!(
                "a loop or recursion repeats more than {}",
                times(self.rounds as usize)
            ),
            End::Assumption => "an assumption does not hold".to_owned(),
            End::Outside(outside) => left_out::runs_into(&self.program, outside),
            End::Steps | End::Late => "it takes too long".to_owned(),
        }
    }

    fn line(&self, span: Span) -> String {
        let number = span.file as usize;
        let (Some(file), Some(text)) = (self.program.files.get(number), self.texts.get(number))
        else {
            return String::new();
        };
        let before = text.get(..span.start as usize).unwrap_or_default();
        format!(" at {file}:{}", before.matches('\n').count() + 1)
    }

    /// The tests that fail.
    pub fn failing(&self) -> Vec<Test> {
        let tests = self.tests.iter().zip(&self.ends);
        tests
            .filter(|(_, end)| **end != End::Passed)
            .map(|(test, _)| test.clone())
            .collect()
    }
}

/// Why a run says nothing of the program, if a run of the program as it is built ends otherwise. That may go on after a fault
/// where the language does not say what happens.
fn contradicts(end: &End, passes: bool) -> Option<&'static str> {
    match (end, passes) {
        (End::Passed, false) => Some(
            "it fails in the built program but passes in the interpreter: the program depends on something that formulas do not describe",
        ),
        (End::WrongOutput | End::WrongExit(_), true) => Some(OTHERWISE),
        (End::Fault(kind, _), true) if kind.is_explicit() => Some(OTHERWISE),
        (End::Fault(FaultKind::TooMuch, _), true) => {
            Some("it allocates more memory at once than formulas cover")
        }
        _ => None,
    }
}

/// The same if the test fails in both, but prints something else, or exits otherwise.
fn fails_otherwise(whole: &ProgramText, test: &Test, run: &Run) -> Option<&'static str> {
    let reason = whole.reasons.get(&test.name)?;
    let case = whole.cases.iter().find(|case| case.name == test.name)?;
    let is_same = match &run.end {
        End::WrongOutput => case.wrong_output(&run.output).as_ref() == Some(reason),
        End::WrongExit(code) => reason.starts_with(&format!("exits with {code} instead of ")),
        _ => true,
    };
    (!is_same).then_some(
        "it fails in another way in the built program than in the interpreter: the program depends on something that formulas do not describe",
    )
}

/// See [`contradicts`].
const OTHERWISE: &str = "it passes in the built program but fails in the interpreter: the program depends on something that formulas do not describe";

/// Whether a run was not followed to its end, so that the test may pass.
fn may_not_end(end: &End) -> bool {
    matches!(end, End::Steps | End::Bound(_))
}

/// The places that a run goes through.
fn covered(run: &Run) -> FixedBitSet {
    let places = run.evaluated.iter();
    places
        .map(|evaluated| usize::from(evaluated.instance.place))
        .collect()
}
