//! Judges candidates. One build contains all of them behind a run-time switch, so judging a candidate means
//! running the tests with another environment variable.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::{Plan, Verdict};
use nopol_source::SiteIndex;

use crate::localize::bounds::Bounds;
use crate::localize::spectrum::Spectrum;

/// A candidate to judge.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Its sites, and its candidate number at each, from 1.
    pub select: Vec<(SiteIndex, u32)>,
    /// Failing tests that it must cure.
    pub targets: Vec<TestIndex>,
    /// Passing tests that it could break.
    pub affected: Vec<TestIndex>,
}

/// The tests' verdict on a candidate.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It is plausible: it cures these failing tests and breaks none.
    Plausible(Vec<TestIndex>),
    /// This test fails with it.
    RefutedBy(TestIndex),
}

/// The number of candidates that each test has refuted. Tests that refute many run first.
pub type Refutations = BTreeMap<TestIndex, u32>;

/// By what candidates are judged.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The tests that refuted others.
    pub refutations: &'a Refutations,
    /// Which tests reach what.
    pub spectrum: &'a Spectrum,
    /// The limits of one run.
    pub bounds: Bounds,
    /// How long a failing test may take that is to be cured, if that is more.
    pub patience: Option<Duration>,
    /// Failing tests that did not end in time are added to these.
    pub slow: &'a Mutex<BTreeSet<TestIndex>>,
}

/// The runs of a test with random input, each with other random numbers.
const DRAWS: u64 = 5;

/// Judges a candidate. If it cures its targets and breaks no test that it could break, the failing tests in
/// `others` run, too, because it may cure them. A target that does not end within the usual limit may be slow once it is
/// right, so it has `patience`.
///
/// # Errors
/// If the run is stopped.
pub fn judge(
    suite: &Suite,
    switch: &Switch,
    others: &[TestIndex],
    terms: &Terms,
) -> Result<Judgement> {
    let Terms {
        refutations,
        spectrum,
        bounds,
        patience,
        slow,
    } = *terms;
    let drawing = |test: TestIndex, timeout: Duration, draw: u64| {
        let plan = Plan {
            select: switch.select.clone(),
            fuel: Some(bounds.fuel_for(test, spectrum)),
            timeout,
            draw,
            ..Plan::default()
        };
        Ok::<Verdict, anyhow::Error>(suite.run(test, &plan)?.verdict)
    };
    // A test with random input has to pass with several.
    let verdict = |test: TestIndex, timeout: Duration| {
        let draws = if spectrum.is_random(test) { DRAWS } else { 1 };
        for draw in 0..draws {
            let verdict = drawing(test, timeout, draw)?;
            if !verdict.passed() {
                return Ok(verdict);
            }
        }
        Ok::<Verdict, anyhow::Error>(Verdict::Passed)
    };
    let mut tests: Vec<TestIndex> = switch
        .targets
        .iter()
        .chain(&switch.affected)
        .copied()
        .collect();
    tests.sort_by_key(|test| Reverse(refutations.get(test).copied().unwrap_or(0)));
    for test in tests {
        let mut seen = verdict(test, bounds.timeout)?;
        let is_slow = seen == Verdict::TimedOut && switch.targets.contains(&test);
        if is_slow && let Some(patience) = patience.filter(|patience| *patience > bounds.timeout) {
            seen = verdict(test, patience)?;
        }
        if !seen.passed() {
            if seen == Verdict::TimedOut && is_slow {
                lock(slow).insert(test);
            }
            return Ok(Judgement::RefutedBy(test));
        }
    }
    let mut cured = switch.targets.clone();
    for test in others {
        match verdict(*test, bounds.timeout)? {
            Verdict::Passed => cured.push(*test),
            Verdict::TimedOut => _ = lock(slow).insert(*test),
            _ => {}
        }
    }
    cured.sort_unstable();
    Ok(Judgement::Plausible(cured))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
