//! A process of its own that starts all others and answers for their end: it lives as long as the
//! tool, and where the tool is killed, whatever was started ends with it.
//!
//! The warden is forked before the tool has threads, so it stays small and may fork freely. It forks
//! *minders*, as many as there are processes at a time. A minder starts a process in a group of its own, with
//! limits and in its sandbox, waits for it, and then kills all that is left of it: also what went into a
//! session of its own, for the minder is the one that orphans below it are given to. Then it takes the
//! next one. A minder whose tool is gone ends its process at once.

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
use super::wire::{self, Request};
use crate::copy::files;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);
/// How long killed processes may take to be gone.
const GONE: Duration = Duration::from_secs(5);

/// Starts the warden, to be talked to through the socket, and waited for once that is closed. To be called
/// while this process has one thread.
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
    system::kill_descendants(GONE);
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
            let _ = minder::mind(UnixStream::from(socket));
            leave(0)
        }
        // The tool sees that nobody has the socket any more.
        Err(_) => None,
    }
}
