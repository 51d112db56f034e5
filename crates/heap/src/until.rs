//! When a search must end: at a time, or as soon as its user wants it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When a search must end; never by default. Every loop whose length depends on the program asks it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Until<'u> {
    /// The time, if there is one.
    pub deadline: Option<Instant>,
    /// What is set once the user wants the search to end.
    pub asked: Option<&'u AtomicBool>,
}

impl Until<'_> {
    /// At this time.
    pub const fn at(deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            asked: None,
        }
    }

    /// Whether the user wants it to end.
    pub fn is_asked(self) -> bool {
        self.asked.is_some_and(|asked| asked.load(Ordering::SeqCst))
    }

    /// Whether it must end.
    pub fn is_over(self) -> bool {
        self.is_asked() || self.deadline.is_some_and(|at| Instant::now() >= at)
    }
}
