//! Where a patch may go, found out without a search, for a patch from another person's report.

use std::ops::{Range, RangeInclusive};

use anyhow::{Result, bail};
use camino::Utf8Path;
use nopol_basics::diff;
use nopol_basics::visible::is_hidden;
use nopol_source::{File, FileIndex, Language, Sources};

use crate::report::EditReport;
use crate::report::regions::position;
use crate::subject::Subject;

/// The sites of a subject as it is now.
#[derive(Debug)]
pub struct Places {
    sources: Sources,
}

impl Places {
    /// Reads the subject's sources. Nothing is built, and nothing of the subject runs.
    pub fn of(subject: &Subject) -> Self {
        Self {
            sources: subject.readable().read(&subject.root, &|_| true),
        }
    }

    /// Refuses a file that has no sites, such as a manifest, a build script, a test or a file that the subject does not compile.
    ///
    /// # Errors
    /// If it has none.
    pub fn check_file(&self, path: &str) -> Result<()> {
        self.file(path).map(drop)
    }

    /// Refuses an edit elsewhere than where this tool puts a patch: on the lines of a site, in C also elsewhere in a function that
    /// has sites.
    ///
    /// # Errors
    /// If there is no site, or the edit has characters that a diff would not show.
    pub fn check(&self, edit: &EditReport) -> Result<()> {
        let (index, file) = self.file(&edit.file)?;
        let (line, column) = (edit.line, edit.column);
        if edit.after.chars().any(is_hidden) {
            bail!(
                "the edit of {}:{line}:{column} has characters that cannot be seen, so it is not applied",
                edit.file
            );
        }
        let changed = trimmed(&file.text, &edit.span);
        let wanted = lines(&file.text, &changed);
        let mut sites = self.sources.sites.iter().filter(|site| site.file == index);
        let is_at_site = sites.any(|site| {
            let lines = lines(&file.text, &site.span);
            lines.contains(wanted.start()) && lines.contains(wanted.end())
        });
        let mut functions = self.sources.functions.iter();
        let is_in_function = functions.any(|function| {
            let span = &function.span;
            function.file == index && span.start < changed.start && changed.end < span.end
        });
        // What functions of C do to linked structures is changed between their statements, too.
        match is_in_function && (is_at_site || self.sources.language == Language::C) {
            true => Ok(()),
            false => bail!(
                "{}:{line}:{column} is not a place that a patch can change, so this report is not from a search here",
                edit.file
            ),
        }
    }

    fn file(&self, path: &str) -> Result<(FileIndex, &File)> {
        let mut files = self.sources.files.iter_enumerated();
        let has_sites = |index| self.sources.sites.iter().any(|site| site.file == index);
        match files.find(|(index, file)| file.path == Utf8Path::new(path) && has_sites(*index)) {
            // Paths that differ only in `.` or slashes are equal, and only one of them is that of a report.
            Some((index, file)) if file.path.as_str() == path => Ok((index, file)),
            _ => bail!(
                "{path} is not a file that a patch can change, so this report is not from a search here"
            ),
        }
    }
}

/// What two texts of a file differ in, as a unified diff.
pub fn diff(subject: &Subject, file: &str, before: &str, after: &str) -> String {
    let path = subject.path_in_diffs(Utf8Path::new(file));
    diff::unified(&path, before, after)
}

/// A span without the white space at both of its ends.
fn trimmed(text: &str, span: &Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let (start, end) = (part.trim_start().len(), part.trim_end().len());
    match start {
        0 => span.clone(),
        _ => span.end - start..span.start + end,
    }
}

/// The lines of a span, from 1.
fn lines(text: &str, span: &Range<usize>) -> RangeInclusive<usize> {
    position(text, span.start).line..=position(text, span.end).line
}
