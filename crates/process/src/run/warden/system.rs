//! Process management: what all systems share, and what differs between Linux and the others.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpgid};

pub use self::platform::{
    adopt_orphans, children, descendants, die_with_parent, fix_addresses, name,
    randomize_addresses, resident, tasks,
};

/// Whether a child has ended, without reaping it.
#[expect(unsafe_code, reason = "nix has no waitid on macOS")]
pub fn has_ended(pid: Pid) -> bool {
    let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
    let id = pid.as_raw().cast_unsigned();
    // SAFETY: `info` is valid for writes, and all zeroes is a valid value that stands for no process.
    unsafe {
        libc::waitid(libc::P_PID, id, info.as_mut_ptr(), flags) == 0
            && info.assume_init().si_pid() == pid.as_raw()
    }
}

/// Kills the descendants of this process, at least this many, and all of their groups at once, for they may multiply. A group
/// whose leader is none of them is not theirs.
pub fn kill_groups(most: usize) {
    let all = descendants(most);
    for pid in &all {
        if let Ok(group) = getpgid(Some(*pid))
            && all.contains(&group)
        {
            let _ = killpg(group, Signal::SIGKILL);
        }
        let _ = kill(*pid, Signal::SIGKILL);
    }
}

/// Processes that are killed before it is looked anew which there are.
const MOST_KILLED: usize = 4096;

/// Kills all descendants of this process and waits until they are gone, at most for `timeout`.
pub fn kill_descendants(timeout: Duration) {
    let end = Instant::now() + timeout;
    loop {
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            // There are no children left.
            Err(Errno::ECHILD) => return,
            Ok(status) if status.pid().is_some() => {}
            _ if Instant::now() > end => return,
            _ => {
                kill_groups(MOST_KILLED);
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;

    use nix::sys::personality::{self, Persona};
    use nix::unistd::Pid;

    /// Makes this process adopt the orphans among its descendants.
    pub fn adopt_orphans() {
        let _ = nix::sys::prctl::set_child_subreaper(true);
    }

    /// Sets the name that process listings show.
    pub fn name(name: &str) {
        let name = std::ffi::CString::new(name).unwrap_or_default();
        let _ = nix::sys::prctl::set_name(&name);
    }

    /// Makes the kernel kill this process when its parent, the minder, dies.
    pub fn die_with_parent() {
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    }

    /// Turns off address space randomization for processes started from now on, so that hashes of addresses
    /// and pointer comparisons are reproducible. If the system refuses, only runs that depend on addresses
    /// are affected.
    pub fn fix_addresses() {
        let _ = personality::get()
            .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE));
    }

    /// Turns it on again.
    pub fn randomize_addresses() {
        let _ = personality::get()
            .and_then(|persona| personality::set(persona - Persona::ADDR_NO_RANDOMIZE));
    }

    /// All processes with their parents.
    fn parents() -> Vec<(Pid, Pid)> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let with_parent = pids.filter_map(|pid: i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The process name in parentheses may contain any character.
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

    /// The number of tasks of the whole system; one read, however many there are.
    pub fn tasks() -> u64 {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let tasks = load
            .split_whitespace()
            .nth(3)
            .and_then(|of| of.split_once('/'));
        tasks.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
    }

    /// The descendants of this process, at most about so many: they may multiply faster than they are counted. One that is
    /// started meanwhile may be missing.
    pub fn descendants(most: usize) -> Vec<Pid> {
        below_this(children_of, most).unwrap_or_else(|| {
            // A kernel that does not list the children of a process.
            let parents = parents();
            let children = |of: Pid| {
                let children = parents.iter().filter(|(_, parent)| *parent == of);
                Some(children.map(|(pid, _)| *pid).collect())
            };
            below_this(children, most).unwrap_or_default()
        })
    }

    /// As [`descendants`], given the children of a process; `None` if they are unknown.
    fn below_this(children: impl Fn(Pid) -> Option<Vec<Pid>>, most: usize) -> Option<Vec<Pid>> {
        let mut found = vec![Pid::this()];
        let mut at = 0;
        while at < found.len() && found.len() <= most + 1 {
            found.extend(children(found[at])?);
            at += 1;
        }
        Some(found.split_off(1))
    }

    /// The children of a process, those of a process that has ended none; `None` if the kernel does not list
    /// them. Looking through all processes takes a hundred times as long, and minders look ten times a second.
    fn children_of(pid: Pid) -> Option<Vec<Pid>> {
        let mut children = Vec::new();
        for task in fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
        {
            let Ok(task) = task else { continue };
            match fs::read_to_string(task.path().join("children")) {
                Ok(list) => {
                    let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
                    children.extend(pids.map(Pid::from_raw));
                }
                // The task has ended.
                Err(_) if !task.path().exists() => {}
                Err(_) => return None,
            }
        }
        Some(children)
    }

    /// Resident memory of a process in bytes.
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
mod platform {
    use nix::unistd::Pid;

    pub fn name(_: &str) {}

    pub fn adopt_orphans() {}

    pub fn die_with_parent() {}

    pub fn fix_addresses() {}

    pub fn randomize_addresses() {}

    pub fn children() -> Vec<Pid> {
        Vec::new()
    }

    pub fn descendants(_: usize) -> Vec<Pid> {
        Vec::new()
    }

    pub fn tasks() -> u64 {
        0
    }

    pub fn resident(_: Pid) -> u64 {
        0
    }
}
