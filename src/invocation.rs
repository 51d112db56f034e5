//! One run of the tool: takes settings, emits events, and returns an outcome. The outcome of a search is kept
//! for later calls.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_basics::hash::fnv1a;
use nopol_process::run::process::Supervisor;

use crate::repair::{
    self, compiling,
    confirming::{self, Confirmation},
    debugging,
    discriminating::{self, DiscriminatingTest, Question},
    ending, identity,
    settings::{Depth, Settings},
};
use crate::report::events::{Event, Observer};
use crate::report::last::{self, Dependencies, Last};
use crate::report::progress::Progress;
use crate::report::{Ending, Outcome, Reach};
use crate::subject::ecosystem::Seen;
use crate::subject::last_file::LastFile;
use crate::subject::{Subject, SubjectError, dependencies};

/// A prepared run: the settings, and the process that starts all other processes.
#[derive(Debug)]
pub struct Invocation {
    settings: Settings,
    supervisor: Supervisor,
}

impl Invocation {
    /// Prepares a run; the time limit starts now.
    ///
    /// This forks the process. The fork, called the *warden*, starts all processes of the run, so that they end
    /// and the working copies are released even if this process is killed. **Call this while the process has a
    /// single thread**: a fork contains only the thread that made it, and locks held by other threads stay
    /// locked there forever.
    ///
    /// # Errors
    /// If the process cannot be forked.
    pub fn new(settings: Settings) -> Result<Self> {
        let supervisor = Supervisor::new(settings.time_limit)?;
        Ok(Self {
            settings,
            supervisor,
        })
    }

    /// Makes SIGINT, SIGTERM and SIGHUP stop the run, and a second signal end this process. Without this call,
    /// this process handles no signals.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn handle_signals(&self) -> Result<()> {
        self.supervisor.handle_signals()
    }

    /// A flag that stops the run once it is set to true: no further process is started, and the run waits for
    /// the current ones.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.supervisor.interrupted()
    }

    /// Runs the pipeline up to the depth in the settings. Errors become part of the outcome, and so does
    /// everything found before the run was stopped. The outcome of a completed search is kept next to the
    /// working copies, for [`last_outcome`]; [`Outcome::reach`] tells whether it is.
    pub fn run(&self, observer: Arc<dyn Observer>) -> Outcome {
        let subject = self.settings.subject();
        // Taken before anything is read, so that any later change invalidates the kept outcome.
        let depends = match (self.settings.depth, &subject) {
            (Depth::Repair, Ok(subject)) => {
                current_dependencies(&self.settings, subject, &self.settings.outputs)
            }
            (_, Ok(subject)) => {
                note_outputs(&self.settings, subject);
                None
            }
            (_, Err(_)) => None,
        };
        let progress = Progress::new(Arc::clone(&observer));
        let mut outcome = repair::run(&self.settings, subject, &self.supervisor, progress);
        let is_kept = depends.is_some_and(|(last_file, depends)| {
            let text = last::render(&outcome, &depends, &self.settings.outputs, now());
            text.is_some_and(|text| last_file.write(&text).is_ok())
        });
        if !is_kept && !outcome.patches.is_empty() {
            outcome.reach = Reach::Nothing;
            let why = "warning: these patches could not be kept, so `apply` and `explain` do not refer to them; `--apply` writes one \
                       at the end of its search";
            observer.observe(&Event::Said(why));
        }
        outcome
    }

    /// What the compiler says against the subject with these texts of its files; `None` if it accepts them.
    ///
    /// # Errors
    /// If the subject cannot be read or copied.
    pub fn refusal(
        &self,
        texts: &[(Utf8PathBuf, String)],
        observer: Arc<dyn Observer>,
    ) -> Result<Option<String>> {
        let (settings, supervisor) = (&self.settings, &self.supervisor);
        let progress = Progress::new(observer);
        compiling::refusal(settings, settings.subject(), supervisor, &progress, texts)
    }

    /// What a build of a subject shows, and what its tests show if they are to run; nothing if it cannot be built.
    pub fn as_built(
        &self,
        subject: Subject,
        runs_tests: bool,
        observer: Arc<dyn Observer>,
    ) -> Seen {
        let progress = Progress::new(observer);
        let shown = compiling::as_built(
            &self.settings,
            (subject, runs_tests),
            &self.supervisor,
            &progress,
        );
        shown.unwrap_or_default()
    }

    /// Builds the subject with these texts of its files and runs all its tests; `fixes` are the tests that it is to cure.
    ///
    /// # Errors
    /// If the subject cannot be read or copied, or the run is stopped.
    pub fn confirmation(
        &self,
        texts: &[(Utf8PathBuf, String)],
        fixes: &[String],
        observer: Arc<dyn Observer>,
    ) -> Result<Confirmation> {
        let (settings, supervisor) = (&self.settings, &self.supervisor);
        let progress = Progress::new(observer);
        confirming::confirm(
            settings,
            settings.subject(),
            supervisor,
            &progress,
            texts,
            fixes,
        )
    }

    /// Builds the subject for a debugger, and calls `then` with how one of its tests is started.
    ///
    /// # Errors
    /// Why there is nothing to debug, and its message.
    pub fn debugged<T>(
        &self,
        test: Option<&str>,
        observer: Arc<dyn Observer>,
        then: impl FnOnce(debugging::Started) -> T,
    ) -> Result<T, (Ending, String)> {
        let (settings, supervisor) = (&self.settings, &self.supervisor);
        let progress = Progress::new(observer);
        let subject = settings.subject();
        let done = debugging::with_program(settings, subject, supervisor, &progress, test, then);
        done.map_err(|error| ending::of(&error))
    }

    /// Looks for a test that distinguishes a patch from others; `None` if none is found.
    ///
    /// # Errors
    /// If the subject cannot be read or built, or the run is stopped.
    pub fn discriminating_test(
        &self,
        question: &Question,
        observer: Arc<dyn Observer>,
    ) -> Result<Option<DiscriminatingTest>> {
        let (settings, supervisor) = (&self.settings, &self.supervisor);
        let progress = Progress::new(observer);
        discriminating::find(
            settings,
            settings.subject(),
            supervisor,
            &progress,
            question,
        )
    }
}

