//! The phases of a run. They are emitted as events and collected for the report, with the facts known before the
//! search.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::events::{Event, Observer};
use super::{PatchReport, Phase, Preparation, TestNames, snippet};

/// Emits and collects the phases of a run, and collects the facts known before the search.
pub struct Progress {
    observer: Arc<dyn Observer>,
    phases: Mutex<Vec<Phase>>,
    preparation: Mutex<Preparation>,
    abandoned: Arc<OnceLock<&'static str>>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Progress");
        shown.field("phases", &self.phases).finish_non_exhaustive()
    }
}

/// A phase in progress.
pub struct Running {
    name: &'static str,
    start: Instant,
    runs_before: u64,
    observer: Arc<dyn Observer>,
    abandoned: Arc<OnceLock<&'static str>>,
    is_finished: bool,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Running");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

impl Running {
    /// Emits that one step of the phase is done.
    pub fn step(&self) {
        self.observer.observe(&Event::Stepped { phase: self.name });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = self.abandoned.set(self.name);
            self.observer
                .observe(&Event::Abandoned { phase: self.name });
        }
    }
}

impl Progress {
    /// Progress that emits its events to an observer.
    pub fn new(observer: Arc<dyn Observer>) -> Self {
        Self {
            observer,
            phases: Mutex::default(),
            preparation: Mutex::default(),
            abandoned: Arc::default(),
        }
    }

    /// Starts a phase. `steps` is 0 if the number of its steps is unknown. `runs` is the number of test processes so
    /// far.
    pub fn start(&self, name: &'static str, steps: usize, runs: u64) -> Running {
        self.observer
            .observe(&Event::Started { phase: name, steps });
        Running {
            name,
            start: Instant::now(),
            runs_before: runs,
            observer: Arc::clone(&self.observer),
            abandoned: Arc::clone(&self.abandoned),
            is_finished: false,
        }
    }

    /// Ends a phase, with a short description of its result.
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

    /// Emits a message for the user.
    pub fn say(&self, line: &str) {
        self.observer.observe(&Event::Said(line));
    }

    /// Notes a warning about the preparation.
    pub fn warn(&self, warning: String) {
        self.prepare(|seen| seen.warnings.push(warning));
    }

    /// Notes facts about the preparation.
    pub fn prepare(&self, note: impl FnOnce(&mut Preparation)) {
        let seen = self.preparation.lock();
        note(&mut seen.unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes the facts noted about the preparation.
    pub fn take_preparation(&self) -> Preparation {
        let mut taken = Preparation::default();
        self.prepare(|seen| taken = std::mem::take(seen));
        taken
    }

    /// Emits a patch that was accepted while the search goes on.
    pub fn found(&self, patch: &PatchReport, names: &TestNames) {
        let text = snippet::so_far(&patch.shown(names));
        self.observer.observe(&Event::Found(text.trim_end()));
    }

    /// Emits a note on a patch that [`Self::found`] emitted, to everyone who has seen that patch.
    pub fn found_before(&self, line: &str) {
        self.observer.observe(&Event::Found(line));
    }

    /// Emits a message for verbose output.
    pub fn detail(&self, line: &str) {
        self.observer.observe(&Event::Detail(line));
    }

    /// The first phase that did not end normally.
    pub fn abandoned(&self) -> Option<&'static str> {
        self.abandoned.get().copied()
    }

    /// The finished phases.
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
    fn phases_are_emitted_and_collected() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&events);
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
            *events.lock().unwrap(),
            [
                "building of 2",
                "Stepped { phase: \"building\" }",
                "built by 2",
                "Said(\"mind this\")",
                "tracing of 0",
                "Abandoned { phase: \"tracing\" }",
            ]
        );
        // An abandoned phase is not part of the report.
        assert_eq!(progress.phases().len(), 1);
        assert_eq!(progress.phases()[0].runs, 2);
    }
}
