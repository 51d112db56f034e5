//! A minder runs one process at a time for the tool, with limits and in its sandbox. It answers when the
//! process and everything it started are gone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe;

use super::sockets::{drain, is_ready, wait_for};
use super::{GRACE, KILL_TIMEOUT, system};
use crate::run::sandbox::Sandbox;
use crate::run::wire::{self, Answer, Exit, Limits, Spawn};

/// Time between two checks of memory use and output.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Time between two looks at whether it multiplies.
const GLANCE_INTERVAL: Duration = Duration::from_millis(20);
/// Processes that one may have at a time, where its memory is limited: one that forks without end has thousands before they
/// take much memory, and the machine does nothing else.
const MOST_PROCESSES: usize = 1000;
/// It multiplies if the whole system has this many more tasks than at its start, and if it has this many processes. They are
/// few enough to be counted before the others get their turn.
const MANY_TASKS: u64 = 500;
const MANY_PROCESSES: usize = 64;

/// Runs one process after the other until the tool closes the connection.
pub fn serve(mut tool: UnixStream) -> io::Result<()> {
    system::name("nopol-minder");
    system::adopt_orphans();
    let (children, wake) = UnixStream::pair()?;
    pipe::register(SIGCHLD, wake)?;
    children.set_nonblocking(true)?;
    while let Some((spawn, files)) = wire::receive::<Spawn>(&mut tool)? {
        let Ok(streams) = <[OwnedFd; 3]>::try_from(files) else {
            break;
        };
        let answer = run(&spawn, streams, &tool, &children);
        wire::send(&mut tool, &answer, &[])?;
    }
    Ok(())
}

/// Runs a process to its end and kills what is left of it.
fn run(spawn: &Spawn, streams: [OwnedFd; 3], tool: &UnixStream, children: &UnixStream) -> Answer {
    let [_, stdout, stderr] = &streams;
    let written = [stdout, stderr].map(|file| file.try_clone().map(File::from));
    let mut clock = Clock::start(spawn, written.into_iter().flatten().collect());
    let start = Instant::now();
    let started = command(spawn, streams).spawn();
    let mut child = started.map_err(|error| format!("cannot start {}: {error}", spawn.program))?;
    let (status, cut) = wait(&mut child, spawn, &mut clock, tool, children)
        .map_err(|error| format!("cannot wait for {}: {error}", spawn.program))?;
    let seconds = start.elapsed().as_secs_f64();
    system::kill_descendants(KILL_TIMEOUT);
    Ok(Exit {
        code: status
            .code()
            .filter(|_| status.signal().is_none() && cut != Some(Cut::Flooded)),
        signal: match cut {
            Some(Cut::Flooded) => Some(Signal::SIGXFSZ as i32),
            _ => status.signal(),
        },
        timed_out: cut == Some(Cut::Late),
        seconds,
    })
}

fn command(spawn: &Spawn, [stdin, stdout, stderr]: [OwnedFd; 3]) -> Command {
    let mut command = Command::new(&spawn.program);
    command
        .args(&spawn.args)
        .current_dir(&spawn.cwd)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .process_group(0);
    for name in &spawn.unset {
        command.env_remove(name);
    }
    command.envs(spawn.env.iter().map(|(name, value)| (name, value)));
    let (limits, random_addresses) = (spawn.limits, spawn.random_addresses);
    let sandbox = spawn.sandbox.clone();
    let confine = move || {
        system::die_with_parent();
        set_limits(limits);
        if random_addresses {
            system::randomize_addresses();
        }
        sandbox.as_ref().map_or(Ok(()), Sandbox::enter)
    };
    #[expect(unsafe_code, reason = "limits are set between fork and exec")]
    // SAFETY: a minder has a single thread, so its child may allocate.
    unsafe {
        command.pre_exec(confine);
    }
    command
}

/// Sets limits. Errors are ignored: fuel and the time limit still apply.
fn set_limits(limits: Limits) {
    if let Some(bytes) = limits.addresses {
        let _ = setrlimit(Resource::RLIMIT_AS, bytes, bytes);
    }
    if let Some(bytes) = limits.file_size {
        let _ = setrlimit(Resource::RLIMIT_FSIZE, bytes, bytes);
    }
    if limits.memory.is_some() || limits.file_size.is_some() {
        // Core dumps of forced runs are of no interest.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    }
}

/// Why a process was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Its time was up.
    Late,
    /// It wrote too much.
    Flooded,
}

