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
    let trial = Trial {
        suite,
        switch,
        terms,
    };
    let Terms { bounds, slow, .. } = *terms;
    let mut tests: Vec<TestIndex> = switch
        .targets
        .iter()
        .chain(&switch.affected)
        .copied()
        .collect();
    trial.likeliest_to_fail_first(&mut tests);
    for test in tests {
        let mut seen = trial.verdict(test, bounds.timeout)?;
        let is_slow = seen == Verdict::TimedOut && switch.targets.contains(&test);
        let patience = terms.patience.filter(|patience| *patience > bounds.timeout);
        if is_slow && let Some(patience) = patience {
            seen = trial.verdict(test, patience)?;
        }
        if !seen.passed() {
            if seen == Verdict::TimedOut && is_slow {
                lock(slow).insert(test);
            }
            return Ok(Judgement::RefutedBy(test));
        }
    }
    let mut cured = switch.targets.clone();
    cured.extend(trial.cured(others)?);
    cured.sort_unstable();
    Ok(Judgement::Plausible(cured))
}

/// Judges a candidate that does not cure all of its targets. They may have several causes, and an outcome that was forced
/// here may have cured some of them by accident. So it is plausible if it cures one of its targets or of the failing tests
/// in `others`, and breaks no test that it could break.
///
/// # Errors
/// If the run is stopped.
pub fn judge_for_some(
    suite: &Suite,
    switch: &Switch,
    others: &[TestIndex],
    terms: &Terms,
) -> Result<Judgement> {
    let trial = Trial {
        suite,
        switch,
        terms,
    };
    let mut cured = trial.cured(&switch.targets)?;
    if let (true, Some(test)) = (cured.is_empty(), switch.targets.first()) {
        return Ok(Judgement::RefutedBy(*test));
    }
    let mut passing = switch.affected.clone();
    trial.likeliest_to_fail_first(&mut passing);
    for test in passing {
        if !trial.verdict(test, terms.bounds.timeout)?.passed() {
            return Ok(Judgement::RefutedBy(test));
        }
    }
    cured.extend(trial.cured(others)?);
    cured.sort_unstable();
    Ok(Judgement::Plausible(cured))
}

/// A candidate and by what it is judged.
struct Trial<'a> {
    suite: &'a Suite<'a>,
    switch: &'a Switch,
    terms: &'a Terms<'a>,
}

impl Trial<'_> {
    /// How a test ends with the candidate. One with random input has to pass with several.
    fn verdict(&self, test: TestIndex, timeout: Duration) -> Result<Verdict> {
        let Terms {
            spectrum, bounds, ..
        } = *self.terms;
        let draws = if spectrum.is_random(test) { DRAWS } else { 1 };
        for draw in 0..draws {
            let plan = Plan {
                select: self.switch.select.clone(),
                fuel: Some(bounds.fuel_for(test, spectrum)),
                timeout,
                draw,
                ..Plan::default()
            };
            let verdict = self.suite.run(test, &plan)?.verdict;
            if !verdict.passed() {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Passed)
    }

    /// Those of these failing tests that the candidate cures.
    fn cured(&self, failing: &[TestIndex]) -> Result<Vec<TestIndex>> {
        let mut cured = Vec::new();
        for test in failing {
            match self.verdict(*test, self.terms.bounds.timeout)? {
                Verdict::Passed => cured.push(*test),
                Verdict::TimedOut => _ = lock(self.terms.slow).insert(*test),
                _ => {}
            }
        }
        Ok(cured)
    }

    fn likeliest_to_fail_first(&self, tests: &mut [TestIndex]) {
        let refuted = |test: &TestIndex| self.terms.refutations.get(test).copied().unwrap_or(0);
        tests.sort_by_key(|test| Reverse(refuted(test)));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
