//! The events of a run, for observers that show or count them.

use std::sync::Arc;

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A phase started.
    Started {
        /// The phase's name.
        phase: &'static str,
        /// The number of its steps; 0 if unknown.
        steps: usize,
    },
    /// One step of a phase is done.
    Stepped {
        /// The phase's name.
        phase: &'static str,
    },
    /// A phase ended.
    Finished {
        /// The phase's name.
        phase: &'static str,
        /// A short description of its result.
        result: &'e str,
        /// Wall time, in seconds.
        seconds: f64,
        /// The number of test processes that ran in it.
        runs: u64,
    },
    /// A phase ended without a result, because the run was stopped or failed.
    Abandoned {
        /// The phase's name.
        phase: &'static str,
    },
    /// A message to the user: a warning.
    Said(&'e str),
    /// A patch that was accepted while the search goes on, with ANSI colours, or a note on what became of it.
    Found(&'e str),
    /// A message for verbose output.
    Detail(&'e str),
}

/// Receives events, from any thread. Every `Fn(&Event)` is an observer.
pub trait Observer: Send + Sync {
    /// Receives an event.
    fn observe(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event<'_>) {
        self(event);
    }
}

/// An observer that ignores all events.
pub fn silent() -> Arc<dyn Observer> {
    Arc::new(|_: &Event<'_>| {})
}
