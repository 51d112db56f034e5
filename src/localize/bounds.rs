//! How much forcing a test may cost.

use std::time::Duration;

use super::spectrum::Spectrum;
use crate::run::suite::TestIndex;

/// A test with more loop iterations than this gets only three times its expected fuel.
const MANY_TICKS: u64 = 2_000_000;
/// Budget of loop iterations for all runs of one test and kind of sequence; the minimum number of runs is
/// made anyway.
const AMPLE_TICKS: usize = 40_000_000;
const LEAST_RUNS: usize = 32;

/// Bounds on forced runs.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Wall-clock limit.
    pub timeout: Duration,
    /// The most loop iterations of a run, whatever the test.
    pub fuel: u64,
    /// The most runs of one failing test in which a single evaluation is flipped.
    pub flips: usize,
}

impl Bounds {
    /// How many of `most` runs of a test are affordable. A test with many loop iterations is run less often,
    /// but never less than a few times.
    pub(super) fn affordable(most: usize, test: TestIndex, spectrum: &Spectrum) -> usize {
        let ticks = usize::try_from(spectrum.expected_ticks(test).max(1)).unwrap_or(usize::MAX);
        most.min(LEAST_RUNS.max(AMPLE_TICKS / ticks))
    }

    /// The fuel for a forced run of a test: far more than the test itself and most other tests used. A test
    /// for which a cure needed more gets the maximum. A test that never ends gets a generous multiple of what
    /// other tests need, and no more, because most of its runs will use up all their fuel.
    pub fn fuel_for(&self, test: TestIndex, spectrum: &Spectrum) -> u64 {
        let ticks = spectrum.expected_ticks(test);
        let expected = ticks
            .saturating_mul(20)
            .min(MANY_TICKS.max(ticks.saturating_mul(3)));
        match spectrum.endless.contains(&test) {
            true => self.fuel.min(expected.saturating_add(100_000)),
            false if spectrum.long.contains(&test) => self.fuel.max(expected),
            false => {
                let ample = spectrum.usual_ticks().saturating_mul(100);
                self.fuel.min(ample.saturating_add(100_000)).max(expected)
            }
        }
    }
}

#[cfg(test)]
mod tests;
