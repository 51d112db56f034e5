//! Repairs of a function by tests that fail, instead of by what its heap must be.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;

use nopol_basics::nearest::did_you_mean;
use nopol_basics::{agree, count};
use nopol_heap::load::TRIED;
use nopol_heap::trial::{Heard, Trial, TrialRepair};
use nopol_heap::written::Written;
use nopol_program::interpret::{End, run};
use nopol_program::ir::{Program, Test};
use nopol_program::position::Positions;
use nopol_source::Language;

use super::batch::{Batch, By, HeapRequest, SHAPES, load, texts};
use crate::formula::late;
use crate::formula::left_out::{self, LeftOut};
use crate::formula::load::Refusal;
use crate::formula::read::{Read, of_c};
use crate::patch::edit::Edit;
use crate::report::Ended;
use crate::report::markup::code;
use crate::report::phrases;
use crate::report::progress::{Progress, Running};
use crate::subject::Subject;
use crate::subject::ecosystem::ProgramText;

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
        let is_other = subject
            .ecosystem
            .other_program(&subject.root, &whole)
            .is_some();
        if whole.language != Language::C || is_other {
            return None;
        }
        let (program, tests, _) = without_unread(of_c(&whole, &[]).ok()?);
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
        heard: &|_| {},
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
            mark: None,
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

/// The same without tests of which nothing is known, because they run into a function that cannot be read.
fn without_unread((program, all, mut left_out): Read) -> Read {
    let mut functions = program.functions.keys();
    if !functions.any(|id| program.opaque(id).is_some()) {
        return (program, all, left_out);
    }
    let mut tests = Vec::new();
    for test in all {
        let mut positions = Positions::default();
        let run = run(&program, &test, &TRIED, &mut positions, &HashMap::new());
        match run.end {
            End::Outside(outside) => left_out.push(LeftOut {
                test: test.name,
                reason: left_out::runs_into(&program, &outside),
            }),
            _ => tests.push(test),
        }
    }
    (program, tests, left_out)
}

/// Repairs by tests that fail.
pub(super) fn by_tests(
    request: &HeapRequest,
    subject: &Subject,
    whole: &ProgramText,
    progress: &Progress,
) -> Result<Batch, Refusal> {
    let (program, tests, left_out) = without_unread(of_c(whole, &[])?);
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
            "no test is named `{unknown}`{near}"
        )));
    }
    let function = match &request.function {
        Some(name) => Some(load(program.clone(), texts(whole), name)?.function),
        None => None,
    };
    let started = Instant::now();
    let running = RefCell::new(None);
    let heard = |heard: Heard<'_>| show(progress, &mut running.borrow_mut(), heard);
    let trial = Trial {
        program: &program,
        texts: &texts(whole),
        tests: &tests,
        wanted: &request.failing,
        is_over: &|| request.stop.is_wanted() || started.elapsed() >= request.time_limit,
        heard: &heard,
    };
    let tried = trial.search(function);
    let mut batch = Batch {
        function: request.function.clone().unwrap_or_default(),
        by: By::Tests,
        calls: tests.len(),
        failing: tried.failing.clone(),
        warnings: [
            left_out::sentences(&left_out),
            left_out::functions(&program, &left_out),
        ]
        .concat(),
        seconds: started.elapsed().as_secs_f64(),
        ..Batch::default()
    };
    if tried.failing.is_empty() && !tried.is_over {
        batch.outcome = Ended::Correct;
        batch.passing.clone_from(&request.failing);
        batch.others_failing.clone_from(&tried.given_up);
        return Ok(batch);
    }
    let Some((first, others)) = tried.found.split_first() else {
        if tried.searched.is_empty() && !tried.is_over {
            return Err(Refusal::Outside(match tried.outside.is_empty() {
                true => {
                    "no function that the failing tests call has pointers to structures".to_owned()
                }
                false => {
                    let outside = tried.outside.iter();
                    let each = outside.map(|(function, why)| format!("`{function}` ({why})"));
                    format!(
                        "no function can be searched: {}",
                        each.collect::<Vec<_>>().join("; ")
                    )
                }
            }));
        }
        let is_interrupted = tried.is_over && request.stop.is_wanted();
        batch.outcome = match tried.is_over {
            true if is_interrupted => Ended::Interrupted,
            true => Ended::Limit,
            false => Ended::None,
        };
        if tried.searched.is_empty() {
            let late = late(Some(request.time_limit), "the run of the tests");
            batch.message = Some(match is_interrupted {
                true => "the search was interrupted while it ran the tests".to_owned(),
                false => late,
            });
            return Ok(batch);
        }
        let [singles, pairs] = tried.looked;
        let searched = phrases::names(&tried.searched);
        let others = match tried.is_capped {
            true => "; there are more, less likely ones",
            false => "",
        };
        batch.message = Some(match tried.is_over {
            true if is_interrupted => format!(
                "the search of {searched} was interrupted, after {singles} changes of one statement and {pairs} of two"
            ),
            true => format!(
                "the time limit of {} s (--time-limit sets another) ended the search of {searched}, after {singles} changes of one statement and {pairs} of two",
                request.time_limit.as_secs_f64()
            ),
            false => format!(
                "none of the changes tried in {searched} ({singles} of one statement, {pairs} of two{others}) makes {} pass",
                phrases::names(&request.failing)
            ),
        });
        if !tried.is_over {
            batch.warnings.push(SHAPES.to_owned());
        }
        for (function, why) in &tried.outside {
            let warning = format!("`{function}` was not searched: {why}");
            batch.warnings.push(warning);
        }
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

/// Shows how far a search is: a phase for the changes of one statement of a function, and one for those of two.
fn show(progress: &Progress, running: &mut Option<Running>, heard: Heard<'_>) {
    match heard {
        Heard::Started { is_pairs, changes } => {
            let name = match is_pairs {
                true => "trying pairs of changes",
                false => "trying single changes",
            };
            *running = Some(progress.start(name, changes, 0));
        }
        Heard::Tried => {
            if let Some(running) = running {
                running.step();
            }
        }
        Heard::Finished {
            function,
            tried,
            found,
        } => {
            let repairs = match found {
                0 => String::new(),
                _ => format!(", {}", count(found, "patch")),
            };
            if let Some(running) = running.take() {
                progress.finish(
                    running,
                    0,
                    &format!("{tried} in {}{repairs}", code(function)),
                );
            }
        }
    }
}

/// What becomes of failing tests that --failing does not name, with the first repair.
fn of_others(given_up: &[String], passed: &[&str], has_more: bool) -> Option<String> {
    let names = |names: &[&str]| {
        let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        named.join(", ")
    };
    let still = given_up.iter().map(|name| &**name);
    let still: Vec<&str> = still.filter(|name| !passed.contains(name)).collect();
    let patch = match has_more {
        true => "the first patch",
        false => "the patch",
    };
    Some(match (passed, still.as_slice()) {
        ([], []) => return None,
        (passed, []) => format!(
            "{patch} also fixes {}, which --failing does not name",
            names(passed)
        ),
        ([], still) => format!(
            "{patch} does not fix {}, which --failing does not name",
            names(still)
        ),
        (passed, still) => format!(
            "of the tests that --failing does not name, {patch} also fixes {}, and {} still {}",
            names(passed),
            names(still),
            agree(still.len(), "fails", "fail")
        ),
    })
}
