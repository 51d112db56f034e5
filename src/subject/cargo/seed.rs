//! Seeds a target directory with the dependencies that were compiled in another one, so that each is compiled
//! only once. Cargo finds them fresh.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};
use camino::Utf8Path;
use walkdir::{DirEntry, WalkDir};

/// Fills a target directory that does not exist yet from another one. Libraries are hard-linked, because
/// rustc replaces them by new files; everything that may be written in place is copied.
///
/// # Errors
/// If something cannot be read or written.
pub fn seed(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    if to.exists() || !from.exists() {
        return Ok(());
    }
    // Filled under another name first, so that the next run does not mistake half of it for all of it.
    let half = to.with_extension("half");
    let _ = fs::remove_dir_all(&half);
    let walk = WalkDir::new(from)
        .into_iter()
        .filter_entry(may_be_dependency);
    for entry in walk {
        let entry = entry.with_context(|| format!("cannot read {from}"))?;
        let target = half.as_std_path().join(entry.path().strip_prefix(from)?);
        let context = || format!("cannot write {}", target.display());
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).with_context(context)?;
        } else if !is_library(entry.path()) || fs::hard_link(entry.path(), &target).is_err() {
            copy(entry.path(), &target).with_context(context)?;
        }
    }
    fs::rename(&half, to).with_context(|| format!("cannot create {to}"))
}

/// Whether to visit a directory, or to copy a file: it may belong to a dependency. Test programs and
/// everything compiled incrementally belong to the subject.
fn may_be_dependency(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    if entry.file_type().is_dir() {
        return !matches!(&*name, "incremental" | "examples" | "doc" | "tmp");
    }
    let dir = entry.path().parent().and_then(Path::file_name);
    let in_deps = dir.is_some_and(|dir| dir == "deps");
    let is_plain = matches!(entry.path().extension(), Some(extension) if extension == "d");
    name != ".cargo-lock" && (!in_deps || is_plain || is_library(entry.path()))
}

fn is_library(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rlib" | "rmeta" | "so" | "dylib" | "a"))
}

/// Copies a file and its modification time, by which cargo decides what is fresh.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)?;
    let written = fs::metadata(from)?.modified()?;
    File::options()
        .append(true)
        .open(to)?
        .set_modified(written)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use camino::Utf8PathBuf;

    use super::*;

    #[test]
    fn compiled_dependencies_are_copied_and_later_changes_are_not() {
        let home = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(home.path().to_owned()).unwrap();
        let (from, to) = (home.join("target"), home.join("target-other"));
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for name in [
            "debug/deps/libdep-1.rlib",
            "debug/deps/dep-1.d",
            "debug/deps/subject-2",
            "debug/deps/subject-2.o",
            "debug/.fingerprint/dep-1/lib-dep",
            "debug/build/dep-3/build-script-build",
            "debug/incremental/subject-2/x.o",
            "debug/.cargo-lock",
        ] {
            let path = from.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "old").unwrap();
            let file = File::options().append(true).open(&path).unwrap();
            file.set_modified(written).unwrap();
        }
        seed(&from, &to).unwrap();

        let files = WalkDir::new(&to).sort_by_file_name().into_iter();
        let files = files
            .map(Result::unwrap)
            .filter(|it| it.file_type().is_file());
        let names = files.map(|it| {
            assert_eq!(it.metadata().unwrap().modified().unwrap(), written);
            it.path().strip_prefix(&to).unwrap().display().to_string()
        });
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "debug/.fingerprint/dep-1/lib-dep",
                "debug/build/dep-3/build-script-build",
                "debug/deps/dep-1.d",
                "debug/deps/libdep-1.rlib",
            ]
        );
        fs::write(to.join("debug/.fingerprint/dep-1/lib-dep"), "new").unwrap();
        let kept = fs::read_to_string(from.join("debug/.fingerprint/dep-1/lib-dep"));
        assert_eq!(kept.unwrap(), "old");

        // The directory exists now, so it is not seeded again.
        fs::remove_file(to.join("debug/deps/libdep-1.rlib")).unwrap();
        seed(&from, &to).unwrap();
        assert!(!to.join("debug/deps/libdep-1.rlib").exists());
    }
}
