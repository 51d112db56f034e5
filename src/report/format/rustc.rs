//! `--format rustc`: the output of `cargo check --message-format=json`, with patches as suggestions. Editors that run
//! such a command (rust-analyzer's `check.overrideCommand`) offer them as quick fixes, and `rustfix` applies them.

use anyhow::Result;
use nopol_basics::visible;
use serde_json::{Value, json};

use super::{Render, Rendered};
use crate::report::phrases::{advice, headline, sureness};
use crate::report::regions::region;
use crate::report::snippet;
use crate::report::{EditReport, Outcome, PackageReport, PatchReport};

/// A diagnostic per patch.
pub struct Rustc;

impl Render for Rustc {
    fn name(&self) -> &'static str {
        "rustc"
    }

    fn help(&self) -> &'static str {
        "The patches as compiler suggestions, in cargo's JSON messages"
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let mut report = String::new();
        for patch in outcome.likely_patches() {
            let diagnostic = diagnostic(outcome, patch);
            let line = match package(outcome, patch) {
                Some(package) => message(package, diagnostic),
                // Cargo does not build this program.
                None => diagnostic,
            };
            report += &serde_json::to_string(&line)?;
            report.push('\n');
        }
        if !outcome.packages.is_empty() {
            report +=
                &serde_json::to_string(&json!({"reason": "build-finished", "success": true}))?;
            report.push('\n');
        }
        Ok(report.into())
    }
}

/// The package that a patch changes: the one with the innermost directory.
fn package<'o>(outcome: &'o Outcome, patch: &PatchReport) -> Option<&'o PackageReport> {
    let file = &patch.edits.first()?.file;
    let packages = outcome.packages.iter();
    let around = packages.filter(|package| {
        package.dir.is_empty()
            || file
                .strip_prefix(&*package.dir)
                .is_some_and(|rest| rest.starts_with('/'))
    });
    around.max_by_key(|package| package.dir.len())
}

/// A line in the format of cargo's messages.
fn message(package: &PackageReport, diagnostic: Value) -> Value {
    json!({
        "reason": "compiler-message",
        "package_id": package.id,
        "manifest_path": package.manifest,
        "target": {
            "kind": [package.target_kind],
            "crate_types": [package.target_kind],
            "name": package.target,
            "src_path": package.target_file,
            "edition": package.edition,
            "doc": true,
            "doctest": true,
            "test": true,
        },
        "message": diagnostic,
    })
}

/// A diagnostic in the format of rustc.
fn diagnostic(outcome: &Outcome, patch: &PatchReport) -> Value {
    let title = headline(patch);
    let mut children = vec![note(&format!("{}: {}", sureness(patch), patch.why))];
    children.push(help(&advice(patch), &patch.edits));
    for other in &patch.alternatives {
        if let Some(edits) = patch.edits_of(other) {
            let alike = outcome.alternative_is_alike(patch);
            let advice = format!("or ({alike}): {}", other.change);
            children.push(help(&advice, &edits));
        }
    }
    let place = |edit: &EditReport| {
        let (span_of_mark, before) = edit.marked();
        let marked = EditReport {
            span: span_of_mark,
            before: before.to_owned(),
            ..edit.clone()
        };
        span(&marked, None)
    };
    let places: Vec<Value> = patch.edits.iter().map(place).collect();
    json!({
        "$message_type": "diagnostic",
        "message": title,
        "code": {"code": format!("nopol::{}", patch.kind), "explanation": null},
        "level": "warning",
        "spans": places,
        "children": children,
        "rendered": snippet::plain(patch),
    })
}

fn note(text: &str) -> Value {
    json!({
        "message": text, "code": null, "level": "note", "spans": [], "children": [], "rendered": null,
    })
}

/// A suggestion of one or several parts.
fn help(text: &str, edits: &[EditReport]) -> Value {
    let spans: Vec<Value> = edits
        .iter()
        .map(|edit| span(edit, Some(&edit.after)))
        .collect();
    json!({
        "message": text, "code": null, "level": "help", "spans": spans, "children": [], "rendered": null,
    })
}

/// The span of an edit. Never machine-applicable, because a person should review the replacement.
fn span(edit: &EditReport, replacement: Option<&str>) -> Value {
    let region = region(edit);
    let (start, end) = (region.start, region.end);
    let lines = edit.original.lines().enumerate();
    let lines = lines.skip(start.line - 1).take(end.line + 1 - start.line);
    let text: Vec<Value> = lines
        .map(|(nth, line)| {
            let from = if nth + 1 == start.line {
                start.character
            } else {
                1
            };
            let to = match nth + 1 == end.line {
                true => end.character,
                false => line.chars().count() + 1,
            };
            json!({"text": visible::text(line), "highlight_start": from, "highlight_end": to})
        })
        .collect();
    json!({
        "file_name": edit.file,
        "byte_start": edit.span.start,
        "byte_end": edit.span.end,
        "line_start": start.line,
        "line_end": end.line,
        "column_start": start.character,
        "column_end": end.character,
        "is_primary": true,
        "text": text,
        "label": null,
        "suggested_replacement": replacement,
        "suggestion_applicability": replacement.map(|_| "MaybeIncorrect"),
        "expansion": null,
    })
}
