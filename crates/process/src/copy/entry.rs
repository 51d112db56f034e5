//! The entries of a working copy: what is at each path, whether it is unchanged, and how it is restored.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::files;
use super::stamp::Stamp;

/// What is at a path, as of the last snapshot.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) stamp: Stamp,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Dir,
    Link(PathBuf),
    /// A file of the subject, and its stamp when it was copied.
    Original(PathBuf, Stamp),
    /// The backup of a file.
    Backup(PathBuf),
    /// Neither a file, a directory nor a link.
    Other,
}

/// The subject's own file has changed since it was copied, so a damaged copy cannot be restored from it.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0} was changed during the run, and the working copy of it was damaged by a test; run again"
)]
pub struct OriginChanged(String);

/// The bits of a mode that tell the type of a file.
pub(super) fn file_type(mode: u32) -> u32 {
    mode & 0o170_000
}

/// Whether a path still has this content.
pub(super) fn has_content(path: &Path, metadata: &fs::Metadata, content: &Content) -> bool {
    match content {
        Content::Dir => metadata.is_dir(),
        Content::Link(to) => fs::read_link(path).is_ok_and(|now| now == *to),
        Content::Original(origin, stamp) => {
            metadata.is_file()
                && fs::metadata(origin).is_ok_and(|now| Stamp::of(&now) == *stamp)
                && files::is_same(path, origin).unwrap_or(false)
        }
        Content::Backup(backup) => {
            metadata.is_file() && files::is_same(path, backup).unwrap_or(false)
        }
        Content::Other => !metadata.is_file() && !metadata.is_dir(),
    }
}

pub(super) fn restore_entry(path: &Path, entry: &Entry) -> Result<()> {
    let from = match &entry.content {
        Content::Dir => {
            if !path.is_dir() {
                fs::create_dir_all(path)?;
            }
            fs::set_permissions(path, fs::Permissions::from_mode(entry.stamp.mode))?;
            return Ok(());
        }
        Content::Link(to) => {
            remove(path)?;
            symlink(to, path)?;
            return Ok(());
        }
        Content::Other => return Ok(()),
        Content::Backup(backup) => backup,
        Content::Original(origin, stamp) => {
            let now = fs::metadata(origin).map(|now| Stamp::of(&now));
            if !now.is_ok_and(|now| now == *stamp) {
                return Err(OriginChanged(origin.display().to_string()).into());
            }
            origin
        }
    };
    remove(path)?;
    files::copy(from, path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(entry.stamp.mode))?;
    Ok(())
}

/// Removes a path even if its directory was made unwritable.
pub(super) fn remove(path: &Path) -> Result<()> {
    let removed = files::remove(path).or_else(|_| {
        if let Some(dir) = path.parent() {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        }
        files::remove(path)
    });
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

pub(super) fn set_time(path: &Path, time: SystemTime) -> Result<()> {
    // The owner may set the time of a file even if it is not writable.
    let file = File::open(path)?;
    Ok(file.set_modified(time)?)
}
