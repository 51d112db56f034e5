//! The last steps, as the page gets them, and those who wait for the next one.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most steps that are kept, and their bytes. `page.js` keeps as many steps.
pub const STEPS: usize = 500;
const BYTES: usize = 64 << 20;

/// The bytes after which an answer takes no further step.
const ANSWER: usize = 1 << 20;

/// How long a request waits for a step.
const WAIT: Duration = Duration::from_secs(20);

/// Steps with successive numbers, the newest last.
#[derive(Default)]
pub struct History {
    steps: Mutex<Steps>,
    news: Condvar,
}

#[derive(Default)]
struct Steps {
    kept: VecDeque<Arc<str>>,
    /// The number of the last one; 0 if there is none.
    last: usize,
    bytes: usize,
}

impl History {
    /// Adds a step, which is given its number, and forgets old ones.
    pub fn push(&self, step: impl FnOnce(usize) -> String) {
        let mut steps = self.lock();
        steps.last += 1;
        let step: Arc<str> = step(steps.last).into();
        steps.bytes += step.len();
        steps.kept.push_back(step);
        while steps.kept.len() > STEPS || (steps.bytes > BYTES && steps.kept.len() > 1) {
            let oldest = steps.kept.pop_front();
            steps.bytes -= oldest.map_or(0, |step| step.len());
        }
        drop(steps);
        self.news.notify_all();
    }

    /// The first steps after the one with this number. Waits for one, but not for long, and not if there is no use.
    pub fn after(&self, number: usize, is_useless: impl Fn() -> bool) -> Vec<Arc<str>> {
        let idle = |steps: &mut Steps| steps.last <= number && !is_useless();
        let waited = self.news.wait_timeout_while(self.lock(), WAIT, idle);
        let (steps, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let forgotten = steps.last - steps.kept.len();
        let mut bytes = 0;
        let fresh = steps.kept.iter().skip(number.saturating_sub(forgotten));
        let fits = |step: &&Arc<str>| {
            let is_room = bytes < ANSWER;
            bytes += step.len();
            is_room
        };
        fresh.take_while(fits).cloned().collect()
    }

    /// Lets all who wait look whether it still is of use.
    pub fn wake(&self) {
        // With the lock held, no thread is between looking and waiting.
        drop(self.lock());
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
