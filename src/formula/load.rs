//! A subject's program and tests, ready to be reasoned about: translated, and run once by the interpreter.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use nopol_basics::deadline::Deadline;
use nopol_basics::nearest::{did_you_mean, nearest_path};
use nopol_basics::stack::until;
use nopol_basics::times;
use nopol_process::run::command::{Case, Command, Comparison, Input};
use nopol_program::front;
use nopol_program::front::rust::{ReadTests, Wanted};
use nopol_program::interpret::{End, Limits, Run, Value, run};
use nopol_program::ir::{Entry, Expected, FunctionId, Outside, PlaceId, Program, Span, Test};
use nopol_program::position::Positions;
use nopol_source::Language;

use super::chosen::Chosen;
use super::left_out::{self, LeftOut};
use crate::report::Ended;
use crate::subject::ecosystem::ProgramText;
use crate::subject::{Subject, SubjectError};

/// The text of a subject, for commands that read it and build nothing.
///
/// # Errors
/// If the user chose tests in a way that only a build can follow, or a file cannot be read.
pub fn whole_of(subject: &Subject) -> Result<ProgramText, Refusal> {
    if let Some(selection) = subject.ecosystem.selection() {
        return Err(Refusal::Usage(format!(
            "this command builds no tests and does not support {selection}, on the command line or in nopol.toml: remove it, and choose \
             tests by parts of their names after `--`"
        )));
    }
    Ok(subject.ecosystem.whole(&subject.root)?)
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
        if let Some(unknown) = wanted.iter().find(|name| {
            !tests.iter().any(|test| test.name == **name)
                && !left_out.iter().any(|test| test.test == **name)
        }) {
            // Only what was wanted has been read.
            let (_, tests, left_out) = match whole.language {
                Language::C => of_c(whole, &[])?,
                Language::Rust => of_rust(whole, &[])?,
            };
            let names = tests.iter().map(|test| &*test.name);
            let names = names.chain(left_out.iter().map(|test| &*test.test));
            let near = nearest_path(unknown, names);
            let near = near.map(|name| format!("; did you mean `{name}`?"));
            return Err(Refusal::Usage(format!(
                "no test is named `{unknown}`{}",
                near.unwrap_or_default()
            )));
        }
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
            if run.end == End::Steps && wanted.is_empty() {
                endless.push((test, covered(&run)));
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
        for (test, covered) in endless {
            match is_needed {
                true => loaded.add(test, covered, End::Steps),
                false => {
                    let reason = format!("it takes more than {steps} statements");
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
            (false, _) => " that `--only` names",
            (true, true) => " that the arguments after `--` choose",
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

/// The places that a run goes through.
fn covered(run: &Run) -> FixedBitSet {
    let places = run.evaluated.iter();
    places
        .map(|evaluated| usize::from(evaluated.instance.place))
        .collect()
}

/// A program, its tests, and those that are left out.
pub type Read = (Program, Vec<Test>, Vec<LeftOut>);

/// A C program and its tests, the wanted ones only, and why others are left out.
///
/// # Errors
/// If something is outside of the subset.
pub fn of_c(whole: &ProgramText, wanted: &[String]) -> Result<Read, Refusal> {
    of_c_until(whole, wanted, Deadline::Never)
}

fn of_c_until(whole: &ProgramText, wanted: &[String], deadline: Deadline) -> Result<Read, Refusal> {
    let program = front::c::read_until(&whole.files, deadline)?;
    let Some(main) = front::c::main_of(&program) else {
        return Err(Refusal::Outside(
            "the sources have no function `main`".to_owned(),
        ));
    };
    if let Some(outside) = program.opaque(main) {
        return Err(outside.clone().into());
    }
    let (mut tests, mut left_out) = (Vec::new(), Vec::new());
    for case in &whole.cases {
        if !wanted.is_empty() && !wanted.contains(&case.name) {
            continue;
        }
        match words(case) {
            Ok(words) => tests.push(Test {
                name: case.name.clone(),
                entry: Entry::Main {
                    main,
                    arguments: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
                    input: match &case.stdin {
                        Input::Text(text) => text.as_bytes().to_vec(),
                        Input::Nothing | Input::File(_) => Vec::new(),
                    },
                    output: case.stdout.as_ref().map(|text| Expected {
                        bytes: text.as_bytes().to_vec(),
                        words: case.comparison == Comparison::Space,
                    }),
                    exit: case.exit,
                },
            }),
            Err(reason) => left_out.push(LeftOut {
                test: case.name.clone(),
                reason: reason.to_owned(),
            }),
        }
    }
    Ok((program, tests, left_out))
}

/// The function of a C program with this name, which may have its file in front: `FILE:NAME`. `None` if there is none.
///
/// # Errors
/// If several files have a function of this name.
pub fn function_named(program: &Program, name: &str) -> Result<Option<FunctionId>, Refusal> {
    let (file, bare) = match name.rsplit_once(':') {
        Some((file, bare)) => (Some(file), bare),
        None => (None, name),
    };
    let place_of = |id: FunctionId| {
        let mut places = program.places.iter();
        let place = places.find(|place| place.function == Some(id))?;
        let path = program.files.get(place.span.file as usize)?;
        Some((path.as_str(), place.line))
    };
    let functions = program.functions.iter_enumerated();
    let found: Vec<FunctionId> = functions
        .filter(|(_, function)| function.name == bare)
        .map(|(id, _)| id)
        .filter(|id| file.is_none_or(|file| place_of(*id).is_some_and(|(path, _)| path == file)))
        .collect();
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let places = found.iter().filter_map(|id| place_of(*id));
    let places: Vec<String> = places
        .map(|(path, line)| format!("{path}:{line}"))
        .collect();
    Err(Refusal::Usage(format!(
        "several functions have the name `{bare}`, with statements at {}: write FILE:{bare} to choose one",
        places.join(" and ")
    )))
}

/// The program's name and arguments.
fn words(case: &Case) -> Result<&[String], &'static str> {
    match &case.command {
        Command::Words(words)
            if words
                .first()
                .is_some_and(|program| program.contains('/') && !program.starts_with('/')) =>
        {
            Ok(words)
        }
        Command::Words(_) => Err("its command is not the program itself"),
        Command::Line(_) => Err("its command is a script or needs a shell"),
    }
}

/// The same of a Rust program, with these functions even if no test calls them: their full names.
///
/// # Errors
/// If something that the functions reach is outside of the subset, there is no such function, or the time is over.
pub fn of_rust_with(
    whole: &ProgramText,
    wanted: &[String],
    functions: &[&str],
    deadline: Deadline,
) -> Result<(Read, Vec<String>), Refusal> {
    let (whole, wanted) = (whole.clone(), wanted.to_vec());
    let functions: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
    read_until(deadline, move || {
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        of_rust_and(&whole, &wanted, &functions)
    })
}

fn of_rust_and(
    whole: &ProgramText,
    wanted: &[String],
    functions: &[&str],
) -> Result<(Read, Vec<String>), Refusal> {
    let is_wanted = wanted_of(whole, wanted)?;
    let (read, ids) =
        front::rust::read_with(&whole.files, whole.features.as_ref(), &is_wanted, functions)?;
    let mut names = Vec::new();
    for (name, id) in functions.iter().zip(ids) {
        match id {
            Some(id) => names.push(read.program.functions[id].name.clone()),
            None => {
                let known = read.program.functions.iter();
                let near = did_you_mean(name, known.map(|function| &*function.name));
                return Err(Refusal::Usage(format!(
                    "there is no function `{name}`{near}"
                )));
            }
        }
    }
    Ok((chosen(read), names))
}

fn of_rust_until(
    whole: &ProgramText,
    wanted: &[String],
    deadline: Deadline,
) -> Result<Read, Refusal> {
    let (whole, wanted) = (whole.clone(), wanted.to_vec());
    read_until(deadline, move || of_rust(&whole, &wanted))
}

/// Reads Rust until a deadline, which its parser does not ask for.
fn read_until<T: Send + 'static>(
    deadline: Deadline,
    read: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let late = || {
        Err(Refusal::Outside(
            "the time for reading the program is over".to_owned(),
        ))
    };
    until(deadline, read).unwrap_or_else(late)
}

fn of_rust(whole: &ProgramText, wanted: &[String]) -> Result<Read, Refusal> {
    let is_wanted = wanted_of(whole, wanted)?;
    let read = front::rust::read_all(&whole.files, whole.features.as_ref(), &is_wanted)?;
    let (program, tests, left_out) = chosen(read);
    if tests.is_empty() && left_out.is_empty() && !whole.test_args.is_empty() {
        return Err(Refusal::Outside(format!(
            "no test matches the arguments after `--` ({})",
            whole.test_args.join(" ")
        )));
    }
    Ok((program, tests, left_out))
}

/// Whether a test counts, by its name and whether it is to be ignored. One that the user names is never passed over
/// without a word.
fn wanted_of<'w>(
    whole: &ProgramText,
    wanted: &'w [String],
) -> Result<impl Fn(&str, bool) -> Wanted + use<'w>, Refusal> {
    let chosen = Chosen::new(&whole.test_args).map_err(Refusal::Usage)?;
    Ok(move |name: &str, is_ignored: bool| {
        let is_named = wanted.iter().any(|wanted| wanted == name);
        match chosen.why_not(name, is_ignored) {
            None if is_named || wanted.is_empty() => Wanted::Yes,
            Some(reason) if is_named => Wanted::LeftOut(reason),
            _ => Wanted::No,
        }
    })
}

fn chosen(read: ReadTests) -> Read {
    let outside = read.outside.into_iter();
    let outside = outside.map(|(test, outside)| (test, outside.to_string()));
    let passed_over = read.passed_over.into_iter();
    let passed_over = passed_over.map(|(test, reason)| (test, reason.to_owned()));
    let left_out = outside
        .chain(passed_over)
        .map(|(test, reason)| LeftOut { test, reason });
    (read.program, read.tests, left_out.collect())
}
