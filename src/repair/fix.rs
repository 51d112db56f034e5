//! Candidate patches, whichever engine found them: what is judged, validated, ranked and reported.

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

/// A candidate patch: edits that are made together.
#[derive(Clone, Debug)]
pub struct Fix {
    /// At least one; no two at the same site.
    pub edits: Vec<SiteEdit>,
    /// Failing tests that it should cure: those that reach its sites. Judging tries the others, too.
    pub targets: Vec<TestIndex>,
    /// How unlikely a maintainer is to write it; comparable across sites and engines.
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
    /// The condition as the patch has it.
    pub condition: Condition,
    /// The condition as the build with all candidates has it: when to take the branch or early exit, with
    /// typed literals.
    pub switched: String,
    pub cost: u32,
    /// What was changed, in a few words, as in "`>` changed to `>=`". Only shown.
    pub why: String,
    /// It does not explain everything that was observed, or nothing was observed: the tests must decide. Such
    /// a fix never ends the search, however cheap it is.
    pub is_loose: bool,
    /// A last resort: a constant condition, or a statement that is deleted.
    pub is_trivial: bool,
    /// What its engine knows about it.
    pub evidence: Arc<dyn Evidence>,
}

/// What only the engine that found an edit knows about it. Every method has a default for engines that cannot answer
/// it; then more tests are run, and the report says less.
pub trait Evidence: Any + Debug + Send + Sync {
    /// The number of observations in passing tests that the edit contradicts.
    fn disagreements(&self) -> u32 {
        0
    }

    /// Passing tests that reach the site and that the edit provably does not affect.
    fn unaffected(&self, _: &Sources, _: SiteIndex) -> BTreeSet<TestIndex> {
        BTreeSet::new()
    }

    /// Whether the edit compares with a value that one test alone has, so that it may fit that test and nothing else.
    fn memorises(&self) -> bool {
        false
    }

    /// What the recorded contexts say of the edit.
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

    /// Whether the edit only adds a clause that no observation asks for to another one at the same site.
    fn adds_idle_clause_to(&self, _: &dyn Evidence) -> bool {
        false
    }

    /// Whether values were found for which the condition cannot be computed, though the old one can.
    fn is_partial(&self) -> bool {
        false
    }

    /// For which values the condition cannot be computed, though the old one can, each as a clause.
    fn cautions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Which tests decided each clause of the condition, left to right.
    fn clauses(&self, _: &TiSlice<TestIndex, TestId>) -> Vec<ClauseReport> {
        Vec::new()
    }

    /// The contexts that were recorded at the site, as far as the condition reads them.
    fn table(&self, _: &TiSlice<TestIndex, TestId>) -> Option<ContextTable> {
        None
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
    /// The smallest context in which they differ, names and values; empty if none was found.
    pub context: Vec<(String, String)>,
    /// What the two conditions yield there; `None` where one panics.
    pub yields: Option<[Option<bool>; 2]>,
    /// As in [`ContextReport::failures`](crate::report::ContextReport::failures).
    pub failures: [Option<String>; 2],
    /// Values in which they differ, and which need not occur together: for a search for a test, which then runs it.
    pub hints: Vec<String>,
}

impl Fix {
    /// Whether some edit is a last resort.
    pub fn is_trivial(&self) -> bool {
        self.edits.iter().any(|edit| edit.is_trivial)
    }

    /// Whether some edit compares with a value that one test alone has.
    pub fn memorises(&self) -> bool {
        self.edits.iter().any(|edit| edit.evidence.memorises())
    }

    /// Whether some edit does not explain everything that was observed.
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

/// The failing tests that none of these fixes cures; last resorts do not count.
pub fn uncured(targets: &[TestIndex], fixes: &[Fix]) -> Vec<TestIndex> {
    let real = fixes.iter().filter(|fix| !fix.is_trivial());
    let cured = |test: &TestIndex| real.clone().any(|fix| fix.targets.contains(test));
    let targets = targets.iter().copied();
    targets.filter(|test| !cured(test)).collect()
}

/// Whether one of these fixes, last resorts aside, cures all tests that a fix cures, and more.
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

    /// An engine's evidence that knows nothing.
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
    fn a_last_resort_cures_nothing_for_good() {
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
    fn an_engine_without_contexts_has_an_answer_to_everything() {
        assert_eq!(Nothing.disagreements(), 0);
        assert!(!Nothing.equals(&Nothing) && !Nothing.adds_idle_clause_to(&Nothing));
        assert!(Nothing.clauses(TiSlice::from_ref(&[])).is_empty());
        assert!(Nothing.difference(&Nothing).is_none());
    }
}
