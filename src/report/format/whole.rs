//! `--format outcome`: the whole outcome of a run, for `cargo nopol merge`. The format is private to the tool.

use anyhow::{Error, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    const NONE: &str = "this is not a report from `cargo nopol --format outcome`";
    let whole: Whole = serde_json::from_str(text).map_err(|error| match is_json_report(text) {
        true => anyhow!("{NONE}: it looks like a report of `--format json`"),
        false => Error::from(error).context(NONE),
    })?;
    if whole.nopol_outcome != VERSION {
        bail!("another version of cargo-nopol wrote this; use the same one for all shards");
    }
    Ok(whole.outcome)
}

/// Whether a text is a report of `--format json`, in which the outcome is a name.
fn is_json_report(text: &str) -> bool {
    let report: Option<Value> = serde_json::from_str(text).ok();
    report.is_some_and(|report| report["version"].is_u64() && report["outcome"].is_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_format_json_is_recognized() {
        let error = read(r#"{ "version": 1, "outcome": "patched" }"#).err();
        assert_eq!(
            error.unwrap().to_string(),
            "this is not a report from `cargo nopol --format outcome`: it looks like a report of `--format json`"
        );
    }
}
