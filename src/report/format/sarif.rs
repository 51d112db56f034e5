//! `--format sarif`: SARIF 2.1.0 (OASIS standard of 2020-03-27) with fixes, for code scanning and editors.

use anyhow::Result;
use serde_json::{Value, json};

use super::human::is_error;
use super::{Render, Rendered};
use crate::report::phrases::{advice, capitalized, message};
use crate::report::regions::{Position, region};
use crate::report::{EditReport, FaultReport, Outcome, PatchReport};

/// A result per patch.
pub struct Sarif;

/// The rules: kinds of patches with their descriptions.
const RULES: [(&str, &str); 6] = [
    (
        "condition",
        "A condition that makes failing tests pass when it is changed",
    ),
    (
        "expression",
        "A boolean expression that makes failing tests pass when it is changed",
    ),
    (
        "precondition",
        "A statement that failing tests need to skip in some cases",
    ),
    ("guard", "A place where failing tests need an early exit"),
    (
        "arithmetic",
        "An integer expression that makes failing tests pass when it is changed",
    ),
    (
        FaultReport::RULE,
        "A place where another value would make failing tests pass",
    ),
];

impl Render for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn help(&self) -> &'static str {
        "SARIF 2.1.0, for code scanning and editors"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let rules: Vec<Value> = RULES
            .iter()
            .map(|(kind, text)| {
                json!({
                    "id": format!("nopol/{kind}"),
                    "shortDescription": {"text": text},
                    "defaultConfiguration": {"level": "warning"},
                })
            })
            .collect();
        let patches = outcome.likely_patches().map(|patch| result(outcome, patch));
        let faults = outcome.faults.iter().map(|fault| of_fault(outcome, fault));
        let results = patches.chain(faults);
        let notification =
            |level: &str, text: &str| json!({"level": level, "message": {"text": text}});
        let mut notifications: Vec<Value> = Vec::new();
        for warning in &outcome.warnings {
            notifications.push(notification("warning", warning));
        }
        if let Some(why) = outcome.why_not() {
            let level = if is_error(outcome.ending) {
                "error"
            } else {
                "note"
            };
            notifications.push(notification(level, &why));
        }
        let log = json!({
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "cargo-nopol",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The top of the repository"}}},
                "invocations": [{
                    "executionSuccessful": outcome.ending.exit_code() < 2,
                    "exitCode": outcome.ending.exit_code(),
                    "toolExecutionNotifications": notifications,
                }],
                "results": results.collect::<Vec<Value>>(),
            }],
        });
        Ok((serde_json::to_string_pretty(&log)? + "\n").into())
    }
}

fn result(outcome: &Outcome, patch: &PatchReport) -> Value {
    let locations: Vec<Value> = patch
        .edits
        .iter()
        .map(|edit| {
            json!({"physicalLocation": {"artifactLocation": artifact(outcome, &edit.file), "region": sarif_region(edit)}})
        })
        .collect();
    let mut fixes = vec![fix(outcome, &advice(patch), &patch.edits)];
    for other in &patch.alternatives {
        if let Some(edits) = patch.edits_of(other) {
            fixes.push(fix(outcome, &format!("or {}", other.change), &edits));
        }
    }
    json!({
        "ruleId": format!("nopol/{}", patch.kind),
        "ruleIndex": rule(patch.kind),
        "level": "warning",
        "message": {"text": message(patch)},
        "locations": locations,
        "fixes": fixes,
        "rank": patch.confidence * 100.0,
        "partialFingerprints": {"nopolPatch/v1": patch.id},
        "properties": {"rank": patch.rank, "confidence": patch.confidence, "fixes": patch.fixes},
    })
}

/// A result without a fix.
fn of_fault(outcome: &Outcome, fault: &FaultReport) -> Value {
    let places = fault.places.iter();
    let locations = places.map(|place| {
        let region = json!({"startLine": place.line, "startColumn": place.column});
        json!({"physicalLocation": {"artifactLocation": artifact(outcome, &place.file), "region": region}})
    });
    json!({
        "ruleId": format!("nopol/{}", FaultReport::RULE),
        "ruleIndex": rule(FaultReport::RULE),
        "level": "note",
        "message": {"text": fault.message()},
        "locations": locations.collect::<Vec<Value>>(),
        "rank": fault.suspiciousness * 100.0,
        "partialFingerprints": {"nopolFault/v1": fault.id()},
        "properties": {"rank": fault.rank, "tests": fault.tests},
    })
}

fn rule(kind: &str) -> Option<usize> {
    RULES.iter().position(|(known, _)| *known == kind)
}

fn fix(outcome: &Outcome, text: &str, edits: &[EditReport]) -> Value {
    let change = |edit: &EditReport| {
        json!({
            "artifactLocation": artifact(outcome, &edit.file),
            "replacements": [{
                "deletedRegion": sarif_region(edit),
                "insertedContent": {"text": edit.after},
            }],
        })
    };
    json!({
        "description": {"text": capitalized(text)},
        "artifactChanges": edits.iter().map(change).collect::<Vec<Value>>(),
    })
}

/// The file as a relative URI reference (RFC 3986).
fn artifact(outcome: &Outcome, file: &str) -> Value {
    json!({"uri": escaped(&outcome.in_repository(file)), "uriBaseId": "SRCROOT"})
}

fn escaped(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn sarif_region(edit: &EditReport) -> Value {
    let region = region(edit);
    let (start, end): (Position, Position) = (region.start, region.end);
    json!({
        "startLine": start.line,
        "startColumn": start.character,
        "endLine": end.line,
        "endColumn": end.character,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_written_as_uris() {
        assert_eq!(super::escaped("src/a b#1ä.rs"), "src/a%20b%231%C3%A4.rs");
    }
}
