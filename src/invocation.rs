//! One run of the tool for a caller: settings in, an outcome out, events on the way. What a search found is
//! kept for the next call.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::hash::fnv1a;
use crate::repair::{
    self,
    settings::{Depth, Settings},
};
use crate::report::Outcome;
use crate::report::events::Observer;
use crate::report::last::{self, Dependencies, Last};
use crate::report::progress::Progress;
use crate::run::process::Supervisor;
use crate::subject::dependencies;
use crate::subject::kept::Place;

/// A run to be: the settings, and the process that starts all others.
#[derive(Debug)]
pub struct Invocation {
    settings: Settings,
    supervisor: Supervisor,
}

impl Invocation {
    /// Makes everything ready; the time limit counts from now on.
    ///
    /// This forks this process: the fork, the *warden*, starts all processes of the run, so that they end and
    /// the working copies go even if this process is killed. **To be called while this process has one
    /// thread**, for a fork has only the thread that made it; locks that others held are held there forever.
    ///
    /// # Errors
    /// If the system gives no process.
    pub fn new(settings: Settings) -> Result<Self> {
        let supervisor = Supervisor::new(settings.time_limit)?;
        Ok(Self {
            settings,
            supervisor,
        })
    }

    /// Makes SIGINT, SIGTERM and SIGHUP stop the run, and a second one end this process. Without this call no
    /// signal is handled in this process.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn handle_signals(&self) -> Result<()> {
        self.supervisor.handle_signals()
    }

    /// What stops the run once it is set to true: no further process is started, and those under way are waited
    /// for.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.supervisor.interrupted()
    }

    /// Goes as far as the settings say. Whatever happens is part of the outcome; what was found before the run
    /// was stopped, too. The outcome of a search that came to its end is kept beside the working copies, for
    /// [`last_outcome`].
    pub fn run(&self, observer: Arc<dyn Observer>) -> Outcome {
        // Taken before anything is read: what changes from now on makes the outcome one of something else.
        let depends = match self.settings.depth {
            Depth::Repair => look(&self.settings),
            Depth::List | Depth::Localize => None,
        };
        let progress = Progress::new(observer);
        let outcome = repair::run(&self.settings, &self.supervisor, progress);
        if let Some((place, depends)) = depends
            && let Some(text) = last::render(&outcome, &depends, now())
        {
            // Where nothing can be written the next call searches again.
            let _ = place.write(&text);
        }
        outcome
    }
}

/// What there is of an earlier search.
#[derive(Clone, Debug)]
pub enum Earlier {
    /// Its outcome, and how many seconds ago it was; a search would have the same outcome now.
    Holds(Box<Outcome>, u64),
    /// Something that it depends on has changed since.
    Changed(String),
    /// There was none, or it was stopped, or this cannot be told.
    Nothing,
}

/// The outcome of the last search with such settings, if nothing that it depends on has changed: the
/// subject's files, settings, the compiler, the tool. Starts no process of the subject and changes nothing.
pub fn last_outcome(settings: &Settings) -> Earlier {
    // What is to be written down takes a search.
    if settings.dump.is_some() {
        return Earlier::Nothing;
    }
    let Some((place, depends)) = look(settings) else {
        return Earlier::Nothing;
    };
    let Some(last) = place.read().and_then(|text| last::parse(&text)) else {
        return Earlier::Nothing;
    };
    let Last {
        ended,
        dependencies,
        outcome,
    } = last;
    match dependencies::changed(&dependencies, &depends) {
        Some(what) => Earlier::Changed(what),
        None => Earlier::Holds(Box::new(outcome), now().saturating_sub(ended)),
    }
}

/// What the outcome of a search depends on now, and where it is kept; `None` if that cannot be told.
fn look(settings: &Settings) -> Option<(Place, Dependencies)> {
    let subject = settings.subject().ok()?;
    let place = Place::of(&subject, settings.work_dir.as_deref());
    let mut depends = dependencies::of(&subject, place.dir())?;
    depends.insert("the settings".to_owned(), deciding(settings));
    Some((place, depends))
}

/// A hash of the settings that decide what a search finds.
fn deciding(settings: &Settings) -> String {
    let deciding = Settings {
        jobs: None,
        time_limit: None,
        work_dir: None,
        dump: None,
        tool: None,
        ..settings.clone()
    };
    format!("{:016x}", fnv1a(&format!("{deciding:?}")))
}

fn now() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH);
    passed.map_or(0, |passed| passed.as_secs())
}
