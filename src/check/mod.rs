//! Whether a patch holds: judged by the tests in the build that has all candidates, and at last
//! rebuilt alone. Knows nothing of how it was found.

pub mod format;
pub mod judge;
pub mod validate;
