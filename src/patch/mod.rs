//! The text of a patch: an expression as a program would write it, the edit, the diff. Knows nothing
//! of processes, and nothing of how the expression was found.

pub mod diff;
pub mod edit;
pub mod render;
