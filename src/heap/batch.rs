//! `cargo nopol heap`: what a function must fulfil, the search, and what was found in the user's terms.

use std::time::{Duration, Instant};

use nopol_basics::all;
use nopol_basics::deadline::Deadline;
use nopol_heap::accept::{Compile, accepted};
use nopol_heap::confine::{Confinement, search};
use nopol_heap::load::{Loaded, missing};
use nopol_heap::patch::Change;
use nopol_heap::problem::Triple;
use nopol_heap::repair::{HeapOptions, HeapOutcome};
use nopol_heap::rewrite::{edits, rewritten};
use nopol_heap::state::State;
use nopol_heap::until::Until;
use nopol_heap::written::Written;
use nopol_program::ir::{Dialect, Program};
use nopol_source::Language;
use serde::Serialize;

use super::by_tests::by_tests;
use super::specification::{contradiction, describe, triples};
use crate::formula::load::{Builds, Refusal, refuse_unknown, whole_of};
use crate::formula::read::{function_named, of_c, of_rust_with};
use crate::formula::{UserStop, left_out, unread};
use crate::report::Ended;
use crate::report::progress::Progress;
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
    /// What ends it earlier.
    pub stop: UserStop,
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
    /// The tests to fix, if all of them pass.
    #[serde(skip)]
    pub passing: Vec<String>,
    /// The other tests that fail.
    #[serde(skip)]
    pub others_failing: Vec<String>,
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
    /// The result for a program that is beyond what is modelled, for this reason.
    pub fn outside(reason: String) -> Self {
        Self {
            outcome: Ended::Outside,
            message: Some(reason),
            ..Self::default()
        }
    }
}

/// Which changes are tried, for messages that no patch was found.
pub(super) const SHAPES: &str = "a change replaces an operand or a comparison, removes a statement or inserts an assignment, but never inserts an `if`, a loop, an allocation or a call";

/// Repairs a function. What a Rust program is changed to is put to its compiler. `builds` says what the build compiles.
///
/// # Errors
/// If the program cannot be read, something is named that does not exist, or it is beyond what is modelled.
pub fn repair(
    request: &HeapRequest,
    compile: Compile<'_>,
    builds: Builds<'_>,
    progress: &Progress,
) -> Result<Batch, Refusal> {
    let subject = Subject::load(&request.project)?;
    let whole = whole_of(&subject, builds)?;
    if !request.failing.is_empty() {
        if whole.language != Language::C {
            return Err(Refusal::Usage(
                "--failing repairs C programs only; for a crate give --function with a specification (--reference-function, or --pre and --post)"
                    .to_owned(),
            ));
        }
        return by_tests(request, &subject, &whole, progress);
    }
    let Some(function) = &request.function else {
        return Err(Refusal::Usage(
            "no function to repair: name one with --function, or name failing tests with --failing"
                .to_owned(),
        ));
    };
    let mut request = request.clone();
    let (program, tests, left_out) = match whole.language {
        Language::C => of_c(&whole, &request.tests)?,
        Language::Rust => {
            let mut names = vec![&**function];
            names.extend(request.reference.as_deref());
            let last = Instant::now().checked_add(request.time_limit);
            let deadline = request.stop.or_at(last);
            let (read, names) = match of_rust_with(&whole, &request.tests, &names, deadline) {
                Err(Refusal::Outside(_)) if deadline.is_over() => {
                    let (outcome, message) = unread(request.stop, Some(request.time_limit));
                    return Ok(Batch {
                        outcome,
                        message: Some(message),
                        function: function.clone(),
                        ..Batch::default()
                    });
                }
                read => read?,
            };
            let mut names = names.into_iter();
            request.function = names.next();
            request.reference = names.next();
            read
        }
    };
    refuse_unknown(&whole, &request.tests, &tests, &left_out)?;
    let request = &request;
    let warnings = [
        left_out::sentences(&left_out),
        left_out::functions(&program, &left_out),
    ]
    .concat();
    let function = request.function.as_ref().unwrap_or(function);
    let mut loaded = load(program, texts(&whole), function)?;
    let (triples, notes) = triples(request, &loaded, &tests).map_err(|refusal| match refusal {
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
            asked: request.stop.flag(),
        },
        ..HeapOptions::default()
    };
    let again = |loaded: &Loaded, changes: &[Change]| {
        let judged = objection(loaded, changes, &triples, &whole, (request, function));
        judged.unwrap_or_else(|refusal| {
            let (Refusal::Usage(why) | Refusal::Outside(why) | Refusal::Internal(why)) = refusal;
            Some(format!(
                "once written into the source, it cannot be judged: {why}"
            ))
        })
    };
    let phase = progress.start("searching linked structures", 0, 0);
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
    progress.finish(
        phase,
        0,
        match &found.repaired.result {
            HeapOutcome::Patch(_) => "found a patch",
            HeapOutcome::Correct => "found no fault",
            _ => "found no repair",
        },
    );
    let mut batch = Batch {
        function: function.clone(),
        calls: triples.len(),
        failing,
        warnings,
        widenings: found.repaired.widenings,
        seconds: started.elapsed().as_secs_f64(),
        ..Batch::default()
    };
    batch.warnings.extend(notes);
    let is_discarding = !refusals.is_empty();
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
        HeapOutcome::Exhausted if is_discarding => {
            batch.message = Some(format!(
                "no patch is left: those that were found were discarded, and the notes say why; {SHAPES}; `repair` and `mutate` try others"
            ));
            Ended::None
        }
        HeapOutcome::Exhausted => {
            batch.message = Some(format!(
                "none of the changes that this command tries repairs it: {SHAPES}; `repair` and `mutate` try others"
            ));
            Ended::None
        }
        HeapOutcome::Unknown => {
            batch.message = Some(match options.until.is_over() {
                true if request.stop.is_wanted() => {
                    "the search was interrupted before it found a patch".to_owned()
                }
                true => format!(
                    "no repair was found in {} s: --time-limit gives the search more time",
                    request.time_limit.as_secs_f64()
                ),
                false => "no repair was found: there are more changes than can be tried".to_owned(),
            });
            match request.stop.is_wanted() {
                true => Ended::Interrupted,
                false => Ended::Limit,
            }
        }
    };
    Ok(batch)
}

