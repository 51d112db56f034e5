//! A fork server: one process of the test binary, stopped before `main`, forks a child for each run. The start of
//! a process (exec, the loader, relocations) costs as much as a short test, and is paid once.
//!
//! A constructor looks for [`env::SERVE`]. If it is set, standard input is a socket: a request names the test,
//! the files for the output and the variables of the run ([`crate::layout::serve`]); the child gets them as its
//! arguments, streams and environment and goes on to `main`, and the answer says how it ended. Nothing here
//! allocates, so that the children's heaps are what they would be without a server.
//!
//! What one request cannot do without trace is not done: a child that leaves processes behind ends the server, and
//! whoever started it kills them.

mod panics;

use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_long, c_short, c_void};
use std::ptr;

use crate::layout::{env, serve};

mod c {
    use super::{c_char, c_int, c_long, c_short, c_void};

    #[repr(C)]
    pub struct PollFd {
        pub fd: c_int,
        pub events: c_short,
        pub revents: c_short,
    }

    #[repr(C)]
    pub struct Time {
        pub seconds: c_long,
        pub nanos: c_long,
    }

    extern "C" {
        pub static mut environ: *mut *mut c_char;
        pub fn syscall(number: c_long, ...) -> c_long;
        pub fn fork() -> c_int;
        pub fn _exit(code: c_int) -> !;
        pub fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        pub fn kill(pid: c_int, signal: c_int) -> c_int;
        pub fn setpgid(pid: c_int, group: c_int) -> c_int;
        pub fn prctl(option: c_int, ...) -> c_int;
        pub fn poll(fds: *mut PollFd, count: u64, milliseconds: c_int) -> c_int;
        pub fn read(fd: c_int, into: *mut c_void, len: usize) -> isize;
        pub fn send(fd: c_int, from: *const c_void, len: usize, flags: c_int) -> isize;
        pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
        pub fn chdir(path: *const c_char) -> c_int;
        pub fn dup2(from: c_int, to: c_int) -> c_int;
        pub fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
        pub fn close(fd: c_int) -> c_int;
        pub fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
        pub fn mmap(
            at: *mut c_void,
            len: usize,
            protection: c_int,
            flags: c_int,
            fd: c_int,
            offset: i64,
        ) -> *mut c_void;
        pub fn munmap(at: *mut c_void, len: usize) -> c_int;
    }

    /// `pidfd_open`.
    pub const SYS_PIDFD_OPEN: c_long = 434;
    pub const SIGTERM: c_int = 15;
    pub const SIGKILL: c_int = 9;
    pub const WNOHANG: c_int = 1;
    pub const POLLIN: c_short = 1;
    pub const PR_SET_PDEATHSIG: c_int = 1;
    pub const PR_SET_CHILD_SUBREAPER: c_int = 36;
    pub const O_RDONLY: c_int = 0;
    /// `O_WRONLY | O_CREAT | O_TRUNC`.
    pub const TO_WRITE: c_int = 0o1 | 0o100 | 0o1000;
    pub const F_DUPFD_CLOEXEC: c_int = 1030;
    pub const MSG_NOSIGNAL: c_int = 0x4000;
    pub const CLOCK_MONOTONIC: c_int = 1;
    pub const PROT_READ_WRITE: c_int = 1 | 2;
    /// `MAP_PRIVATE | MAP_ANONYMOUS`.
    pub const MAP_MEMORY: c_int = 0x02 | 0x20;
}

/// The lowest number for the server's own descriptors, so that those of the children are as without a server.
const OWN_FD: c_int = 200;
/// Time between SIGTERM and SIGKILL, in milliseconds.
const GRACE: c_int = 300;

/// Runs after std has taken the arguments, which it does at 99.
#[used]
#[link_section = ".init_array.00100"]
static CONSTRUCTOR: extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

extern "C" fn construct(count: c_int, args: *mut *mut c_char, _: *mut *mut c_char) {
    // SAFETY: a constructor gets the arguments of `main`; `environ` ends with a null pointer; nothing else runs yet.
    unsafe {
        if variable(|name| name.starts_with(env::PREFIX)).is_some() {
            panics::print_briefly();
        }
        if let Some(own) = variable(|name| name == env::SERVE.as_bytes()) {
            if count > 2 {
                serve(args, own);
            }
        }
    }
}

