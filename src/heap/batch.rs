//! `cargo nopol heap`: what a function must fulfil, the search, and what was found in the user's terms.

use std::time::{Duration, Instant};

use nopol_basics::nearest::did_you_mean;
use nopol_heap::RESULT;
use nopol_heap::accept::{Compile, accepted};
use nopol_heap::confine::{Confinement, search};
use nopol_heap::effect::Effects;
use nopol_heap::load::Loaded;
use nopol_heap::machine::Point;
use nopol_heap::memory::Memory;
use nopol_heap::notation;
use nopol_heap::patch::Change;
use nopol_heap::problem::{Control, Failure, Recording, Triple};
use nopol_heap::repair::{HeapOptions, HeapOutcome};
use nopol_heap::rewrite::{edits, rewritten};
use nopol_heap::state::State;
use nopol_heap::trial::{Trial, TrialRepair};
use nopol_heap::until::Until;
use nopol_heap::written::Written;
use nopol_program::ir::{Dialect, Program, Test};
use nopol_source::Language;
use serde::Serialize;

use crate::formula::left_out;
use crate::formula::load::{Refusal, function_named, of_c, of_rust_with, whole_of};
use crate::patch::edit::Edit;
use crate::report::Ended;
use crate::subject::ecosystem::ProgramText;
use crate::subject::{Project, Subject};

/// What to repair.
#[derive(Clone, Debug)]
pub struct HeapRequest {
    /// The program.
    pub project: Project,
    /// The function that is repaired. It may be left out if tests fail.
    pub function: Option<String>,
    /// Tests that fail and should pass, instead of what the function must leave behind.
    pub failing: Vec<String>,
    /// How long a search may take.
    pub time_limit: Duration,
    /// A function of the same program that does the same and is right.
    pub reference: Option<String>,
    /// The tests whose runs begin; all if none is named.
    pub tests: Vec<String>,
    /// States before and after a call, as text.
    pub states: Vec<(String, String)>,
}

/// What a repair must fulfil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// What a reference or the user says the heap must be.
    #[default]
    States,
    /// Tests that fail.
    Tests,
}

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Batch {
    /// How it ended.
    pub outcome: Ended,
    /// Why it ended so, if that needs words.
    pub message: Option<String>,
    /// What the user should know besides, a sentence each.
    pub warnings: Vec<String>,
    /// The function.
    pub function: String,
    /// What the repair must fulfil.
    pub by: By,
    /// How many calls, or tests, there are.
    pub calls: usize,
    /// The calls that went wrong, and how; or the tests that fail.
    pub failing: Vec<String>,
    /// The statements that may be faulty, the most suspicious first.
    pub suspects: Vec<Suspect>,
    /// The changes.
    #[serde(flatten)]
    pub written: Written,
    /// Other repairs, as diffs.
    pub alternatives: Vec<String>,
    /// How often the search space was widened.
    pub widenings: u32,
    /// Seconds that the search took.
    pub seconds: f64,
}

/// A statement that may be faulty.
#[derive(Clone, Debug, Serialize)]
pub struct Suspect {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// How suspicious it is: larger is more.
    pub weight: u32,
}

impl Batch {
    /// What is said of a program that is beyond what is modelled, for this reason.
    pub fn outside(reason: String) -> Self {
        Self {
            outcome: Ended::Outside,
            message: Some(reason),
            ..Self::default()
        }
    }
}

/// What a change may be, for who wonders why there is none.
const SHAPES: &str = "a change replaces an operand or a comparison, leaves a statement out, or inserts an assignment; none \
     inserts an `if` of its own, a loop, an allocation or a call";

/// Most failing calls that are described.
const MOST_DESCRIBED: usize = 5;

