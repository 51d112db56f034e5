//! Running tests. Each test runs in a process of its own, with a time limit, fuel, private directories and a
//! process group that is killed at the end. Also reads the traces that the runs leave. Knows nothing about
//! syntax.

mod binary;
pub mod command;
pub mod confine;
pub mod id;
pub mod interrupt;
mod launch;
pub mod memcheck;
mod output;
mod plan;
pub mod pool;
pub mod preload;
pub mod process;
pub mod rules;
pub mod sandbox;
mod sanitizer;
mod server;
mod slots;
pub mod stack;
pub mod suite;
mod together;
pub mod trace;
mod verdict;
mod warden;
pub mod watch;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

pub use self::binary::{Binary, Commands, Harness, WHOLE};
use self::command::Progress;
use self::confine::{Circumstances, Confinement};
use self::launch::Launch;
pub use self::plan::{Forced, How, Plan, Sequence, Trials, When, tracing};
use self::process::{NotStarted, Supervisor};
use self::rules::Groups;
use self::server::Servers;
use self::slots::Slots;
use self::stack::Crashing;
use self::trace::Trace;
pub use self::verdict::{Verdict, summary};
use crate::copy::tree::Change;

/// Bytes for recorded contexts in a run, and in its repetition if they were too few. The larger log is not
/// the default: although the file is sparse, the kernel's cost of mapping it grows with its length, and a
/// short run would take five times as long.
const LOG: u64 = 1 << 20;
const LARGE_LOG: u64 = 16 << 20;

/// The result of one run of one test.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// How the test ended.
    pub verdict: Verdict,
    /// Wall time.
    pub seconds: f64,
    /// What the runtime recorded in all processes of the test; `None` if the run was not traced.
    pub trace: Option<Trace>,
    /// The end of the test's output; empty if it passed.
    pub output: String,
    /// How close the test came to passing, if its harness can tell.
    pub progress: Option<Progress>,
    /// Why the test failed, if its harness can tell.
    pub failure_reason: Option<String>,
    /// The signal that ended the test, if one did.
    pub signal: Option<&'static str>,
}

/// Runs that may wait, for each that may compute.
const WAITING: usize = 10;

/// Runs tests.
#[derive(Debug)]
pub struct Runner<'a> {
    supervisor: &'a Supervisor,
    confinement: &'a Confinement,
    /// The user's arguments for test binaries.
    args: Vec<String>,
    /// Maximum number of concurrent processes that compute, as long as tests do not disturb one another.
    jobs: usize,
    /// Tests run one after the other.
    is_serial: AtomicBool,
    runs: AtomicU64,
    /// The number of run directories made so far.
    dirs: AtomicU64,
    /// Makes a process a fork server.
    library: Option<Utf8PathBuf>,
    servers: Servers,
    /// Run directories that are not in use; they have been cleared.
    idle_dirs: Mutex<Vec<Utf8PathBuf>>,
    /// Some tests were seen to pass in separate processes but not together in one.
    needs_isolation: AtomicBool,
    groups: Groups,
    slots: Slots,
    crashing: Crashing,
    /// Changes that tests made to files of the working copy, by test.
    damage: Mutex<BTreeMap<String, BTreeSet<Change>>>,
}

