//! The dependencies of a search, as hashes: the subject's files, how it is built, the compiler and the tool. If
//! all of them are equal, a search has the same result.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use nopol_basics::hash::fnv1a_of;
use walkdir::{DirEntry, WalkDir};

use super::Subject;

/// Environment variables that affect compilers, cargo and runners of tests, and prefixes of such.
const VARIABLES: [&str; 12] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "CC",
    "CFLAGS",
    "CPATH",
    "CPPFLAGS",
    "C_INCLUDE_PATH",
    "LDFLAGS",
    "LIBRARY_PATH",
    "MAKEFLAGS",
    "PKG_CONFIG_PATH",
    "RUSTFLAGS",
    "RUST_MIN_STACK",
];
const PREFIXES: [&str; 7] = [
    "CARGO_BUILD_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "NEXTEST_",
    "PROPTEST_",
    "QUICKCHECK_",
    "RUSTC",
];

const TOOL: &str = "the version of the tool";
const PLACE: &str = "the place of the program";
/// The settings that affect a search.
pub const SETTINGS: &str = "the settings";
/// The options that describe a C program.
pub const OPTIONS: &str = "the options";

/// For a file longer than this, size and modification time replace the hash of its contents.
const LONG: u64 = 16 << 20;
/// The maximum number of files behind a link; the working copy has the same limit.
const MOST_BEHIND_LINK: usize = 20_000;
/// Larger subjects are not hashed, so their outcomes are not kept.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: u64 = 512 << 20;
/// So many names of files that a build makes are remembered.
const MOST_MADE: usize = 2000;

/// The hashes of all dependencies, by name; `None` if there are too many files, or one cannot be read. `skipped`
/// is the directory in which the tool works, `outputs` are files that it writes.
pub fn of(
    subject: &Subject,
    skipped: &Utf8Path,
    outputs: &BTreeSet<PathBuf>,
) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut add = |what: &str, text: &[u8]| {
        found.insert(what.to_owned(), hash(text));
    };
    let version = env!("CARGO_PKG_VERSION");
    let tool = subject.tool.as_deref().map(|path| stamp(path).ok());
    add(TOOL, format!("{version} {tool:?}").as_bytes());
    add(PLACE, subject.root.as_str().as_bytes());
    let values: BTreeMap<_, _> = std::env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(affects_builds))
        .collect();
    add("the environment", format!("{values:?}").as_bytes());
    add("the compiler", &compiler(subject));
    let (what, text) = subject.ecosystem.configuration();
    add(what, text.as_bytes());
    let dirs = std::iter::once(&subject.root).chain(&subject.outside);
    let roots: Vec<PathBuf> = dirs.map(|dir| real(dir)).collect();
    let mut hasher = FileHasher {
        roots: &roots,
        skipped: &[subject.target_dir.as_path(), skipped].map(real),
        files: MOST_FILES,
        bytes: MOST_BYTES,
    };
    for root in &roots {
        hasher.hash_files(root, &mut found)?;
    }
    for output in outputs {
        found.remove(&output.display().to_string());
    }
    Some(found)
}

/// The file in which cargo records the versions of dependencies.
const LOCK: &str = "Cargo.lock";

/// The hash of the lock file that cargo made in a working copy of a subject without one.
pub fn made_lock(root: &Utf8Path, copy: &Utf8Path) -> Option<String> {
    let made = (!root.join(LOCK).exists()).then(|| fs::read(copy.join(LOCK)).ok());
    made.flatten().map(|text| hash(&text))
}

/// The files that the build and the tests made in a working copy of the subject, relative to its root; empty if there are too
/// many to remember.
pub fn made_files(root: &Utf8Path, copy: &Utf8Path) -> BTreeSet<String> {
    let entries = WalkDir::new(copy).into_iter().filter_entry(|entry| {
        let is_target = entry.file_type().is_dir() && entry.file_name() == "target";
        entry.file_name() != ".git" && !is_target
    });
    let files = entries
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    let names = files.filter_map(|entry| {
        let name = entry.path().strip_prefix(copy).ok()?.to_str()?.to_owned();
        (name != LOCK && !root.join(&name).exists()).then_some(name)
    });
    let made: BTreeSet<String> = names.take(MOST_MADE + 1).collect();
    match made.len() > MOST_MADE {
        true => BTreeSet::new(),
        false => made,
    }
}

