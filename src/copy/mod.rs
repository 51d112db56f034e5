//! Working copies: how a tree is copied, written to, watched and put back as it was. Knows neither
//! what is in them nor who runs there.

pub mod files;
pub mod git;
pub mod stamp;
pub mod tree;
pub mod walk;
mod watch;