/// Where in the environment the first variable with such a name is.
unsafe fn variable(is_it: impl Fn(&[u8]) -> bool) -> Option<usize> {
    if c::environ.is_null() {
        return None;
    }
    let mut at = 0;
    while !(*c::environ.add(at)).is_null() {
        let variable = CStr::from_ptr(*c::environ.add(at)).to_bytes();
        let end = variable.iter().position(|byte| *byte == b'=');
        if end.is_some_and(|end| is_it(&variable[..end])) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Answers requests until the socket is closed. Returns in the children only.
unsafe fn serve(args: *mut *mut c_char, own: usize) {
    let socket = c::fcntl(0, c::F_DUPFD_CLOEXEC, OWN_FD);
    let null = c::open(b"/dev/null\0".as_ptr().cast(), c::O_RDONLY);
    if socket < 0 || null < 0 || c::dup2(null, 0) < 0 {
        c::_exit(serve::CANNOT);
    }
    c::close(null);
    // A child has only the thread that forked it, and descriptors of processes are needed to wait for it.
    let own_end = c::syscall(c::SYS_PIDFD_OPEN, std::process::id() as c_long, 0 as c_long) as c_int;
    if !is_single_threaded() || own_end < 0 {
        c::_exit(serve::CANNOT);
    }
    c::close(own_end);
    c::prctl(c::PR_SET_CHILD_SUBREAPER, 1u64);
    let hello = [serve::HELLO];
    if !send(socket, &hello) {
        c::_exit(serve::CANNOT);
    }
    loop {
        let mut header = [0u8; serve::REQUEST];
        if !receive(socket, header.as_mut_ptr(), header.len()) {
            c::_exit(0);
        }
        let word = |at: usize| {
            u32::from_ne_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let (len, milliseconds) = (word(0) as usize, word(4));
        let text = memory(len).cast::<u8>();
        if text.is_null() || !receive(socket, text, len) {
            c::_exit(serve::CANNOT);
        }
        let started = nanoseconds();
        let child = c::fork();
        if child == 0 {
            become_run(args, own, text, len);
            c::close(socket);
            return;
        }
        if child < 0 {
            c::_exit(serve::CANNOT);
        }
        let (status, flags) = watch(child, milliseconds);
        let nanos = nanoseconds().wrapping_sub(started);
        c::munmap(text.cast(), len);
        let mut answer = [0u8; serve::ANSWER];
        answer[..4].copy_from_slice(&status.to_ne_bytes());
        answer[4..8].copy_from_slice(&flags.to_ne_bytes());
        answer[8..].copy_from_slice(&nanos.to_ne_bytes());
        if !send(socket, &answer) || flags & serve::SPENT != 0 {
            c::_exit(0);
        }
    }
}

/// Whether this process has one thread: libraries may start some before anything of the program runs.
unsafe fn is_single_threaded() -> bool {
    let mut text = [0u8; 1024];
    let file = c::open(b"/proc/self/stat\0".as_ptr().cast(), c::O_RDONLY);
    let got = c::read(file, text.as_mut_ptr().cast(), text.len());
    c::close(file);
    let text = text.get(..usize::try_from(got).unwrap_or(0)).unwrap_or(&[]);
    // The process's name in parentheses may contain anything. The number of threads is the 18th word after it.
    let Some(end) = text.iter().rposition(|byte| *byte == b')') else {
        return false;
    };
    let mut words = text[end + 1..].split(|byte| *byte == b' ').skip(1);
    words.nth(17) == Some(b"1")
}

/// Makes this process what a new one with that request's test, streams and variables would be.
unsafe fn become_run(args: *mut *mut c_char, own: usize, text: *mut u8, len: usize) {
    c::setpgid(0, 0);
    c::prctl(c::PR_SET_PDEATHSIG, c::SIGKILL as u64);
    let mut known = 0;
    while !(*c::environ.add(known)).is_null() {
        known += 1;
    }
    // No more strings than bytes: each ends with a NUL.
    let mut strings = 0;
    for at in 0..len {
        strings += usize::from(*text.add(at) == 0);
    }
    let variables =
        memory((known + strings + 1) * std::mem::size_of::<*mut c_char>()).cast::<*mut c_char>();
    if variables.is_null() {
        c::_exit(serve::CANNOT);
    }
    let mut next = 0;
    for at in (0..known).filter(|at| *at != own) {
        variables.add(next).write(*c::environ.add(at));
        next += 1;
    }
    let (mut at, mut number) = (0, 0);
    while at < len {
        let string = text.add(at).cast::<c_char>();
        match number {
            0 => args.add(serve::TEST_ARGUMENT).write(string),
            3 => {
                if c::chdir(string) != 0 {
                    c::_exit(serve::CANNOT);
                }
            }
            1 | 2 => {
                let file = c::open(string, c::TO_WRITE, 0o666);
                if file < 0 || c::dup2(file, number) < 0 {
                    c::_exit(serve::CANNOT);
                }
                c::close(file);
            }
            _ => {
                variables.add(next).write(string);
                next += 1;
            }
        }
        at += CStr::from_ptr(string).to_bytes_with_nul().len();
        number += 1;
    }
    c::environ = variables;
    crate::seed::forget();
}

/// Waits for the child and ends it when its time is up. Returns its status and the answer's flags.
unsafe fn watch(child: c_int, milliseconds: u32) -> (c_int, u32) {
    // As the child does, so that the group exists whoever comes first.
    c::setpgid(child, child);
    let mut flags = 0;
    let end = c::syscall(c::SYS_PIDFD_OPEN, child as c_long, 0 as c_long) as c_int;
    if end < 0 {
        c::_exit(serve::CANNOT);
    }
    let limit = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
    if !is_over(end, limit) {
        flags |= serve::TIMED_OUT;
        c::kill(-child, c::SIGTERM);
        // It may have left its group.
        c::kill(child, c::SIGTERM);
        is_over(end, GRACE);
    }
    c::kill(-child, c::SIGKILL);
    c::kill(child, c::SIGKILL);
    let mut status = 0;
    while c::waitpid(child, &mut status, 0) < 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            c::_exit(serve::CANNOT);
        }
    }
    c::close(end);
    // What the child left behind is now this process's: it is gone, if it was in the group, or about to be.
    let mut attempts = 0;
    loop {
        match c::waitpid(-1, ptr::null_mut(), c::WNOHANG) {
            0 if attempts < 20 => {
                attempts += 1;
                c::poll(ptr::null_mut(), 0, 1);
            }
            0 => return (status, flags | serve::SPENT),
            found if found > 0 => {}
            _ => return (status, flags),
        }
    }
}

/// Whether the process behind a descriptor ends within that time.
unsafe fn is_over(process: c_int, milliseconds: c_int) -> bool {
    let start = nanoseconds();
    let mut left = milliseconds;
    loop {
        let mut fd = c::PollFd {
            fd: process,
            events: c::POLLIN,
            revents: 0,
        };
        match c::poll(&mut fd, 1, left) {
            0 => return false,
            found if found > 0 => return true,
            // Interrupted by a signal.
            _ => {
                let spent = (nanoseconds().wrapping_sub(start) / 1_000_000) as c_int;
                left = milliseconds.saturating_sub(spent).max(0);
            }
        }
    }
}

unsafe fn nanoseconds() -> u64 {
    let mut now = c::Time {
        seconds: 0,
        nanos: 0,
    };
    c::clock_gettime(c::CLOCK_MONOTONIC, &mut now);
    (now.seconds as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(now.nanos as u64)
}

/// Fresh memory of that many bytes, or null.
unsafe fn memory(len: usize) -> *mut c_void {
    let memory = c::mmap(
        ptr::null_mut(),
        len.max(1),
        c::PROT_READ_WRITE,
        c::MAP_MEMORY,
        -1,
        0,
    );
    match memory as isize {
        -1 => ptr::null_mut(),
        _ => memory,
    }
}

/// Reads exactly that many bytes.
unsafe fn receive(socket: c_int, into: *mut u8, len: usize) -> bool {
    let mut got = 0;
    while got < len {
        match c::read(socket, into.add(got).cast(), len - got) {
            0 => return false,
            some if some > 0 => got += some as usize,
            // A signal is the only reason to try again; others are not expected here and come again.
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return false,
        }
    }
    true
}

unsafe fn send(socket: c_int, bytes: &[u8]) -> bool {
    c::send(socket, bytes.as_ptr().cast(), bytes.len(), c::MSG_NOSIGNAL) == bytes.len() as isize
}
