//! Edits in terms of the user's files.

use serde::Serialize;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownEdit {
    /// The file, relative to the subject's root.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The expression that is changed.
    pub before: String,
    /// What it becomes.
    pub after: String,
    /// The bytes of the file that are replaced, and by what.
    pub span: std::ops::Range<usize>,
    /// What they are replaced by.
    pub text: String,
}
