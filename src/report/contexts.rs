//! What the recorded contexts say about a patch: what decided its clauses, and how it differs from another patch.

use serde::{Deserialize, Serialize};

/// A context, and the outcomes of two conditions in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextReport {
    /// Names and values of terms.
    pub context: Vec<(String, String)>,
    /// The outcomes of the first and the second condition; `None` if the condition panics.
    pub yields: [Option<bool>; 2],
    /// Why a condition panics, such as `overflows`; `None` if it does not.
    #[serde(default)]
    pub failures: [Option<String>; 2],
}

impl ContextReport {
    /// `When `a` is 1, it yields true and the patch yields false.`
    pub fn sentence(&self) -> String {
        let [patch, this] = self.yields;
        let [patch_fails, this_fails] = &self.failures;
        format!(
            "When {}, it {} and the patch {}.",
            named(&self.context),
            does(this, this_fails.as_ref()),
            does(patch, patch_fails.as_ref())
        )
    }
}

/// The outcome of a condition, in words.
fn does(yields: Option<bool>, failure: Option<&String>) -> String {
    match (yields, failure) {
        (Some(outcome), _) => format!("yields {outcome}"),
        (None, Some(failure)) => failure.clone(),
        (None, None) => "cannot be evaluated".to_owned(),
    }
}

/// Names and values in words.
fn named(values: &[(String, String)]) -> String {
    let values = values
        .iter()
        .map(|(name, value)| format!("`{name}` is {value}"));
    super::phrases::listed(&values.collect::<Vec<String>>())
}

/// The contexts in which a clause of a new condition decided the outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClauseReport {
    /// The clause as program text.
    pub text: String,
    /// Failing tests that the patch fixes.
    pub failing_tests: Vec<String>,
    /// Tests that passed before and still do.
    pub passing_tests: Vec<String>,
    /// Number of contexts, each counted once per test.
    pub contexts: usize,
    /// The values that the clause reads in one of these contexts.
    pub example: Vec<(String, String)>,
    /// The outcome of the clause there; `None` if it decided in no context.
    pub outcome: Option<bool>,
    /// The only test with the value that the clause compares something with.
    #[serde(default)]
    pub only_test: Option<String>,
    /// Whether failing tests that the patch does not fix do not count there, because their values are unknown.
    #[serde(default)]
    pub only_among_passing: bool,
}

impl ClauseReport {
    /// Whether it is always true, or always false.
    pub fn is_constant(&self) -> bool {
        ["true", "false", "1", "0"].contains(&&*self.text)
    }
}

/// The contexts that were recorded at the place of a patch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContextTable {
    /// The terms that the new and the old condition read.
    pub names: Vec<String>,
    /// Different contexts, those of failing tests first.
    pub rows: Vec<ContextRow>,
    /// Number of contexts that are not listed.
    pub more: usize,
}

/// A recorded context.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextRow {
    /// The values of [`ContextTable::names`].
    pub values: Vec<String>,
    /// Whether a clause that decides the outcome here reads the value, for each of `values`.
    pub deciding: Vec<bool>,
    /// A test with this context, preferably one that fails without the patch.
    pub test: String,
    /// Number of tests with this context.
    pub tests: usize,
    /// Whether one of them fails without the patch.
    pub is_failing: bool,
    /// The outcome of the old condition; `None` if there is no old condition, or it panics.
    pub before: Option<bool>,
    /// The outcome of the new condition; `None` if it panics.
    pub after: Option<bool>,
}

/// The difference between two patches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferenceReport {
    /// The other patch's id.
    pub other: String,
    /// The rank of this patch and of the other one.
    pub ranks: [usize; 2],
    /// Whether they differ in a recorded context.
    pub is_seen: bool,
    /// The smallest context found in which they differ and that can occur: a recorded one, or one with other arguments
    /// of a caller. Empty if none was found.
    pub context: Vec<(String, String)>,
    /// The outcomes of the two conditions there; `None` if a condition panics.
    pub yields: Option<[Option<bool>; 2]>,
    /// See [`ContextReport::failures`].
    #[serde(default)]
    pub failures: [Option<String>; 2],
    /// See [`AlternativeReport::hints`].
    pub hints: Vec<String>,
}

impl DifferenceReport {
    /// The difference as a question to the reader, in sentences; `None` if no context was found.
    pub fn question(&self) -> Option<String> {
        let [mine, others] = self.ranks;
        let [this, other] = self.yields?;
        let [this_fails, other_fails] = &self.failures;
        let yielded = |outcome: Option<bool>, failure: &Option<String>| match outcome {
            Some(outcome) => outcome.to_string(),
            None => does(None, failure.as_ref()),
        };
        let mut both = [
            (mine, yielded(this, this_fails)),
            (others, yielded(other, other_fails)),
        ];
        both.sort();
        let [(first, one), (second, two)] = both;
        (this != other).then(|| {
            format!(
                "Patches {first} and {second} disagree when {} ({one} / {two}). Which do you want?",
                named(&self.context)
            )
        })
    }
}
