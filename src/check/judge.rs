//! Judging candidates: all of them stand in one build behind a run-time switch, so a verdict is
//! a run of the tests with another environment variable.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;

use crate::localize::angelic::Bounds;
use crate::localize::spectrum::Spectrum;
use crate::run::Plan;
use crate::run::suite::{Suite, TestIndex};
use crate::source::SiteIndex;

/// A candidate to be judged.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Its sites, and its number at each of them, from 1.
    pub select: Vec<(SiteIndex, u32)>,
    /// Failing tests it must cure.
    pub targets: Vec<TestIndex>,
    /// Passing tests it could break.
    pub affected: Vec<TestIndex>,
}

/// What the tests say of a candidate.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It cures these failing tests and breaks none.
    Holds(Vec<TestIndex>),
    /// It falls with this test.
    Falls(TestIndex),
}

/// How many candidates each test has refuted: those that refute many are asked first.
pub type Refuted = BTreeMap<TestIndex, u32>;

/// Judges a candidate. If it cures its targets and breaks no test that it could break, some `others`
/// are run, too, which it may cure.
///
/// # Errors
/// If the run is stopped.
pub fn judge(
    suite: &Suite,
    switch: &Switch,
    others: &[TestIndex],
    refuted: &Refuted,
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
    tests.sort_by_key(|test| Reverse(refuted.get(test).copied().unwrap_or(0)));
    for test in tests {
        if !passes(test)? {
            return Ok(Judgement::Falls(test));
        }
    }
    let mut cured = switch.targets.clone();
    for test in others {
        if passes(*test)? {
            cured.push(*test);
        }
    }
    cured.sort_unstable();
    Ok(Judgement::Holds(cured))
}
