//! `--format gitlab`: GitLab's code quality report, a subset of Code Climate's.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Render, Rendered};
use crate::report::phrases::message;
use crate::report::regions::lines;
use crate::report::{FaultReport, Outcome, PatchReport};

/// An entry for each group of lines that a patch changes.
pub struct CodeQuality;

impl Render for CodeQuality {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn help(&self) -> &'static str {
        "A code quality report for GitLab"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let entries = outcome
            .likely_patches()
            .flat_map(|patch| entries(outcome, patch));
        let faults = outcome
            .faults
            .iter()
            .flat_map(|fault| of_fault(outcome, fault));
        let entries: Vec<Value> = entries.chain(faults).collect();
        Ok((serde_json::to_string_pretty(&entries)? + "\n").into())
    }
}

fn of_fault(outcome: &Outcome, fault: &FaultReport) -> Vec<Value> {
    let places = fault.places.iter().enumerate();
    let entries = places.map(|(nth, place)| {
        json!({
            "type": "issue",
            "description": fault.message(),
            "check_name": format!("nopol/{}", FaultReport::RULE),
            "fingerprint": numbered(&fault.id(), nth),
            "severity": "info",
            "location": {
                "path": outcome.in_repository(&place.file),
                "lines": {"begin": place.line, "end": place.line},
            },
        })
    });
    entries.collect()
}

/// The fingerprint of an entry, which must be unique.
fn numbered(id: &str, nth: usize) -> String {
    match nth {
        0 => id.to_owned(),
        _ => format!("{id}-{nth}"),
    }
}

fn entries(outcome: &Outcome, patch: &PatchReport) -> Vec<Value> {
    let pieces = lines(&patch.edits);
    let entry = |(nth, piece): (usize, &crate::report::regions::Lines)| {
        json!({
            "type": "issue",
            "description": message(patch),
            "check_name": format!("nopol/{}", patch.kind),
            "fingerprint": numbered(&patch.id, nth),
            "severity": "minor",
            "location": {
                "path": outcome.in_repository(&piece.file),
                "lines": {"begin": piece.range.start(), "end": piece.range.end()},
            },
        })
    };
    pieces.iter().enumerate().map(entry).collect()
}
