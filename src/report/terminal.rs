//! Shows events on standard error: on a terminal as one bar per phase, otherwise as plain lines.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use nopol_basics::visible;

use super::events::{Event, Observer};

/// Shows events on standard error.
#[derive(Debug)]
pub struct Terminal {
    is_terminal: bool,
    verbose: bool,
    quiet: bool,
    /// The bar of the current phase.
    bar: Mutex<ProgressBar>,
}

impl Terminal {
    /// Shows details if `verbose`, and only warnings if `quiet`.
    pub fn new(verbose: bool, quiet: bool) -> Self {
        Self {
            is_terminal: std::io::stderr().is_terminal() && !quiet,
            verbose,
            quiet,
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    fn start(&self, phase: &'static str, steps: usize) -> ProgressBar {
        let bar = match (self.is_terminal, steps) {
            (false, _) => ProgressBar::hidden(),
            (true, 0) => {
                let style = ProgressStyle::with_template("{prefix:>28} {spinner} {elapsed}");
                let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
                let bar = ProgressBar::new_spinner().with_style(style);
                bar.enable_steady_tick(Duration::from_millis(100));
                bar
            }
            (true, steps) => ProgressBar::new(steps as u64).with_style(
                ProgressStyle::with_template("{prefix:>28} {bar:30} {pos}/{len}, {eta} left")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            ),
        };
        bar.set_prefix(phase);
        bar
    }
}

/// Prints a line. Errors are ignored, because a closed pipe must not end the run.
fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{}", visible::for_people(line));
}

impl Observer for Terminal {
    fn observe(&self, event: &Event<'_>) {
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started { phase, steps } => *bar = self.start(phase, *steps),
            Event::Stepped { .. } => bar.inc(1),
            Event::Finished {
                phase,
                result,
                seconds,
                ..
            } => {
                bar.finish_and_clear();
                if !self.quiet {
                    say(&format!("{phase:>28} {result} ({seconds:.1} s)"));
                }
            }
            Event::Abandoned { .. } => bar.finish_and_clear(),
            Event::Said(line) => say(line),
            Event::Found(patch) if !self.quiet => bar.suspend(|| say(patch)),
            Event::Found(_) => {}
            Event::Detail(line) if self.verbose => say(line),
            Event::Detail(_) => {}
        }
    }
}
