//! `--format outcome`: the whole outcome of a run, for `cargo nopol merge`. The format is private to the tool.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{Render, Rendered};
use crate::report::Outcome;

/// Incremented with every change of the format. Files of other versions are refused.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Whole {
    /// The version. The field name distinguishes this format from other JSON.
    nopol_outcome: u32,
    outcome: Outcome,
}

/// The whole outcome.
pub struct WholeFormat;

impl Render for WholeFormat {
    fn name(&self) -> &'static str {
        "outcome"
    }

    fn help(&self) -> &'static str {
        "Everything about one shard of a search, for `merge`"
    }

    fn shows_places(&self) -> bool {
        true
    }

    fn shows_reasoned(&self) -> bool {
        false
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let whole = Whole {
            nopol_outcome: VERSION,
            outcome: outcome.clone(),
        };
        Ok(Rendered::from(serde_json::to_string(&whole)? + "\n"))
    }
}

/// Reads the output of [`WholeFormat`].
///
/// # Errors
/// If the text has another format, or comes from another version of the tool.
pub fn read(text: &str) -> Result<Outcome> {
    let whole: Whole = serde_json::from_str(text)
        .context("this is not a report from `cargo nopol --format outcome`")?;
    if whole.nopol_outcome != VERSION {
        bail!("another version of cargo-nopol wrote this; use the same one for all shards");
    }
    Ok(whole.outcome)
}