impl<'a> Runner<'a> {
    /// `args` are the user's arguments for test binaries. Filters among them are dropped: they have already
    /// selected the tests. With the `library` of [`preload::library`] instrumented programs serve runs.
    pub fn new(
        supervisor: &'a Supervisor,
        confinement: &'a Confinement,
        args: &[String],
        jobs: usize,
        library: Option<Utf8PathBuf>,
    ) -> Self {
        const RESERVED: [&str; 4] = ["--exact", "--nocapture", "--no-capture", "--show-output"];
        let mut kept = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--test-threads" || arg == "--skip" || arg == "--format" || arg == "--color" {
                args.next();
            } else if arg.starts_with("--")
                && !RESERVED.contains(&arg.as_str())
                && !arg.contains('=')
            {
                kept.push(arg.clone());
            }
        }
        Self {
            supervisor,
            confinement,
            args: kept,
            jobs,
            is_serial: AtomicBool::new(false),
            runs: AtomicU64::new(0),
            dirs: AtomicU64::new(0),
            library,
            servers: Servers::default(),
            idle_dirs: Mutex::new(Vec::new()),
            needs_isolation: AtomicBool::new(false),
            groups: Groups::default(),
            slots: Slots::default(),
            crashing: Crashing::default(),
            damage: Mutex::default(),
        }
    }

    /// The files of the working copy that tests changed or removed in some run, by test. They were restored
    /// after each run.
    pub fn damage(&self) -> BTreeMap<String, BTreeSet<Change>> {
        lock(&self.damage).clone()
    }

    /// Maximum number of concurrent processes that compute.
    pub fn jobs(&self) -> usize {
        match self.is_serial.load(Ordering::Relaxed) {
            true => 1,
            false => self.jobs,
        }
    }

    /// The most runs that are worth starting at a time where tests are short: those that wait for what never comes leave
    /// the processor to others ([`slots`]).
    pub fn short_runs(&self) -> usize {
        match self.jobs() {
            1 => 1,
            jobs => jobs * WAITING,
        }
    }

    /// From now on, tests run one after the other, or no longer so.
    pub fn set_serial(&self, is_serial: bool) {
        self.is_serial.store(is_serial, Ordering::Relaxed);
    }

    /// From now on these tests, which crash without instrumentation, get no more stack with it ([`stack`]).
    pub fn keep_stack(&self, crashing: impl IntoIterator<Item = String>) {
        self.crashing.add(crashing);
    }

    /// The number of test processes started so far.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs one test in a process of its own: a new one, or the child of a server.
    ///
    /// # Errors
    /// If the run was interrupted, or the process cannot be started.
    pub fn run(&self, binary: &Binary, test: &str, plan: &Plan) -> Result<TestRun> {
        let rule = binary.rules.as_ref().and_then(|rules| rules.get(test));
        let group = rule.and_then(|rule| rule.group.as_ref());
        let _turn = group.map(|group| self.groups.turn(group));
        let _slot = self.slots.take(self.jobs());
        let run = self.run_recorded(binary, test, plan)?;
        let is_over = |run: &TestRun| run.verdict.passed() || run.verdict == Verdict::Ignored;
        // What comes of forced outcomes is seen as it comes.
        let retries = match plan.force.is_empty() && !is_over(&run) {
            true => rule.map_or(0, |rule| rule.retries),
            false => 0,
        };
        for _ in 0..retries {
            let again = self.run_recorded(binary, test, plan)?;
            if is_over(&again) {
                return Ok(again);
            }
        }
        Ok(run)
    }

    /// Runs a test once, with a log that has room for what it records.
    fn run_recorded(&self, binary: &Binary, test: &str, plan: &Plan) -> Result<TestRun> {
        let run = self.run_once(binary, test, plan, LOG)?;
        match run.trace.as_ref().is_some_and(|trace| trace.is_full) {
            true => self.run_once(binary, test, plan, LARGE_LOG),
            false => Ok(run),
        }
    }

    fn run_once(&self, binary: &Binary, test: &str, plan: &Plan, log: u64) -> Result<TestRun> {
        let serve = || self.serve(binary, test, plan, log);
        let (served, changes) = binary.tree.guard(test, serve)?;
        self.note(test, changes);
        if let Some(run) = served {
            return Ok(run);
        }
        // If a server was lost, the tree is as it was again.
        let (run, changes) = binary.tree.guard(test, || {
            self.with_run_dir(|dir| self.run_in(dir, binary, test, plan, log))
        })?;
        self.note(test, changes);
        Ok(run)
    }

    fn note(&self, test: &str, changes: Vec<Change>) {
        // Changes that git makes inside a repository are not damage.
        let is_damage = |change: &Change| change.is_damage && !change.path.starts_with(".git");
        let damage: Vec<Change> = changes.into_iter().filter(is_damage).collect();
        if !damage.is_empty() {
            let mut known = lock(&self.damage);
            known.entry(test.to_owned()).or_default().extend(damage);
        }
    }

    /// Calls `run` with a run directory.
    fn with_run_dir<T>(&self, run: impl FnOnce(&Utf8Path) -> Result<T>) -> Result<T> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let dir = self.run_dir()?;
        let result = run(&dir);
        self.give_back(dir);
        result
    }

    /// A directory that contains an empty `home` and `tmp`. Creating one costs as much as a short test, so
    /// directories are reused.
    fn run_dir(&self) -> Result<Utf8PathBuf> {
        if let Some(dir) = lock(&self.idle_dirs).pop() {
            return Ok(dir);
        }
        let number = self.dirs.fetch_add(1, Ordering::Relaxed);
        // All names have the same length, because the size of the environment shifts the stack.
        let dir = self.confinement.scratch.join(format!("run-{number:06}"));
        self.confinement.prepare(&dir)?;
        Ok(dir)
    }

    /// A directory that cannot be cleared is abandoned; it is removed together with the scratch directory.
    fn give_back(&self, dir: Utf8PathBuf) {
        if self.confinement.clear(&dir).is_ok() {
            lock(&self.idle_dirs).push(dir);
        }
    }

    /// Whether the sandbox reliably prevents writes outside of the permitted directories.
    pub fn is_enforced(&self) -> bool {
        self.confinement.is_enforced()
    }

    /// Runs a test under other circumstances than fully confined; `None` if it could then write to the user's
    /// files, or if only the build makes the directory that it runs in or the interpreter of its script.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn run_under(
        &self,
        binary: &Binary,
        test: &str,
        timeout: Duration,
        circumstances: Circumstances,
    ) -> Result<Option<TestRun>> {
        let has_dir = || Ok::<_, anyhow::Error>(binary.users_dir(test)?.is_dir());
        if !self.confinement.is_enforced() || circumstances.cwd && !has_dir()? {
            return Ok(None);
        }
        let plan = Plan {
            timeout,
            circumstances,
            ..Plan::default()
        };
        match self.run(binary, test, &plan) {
            Err(error) if circumstances.cwd && error.is::<NotStarted>() => Ok(None),
            run => run.map(Some),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
