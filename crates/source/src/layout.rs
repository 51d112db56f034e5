//! The layout of source files, so that a patch matches the style of its surroundings.

use std::ops::Range;

/// The conventions that a file follows.
pub trait Layout {
    /// One level of indentation in this file, unless the patched lines show it.
    fn indentation(&self, text: &str) -> String;

    /// Whether this file writes branches with a single statement without braces.
    fn omits_braces(&self, text: &str) -> bool;

    /// The line numbers of a text, from 0, that start inside a literal. Indenting such a line would change
    /// the literal's value.
    fn lines_inside_literals(&self, text: &str) -> Vec<usize>;

    /// What to know about a statement without which its surroundings are incomplete: the whole body of an `if` or
    /// loop without braces, or the one after a label; `None` if it is among others in a block.
    fn unbraced(&self, text: &str, span: &Range<usize>) -> Option<Unbraced>;

    /// The end of the last code before a byte of a file where code begins: between them are white space and comments. If the
    /// file cannot be read, the byte itself.
    fn code_before(&self, text: &str, at: usize) -> usize;

    /// The length of the comment with which a text begins, without the end of its line; 0 if it begins with anything else,
    /// documentation included that the language counts as code.
    fn comment(&self, text: &str) -> usize;
}

/// A statement without which its surroundings are incomplete, see [`Layout::unbraced`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbraced {
    /// Whether an `else` follows, which would belong to an `if` put around the statement.
    pub has_else: bool,
    /// The empty statement, which replaces a deleted one.
    pub nothing: &'static str,
}
