//! A process of its own that starts all others and answers for their end: it lives as long as the
//! tool, and where the tool is killed, whatever was started ends with it.
//!
//! The warden is forked before the tool has threads, so it stays small and may fork freely. It forks
//! *minders*, as many as there are processes at a time. A minder starts a process in a group of its own, with
//! limits and in its sandbox, waits for it, and then kills all that is left of it: also what went into a
//! session of its own, for the minder is the one that orphans below it are given to. Then it takes the
//! next one. A minder whose tool is gone ends its process at once.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::copy::files;

use super::wire::{self, Answer, Ended, Limits, Request, Spawn};

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);
/// Time between two looks at how much memory is in use.
const LOOK: Duration = Duration::from_millis(100);
/// How long killed processes may take to be gone.
const GONE: Duration = Duration::from_secs(5);

/// Starts the warden, to be talked to through the socket, and waited for once that is closed. To be called while this process has one
/// thread.
///
/// # Errors
/// If the system gives no process or socket.
#[expect(unsafe_code, reason = "the warden is a fork")]
pub fn start() -> io::Result<(UnixStream, Pid)> {
    let (ours, its) = UnixStream::pair()?;
    // SAFETY: there is one thread, so the child may do what this process may.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => Ok((ours, child)),
        ForkResult::Child => {
            drop(ours);
            let _ = setsid();
            system::name("nopol-warden");
            system::adopt_orphans();
            system::fix_addresses();
            let _ = detach().and_then(|()| outlive_signals());
            serve(its);
            leave(0)
        }
    }
}

/// What reads the tool's output must not wait for the warden.
fn detach() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&null)?;
    nix::unistd::dup2_stdout(&null)?;
    nix::unistd::dup2_stderr(&null)?;
    Ok(())
}

/// Whoever ends the tool by its name means this process, too; but it ends when the tool has, and cleans up
/// first. What is started does not inherit that.
fn outlive_signals() -> io::Result<()> {
    let noticed = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
        flag::register(signal, Arc::clone(&noticed))?;
    }
    Ok(())
}

#[expect(
    unsafe_code,
    reason = "a fork must not run what the tool wants run at its end"
)]
fn leave(code: i32) -> ! {
    // SAFETY: nothing of this process is used afterwards.
    unsafe { nix::libc::_exit(code) }
}

/// Answers requests until the tool is gone, then cleans up after it.
fn serve(mut tool: UnixStream) {
    let mut heritage = Vec::new();
    let mut locks: Vec<OwnedFd> = Vec::new();
    let mut minders: BTreeSet<Pid> = BTreeSet::new();
    let Ok((children, wake)) = UnixStream::pair() else {
        return;
    };
    if pipe::register(SIGCHLD, wake).is_err() || children.set_nonblocking(true).is_err() {
        return;
    }
    loop {
        reap(&mut minders);
        wait_for([&tool, &children], None);
        drain(&children);
        if !is_ready(&tool) {
            continue;
        }
        match wire::receive::<Request>(&mut tool) {
            Ok(Some((Request::Mind, files))) => minders.extend(start_minder(files)),
            Ok(Some((Request::Inherit(dirs), files))) => {
                heritage.extend(dirs);
                locks.extend(files);
            }
            Ok(Some((Request::Disinherit, _))) => {
                heritage.clear();
                locks.clear();
            }
            Ok(None) | Err(_) => break,
        }
    }
    // Every minder sees that the tool is gone and ends what it minds.
    let end = Instant::now() + GRACE + GONE;
    while !minders.is_empty() && Instant::now() < end {
        wait_for([&children], Some(GRACE));
        drain(&children);
        reap(&mut minders);
    }
    kill_descendants();
    for path in heritage {
        // Best effort: what is left the next run removes.
        let _ = files::remove(path.as_std_path());
    }
}

/// Forgets minders that ended, and kills what one that was itself killed left behind.
fn reap(minders: &mut BTreeSet<Pid>) {
    let mut was_killed = false;
    loop {
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            Ok(status) => match status.pid() {
                Some(pid) => {
                    was_killed |=
                        minders.remove(&pid) && matches!(status, WaitStatus::Signaled(..));
                }
                None => break,
            },
            Err(Errno::EINTR) => {}
            Err(_) => break,
        }
    }
    if was_killed {
        for pid in system::children() {
            if !minders.contains(&pid) {
                let _ = kill(pid, Signal::SIGKILL);
            }
        }
    }
}

/// Forks a minder that is talked to through a socket.
#[expect(unsafe_code, reason = "a minder is a fork")]
fn start_minder(files: Vec<OwnedFd>) -> Option<Pid> {
    let socket = files.into_iter().next()?;
    // SAFETY: the warden has one thread.
    match unsafe { fork() } {
        Ok(ForkResult::Parent { child }) => Some(child),
        Ok(ForkResult::Child) => {
            let _ = mind(UnixStream::from(socket));
            leave(0)
        }
        // The tool sees that nobody has the socket any more.
        Err(_) => None,
    }
}

