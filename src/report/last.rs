//! The last outcome as a file, so that what is asked about it later needs no second search. A format of its
//! own, for nobody but the tool: all of an [`Outcome`], and what it depends on.

mod kept;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::kept::Kept;
use super::Outcome;

/// Raised with every change of what is below: no other version is read.
const VERSION: u32 = 1;

/// What an outcome depends on: hashes, by what they are of.
pub type Dependencies = BTreeMap<String, String>;

/// An outcome that was kept.
#[derive(Clone, Debug)]
pub struct Last {
    /// When the run ended, in seconds since 1970.
    pub ended: u64,
    pub dependencies: Dependencies,
    pub outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    ended: u64,
    dependencies: Dependencies,
    outcome: Kept,
}

/// The outcome as the text of a file; `None` if it is not one to keep, for the run was stopped or there was
/// nothing to search for.
pub fn render(outcome: &Outcome, dependencies: &Dependencies, ended: u64) -> Option<String> {
    let file = File {
        version: VERSION,
        ended,
        dependencies: dependencies.clone(),
        outcome: kept::keep(outcome)?,
    };
    serde_json::to_string(&file).ok()
}

/// Reads what [`render`] wrote; `None` for anything else.
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
