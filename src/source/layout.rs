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
}

/// A statement without which its surroundings are incomplete, see [`Layout::unbraced`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbraced {
    /// Whether an `else` follows, which would belong to an `if` put around the statement.
    pub has_else: bool,
    /// The empty statement, which replaces a deleted one.
    pub nothing: &'static str,
}
