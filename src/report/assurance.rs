//! What is known about a patch: whether it was built and tested, or only something weaker.

use nopol_basics::{agree, count};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PatchReport;

/// How far a patch was checked. Only `tested` says that the program passes its tests with it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Evidence")]
pub enum Assurance {
    /// It was built alone. The tests that it fixes pass with it, and so do those that passed before.
    Tested,
    /// Tests passed with it in a build with all candidates; it was not built alone.
    #[default]
    Together,
    /// Tests passed with it in the tool's own interpreter, or a formula of the program proves it. Nothing was built.
    Interpreted,
    /// The user says that it is right, or what must hold after it: states of the heap, a condition. No test was run.
    Asserted,
    /// The user changed its condition after it was found. Nothing was run with it, and no document has it.
    #[serde(skip)]
    Edited,
}

impl Assurance {
    /// Whether the program was built with the patch alone and passed its tests.
    pub fn is_tested(self) -> bool {
        self == Self::Tested
    }

    /// What was not done, as a sentence without its full stop. `None` if everything was done.
    pub fn caveat(self) -> Option<&'static str> {
        match self {
            Self::Tested => None,
            Self::Together => Some(
                "the search was stopped before this patch was built on its own and checked against all tests",
            ),
            Self::Interpreted => Some(
                "judged from the source alone; the search did not build the program with the patch",
            ),
            Self::Asserted => {
                Some("it meets the specification; no test is run with it until you apply it")
            }
            Self::Edited => {
                Some("its condition was edited by hand; it is built and tested when you apply it")
            }
        }
    }

    /// Whether a search ranked the patch, so that its confidence is a probability.
    pub fn is_ranked(self) -> bool {
        matches!(self, Self::Tested | Self::Together)
    }
}

/// The number of patches, called plausible if any of them was checked: `2 plausible patches`, `2 patches`.
pub fn number(patches: &[PatchReport]) -> String {
    match patches.iter().any(|patch| patch.evidence.is_tested()) || patches.is_empty() {
        true => count(patches.len(), "plausible patch"),
        false => count(patches.len(), "patch"),
    }
}

/// Advice on what to do with these patches, as a sentence.
pub fn advice(patches: &[PatchReport]) -> &'static str {
    let has_tests = patches.iter().any(|patch| !patch.fixes.is_empty());
    match (has_tests, patches.len()) {
        (false, 1) => "Review it before you trust it.",
        (false, _) => "Review them before you trust them.",
        (true, 1) => {
            "Review it before you trust it: your tests may be too weak to show that it is wrong."
        }
        (true, _) => {
            "Review them before you trust them: your tests may be too weak to show that they are wrong."
        }
    }
}

/// The tests of a patch in a [`claim`].
pub const LISTED: &str = "the tests listed with it";

/// A clause that is true of all these patches: `each fixes the tests listed with it and breaks no other`.
pub fn claim(patches: &[PatchReport]) -> String {
    if patches.iter().all(|it| it.evidence == Assurance::Asserted) {
        let them = agree(patches.len(), "it", "them");
        return format!("no test was run with {them}");
    }
    let is_interpreted = |it: &PatchReport| it.evidence == Assurance::Interpreted;
    if patches.iter().all(is_interpreted) {
        let (it, built) = match patches.len() {
            1 => ("it", "it was not built"),
            _ => ("each", "none was built"),
        };
        return match patches.iter().all(|it| it.fixes.is_empty()) {
            true => format!("{built}; the tool judged {it} from the source alone"),
            false => format!(
                "{built}; in the tool's interpreter, {it} fixes {LISTED} and breaks no other that was examined"
            ),
        };
    }
    let tested = patches.iter().filter(|patch| patch.evidence.is_tested());
    let subject = match (tested.count(), patches.len()) {
        (0, 1) => return "it was not checked against all tests".to_owned(),
        (0, _) => return "none was checked against all tests".to_owned(),
        (_, 1) => "it",
        (tested, all) if tested == all => "each",
        _ => "each that is not marked as unchecked",
    };
    format!("{subject} fixes {LISTED} and breaks no other")
}
