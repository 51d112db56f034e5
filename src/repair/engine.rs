//! The seam for engines: each looks for fixes in its own way. Ranking, judging, validation, grouping
//! and reporting are the same for all.

use anyhow::Result;

use super::angelic::existing::Existing;
use super::angelic::insertions::Insertions;
use super::angelic::pairs::Pairs;
use super::angelic::unconfirmed::Unconfirmed;
use super::fix::Fix;
use super::knowledge::Knowledge;
use super::session::Session;
use crate::run::suite::TestIndex;

/// A way to look for fixes.
pub trait Engine {
    /// Which of the failing tests it looks at, after the engines before it found the fixes `known`, which
    /// hold. None if it has nothing to do.
    fn wants(
        &self,
        session: &Session,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex>;

    /// Looks for fixes of these tests: the tests have not judged them, and their order says nothing. What
    /// it learns beside, it adds to the knowledge.
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
}

/// The engines in the order in which they are asked: the first ones find what a maintainer is most
/// likely to write, the last ones cost most.
pub fn engines() -> [&'static dyn Engine; 4] {
    [&Existing, &Insertions, &Unconfirmed, &Pairs]
}