/// What the program with these changes, read again, does not fulfil. With them, a test may make calls that it did not reach
/// before.
fn objection(
    loaded: &Loaded,
    changes: &[Change],
    known: &[Triple],
    whole: &ProgramText,
    (request, function): (&HeapRequest, &str),
) -> Result<Option<String>, Refusal> {
    let edits = edits(&loaded.routine, &loaded.texts, changes);
    let changed = rewritten(&loaded.texts, &edits);
    let files = loaded.program.files.iter().cloned();
    let whole = ProgramText {
        files: files.zip(changed.iter().cloned()).collect(),
        ..whole.clone()
    };
    let mut names = vec![function];
    names.extend(request.reference.as_deref());
    let ((program, tests, _), _) = of_rust_with(&whole, &request.tests, &names, Deadline::Never)?;
    let patched = Loaded::of(program, changed, function)?;
    let (triples, _) = triples(request, &patched, &tests)?;
    let known: Vec<State> = known
        .iter()
        .map(|triple| triple.before.state(&loaded.routine))
        .collect();
    let failing = triples.iter();
    let failing = failing.filter(|triple| triple.check(&patched.routine).is_err());
    let is_known = |triple: &Triple| known.contains(&triple.before.state(&patched.routine));
    let failing: Vec<bool> = failing.map(is_known).collect();
    Ok(match failing.as_slice() {
        [] => None,
        some if some.contains(&true) => {
            Some("once written into the source, it does not meet the specification".to_owned())
        }
        _ => Some(format!(
            "it meets the specification in {}, but with it the tests make other calls, in which it does not",
            all(known.len(), "call")
        )),
    })
}

/// The texts of all files.
pub(super) fn texts(whole: &ProgramText) -> Vec<String> {
    whole.files.iter().map(|(_, text)| text.clone()).collect()
}

/// The function with this name, in C also as `FILE:NAME`.
pub(super) fn load(program: Program, texts: Vec<String>, name: &str) -> Result<Loaded, Refusal> {
    let one = match program.dialect {
        Dialect::C => function_named(&program, name)?,
        Dialect::Rust => None,
    };
    if let Some(message) = missing(&program, name).filter(|_| one.is_none()) {
        return Err(Refusal::Usage(message));
    }
    Ok(match one {
        Some(one) => Loaded::of_one(program, texts, one),
        None => Loaded::of(program, texts, name),
    }?)
}
