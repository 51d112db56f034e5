//! What happens during a run, as it happens: events for whoever wants to show or count them.

use std::sync::Arc;

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A phase began; it has so many steps, or an unknown number if 0.
    Started { phase: &'static str, steps: usize },
    /// One of its steps is done.
    Stepped { phase: &'static str },
    /// It ended; `result` says in a few words what came of it.
    Finished {
        phase: &'static str,
        result: &'e str,
        seconds: f64,
        /// Test processes run in it.
        runs: u64,
    },
    /// It ended without a result: the run was stopped, or failed.
    Abandoned { phase: &'static str },
    /// A sentence for the user: a warning.
    Said(&'e str),
    /// A sentence for those who want to know more.
    Detail(&'e str),
}

/// Whom events are told, from whichever thread they happen in. Any `Fn(&Event)` is one.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn observe(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event<'_>) {
        self(event);
    }
}

/// Nobody is told.
pub fn silent() -> Arc<dyn Observer> {
    Arc::new(|_: &Event<'_>| {})
}
