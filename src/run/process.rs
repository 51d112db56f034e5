//! All of process control: starting in a group of its own, limits, time-outs, killing the group,
//! and ending everything when the user interrupts.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::Utf8Path;
use nix::libc;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);

/// Why everything ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    #[error("interrupted")]
    Interrupted,
    #[error("the time limit for the whole run is reached")]
    TimeLimit,
}

/// A process to run.
#[derive(Debug)]
pub struct Job<'a> {
    pub program: &'a Utf8Path,
    pub args: &'a [String],
    pub cwd: &'a Utf8Path,
    pub env: &'a [(String, String)],
    /// Variables that must not be inherited.
    pub unset: &'a [&'a str],
    /// What it reads; nothing if `None`.
    pub stdin: Option<File>,
    pub stdout: File,
    pub stderr: File,
    pub timeout: Option<Duration>,
    /// Bytes of address space.
    pub memory: Option<u64>,
    /// Bytes of a file it writes.
    pub file_size: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub timed_out: bool,
    pub seconds: f64,
}

#[derive(Debug)]
struct Group {
    deadline: Option<Instant>,
    /// SIGTERM was sent.
    warned: bool,
}

#[derive(Debug, Default)]
struct Shared {
    groups: Mutex<BTreeMap<i32, Group>>,
    changed: Condvar,
    interrupted: AtomicBool,
    closed: AtomicBool,
    run_deadline: Mutex<Option<Instant>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Group>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills groups past their deadline until the supervisor is gone.
    fn watch(&self) {
        let mut groups = self.lock();
        while !self.closed.load(Ordering::Relaxed) {
            let now = Instant::now();
            for (group, state) in groups.iter_mut() {
                if state.deadline.is_some_and(|deadline| deadline <= now) {
                    let signal = if state.warned {
                        Signal::SIGKILL
                    } else {
                        Signal::SIGTERM
                    };
                    // It may be gone already.
                    let _ = killpg(Pid::from_raw(*group), signal);
                    state.deadline = Some(now + GRACE);
                    state.warned = true;
                }
            }
            let next = groups.values().filter_map(|state| state.deadline).min();
            let wait = next.map_or(Duration::from_secs(3600), |next| {
                next.saturating_duration_since(Instant::now())
            });
            groups = self
                .changed
                .wait_timeout(groups, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Moves every deadline to now.
    fn end_all(&self) {
        let now = Instant::now();
        for state in self.lock().values_mut() {
            state.deadline = Some(state.deadline.map_or(now, |deadline| deadline.min(now)));
        }
        self.changed.notify_all();
    }
}

/// Owns every child process.
#[derive(Debug)]
pub struct Supervisor {
    shared: Arc<Shared>,
    watchdog: Option<std::thread::JoinHandle<()>>,
}

impl Supervisor {
    /// `time_limit` is for everything run under this supervisor, from now on.
    pub fn new(time_limit: Option<Duration>) -> Self {
        let shared = Arc::new(Shared::default());
        *shared
            .run_deadline
            .lock()
            .unwrap_or_else(PoisonError::into_inner) =
            time_limit.map(|limit| Instant::now() + limit);
        let watched = Arc::clone(&shared);
        let watchdog = std::thread::spawn(move || watched.watch());
        Self {
            shared,
            watchdog: Some(watchdog),
        }
    }

    /// Makes SIGINT and SIGTERM end the children; [`Supervisor::check`] then fails.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn handle_signals(&self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        ctrlc::set_handler(move || {
            shared.interrupted.store(true, Ordering::Relaxed);
            shared.end_all();
        })
        .context("cannot install the handler for Ctrl-C")
    }

