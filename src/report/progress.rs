//! The phases of a run as they go by: told as events, and remembered for the report.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Phase;
use super::events::{Event, Observer};

/// Tells of phases and remembers them.
pub struct Progress {
    observer: Arc<dyn Observer>,
    phases: Mutex<Vec<Phase>>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Progress");
        shown.field("phases", &self.phases).finish_non_exhaustive()
    }
}

/// A phase under way.
pub struct Running {
    name: &'static str,
    start: Instant,
    runs_before: u64,
    observer: Arc<dyn Observer>,
    is_finished: bool,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Running");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

impl Running {
    /// One of the phase's steps is done.
    pub fn step(&self) {
        self.observer.observe(&Event::Stepped { phase: self.name });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_finished {
            self.observer
                .observe(&Event::Abandoned { phase: self.name });
        }
    }
}

impl Progress {
    /// Progress that is told to an observer.
    pub fn new(observer: Arc<dyn Observer>) -> Self {
        Self {
            observer,
            phases: Mutex::default(),
        }
    }

    /// Starts a phase of `steps` steps, or of an unknown number if 0. `runs` is the number of test
    /// processes so far.
    pub fn start(&self, name: &'static str, steps: usize, runs: u64) -> Running {
        self.observer
            .observe(&Event::Started { phase: name, steps });
        Running {
            name,
            start: Instant::now(),
            runs_before: runs,
            observer: Arc::clone(&self.observer),
            is_finished: false,
        }
    }

    /// Ends a phase; `result` says in a few words what came of it.
    pub fn finish(&self, mut running: Running, runs: u64, result: &str) {
        running.is_finished = true;
        let seconds = running.start.elapsed().as_secs_f64();
        let runs = runs.saturating_sub(running.runs_before);
        self.observer.observe(&Event::Finished {
            phase: running.name,
            result,
            seconds,
            runs,
        });
        self.lock().push(Phase {
            name: running.name.into(),
            seconds,
            runs,
        });
    }

    /// A sentence for the user.
    pub fn say(&self, line: &str) {
        self.observer.observe(&Event::Said(line));
    }

    /// A sentence for those who want to know more.
    pub fn detail(&self, line: &str) {
        self.observer.observe(&Event::Detail(line));
    }

    /// The phases so far.
    pub fn phases(&self) -> Vec<Phase> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Phase>> {
        self.phases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::Progress;
    use crate::report::events::Event;

    #[test]
    fn phases_are_told_as_they_go_and_remembered() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&told);
        let progress = Progress::new(Arc::new(move |event: &Event<'_>| {
            seen.lock().unwrap().push(match event {
                Event::Started { phase, steps } => format!("{phase} of {steps}"),
                Event::Finished { result, runs, .. } => format!("{result} by {runs}"),
                other => format!("{other:?}"),
            });
        }));
        let building = progress.start("building", 2, 3);
        building.step();
        progress.finish(building, 5, "built");
        progress.say("mind this");
        drop(progress.start("tracing", 0, 5));
        assert_eq!(
            *told.lock().unwrap(),
            [
                "building of 2",
                "Stepped { phase: \"building\" }",
                "built by 2",
                "Said(\"mind this\")",
                "tracing of 0",
                "Abandoned { phase: \"tracing\" }",
            ]
        );
        // What came to nothing is no phase of the report.
        assert_eq!(progress.phases().len(), 1);
        assert_eq!(progress.phases()[0].runs, 2);
    }
}