/// Forgets files that are new in the subject because it was built and tested there, too: a search would find the same with them.
/// A lock file is one of them only if it equals `lock`, the one that cargo made in the working copy.
pub fn forget_made(
    now: &mut BTreeMap<String, String>,
    before: &BTreeMap<String, String>,
    root: &Utf8Path,
    made: &BTreeSet<String>,
    lock: Option<&str>,
) {
    let root = real(root);
    now.retain(|path, hash| {
        let name = Path::new(path).strip_prefix(&root).ok();
        let Some(name) = name
            .and_then(Path::to_str)
            .filter(|_| !before.contains_key(path))
        else {
            return true;
        };
        let text = hash.rsplit_once('-').map(|(text, _)| text);
        let is_made_lock = name == LOCK && lock.is_some() && text == lock;
        !is_made_lock && !made.contains(name)
    });
}

/// A hash of the files of another directory; `None` as in [`of`].
pub fn of_dir(dir: &Utf8Path) -> Option<String> {
    let mut found = BTreeMap::new();
    let mut hasher = FileHasher {
        roots: &[real(dir)],
        skipped: &[],
        files: MOST_FILES,
        bytes: MOST_BYTES,
    };
    hasher.hash_files(&real(dir), &mut found)?;
    Some(hash(format!("{found:?}").as_bytes()))
}

/// Whether builds depend on an environment variable.
fn affects_builds(name: &str) -> bool {
    VARIABLES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn real(path: &Utf8Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.as_std_path().to_owned())
}

fn hash(bytes: &[u8]) -> String {
    format!("{:016x}-{}", fnv1a_of(bytes), bytes.len())
}

/// The compiler's version output.
fn compiler(subject: &Subject) -> Vec<u8> {
    let mut command = subject.ecosystem.compiler();
    let output = command.current_dir(&subject.root).output();
    output.map_or_else(|_| Vec::new(), |output| output.stdout)
}

/// The size and modification time of a file.
fn stamp(path: &Path) -> io::Result<(u64, i64, i64)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

/// Hashes the subject's files, up to a limit.
struct FileHasher<'s> {
    /// The directories to hash.
    roots: &'s [PathBuf],
    /// Directories in them that are skipped.
    skipped: &'s [PathBuf],
    /// The number of files that may still be hashed.
    files: usize,
    /// The number of bytes that may still be read.
    bytes: u64,
}

impl FileHasher<'_> {
    /// Whether a working copy contains the entry.
    fn wants(&self, entry: &DirEntry) -> bool {
        let path = entry.path();
        let is_target =
            || path.join("CACHEDIR.TAG").is_file() && path.join(".rustc_info.json").is_file();
        let is_skipped = || self.skipped.iter().any(|skipped| skipped == path) || is_target();
        entry.file_name() != ".git" && !(entry.file_type().is_dir() && is_skipped())
    }

    /// Adds the hashes of all files in a directory; `None` if there are too many.
    fn hash_files(&mut self, dir: &Path, found: &mut BTreeMap<String, String>) -> Option<()> {
        let mut entries = WalkDir::new(dir).into_iter();
        // An unreadable directory is empty for the build, too.
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else { continue };
            if !self.wants(&entry) {
                if entry.file_type().is_dir() {
                    entries.skip_current_dir();
                }
                continue;
            }
            self.files = self.files.checked_sub(1)?;
            let kind = entry.file_type();
            let text = match (kind.is_file(), kind.is_symlink()) {
                (true, _) => self.file(&entry)?,
                (_, true) => self.link(entry.path()),
                _ => continue,
            };
            found.insert(entry.path().display().to_string(), text);
        }
        Some(())
    }

    /// A hash of a file's contents, with its executable bits.
    fn file(&mut self, entry: &DirEntry) -> Option<String> {
        let metadata = entry.metadata().ok()?;
        let content = match metadata.len() > LONG {
            true => format!("{:?}", stamp(entry.path()).ok()?),
            false => {
                self.bytes = self.bytes.checked_sub(metadata.len())?;
                // The build cannot read this file, either.
                fs::read(entry.path()).map_or_else(|error| error.to_string(), |bytes| hash(&bytes))
            }
        };
        Some(format!("{content}-{:o}", metadata.mode() & 0o111))
    }

    /// A hash of a link's target. If the target is outside the hashed directories, the hash includes the sizes and
    /// times of its files, but not their contents, which may be endless.
    fn link(&self, link: &Path) -> String {
        let mut text = format!("{:?}", fs::read_link(link).ok());
        let Ok(target) = fs::canonicalize(link) else {
            return text;
        };
        if !self.roots.iter().any(|root| target.starts_with(root)) {
            let entries = WalkDir::new(&target).sort_by_file_name().into_iter();
            for entry in entries.take(MOST_BEHIND_LINK).flatten() {
                text += &format!("{:?}", (entry.path(), stamp(entry.path()).ok()));
            }
        }
        hash(text.as_bytes())
    }
}

