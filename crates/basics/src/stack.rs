//! A large stack for readers that recurse with what they read.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, Builder};
use std::time::Duration;

use super::deadline::Deadline;

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

/// How often the deadline is asked.
const TICK: Duration = Duration::from_millis(20);

/// The result of this on a thread with a large stack; `None` if the deadline comes first. The thread, which nothing can stop, is
/// left behind then.
pub fn until<T: Send + 'static>(
    deadline: Deadline,
    run: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if matches!(deadline, Deadline::Never) {
        return Some(run());
    }
    let (sender, receiver) = channel();
    let named = Builder::new().stack_size(LARGE);
    // Nobody waits for it any more if the deadline was first.
    let thread = named.spawn(move || _ = sender.send(run())).ok()?;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) if deadline.is_over() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // It panicked.
                return match thread.join() {
                    Ok(()) => None,
                    Err(panic) => resume_unwind(panic),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn what_takes_too_long_is_left_behind() {
        assert_eq!(until(Deadline::Never, || 1), Some(1));
        let later = Deadline::At(Instant::now() + Duration::from_secs(60));
        assert_eq!(until(later, || 2), Some(2));
        let slow = || thread::sleep(Duration::from_secs(60));
        assert_eq!(until(Deadline::At(Instant::now()), slow), None);
    }
}
