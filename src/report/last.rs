//! The file format of the last outcome, so that later questions about it need no second search. The format is
//! private to the tool; it contains a whole [`Outcome`] and its dependencies.

mod kept;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::kept::Kept;
use super::Outcome;

/// Incremented with every change of the format; files of other versions are not read.
const VERSION: u32 = 1;

/// The dependencies of an outcome: their hashes, by name.
pub type Dependencies = BTreeMap<String, String>;

/// A kept outcome.
#[derive(Clone, Debug)]
pub struct Last {
    /// When the run ended, in seconds since 1970.
    pub ended: u64,
    /// What the outcome depends on.
    pub dependencies: Dependencies,
    /// The outcome.
    pub outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    ended: u64,
    dependencies: Dependencies,
    outcome: Kept,
}

/// The outcome as the text of a file; `None` if it is not kept, because the run was stopped or there was nothing to
/// search for.
pub fn render(outcome: &Outcome, dependencies: &Dependencies, ended: u64) -> Option<String> {
    let file = File {
        version: VERSION,
        ended,
        dependencies: dependencies.clone(),
        outcome: kept::keep(outcome)?,
    };
    serde_json::to_string(&file).ok()
}

/// Parses the result of [`render`]; `None` for any other text.
pub fn parse(text: &str) -> Option<Last> {
    let file: File = serde_json::from_str(text).ok()?;
    if file.version != VERSION {
        return None;
    }
    Some(Last {
        ended: file.ended,
        dependencies: file.dependencies,
        outcome: kept::restore(file.outcome)?,
    })
}

#[cfg(test)]
mod tests;
