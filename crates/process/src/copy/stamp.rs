//! File stamps: metadata that tell whether a file has changed without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

/// The type, size, times and inode of a file. Programs cannot set the time of the last change (ctime), so
/// equal stamps mean equal content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Permission bits and file type, as `st_mode` has them.
    pub mode: u32,
    len: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file with this metadata.
    pub fn of(metadata: &Metadata) -> Self {
        // A directory's own size and times are irrelevant; its entries are compared instead.
        let is_dir = metadata.is_dir();
        let file_only = |times: (i64, i64)| if is_dir { (0, 0) } else { times };
        Self {
            mode: metadata.mode(),
            len: if is_dir { 0 } else { metadata.len() },
            inode: metadata.ino(),
            modified: file_only((metadata.mtime(), metadata.mtime_nsec())),
            changed: file_only((metadata.ctime(), metadata.ctime_nsec())),
        }
    }

    /// When the content was last written.
    pub fn modified(&self) -> SystemTime {
        let seconds = std::time::Duration::from_secs(self.modified.0.unsigned_abs());
        let rest = std::time::Duration::from_nanos(self.modified.1.unsigned_abs());
        let whole = match self.modified.0 < 0 {
            true => SystemTime::UNIX_EPOCH - seconds,
            false => SystemTime::UNIX_EPOCH + seconds,
        };
        whole + rest
    }
}
