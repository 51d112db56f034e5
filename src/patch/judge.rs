//! Judging candidates: all of them stand in one build behind a run-time switch, so a verdict is
//! a run of the tests with another environment variable.

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

/// The failing tests that the candidate cures, its targets and whichever of some others; `None` if it
/// does not cure its targets, or breaks a test it could break.
///
/// # Errors
/// If the run is stopped.
pub fn cured(
    suite: &Suite,
    switch: &Switch,
    others: &[TestIndex],
    spectrum: &Spectrum,
    bounds: Bounds,
) -> Result<Option<Vec<TestIndex>>> {
    let plan = |test: TestIndex| Plan {
        select: switch.select.clone(),
        fuel: Some(bounds.fuel_for(test, spectrum)),
        confined: true,
        timeout: bounds.timeout,
        ..Plan::default()
    };
    for test in switch.targets.iter().chain(&switch.affected) {
        if !suite.run(*test, &plan(*test))?.verdict.passed() {
            return Ok(None);
        }
    }
    let mut cured = switch.targets.clone();
    for test in others {
        if suite.run(*test, &plan(*test))?.verdict.passed() {
            cured.push(*test);
        }
    }
    cured.sort_unstable();
    Ok(Some(cured))
}
