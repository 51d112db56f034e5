//! What every crate here uses: typed indices, deadlines, a stable hash, paths by their text, a large stack, diffs, counted nouns, the
//! comment that excludes code, and text of others made safe to print.

mod count;
#[cfg(any(test, feature = "damaged"))]
pub mod damaged;
pub mod deadline;
pub mod diff;
pub mod hash;
pub mod index;
pub mod nearest;
pub mod paths;
pub mod skip;
pub mod stack;
pub mod visible;

pub use self::count::{agree, all, count, counted, times};