/// Repairs a function. What a Rust program is changed to is put to its compiler.
///
/// # Errors
/// If the program cannot be read, something is named that does not exist, or it is beyond what is modelled.
pub fn repair(request: &HeapRequest, compile: Compile<'_>) -> Result<Batch, Refusal> {
    let subject = Subject::load(&request.project)?;
    let whole = whole_of(&subject)?;
    if !request.failing.is_empty() {
        if whole.language != Language::C {
            return Err(Refusal::Outside(
                "--failing repairs C programs only; for a Rust crate give --function and --reference-function"
                    .to_owned(),
            ));
        }
        return by_tests(request, &subject, &whole);
    }
    let Some(function) = &request.function else {
        return Err(Refusal::Usage(
            "there is no function to repair: name it with --function, or failing tests with --failing"
                .to_owned(),
        ));
    };
    let mut request = request.clone();
    let (program, tests, left_out) = match whole.language {
        Language::C => of_c(&whole, &request.tests)?,
        Language::Rust => {
            let mut names = vec![&**function];
            names.extend(request.reference.as_deref());
            let (read, names) = of_rust_with(&whole, &request.tests, &names)?;
            let mut names = names.into_iter();
            request.function = names.next();
            request.reference = names.next();
            read
        }
    };
    let request = &request;
    let warnings = left_out::sentences(&left_out);
    let function = request.function.as_ref().unwrap_or(function);
    let mut loaded = load(program, texts(&whole), function)?;
    let triples = triples(request, &loaded, &tests).map_err(|refusal| match refusal {
        // The tests that are left out may be those that call it.
        Refusal::Usage(mut text) if !warnings.is_empty() => {
            for warning in &warnings {
                text.push_str("\nnote: ");
                text.push_str(warning);
            }
            Refusal::Usage(text)
        }
        refusal => refusal,
    })?;
    let failing = describe(&loaded, &triples);
    let started = Instant::now();
    let options = HeapOptions {
        until: Until {
            deadline: started.checked_add(request.time_limit),
            asked: None,
        },
        ..HeapOptions::default()
    };
    let again = |loaded: &Loaded, changes: &[Change]| {
        holds(loaded, changes, (request, function)).unwrap_or(false)
    };
    let (found, refusals) = match whole.language {
        Language::C => {
            let all = Confinement::Suspects;
            let found = search(&loaded.routine, &triples, all, options);
            (found, Vec::new())
        }
        Language::Rust => {
            accepted(&mut loaded, &triples, options, compile, &again).map_err(Refusal::Outside)?
        }
    };
    let mut batch = Batch {
        function: function.clone(),
        calls: triples.len(),
        failing,
        warnings,
        widenings: found.repaired.widenings,
        seconds: started.elapsed().as_secs_f64(),
        ..Batch::default()
    };
    batch.warnings.extend(refusals);
    for id in found.suspects.ranked() {
        let statement = &loaded.routine.statements[id];
        batch.suspects.push(Suspect {
            file: loaded.file(statement.whole.file),
            line: statement.line,
            text: statement.text.clone(),
            weight: found.suspects.weights[&id],
        });
    }
    batch.outcome = match &found.repaired.result {
        HeapOutcome::Correct => Ended::Correct,
        HeapOutcome::Patch(changes) => {
            batch.written = Written::new(&loaded, changes, |file| subject.path_in_diffs(file));
            Ended::Repaired
        }
        HeapOutcome::Contradiction(triples) => {
            batch.message = Some(contradiction(triples));
            Ended::Contradiction
        }
        HeapOutcome::Exhausted => {
            batch.message = Some(format!(
                "none of the changes that this command tries repairs it; `repair` and `mutate` try others: {SHAPES}"
            ));
            Ended::None
        }
        HeapOutcome::Unknown => {
            batch.message = Some(match options.until.is_over() {
                true => format!(
                    "no repair was found in {} s: --time-limit gives the search more time",
                    request.time_limit.as_secs_f64()
                ),
                false => "no repair was found: the runs are too large to search".to_owned(),
            });
            Ended::Limit
        }
    };
    Ok(batch)
}

/// A repair by tests.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The function that it changes.
    pub function: String,
    /// What it changes.
    pub edits: Vec<Edit>,
    /// The same as a unified diff.
    pub diff: String,
}

/// A program with linked structures, and its tests.
#[derive(Debug)]
pub struct HeapProgram {
    program: Program,
    texts: Vec<String>,
    tests: Vec<Test>,
}

impl HeapProgram {
    /// Reads a subject. `None` if it has no linked structures, or is beyond what is modelled.
    pub fn of(subject: &Subject) -> Option<Self> {
        let whole = subject.ecosystem.whole(&subject.root).ok()?;
        if whole.language != Language::C {
            return None;
        }
        let (program, tests, _) = of_c(&whole, &[]).ok()?;
        (!program.records.is_empty()).then(|| Self {
            texts: texts(&whole),
            program,
            tests,
        })
    }
}

