//! What the outcome of a search depends on, as hashes: the subject's files, how it is built, the compiler and
//! the tool. What is equal in all of it is searched with the same result.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use walkdir::{DirEntry, WalkDir};

use super::Subject;
use crate::hash::fnv1a_of;

/// Variables that compilers and cargo obey.
const VARIABLES: [&str; 9] = [
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CC",
    "CFLAGS",
    "LDFLAGS",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTFLAGS",
];

/// Of a longer file the size and time have to do.
const LONG: u64 = 16 << 20;
/// Subjects with more than that are not looked through.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: u64 = 512 << 20;

/// Hashes by what they are of; `None` if there is too much, or something cannot be read. `skipped` is where
/// the tool works.
pub fn of(subject: &Subject, skipped: &Utf8Path) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut add = |what: &str, text: &[u8]| {
        found.insert(what.to_owned(), hash(text));
    };
    let version = env!("CARGO_PKG_VERSION");
    let tool = subject.tool.as_deref().map(|path| stamp(path).ok());
    add(
        "the version of the tool",
        format!("{version} {tool:?}").as_bytes(),
    );
    add("the place of the subject", subject.root.as_str().as_bytes());
    let values = VARIABLES.map(std::env::var_os);
    add("the environment", format!("{values:?}").as_bytes());
    add("the compiler", &compiler(subject));
    let (what, text) = subject.ecosystem.configuration();
    add(what, text.as_bytes());
    let skipped = [subject.target_dir.as_path(), skipped].map(real);
    let mut budget = (MOST_FILES, MOST_BYTES);
    for dir in std::iter::once(&subject.root).chain(&subject.outside) {
        files(dir.as_std_path(), &skipped, &mut budget, &mut found)?;
    }
    Some(found)
}

fn real(path: &Utf8Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.as_std_path().to_owned())
}

fn hash(bytes: &[u8]) -> String {
    format!("{:016x}-{}", fnv1a_of(bytes), bytes.len())
}

/// What the compiler says of itself.
fn compiler(subject: &Subject) -> Vec<u8> {
    let mut command = subject.ecosystem.compiler();
    let output = command.current_dir(&subject.root).output();
    output.map_or_else(|_| Vec::new(), |output| output.stdout)
}

/// The size and time of a file.
fn stamp(path: &Path) -> io::Result<(u64, i64, i64)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

/// Adds all files of a directory, those behind links, too.
fn files(
    dir: &Path,
    skipped: &[PathBuf],
    (files, bytes): &mut (usize, u64),
    found: &mut BTreeMap<String, String>,
) -> Option<()> {
    let is_wanted = |entry: &DirEntry| {
        let path = entry.path();
        let is_target =
            || path.join("CACHEDIR.TAG").is_file() && path.join(".rustc_info.json").is_file();
        let is_dir = entry.file_type().is_dir();
        entry.file_name() != ".git"
            && !(is_dir && (skipped.iter().any(|skipped| skipped == path) || is_target()))
    };
    let entries = WalkDir::new(fs::canonicalize(dir).ok()?).follow_links(true);
    for entry in entries.into_iter().filter_entry(is_wanted) {
        // A link that leads nowhere or back up, or a directory that nobody may read.
        let Ok(entry) = entry else { continue };
        *files = files.checked_sub(1)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let length = entry.metadata().ok()?.len();
        let content = match length > LONG {
            true => format!("{:?}", stamp(entry.path()).ok()?),
            false => {
                *bytes = bytes.checked_sub(length)?;
                // Neither can a build read it, whatever is in it.
                fs::read(entry.path()).map_or_else(|error| error.to_string(), |bytes| hash(&bytes))
            }
        };
        let mode = entry.metadata().ok()?.mode() & 0o111;
        found.insert(
            entry.path().display().to_string(),
            format!("{content}-{mode:o}"),
        );
    }
    Some(())
}

/// What is not as it was, first what matters most.
pub fn changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<String> {
    let keys = now.keys().chain(before.keys());
    let mut changed: Vec<&String> = keys
        .filter(|key| before.get(*key) != now.get(*key))
        .collect();
    // Files have a path, and explain more than what is derived from them.
    changed.sort_by_key(|key| !key.starts_with('/'));
    changed.first().map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_counts_and_time_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rs");
        let skipped = dir.path().join("target");
        fs::create_dir(&skipped).unwrap();
        let skipped = [fs::canonicalize(skipped).unwrap()];
        let look = || {
            let (mut budget, mut found) = ((MOST_FILES, MOST_BYTES), BTreeMap::new());
            files(dir.path(), &skipped, &mut budget, &mut found).unwrap();
            found
        };
        fs::write(&path, "one").unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("loop")).unwrap();
        let before = look();
        fs::write(&path, "one").unwrap();
        fs::write(skipped[0].join("built"), "x").unwrap();
        assert_eq!(changed(&before, &look()), None);
        fs::write(&path, "two").unwrap();
        let named = changed(&before, &look()).unwrap();
        assert!(named.ends_with("/a.rs"), "{named}");
        fs::remove_file(&path).unwrap();
        assert_eq!(changed(&before, &look()), Some(named));
    }

    #[test]
    fn too_much_is_not_looked_through() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "four").unwrap();
        let look = |mut budget| files(dir.path(), &[], &mut budget, &mut BTreeMap::new());
        assert_eq!(look((2, 4)), Some(()));
        assert_eq!(look((1, 4)), None);
        assert_eq!(look((2, 3)), None);
    }
}
