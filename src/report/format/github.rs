//! `--format github`: workflow commands that GitHub Actions turns into annotations.

use anyhow::Result;

use super::{Render, Rendered};
use crate::report::phrases::message;
use crate::report::regions::lines;
use crate::report::{Ending, FaultReport, Outcome, PatchReport};

/// A warning for the best patch of each cause, or a notice on why there is none.
pub struct Annotations;

impl Render for Annotations {
    fn name(&self) -> &'static str {
        "github"
    }

    fn help(&self) -> &'static str {
        "GitHub Actions annotations; added to the default format where GITHUB_ACTIONS is true"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        Ok(annotations(outcome).into())
    }
}

/// All annotations.
pub fn annotations(outcome: &Outcome) -> String {
    let best = outcome.best_patches().into_iter();
    let mut report: String = best.map(|patch| annotation(outcome, patch)).collect();
    report.extend(outcome.faults.iter().map(|fault| notices(outcome, fault)));
    if outcome.patches.is_empty() && outcome.ending == Ending::NoPatch {
        let why = outcome.why_not().unwrap_or_default();
        report += &format!(
            "::notice title=cargo nopol: {}::{}\n",
            outcome.none_found(),
            escaped(&why)
        );
    }
    report
}

/// A warning for each group of lines that a patch changes.
pub fn annotation(outcome: &Outcome, patch: &PatchReport) -> String {
    let mut text = String::new();
    for piece in lines(&patch.edits) {
        text += &format!(
            "::warning file={},line={},endLine={},title={}::{}\n",
            property(&outcome.in_repository(&piece.file)),
            piece.range.start(),
            piece.range.end(),
            property(&format!("cargo nopol: patch {}", patch.rank)),
            escaped(&format!(
                "{}\n\n{}",
                message(patch),
                outcome.diff_in_repository(patch)
            )),
        );
    }
    text
}

/// A notice at each place of a fault.
fn notices(outcome: &Outcome, fault: &FaultReport) -> String {
    let places = fault.places.iter();
    let notices = places.map(|place| {
        format!(
            "::notice file={},line={},col={},title={}::{}\n",
            property(&outcome.in_repository(&place.file)),
            place.line,
            place.column,
            property(&format!("cargo nopol: set of places {}", fault.rank)),
            escaped(&fault.message()),
        )
    });
    notices.collect()
}

/// Escapes the message of a command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_end_a_command_or_a_property_are_escaped() {
        assert_eq!(escaped("50 %: a,\nb"), "50 %25: a,%0Ab");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