/// Repairs by these failing tests, the smallest changes first, until the search `is_over`.
pub fn repairs(
    of: &HeapProgram,
    subject: &Subject,
    failing: &[String],
    is_over: &dyn Fn() -> bool,
) -> Vec<Repair> {
    let trial = Trial {
        program: &of.program,
        texts: &of.texts,
        tests: &of.tests,
        wanted: failing,
        is_over,
    };
    let found = trial.search(None).found;
    let repairs = found.iter().map(|found| {
        let written = Written::new(&found.loaded, &found.changes, |file| {
            subject.path_in_diffs(file)
        });
        let edits = written.edits.into_iter().map(|edit| Edit {
            before: written.texts[&edit.file][edit.span.clone()].to_owned(),
            file: edit.file.into(),
            line: edit.line,
            column: edit.column,
            span: edit.span,
            after: edit.text,
        });
        Repair {
            function: found.loaded.routine.name.clone(),
            edits: edits.collect(),
            diff: written.diff,
        }
    });
    repairs.collect()
}

/// Repairs by tests that fail.
fn by_tests(
    request: &HeapRequest,
    subject: &Subject,
    whole: &ProgramText,
) -> Result<Batch, Refusal> {
    let (program, tests, left_out) = of_c(whole, &[])?;
    let names = || tests.iter().map(|test| &*test.name);
    if let Some(test) = left_out
        .iter()
        .find(|test| request.failing.contains(&test.test))
    {
        return Err(Refusal::Outside(format!(
            "`{}` is left out: {}",
            test.test, test.reason
        )));
    }
    if let Some(unknown) = request
        .failing
        .iter()
        .find(|name| !names().any(|other| other == **name))
    {
        let near = did_you_mean(unknown, names());
        return Err(Refusal::Usage(format!(
            "there is no test `{unknown}`{near}"
        )));
    }
    let function = match &request.function {
        Some(name) => Some(load(program.clone(), texts(whole), name)?.function),
        None => None,
    };
    let started = Instant::now();
    let trial = Trial {
        program: &program,
        texts: &texts(whole),
        tests: &tests,
        wanted: &request.failing,
        is_over: &|| started.elapsed() >= request.time_limit,
    };
    let tried = trial.search(function);
    let mut batch = Batch {
        function: request.function.clone().unwrap_or_default(),
        by: By::Tests,
        calls: tests.len(),
        failing: tried.failing.clone(),
        warnings: left_out::sentences(&left_out),
        seconds: started.elapsed().as_secs_f64(),
        ..Batch::default()
    };
    if tried.failing.is_empty() {
        batch.outcome = Ended::Correct;
        return Ok(batch);
    }
    let Some((first, others)) = tried.found.split_first() else {
        if tried.searched.is_empty() {
            return Err(Refusal::Outside(match tried.outside.is_empty() {
                true => {
                    "no function that the failing tests call has pointers to structures".to_owned()
                }
                false => format!("no function can be searched: {}", tried.outside.join("; ")),
            }));
        }
        batch.outcome = if tried.is_over {
            Ended::Limit
        } else {
            Ended::None
        };
        let [singles, pairs] = tried.looked;
        batch.message = Some(format!(
            "{} of `{}` {}: {singles} of one statement, {pairs} of two{}",
            match tried.is_over {
                true => "the time was up before all changes",
                false => "none of the changes",
            },
            tried.searched.join("`, `"),
            match tried.is_over {
                true => format!(
                    "were tried ({} s; --time-limit gives more)",
                    request.time_limit.as_secs_f64()
                ),
                false => "that were tried makes the tests pass".to_owned(),
            },
            match tried.is_capped {
                true => ", the most likely ones; there are more of them",
                false => "",
            },
        ));
        if !tried.is_over {
            batch.warnings.push(SHAPES.to_owned());
        }
        batch.warnings.extend(tried.outside);
        return Ok(batch);
    };
    let shown = |found: &TrialRepair| {
        Written::new(&found.loaded, &found.changes, |file| {
            subject.path_in_diffs(file)
        })
    };
    let given_up = tests
        .iter()
        .filter(|test| tried.given_up.contains(&test.name));
    batch.warnings.extend(of_others(
        &tried.given_up,
        &first.passed(given_up),
        !others.is_empty(),
    ));
    batch.outcome = Ended::Repaired;
    batch.function.clone_from(&first.loaded.routine.name);
    batch.written = shown(first);
    for other in others {
        let diff = shown(other).diff;
        // Two ways may be written alike.
        if diff != batch.written.diff && !batch.alternatives.contains(&diff) {
            batch.alternatives.push(diff);
        }
    }
    Ok(batch)
}

