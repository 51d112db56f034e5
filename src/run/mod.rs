//! Running tests: one test is one process, with a time limit, fuel, its own place for files, and
//! a process group that is killed. Reads the traces they leave. Knows no syntax.

pub mod command;
pub mod confine;
pub mod id;
pub mod pool;
pub mod process;
pub mod sandbox;
pub mod suite;
mod together;
pub mod trace;
mod verdict;
mod warden;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_instrument::layout::env;

use self::command::{Case, Progress};
use self::confine::{Circumstances, Confinement};
use self::process::{Ended, Job, Limits, Supervisor};
use self::trace::Trace;
pub use self::verdict::{Verdict, summary};
use crate::copy::tree::{Change, Tree};
use crate::hash::fnv1a;

/// A built target that has tests, and what it needs to run.
#[derive(Clone, Debug)]
pub struct Binary {
    /// A test binary; empty if each test is a command of its own.
    pub exe: Utf8PathBuf,
    /// The package's directory, or the working copy's root.
    pub cwd: Utf8PathBuf,
    /// The same in the subject itself.
    pub original: Utf8PathBuf,
    pub env: Vec<(String, String)>,
    pub harness: Harness,
    /// The working copy that it runs in.
    pub tree: Arc<Tree>,
    /// Where it may write beside that.
    pub writable: Vec<Utf8PathBuf>,
}

impl Binary {
    /// Whether a path was compiled into the test binary.
    pub fn has_compiled_in(&self, path: &Utf8Path) -> bool {
        let bytes = fs::read(&self.exe).unwrap_or_default();
        memchr::memmem::find(&bytes, path.as_str().as_bytes()).is_some()
    }
}

/// How the tests of a target are run and judged.
#[derive(Clone, Debug)]
pub enum Harness {
    /// Rust's own, or one that follows it.
    Standard {
        /// It does not take `--nocapture`.
        captures: bool,
    },
    Commands(Arc<Commands>),
}

/// Tests that are commands, by name.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    pub cases: BTreeMap<String, Case>,
    /// They need more addresses than any limit would leave them: a sanitizer's shadow.
    pub needs_addresses: bool,
}

impl Harness {
    /// Whether it does not take `--nocapture`.
    pub fn captures(&self) -> bool {
        matches!(self, Self::Standard { captures: true })
    }
}

/// What a forced outcome is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    Set(bool),
    /// The opposite of what the condition yields.
    Flip,
}

/// Which evaluations of a site in its thread, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    Always,
    At(u32),
    /// All before this one.
    Until(u32),
    /// This one and all after it.
    From(u32),
}

/// How an outcome is forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Forced {
    pub how: How,
    pub when: When,
    /// The condition is not evaluated at all, because it would panic; otherwise it is evaluated
    /// and its outcome overridden, which keeps its side effects.
    pub blind: bool,
}

/// What is forced at a site in one run; of several the first that means an evaluation counts.
pub type Sequence = Vec<Forced>;

/// What the runtime in the subject is asked to do in one run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Trace this many sites; `None` leaves the instrumentation off.
    pub sites: Option<usize>,
    pub force: Vec<(u32, Sequence)>,
    pub capture: Vec<u32>,
    /// Candidate numbers by site.
    pub select: Vec<(u32, u32)>,
    /// Loop iterations.
    pub fuel: Option<u64>,
    /// Wall-clock limit, the outer guard behind `fuel`.
    pub timeout: Duration,
    /// In what the run is not confined.
    pub as_users: Circumstances,
}

