//! A patch to be, whichever engine found it: what is judged, validated, ranked and reported.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use crate::report::ClauseReport;
use crate::run::id::TestId;
use crate::run::suite::TestIndex;
use crate::source::{SiteIndex, Sources};

/// A patch to be: edits that are made together.
#[derive(Clone, Debug)]
pub struct Fix {
    /// At least one, each at another site.
    pub edits: Vec<SiteEdit>,
    /// Failing tests that it is to cure.
    pub targets: Vec<TestIndex>,
    /// How unlikely a maintainer is to write it; comparable between sites and engines.
    pub cost: u32,
}

/// A new condition at one site.
#[derive(Clone, Debug)]
pub struct SiteEdit {
    pub site: SiteIndex,
    /// The function that has the site: index into [`Sources::functions`].
    pub function: usize,
    /// Ochiai's coefficient of the site, 0 to 1.
    pub suspiciousness: f64,
    /// The condition as the patch has it.
    pub condition: String,
    /// The expression as the build with all candidates has it: when to take the branch or early exit,
    /// with typed literals.
    pub switched: String,
    pub cost: u32,
    /// What was changed, in a few words.
    pub why: String,
    /// It explains less than what was observed, so that the tests decide more than usual.
    pub is_loose: bool,
    /// A constant condition, or a statement that is left out: a last resort.
    pub is_trivial: bool,
    /// What its engine knows of it.
    pub evidence: Arc<dyn Evidence>,
}

/// What only the engine knows that found an edit. Each method has an answer for engines that know
/// nothing of the kind; then more tests are run, and less is told.
pub trait Evidence: Any + Debug + Send + Sync {
    /// Observations of passing tests with which the edit disagrees.
    fn disagreements(&self) -> u32 {
        0
    }

    /// Passing tests that surely go on as they did, although they reach the site.
    fn unaffected(&self, _: &Sources, _: SiteIndex) -> BTreeSet<TestIndex> {
        BTreeSet::new()
    }

    /// Whether the edit is proved to be the same as another one at the same site.
    fn equals(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// Whether the edit is another one at the same site with a clause more that no observation asks for.
    fn pads(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// What decided each clause of the condition, left to right.
    fn clauses(&self, _: &[TestId]) -> Vec<ClauseReport> {
        Vec::new()
    }

    /// What tells the edit from another one at the same site; `None` if that cannot be said.
    fn difference(&self, _: &dyn Evidence) -> Option<Difference> {
        None
    }
}

/// What tells two edits apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Whether they differ in a context that was recorded.
    pub is_seen: bool,
    /// The smallest context in which they differ, names and values; empty if none was found.
    pub context: Vec<(String, String)>,
    /// What the two conditions yield there; `None` where one panics.
    pub yields: Option<[Option<bool>; 2]>,
}

impl Fix {
    /// Whether some edit is a last resort.
    pub fn is_trivial(&self) -> bool {
        self.edits.iter().any(|edit| edit.is_trivial)
    }

    /// Whether some edit explains less than what was observed.
    pub fn is_loose(&self) -> bool {
        self.edits.iter().any(|edit| edit.is_loose)
    }

    /// The sites that it changes.
    pub fn sites(&self) -> Vec<SiteIndex> {
        self.edits.iter().map(|edit| edit.site).collect()
    }

    /// The same fix, for these tests.
    pub fn curing(&self, targets: &[TestIndex]) -> Self {
        Self {
            targets: targets.to_vec(),
            ..self.clone()
        }
    }

    /// Whether it makes the same text of the same sites.
    pub fn is_text_of(&self, other: &Self) -> bool {
        let mut pairs = self.edits.iter().zip(&other.edits);
        self.edits.len() == other.edits.len()
            && pairs.all(|(a, b)| a.site == b.site && a.condition == b.condition)
    }

    /// Whether it changes one site only, this one.
    pub fn is_only_at(&self, site: SiteIndex) -> bool {
        self.sites() == [site]
    }
}

/// The sites that some fix changes alone.
pub fn single_sites(fixes: &[Fix]) -> BTreeSet<SiteIndex> {
    let single = fixes.iter().filter(|fix| fix.edits.len() == 1);
    single.flat_map(Fix::sites).collect()
}

/// The failing tests that none of these fixes cures, last resorts aside.
pub fn uncured(targets: &[TestIndex], fixes: &[Fix]) -> Vec<TestIndex> {
    let real = fixes.iter().filter(|fix| !fix.is_trivial());
    let cured = |test: &TestIndex| real.clone().any(|fix| fix.targets.contains(test));
    let targets = targets.iter().copied();
    targets.filter(|test| !cured(test)).collect()
}
