//! Progress on standard error: a bar per phase on a terminal, a plain line otherwise; and the
//! account of phases for the report.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Phase;

/// Shows phases and remembers them.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    verbose: bool,
    phases: Mutex<Vec<Phase>>,
}

/// A phase under way.
#[derive(Debug)]
pub struct Running {
    name: &'static str,
    start: Instant,
    runs_before: u64,
    bar: ProgressBar,
}

impl Running {
    /// One of the phase's steps is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Progress {
    /// Progress for the standard error of this process.
    pub fn new(verbose: bool) -> Self {
        Self {
            terminal: std::io::stderr().is_terminal(),
            verbose,
            phases: Mutex::default(),
        }
    }

    /// Starts a phase of `steps` steps, or of an unknown number if 0. `runs` is the number of test
    /// processes so far.
    pub fn start(&self, name: &'static str, steps: usize, runs: u64) -> Running {
        let bar = match (self.terminal, steps) {
            (false, _) => ProgressBar::hidden(),
            (true, 0) => {
                let bar = ProgressBar::new_spinner();
                bar.enable_steady_tick(Duration::from_millis(100));
                bar
            }
            (true, steps) => ProgressBar::new(steps as u64).with_style(
                ProgressStyle::with_template("{prefix:>28} {bar:30} {pos}/{len}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            ),
        };
        bar.set_prefix(name);
        bar.set_message(name);
        Running {
            name,
            start: Instant::now(),
            runs_before: runs,
            bar,
        }
    }

    /// Ends a phase; `result` says in a few words what came of it.
    pub fn finish(&self, running: Running, runs: u64, result: &str) {
        running.bar.finish_and_clear();
        let seconds = running.start.elapsed().as_secs_f64();
        let runs = runs.saturating_sub(running.runs_before);
        self.say(&format!("{:>28} {result} ({seconds:.1} s)", running.name));
        self.lock().push(Phase {
            name: running.name,
            seconds,
            runs,
        });
    }

    /// A line of its own.
    pub fn say(&self, line: &str) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }

    /// A line that only `-v` shows.
    pub fn detail(&self, line: &str) {
        if self.verbose {
            self.say(line);
        }
    }

    /// The phases so far.
    pub fn phases(&self) -> Vec<Phase> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Phase>> {
        self.phases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
