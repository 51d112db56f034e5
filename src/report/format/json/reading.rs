//! Reads the parts of a JSON report that `apply` needs.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{Span, VERSION, hash_of};
use crate::report::regions::position;
use crate::report::{AlternativeReport, Assurance, EditReport, Outcome, PatchReport};

/// The parts of a report that are needed to apply its patches.
#[derive(Deserialize)]
struct Known {
    version: u32,
    patches: Vec<KnownPatch>,
}

#[derive(Deserialize)]
struct KnownPatch {
    id: String,
    rank: usize,
    checked: bool,
    evidence: Option<Assurance>,
    #[serde(default)]
    fixes: Vec<String>,
    edits: Vec<KnownEdit>,
    #[serde(default)]
    alternatives: Vec<KnownAlternative>,
}

#[derive(Deserialize)]
struct KnownAlternative {
    edits: Vec<KnownEdit>,
}

#[derive(Deserialize)]
struct KnownEdit {
    file: String,
    span: Span,
    before: String,
    after: String,
    file_hash: String,
}

/// Reads the parts of a report that are needed to apply its patches. All other fields of the outcome are empty.
/// `text_of` reads a file of the subject.
///
/// # Errors
/// If the text is no such report, or a file that a patch changes has changed since.
pub fn read(text: &str, text_of: &dyn Fn(&str) -> Result<String>) -> Result<Outcome> {
    let known: Known = serde_json::from_str(text)
        .context("this is not a report from `cargo nopol --format json`")?;
    if known.version != VERSION {
        bail!("another version of cargo-nopol wrote this report; search again");
    }
    let edit = |edit: KnownEdit| -> Result<EditReport> {
        let original = text_of(&edit.file)?;
        let span = edit.span.start..edit.span.end;
        let is_same = hash_of(&original) == edit.file_hash
            && original.get(span.clone()) == Some(&*edit.before);
        if !is_same {
            bail!(
                "{} has changed since this report was written; nothing was applied; search again",
                edit.file
            );
        }
        let place = position(&original, span.start);
        Ok(EditReport {
            file: edit.file,
            line: place.line,
            column: place.character,
            span,
            mark: None,
            original: original.into(),
            before: edit.before,
            condition: edit.after.clone(),
            after: edit.after,
        })
    };
    let edits = |edits: Vec<KnownEdit>| edits.into_iter().map(edit).collect::<Result<Vec<_>>>();
    let mut outcome = Outcome::default();
    for patch in known.patches {
        let mut report = PatchReport {
            id: patch.id,
            rank: patch.rank,
            // Reports of older versions only say whether a patch was checked.
            evidence: match patch.evidence {
                Some(evidence) => evidence,
                None if patch.checked => Assurance::Tested,
                None => Assurance::Together,
            },
            fixes: patch.fixes,
            edits: edits(patch.edits)?,
            ..PatchReport::default()
        };
        for other in patch.alternatives {
            report.alternatives.push(AlternativeReport {
                edits: edits(other.edits)?,
                ..AlternativeReport::default()
            });
        }
        outcome.patches.push(report);
    }
    Ok(outcome)
}