impl Plan {
    /// The environment that tells the runtime, nothing where it has nothing to do.
    fn env(&self, trace: &Utf8Path, test: &str, log: u64) -> Vec<(String, String)> {
        let list = |items: Vec<String>| items.join(",");
        let mut vars = Vec::new();
        let mut set = |name: &str, value: String| vars.push((name.to_string(), value));
        if let Some(sites) = self.sites {
            set(env::TRACE, trace.to_string());
            set(env::SITES, sites.to_string());
            let log = if self.capture.is_empty() { 0 } else { log };
            set(env::LOG, log.to_string());
        }
        if self.force.iter().any(|(_, sequence)| !sequence.is_empty()) {
            let pair = |(site, forced): &(u32, Forced)| {
                let how = match (forced.how, forced.blind) {
                    (How::Set(true), false) => 't',
                    (How::Set(false), false) => 'f',
                    (How::Set(true), true) => 'T',
                    (How::Set(false), true) => 'F',
                    (How::Flip, _) => 'x',
                };
                let when = match forced.when {
                    When::Always => String::new(),
                    When::At(at) => format!("@{at}"),
                    When::Until(end) => format!("@..{end}"),
                    When::From(start) => format!("@{start}.."),
                };
                format!("{site}={how}{when}")
            };
            let each = |(site, forced): &(u32, Sequence)| {
                let site = *site;
                forced
                    .iter()
                    .map(move |forced| (site, *forced))
                    .collect::<Vec<_>>()
            };
            let pairs: Vec<(u32, Forced)> = self.force.iter().flat_map(each).collect();
            let pairs = pairs.iter().map(pair);
            set(env::FORCE, list(pairs.collect()));
        }
        if !self.capture.is_empty() {
            set(
                env::CAPTURE,
                list(self.capture.iter().map(u32::to_string).collect()),
            );
        }
        if !self.select.is_empty() {
            let pairs = self
                .select
                .iter()
                .map(|(site, number)| format!("{site}={number}"));
            set(env::SELECT, list(pairs.collect()));
        }
        if let Some(fuel) = self.fuel {
            set(env::FUEL, fuel.to_string());
        }
        if !vars.is_empty() {
            // Each test has its own, so that tests that run at once do not invent the same names.
            vars.push((env::SEED.to_string(), fnv1a(test).to_string()));
        }
        vars
    }
}

/// Room for recorded contexts in one run, and in a second one if that was not enough. The file is sparse,
/// and yet the system gives out memory for it by its length: five times the time of a short run.
const LOG: u64 = 1 << 20;
const LARGE_LOG: u64 = 16 << 20;

/// The result of one run of one test.
#[derive(Debug)]
pub struct TestRun {
    pub verdict: Verdict,
    pub seconds: f64,
    /// What the runtime recorded, all processes of the test together; `None` if not traced.
    pub trace: Option<Trace>,
    /// The end of what the test printed.
    pub output: String,
    /// How near it came to passing, where that can be told.
    pub progress: Option<Progress>,
    /// What was wrong with how it ended, where that can be told.
    pub why: Option<String>,
}

/// Runs tests.
#[derive(Debug)]
pub struct Runner<'a> {
    supervisor: &'a Supervisor,
    confinement: &'a Confinement,
    /// The user's arguments for the test binaries.
    args: Vec<String>,
    /// Processes at a time.
    pub jobs: usize,
    runs: AtomicU64,
    /// Directories that no run uses now, each with what the one before left cleared away.
    free: Mutex<Vec<Utf8PathBuf>>,
    /// Tests were seen to pass each in a process of its own, and not all in one.
    apart: AtomicBool,
    /// What tests did to files of the working copy, by test.
    damage: Mutex<BTreeMap<String, BTreeSet<Change>>>,
}

