//! Waiting for several sockets at once.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Waits until one of these has something to read, or some time.
pub fn wait_for<const N: usize>(streams: [&UnixStream; N], time: Option<Duration>) {
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
pub fn is_ready(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Reads what there is, of a socket that does not block.
pub fn drain(mut stream: &UnixStream) {
    let mut bytes = [0; 64];
    while io::Read::read(&mut stream, &mut bytes).is_ok_and(|read| read > 0) {}
}
