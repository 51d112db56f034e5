//! Compares patches by the tests: whether a test distinguishes them.

use nopol_basics::agree;

use super::phrases::{capitalized, names};
use super::{DifferenceReport, Outcome, PatchReport};

impl PatchReport {
    /// Whether both patches were built alone, and every test and doctest has the same outcome with both.
    pub fn passes_the_same_as(&self, other: &Self) -> bool {
        let is_tested = self.evidence.is_tested() && other.evidence.is_tested();
        let cures = |a: &Self, b: &Self| a.fixes.iter().all(|test| b.fixes.contains(test));
        is_tested
            && cures(self, other)
            && cures(other, self)
            && self.failing_examples == other.failing_examples
    }

    /// The doctests that still fail with the patch, as a clause.
    pub fn still_failing_examples(&self) -> Option<String> {
        let examples = &self.failing_examples;
        (!examples.is_empty()).then(|| {
            format!(
                "{} {} still {} with it",
                agree(examples.len(), "the doctest", "the doctests"),
                names(examples),
                agree(examples.len(), "fails", "fail")
            )
        })
    }
}

impl Outcome {
    /// A better patch that no test distinguishes from this one, as a clause, with a question that decides between them
    /// if one is known. `None` if there is no such patch.
    pub fn open_question(&self, patch: &PatchReport) -> Option<String> {
        let is_better = |rank: usize| {
            let mut better = self.patches.iter().filter(|it| it.rank < patch.rank);
            better.any(|it| it.rank == rank && it.passes_the_same_as(patch))
        };
        let differs = patch.differs.as_ref().filter(|it| is_better(it.ranks[1]));
        let other = match differs {
            Some(differs) => differs.ranks[1],
            None => self
                .patches
                .iter()
                .map(|it| it.rank)
                .find(|it| is_better(*it))?,
        };
        // For recorded values, the tests accept both outcomes, so the question would not decide anything.
        let question = differs
            .filter(|differs| !differs.is_seen)
            .and_then(DifferenceReport::question);
        let question = question.map(|question| format!(". {}", capitalized(&question)));
        Some(format!(
            "no test distinguishes it from patch {other}{}",
            question.unwrap_or_default()
        ))
    }

    /// How far the tests distinguish the family of a patch, as a clause. The members were judged only by the tests that
    /// the patch fixes and by those that passed before.
    pub fn family_is_alike(&self, patch: &PatchReport) -> String {
        let tests = match self.fixes_all(patch) {
            true => "no test",
            false => "no test that this patch must pass",
        };
        let them = agree(patch.alike, "it", "them");
        let examples = match self.has_doctests {
            true => format!(
                ", but no doctest was run with {}",
                agree(patch.alike, "it", "them")
            ),
            false => String::new(),
        };
        format!("{tests} distinguishes {them} from this patch{examples}")
    }

    /// Whether a patch fixes every failing test.
    pub fn fixes_all(&self, patch: &PatchReport) -> bool {
        let mut failing = self.failing_tests.iter();
        failing.all(|test| patch.fixes.contains(test))
    }
}
