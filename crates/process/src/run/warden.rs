//! The warden: a separate process that starts all others and guarantees their end. It lives as long as the
//! tool; if the tool is killed, everything that was started ends, too.
//!
//! The warden is forked before the tool has threads, so it stays small and may fork freely. It forks
//! *minders*, one per concurrent process. A minder starts a process in its own process group, with limits and
//! in its sandbox, waits for it, and then kills everything that is left of it. That includes processes that
//! moved to a session of their own, because the minder is the subreaper that adopts orphans below it. Then it
//! takes the next process. A minder whose tool is gone ends its process at once.

mod minder;
mod sockets;
mod system;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use self::sockets::{drain, is_ready, wait_for};
use super::wire::{self, WardenRequest};
use crate::copy::files;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);
/// How long to wait for killed processes to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts the warden. The tool talks to it through the socket and waits for it after closing the socket. Must
/// be called while this process has a single thread.
///
/// # Errors
/// If the system cannot provide a process or a socket.
#[expect(unsafe_code, reason = "the warden is a fork")]
pub fn start() -> io::Result<(UnixStream, Pid)> {
    let (ours, theirs) = UnixStream::pair()?;
    // SAFETY: there is a single thread, so the child may do anything that this process may.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => Ok((ours, child)),
        ForkResult::Child => {
            drop(ours);
            let _ = setsid();
            system::name("nopol-warden");
            system::adopt_orphans();
            system::fix_addresses();
            let _ = detach().and_then(|()| outlive_signals());
            serve(theirs);
            leave(0)
        }
    }
}

/// Detaches from the tool's streams: a reader of the tool's output must not wait for the warden.
fn detach() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&null)?;
    nix::unistd::dup2_stdout(&null)?;
    nix::unistd::dup2_stderr(&null)?;
    Ok(())
}

/// Ignores signals that end the tool. A `killall` by the tool's name also reaches this process, but the
/// warden must outlive the tool in order to clean up. Processes that it starts do not inherit this.
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

/// Serves requests until the tool is gone, then cleans up after it.
fn serve(mut tool: UnixStream) {
    let mut leftovers = Vec::new();
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
        match wire::receive::<WardenRequest>(&mut tool) {
            Ok(Some((WardenRequest::StartMinder, files))) => minders.extend(start_minder(files)),
            Ok(Some((WardenRequest::RemoveAtEnd(dirs), files))) => {
                leftovers.extend(dirs);
                locks.extend(files);
            }
            Ok(Some((WardenRequest::CancelRemoval, _))) => {
                leftovers.clear();
                locks.clear();
            }
            Ok(None) | Err(_) => break,
        }
    }
    // Every minder notices that the tool is gone and ends its process.
    let end = Instant::now() + GRACE + KILL_TIMEOUT;
    while !minders.is_empty() && Instant::now() < end {
        wait_for([&children], Some(GRACE));
        drain(&children);
        reap(&mut minders);
    }
    system::kill_descendants(KILL_TIMEOUT);
    for path in leftovers {
        // Best effort: the next run removes what is left.
        let _ = files::remove(path.as_std_path());
    }
}

/// Forgets minders that have ended, and lets one go on that a run has stopped. If one was killed, kills the processes
/// that it left behind.
fn reap(minders: &mut BTreeSet<Pid>) {
    let mut was_killed = false;
    loop {
        match waitpid(
            None::<Pid>,
            Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED),
        ) {
            Ok(WaitStatus::Stopped(pid, _)) if minders.contains(&pid) => {
                let _ = kill(pid, Signal::SIGCONT);
            }
            Ok(WaitStatus::Stopped(..)) => {}
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

/// Forks a minder that serves a socket.
#[expect(unsafe_code, reason = "a minder is a fork")]
fn start_minder(files: Vec<OwnedFd>) -> Option<Pid> {
    let socket = files.into_iter().next()?;
    // SAFETY: the warden has one thread.
    match unsafe { fork() } {
        Ok(ForkResult::Parent { child }) => Some(child),
        Ok(ForkResult::Child) => {
            let _ = minder::serve(UnixStream::from(socket));
            leave(0)
        }
        // The tool sees that the other end of the socket is closed.
        Err(_) => None,
    }
}
