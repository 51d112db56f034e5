//! The files for a process's output, in a directory that the process may write to: what it puts in their place (a
//! link, a FIFO, a device) is neither followed nor waited for.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use camino::Utf8Path;
use nix::libc;

/// A new file for a process's output; a link is not followed.
pub fn create(path: &Utf8Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let file = options.custom_flags(libc::O_NOFOLLOW).open(path);
    file.with_context(|| format!("cannot write {path}"))
}

/// Opens what a run left in its directory, for reading; `None` if it is not a regular file, or not there any more.
pub fn open(path: &Path) -> Result<Option<File>> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    match options.open(path) {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        Err(error) if is_no_file(&error) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Whether opening fails because there is nothing, a link, or a socket.
fn is_no_file(error: &std::io::Error) -> bool {
    let code = error.raw_os_error();
    error.kind() == ErrorKind::NotFound || code == Some(libc::ELOOP) || code == Some(libc::ENXIO)
}

/// The end of a file, as text.
pub fn tail(path: &Path) -> Result<String> {
    end(path, 8192)
}

/// So many bytes at the end of a file that a test wrote, at most.
///
/// # Errors
/// If the file cannot be read.
pub fn end(path: &Path, most_bytes: u64) -> Result<String> {
    let Some(mut file) = open(path)? else {
        return Ok(String::new());
    };
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(most_bytes)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_put_in_place_of_its_output_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let (own, output) = (dir.join("own"), dir.join("stdout"));
        std::fs::write(&own, "mine").unwrap();
        std::os::unix::fs::symlink(&own, &output).unwrap();
        assert!(create(&output).is_err());
        assert_eq!(tail(output.as_std_path()).unwrap(), "");
        assert_eq!(std::fs::read_to_string(&own).unwrap(), "mine");

        std::fs::remove_file(&output).unwrap();
        assert_eq!(tail(output.as_std_path()).unwrap(), "");
        nix::unistd::mkfifo(output.as_std_path(), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(tail(output.as_std_path()).unwrap(), "");
    }
}
