//! Trials: a doctest's program runs once more with each set of candidates that is on trial at a site where it arrives. So the
//! doctests are compiled once for all sets.

use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::layout::env;
use crate::trace::Trace;

/// The sets of candidates on trial.
pub(crate) struct Trials {
    sets: Vec<Set>,
    /// The longest time of a run.
    limit: Duration,
    /// Whether this program passes without candidates, once that is known.
    passes_without: OnceLock<bool>,
}

struct Set {
    /// As in [`env::SELECT`].
    select: String,
    sites: Vec<u32>,
    is_done: Mutex<bool>,
}

impl Trials {
    pub(crate) fn from_env() -> Self {
        let text = std::env::var(env::TRIALS).unwrap_or_default();
        let sets = text.split('+').filter(|select| !select.is_empty());
        let site = |pair: &str| pair.split_once('=')?.0.parse().ok();
        let limit = std::env::var(env::TRIAL_LIMIT).ok();
        let limit = limit.and_then(|limit| limit.parse().ok()).unwrap_or(0);
        Self {
            sets: sets
                .map(|select| Set {
                    select: select.to_owned(),
                    sites: select.split(',').filter_map(site).collect(),
                    is_done: Mutex::new(false),
                })
                .collect(),
            limit: Duration::from_millis(limit),
            passes_without: OnceLock::new(),
        }
    }

    /// The sites of all sets.
    pub(crate) fn sites(&self) -> impl Iterator<Item = u32> + '_ {
        self.sets.iter().flat_map(|set| set.sites.iter().copied())
    }

    /// Tries the sets that change this site and were not tried in this process. The sets are counted like sites, behind those
    /// of the subject: one that is tried is entered, one that passes is true.
    pub(crate) fn arrive(&self, site: u32, trace: &Trace) {
        for (nth, set) in self.sets.iter().enumerate() {
            if !set.sites.contains(&site) {
                continue;
            }
            let was_done = {
                let mut is_done = set.is_done.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::replace(&mut *is_done, true)
            };
            if was_done {
                continue;
            }
            let behind = trace.sites() - self.sets.len() as u32 + nth as u32;
            trace.count(behind, 0);
            // A program that does not pass when it runs twice shows nothing.
            let passes_without = || *self.passes_without.get_or_init(|| self.passes(""));
            if passes_without() && self.passes(&set.select) {
                trace.count(behind, 2);
            }
        }
    }

    /// Whether this program passes in a process of its own with these candidates.
    fn passes(&self, select: &str) -> bool {
        let Ok(program) = std::env::current_exe() else {
            return false;
        };
        let child = Command::new(program)
            .args(std::env::args_os().skip(1))
            .env_remove(env::TRACE)
            .env_remove(env::TRIALS)
            .env(env::SELECT, select)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            return false;
        };
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) if start.elapsed() < self.limit => {}
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return false;
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
