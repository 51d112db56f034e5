//! Decides whether a patch is plausible: first in the build with all candidates, finally in a build of its own.
//! Knows nothing of how the patch was found.

mod doctests;
pub mod doubts;
pub mod format;
pub mod judge;
pub mod replay;
pub mod validate;
