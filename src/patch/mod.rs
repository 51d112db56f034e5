//! From an expression to a patch: its text, the edit, the diff, and whether the tests agree.
//! Knows nothing of how the expression was found.

pub mod diff;
pub mod edit;
pub mod format;
pub mod judge;
pub mod render;
pub mod validate;
