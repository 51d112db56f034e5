//! A large stack for readers that recurse with what they read.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// How large it is. Only what is used of it takes memory.
const LARGE: usize = 256 << 20;

/// The result of this on a thread with a large stack, or on the caller's stack if there can be no thread.
pub fn on_large<T: Send>(run: impl Fn() -> T + Sync) -> T {
    thread::scope(
        |scope| match Builder::new().stack_size(LARGE).spawn_scoped(scope, &run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => run(),
        },
    )
}
