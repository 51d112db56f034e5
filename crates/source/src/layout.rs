//! The layout of source files, so that a patch matches the style of its surroundings.

use std::ops::Range;

/// The conventions that a file follows.
pub trait Layout {
    /// One level of indentation in this file, for use if the patched lines do not show it.
    fn indentation(&self, text: &str) -> String;

    /// Whether this file writes branches with a single statement without braces.
    fn omits_braces(&self, text: &str) -> bool;
    /// The statements of the body of an early exit, one for each line on which they are written.
    fn statements(&self, body: &str) -> Vec<String>;

    /// The numbers, from 0, of the lines of a text that start inside a literal. Indenting such a line would change the
    /// literal's value.
    fn lines_inside_literals(&self, text: &str) -> Vec<usize>;

    /// Facts about a statement that its surroundings require: the whole body of an `if` or loop without braces, or the
    /// statement after a label. `None` if it is one of the statements of a block.
    fn unbraced(&self, text: &str, span: &Range<usize>) -> Option<Unbraced>;

    /// The end of the last code before the byte `at`, where code starts: only white space and comments are between
    /// them. `at` itself if the file cannot be parsed.
    fn code_before(&self, text: &str, at: usize) -> usize;

    /// The length of the comment at the start of a text, without its line end. 0 if there is none, or if it is
    /// documentation that the language counts as code.
    fn comment(&self, text: &str) -> usize;
}

/// A statement that its surroundings require: see [`Layout::unbraced`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbraced {
    /// Whether an `else` follows, which would belong to an `if` put around the statement.
    pub has_else: bool,
    /// The empty statement, which replaces a removed one.
    pub nothing: &'static str,
}
