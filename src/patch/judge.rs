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

/// Whether the candidate cures its targets and breaks none of the tests it could break.
///
/// # Errors
/// If the run is stopped.
pub fn is_plausible(
    suite: &Suite,
    switch: &Switch,
    spectrum: &Spectrum,
    bounds: Bounds,
) -> Result<bool> {
    let plan = |test: TestIndex| Plan {
        select: switch.select.clone(),
        fuel: Some(bounds.fuel_for(test, spectrum)),
        confined: true,
        timeout: bounds.timeout,
        ..Plan::default()
    };
    for test in switch.targets.iter().chain(&switch.affected) {
        if !suite.run(*test, &plan(*test))?.verdict.passed() {
            return Ok(false);
        }
    }
    Ok(true)
}
