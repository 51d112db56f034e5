//! What is known of conditions before any is forced.

use std::collections::{BTreeMap, BTreeSet};

use nopol_process::run::Sequence;
use nopol_process::run::suite::TestIndex;
use nopol_source::SiteIndex;

use super::sequences::one_by_one;

/// What is known of failing tests and conditions, from whatever source. Nothing, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// Outcomes that probably make a test pass; they are tried before others.
    pub cures: BTreeMap<(TestIndex, SiteIndex), Sequence>,
    /// Conditions of which no outcomes make the test pass; they are not forced.
    pub hopeless: BTreeSet<(TestIndex, SiteIndex)>,
}

/// Most evaluations in a sequence.
const MOST_OUTCOMES: usize = 64;

impl Foreseen {
    /// Adds the outcomes of some evaluations, counted from 0; with more than a few nothing is added.
    pub fn add(&mut self, test: TestIndex, site: SiteIndex, outcomes: &BTreeMap<u32, bool>) {
        if outcomes.len() <= MOST_OUTCOMES {
            self.cures.insert((test, site), one_by_one(outcomes));
        }
    }
}