/// The most informative dependency that has changed, and how: `/a/b.rs has changed`, `/a/b.rs is new`.
pub fn changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<String> {
    let keys = now.keys().chain(before.keys());
    let mut changed: Vec<&String> = keys
        .filter(|key| before.get(*key) != now.get(*key))
        .collect();
    // Files come first, because they explain more than what is derived from them. Their names are paths.
    changed.sort_by_key(|key| !key.starts_with('/'));
    let key = changed.first()?;
    Some(match (before.get(*key), now.get(*key)) {
        (None, _) if key.starts_with('/') => format!("{key} is new"),
        (_, None) if key.starts_with('/') => format!("{key} is gone"),
        _ if key.starts_with('/') => format!("{key} has changed"),
        // A dependency that is only there before or now, such as a reference, depends on an option.
        (None, _) | (_, None) => "the settings have changed".to_owned(),
        _ if [SETTINGS, OPTIONS].contains(&key.as_str()) => "the settings have changed".to_owned(),
        _ => format!("{key} has changed"),
    })
}

/// Whether they are those of another version of the tool, or of a subject elsewhere.
pub fn are_foreign(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> bool {
    [TOOL, PLACE]
        .iter()
        .any(|key| before.get(*key) != now.get(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasher<'s>(roots: &'s [PathBuf], skipped: &'s [PathBuf]) -> FileHasher<'s> {
        FileHasher {
            roots,
            skipped,
            files: MOST_FILES,
            bytes: MOST_BYTES,
        }
    }

    #[test]
    fn contents_matter_and_times_do_not() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = [fs::canonicalize(dir.path()).unwrap()];
        let (path, skipped) = (root[0].join("a.rs"), [root[0].join("target")]);
        fs::create_dir(&skipped[0]).unwrap();
        let look = || {
            let mut found = BTreeMap::new();
            let mut hasher = hasher(&root, &skipped);
            hasher.hash_files(&root[0], &mut found).unwrap();
            found
        };
        fs::write(&path, "one").unwrap();
        for (link, target) in [
            ("loop", dir.path()),
            ("away", elsewhere.path()),
            ("none", Path::new("x")),
        ] {
            std::os::unix::fs::symlink(target, root[0].join(link)).unwrap();
        }
        let before = look();
        fs::write(&path, "one").unwrap();
        fs::write(skipped[0].join("built"), "x").unwrap();
        assert_eq!(changed(&before, &look()), None);
        fs::write(&path, "two").unwrap();
        let said = |how: &str| Some(format!("{} {how}", path.display()));
        assert_eq!(changed(&before, &look()), said("has changed"));
        fs::remove_file(&path).unwrap();
        assert_eq!(changed(&before, &look()), said("is gone"));
        assert_eq!(changed(&look(), &before), said("is new"));
        let before = look();
        fs::write(elsewhere.path().join("b"), "x").unwrap();
        let said = changed(&before, &look()).unwrap();
        assert!(said.ends_with("/away has changed"), "{said}");
    }

    #[test]
    fn options_in_any_form_are_called_settings() {
        let of = |names: &[(&str, &str)]| -> BTreeMap<String, String> {
            let pairs = names.iter();
            pairs
                .map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned()))
                .collect()
        };
        for (before, now, said) in [
            (
                vec![(OPTIONS, "1")],
                vec![(OPTIONS, "2")],
                "the settings have changed",
            ),
            (
                vec![(SETTINGS, "1")],
                vec![(SETTINGS, "2")],
                "the settings have changed",
            ),
            (
                vec![],
                vec![("the reference", "1")],
                "the settings have changed",
            ),
            (
                vec![("the reference", "1")],
                vec![("the reference", "2")],
                "the reference has changed",
            ),
        ] {
            assert_eq!(changed(&of(&before), &of(&now)).unwrap(), said);
        }
    }

    #[test]
    fn builds_depend_on_profiles_and_wrappers_and_not_on_the_terminal() {
        for name in ["CARGO_PROFILE_TEST_OPT_LEVEL", "RUSTC_WRAPPER"] {
            assert!(affects_builds(name), "{name}");
        }
        // `cargo` sets the toolchain's variable. The compiler's version says which it is.
        for name in [
            "TERM",
            "CARGO_TERM_COLOR",
            "CARGO_NOPOL_TOP",
            "RUSTUP_TOOLCHAIN",
        ] {
            assert!(!affects_builds(name), "{name}");
        }
    }

    #[test]
    fn too_many_files_or_bytes_are_not_hashed() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "four").unwrap();
        let look = |files, bytes| {
            let mut hasher = FileHasher {
                files,
                bytes,
                ..hasher(&[], &[])
            };
            hasher.hash_files(dir.path(), &mut BTreeMap::new())
        };
        assert_eq!(look(2, 4), Some(()));
        assert_eq!(look(1, 4), None);
        assert_eq!(look(2, 3), None);
    }
}
