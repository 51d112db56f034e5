//! Candidate patches, independent of the engine that found them: they are judged, validated, ranked and reported.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use nopol_process::run::id::TestId;
use nopol_process::run::suite::TestIndex;
use nopol_source::{Condition, FunctionIndex, SiteIndex, Sources};
use typed_index_collections::TiSlice;

use crate::rank::facts::Support;
use crate::report::{ClauseReport, ContextTable};

/// A candidate patch: edits to be made together.
#[derive(Clone, Debug)]
pub struct Fix {
    /// At least one; no two at the same site.
    pub edits: Vec<SiteEdit>,
    /// Failing tests that it should cure: those that a forced outcome cures at its sites, or if there are none, those
    /// that reach them. Judging also tries the other failing tests that reach its sites.
    pub targets: Vec<TestIndex>,
    /// How unlikely a maintainer is to write it. Comparable across sites and engines.
    pub cost: u32,
}

/// A new condition at one site.
#[derive(Clone, Debug)]
pub struct SiteEdit {
    pub site: SiteIndex,
    /// The function that has the site: index into [`Sources::functions`].
    pub function: FunctionIndex,
    /// Ochiai's coefficient of the site, 0 to 1.
    pub suspiciousness: f64,
    /// The condition as the patch writes it.
    pub condition: Condition,
    /// The condition for taking the branch or early exit, with typed literals, as the build with all candidates has it.
    pub switched: String,
    pub cost: u32,
    /// What was changed, in a few words, such as "`>` changed to `>=`". Only shown to users.
    pub why: String,
    /// The edit does not explain everything that was observed, or nothing was observed, so the tests must decide. Such
    /// a fix never ends the search, however cheap it is.
    pub is_loose: bool,
    /// A last resort: a constant condition, or a statement that is removed.
    pub is_trivial: bool,
    /// What its engine knows about the edit.
    pub evidence: Arc<dyn Evidence>,
}

/// What only the engine that found an edit knows about it. Each method has a default for engines without an answer;
/// then more tests run, and the report says less.
pub trait Evidence: Any + Debug + Send + Sync {
    /// The number of observations in passing tests that the edit contradicts.
    fn disagreements(&self) -> u32 {
        0
    }

    /// Passing tests that reach the site and that the edit provably does not affect.
    fn unaffected(&self, _: &Sources, _: SiteIndex) -> BTreeSet<TestIndex> {
        BTreeSet::new()
    }

    /// Whether the edit compares with a value that only one test has, so that it may fit that test and nothing else.
    fn memorises(&self) -> bool {
        false
    }

    /// What the recorded contexts say about the edit.
    fn support(&self) -> Option<Support> {
        None
    }

