//! The protocol between the tool, the warden and its minders: requests with open files, and answers.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use camino::Utf8PathBuf;
use nix::sys::signal::Signal;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::sandbox::Sandbox;

/// A request of the tool to the warden.
#[derive(Debug, Serialize, Deserialize)]
pub enum WardenRequest {
    /// Start a minder. Comes with a socket through which the minder receives [`Spawn`] messages, each with
    /// the three standard streams, and sends its answers.
    StartMinder,
    /// Remove these directories if the tool ends without having done so. Comes with the locked file of their
    /// slot; the lock is held until they are removed.
    RemoveAtEnd(Vec<Utf8PathBuf>),
    /// The tool ends normally: there is nothing left to remove.
    CancelRemoval,
}

/// A process to start.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spawn {
    pub program: Utf8PathBuf,
    pub args: Vec<String>,
    pub cwd: Utf8PathBuf,
    pub env: Vec<(String, String)>,
    /// Variables that must not be inherited.
    pub unset: Vec<String>,
    pub timeout: Option<Duration>,
    /// The longest time without output to its standard streams, which are files.
    pub silence: Option<Duration>,
    pub limits: Limits,
    /// Its addresses are random, as they are for the user; otherwise they are the same in each run.
    pub random_addresses: bool,
    pub sandbox: Option<Sandbox>,
}

/// Resource limits of a process, in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Address space of each process.
    pub addresses: Option<u64>,
    /// Resident memory of the process and its descendants together.
    pub memory: Option<u64>,
    /// Size of each file that it writes.
    pub file_size: Option<u64>,
    /// What it writes to its standard output and standard error together.
    pub output: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Exit {
    /// `None` if the process was ended by a signal.
    pub code: Option<i32>,
    /// The signal that ended it, if it is known; `SIGXFSZ` also where the tool ended it because it wrote too much.
    pub signal: Option<i32>,
    /// The process was ended because its time was up.
    pub timed_out: bool,
    /// Wall time.
    pub seconds: f64,
}

impl Exit {
    /// Whether it was ended because it wrote too much, to a file or to its output.
    pub fn is_flooded(&self) -> bool {
        self.signal == Some(Signal::SIGXFSZ as i32)
    }

    /// The name of the signal that ended the process, such as `SIGSEGV`.
    pub fn signal_name(&self) -> Option<&'static str> {
        let signal = Signal::try_from(self.signal?).ok()?;
        Some(signal.as_str())
    }
}

/// A minder's answer: how the process ended, or why it could not be started.
pub type Answer = Result<Exit, String>;

/// Sends a message together with open files.
///
/// # Errors
/// If the other side is gone.
pub fn send<T: Serialize>(
    to: &mut UnixStream,
    message: &T,
    files: &[BorrowedFd],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let fds: Vec<RawFd> = files.iter().map(AsRawFd::as_raw_fd).collect();
    let with_files = [ControlMessage::ScmRights(&fds)];
    let control = if fds.is_empty() { &[][..] } else { &with_files };
    let header = length.to_le_bytes();
    // The header is sent completely or not at all: four bytes are never split.
    sendmsg::<()>(
        to.as_raw_fd(),
        &[IoSlice::new(&header)],
        control,
        MsgFlags::empty(),
        None,
    )?;
    to.write_all(&bytes)
}

/// Receives the next message and the files that came with it; `None` if the other side is gone.
///
/// # Errors
/// If the received bytes are not a message.
pub fn receive<T: DeserializeOwned>(
    from: &mut UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    const MOST_FILES: usize = 3;
    let mut header = [0; 4];
    let mut control = nix::cmsg_space!([RawFd; MOST_FILES]);
    let mut files = Vec::new();
    let got = {
        let mut into = [IoSliceMut::new(&mut header)];
        let fd = from.as_raw_fd();
        let message = recvmsg::<()>(fd, &mut into, Some(&mut control), receive_flags())?;
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(fds) = part {
                files.extend(fds.into_iter().map(take_ownership));
            }
        }
        message.bytes
    };
    match got {
        0 => return Ok(None),
        4 => {}
        some => from.read_exact(&mut header[some..])?,
    }
    let mut bytes = vec![0; u32::from_le_bytes(header) as usize];
    from.read_exact(&mut bytes)?;
    Ok(Some((serde_json::from_slice(&bytes)?, files)))
}

/// Received files must not leak into started processes.
fn receive_flags() -> MsgFlags {
    #[cfg(target_os = "linux")]
    return MsgFlags::MSG_CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    MsgFlags::empty()
}

#[expect(unsafe_code, reason = "a descriptor just received is nobody else's")]
fn take_ownership(fd: RawFd) -> OwnedFd {
    // SAFETY: the kernel created the descriptor for this message.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Seek;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_message_arrives_with_its_files_and_the_end_is_reported() {
        let (mut near, mut far) = UnixStream::pair().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"content").unwrap();
        file.rewind().unwrap();
        let long = vec!["x".repeat(1000); 300];
        let sender = std::thread::spawn(move || {
            send(&mut near, &long, &[file.as_fd()]).unwrap();
            send(&mut near, &vec!["last"], &[]).unwrap();
        });
        let (strings, files) = receive::<Vec<String>>(&mut far).unwrap().unwrap();
        assert_eq!(strings.len(), 300);
        let mut text = String::new();
        let mut files = files.into_iter().map(File::from);
        files.next().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "content");
        let (strings, files) = receive::<Vec<String>>(&mut far).unwrap().unwrap();
        assert_eq!((strings, files.len()), (vec!["last".to_owned()], 0));
        sender.join().unwrap();
        assert!(receive::<Vec<String>>(&mut far).unwrap().is_none());
    }
}
