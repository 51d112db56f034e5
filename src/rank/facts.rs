//! What is known of the plausible candidates of a run when they are ranked, as plain data: the model's features
//! ([`super::features`]) are made of it, and `cargo xtask learn` reads what runs have written of it.

use serde::{Deserialize, Serialize};

use nopol_source::{BodyOrigin, Condition, Language, SiteKind};

/// The plausible candidates of one run, and what they share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Case {
    /// The program is in C.
    pub is_c: bool,
    /// The failing tests that the candidates are to cure.
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

/// How a test fails.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Failure {
    /// The test's name.
    pub test: String,
    /// What the panic says.
    pub message: String,
    /// The text of the test function; empty if it was not found.
    pub text: String,
}

/// A function of the program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FunctionText {
    /// Path of names inside the file.
    pub name: String,
    /// The file, relative to the workspace root.
    pub file: String,
    /// Its whole text.
    pub text: String,
}

/// A plausible candidate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Candidate {
    /// What it changes; mostly one place.
    pub edits: Vec<EditFacts>,
    /// The cost that the weights set by hand give it.
    pub cost: u32,
    /// How many failing tests it cures.
    pub cures: u32,
    /// A last resort.
    pub is_trivial: bool,
}

/// What is known of one edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditFacts {
    /// The function that has the place: index into [`Case::functions`].
    pub function: usize,
    /// Bytes of the place in the function's text; empty at an insertion point.
    pub span: std::ops::Range<usize>,
    /// From 1.
    pub line: usize,
    /// What kind of place it is.
    pub kind: SiteKind,
    /// The condition or the statement there.
    pub before: String,
    /// The new condition.
    pub after: Condition,
    /// What is done where a new condition holds; empty at an existing one.
    pub body: String,
    /// Where that comes from.
    pub body_origin: BodyOrigin,
    /// Deliberate panics that the place decides about or precedes.
    pub checks: u32,
    /// Ochiai's coefficient, 0 to 1.
    pub suspiciousness: f64,
    /// Where the failing tests panic.
    pub panic: PanicAt,
    /// A new clause is the one that keeps an expression from panicking as it does in a failing test.
    #[serde(default)]
    pub prevents: bool,
    /// It does not explain everything that was observed, or nothing was.
    pub is_loose: bool,
    /// What was changed, in a few words.
    pub why: String,
    /// What recorded contexts say of it; `None` where there are none.
    pub support: Option<Support>,
}

#[cfg(test)]
impl EditFacts {
    /// For tests: a changed condition of an `if` at the beginning of a function, of which nothing else is known.
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

/// Where failing tests panic, seen from a place.
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

/// What the contexts recorded at a place say of a condition there. Equal contexts count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// Contexts of failing tests.
    pub failing: u32,
    /// Contexts of passing tests.
    pub passing: u32,
    /// Contexts of failing tests in which the condition yields something else than before.
    pub changed_failing: u32,
    /// The same of passing tests.
    pub changed_passing: u32,
    /// Contexts in which the condition holds.
    pub holds: u32,
    /// The contexts that decide each constant: the fewest contexts in which an operand that is compared with a
    /// constant has that value, over the constants of the condition that were not there before.
    pub singled_out: Option<u32>,
    /// Whether one of these constants is a text that at most one context has.
    #[serde(default)]
    pub is_of_one_text: bool,
}
