//! `--format gitlab`: GitLab's code quality report, a subset of Code Climate's.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Render, Rendered};
use crate::report::phrases::message;
use crate::report::regions::lines;
use crate::report::{Outcome, PatchReport};

/// An entry for each piece that a patch changes.
pub struct CodeQuality;

impl Render for CodeQuality {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn help(&self) -> &'static str {
        "A code quality report for GitLab"
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let entries = outcome
            .patches
            .iter()
            .flat_map(|patch| entries(outcome, patch));
        let entries: Vec<Value> = entries.collect();
        Ok((serde_json::to_string_pretty(&entries)? + "\n").into())
    }
}

fn entries(outcome: &Outcome, patch: &PatchReport) -> Vec<Value> {
    let pieces = lines(&patch.edits);
    let entry = |(nth, piece): (usize, &crate::report::regions::Lines)| {
        // Every entry has a fingerprint of its own.
        let fingerprint = match nth {
            0 => patch.id.clone(),
            _ => format!("{}-{nth}", patch.id),
        };
        json!({
            "type": "issue",
            "description": message(patch),
            "check_name": format!("nopol/{}", patch.kind),
            "fingerprint": fingerprint,
            "severity": "minor",
            "location": {
                "path": outcome.in_repository(&piece.file),
                "lines": {"begin": piece.range.start(), "end": piece.range.end()},
            },
        })
    };
    pieces.iter().enumerate().map(entry).collect()
}
