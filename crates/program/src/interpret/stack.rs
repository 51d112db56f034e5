//! A stack for deep recursion, and the end of it.

use std::panic::resume_unwind;
use std::ptr;
use std::thread::{self, Builder};

/// How large the stack of a run is. Only what is used of it takes memory.
const LARGE: usize = 256 << 20;

/// What a run may use of its caller's stack.
const SMALL: usize = 512 << 10;

/// What the frames above a check may take.
const MARGIN: usize = 256 << 10;

/// The part of a stack that may be used.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    base: usize,
    size: usize,
}

impl Stack {
    fn here(size: usize) -> Self {
        Self { base: here(), size }
    }

    /// Whether it is used up.
    pub fn is_full(self) -> bool {
        here().abs_diff(self.base) > self.size
    }
}

/// Runs this on the caller's stack, and, if it says that this was not enough, once more on a large one: threads take
/// longer than most runs.
pub fn on_large_stack<T: Send>(mut run: impl FnMut(Stack) -> (T, bool) + Send) -> T {
    let (result, is_enough) = run(Stack::here(SMALL));
    if is_enough {
        return result;
    }
    let done = thread::scope(|scope| {
        let builder = Builder::new().stack_size(LARGE);
        let thread = builder.spawn_scoped(scope, || run(Stack::here(LARGE - MARGIN)));
        thread.ok().map(thread::ScopedJoinHandle::join)
    });
    match done {
        Some(Ok((result, _))) => result,
        Some(Err(panic)) => resume_unwind(panic),
        // No memory for it: a run that is too deep.
        None => result,
    }
}

/// About where the stack ends.
#[inline(never)]
fn here() -> usize {
    let marker = 0_u8;
    ptr::from_ref(std::hint::black_box(&marker)).addr()
}
