//! How a user ends a search that then shows what it found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use nopol_basics::deadline::Deadline;

/// What ends a search before its time: the user, where something listens to signals.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserStop(Option<&'static AtomicBool>);

impl UserStop {
    /// Once this is set.
    pub const fn on(wanted: Option<&'static AtomicBool>) -> Self {
        Self(wanted)
    }

    /// What is set.
    pub const fn flag(self) -> Option<&'static AtomicBool> {
        self.0
    }

    /// Whether the user wants the search to end.
    pub fn is_wanted(self) -> bool {
        self.0.is_some_and(|wanted| wanted.load(Ordering::SeqCst))
    }

    /// This time, or as soon as the user wants it.
    pub fn or_at(self, end: Option<Instant>) -> Deadline {
        match self.0 {
            Some(wanted) => Deadline::Wanted(end, wanted),
            None => Deadline::from(end),
        }
    }
}
