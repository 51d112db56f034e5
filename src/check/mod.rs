//! Whether a patch is plausible: judged by the tests in the build with all candidates, and at last built
//! on its own. Knows nothing of how it was found.

pub mod format;
pub mod judge;
pub mod validate;
