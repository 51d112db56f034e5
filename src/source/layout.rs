//! How a language's files are laid out, for a patch that is to look as if it had been there.

use std::ops::Range;

/// What one file's text tells about the way it is written.
pub trait Layout {
    /// One level of indentation, where the place itself does not tell.
    fn indentation(&self, text: &str) -> String;

    /// Whether branches with one statement go without braces in this file.
    fn omits_braces(&self, text: &str) -> bool;

    /// Numbers of the lines of a text, from 0, that start inside a literal: indenting them would
    /// change its value.
    fn lines_inside_literals(&self, text: &str) -> Vec<usize>;

    /// What a statement at these bytes is to an `if` or a loop without braces that it is all of; `None` if
    /// it stands in a block.
    fn unbraced(&self, text: &str, span: &Range<usize>) -> Option<Unbraced>;
}

/// A statement that is all of a branch, or all that a loop does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbraced {
    /// Whether an `else` follows, which an `if` around the statement would take over.
    pub has_else: bool,
    /// What stands for the statement if nothing is to be done.
    pub nothing: &'static str,
}