impl<'a> Runner<'a> {
    /// `args` are the user's arguments for test binaries; filters among them chose the tests and
    /// must not do so again.
    pub fn new(
        supervisor: &'a Supervisor,
        confinement: &'a Confinement,
        args: &[String],
        jobs: usize,
    ) -> Self {
        const OURS: [&str; 4] = ["--exact", "--nocapture", "--no-capture", "--show-output"];
        let mut kept = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--test-threads" || arg == "--skip" || arg == "--format" || arg == "--color" {
                args.next();
            } else if arg.starts_with("--") && !OURS.contains(&arg.as_str()) && !arg.contains('=') {
                kept.push(arg.clone());
            }
        }
        Self {
            supervisor,
            confinement,
            args: kept,
            jobs,
            runs: AtomicU64::new(0),
            free: Mutex::new(Vec::new()),
            apart: AtomicBool::new(false),
            damage: Mutex::default(),
        }
    }

    /// The files of the working copy that tests changed or removed in some run, by test; they were put
    /// back each time.
    pub fn damage(&self) -> BTreeMap<String, BTreeSet<Change>> {
        lock(&self.damage).clone()
    }

    /// How many test processes were started so far.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs one test in a process of its own.
    ///
    /// # Errors
    /// If the run was interrupted, or the process cannot be started.
    pub fn run(&self, binary: &Binary, test: &str, plan: &Plan) -> Result<TestRun> {
        let (run, changes) = binary.tree.guard(test, || {
            let mut run = self.in_a_dir(|dir| self.run_in(dir, binary, test, plan, LOG))?;
            if run.trace.as_ref().is_some_and(|trace| trace.is_full) {
                run = self.in_a_dir(|dir| self.run_in(dir, binary, test, plan, LARGE_LOG))?;
            }
            Ok(run)
        })?;
        self.note(test, changes);
        Ok(run)
    }

    fn note(&self, test: &str, changes: Vec<Change>) {
        // What git does in a repository is no damage.
        let is_damage = |change: &Change| change.is_damage && !change.path.starts_with(".git");
        let damage: Vec<Change> = changes.into_iter().filter(is_damage).collect();
        if !damage.is_empty() {
            let mut known = lock(&self.damage);
            known.entry(test.to_owned()).or_default().extend(damage);
        }
    }

    /// Gives a run a directory with a `home` and a `tmp`. To make one costs as much as a short test, so
    /// they are used again.
    fn in_a_dir<T>(&self, run: impl FnOnce(&Utf8Path) -> Result<T>) -> Result<T> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let free = lock(&self.free).pop();
        let dir = match free {
            Some(dir) => dir,
            None => {
                // Names of one length: what is in the environment moves the stack.
                let dir = self.confinement.scratch.join(format!("run-{number:06}"));
                self.confinement.prepare(&dir)?;
                dir
            }
        };
        let result = run(&dir);
        // What cannot be cleared goes with the scratch.
        if self.confinement.clear(&dir).is_ok() {
            lock(&self.free).push(dir);
        }
        result
    }

    /// Runs something of a binary with its output in a directory.
    fn start(&self, dir: &Utf8Path, binary: &Binary, start: Start) -> Result<Ended> {
        let own = start.as_users;
        let mut vars = binary.env.clone();
        vars.push(("RUST_BACKTRACE".to_string(), "0".to_string()));
        vars.extend(self.confinement.env(dir, own));
        vars.extend(start.vars);
        let mut writable = vec![dir.to_owned()];
        let (mut program, mut cwd) = (start.program, start.cwd);
        if own.place {
            if program.as_str().contains('/') {
                program = cwd.join(program);
            }
            cwd = match cwd.strip_prefix(&binary.cwd) {
                Ok(below) => binary.original.join(below),
                Err(_) => binary.original.clone(),
            };
            for (_, value) in &mut vars {
                if let Ok(below) = Utf8Path::new(value).strip_prefix(&binary.cwd) {
                    *value = binary.original.join(below).to_string();
                }
            }
        } else {
            writable.push(binary.tree.top().to_owned());
            writable.extend(binary.writable.iter().cloned());
        }
        let limits = match own.limits {
            true => Limits::default(),
            false => Confinement::limits(binary.harness.needs_addresses()),
        };
        self.supervisor.run(&Job {
            program: &program,
            args: &start.args,
            cwd: &cwd,
            env: &vars,
            unset: &Confinement::unset(),
            stdin: start.stdin,
            stdout: create(&dir.join("stdout"))?,
            stderr: create(&dir.join("stderr"))?,
            timeout: Some(start.timeout),
            silence: None,
            limits,
            sandbox: self.confinement.sandbox(writable),
        })
    }

    /// Whether runs are kept from writing elsewhere.
    pub fn is_tight(&self) -> bool {
        self.confinement.is_tight()
    }

    /// Runs a test in other circumstances than confined; `None` if these would let it write to what is the
    /// user's.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn run_under(
        &self,
        binary: &Binary,
        test: &str,
        timeout: Duration,
        as_users: Circumstances,
    ) -> Result<Option<TestRun>> {
        if !self.confinement.is_tight() {
            return Ok(None);
        }
        let plan = Plan {
            timeout,
            as_users,
            ..Plan::default()
        };
        self.run(binary, test, &plan).map(Some)
    }

    fn run_in(
        &self,
        dir: &Utf8Path,
        binary: &Binary,
        test: &str,
        plan: &Plan,
        log: u64,
    ) -> Result<TestRun> {
        let mut start = match &binary.harness {
            Harness::Standard { captures } => {
                let own = ["--exact", test, "--test-threads=1"];
                let mut args: Vec<String> = own.map(String::from).to_vec();
                if !captures {
                    args.push("--nocapture".to_string());
                }
                args.extend(self.args.iter().cloned());
                Start::of(binary, args, plan.timeout)
            }
            Harness::Commands(commands) => {
                let case = commands.case(test)?;
                let (program, args) = case.command.start();
                Start {
                    program,
                    cwd: binary.cwd.join(&case.cwd),
                    stdin: case.stdin.open(&binary.cwd, dir)?,
                    ..Start::of(
                        binary,
                        args,
                        case.timeout.unwrap_or(plan.timeout).min(plan.timeout),
                    )
                }
            }
        };
        start.vars = plan.env(&dir.join("trace"), test, log);
        start.as_users = plan.as_users;
        let ended = self.start(dir, binary, start)?;
        let stdout = dir.join("stdout");
        let printed = tail(stdout.as_std_path())?;

        let trace = plan
            .sites
            .map(|sites| Trace::read_dir(dir.as_std_path(), sites))
            .transpose()?;
        let (mut progress, mut why) = (None, None);
        let early = Verdict::before_its_end(&ended, trace.as_ref());
        let verdict = match (early, &binary.harness) {
            (Some(early), _) => early,
            (None, Harness::Standard { .. }) => Verdict::of(&ended, &printed),
            (None, Harness::Commands(commands)) => {
                let (verdict, near) = commands.case(test)?.judge(&ended, &stdout)?;
                progress = Some(near);
                if !verdict.passed() && plan.force.is_empty() {
                    why = commands.case(test)?.why(&ended, &stdout)?;
                }
                verdict
            }
        };
        let output = match verdict.passed() {
            true => String::new(),
            false => tail(dir.join("stderr").as_std_path())? + &printed,
        };
        Ok(TestRun {
            verdict,
            seconds: ended.seconds,
            trace,
            output,
            progress,
            why,
        })
    }
}

