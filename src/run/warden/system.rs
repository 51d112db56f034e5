//! What concerns processes in general, and what each system has in its own way.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

pub use self::own::{
    adopt_orphans, children, descendants, die_with_parent, fix_addresses, name, resident,
};

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

/// Kills every descendant of this process and waits until they are gone, but not for ever.
pub fn kill_descendants(patience: Duration) {
    let end = Instant::now() + patience;
    loop {
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            // There is no child left.
            Err(Errno::ECHILD) => return,
            Ok(status) if status.pid().is_some() => {}
            _ if Instant::now() > end => return,
            _ => {
                for pid in descendants() {
                    let _ = kill(pid, Signal::SIGKILL);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod own {
    use std::fs;

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
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let kib = status.lines().find_map(|line| {
            let rest = line.strip_prefix("VmRSS:")?;
            rest.split_whitespace().next()?.parse::<u64>().ok()
        });
        kib.unwrap_or(0) * 1024
    }
}

#[cfg(not(target_os = "linux"))]
mod own {
    use nix::unistd::Pid;

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
