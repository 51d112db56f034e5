//! The file format of the last outcome, which answers later questions without a second search. The format is private to
//! the tool; it contains a whole [`Outcome`] and its dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::{EditReport, Ending, Name, Outcome, PatchReport};

/// Incremented with every change of the format. Files of other versions are ignored.
const VERSION: u32 = 9;

/// The dependencies of an outcome: hashes by name.
pub type Dependencies = BTreeMap<String, String>;

/// A kept outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Last {
    version: u32,
    /// When the run ended, in seconds since 1970-01-01 UTC.
    pub ended: u64,
    /// The dependencies of the outcome.
    pub dependencies: Dependencies,
    /// Files that the tool wrote. They are not dependencies.
    pub outputs: BTreeSet<PathBuf>,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome as the text of a file. `None` if it is not kept: there was nothing to search for, or the run was stopped
/// before it found a patch.
pub fn render(
    outcome: &Outcome,
    dependencies: &Dependencies,
    outputs: &BTreeSet<PathBuf>,
    ended: u64,
) -> Option<String> {
    is_kept(outcome)
        .then(|| render_any(outcome, dependencies, outputs, ended))
        .flatten()
}

/// As [`render`], for any outcome: of another command than the search, or without a patch.
pub fn render_any(
    outcome: &Outcome,
    dependencies: &Dependencies,
    outputs: &BTreeSet<PathBuf>,
    ended: u64,
) -> Option<String> {
    let last = Last {
        version: VERSION,
        ended,
        dependencies: dependencies.clone(),
        outputs: outputs.clone(),
        outcome: outcome.clone(),
    };
    serde_json::to_string(&last).ok()
}

/// Parses the result of [`render`]; `None` for any other text.
pub fn parse(text: &str) -> Option<Last> {
    let last: Last = serde_json::from_str(text).ok()?;
    // Applying an edit relies on its span.
    let fits = |edit: &EditReport, text: &str| text.get(edit.span.clone()).is_some();
    let is_sound_patch = |patch: &PatchReport| {
        let mut others = patch.alternatives.iter().flat_map(|other| &other.edits);
        let text = |file: &str| {
            let known = patch.edits.iter().find(|edit| edit.file == file);
            known.map_or("", |edit| &edit.original)
        };
        patch.edits.iter().all(|edit| fits(edit, &edit.original))
            && others.all(|edit| fits(edit, text(&edit.file)))
    };
    let mut patches = last.outcome.patches.iter();
    let is_sound = last.version == VERSION && patches.all(is_sound_patch);
    is_sound.then_some(last)
}

/// Whether `apply` and `explain` may refer to the outcome. The patches of a stopped search count, because the user has
/// seen them.
fn is_kept(outcome: &Outcome) -> bool {
    match outcome.ending {
        Ending::Patched | Ending::PartlyPatched | Ending::NoPatch => true,
        Ending::TimeLimit | Ending::Interrupted => !outcome.patches.is_empty(),
        Ending::NothingToRepair
        | Ending::Localized
        | Ending::Listed
        | Ending::CannotBuild
        | Ending::UnusableBaseline
        | Ending::Usage
        | Ending::Internal => false,
    }
}

/// Deserializes the name of a kind of patch.
pub(super) fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    known(
        deserializer,
        &[
            "condition",
            "expression",
            "precondition",
            "guard",
            "arithmetic",
        ],
    )
}

/// Deserializes the command of the tool.
pub(super) fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    known(deserializer, &["cargo nopol", "cargo nopol c"])
}

fn known<'de, D: Deserializer<'de>>(deserializer: D, names: &[Name]) -> Result<Name, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = names.iter().find(|known| **known == name);
    found
        .copied()
        .ok_or_else(|| D::Error::custom(format!("unknown name `{name}`")))
}

#[cfg(test)]
mod tests;