/// Waits for the process. Ends it when its time is up, when it takes too much, and when the tool
/// requests that or is gone.
fn wait(
    child: &mut Child,
    spawn: &Spawn,
    clock: &mut Clock,
    tool: &UnixStream,
    children: &UnixStream,
) -> io::Result<(std::process::ExitStatus, Option<Cut>)> {
    let group = Pid::from_raw(child.id().cast_signed());
    let mut next_check = Instant::now() + CHECK_INTERVAL;
    let tasks = spawn.limits.memory.map(|_| system::tasks());
    let mut terminated: Option<Instant> = None;
    let mut cut = None;
    loop {
        drain(children);
        // The process is not reaped yet, so the number of its group stays taken until the group is killed.
        if system::has_ended(group) {
            let _ = killpg(group, Signal::SIGKILL);
            return Ok((child.wait()?, cut));
        }
        let now = Instant::now();
        if let Some(terminated) = terminated {
            if now >= terminated + GRACE {
                let _ = killpg(group, Signal::SIGKILL);
                // It may have left its group.
                let _ = kill(group, Signal::SIGKILL);
            }
        } else {
            let is_late = clock.is_up(now);
            // Summing up the memory of all processes takes as long as a short test.
            let is_check_due = now >= next_check;
            if is_check_due {
                next_check = now + CHECK_INTERVAL;
            }
            if is_late || is_ready(tool) {
                let _ = killpg(group, Signal::SIGTERM);
                let _ = kill(group, Signal::SIGTERM);
                terminated = Some(now);
                cut = is_late.then_some(Cut::Late);
            } else if is_check_due
                && spawn
                    .limits
                    .output
                    .is_some_and(|most| clock.written() > most)
            {
                cut = Some(Cut::Flooded);
                let _ = killpg(group, Signal::SIGKILL);
                let _ = kill(group, Signal::SIGKILL);
            } else if tasks.is_some_and(multiplies)
                || is_check_due && takes_too_much(spawn.limits.memory)
            {
                // What a server started has a group of its own.
                system::kill_groups(MANY_PROCESSES);
                let _ = killpg(group, Signal::SIGKILL);
                let _ = kill(group, Signal::SIGKILL);
            }
        }
        let next = match (terminated, clock.deadline) {
            (Some(terminated), _) => Some(
                (terminated + GRACE)
                    .saturating_duration_since(now)
                    .max(CHECK_INTERVAL / 10),
            ),
            (None, Some(deadline)) => Some(deadline.saturating_duration_since(now)),
            (None, None) => None,
        };
        let limits = spawn.limits;
        let needs_checks =
            limits.memory.is_some() || limits.output.is_some() || clock.silence.is_some();
        let glance = tasks.map(|_| GLANCE_INTERVAL);
        let next = [next, needs_checks.then_some(CHECK_INTERVAL), glance]
            .into_iter()
            .flatten()
            .min();
        match terminated {
            Some(_) => wait_for([children], next),
            None => wait_for([tool, children], next),
        }
    }
}

/// Decides when a process has run for too long.
struct Clock {
    deadline: Option<Instant>,
    silence: Option<Duration>,
    /// The files that it writes, their total size at the last check, and when that size last changed.
    files: Vec<File>,
    seen: u64,
    since: Instant,
}

impl Clock {
    fn start(spawn: &Spawn, files: Vec<File>) -> Self {
        let now = Instant::now();
        Self {
            deadline: spawn.timeout.map(|limit| now + limit),
            silence: spawn.silence,
            files,
            seen: 0,
            since: now,
        }
    }

    /// How much it has written to its standard streams.
    fn written(&self) -> u64 {
        let files = self.files.iter().filter_map(|file| file.metadata().ok());
        files.map(|metadata| metadata.len()).sum()
    }

    fn is_up(&mut self, now: Instant) -> bool {
        if let Some(silence) = self.silence {
            let written = self.written();
            if written != self.seen {
                (self.seen, self.since) = (written, now);
            }
            if now.saturating_duration_since(self.since) > silence {
                return true;
            }
        }
        self.deadline.is_some_and(|deadline| deadline <= now)
    }
}

/// Whether it forks without end, given the tasks of the system at its start.
fn multiplies(before: u64) -> bool {
    system::tasks().saturating_sub(before) > MANY_TASKS
        && system::descendants(MANY_PROCESSES).len() > MANY_PROCESSES
}

/// Whether all processes together have more memory than this, or are too many.
fn takes_too_much(limit: Option<u64>) -> bool {
    limit.is_some_and(|limit| {
        let all = system::descendants(MOST_PROCESSES);
        let memory = all.iter().map(|pid| system::resident(*pid));
        all.len() > MOST_PROCESSES || memory.sum::<u64>() > limit
    })
}
