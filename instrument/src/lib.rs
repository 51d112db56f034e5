//! The runtime that `cargo nopol` links into the crate under repair.
//!
//! One macro call is spliced into the subject per site ([`cond!`], [`keep!`], [`select!`], [`tick!`]);
//! everything else happens here. Environment variables control the runtime ([`layout::env`]). It reports
//! through a memory-mapped file ([`layout`]), which survives an abort, `exit` or stack overflow of the test.
//! Without those variables, every macro evaluates exactly what the subject wrote. The runtime has no
//! dependencies, because it must build next to any crate.

pub mod capture;
pub mod layout;
mod macros;
pub mod observe;
mod sample;
// Only in the build that is linked into a subject: a program cannot have two definitions of `getrandom`.
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
// As above, and only where the linker knows constructors with priorities.
#[cfg(all(
    nopol_rt,
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "loongarch64"
    )
))]
mod panics;
mod snapshot;
#[cfg(not(nopol_rt))]
pub mod sources;
mod state;
mod trace;
mod trials;

pub use capture::{again, close, open, wants};
pub use observe::{field, ladder, method, place, pure, value, variable, Observe, Path, Probe};
pub use snapshot::Snapshot;
pub use state::{ask, constant, here, selected, tick, Ask};
