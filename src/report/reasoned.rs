//! Patches of commands that reason about the source and run nothing: `mutate`, `heap` and `debug`.

use std::collections::BTreeMap;
use std::sync::Arc;

use nopol_program::shown::ShownEdit;

use super::{Assurance, EditReport, PatchReport};

impl PatchReport {
    /// A patch with these edits. `texts` has the contents of the files by path. No model ranked it, so its cost and
    /// confidence are 0.
    pub fn reasoned(
        id: String,
        rank: usize,
        edits: &[ShownEdit],
        texts: &BTreeMap<String, String>,
        evidence: Assurance,
    ) -> Self {
        let edit = |edit: &ShownEdit| EditReport {
            file: edit.file.clone(),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            mark: None,
            original: Arc::from(texts.get(&edit.file).map_or("", String::as_str)),
            before: edit.before.clone(),
            after: edit.text.clone(),
            condition: edit.after.clone(),
        };
        Self {
            id,
            rank,
            cost: 0,
            confidence: 0.0,
            kind: "expression",
            edits: edits.iter().map(edit).collect(),
            diff: String::new(),
            fixes: Vec::new(),
            is_trivial: false,
            evidence,
            doubts: Vec::new(),
            why: String::new(),
            clauses: Vec::new(),
            unrecorded: Vec::new(),
            tables: Vec::new(),
            differs: None,
            alternatives: Vec::new(),
            failing_examples: Vec::new(),
            alike: 0,
        }
    }
}
