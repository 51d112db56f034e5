//! Which runs may be in progress at the same time. A run that takes long while similar ones are short waits for
//! something other than the processor, so the next one may start.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::lock;

/// A run that takes longer is taken to wait.
const PATIENCE: Duration = Duration::from_millis(150);

/// The runs that are going on.
#[derive(Debug, Default)]
pub struct Slots {
    /// When each began.
    running: Mutex<Running>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Running {
    since: BTreeMap<u64, Instant>,
    begun: u64,
}

impl Slots {
    /// Returns as soon as fewer than `most` of the runs are younger than [`PATIENCE`].
    pub fn take(&self, most: usize) -> Slot<'_> {
        let mut running = lock(&self.running);
        loop {
            let left = running
                .since
                .values()
                .filter_map(|since| PATIENCE.checked_sub(since.elapsed()));
            let left: Vec<Duration> = left.collect();
            if left.len() < most {
                break;
            }
            let soonest = left.into_iter().min().unwrap_or(PATIENCE);
            let woken = self.freed.wait_timeout(running, soonest);
            running = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let number = running.begun;
        running.begun += 1;
        running.since.insert(number, Instant::now());
        Slot {
            slots: self,
            number,
        }
    }
}

/// The place of a run among those that are going on, until it is dropped.
#[derive(Debug)]
pub struct Slot<'s> {
    slots: &'s Slots,
    number: u64,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        lock(&self.slots.running).since.remove(&self.number);
        self.slots.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_starts_when_another_ends_or_is_seen_to_wait() {
        let slots = Slots::default();
        let first = slots.take(1);
        // Nobody drops the first: it is the wait that makes room.
        let second = slots.take(1);
        assert_eq!(lock(&slots.running).since.len(), 2);
        drop((first, second));
        let _third = slots.take(1);
        assert_eq!(lock(&slots.running).since.len(), 1);
    }
}
