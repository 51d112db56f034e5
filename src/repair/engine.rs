//! The seam for engines. Each looks for fixes in its own way; ranking, judging, validation, grouping and
//! reporting are shared.

use anyhow::Result;
use nopol_process::run::suite::TestIndex;

use super::angelic::existing::Existing;
use super::angelic::insertions::Insertions;
use super::angelic::pairs::Pairs;
use super::angelic::unconfirmed::Unconfirmed;
use super::arithmetic::Arithmetic;
use super::fix::Fix;
use super::knowledge::Knowledge;
use super::session::Session;

/// One way to look for fixes.
pub trait Engine {
    /// The failing tests among `targets` that the engine works on, given the plausible fixes `known` so far. Empty if
    /// it has nothing to do.
    fn wants(
        &self,
        session: &Session,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex>;

    /// Looks for fixes that cure these tests. The fixes are candidates that are ranked and judged afterwards.
    /// Everything else that the engine learns goes into `knowledge`.
    ///
    /// # Errors
    /// If the run is stopped, or the subject does not build with the instrumentation.
    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Result<Vec<Fix>>;

    /// Most fixes of this engine that are judged, in one build.
    fn most_judged(&self) -> usize {
        400
    }
}

/// The engines in the order in which they run: the first ones find what a maintainer most likely writes, the last ones
/// cost most.
pub const ENGINES: &[&dyn Engine] = &[&Existing, &Arithmetic, &Insertions, &Unconfirmed, &Pairs];

/// Number of leading engines that look only at existing code.
pub const QUICK: usize = 2;
