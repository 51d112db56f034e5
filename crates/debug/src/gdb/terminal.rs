//! The terminal of the subject: a pseudo terminal, so that what it prints does not mix with what gdb says.
//!
//! The subject sees a terminal, so its output comes line by line. There is no echo, and output is not changed on its
//! way. What to do with the output is left to the caller.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, unlockpt};
use nix::sys::termios::{
    ControlFlags, InputFlags, LocalFlags, OutputFlags, SetArg, tcgetattr, tcsetattr,
};

use super::{Error, Result};

/// How long output that was written may take to arrive.
const PATIENCE: Duration = Duration::from_secs(1);

/// The byte that ends the input when it stands at the start of a line.
const END_OF_INPUT: u8 = 0x04;

/// How much output is kept. A subject in an endless loop would fill the memory.
const KEPT: usize = 1 << 20;

/// Output of the subject that was not taken yet.
#[derive(Debug, Default)]
struct Printed {
    bytes: Vec<u8>,
    /// Whether nothing more comes.
    is_all: bool,
}

#[derive(Debug, Default)]
struct Shared {
    printed: Mutex<Printed>,
    more: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Printed> {
        // Bytes are in order whatever another thread did.
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this is so, or patience ends, and takes what there is.
    fn take(&self, mut is_complete: impl FnMut(&Printed) -> bool) -> Vec<u8> {
        let (mut printed, _) = self
            .more
            .wait_timeout_while(self.lock(), PATIENCE, |printed| !is_complete(printed))
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut printed.bytes)
    }
}

/// Where the other side of a pseudo terminal is opened.
#[cfg(target_os = "linux")]
fn path_of(master: &PtyMaster) -> nix::Result<String> {
    nix::pty::ptsname_r(master)
}

/// Sessions need Linux: elsewhere gdb is missing or cannot start programs.
#[cfg(not(target_os = "linux"))]
fn path_of(_: &PtyMaster) -> nix::Result<String> {
    Err(nix::errno::Errno::ENOTSUP)
}

/// A pseudo terminal. The subject has the one side, this the other.
#[derive(Debug)]
pub(super) struct Terminal {
    /// Where the subject opens it.
    pub(super) path: String,
    /// Our own handle of the subject's side.
    subject_side: File,
    shared: Arc<Shared>,
    input: Sender<Vec<u8>>,
    last_marker: u64,
}

impl Terminal {
    /// Opens a new one.
    pub(super) fn open() -> Result<Self> {
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let master = posix_openpt(flags).map_err(system)?;
        grantpt(&master).map_err(system)?;
        unlockpt(&master).map_err(system)?;
        let path = path_of(&master).map_err(system)?;
        let subject_side = open_side(&path).map_err(Error::Terminal)?;

        let master_copy: OwnedFd = master
            .as_fd()
            .try_clone_to_owned()
            .map_err(Error::Terminal)?;
        let mut reader = File::from(master_copy);
        let mut writer = master;
        let shared = Arc::new(Shared::default());
        let filled = Arc::clone(&shared);
        // Ends with the last handle of the subject's side.
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match reader.read(&mut buffer) {
                    Ok(count @ 1..) => {
                        let bytes = &mut filled.lock().bytes;
                        bytes.extend_from_slice(&buffer[..count]);
                        if bytes.len() > 2 * KEPT {
                            bytes.drain(..bytes.len() - KEPT);
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                }
                filled.more.notify_all();
            }
            filled.lock().is_all = true;
            filled.more.notify_all();
        });
        // A thread, as a subject that does not read would make the writer wait.
        let (input, queue) = mpsc::channel::<Vec<u8>>();
        thread::spawn(move || {
            for bytes in queue {
                if writer.write_all(&bytes).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            path,
            subject_side,
            shared,
            input,
            last_marker: 0,
        })
    }

    /// Gives the subject something to read.
    pub(super) fn write(&self, text: &str) {
        // Fails only if the subject cannot read any more, and then it does not matter.
        let _ = self.input.send(text.as_bytes().to_vec());
    }

    /// Ends what the subject reads, if its input so far ended with a line.
    pub(super) fn end_input(&self) {
        let _ = self.input.send(vec![END_OF_INPUT]);
    }

    /// Takes all that the subject has printed so far.
    pub(super) fn take(&mut self) -> String {
        // The output is on its way through the system. A marker that we print after it tells when all has arrived.
        self.last_marker += 1;
        let marker = format!("\u{0}\u{1}marker {}\u{1}\u{0}", self.last_marker).into_bytes();
        let is_marked = self.subject_side.write_all(&marker).is_ok();
        let mut taken = self.shared.take(|printed| {
            !is_marked || printed.is_all || find(&printed.bytes, &marker).is_some()
        });
        if let Some(start) = find(&taken, &marker) {
            taken.drain(start..start + marker.len());
        }
        String::from_utf8_lossy(&taken).into_owned()
    }

    /// Takes all that the subject has printed, after it has ended.
    ///
    /// The system hangs up the terminal of a process that ends, so it cannot serve another run.
    pub(super) fn close(self) -> String {
        drop(self.subject_side);
        let taken = self.shared.take(|printed| printed.is_all);
        String::from_utf8_lossy(&taken).into_owned()
    }
}

fn open_side(path: &str) -> io::Result<File> {
    let side = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags((OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits())
        .open(path)?;
    let mut settings = tcgetattr(&side)?;
    settings.local_flags = LocalFlags::ICANON;
    settings.input_flags = InputFlags::IUTF8;
    settings.output_flags = OutputFlags::empty();
    settings.control_flags |= ControlFlags::CREAD;
    tcsetattr(&side, SetArg::TCSANOW, &settings)?;
    Ok(side)
}

fn system(error: nix::Error) -> Error {
    Error::Terminal(error.into())
}

fn find(bytes: &[u8], marker: &[u8]) -> Option<usize> {
    bytes
        .windows(marker.len())
        .rposition(|window| window == marker)
}
