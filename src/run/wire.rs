//! What the tool and its warden tell each other: requests with open files, and answers.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use camino::Utf8PathBuf;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::sandbox::Sandbox;

/// What the tool asks of the warden.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Start a minder. Comes with the socket through which it is asked, by a [`Spawn`] with the standard
    /// streams, to run processes, and answers.
    Mind,
    /// Remove these directories if the tool ends without having done so. Comes with the open lock
    /// of their slot, which is held until then.
    Inherit(Vec<Utf8PathBuf>),
    /// The tool ends in good order: there is nothing to remove.
    Disinherit,
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
    /// How long it may write nothing to its standard streams, which are files.
    pub silence: Option<Duration>,
    pub limits: Limits,
    pub sandbox: Option<Sandbox>,
}

/// What a process may use, in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Address space of each process.
    pub addresses: Option<u64>,
    /// Resident memory of the process and its descendants together.
    pub memory: Option<u64>,
    /// A file it writes.
    pub file_size: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// It was ended because its time was up.
    pub timed_out: bool,
    /// Wall time.
    pub seconds: f64,
}

/// The warden's answer: how the process ended, or why it could not be started.
pub type Answer = Result<Ended, String>;

/// Sends a message and open files with it.
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
    // Four bytes fit, or nothing does.
    sendmsg::<()>(
        to.as_raw_fd(),
        &[IoSlice::new(&header)],
        control,
        MsgFlags::empty(),
        None,
    )?;
    to.write_all(&bytes)
}

/// The next message and the files that came with it; `None` if the other side is gone.
///
/// # Errors
/// If what comes is no message.
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
                files.extend(fds.into_iter().map(own));
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

/// Files must not leak into what is started.
fn receive_flags() -> MsgFlags {
    #[cfg(target_os = "linux")]
    return MsgFlags::MSG_CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    MsgFlags::empty()
}

#[expect(unsafe_code, reason = "a descriptor just received is nobody else's")]
fn own(fd: RawFd) -> OwnedFd {
    // SAFETY: the kernel made it for this message.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Seek;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_message_arrives_with_its_files_and_the_end_is_told() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"in it").unwrap();
        file.rewind().unwrap();
        let long = vec!["x".repeat(1000); 300];
        let sender = std::thread::spawn(move || {
            send(&mut here, &long, &[file.as_fd()]).unwrap();
            send(&mut here, &vec!["last"], &[]).unwrap();
        });
        let (strings, files) = receive::<Vec<String>>(&mut there).unwrap().unwrap();
        assert_eq!(strings.len(), 300);
        let mut text = String::new();
        let mut files = files.into_iter().map(File::from);
        files.next().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "in it");
        let (strings, files) = receive::<Vec<String>>(&mut there).unwrap().unwrap();
        assert_eq!((strings, files.len()), (vec!["last".to_owned()], 0));
        sender.join().unwrap();
        assert!(receive::<Vec<String>>(&mut there).unwrap().is_none());
    }
}
