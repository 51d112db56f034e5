//! What recorded contexts say of a patch: what decided its clauses, and how it differs from another one.

use serde::{Deserialize, Serialize};

/// A context, and what two conditions yield there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextReport {
    /// Names and values.
    pub context: Vec<(String, String)>,
    /// What the first and the second condition yield; `None` where one panics.
    pub yields: [Option<bool>; 2],
}

impl ContextReport {
    /// `with `a` = 1, it yields true and the condition of the patch yields false`.
    pub fn sentence(&self) -> String {
        let [patch, this] = self.yields;
        let both = compared(["it", "the patch"], [this, patch]);
        format!("when {}, {both}", named(&self.context))
    }
}

/// What two conditions yield, in words; `None` where one cannot be computed.
fn compared(names: [&str; 2], yields: [Option<bool>; 2]) -> String {
    let [one, other] = names;
    match yields {
        [Some(a), Some(b)] => format!("{one} yields {a} and {other} yields {b}"),
        [Some(a), None] => format!("{one} yields {a} and {other} cannot be evaluated"),
        [None, Some(b)] => format!("{one} cannot be evaluated and {other} yields {b}"),
        [None, None] => format!("neither {one} nor {other} can be evaluated"),
    }
}

/// Names and values in words.
fn named(values: &[(String, String)]) -> String {
    let values = values
        .iter()
        .map(|(name, value)| format!("`{name}` is {value}"));
    values.collect::<Vec<String>>().join(", ")
}

/// The contexts in which a clause of a new condition decided the outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClauseReport {
    /// The clause as program text.
    pub text: String,
    /// Tests that the patch cures.
    pub failing_tests: Vec<String>,
    /// Tests that passed before and still do.
    pub passing_tests: Vec<String>,
    /// Contexts, each counted once per test.
    pub contexts: usize,
    /// The values that the clause reads in one of these contexts.
    pub example: Vec<(String, String)>,
    /// What it yields there; `None` if it decided in no context.
    pub outcome: Option<bool>,
    /// The only test that has the value with which the clause compares something.
    #[serde(default)]
    pub only_test: Option<String>,
}

/// The contexts that were recorded at the place of a patch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContextTable {
    /// What the new condition and the old one read.
    pub names: Vec<String>,
    /// Different contexts, those of failing tests first.
    pub rows: Vec<ContextRow>,
    /// How many more there are.
    pub more: usize,
}

/// A recorded context.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextRow {
    /// The values of [`ContextTable::names`].
    pub values: Vec<String>,
    /// Which of them are read by a clause that decides the outcome here.
    pub deciding: Vec<bool>,
    /// A test with this context; one that fails without the patch if there is any.
    pub test: String,
    /// How many tests have it.
    pub tests: usize,
    /// Whether one of them fails without the patch.
    pub is_failing: bool,
    /// What the old condition yields; `None` if there is none, or it panics.
    pub before: Option<bool>,
    /// What the new condition yields.
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
    /// The smallest context found in which they differ and which can occur: recorded, or a call with other arguments; empty
    /// if none was found.
    pub context: Vec<(String, String)>,
    /// What the two conditions yield there; `None` where one panics.
    pub yields: Option<[Option<bool>; 2]>,
    /// As in [`AlternativeReport::hints`].
    pub hints: Vec<String>,
}

impl DifferenceReport {
    /// The difference as a question to the reader; `None` if no context was found.
    pub fn question(&self) -> Option<String> {
        let [mine, others] = self.ranks;
        let [this, other] = self.yields?;
        let yielded = |outcome: Option<bool>| match outcome {
            Some(outcome) => outcome.to_string(),
            None => "cannot be evaluated".to_owned(),
        };
        (this != other).then(|| {
            format!(
                "they disagree when {} (patch {mine}: {}, patch {others}: {}); which do you want?",
                named(&self.context),
                yielded(this),
                yielded(other)
            )
        })
    }
}