    /// Whether the edit is proved equivalent to another one at the same site.
    fn equals(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// Whether the edit is proved to have the outcome of another one at the same site wherever that one can be computed.
    fn covers(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// Whether the edit has the same outcome as another one at the same site in every recorded context; `None` if
    /// that is not known.
    fn agrees(&self, _: &dyn Evidence) -> Option<bool> {
        None
    }

    /// Whether the edit only adds a clause to another edit at the same site, and no observation asks for that clause.
    fn adds_idle_clause_to(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// Whether values are known for which the condition cannot be computed, though the old one can.
    fn is_partial(&self) -> bool {
        false
    }

    /// Warnings, each a clause, about values for which the condition cannot be computed, though the old one can.
    fn cautions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Which tests decided each clause of the condition, left to right.
    fn clauses(&self, _: &TiSlice<TestIndex, TestId>) -> Vec<ClauseReport> {
        Vec::new()
    }

    /// The contexts recorded at the site, with the terms that the condition reads.
    fn table(&self, _: &TiSlice<TestIndex, TestId>) -> Option<ContextTable> {
        None
    }

    /// The tests whose contexts at the site are all recorded.
    fn recorded(&self) -> BTreeSet<TestIndex> {
        BTreeSet::new()
    }

    /// How the edit differs from another one at the same site, if that is known.
    fn difference(&self, _: &dyn Evidence) -> Option<Difference> {
        None
    }
}

/// How two edits differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Whether they differ in a recorded context.
    pub is_seen: bool,
    /// The smallest context in which they differ, as names and values. Empty if none was found.
    pub context: Vec<(String, String)>,
    /// What the two conditions yield there; `None` where one panics.
    pub yields: Option<[Option<bool>; 2]>,
    /// Why a condition cannot be computed there: see
    /// [`ContextReport::failures`](crate::report::ContextReport::failures).
    pub failures: [Option<String>; 2],
    /// Values for which they may differ, which need not occur together. They guide the search for a distinguishing
    /// test.
    pub hints: Vec<String>,
}

impl Fix {
    /// Whether some edit is a last resort.
    pub fn is_trivial(&self) -> bool {
        self.edits.iter().any(|edit| edit.is_trivial)
    }

    /// Whether some edit compares with a value that only one test has.
    pub fn memorises(&self) -> bool {
        self.edits.iter().any(|edit| edit.evidence.memorises())
    }

    /// Whether some edit does not explain everything that was observed.
    pub fn is_loose(&self) -> bool {
        self.edits.iter().any(|edit| edit.is_loose)
    }

    /// The sites of its edits.
    pub fn sites(&self) -> Vec<SiteIndex> {
        self.edits.iter().map(|edit| edit.site).collect()
    }

    /// The same fix with these tests as targets.
    pub fn curing(&self, targets: &[TestIndex]) -> Self {
        Self {
            targets: targets.to_vec(),
            ..self.clone()
        }
    }

    /// Whether it has the same conditions at the same sites.
    pub fn is_text_of(&self, other: &Self) -> bool {
        let mut pairs = self.edits.iter().zip(&other.edits);
        self.edits.len() == other.edits.len()
            && pairs.all(|(a, b)| a.site == b.site && a.condition == b.condition)
    }

    /// Whether it changes this site and no other.
    pub fn is_only_at(&self, site: SiteIndex) -> bool {
        self.sites() == [site]
    }
}

/// The sites of fixes that change a single site.
pub fn single_sites(fixes: &[Fix]) -> BTreeSet<SiteIndex> {
    let single = fixes.iter().filter(|fix| fix.edits.len() == 1);
    single.flat_map(Fix::sites).collect()
}

/// The failing tests that none of these fixes cures. Last resorts do not count.
pub fn uncured(targets: &[TestIndex], fixes: &[Fix]) -> Vec<TestIndex> {
    let real = fixes.iter().filter(|fix| !fix.is_trivial());
    let cured = |test: &TestIndex| real.clone().any(|fix| fix.targets.contains(test));
    let targets = targets.iter().copied();
    targets.filter(|test| !cured(test)).collect()
}

/// Whether one of these fixes, other than last resorts, cures more tests than this one, including all that it cures.
pub fn is_exceeded<'f>(fix: &Fix, fixes: impl IntoIterator<Item = &'f Fix>) -> bool {
    let mut real = fixes.into_iter().filter(|other| !other.is_trivial());
    real.any(|other| {
        let mut targets = fix.targets.iter();
        other.targets.len() > fix.targets.len() && targets.all(|it| other.targets.contains(it))
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Evidence that knows nothing.
    #[derive(Debug)]
    struct Nothing;

    impl Evidence for Nothing {}

    pub fn tests(numbers: &[u32]) -> Vec<TestIndex> {
        numbers.iter().copied().map(TestIndex::new).collect()
    }

    /// A fix at one site, in a function of its own.
    pub fn fix(site: u32, condition: &str, cost: u32, targets: &[u32]) -> Fix {
        Fix {
            edits: vec![SiteEdit {
                site: SiteIndex::new(site),
                function: FunctionIndex::new(site),
                suspiciousness: 1.0,
                condition: condition.into(),
                switched: condition.to_owned(),
                cost,
                why: String::new(),
                is_loose: false,
                is_trivial: false,
                evidence: Arc::new(Nothing),
            }],
            targets: tests(targets),
            cost,
        }
    }

    #[test]
    fn a_last_resort_leaves_its_tests_uncured() {
        let mut constant = fix(1, "true", 1000, &[0, 1]);
        constant.edits[0].is_trivial = true;
        let both = tests(&[0, 1]);
        assert_eq!(uncured(&both, &[constant.clone()]), both);
        let fixes = [constant, fix(2, "a", 9, &[1])];
        assert_eq!(uncured(&both, &fixes), tests(&[0]));
    }

    #[test]
    fn a_fix_is_exceeded_by_one_that_cures_more_and_is_no_last_resort() {
        let one = fix(1, "a", 1, &[0]);
        let mut both = fix(2, "b", 9, &[0, 1]);
        assert!(is_exceeded(&one, [&both]) && !is_exceeded(&both, [&one]));
        assert!(!is_exceeded(&one, [&one, &fix(2, "b", 9, &[1, 2])]));
        both.edits[0].is_trivial = true;
        assert!(!is_exceeded(&one, [&both]));
    }

    #[test]
    fn a_fix_is_known_by_its_sites_and_texts() {
        let (a, b) = (fix(1, "a", 1, &[0]), fix(1, "a", 7, &[0, 1]));
        assert!(a.is_text_of(&b));
        assert!(!a.is_text_of(&fix(2, "a", 1, &[0])));
        let mut pair = a.clone();
        pair.edits.extend(fix(2, "c", 1, &[0]).edits);
        assert!(!pair.is_text_of(&a) && !a.is_text_of(&pair));
        let site = SiteIndex::new(1);
        assert_eq!(single_sites(&[pair, a]), BTreeSet::from([site]));
    }

    #[test]
    fn evidence_has_a_default_for_every_method() {
        assert_eq!(Nothing.disagreements(), 0);
        assert!(!Nothing.equals(&Nothing) && !Nothing.adds_idle_clause_to(&Nothing));
        assert!(Nothing.clauses(TiSlice::from_ref(&[])).is_empty());
        assert!(Nothing.difference(&Nothing).is_none() && Nothing.recorded().is_empty());
    }
}
