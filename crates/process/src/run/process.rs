//! Running child processes. The warden starts them, with limits and in a sandbox; all are ended when the user
//! interrupts or the time limit is reached. Signals of the user are handled here and in the warden.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;

use super::interrupt::{ENDING, caught};
use super::sandbox::Sandbox;
use super::warden;
use super::wire::{self, Answer, Spawn, WardenRequest};
pub use super::wire::{Exit, Limits};

/// Why the whole run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// By a signal.
    #[error("interrupted")]
    Interrupted,
    /// By the time limit.
    #[error("the time limit for the whole run was reached")]
    TimeLimit,
}

/// A process could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotStarted(String);

/// A process to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// What is started.
    pub program: &'a Utf8Path,
    /// Its arguments.
    pub args: &'a [String],
    /// Its working directory.
    pub cwd: &'a Utf8Path,
    /// Its environment variables beside the inherited ones.
    pub env: &'a [(String, String)],
    /// Variables that must not be inherited.
    pub unset: &'a [&'a str],
    /// Its standard input; empty if `None`.
    pub stdin: Option<OwnedFd>,
    /// Where standard output goes.
    pub stdout: File,
    /// Where standard error goes.
    pub stderr: File,
    /// Wall-clock limit.
    pub timeout: Option<Duration>,
    /// The longest time without output to its standard streams.
    pub silence: Option<Duration>,
    /// Limits on its resources.
    pub limits: Limits,
    /// Its addresses are random, as they are for the user; otherwise they are the same in each run.
    pub random_addresses: bool,
    /// The sandbox that it runs in, if any.
    pub sandbox: Option<Sandbox>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The tool's ends of the sockets of all minders with a running process.
    minders: Mutex<BTreeMap<u64, UnixStream>>,
    interrupted: Arc<AtomicBool>,
}

impl Shared {
    /// Asks every minder to end its process.
    fn end_all(&self) {
        for minder in lock(&self.minders).values() {
            // The minder may have ended already.
            let _ = minder.shutdown(Shutdown::Write);
        }
    }
}

/// A process that was started and is not known to have ended.
#[derive(Debug)]
pub struct Running {
    minder: UnixStream,
    number: u64,
    shared: Arc<Shared>,
    started: Instant,
    /// The minder was asked to start the process, and its answer has not been read.
    is_sent: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.shared.minders).remove(&self.number);
        if self.is_sent {
            // The minder ends its process, and then itself.
            let _ = self.minder.shutdown(Shutdown::Both);
        }
    }
}

/// Owns every child process.
#[derive(Debug)]
pub struct Supervisor {
    warden: Mutex<UnixStream>,
    warden_pid: Pid,
    shared: Arc<Shared>,
    started: AtomicU64,
    /// Minders without a process.
    idle: Mutex<Vec<UnixStream>>,
    deadline: Option<Instant>,
    /// The milliseconds before the deadline that are kept for later.
    reserve: AtomicU64,
}

impl Supervisor {
    /// `time_limit` applies to everything run by this supervisor and starts now. Must be called while this
    /// process has a single thread, because the warden is forked.
    ///
    /// # Errors
    /// If the warden cannot be started.
    pub fn new(time_limit: Option<Duration>) -> Result<Self> {
        let (warden, warden_pid) = warden::start().context("cannot start a process")?;
        Ok(Self {
            warden: Mutex::new(warden),
            warden_pid,
            shared: Arc::new(Shared::default()),
            started: AtomicU64::new(0),
            idle: Mutex::default(),
            deadline: time_limit.map(|limit| Instant::now() + limit),
            reserve: AtomicU64::new(0),
        })
    }

