//! How much forcing a test may cost.

use std::time::{Duration, Instant};

use nopol_process::run::suite::TestIndex;

use super::spectrum::Spectrum;

/// A test with more steps than this gets only three times its expected fuel.
const MANY_STEPS: u64 = 2_000_000;
/// Budget of work ([`Spectrum::expected_steps`]) for all runs of one test and kind of sequence.
const AMPLE_WORK: u64 = 100_000_000;
/// The runs that are made anyway: with constant outcomes, with one evaluation flipped (the last one of each of the
/// most suspicious sites comes first), and with other sequences.
pub(super) const LEAST_CONSTANT: usize = 24;
pub(super) const LEAST_SINGLE: usize = 32;
pub(super) const LEAST_OTHER: usize = 8;

/// Bounds on forced runs.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Wall-clock limit.
    pub timeout: Duration,
    /// The most steps of a run, whatever the test.
    pub fuel: u64,
    /// The most runs of one failing test in which a single evaluation is flipped.
    pub flips: usize,
    /// The most runs that are going on side by side.
    pub at_once: usize,
    /// How many times the usual work may be done.
    pub effort: usize,
    /// When runs end once one has cured a test, so that there is time to use what was found.
    pub until: Option<Instant>,
}

impl Bounds {
    /// Whether it is later than [`Bounds::until`].
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// How many of `most` runs of a test are affordable. A long test is run less often, but at least `least`
    /// times.
    pub(super) fn affordable(
        self,
        least: usize,
        most: usize,
        test: TestIndex,
        spectrum: &Spectrum,
    ) -> usize {
        let effort = u64::try_from(self.effort).unwrap_or(u64::MAX);
        let ample = AMPLE_WORK.saturating_mul(effort) / spectrum.expected_steps(test).max(1);
        let ample = usize::try_from(ample).unwrap_or(usize::MAX);
        most.min(ample.max(least * self.effort))
    }

    /// The fuel for a forced run of a test: far more than the test itself and most other tests used. A test
    /// for which a cure needed more gets the maximum. A test that never ends gets a generous multiple of what
    /// other tests need, and no more, because most of its runs will use up all their fuel.
    pub fn fuel_for(&self, test: TestIndex, spectrum: &Spectrum) -> u64 {
        let steps = spectrum.expected_steps(test);
        let expected = steps
            .saturating_mul(20)
            .min(MANY_STEPS.max(steps.saturating_mul(3)));
        match spectrum.endless.contains(&test) {
            true => self.fuel.min(expected.saturating_add(100_000)),
            false if spectrum.long.contains(&test) => self.fuel.max(expected),
            false => {
                let ample = spectrum.usual_steps().saturating_mul(100);
                self.fuel.min(ample.saturating_add(100_000)).max(expected)
            }
        }
    }
}

#[cfg(test)]
mod tests;
