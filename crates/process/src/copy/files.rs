//! Operations on single files and whole directories: copying that preserves holes, and removal whatever the
//! permissions.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use camino::Utf8Path;

/// Copies a file's content. Holes stay holes, and blocks are shared if the file system supports it. The copy
/// is always writable.
///
/// # Errors
/// If either file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::metadata(from)?;
    // `blocks` counts units of 512 bytes, whatever the block size of the file system.
    if metadata.blocks() * 512 < metadata.len() {
        copy_sparse(from, to, metadata.len())?;
        fs::set_permissions(to, metadata.permissions())?;
    } else {
        fs::copy(from, to)?;
    }
    let mut permissions = metadata.permissions();
    if permissions.mode() & 0o200 == 0 {
        permissions.set_mode(permissions.mode() | 0o200);
        fs::set_permissions(to, permissions)?;
    }
    Ok(())
}

/// Copies the data between holes.
#[cfg(target_os = "linux")]
fn copy_sparse(from: &Path, to: &Path, len: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};

    use nix::errno::Errno;
    use nix::unistd::{Whence, lseek};

    let (mut from, mut to) = (File::open(from)?, File::create(to)?);
    to.set_len(len)?;
    let offset = |at: u64| i64::try_from(at).map_err(io::Error::other);
    let found = |at: i64| u64::try_from(at).map_err(io::Error::other);
    let mut at = 0;
    while at < len {
        let data = match lseek(&from, offset(at)?, Whence::SeekData) {
            Ok(data) => found(data)?,
            // The rest of the file is a hole.
            Err(Errno::ENXIO) => break,
            Err(error) => return Err(error.into()),
        };
        let hole = found(lseek(&from, offset(data)?, Whence::SeekHole)?)?;
        from.seek(SeekFrom::Start(data))?;
        to.seek(SeekFrom::Start(data))?;
        io::copy(&mut (&mut from).take(hole - data), &mut to)?;
        at = hole;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn copy_sparse(from: &Path, to: &Path, _: u64) -> io::Result<()> {
    fs::copy(from, to).map(|_| ())
}

/// Whether two files have the same content.
///
/// # Errors
/// If either file cannot be read.
pub fn is_same(a: &Path, b: &Path) -> io::Result<bool> {
    use std::io::{BufRead, BufReader};

    if fs::metadata(a)?.len() != fs::metadata(b)?.len() {
        return Ok(false);
    }
    let open = |path| Ok::<_, io::Error>(BufReader::with_capacity(1 << 16, File::open(path)?));
    let (mut a, mut b) = (open(a)?, open(b)?);
    loop {
        let (chunk_of_a, chunk_of_b) = (a.fill_buf()?, b.fill_buf()?);
        let len = chunk_of_a.len().min(chunk_of_b.len());
        if len == 0 {
            return Ok(chunk_of_a.len() == chunk_of_b.len());
        }
        if chunk_of_a[..len] != chunk_of_b[..len] {
            return Ok(false);
        }
        a.consume(len);
        b.consume(len);
    }
}

/// Removes a directory with all its contents, even if they are unreadable or read-only. A missing directory
/// is not an error.
///
/// # Errors
/// If something cannot be removed.
pub fn remove_tree(dir: &Utf8Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_accessible(dir.as_std_path());
            fs::remove_dir_all(dir)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Makes a directory and all directories below it readable and writable. Links are not followed.
fn make_accessible(dir: &Path) {
    let is_dir = fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_dir());
    if is_dir && fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).is_ok() {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.for_each(|entry| make_accessible(&entry.path()));
    }
}

/// Removes a file, a link, or a directory with all its contents. A missing path is not an error.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    let is_dir = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.is_dir(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match (is_dir, Utf8Path::from_path(path)) {
        (true, Some(path)) => remove_tree(path),
        (true, None) => fs::remove_dir_all(path),
        (false, _) => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    #[test]
    fn a_sparse_file_stays_sparse_and_equal() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let mut file = File::create(&from).unwrap();
        file.write_all(b"start").unwrap();
        file.seek(SeekFrom::Start(40 << 20)).unwrap();
        file.write_all(b"end").unwrap();
        file.set_len(64 << 20).unwrap();
        drop(file);
        copy(&from, &to).unwrap();
        assert!(is_same(&from, &to).unwrap());
        let blocks = |path| fs::metadata(path).unwrap().blocks();
        assert!(blocks(&to) <= blocks(&from) + 64, "{} blocks", blocks(&to));
        fs::write(&to, "start").unwrap();
        assert!(!is_same(&from, &to).unwrap());
    }

    #[test]
    fn a_directory_without_permissions_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let closed = dir.path().join("a/b");
        fs::create_dir_all(&closed).unwrap();
        fs::write(closed.join("file"), "").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap().join("a");
        remove_tree(&top).unwrap();
        assert!(!top.exists());
        remove_tree(&top).unwrap();
    }
}
