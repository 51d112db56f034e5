//! Writes a file that the user named, all of it or nothing; and finds files.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use nix::unistd::{AccessFlags, access};
use walkdir::{DirEntry, WalkDir};

/// Replaces a file. A link in its place is replaced, not followed: what comes with a subject must not choose which file
/// is written. A device or pipe is written to.
///
/// # Errors
/// If it cannot be written; then the old content is unchanged.
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
        .tempfile_in(dir.unwrap_or(Utf8Path::new(".")))
        // Its message would name a temporary file that the user does not know.
        .map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(content)?;
    let permissions = match &there {
        Ok(there) if there.is_file() => there.permissions(),
        _ => readable(),
    };
    file.as_file().set_permissions(permissions)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether a file that exists is program text or a manifest, by its name.
pub fn is_program_text(path: &Utf8Path) -> bool {
    const EXTENSIONS: [&str; 10] = [
        "rs", "toml", "lock", "c", "h", "cc", "cpp", "hpp", "mk", "cmake",
    ];
    let is_named = path.extension().is_some_and(|it| EXTENSIONS.contains(&it));
    (is_named || path.file_name() == Some("Makefile")) && path.is_file()
}

/// Whether [`replace`] can be expected to write a file. Nothing is touched.
///
/// # Errors
/// Why not, as the end of a sentence.
pub fn may_replace(path: &Utf8Path) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => Err("is a directory".to_owned()),
        Ok(there) if !there.is_file() && !there.is_symlink() => may_write(path),
        _ if path.file_name().is_none() || path.as_str().ends_with('/') => {
            Err("does not name a file".to_owned())
        }
        _ => {
            let dir = path.parent().filter(|dir| *dir != "");
            let dir = dir.unwrap_or(Utf8Path::new("."));
            match fs::metadata(dir) {
                Ok(there) if there.is_dir() => may_write(dir)
                    .map_err(|why| format!("cannot be written: the directory {dir} {why}")),
                Ok(_) => Err(format!("cannot be written: {dir} is not a directory")),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    Err(format!("cannot be written: there is no directory {dir}"))
                }
                Err(error) => Err(format!("cannot be written: the directory {dir}: {error}")),
            }
        }
    }
}

/// Whether files can be expected to be written in a directory, which is made if it is not there. Nothing is touched.
///
/// # Errors
/// Why not, as the end of a sentence.
pub fn may_fill(dir: &Utf8Path) -> Result<(), String> {
    let ancestors = dir.ancestors().map(|dir| match dir.as_str() {
        "" => Utf8Path::new("."),
        _ => dir,
    });
    for dir in ancestors {
        match fs::metadata(dir) {
            Ok(there) if there.is_dir() => {
                return may_write(dir).map_err(|why| format!("cannot be filled: {dir} {why}"));
            }
            Ok(_) => return Err(format!("cannot be made: {dir} is not a directory")),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(format!("cannot be made: {dir}: {error}")),
        }
    }
    Ok(())
}

/// Whether nothing is there.
fn is_missing(error: &io::Error) -> bool {
    let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    kinds.contains(&error.kind())
}

/// Whether the user may write to the existing file or directory.
///
/// # Errors
/// Why not, as the end of a sentence.
pub fn may_write(path: &Utf8Path) -> Result<(), String> {
    access(path.as_std_path(), AccessFlags::W_OK)
        .map_err(|error| format!("may not be written to ({})", error.desc()))
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
