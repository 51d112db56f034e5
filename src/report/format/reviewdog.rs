//! `--format rdjson` and `--format rdjsonl`: reviewdog's own formats, with suggestions. Columns count bytes.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Render, Rendered};
use crate::report::phrases::message;
use crate::report::regions::{Position, region};
use crate::report::{EditReport, FaultPlace, FaultReport, Outcome, PatchReport};

/// One object.
pub struct RdJson;

/// A line per diagnostic.
pub struct RdJsonl;

impl Render for RdJson {
    fn name(&self) -> &'static str {
        "rdjson"
    }

    fn help(&self) -> &'static str {
        "One JSON object, for `reviewdog -f=rdjson`"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let all = json!({
            "source": {"name": "cargo-nopol"},
            "severity": "WARNING",
            "diagnostics": diagnostics(outcome).collect::<Vec<Value>>(),
        });
        Ok((serde_json::to_string_pretty(&all)? + "\n").into())
    }
}

impl Render for RdJsonl {
    fn name(&self) -> &'static str {
        "rdjsonl"
    }

    fn help(&self) -> &'static str {
        "A JSON object on each line, for `reviewdog -f=rdjsonl`"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let mut lines = String::new();
        for mut diagnostic in diagnostics(outcome) {
            // In this format, nothing else names the tool.
            diagnostic["source"] = json!({"name": "cargo-nopol"});
            lines += &serde_json::to_string(&diagnostic)?;
            lines.push('\n');
        }
        Ok(lines.into())
    }
}

/// A diagnostic for each file that a patch changes, because a suggestion must be in the file of its diagnostic; and one
/// for each place of a fault.
fn diagnostics(outcome: &Outcome) -> impl Iterator<Item = Value> {
    let patches = outcome.likely_patches().flat_map(|patch| {
        let mut files: Vec<&str> = patch.edits.iter().map(|edit| &*edit.file).collect();
        files.dedup();
        files
            .into_iter()
            .map(|file| diagnostic(outcome, patch, file))
    });
    let faults = outcome.faults.iter().flat_map(|fault| {
        let places = fault.places.iter();
        places.map(|place| of_fault(outcome, fault, place))
    });
    patches.chain(faults)
}

/// A diagnostic without a suggestion. Its position has no column, because reviewdog counts bytes.
fn of_fault(outcome: &Outcome, fault: &FaultReport, place: &FaultPlace) -> Value {
    json!({
        "message": fault.message(),
        "location": {"path": outcome.in_repository(&place.file), "range": {"start": {"line": place.line}}},
        "severity": "INFO",
        "code": {"value": format!("nopol::{}", FaultReport::RULE)},
    })
}

fn diagnostic(outcome: &Outcome, patch: &PatchReport, file: &str) -> Value {
    let edits: Vec<&EditReport> = patch
        .edits
        .iter()
        .filter(|edit| edit.file == file)
        .collect();
    let suggestions: Vec<Value> = edits
        .iter()
        .map(|edit| json!({"range": range(edit), "text": edit.after}))
        .collect();
    json!({
        "message": message(patch),
        "location": {"path": outcome.in_repository(file), "range": edits.first().map(|edit| range(edit))},
        "severity": "WARNING",
        "code": {"value": format!("nopol::{}", patch.kind)},
        "suggestions": suggestions,
    })
}

fn range(edit: &EditReport) -> Value {
    let region = region(edit);
    let place = |at: Position| json!({"line": at.line, "column": at.byte});
    json!({"start": place(region.start), "end": place(region.end)})
}