/// What leads from the top of the subject's repository to its root, as in [`Outcome::prefix`].
pub fn prefix(settings: &Settings) -> String {
    let subject = settings.subject();
    subject.map_or_else(|_| String::new(), |subject| identity::prefix(&subject.root))
}

/// Adds the lines that a pull request shows to an earlier outcome, as the settings say now.
///
/// # Errors
/// If there is no subject, or `--diff-base` names neither a diff nor a commit.
pub fn tell_shown(settings: &Settings, outcome: &mut Outcome) -> Result<(), SubjectError> {
    let subject = settings.subject()?;
    identity::tell_shown(settings, &subject.root, &subject.root, outcome)
}

/// The dependency that says which command an outcome is of, if it is not that of a search.
const COMMAND: &str = "the command";

/// Keeps what another command than the search found, for [`last_outcome`]: its patches can be applied, but a search would find
/// others. If it cannot be written, it is not kept; whether it is. `by` is the command.
pub fn keep(settings: &Settings, outcome: &Outcome, by: &str) -> bool {
    // Patches of another command are still of use.
    if outcome.patches.is_empty()
        && let Earlier::Found {
            outcome, by: of, ..
        } = last_outcome(settings)
        && !outcome.patches.is_empty()
        && of.as_deref() != Some(by)
    {
        return false;
    }
    let Ok(subject) = settings.subject() else {
        return false;
    };
    let current = current_dependencies(settings, &subject, &settings.outputs);
    let Some((last_file, mut depends)) = current else {
        return false;
    };
    depends.insert(COMMAND.to_owned(), by.to_owned());
    // Also that nothing was found: `apply` must not write what this command found before.
    let text = last::render_any(outcome, &depends, &settings.outputs, now());
    text.is_some_and(|text| last_file.write(&text).is_ok())
}

/// The result of an earlier search.
#[derive(Clone, Debug)]
pub enum Earlier {
    /// One came to its end, or found patches before it was stopped.
    Found {
        /// What it found.
        outcome: Box<Outcome>,
        /// The command that found it, if it was another one than the search.
        by: Option<String>,
        /// Seconds since then.
        seconds: u64,
        /// Why another search may find something else, if it may.
        stale: Option<Stale>,
    },
    /// There is no earlier search, it was stopped without a patch, or its dependencies cannot be determined.
    Nothing,
}