    /// Makes SIGINT, SIGTERM and SIGHUP end the children; [`Supervisor::check`] then fails. A second signal
    /// ends the tool at once, and the warden cleans up.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn handle_signals(&self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let mut signals = caught(&ENDING).context("cannot install the handler for Ctrl-C")?;
        std::thread::spawn(move || {
            for _ in &mut signals {
                if shared.interrupted.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
                shared.end_all();
            }
        });
        Ok(())
    }

    /// A flag that is set when the user interrupts.
    pub fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.interrupted)
    }

    /// # Errors
    /// [`Stopped`] if the user interrupted or the time is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.shared.interrupted.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        match self.left() {
            Some(left) if left.is_zero() => Err(Stopped::TimeLimit),
            _ => Ok(()),
        }
    }

    /// Shows a computation whether [`Supervisor::check`] would fail.
    pub fn stopped(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let interrupted = self.interrupted();
        let end = self.left().map(|left| Instant::now() + left);
        move || interrupted.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end)
    }

    /// Keeps a part of the time limit for what comes after the search, at most a third of what is left: until
    /// [`Supervisor::use_reserve`], the run ends that much earlier.
    pub fn reserve(&self, time: Duration) {
        let third = self.left().unwrap_or_default() / 3;
        let milliseconds = u64::try_from(time.min(third).as_millis()).unwrap_or(u64::MAX);
        self.reserve.store(milliseconds, Ordering::Relaxed);
    }

    /// Gives the run the time that was kept. Returns whether there is any.
    pub fn use_reserve(&self) -> bool {
        let kept = self.reserve.swap(0, Ordering::Relaxed);
        kept > 0 && self.check().is_ok()
    }

    /// The time until the run ends; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        let reserve = Duration::from_millis(self.reserve.load(Ordering::Relaxed));
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline
            .map(|deadline| left(deadline).saturating_sub(reserve))
    }

    /// Registers directories that the warden removes if this process is killed. `slot` is the locked file of
    /// their slot; the warden keeps the lock until they are gone.
    ///
    /// # Errors
    /// If the warden cannot be reached.
    pub fn remove_if_killed(&self, dirs: Vec<Utf8PathBuf>, slot: &File) -> Result<()> {
        let mut warden = lock(&self.warden);
        wire::send(&mut warden, &WardenRequest::RemoveAtEnd(dirs), &[slot.as_fd()])
            .context("the process that starts the tests has ended unexpectedly (was it killed, or is memory short?); run again")
    }

    /// Runs a process to its end.
    ///
    /// # Errors
    /// [`Stopped`], or [`NotStarted`].
    pub fn run(&self, job: &Job) -> Result<Exit> {
        let mut running = self.start(job)?;
        self.wait(&mut running)
    }

    /// Starts a process. It is ended when what is returned is dropped.
    ///
    /// # Errors
    /// [`Stopped`], or if nothing can be started any more.
    pub fn start(&self, job: &Job) -> Result<Running> {
        self.check()?;
        let left = self.left();
        let spawn = Spawn {
            program: job.program.to_owned(),
            args: job.args.to_vec(),
            cwd: job.cwd.to_owned(),
            env: job.env.to_vec(),
            unset: job.unset.iter().map(ToString::to_string).collect(),
            timeout: [job.timeout, left].into_iter().flatten().min(),
            silence: job.silence,
            limits: job.limits,
            random_addresses: job.random_addresses,
            sandbox: job.sandbox.clone(),
        };
        let nothing;
        let stdin = match &job.stdin {
            Some(file) => file.as_fd(),
            None => {
                nothing = File::open("/dev/null")?;
                nothing.as_fd()
            }
        };
        let mut running = Running {
            minder: self.minder()?,
            number: self.started.fetch_add(1, Ordering::Relaxed),
            shared: Arc::clone(&self.shared),
            started: Instant::now(),
            is_sent: false,
        };
        lock(&self.shared.minders).insert(running.number, running.minder.try_clone()?);
        if self.check().is_err() {
            // An interrupt that arrived just before the minder was registered has not reached it.
            self.shared.end_all();
        }
        let files = [stdin, job.stdout.as_fd(), job.stderr.as_fd()];
        running.is_sent = wire::send(&mut running.minder, &spawn, &files).is_ok();
        if !running.is_sent {
            // A minder that was idle may have been killed.
            self.check()?;
            running.minder = self.new_minder()?;
            lock(&self.shared.minders).insert(running.number, running.minder.try_clone()?);
            running.is_sent = wire::send(&mut running.minder, &spawn, &files).is_ok();
        }
        Ok(running)
    }

    /// Waits until a process and everything that it started are gone.
    ///
    /// # Errors
    /// As [`Supervisor::run`].
    pub fn wait(&self, running: &mut Running) -> Result<Exit> {
        let answer = match running.is_sent {
            true => wire::receive::<Answer>(&mut running.minder),
            false => Ok(None),
        };
        lock(&self.shared.minders).remove(&running.number);
        self.check()?;
        match answer {
            Ok(Some((answer, _))) => {
                lock(&self.idle).push(running.minder.try_clone()?);
                running.is_sent = false;
                answer.map_err(|error| NotStarted(error).into())
            }
            // The connection is lost if the minder was killed, and its process was killed with it.
            Ok(None) | Err(_) => Ok(Exit {
                code: None,
                signal: None,
                timed_out: false,
                seconds: running.started.elapsed().as_secs_f64(),
            }),
        }
    }

    /// Ends a process, and waits until everything that it started is gone.
    pub fn end(&self, mut running: Running) {
        if running.is_sent && running.minder.shutdown(Shutdown::Write).is_ok() {
            // The minder answers, whatever the process does, and ends itself.
            let _ = wire::receive::<Answer>(&mut running.minder);
        }
    }

    /// An idle minder, or a new one.
    fn minder(&self) -> Result<UnixStream> {
        if let Some(idle) = lock(&self.idle).pop() {
            return Ok(idle);
        }
        self.new_minder()
    }

    fn new_minder(&self) -> Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        wire::send(
            &mut lock(&self.warden),
            &WardenRequest::StartMinder,
            &[theirs.as_fd()],
        )
        .context("the process that starts the tests has ended unexpectedly (was it killed, or is memory short?); run again")?;
        Ok(ours)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let mut warden = lock(&self.warden);
        // Everything that was registered has been removed by now.
        let _ = wire::send(&mut warden, &WardenRequest::CancelRemoval, &[]);
        self.shared.end_all();
        lock(&self.idle).clear();
        let _ = warden.shutdown(Shutdown::Both);
        let _ = waitpid(self.warden_pid, None);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
