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
mod sample;
// Only as linked into a subject: no program has room for two of them.
#[cfg(all(
    nopol_rt,
    target_os = "linux",
    target_pointer_width = "64",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "loongarch64"
    )
))]
mod seed;
mod snapshot;
mod state;
mod trace;

pub use capture::{again, call, close, open, wants};
pub use observe::{ladder, Observe, Path, Probe};
pub use snapshot::Snapshot;
pub use state::{ask, here, selected, tick, Ask};
