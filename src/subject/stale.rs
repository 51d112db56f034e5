//! Whether what the user has built is older than what it was built from. What such a program does says nothing about the sources.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use camino::Utf8Path;
use walkdir::WalkDir;

use super::files;

/// What an executable of the system starts with.
const ELF: [u8; 4] = *b"\x7fELF";
/// Kinds of source files whose programs are built beside them.
const SOURCES: [&str; 2] = ["c", "h"];

/// Whether a program of the working copy is another one in the user's directory, and older than a source there. One that is the
/// same in both was not built, or of the same sources.
pub fn is_stale(user: &Utf8Path, copy: &Utf8Path) -> bool {
    let sources = SOURCES.iter().flat_map(|kind| files::below(user, kind));
    let Some(latest) = sources
        .filter_map(|path| modified(path.as_std_path()))
        .max()
    else {
        return false;
    };
    let built = WalkDir::new(copy).into_iter().flatten();
    let programs = built.filter(|entry| entry.file_type().is_file() && is_program(entry.path()));
    let mut programs = programs.filter_map(|entry| {
        let path = entry.path().strip_prefix(copy).ok()?;
        Some((user.as_std_path().join(path), entry.into_path()))
    });
    programs.any(|(own, built)| {
        modified(&own).is_some_and(|own| own < latest) && fs::read(own).ok() != fs::read(built).ok()
    })
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn is_program(path: &Path) -> bool {
    let is_executable =
        fs::metadata(path).is_ok_and(|there| there.permissions().mode() & 0o111 != 0);
    let mut start = [0; 4];
    is_executable
        && fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == ELF
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_program_that_is_older_than_a_source_is_stale() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [user, copy] = [0, 1].map(|nth: usize| Utf8Path::from_path(dirs[nth].path()).unwrap());
        let now = SystemTime::now();
        let write = |path: &Utf8Path, bytes: &[u8], age: u64| {
            fs::write(path, bytes).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        };
        write(&user.join("a.c"), b"int x;", 10);
        write(&user.join("run.sh"), b"#!/bin/sh", 99);
        write(&copy.join("run.sh"), b"#!/bin/sh", 0);
        write(&copy.join("program"), b"\x7fELF...", 0);
        assert!(!is_stale(user, copy), "nothing is built there");
        write(&user.join("program"), b"\x7fELF...", 5);
        assert!(!is_stale(user, copy), "it is newer");
        write(&user.join("program"), b"\x7fELF...", 20);
        assert!(!is_stale(user, copy), "it is the same");
        write(&user.join("program"), b"\x7fELF,,,", 20);
        assert!(is_stale(user, copy));
    }
}
