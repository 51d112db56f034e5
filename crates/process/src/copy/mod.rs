//! Working copies: copying a tree, writing to it, watching it and restoring it. Knows neither what the files
//! mean nor what runs there.

mod entry;
pub mod files;
pub mod git;
pub mod stamp;
pub mod tree;
pub mod walk;
mod watch;

pub use entry::OriginChanged;
