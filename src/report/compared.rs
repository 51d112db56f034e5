//! Compares patches by the tests: whether a test distinguishes them.

use nopol_basics::agree;

use super::phrases::names;
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
                "{} {} still {} with this patch",
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
        let other = match self.open_difference(patch) {
            Some(differs) => differs.ranks[1],
            None => {
                let mut ranks = self.patches.iter().map(|it| it.rank);
                ranks.find(|it| self.is_better(*it, patch))?
            }
        };
        let question = self.deciding_question(patch);
        let question = question.map(|question| format!(". {question}"));
        Some(format!(
            "no test distinguishes this patch from patch {other}{}",
            question.unwrap_or_default()
        ))
    }

    /// The question that decides between the patch and a better one that no test distinguishes from it.
    pub fn deciding_question(&self, patch: &PatchReport) -> Option<String> {
        let differs = self.open_difference(patch)?;
        // For recorded values, the tests accept both outcomes, so the question would not decide anything.
        differs.question().filter(|_| !differs.is_seen)
    }

    /// How a patch differs from a better one, if no test distinguishes them.
    fn open_difference<'p>(&self, patch: &'p PatchReport) -> Option<&'p DifferenceReport> {
        let differs = patch.differs.as_ref();
        differs.filter(|it| self.is_better(it.ranks[1], patch))
    }

    /// Whether the patch of a rank is better than another, and no test distinguishes them.
    fn is_better(&self, rank: usize, than: &PatchReport) -> bool {
        let mut better = self.patches.iter().filter(|it| it.rank < than.rank);
        better.any(|it| it.rank == rank && it.passes_the_same_as(than))
    }

    /// How far the tests distinguish the family of a patch, as a clause. The members were judged only by the tests that
    /// the patch fixes and by those that passed before.
    pub fn family_is_alike(&self, patch: &PatchReport) -> String {
        self.are_alike(patch, patch.alike, agree(patch.alike, "it", "them"))
    }

    /// The same for one alternative of the family.
    pub fn alternative_is_alike(&self, patch: &PatchReport) -> String {
        self.are_alike(patch, 1, "this alternative")
    }

    /// How far the tests distinguish a number of alternatives from a patch. `them` names the alternatives.
    fn are_alike(&self, patch: &PatchReport, number: usize, them: &str) -> String {
        let apart = match self.fixes_all(patch) {
            true => {
                let them = agree(number, "it", "them");
                format!("no test distinguishes {them} from this patch")
            }
            false => {
                format!("every test that passes with this patch also passes with {them}")
            }
        };
        let examples = match self.has_doctests {
            true => format!(
                ", but no doctest was run with {}",
                agree(number, "the alternative", "the alternatives")
            ),
            false => String::new(),
        };
        format!("{apart}{examples}")
    }

    /// Whether a patch fixes every failing test.
    pub fn fixes_all(&self, patch: &PatchReport) -> bool {
        let mut failing = self.failing_tests.iter();
        failing.all(|test| patch.fixes.contains(test))
    }
}
