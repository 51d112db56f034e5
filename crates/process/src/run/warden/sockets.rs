//! Waiting for several sockets at once.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Waits until one of the sockets is readable, or until the time is up.
pub fn wait_for<const N: usize>(streams: [&UnixStream; N], time: Option<Duration>) {
    let mut fds = streams.map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLIN));
    // Rounded up, so that it does not wake up too early.
    let time = time.map(|time| time + Duration::from_micros(999));
    let timeout = time.map_or(PollTimeout::NONE, |time| {
        PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX)
    });
    // A signal may end the wait early, which is fine.
    let _ = poll(&mut fds, timeout);
}

/// Whether the socket is readable or closed.
pub fn is_ready(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Reads all available bytes of a non-blocking socket.
pub fn drain(mut stream: &UnixStream) {
    let mut bytes = [0; 64];
    while io::Read::read(&mut stream, &mut bytes).is_ok_and(|read| read > 0) {}
}
