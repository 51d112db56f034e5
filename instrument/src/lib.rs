//! The runtime that `cargo nopol` links into the crate under repair.
//!
//! What is spliced into the subject is one macro call per site ([`cond!`], [`keep!`],
//! [`select!`], [`tick!`]); everything else happens here, steered by environment variables
//! ([`layout::env`]) and reported through a shared memory file ([`layout`]), which survives an
//! abort, `exit` or a stack overflow of the test. Without those variables every macro evaluates
//! just what the subject wrote. No dependencies: it must build beside any crate.

pub mod capture;
pub mod layout;
mod macros;
pub mod observe;
mod snapshot;
mod state;
mod trace;

pub use capture::{call, close, open};
pub use observe::{ladder, Observe, Path, Probe};
pub use snapshot::Snapshot;
pub use state::{ask, selected, tick, wants, Ask};
