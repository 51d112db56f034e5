//! A minder: runs one process at a time for the tool, with limits and in its sandbox, and answers when it
//! and all that it started are gone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe;

use super::sockets::{drain, is_ready, wait_for};
use super::{GONE, GRACE, system};
use crate::run::sandbox::Sandbox;
use crate::run::wire::{self, Answer, Ended, Limits, Spawn};

/// Time between two looks at how much memory is in use.
const LOOK: Duration = Duration::from_millis(100);

/// Runs one process after the other, until the tool asks for no more.
pub fn mind(mut tool: UnixStream) -> io::Result<()> {
    system::name("nopol-minder");
    system::adopt_orphans();
    let (children, wake) = UnixStream::pair()?;
    pipe::register(SIGCHLD, wake)?;
    children.set_nonblocking(true)?;
    while let Some((spawn, files)) = wire::receive::<Spawn>(&mut tool)? {
        let Ok(streams) = <[OwnedFd; 3]>::try_from(files) else {
            break;
        };
        let answer = minded(&spawn, streams, &tool, &children);
        wire::send(&mut tool, &answer, &[])?;
    }
    Ok(())
}

/// Runs a process to its end and kills what is left of it.
fn minded(
    spawn: &Spawn,
    streams: [OwnedFd; 3],
    tool: &UnixStream,
    children: &UnixStream,
) -> Answer {
    let [_, stdout, stderr] = &streams;
    let written = [stdout, stderr].map(|file| file.try_clone().map(File::from));
    let mut clock = Clock::start(spawn, written.into_iter().flatten().collect());
    let start = Instant::now();
    let started = command(spawn, streams).spawn();
    let mut child = started.map_err(|error| format!("cannot start {}: {error}", spawn.program))?;
    let (status, timed_out) = wait(&mut child, spawn, &mut clock, tool, children)
        .map_err(|error| format!("cannot wait for {}: {error}", spawn.program))?;
    let seconds = start.elapsed().as_secs_f64();
    system::kill_descendants(GONE);
    Ok(Ended {
        code: status.code().filter(|_| status.signal().is_none()),
        timed_out,
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
    let (limits, sandbox) = (spawn.limits, spawn.sandbox.clone());
    let confine = move || {
        system::die_with_parent();
        set(limits);
        sandbox.as_ref().map_or(Ok(()), Sandbox::enter)
    };
    #[expect(unsafe_code, reason = "limits are set between fork and exec")]
    // SAFETY: a minder has one thread, so its child may allocate.
    unsafe {
        command.pre_exec(confine);
    }
    command
}

/// Where a limit cannot be set, fuel and time still hold.
fn set(limits: Limits) {
    if let Some(bytes) = limits.addresses {
        let _ = setrlimit(Resource::RLIMIT_AS, bytes, bytes);
    }
    if let Some(bytes) = limits.file_size {
        let _ = setrlimit(Resource::RLIMIT_FSIZE, bytes, bytes);
    }
    if limits.memory.is_some() || limits.file_size.is_some() {
        // A crash of a forced run is no news.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    }
}

/// Waits for the process, and ends it when its time is up, when it takes too much memory, and when the
/// tool asks for that or is gone.
fn wait(
    child: &mut Child,
    spawn: &Spawn,
    clock: &mut Clock,
    tool: &UnixStream,
    children: &UnixStream,
) -> io::Result<(std::process::ExitStatus, bool)> {
    let group = Pid::from_raw(child.id().cast_signed());
    let mut next_look = Instant::now() + LOOK;
    let mut warned: Option<Instant> = None;
    let mut timed_out = false;
    loop {
        drain(children);
        // Not reaped yet, so that the group's number stays taken until it has been killed.
        if system::has_ended(group) {
            let _ = killpg(group, Signal::SIGKILL);
            return Ok((child.wait()?, timed_out));
        }
        let now = Instant::now();
        if let Some(warned) = warned {
            if now >= warned + GRACE {
                let _ = killpg(group, Signal::SIGKILL);
            }
        } else {
            let is_late = clock.is_up(now);
            // To add up what all processes have takes as long as a short test.
            let is_to_look = now >= next_look;
            if is_to_look {
                next_look = now + LOOK;
            }
            if is_late || is_ready(tool) {
                let _ = killpg(group, Signal::SIGTERM);
                warned = Some(now);
                timed_out = is_late;
            } else if is_to_look && is_too_large(spawn.limits.memory) {
                let _ = killpg(group, Signal::SIGKILL);
            }
        }
        let next = match (warned, clock.deadline) {
            (Some(warned), _) => Some(
                (warned + GRACE)
                    .saturating_duration_since(now)
                    .max(LOOK / 10),
            ),
            (None, Some(deadline)) => Some(deadline.saturating_duration_since(now)),
            (None, None) => None,
        };
        let is_looked_at = spawn.limits.memory.is_some() || clock.silence.is_some();
        let next = [next, is_looked_at.then_some(LOOK)]
            .into_iter()
            .flatten()
            .min();
        match warned {
            Some(_) => wait_for([children], next),
            None => wait_for([tool, children], next),
        }
    }
}

/// How long a process may go on.
struct Clock {
    deadline: Option<Instant>,
    silence: Option<Duration>,
    /// What it writes, how much that was, and since when.
    files: Vec<File>,
    written: u64,
    since: Instant,
}

impl Clock {
    fn start(spawn: &Spawn, files: Vec<File>) -> Self {
        let now = Instant::now();
        Self {
            deadline: spawn.timeout.map(|limit| now + limit),
            silence: spawn.silence,
            files,
            written: 0,
            since: now,
        }
    }

    fn is_up(&mut self, now: Instant) -> bool {
        if let Some(silence) = self.silence {
            let lens = self.files.iter().filter_map(|file| file.metadata().ok());
            let written = lens.map(|metadata| metadata.len()).sum();
            if written != self.written {
                (self.written, self.since) = (written, now);
            }
            if now.saturating_duration_since(self.since) > silence {
                return true;
            }
        }
        self.deadline.is_some_and(|deadline| deadline <= now)
    }
}

fn is_too_large(limit: Option<u64>) -> bool {
    limit.is_some_and(|limit| {
        system::descendants()
            .iter()
            .map(|pid| system::resident(*pid))
            .sum::<u64>()
            > limit
    })
}