/// Runs one process after the other, until the tool asks for no more.
fn mind(mut tool: UnixStream) -> io::Result<()> {
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
    kill_descendants();
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
        sandbox.as_ref().map_or(Ok(()), |sandbox| sandbox.enter())
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

/// Kills every descendant of this process and waits until they are gone.
fn kill_descendants() {
    let end = Instant::now() + GONE;
    loop {
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            // There is no child left.
            Err(Errno::ECHILD) => return,
            Ok(status) if status.pid().is_some() => {}
            _ if Instant::now() > end => return,
            _ => {
                for pid in system::descendants() {
                    let _ = kill(pid, Signal::SIGKILL);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Waits until one of these has something to read, or some time.
fn wait_for<const N: usize>(streams: [&UnixStream; N], time: Option<Duration>) {
    let mut fds = streams.map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLIN));
    // Rounded up, so as not to look too early and again.
    let time = time.map(|time| time + Duration::from_micros(999));
    let timeout = time.map_or(PollTimeout::NONE, |time| {
        PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX)
    });
    // A signal ends it early, which is as well.
    let _ = poll(&mut fds, timeout);
}

/// Whether there is something to read, the end included.
fn is_ready(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

fn drain(mut stream: &UnixStream) {
    let mut bytes = [0; 64];
    while io::Read::read(&mut stream, &mut bytes).is_ok_and(|read| read > 0) {}
}

/// What each system has in its own way.
#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use nix::libc;
    use nix::sys::personality::{self, Persona};
    use nix::unistd::Pid;

    /// Orphans below this process become its children.
    pub fn adopt_orphans() {
        let _ = nix::sys::prctl::set_child_subreaper(true);
    }

    /// As lists of processes show it.
    pub fn name(name: &str) {
        let name = std::ffi::CString::new(name).unwrap_or_default();
        let _ = nix::sys::prctl::set_name(&name);
    }

    /// If the minder is killed, what it minds dies.
    pub fn die_with_parent() {
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    }

    /// Lets processes started from now on have the same addresses every time: hashes of addresses and
    /// comparisons of pointers come out alike. Where that is refused, runs that depend on addresses are
    /// not repeatable, and nothing else is lost.
    pub fn fix_addresses() {
        let _ = personality::get()
            .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE));
    }

    pub use super::portable::has_ended;

    /// Each process with its parent.
    fn parents() -> Vec<(Pid, Pid)> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let with_parent = pids.filter_map(|pid: i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name, in parentheses, may have anything in it.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            Some((Pid::from_raw(pid), Pid::from_raw(parent.parse().ok()?)))
        });
        with_parent.collect()
    }

    /// The children of this process.
    pub fn children() -> Vec<Pid> {
        let me = Pid::this();
        let parents = parents().into_iter();
        let mine = parents.filter(|(_, parent)| *parent == me);
        mine.map(|(pid, _)| pid).collect()
    }

    /// All processes below this one.
    pub fn descendants() -> Vec<Pid> {
        let parents = parents();
        let mut found = vec![Pid::this()];
        let mut at = 0;
        while at < found.len() {
            let of = found[at];
            let below = parents.iter().filter(|(_, parent)| *parent == of);
            found.extend(below.map(|(pid, _)| *pid));
            at += 1;
        }
        found.split_off(1)
    }

    /// Bytes of memory that a process has.
    pub fn resident(pid: Pid) -> u64 {
        let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
        let pages = statm
            .split_whitespace()
            .nth(1)
            .and_then(|pages| pages.parse().ok());
        #[expect(unsafe_code, reason = "nix has sysconf only with another feature")]
        // SAFETY: it only asks.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        pages.unwrap_or(0u64) * u64::try_from(page).unwrap_or(4096)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use nix::unistd::Pid;

    pub use super::portable::has_ended;

    pub fn name(_: &str) {}

    pub fn adopt_orphans() {}

    pub fn die_with_parent() {}

    pub fn fix_addresses() {}

    pub fn children() -> Vec<Pid> {
        Vec::new()
    }

    pub fn descendants() -> Vec<Pid> {
        Vec::new()
    }

    pub fn resident(_: Pid) -> u64 {
        0
    }
}

mod portable {
    use nix::libc;
    use nix::unistd::Pid;

    /// Whether a child has ended; it is left to be reaped.
    #[expect(unsafe_code, reason = "nix has no waitid on macOS")]
    pub fn has_ended(pid: Pid) -> bool {
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        let id = pid.as_raw().cast_unsigned();
        // SAFETY: `info` is there to be written to; all zero, it is one of no process.
        unsafe {
            libc::waitid(libc::P_PID, id, info.as_mut_ptr(), flags) == 0
                && info.assume_init().si_pid() == pid.as_raw()
        }
    }
}