/// What becomes of failing tests that --failing does not name, with the first repair.
fn of_others(given_up: &[String], passed: &[&str], has_more: bool) -> Option<String> {
    let names = |names: &[&str]| {
        let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        named.join(", ")
    };
    let still = given_up.iter().map(|name| &**name);
    let still: Vec<&str> = still.filter(|name| !passed.contains(name)).collect();
    let pass = |tests: &[&str]| if tests.len() == 1 { "passes" } else { "pass" };
    let fail = |tests: &[&str]| if tests.len() == 1 { "fails" } else { "fail" };
    let with = match has_more {
        true => "with the first repair",
        false => "with the repair",
    };
    let become_of = match (passed, still.as_slice()) {
        ([], []) => return None,
        (passed, []) => format!("{} now {} {with}", names(passed), pass(passed)),
        ([], still) => format!("{} still {} {with}", names(still), fail(still)),
        (passed, still) => format!(
            "{} now {} {with}, and {} still {}",
            names(passed),
            pass(passed),
            names(still),
            fail(still)
        ),
    };
    Some(format!(
        "--failing does not name all tests that fail, and repairs need not make the others pass: {become_of}"
    ))
}

/// Whether the program with these changes, read again, fulfils everything: also in calls that were not reached before.
fn holds(
    loaded: &Loaded,
    changes: &[Change],
    (request, function): (&HeapRequest, &str),
) -> Result<bool, Refusal> {
    let edits = edits(&loaded.routine, &loaded.texts, changes);
    let changed = rewritten(&loaded.texts, &edits);
    let files = loaded.program.files.iter().cloned();
    let whole = ProgramText {
        language: Language::Rust,
        files: files.zip(changed.iter().cloned()).collect(),
        cases: Vec::new(),
        test_args: request.project.test_args().to_vec(),
        may_have_examples: false,
    };
    let mut names = vec![function];
    names.extend(request.reference.as_deref());
    let ((program, tests, _), _) = of_rust_with(&whole, &request.tests, &names)?;
    let patched = Loaded::of(program, changed, function).map_err(named)?;
    let triples = triples(request, &patched, &tests)?;
    let mut all = triples.iter();
    Ok(all.all(|triple| triple.check(&patched.routine).is_ok()))
}

fn texts(whole: &ProgramText) -> Vec<String> {
    whole.files.iter().map(|(_, text)| text.clone()).collect()
}

/// The function with this name, in C also as `FILE:NAME`.
fn load(program: Program, texts: Vec<String>, name: &str) -> Result<Loaded, Refusal> {
    let one = match program.dialect {
        Dialect::C => function_named(&program, name)?,
        Dialect::Rust => None,
    };
    match one {
        Some(one) => Loaded::of_one(program, texts, one),
        None => Loaded::of(program, texts, name),
    }
    .map_err(named)
}

/// A function that does not exist is the user's mistake, and anything else beyond what is modelled.
fn named(outside: nopol_program::ir::Outside) -> Refusal {
    match outside.reason.starts_with("there is no function") {
        true => Refusal::Usage(outside.reason),
        false => Refusal::Outside(outside.to_string()),
    }
}

