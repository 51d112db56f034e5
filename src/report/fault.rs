//! Results of `faults` for the machine-readable formats: sets of places where different values make the failing tests
//! pass. Such a set has values but no replacement text, so it is not a patch: it cannot be applied, built or reviewed.

use nopol_basics::hash::fnv1a;
use serde::{Deserialize, Serialize};

use super::markup::code;
use super::phrases::some;

/// A minimal set of places where different values make the failing tests pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FaultReport {
    /// Counted from 1.
    pub rank: usize,
    /// The places in source order; at least one.
    pub places: Vec<FaultPlace>,
    /// The tests that pass with these values.
    pub tests: Vec<String>,
    /// The least Ochiai coefficient of its places, 0 to 1.
    pub suspiciousness: f64,
}

/// A place, and the values that it would have to compute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FaultPlace {
    /// The path relative to the subject's root.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The statement or the expression.
    pub text: String,
    /// The values in words, in the order of a run: `true, then false`. If tests need different values, one text per
    /// test.
    pub values: Vec<String>,
}

impl FaultReport {
    /// The name of the rule for such results, in formats that have rules.
    pub const RULE: &'static str = "fault";

    /// What was not done, as a sentence without its full stop: like that of [`super::Assurance::Interpreted`].
    pub const CAVEAT: &'static str =
        "judged from the source alone; the program was neither built nor run with these values";

    /// An id that is stable between runs as long as the places do not move.
    pub fn id(&self) -> String {
        let places = self.places.iter();
        let places: String = places
            .map(|place| format!("{};", place.position()))
            .collect();
        format!("{}-{:016x}", Self::RULE, fnv1a(&places))
    }

    /// The whole result, in sentences.
    pub fn message(&self) -> String {
        let places: Vec<String> = self.places.iter().map(FaultPlace::sentence).collect();
        format!(
            "Different values would make {} pass: {}. Unchecked: {}.",
            some(&self.tests),
            places.join(", and "),
            Self::CAVEAT
        )
    }
}

impl FaultPlace {
    /// Most texts for values in a sentence.
    const MOST: usize = 4;

    /// `FILE:LINE:COLUMN`.
    pub fn position(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    /// The values in words: `3, then 4`, or ``3 in `one`; 4 in `other`; …``.
    pub fn wanted(&self) -> String {
        let more = if self.values.len() > Self::MOST {
            "; …"
        } else {
            ""
        };
        let values = &self.values[..self.values.len().min(Self::MOST)];
        format!("{}{more}", values.join("; "))
    }

    fn sentence(&self) -> String {
        format!(
            "{} at line {} of {} would have to be {}",
            code(&self.text),
            self.line,
            self.file,
            self.wanted()
        )
    }
}
