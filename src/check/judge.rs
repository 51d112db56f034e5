//! Judges candidates. One build contains all of them behind a run-time switch, so judging a candidate means
//! running the tests with another environment variable.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;

use crate::localize::bounds::Bounds;
use crate::localize::spectrum::Spectrum;
use crate::run::Plan;
use crate::run::suite::{Suite, TestIndex};
use crate::source::SiteIndex;

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

/// Judges a candidate. If it cures its targets and breaks no test that it could break, the failing tests in
/// `others` run, too, because it may cure them.
///
/// # Errors
/// If the run is stopped.
pub fn judge(
    suite: &Suite,
    switch: &Switch,
    others: &[TestIndex],
    refutations: &Refutations,
    spectrum: &Spectrum,
    bounds: Bounds,
) -> Result<Judgement> {
    let passes = |test: TestIndex| {
        let plan = Plan {
            select: switch.select.clone(),
            fuel: Some(bounds.fuel_for(test, spectrum)),
            timeout: bounds.timeout,
            ..Plan::default()
        };
        Ok::<bool, anyhow::Error>(suite.run(test, &plan)?.verdict.passed())
    };
    let mut tests: Vec<TestIndex> = switch
        .targets
        .iter()
        .chain(&switch.affected)
        .copied()
        .collect();
    tests.sort_by_key(|test| Reverse(refutations.get(test).copied().unwrap_or(0)));
    for test in tests {
        if !passes(test)? {
            return Ok(Judgement::RefutedBy(test));
        }
    }
    let mut cured = switch.targets.clone();
    for test in others {
        if passes(*test)? {
            cured.push(*test);
        }
    }
    cured.sort_unstable();
    Ok(Judgement::Plausible(cured))
}
