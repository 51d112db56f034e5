//! Changes of a routine in terms of the user's files: edits with their places, and a diff.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::diff;
use nopol_program::shown::ShownEdit;
use serde::Serialize;

use super::load::Loaded;
use super::patch::Change;
use super::rewrite::{edits, rewritten};

/// What changes in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The function that they change.
    #[serde(skip)]
    pub function: String,
    /// The edits, in the order of the source.
    pub edits: Vec<ShownEdit>,
    /// The same as a unified diff.
    pub diff: String,
    /// The texts of the files before, by their paths; needed to apply it.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
}

impl Written {
    /// What these changes are in the source; `shown` is the path of a file in a diff.
    pub fn new(
        loaded: &Loaded,
        changes: &[Change],
        shown: impl Fn(&Utf8Path) -> Utf8PathBuf,
    ) -> Self {
        let edits = edits(&loaded.routine, &loaded.texts, changes);
        let changed = rewritten(&loaded.texts, &edits);
        let files = || loaded.program.files.iter();
        let pairs = files().zip(loaded.texts.iter().zip(&changed));
        let diffs = pairs.map(|(file, (before, after))| diff::unified(&shown(file), before, after));
        let edits = edits.iter().map(|edit| {
            let text = &loaded.texts[edit.span.file as usize];
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            ShownEdit {
                file: loaded.file(edit.span.file),
                line: text[..start].matches('\n').count() + 1,
                column: text[line_start..start].chars().count() + 1,
                before: text[start..end].trim().to_owned(),
                after: edit.text.trim().to_owned(),
                span: start..end,
                text: edit.text.clone(),
            }
        });
        Self {
            function: loaded.program.functions[loaded.function].name.to_string(),
            diff: diffs.collect(),
            edits: edits.collect(),
            texts: files()
                .map(ToString::to_string)
                .zip(loaded.texts.iter().cloned())
                .collect(),
        }
    }
}