/// What the function must fulfil.
fn triples(request: &HeapRequest, loaded: &Loaded, tests: &[Test]) -> Result<Vec<Triple>, Refusal> {
    let mut triples = Vec::new();
    for (before, after) in &request.states {
        triples.push(Triple {
            from: Point::Start,
            before: state(loaded, before)?,
            control: Control::Free,
            to: Point::End,
            after: state(loaded, after)?,
            effects: Effects::new(),
        });
    }
    if let Some(reference) = &request.reference {
        let (program, texts) = (loaded.program.clone(), loaded.texts.clone());
        let right = load(program, texts, reference)?;
        let parameters = |loaded: &Loaded| loaded.routine.parameters.len();
        if parameters(&right) != parameters(loaded) {
            return Err(Refusal::Usage(format!(
                "`{}` and `{reference}` do not have the same parameters",
                loaded.routine.name
            )));
        }
        for test in tests {
            for before in loaded.entries_of(test) {
                triples.extend(referred(loaded, &right, &before));
            }
        }
        if triples.is_empty() {
            return Err(Refusal::Usage(format!(
                "no test calls `{}`: give its states with --pre and --post, or name tests that call it",
                loaded.routine.name
            )));
        }
    }
    if triples.is_empty() {
        return Err(Refusal::Usage(
            "the function has no specification: give --reference-function FUNCTION, or --pre and --post".to_owned(),
        ));
    }
    Ok(triples)
}

/// What the reference does from a state on, in terms of the function.
pub fn referred(loaded: &Loaded, right: &Loaded, before: &Memory) -> Option<Triple> {
    let mut state = before.state(&loaded.routine);
    let names = |loaded: &Loaded| -> Vec<String> {
        let parameters = loaded.routine.parameters.iter();
        let names = parameters.map(|id| loaded.routine.variables[*id].name.clone());
        names.collect()
    };
    for variable in &mut state.variables {
        let position = names(loaded).iter().position(|name| *name == variable.name);
        if let Some(at) = position {
            variable.name.clone_from(&names(right)[at]);
        }
    }
    let memory = Memory::from_state(&right.routine, &state);
    let recording = Recording::new(&right.routine, memory).ok()?;
    // Only what a caller sees: the locals of the two are their own.
    let mut after: State = recording.after.state(&right.routine);
    let is_seen = |name: &str| {
        let globals = right
            .routine
            .variables
            .iter()
            .filter(|variable| variable.is_global);
        name == RESULT
            || globals
                .map(|variable| &variable.name)
                .any(|other| other == name)
    };
    after.variables.retain(|variable| is_seen(&variable.name));
    Some(Triple {
        from: Point::Start,
        before: before.clone(),
        control: Control::Free,
        to: Point::End,
        after: Memory::from_state(&loaded.routine, &after),
        effects: Effects::new(),
    })
}

/// A state that the user gave: JSON, or the notation.
fn state(loaded: &Loaded, text: &str) -> Result<Memory, Refusal> {
    notation::parse(&loaded.routine, text).map_err(Refusal::Usage)
}

/// What is wrong after each call that fails.
fn describe(loaded: &Loaded, triples: &[Triple]) -> Vec<String> {
    let failing = (1..).zip(triples);
    let failing = failing.filter_map(|(number, triple)| {
        let failure = triple.check(&loaded.routine).err()?;
        let what = match failure {
            Failure::Fault(fault) => fault.to_string(),
            Failure::Control => "a loop has another number of iterations".to_owned(),
            Failure::Values(wrong) => {
                let mut machine = triple.machine(&loaded.routine);
                // The run ends, or there would be no values.
                let _ = triple.run(&mut machine);
                let named = wrong.iter().take(MOST_DESCRIBED).map(|entity| {
                    let name = machine.memory.name(&loaded.routine, *entity);
                    let (is, wanted) = (machine.memory.get(*entity), triple.after.get(*entity));
                    format!("{name} is {is} instead of {wanted}")
                });
                named.collect::<Vec<_>>().join(", ")
            }
        };
        Some(format!("call {number}: {what}"))
    });
    failing.collect()
}

fn contradiction(triples: &[usize]) -> String {
    let calls: Vec<String> = triples.iter().map(|at| (at + 1).to_string()).collect();
    match calls.as_slice() {
        [] => {
            "none of the changes that this command tries leads to the states that were given: check --pre and --post"
                .to_owned()
        }
        [call] => format!("none of the changes that this command tries leads to the expected heap of call {call}"),
        calls => format!(
            "the states contradict each other, or no change that this command tries leads to them: calls {} cannot be fulfilled together",
            calls.join(", ")
        ),
    }
}