    /// # Errors
    /// [`Stopped`] if the user interrupted or the time is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.shared.interrupted.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        match self.run_deadline() {
            Some(deadline) if deadline <= Instant::now() => Err(Stopped::TimeLimit),
            _ => Ok(()),
        }
    }

    fn run_deadline(&self) -> Option<Instant> {
        *self
            .shared
            .run_deadline
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a process to its end.
    ///
    /// # Errors
    /// [`Stopped`], or that the process cannot be started.
    pub fn run(&self, job: &Job) -> Result<Ended> {
        self.check()?;
        let mut command = Command::new(job.program);
        command
            .args(job.args)
            .current_dir(job.cwd)
            .stdin(match &job.stdin {
                Some(file) => Stdio::from(file.try_clone()?),
                None => Stdio::null(),
            })
            .stdout(job.stdout.try_clone()?)
            .stderr(job.stderr.try_clone()?)
            .process_group(0);
        job.unset.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(job.env.iter().map(|(name, value)| (name, value)));
        limits::before_start(&mut command, job);

        let start = Instant::now();
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", job.program))?;
        limits::after_start(&child, job);
        let deadline = [job.timeout.map(|limit| start + limit), self.run_deadline()];
        self.register(&child, deadline.into_iter().flatten().min());
        let timed_out = self.wait(&child);
        let status = child.wait()?;
        let seconds = start.elapsed().as_secs_f64();
        self.check()?;
        Ok(Ended {
            code: status.code().filter(|_| status.signal().is_none()),
            timed_out,
            seconds,
        })
    }

    /// Puts the child's group under watch. An interrupt that came while it was started ends it
    /// now.
    fn register(&self, child: &Child, deadline: Option<Instant>) {
        let mut groups = self.shared.lock();
        let interrupted = self.shared.interrupted.load(Ordering::Relaxed);
        let deadline = if interrupted {
            Some(Instant::now())
        } else {
            deadline
        };
        let earliest = groups.values().filter_map(|group| group.deadline).min();
        groups.insert(
            child.id().cast_signed(),
            Group {
                deadline,
                warned: false,
            },
        );
        // The watchdog sleeps until the earliest deadline it knows.
        if deadline.is_some_and(|deadline| earliest.is_none_or(|earliest| deadline < earliest)) {
            self.shared.changed.notify_all();
        }
    }

    /// Waits without reaping, so that the group's number stays taken until it has been killed;
    /// tells whether the deadline passed.
    fn wait(&self, child: &Child) -> bool {
        let pid = Pid::from_raw(child.id().cast_signed());
        wait_unreaped(pid);
        let mut groups = self.shared.lock();
        let timed_out = groups
            .remove(&pid.as_raw())
            .is_some_and(|group| group.warned);
        // Whatever the process left running.
        let _ = killpg(pid, Signal::SIGKILL);
        timed_out
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        self.shared.end_all();
        if let Some(watchdog) = self.watchdog.take() {
            let _ = watchdog.join();
        }
    }
}

/// Waits for the process to end, and leaves it to be reaped.
#[expect(unsafe_code, reason = "nix has no waitid on macOS")]
fn wait_unreaped(pid: Pid) {
    let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::uninit();
    let flags = libc::WEXITED | libc::WNOWAIT;
    let id = pid.as_raw().cast_unsigned();
    loop {
        // SAFETY: `info` is there to be written to, and is not read.
        let result = unsafe { libc::waitid(libc::P_PID, id, info.as_mut_ptr(), flags) };
        if result == 0 || nix::Error::last() != nix::Error::EINTR {
            return;
        }
    }
}

/// Limits on a child. On Linux they are set just after its start: doing it between fork and exec
/// would cost a fork of this process for every test.
#[cfg(target_os = "linux")]
mod limits {
    use super::{Child, Command, Job, libc};

    pub fn before_start(_: &mut Command, _: &Job) {}

    #[expect(unsafe_code, reason = "nix has no prlimit")]
    pub fn after_start(child: &Child, job: &Job) {
        let core = (job.memory.is_some() || job.file_size.is_some()).then_some(0);
        let limits = [
            (libc::RLIMIT_AS, job.memory),
            (libc::RLIMIT_FSIZE, job.file_size),
            // A crash of a forced run is no news.
            (libc::RLIMIT_CORE, core),
        ];
        for (resource, bytes) in limits {
            let Some(bytes) = bytes else { continue };
            let limit = libc::rlimit {
                rlim_cur: bytes,
                rlim_max: bytes,
            };
            // SAFETY: `limit` is read, and nothing is written. Where it cannot be set, fuel and
            // time still hold.
            unsafe {
                libc::prlimit(
                    child.id().cast_signed(),
                    resource,
                    &limit,
                    std::ptr::null_mut(),
                );
            }
        }
    }
}

/// Limits on a child, set between fork and exec.
#[cfg(not(target_os = "linux"))]
mod limits {
    use std::os::unix::process::CommandExt;

    use super::{Child, Command, Job};

    #[expect(unsafe_code, reason = "limits must be set between fork and exec")]
    pub fn before_start(command: &mut Command, job: &Job) {
        let (memory, file_size) = (job.memory, job.file_size);
        if memory.is_none() && file_size.is_none() {
            return;
        }
        let set = move || {
            // Where a limit cannot be set, fuel and time still hold.
            if let Some(bytes) = memory {
                let _ = setrlimit(Resource::RLIMIT_AS, bytes, bytes);
            }
            if let Some(bytes) = file_size {
                let _ = setrlimit(Resource::RLIMIT_FSIZE, bytes, bytes);
            }
            let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
            Ok(())
        };
        // SAFETY: `setrlimit` is async-signal-safe and nothing here allocates.
        unsafe {
            command.pre_exec(set);
        }
    }

    pub fn after_start(_: &Child, _: &Job) {}
}
/// Lets processes started from now on by this thread, and by threads it starts, have the same
/// addresses every time: hashes of addresses and comparisons of pointers come out alike. Where that
/// is refused, runs that depend on addresses are not repeatable, and nothing else is lost.
pub fn fix_addresses() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::personality::{self, Persona};
        let _ = personality::get()
            .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE));
    }
}
