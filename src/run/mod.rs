//! Running tests. Each test runs in a process of its own, with a time limit, fuel, private directories and a
//! process group that is killed at the end. Also reads the traces that the runs leave. Knows nothing about
//! syntax.

mod binary;
pub mod command;
pub mod confine;
pub mod id;
mod plan;
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
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

pub use self::binary::{Binary, Commands, Harness};
use self::command::Progress;
use self::confine::{Circumstances, Confinement};
pub use self::plan::{Forced, How, Plan, Sequence, When};
use self::process::{Exit, Job, Limits, Supervisor};
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
}

/// Runs tests.
#[derive(Debug)]
pub struct Runner<'a> {
    supervisor: &'a Supervisor,
    confinement: &'a Confinement,
    /// The user's arguments for test binaries.
    args: Vec<String>,
    /// Maximum number of concurrent processes.
    pub jobs: usize,
    runs: AtomicU64,
    /// Run directories that are not in use; they have been cleared.
    idle_dirs: Mutex<Vec<Utf8PathBuf>>,
    /// Some tests were seen to pass in separate processes but not together in one.
    needs_isolation: AtomicBool,
    /// Changes that tests made to files of the working copy, by test.
    damage: Mutex<BTreeMap<String, BTreeSet<Change>>>,
}

impl<'a> Runner<'a> {
    /// `args` are the user's arguments for test binaries. Filters among them are dropped: they have already
    /// selected the tests.
    pub fn new(
        supervisor: &'a Supervisor,
        confinement: &'a Confinement,
        args: &[String],
        jobs: usize,
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
            runs: AtomicU64::new(0),
            idle_dirs: Mutex::new(Vec::new()),
            needs_isolation: AtomicBool::new(false),
            damage: Mutex::default(),
        }
    }

    /// The files of the working copy that tests changed or removed in some run, by test. They were restored
    /// after each run.
    pub fn damage(&self) -> BTreeMap<String, BTreeSet<Change>> {
        lock(&self.damage).clone()
    }

    /// The number of test processes started so far.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs one test in a process of its own.
    ///
    /// # Errors
    /// If the run was interrupted, or the process cannot be started.
    pub fn run(&self, binary: &Binary, test: &str, plan: &Plan) -> Result<TestRun> {
        let (run, changes) = binary.tree.guard(test, || {
            let mut run = self.with_run_dir(|dir| self.run_in(dir, binary, test, plan, LOG))?;
            if run.trace.as_ref().is_some_and(|trace| trace.is_full) {
                run = self.with_run_dir(|dir| self.run_in(dir, binary, test, plan, LARGE_LOG))?;
            }
            Ok(run)
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

    /// Calls `run` with a directory that contains an empty `home` and `tmp`. Creating one costs as much as a
    /// short test, so directories are reused.
    fn with_run_dir<T>(&self, run: impl FnOnce(&Utf8Path) -> Result<T>) -> Result<T> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let idle = lock(&self.idle_dirs).pop();
        let dir = match idle {
            Some(dir) => dir,
            None => {
                // All names have the same length, because the size of the environment shifts the stack.
                let dir = self.confinement.scratch.join(format!("run-{number:06}"));
                self.confinement.prepare(&dir)?;
                dir
            }
        };
        let result = run(&dir);
        // A directory that cannot be cleared is abandoned; it is removed together with the scratch directory.
        if self.confinement.clear(&dir).is_ok() {
            lock(&self.idle_dirs).push(dir);
        }
        result
    }

    /// Starts a process of the binary; its output goes to files in `dir`.
    fn start(&self, dir: &Utf8Path, binary: &Binary, launch: Launch) -> Result<Exit> {
        let circumstances = launch.circumstances;
        let mut vars = binary.env.clone();
        vars.push(("RUST_BACKTRACE".to_string(), "0".to_string()));
        vars.extend(self.confinement.env(dir, circumstances));
        vars.extend(launch.vars);
        let mut writable = vec![dir.to_owned()];
        let (mut program, mut cwd) = (launch.program, launch.cwd);
        if circumstances.cwd {
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
        let limits = match circumstances.limits {
            true => Limits::default(),
            false => Confinement::limits(binary.harness.needs_addresses()),
        };
        self.supervisor.run(&Job {
            program: &program,
            args: &launch.args,
            cwd: &cwd,
            env: &vars,
            unset: &Confinement::unset(),
            stdin: launch.stdin,
            stdout: create(&dir.join("stdout"))?,
            stderr: create(&dir.join("stderr"))?,
            timeout: Some(launch.timeout),
            silence: None,
            limits,
            sandbox: self.confinement.sandbox(writable),
        })
    }

    /// Whether the sandbox reliably prevents writes outside of the permitted directories.
    pub fn is_enforced(&self) -> bool {
        self.confinement.is_enforced()
    }

    /// Runs a test under other circumstances than fully confined; `None` if it could then write to the user's
    /// files.
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
        if !self.confinement.is_enforced() {
            return Ok(None);
        }
        let plan = Plan {
            timeout,
            circumstances,
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
        let mut launch = match &binary.harness {
            Harness::Standard { captures } => {
                let own = ["--exact", test, "--test-threads=1"];
                let mut args: Vec<String> = own.map(String::from).to_vec();
                if !captures {
                    args.push("--nocapture".to_string());
                }
                args.extend(self.args.iter().cloned());
                Launch::of(binary, args, plan.timeout)
            }
            Harness::Commands(commands) => {
                let case = commands.case(test)?;
                let (program, args) = case.command.start();
                Launch {
                    program,
                    cwd: binary.cwd.join(&case.cwd),
                    stdin: case.stdin.open(&binary.cwd, dir)?,
                    ..Launch::of(
                        binary,
                        args,
                        case.timeout.unwrap_or(plan.timeout).min(plan.timeout),
                    )
                }
            }
        };
        launch.vars = plan.env(&dir.join("trace"), test, log);
        launch.circumstances = plan.circumstances;
        let exit = self.start(dir, binary, launch)?;
        let stdout = dir.join("stdout");
        let printed = tail(stdout.as_std_path())?;

        let trace = plan
            .sites
            .map(|sites| Trace::read_dir(dir.as_std_path(), sites))
            .transpose()?;
        let (mut progress, mut failure_reason) = (None, None);
        let early = Verdict::cut_short(&exit, trace.as_ref());
        let verdict = match (early, &binary.harness) {
            (Some(early), _) => early,
            (None, Harness::Standard { .. }) => Verdict::of(&exit, &printed),
            (None, Harness::Commands(commands)) => {
                let (verdict, near) = commands.case(test)?.judge(&exit, &stdout)?;
                progress = Some(near);
                if !verdict.passed() && plan.force.is_empty() {
                    failure_reason = commands.case(test)?.failure_reason(&exit, &stdout)?;
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
            seconds: exit.seconds,
            trace,
            output,
            progress,
            failure_reason,
        })
    }
}

/// A process to start; where its output goes is decided later.
struct Launch {
    program: Utf8PathBuf,
    args: Vec<String>,
    cwd: Utf8PathBuf,
    stdin: Option<File>,
    vars: Vec<(String, String)>,
    timeout: Duration,
    circumstances: Circumstances,
}

impl Launch {
    fn of(binary: &Binary, args: Vec<String>, timeout: Duration) -> Self {
        Self {
            program: binary.exe.clone(),
            args,
            cwd: binary.cwd.clone(),
            stdin: None,
            vars: Vec::new(),
            timeout,
            circumstances: Circumstances::default(),
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
    const MAX_BYTES: u64 = 8192;
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(MAX_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
