//! Files of the subject as they are now: patches may have changed them since the search that found an edit.

use std::cmp::Reverse;
use std::fs;
use std::ops::Range;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::apply::{kept, own};
use crate::repair::discriminating::DiscriminatingTest;
use crate::repair::settings::Settings;
use crate::report::{Choice, EditReport, PatchReport, TestNames};
use crate::subject::Subject;
use crate::subject::applied::{self, Applied};
use crate::subject::last_file::LastFile;
use crate::subject::patching::Change;

/// The subject and the patches that were applied to it.
pub struct Current {
    subject: Subject,
    /// Where the patches are kept.
    pub kept: LastFile,
    /// The last one last.
    pub patches: Vec<Applied>,
}

/// A file as it is now.
pub struct CurrentFile<'p> {
    /// Relative to the subject's root.
    name: String,
    /// Absolute and without links.
    pub path: Utf8PathBuf,
    pub text: String,
    /// The patches that made the text of the search the one of now, and what each changed here.
    pub since: Vec<(&'p Applied, &'p Change)>,
    /// Whether the last change of the file is that of a patch.
    pub is_result_of_patches: bool,
}

impl Current {
    /// Reads what was applied.
    ///
    /// # Errors
    /// If the subject cannot be loaded.
    pub fn new(settings: &Settings) -> Result<Self> {
        let kept = kept(settings)?;
        let patches = kept
            .read()
            .map_or_else(Vec::new, |text| applied::parse(&text));
        Ok(Self {
            subject: Subject::load(&settings.project)?,
            kept,
            patches,
        })
    }

    /// Reads a file, for edits of it that the search found; there may be none.
    ///
    /// # Errors
    /// If it is no file of the subject, cannot be read, or has changed since the search otherwise than by patches.
    pub fn file(&self, name: &str, edits: &[&EditReport]) -> Result<CurrentFile<'_>> {
        let path = own(&self.subject, &self.subject.path_of(Utf8Path::new(name)))?;
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let mut originals = edits.iter().map(|edit| &*edit.original);
        let old = originals.next();
        let since = applied::since(&self.patches, &path, old.unwrap_or(&text), &text);
        let since = since.filter(|_| originals.all(|other| Some(other) == old));
        let since = since.with_context(|| {
            format!(
                "{name} has changed since the patch was found, so the patch was not applied; if another patch was applied, \
                 revert it with `undo`; otherwise search again"
            )
        })?;
        let mut changes = self.patches.iter().flat_map(|patch| &patch.changes);
        let is_result_of_patches =
            changes.any(|change| change.path == path && change.after == text);
        Ok(CurrentFile {
            name: name.to_owned(),
            is_result_of_patches,
            path,
            text,
            since,
        })
    }

    /// The edits of a patch in the files as they are now; `None` if they are in code that another patch has changed.
    ///
    /// # Errors
    /// Those of [`Current::file`].
    pub fn edits(&self, edits: &[EditReport]) -> Result<Option<Vec<EditReport>>> {
        let mut moved = Vec::new();
        for edit in edits {
            let file = self.file(&edit.file, &[edit])?;
            let Some(span) = file.moved(&edit.span) else {
                return Ok(None);
            };
            moved.push(EditReport {
                span,
                original: file.text.into(),
                ..edit.clone()
            });
        }
        Ok(Some(moved))
    }
}

impl CurrentFile<'_> {
    /// Where a part of the text of the search is now; `None` if it was changed.
    fn moved(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let mut changes = self.since.iter().map(|(_, change)| change);
        changes.try_fold(span.clone(), |span, change| change.moved(&span))
    }

    /// What edits of the search, and a new test, make of the text; `None` if it was changed where they are, or they overlap.
    pub fn edited(
        &self,
        edits: &[&EditReport],
        test: Option<&DiscriminatingTest>,
    ) -> Option<String> {
        edited(&self.text, edits, test, |span| self.moved(span))
    }

    /// Refuses a patch for a test that an applied one fixes.
    pub fn refuse_fixed(&self, patch: &PatchReport, names: &TestNames) -> Result<()> {
        for (earlier, _) in &self.since {
            if let Some(test) = patch.fixes.iter().find(|test| earlier.fixes.contains(test)) {
                bail!(
                    "{} is already applied and fixes `{}`; nothing was changed (`undo` reverts {})",
                    earlier.patch(),
                    names.short(test),
                    earlier.named()
                );
            }
        }
        Ok(())
    }

    /// The message that a patch with these edits changes what an applied one has changed.
    pub fn same_code(&self, choice: Choice, edits: &[&EditReport]) -> String {
        let original = edits.first().map_or("", |edit| &*edit.original);
        let after = edited(original, edits, None, |span| Some(span.clone()));
        if after.as_ref() == Some(&self.text) {
            return format!(
                "{} is already applied; nothing was changed, and `undo` reverts it",
                choice.named()
            );
        }
        let names: Vec<String> = self.since.iter().map(|(patch, _)| patch.named()).collect();
        format!(
            "{} changes the same code in {} as {}, which is applied; nothing was changed, and `undo` reverts the earlier patch",
            choice.named(),
            self.name,
            names.join(" or ")
        )
    }
}

/// What edits, and a new test, make of a text; `None` if one of the edits cannot be `moved` to it, or they overlap.
pub fn edited(
    text: &str,
    edits: &[&EditReport],
    test: Option<&DiscriminatingTest>,
    moved: impl Fn(&Range<usize>) -> Option<Range<usize>>,
) -> Option<String> {
    let spans = edits
        .iter()
        .map(|edit| Some((moved(&edit.span)?, &*edit.after)));
    let mut parts = spans.collect::<Option<Vec<_>>>()?;
    parts.extend(test.map(|test| (test.at..test.at, &*test.text)));
    // From the end of the file, so that no part shifts another one's span.
    parts.sort_by_key(|(span, _)| Reverse(span.start));
    let is_apart = |pair: &[(Range<usize>, &str)]| pair[1].0.end <= pair[0].0.start;
    if !parts.windows(2).all(is_apart) {
        return None;
    }
    let mut after = text.to_owned();
    for (span, part) in parts {
        after.replace_range(span, part);
    }
    Some(after)
}
