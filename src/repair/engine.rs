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

/// A way to look for fixes.
pub trait Engine {
    /// The failing tests among `targets` that it works on, given the plausible fixes `known` so far. None
    /// if there is nothing for it to do.
    fn wants(
        &self,
        session: &Session,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex>;

    /// Looks for fixes that cure these tests. The fixes are candidates: they are ranked and judged
    /// afterwards. What else it learns, it adds to the knowledge.
    ///
    /// # Errors
    /// If the run is stopped, or the subject does not build with what was put in.
    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Result<Vec<Fix>>;

    /// How many of its fixes are judged at most, in one build.
    fn most_judged(&self) -> usize {
        400
    }
}

/// The engines in the order in which they run: the first ones find what a maintainer is most likely to
/// write, the last ones cost most.
pub const ENGINES: &[&dyn Engine] = &[&Existing, &Arithmetic, &Insertions, &Unconfirmed, &Pairs];

/// The number of engines, from the first, that look only at what exists.
pub const QUICK: usize = 2;