/// Why a search may find something else than an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// What has changed, and how: `/a/b.rs is new`, `the settings have changed`.
    Changed(String),
    /// The earlier one was stopped.
    Stopped,
}

/// The outcome of the last search. Starts no process of the subject and changes nothing of it.
pub fn last_outcome(settings: &Settings) -> Earlier {
    // Dumping synthesis problems requires a search.
    if settings.dump.is_some() {
        return Earlier::Nothing;
    }
    let Ok(subject) = settings.subject() else {
        return Earlier::Nothing;
    };
    let last_file = LastFile::of(&subject, settings.work_dir.as_deref());
    let Some(last) = last_file.read().and_then(|text| last::parse(&text)) else {
        return Earlier::Nothing;
    };
    let Last {
        ended,
        dependencies,
        outputs,
        outcome,
        ..
    } = last;
    let known = outputs.len();
    let outputs: BTreeSet<PathBuf> = outputs.union(&settings.outputs).cloned().collect();
    let Some((_, mut depends)) = current_dependencies(settings, &subject, &outputs) else {
        return Earlier::Nothing;
    };
    let (made, lock) = (&outcome.made_files, outcome.made_lock.as_deref());
    dependencies::forget_made(&mut depends, &dependencies, &subject.root, made, lock);
    let changed = dependencies::changed(&dependencies, &depends);
    // What is written now must not count as a change later.
    if changed.is_none()
        && outputs.len() > known
        && let Some(text) = last::render_any(&outcome, &dependencies, &outputs, ended)
    {
        let _ = last_file.write(&text);
    }
    // An outcome that another version of the tool kept, or that was kept elsewhere, is not what the user has seen.
    match dependencies::are_foreign(&dependencies, &depends) {
        true => Earlier::Nothing,
        false => Earlier::Found {
            stale: match changed {
                Some(what) => Some(Stale::Changed(what)),
                None => outcome.ending.was_stopped().then_some(Stale::Stopped),
            },
            outcome: Box::new(outcome),
            by: dependencies.get(COMMAND).cloned(),
            seconds: now().saturating_sub(ended),
        },
    }
}

/// Notes beside the last outcome which files this run writes, so that they do not count as changes later.
fn note_outputs(settings: &Settings, subject: &Subject) {
    let last_file = LastFile::of(subject, settings.work_dir.as_deref());
    let last = last_file.read().and_then(|text| last::parse(&text));
    let Some(last) = last.filter(|last| !settings.outputs.is_subset(&last.outputs)) else {
        return;
    };
    let is_new = |path: &&PathBuf| !last.dependencies.contains_key(&path.display().to_string());
    let mut outputs = last.outputs.clone();
    outputs.extend(settings.outputs.iter().filter(is_new).cloned());
    let text = last::render_any(&last.outcome, &last.dependencies, &outputs, last.ended);
    // If it cannot be written, the next search runs again.
    let _ = text.is_some_and(|text| last_file.write(&text).is_ok());
}

/// The current dependencies of a search, and the file that keeps its outcome; `None` if they cannot be
/// determined.
fn current_dependencies(
    settings: &Settings,
    subject: &Subject,
    outputs: &BTreeSet<PathBuf>,
) -> Option<(LastFile, Dependencies)> {
    let last_file = LastFile::of(subject, settings.work_dir.as_deref());
    let mut depends = dependencies::of(subject, last_file.dir(), outputs)?;
    depends.insert(dependencies::SETTINGS.to_owned(), settings_hash(settings));
    if let Some(added) = subject.ecosystem.added_file() {
        depends.insert("the run".to_owned(), format!("{:016x}", fnv1a(&added.text)));
    }
    if let Some(version) = &settings.reference {
        depends.insert("the reference".to_owned(), dependencies::of_dir(version)?);
    }
    Some((last_file, depends))
}

/// A hash of the settings that affect the result of a search.
fn settings_hash(settings: &Settings) -> String {
    let relevant = Settings {
        jobs: None,
        time_limit: None,
        work_dir: None,
        dump: None,
        diff_base: None,
        tool: None,
        place: String::new(),
        outputs: BTreeSet::new(),
        ..settings.clone()
    };
    format!("{:016x}", fnv1a(&format!("{relevant:?}")))
}

fn now() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH);
    passed.map_or(0, |passed| passed.as_secs())
}
