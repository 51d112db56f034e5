//! Tests whose input differs from run to run: replays their counterexamples and warns the user.

use anyhow::Result;
use nopol_basics::count;
use nopol_process::run::Runner;
use nopol_process::run::id::TestId;
use nopol_process::run::suite::{Baseline, TestIndex};
use nopol_source::Language;
use typed_index_collections::TiSlice;

use super::knowledge::Knowledge;
use super::session::Session;
use super::settings::Settings;
use super::setup::Copies;
use crate::check::replay::{Preparation, Replays};
use crate::report::Outcome;
use crate::report::markup::code;
use crate::report::progress::Progress;

/// Most test names in a warning.
const MOST_NAMES: usize = 5;

/// The counterexamples that failing tests printed, ready to run again.
///
/// # Errors
/// If a file cannot be written, or the run is stopped.
pub fn replays(
    settings: &Settings,
    progress: &Progress,
    copies: &Copies,
    runner: &Runner,
    language: Language,
    tests: &TiSlice<TestIndex, TestId>,
    baseline: &Baseline,
) -> Result<Replays> {
    let generators = language.generators();
    let mut outputs = baseline.output.values();
    if !outputs.any(|output| generators.counterexample(output).is_some()) {
        return Ok(Replays::default());
    }
    let phase = progress.start("running counterexamples", 0, runner.runs());
    let with = Preparation {
        workspace: &copies.plain,
        runner,
        language,
        timeout: settings.test_timeout,
    };
    let replays = Replays::prepare(&with, tests, baseline)?;
    let known = replays.len() + replays.impossible.len();
    let result = format!(
        "{} of {} can be replayed",
        replays.len(),
        count(known, "counterexample")
    );
    progress.finish(phase, runner.runs(), &result);
    Ok(replays)
}

/// Warns which tests have random input, and which counterexamples no patch was checked against.
pub fn tell(session: &Session, knowledge: &Knowledge, outcome: &mut Outcome) {
    let random: Vec<TestIndex> = knowledge.spectrum.random().into_iter().collect();
    let draws = |test: &TestIndex| knowledge.spectrum.drawing.contains(test);
    let (drawing, varying): (Vec<TestIndex>, Vec<TestIndex>) =
        random.iter().copied().partition(draws);
    let mut told = Vec::new();
    if !drawing.is_empty() {
        told.push(format!(
            "{} random numbers, so a patch may fail with numbers that were not drawn: {}",
            match drawing.len() {
                1 => "1 test draws".to_owned(),
                number => format!("{number} tests draw"),
            },
            names(session, &drawing),
        ));
    }
    if !varying.is_empty() {
        told.push(format!(
            "{} different values in each run (from the clock, random bytes, the order of a hash map, addresses or threads), so a patch may fail with values that did not occur: {}",
            match varying.len() {
                1 => "1 test has".to_owned(),
                number => format!("{number} tests have"),
            },
            names(session, &varying),
        ));
    }
    if !told.is_empty() {
        outcome.warnings.push(format!(
            "{}. A patch is shown only if {} with it in several more runs{}",
            told.join("; "),
            if random.len() == 1 {
                "this test passes"
            } else {
                "these tests pass"
            },
            match session.replays.len() {
                0 => "",
                1 => ", and on the counterexample that was found",
                _ => ", and on the counterexamples that were found",
            }
        ));
    }
    let impossible = &session.replays.impossible;
    if !impossible.is_empty() {
        let (s, it) = if impossible.len() == 1 {
            ("", "it")
        } else {
            ("s", "them")
        };
        outcome.warnings.push(format!(
            "the counterexample{s} of {} cannot be written as Rust in the test, so no patch was checked against {it}; try {it} yourself",
            names(session, impossible)
        ));
    }
}

/// The names of the first [`MOST_NAMES`] tests, and how many more there are.
fn names(session: &Session, tests: &[TestIndex]) -> String {
    let first = tests.iter().take(MOST_NAMES);
    let first: Vec<String> = first
        .map(|test| code(&session.tests[*test].to_string()))
        .collect();
    match tests.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}
