//! How a language's files are laid out, for a patch that is to look as if it had been there.

/// What one file's text tells about the way it is written.
pub trait Layout {
    /// One level of indentation, where the place itself does not tell.
    fn indentation(&self, text: &str) -> String;

    /// Whether branches with one statement go without braces in this file.
    fn omits_braces(&self, text: &str) -> bool;

    /// Numbers of the lines of a text, from 0, that start inside a literal: indenting them would
    /// change its value.
    fn lines_inside_literals(&self, text: &str) -> Vec<usize>;
}
