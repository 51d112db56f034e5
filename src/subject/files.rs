//! Writes a file that the user named, all of it or nothing; and finds files.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Replaces a file. A link in its place is replaced, not followed: what comes with a subject must not choose which file
/// is written. A device or pipe is written to.
///
/// # Errors
/// If it cannot be written; then what was there is as it was.
pub fn replace(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let there = fs::symlink_metadata(path);
    if let Ok(there) = &there
        && !there.is_file()
        && !there.is_symlink()
    {
        return fs::File::options()
            .write(true)
            .open(path)?
            .write_all(content);
    }
    let dir = path.parent().filter(|dir| *dir != "");
    let mut file = tempfile::Builder::new()
        .prefix(".nopol-")
        .tempfile_in(dir.unwrap_or(Utf8Path::new(".")))?;
    file.write_all(content)?;
    let permissions = match &there {
        Ok(there) if there.is_file() => there.permissions(),
        _ => readable(),
    };
    file.as_file().set_permissions(permissions)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What a new file may be used for: as the user's other files, others may read it.
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o644)
}

/// The text of a regular file; `None` if it is none, or cannot be read.
pub fn text(path: &Utf8Path) -> Option<String> {
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    is_file.then(|| fs::read_to_string(path).ok()).flatten()
}

/// The files below a directory with this extension, in order; without what is hidden or built.
pub fn below(dir: &Utf8Path, extension: &str) -> Vec<Utf8PathBuf> {
    let is_left_out = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() > 0 && (name.starts_with('.') || name == "target")
    };
    WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !is_left_out(entry))
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.extension() == Some(extension))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let (report, precious) = (dir.join("report.html"), dir.join("precious"));
        fs::write(&precious, "mine").unwrap();
        std::os::unix::fs::symlink(&precious, &report).unwrap();
        replace(&report, b"first").unwrap();
        replace(&report, b"second").unwrap();
        assert_eq!(fs::read_to_string(&report).unwrap(), "second");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
        replace(Utf8Path::new("/dev/null"), b"gone").unwrap();
        assert!(replace(&dir.join("none/report.html"), b"x").is_err());
        assert_eq!(fs::read_dir(dir).unwrap().count(), 2);
    }
}