impl Commands {
    fn case(&self, test: &str) -> Result<&Case> {
        let case = self.cases.get(test);
        case.with_context(|| format!("there is no test `{test}`"))
    }
}

impl Harness {
    fn needs_addresses(&self) -> bool {
        matches!(self, Self::Commands(commands) if commands.needs_addresses)
    }
}

/// A process to start, but for where its output goes.
struct Start {
    program: Utf8PathBuf,
    args: Vec<String>,
    cwd: Utf8PathBuf,
    stdin: Option<File>,
    vars: Vec<(String, String)>,
    timeout: Duration,
    as_users: Circumstances,
}

impl Start {
    fn of(binary: &Binary, args: Vec<String>, timeout: Duration) -> Self {
        Self {
            program: binary.exe.clone(),
            args,
            cwd: binary.cwd.clone(),
            stdin: None,
            vars: Vec::new(),
            timeout,
            as_users: Circumstances::default(),
        }
    }
}

fn create(path: &Utf8Path) -> Result<File> {
    File::create(path).with_context(|| format!("cannot write {path}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a file, as text.
fn tail(path: &Path) -> Result<String> {
    const LONGEST: u64 = 8192;
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(LONGEST)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_with_a_plan_are_told_anything_and_each_test_has_a_seed_of_its_own() {
        let seed = |plan: &Plan, test| {
            let vars = plan.env(Utf8Path::new("trace"), test, LOG);
            let mut seeds = vars.into_iter().filter(|(name, _)| name == env::SEED);
            seeds.next().map(|(_, value)| value)
        };
        let plain = Plan::default();
        assert!(plain.env(Utf8Path::new("trace"), "test", LOG).is_empty());
        let traced = Plan {
            sites: Some(3),
            ..Plan::default()
        };
        let selected = Plan {
            select: vec![(1, 2)],
            ..Plan::default()
        };
        assert!(seed(&traced, "test").is_some());
        assert_eq!(seed(&traced, "test"), seed(&selected, "test"));
        assert_ne!(seed(&traced, "test"), seed(&traced, "other"));
    }
}
