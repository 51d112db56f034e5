//! Finds where a patch may go without a search, for patches from another person's report.

use std::ops::{Range, RangeInclusive};

use anyhow::{Result, bail};
use camino::Utf8Path;
use nopol_basics::diff;
use nopol_basics::visible::is_hidden;
use nopol_source::{File, FileIndex, Language, Sources};

use crate::report::EditReport;
use crate::report::regions::position;
use crate::subject::Subject;

/// The sites of a subject in its current state.
#[derive(Debug)]
pub struct Places {
    sources: Sources,
}

impl Places {
    /// Reads the subject's sources without building or running it.
    pub fn of(subject: &Subject) -> Self {
        Self {
            sources: subject.readable().read(&subject.root, &|_| true),
        }
    }

    /// Refuses a file without sites, such as a manifest, a build script, a test, or a file that is not compiled.
    ///
    /// # Errors
    /// If the file has no sites.
    pub fn check_file(&self, path: &str) -> Result<()> {
        self.file(path).map(drop)
    }

    /// Refuses an edit in a place where this tool never puts a patch. An edit must touch the lines of a site; in C it
    /// may be anywhere in a function that has sites.
    ///
    /// # Errors
    /// If the place is wrong, or the edit has characters that a diff would not show.
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
        // Repairs of linked structures in C also change code between sites.
        match is_in_function && (is_at_site || self.sources.language == Language::C) {
            true => Ok(()),
            false => bail!(
                "{}:{line}:{column} is not a place that a patch can change, so this report does not come from a search of this program",
                edit.file
            ),
        }
    }

    fn file(&self, path: &str) -> Result<(FileIndex, &File)> {
        let mut files = self.sources.files.iter_enumerated();
        let has_sites = |index| self.sources.sites.iter().any(|site| site.file == index);
        match files.find(|(index, file)| file.path == Utf8Path::new(path) && has_sites(*index)) {
            // Paths that differ only in `.` or slashes compare equal, but a report has only one spelling.
            Some((index, file)) if file.path.as_str() == path => Ok((index, file)),
            _ => bail!(
                "{path} is not a file that a patch can change, so this report does not come from a search of this program"
            ),
        }
    }
}

/// The unified diff between two texts of a file.
pub fn diff(subject: &Subject, file: &str, before: &str, after: &str) -> String {
    let path = subject.path_in_diffs(Utf8Path::new(file));
    diff::unified(&path, before, after)
}

/// A span without the white space at its ends.
fn trimmed(text: &str, span: &Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let (start, end) = (part.trim_start().len(), part.trim_end().len());
    match start {
        0 => span.clone(),
        _ => span.end - start..span.start + end,
    }
}

/// The lines of a span, counted from 1.
fn lines(text: &str, span: &Range<usize>) -> RangeInclusive<usize> {
    position(text, span.start).line..=position(text, span.end).line
}
