//! Facts about the plausible candidates of a run, as plain data. The model's features ([`super::features`]) are
//! computed from them, and runs write them to files for `cargo xtask learn`.

use serde::{Deserialize, Serialize};

use nopol_source::{BodyOrigin, Condition, Language, SiteKind};

/// The plausible candidates of one run, and what they share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Case {
    /// Whether the program is in C.
    pub is_c: bool,
    /// The failing tests that the candidates should cure.
    pub failures: Vec<Failure>,
    /// The functions that candidates change.
    pub functions: Vec<FunctionText>,
    /// The candidates, in any order.
    pub candidates: Vec<Candidate>,
}

impl Case {
    /// The program's language.
    pub fn language(&self) -> Language {
        match self.is_c {
            true => Language::C,
            false => Language::Rust,
        }
    }
}

/// How a failing test fails.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Failure {
    /// The test's name.
    pub test: String,
    /// The message of its panic.
    pub message: String,
    /// The text of the test function. Empty if it was not found.
    pub text: String,
}

/// A function of the program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FunctionText {
    /// The name of the function, with the names of what contains it in the file.
    pub name: String,
    /// The file, relative to the workspace root.
    pub file: String,
    /// Its whole text.
    pub text: String,
}

/// A plausible candidate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Candidate {
    /// Its edits; mostly there is only one.
    pub edits: Vec<EditFacts>,
    /// Its cost by the hand-set weights.
    pub cost: u32,
    /// Number of failing tests that it cures.
    pub cures: u32,
    /// Whether it is a last resort.
    pub is_trivial: bool,
}

/// Facts about one edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditFacts {
    /// The function that contains the place: index into [`Case::functions`].
    pub function: usize,
    /// Bytes of the place in the function's text; empty at an insertion point.
    pub span: std::ops::Range<usize>,
    /// Counted from 1.
    pub line: usize,
    /// The kind of the place.
    pub kind: SiteKind,
    /// The condition or the statement there.
    pub before: String,
    /// The new condition.
    pub after: Condition,
    /// The code that runs if a new condition holds. Empty for an existing condition.
    pub body: String,
    /// The origin of `body`.
    pub body_origin: BodyOrigin,
    /// Number of deliberate panics that the place decides about or precedes.
    pub checks: u32,
    /// Ochiai's coefficient, 0 to 1.
    pub suspiciousness: f64,
    /// Where the failing tests panic.
    pub panic: PanicAt,
    /// Whether a new clause prevents an expression from panicking as it does in a failing test.
    #[serde(default)]
    pub prevents: bool,
    /// Whether the edit does not explain everything that was observed, or nothing was observed.
    pub is_loose: bool,
    /// What was changed, in a few words.
    pub why: String,
    /// What the recorded contexts say about the edit; `None` if there are none.
    pub support: Option<Support>,
}

#[cfg(test)]
impl EditFacts {
    /// For tests: a changed condition of an `if` at the start of a function, with no other facts.
    pub fn of_condition(before: &str, after: &str) -> Self {
        Self {
            function: 0,
            span: 0..0,
            line: 1,
            kind: SiteKind::If,
            before: before.to_owned(),
            after: after.into(),
            body: String::new(),
            body_origin: BodyOrigin::Own,
            checks: 0,
            suspiciousness: 1.0,
            panic: PanicAt::Elsewhere,
            prevents: false,
            is_loose: false,
            why: String::new(),
            support: None,
        }
    }
}

/// Where failing tests panic, relative to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PanicAt {
    /// In another function, or nowhere in the program.
    #[default]
    Elsewhere,
    /// In the function of the place.
    Function,
    /// At the place itself.
    Here,
}

/// What the contexts recorded at a place say about a condition there. Equal contexts count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// Contexts of failing tests.
    pub failing: u32,
    /// Contexts of passing tests.
    pub passing: u32,
    /// Contexts of failing tests in which the outcome of the condition changes.
    pub changed_failing: u32,
    /// Contexts of passing tests in which the outcome of the condition changes.
    pub changed_passing: u32,
    /// Contexts in which the condition holds.
    pub holds: u32,
    /// For each new constant of the condition, the number of contexts in which the operand compared with it has its
    /// value; the least of these numbers.
    pub singled_out: Option<u32>,
    /// Whether one of these constants is a string that at most one context has.
    #[serde(default)]
    pub is_of_one_text: bool,
}
