//! What the configuration of a test tool says of tests: how often one may be run again, and how many of a group run at a
//! time.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};

use super::lock;

/// The rules of a binary's tests, by name. Each of its tests runs in a process of its own.
pub type Rules = BTreeMap<String, Rule>;

/// The rules for a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// A test that fails may be run again so often; it passes if it passes once.
    pub retries: u32,
    /// Its group, if it has one.
    pub group: Option<Group>,
}

/// Tests of which only this many run at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: Arc<str>,
    /// How many.
    pub most: usize,
}

/// The number of tests that run, by group.
#[derive(Debug, Default)]
pub(super) struct Groups {
    running: Mutex<BTreeMap<Arc<str>, usize>>,
    ended: Condvar,
}

/// A running test of a group.
pub(super) struct Turn<'a> {
    groups: &'a Groups,
    name: Arc<str>,
}

impl Groups {
    /// Waits until one more test of the group may run. Tests end by themselves or are ended, so their turns do, too.
    pub(super) fn turn(&self, group: &Group) -> Turn<'_> {
        let mut running = lock(&self.running);
        while running.get(&group.name).copied().unwrap_or(0) >= group.most.max(1) {
            running = self
                .ended
                .wait(running)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *running.entry(Arc::clone(&group.name)).or_default() += 1;
        Turn {
            groups: self,
            name: Arc::clone(&group.name),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(running) = lock(&self.groups.running).get_mut(&self.name) {
            *running -= 1;
        }
        self.groups.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_so_many_of_a_group_run_at_a_time() {
        let groups = Groups::default();
        let group = |name: &str, most| Group {
            name: name.into(),
            most,
        };
        let (two, other) = (group("two", 2), group("other", 1));
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let held = groups.turn(&other);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = groups.turn(&two);
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        drop(held);
        let _again = groups.turn(&other);
        assert!((1..=2).contains(&most.into_inner()));
    }
}
