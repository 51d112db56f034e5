//! One working copy: the only place that writes to it, and that knows how it was. What a run of the
//! subject does to it is seen after the run and undone.
//!
//! A tree has two kinds of content. What the subject has comes from the subject's own files, which are
//! read again if need be. What builds made of it, and what the tool wrote, is kept aside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::files;
use super::stamp::Stamp;
use super::watch::Watch;

/// A working copy.
#[derive(Debug)]
pub struct Tree {
    /// All of it is below, and without links in its path.
    top: Utf8PathBuf,
    /// Directories in it that are caches: neither looked at nor put back.
    exempt: Vec<PathBuf>,
    /// Where the content of files is kept that the subject does not have.
    aside: PathBuf,
    state: Mutex<State>,
    /// Held by many while they run, and by one while the tree is put back; counts how often it had to be.
    runs: RwLock<u64>,
    /// Those that changed it when they ran alone.
    writers: Mutex<BTreeSet<String>>,
}

/// What a run did to the tree, undone by now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Relative to the top.
    pub path: PathBuf,
    /// It was there before, and was changed or removed; otherwise it was made.
    pub is_damage: bool,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PathBuf, Entry>,
    watch: Watch,
    kept: usize,
}

/// What is at a path, as it was when the tree was last settled.
#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Dir,
    Link(PathBuf),
    /// A file of the subject, and its stamp when it was copied.
    Origin(PathBuf, Stamp),
    /// A file kept aside.
    Kept(PathBuf),
    /// Neither file, directory nor link.
    Other,
}

/// The subject's own file is another one now, so that a damaged copy of it cannot be put back.
#[derive(Debug, thiserror::Error)]
#[error("{0} was changed, and the working copy of it was damaged by a test; run again")]
pub struct OriginChanged(String);

impl Tree {
    /// A copy that has just been made below `top`, where `origins` tells for each file where it came from;
    /// `aside` is a directory for the tree's own use.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn new(
        top: &Utf8Path,
        origins: &BTreeMap<PathBuf, PathBuf>,
        exempt: Vec<PathBuf>,
        aside: &Utf8Path,
    ) -> Result<Self> {
        fs::create_dir_all(aside).with_context(|| format!("cannot create {aside}"))?;
        let tree = Self {
            top: top
                .canonicalize_utf8()
                .with_context(|| format!("cannot find {top}"))?,
            exempt,
            aside: aside.as_std_path().to_owned(),
            state: Mutex::default(),
            runs: RwLock::default(),
            writers: Mutex::default(),
        };
        {
            let mut state = lock(&tree.state);
            for (path, metadata) in tree.found()? {
                let content = match origins.get(&path) {
                    Some(origin) => {
                        Content::Origin(origin.clone(), Stamp::of(&fs::metadata(origin)?))
                    }
                    None => tree.content(&mut state, &path, &metadata)?,
                };
                let stamp = Stamp::of(&metadata);
                state.entries.insert(path, Entry { stamp, content });
            }
            tree.look_again(&mut state);
        }
        Ok(tree)
    }

    pub fn top(&self) -> &Utf8Path {
        &self.top
    }

    /// Writes a file, unless it has just that content. What is a link becomes a file.
    ///
    /// # Errors
    /// If the path is not in the tree, or cannot be written.
    pub fn write(&self, path: &Utf8Path, text: &str) -> Result<()> {
        let path = self.inside(path.as_std_path())?;
        let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if is_file && fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        let said = || format!("cannot write {} in the working copy", path.display());
        if !is_file {
            files::remove(&path).with_context(said)?;
        }
        fs::write(&path, text).with_context(said)?;
        let mut state = lock(&self.state);
        let metadata = fs::symlink_metadata(&path).with_context(said)?;
        let content = self.content(&mut state, &path, &metadata)?;
        let stamp = Stamp::of(&metadata);
        state.entries.insert(path, Entry { stamp, content });
        state.watch.forget();
        Ok(())
    }

    /// Where a path really is, if that is in the tree: the last part of it may be a link, or missing.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
        let dir = path.parent().and_then(|dir| dir.canonicalize().ok());
        match (dir, path.file_name()) {
            (Some(dir), Some(name)) if dir.starts_with(&self.top) => Ok(dir.join(name)),
            _ => bail!(
                "{} is not in the working copy {}, so nothing was written there",
                path.display(),
                self.top
            ),
        }
    }

    /// Takes the tree as it is now for how it should be: a build is done.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn settle(&self) -> Result<()> {
        let mut state = lock(&self.state);
        let mut before = std::mem::take(&mut state.entries);
        for (path, metadata) in self.found()? {
            let stamp = Stamp::of(&metadata);
            let entry = match before.remove(&path) {
                Some(entry) if entry.stamp == stamp => entry,
                Some(entry) if is_as(&path, &metadata, &entry.content) => Entry { stamp, ..entry },
                _ => Entry {
                    stamp,
                    content: self.content(&mut state, &path, &metadata)?,
                },
            };
            state.entries.insert(path, entry);
        }
        self.look_again(&mut state);
        Ok(())
    }

    /// Puts everything back as it was when the tree was last settled or written to; tells what had become
    /// another.
    ///
    /// # Errors
    /// If something cannot be put back.
    pub fn restore(&self) -> Result<Vec<Change>> {
        let mut state = lock(&self.state);
        let state = &mut *state;
        let mut changed = BTreeSet::new();
        // What is new goes first, for it may stand where something has to go.
        for (path, metadata) in self.found()? {
            let is_known = state
                .entries
                .get(&path)
                .is_some_and(|entry| kind(Stamp::of(&metadata).mode) == kind(entry.stamp.mode));
            if !is_known {
                remove(&path)?;
                changed.insert(path);
            }
        }
        for (path, entry) in &mut state.entries {
            let now = fs::symlink_metadata(path).ok();
            if now
                .as_ref()
                .is_some_and(|now| Stamp::of(now) == entry.stamp)
            {
                continue;
            }
            let is_same = now.is_some_and(|now| {
                now.permissions().mode() == entry.stamp.mode && is_as(path, &now, &entry.content)
            });
            if !is_same {
                put_back(path, entry)
                    .with_context(|| format!("cannot put {} back as it was", path.display()))?;
                changed.insert(path.clone());
            }
            if matches!(entry.content, Content::Origin(..) | Content::Kept(_)) {
                set_time(path, entry.stamp.modified())?;
            }
            entry.stamp = Stamp::of(&fs::symlink_metadata(path)?);
        }
        if !changed.is_empty() {
            self.look_again(state);
        }
        state.watch.forget();
        let told = changed.iter().map(|path| Change {
            path: path.strip_prefix(&self.top).unwrap_or(path).to_owned(),
            is_damage: state.entries.contains_key(path),
        });
        Ok(told.collect())
    }

    /// Runs something that may write to the tree, and puts back what it changed. Others may run at the
    /// same time, but what one of them changes none of them has seen: those run again, alone. `who` tells
    /// runs apart, so that those that always change something run alone at once.
    ///
    /// What it changed is told with its result.
    ///
    /// # Errors
    /// Those of `run`, or if the tree cannot be put back.
    pub fn guard<T>(
        &self,
        who: &str,
        mut run: impl FnMut() -> Result<T>,
    ) -> Result<(T, Vec<Change>)> {
        if !lock(&self.writers).contains(who) {
            let together = self.runs.read().unwrap_or_else(PoisonError::into_inner);
            let before = *together;
            // What fails may do so for what another one did.
            let result = run();
            if !self.is_touched()? {
                return Ok((result?, Vec::new()));
            }
            drop(together);
            let mut alone = self.runs.write().unwrap_or_else(PoisonError::into_inner);
            if !self.restore()?.is_empty() {
                *alone += 1;
            }
            if *alone == before {
                return Ok((result?, Vec::new()));
            }
        }
        let alone = self.runs.write().unwrap_or_else(PoisonError::into_inner);
        let result = run()?;
        let changed = match self.is_touched()? {
            true => self.restore()?,
            false => Vec::new(),
        };
        drop(alone);
        if !changed.is_empty() {
            lock(&self.writers).insert(who.to_owned());
        }
        Ok((result, changed))
    }

    /// Whether something may have been written since the tree was settled.
    fn is_touched(&self) -> Result<bool> {
        let state = lock(&self.state);
        if let Some(seen) = state.watch.has_seen() {
            return Ok(seen);
        }
        let found = self.found()?;
        let is_known = |(path, metadata): &(PathBuf, fs::Metadata)| {
            let entry = state.entries.get(path);
            entry.is_some_and(|entry| entry.stamp == Stamp::of(metadata))
        };
        Ok(found.len() != state.entries.len() || !found.iter().all(is_known))
    }

    /// Everything in the tree but what is exempt, directories before what is in them.
    fn found(&self) -> Result<Vec<(PathBuf, fs::Metadata)>> {
        let mut found = Vec::new();
        let mut left = vec![self.top.as_std_path().to_owned()];
        while let Some(dir) = left.pop() {
            let entries = match fs::read_dir(&dir) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    // A run made it unreadable.
                    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700))
                        .and_then(|()| fs::read_dir(&dir))
                        .with_context(|| format!("cannot read {}", dir.display()))?
                }
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot read {}", dir.display()));
                }
            };
            for entry in entries {
                let entry = entry.with_context(|| format!("cannot read {}", dir.display()))?;
                let path = entry.path();
                if self.exempt.contains(&path) {
                    continue;
                }
                let Ok(metadata) = entry.metadata() else {
                    // Gone already.
                    continue;
                };
                if metadata.is_dir() {
                    left.push(path.clone());
                }
                found.push((path, metadata));
            }
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    /// What is at a path, kept aside if it is a file.
    fn content(&self, state: &mut State, path: &Path, metadata: &fs::Metadata) -> Result<Content> {
        let kind = metadata.file_type();
        if kind.is_dir() {
            return Ok(Content::Dir);
        }
        if kind.is_symlink() {
            return Ok(Content::Link(fs::read_link(path)?));
        }
        if !kind.is_file() {
            return Ok(Content::Other);
        }
        let kept = match state.entries.get(path) {
            Some(Entry {
                content: Content::Kept(kept),
                ..
            }) => kept.clone(),
            _ => {
                state.kept += 1;
                self.aside.join(state.kept.to_string())
            }
        };
        files::copy(path, &kept)
            .with_context(|| format!("cannot keep a copy of {}", path.display()))?;
        Ok(Content::Kept(kept))
    }

    /// Watches the directories there are now.
    fn look_again(&self, state: &mut State) {
        let dirs = state
            .entries
            .iter()
            .filter(|(_, entry)| matches!(entry.content, Content::Dir))
            .filter_map(|(path, _)| Utf8Path::from_path(path));
        let dirs = std::iter::once(&*self.top).chain(dirs);
        state.watch.start(dirs);
    }
}

/// The part of a mode that tells files from directories.
fn kind(mode: u32) -> u32 {
    mode & 0o170_000
}

/// Whether something has this content still.
fn is_as(path: &Path, metadata: &fs::Metadata, content: &Content) -> bool {
    match content {
        Content::Dir => metadata.is_dir(),
        Content::Link(to) => fs::read_link(path).is_ok_and(|now| now == *to),
        Content::Origin(origin, stamp) => {
            metadata.is_file()
                && fs::metadata(origin).is_ok_and(|now| Stamp::of(&now) == *stamp)
                && files::is_same(path, origin).unwrap_or(false)
        }
        Content::Kept(kept) => metadata.is_file() && files::is_same(path, kept).unwrap_or(false),
        Content::Other => !metadata.is_file() && !metadata.is_dir(),
    }
}

fn put_back(path: &Path, entry: &Entry) -> Result<()> {
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
        Content::Kept(kept) => kept,
        Content::Origin(origin, stamp) => {
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

/// Removes something although its directory may have been made unwritable.
fn remove(path: &Path) -> Result<()> {
    let removed = files::remove(path).or_else(|_| {
        if let Some(dir) = path.parent() {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        }
        files::remove(path)
    });
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

fn set_time(path: &Path, time: SystemTime) -> Result<()> {
    // A file that may not be written to may still be given a time by its owner.
    let file = File::open(path)?;
    Ok(file.set_modified(time)?)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    struct Made {
        dir: tempfile::TempDir,
        tree: Tree,
    }

    /// A tree with a file of the subject, `a`, a link to it, and an empty directory.
    fn made() -> Made {
        let dir = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        let (subject, top) = (home.join("subject"), home.join("top"));
        fs::create_dir_all(top.join("empty")).unwrap();
        fs::create_dir_all(&subject).unwrap();
        fs::write(subject.join("a"), "a").unwrap();
        fs::write(top.join("a"), "a").unwrap();
        symlink("a", top.join("link")).unwrap();
        let origin = |name: &str| {
            let (copy, original) = (top.join(name), subject.join(name));
            (copy.into_std_path_buf(), original.into_std_path_buf())
        };
        let origins = BTreeMap::from([origin("a")]);
        let tree = Tree::new(&top, &origins, Vec::new(), &home.join("aside")).unwrap();
        Made { dir, tree }
    }

    fn names(changes: Vec<Change>) -> Vec<String> {
        let name = |change: &Change| {
            let sign = if change.is_damage { "" } else { "+" };
            format!("{sign}{}", change.path.display())
        };
        changes.iter().map(name).collect()
    }

    #[test]
    fn whatever_a_run_does_is_undone() {
        let Made { tree, dir: _dir } = made();
        let top = tree.top().to_owned();
        fs::write(top.join("made"), "by a build").unwrap();
        tree.settle().unwrap();
        tree.write(&top.join("a"), "instrumented").unwrap();
        let (_, changed) = tree
            .guard("run", || {
                fs::write(top.join("a"), "damaged")?;
                fs::remove_file(top.join("made"))?;
                fs::create_dir(top.join("made"))?;
                fs::write(top.join("made/new"), "")?;
                fs::remove_dir(top.join("empty"))?;
                fs::remove_file(top.join("link"))?;
                fs::write(top.join("link"), "no link")?;
                fs::set_permissions(&top, fs::Permissions::from_mode(0o500))?;
                Ok(())
            })
            .unwrap();
        assert_eq!(names(changed), ["a", "empty", "link", "made", "+made/new"]);
        let read = |name: &str| fs::read_to_string(top.join(name)).unwrap();
        assert_eq!(read("a"), "instrumented");
        assert_eq!(read("made"), "by a build");
        assert_eq!(fs::read_link(top.join("link")).unwrap(), Path::new("a"));
        assert!(top.join("empty").is_dir());
        assert_eq!(names(tree.restore().unwrap()), Vec::<String>::new());
        fs::remove_file(top.join("a")).unwrap();
        assert_eq!(names(tree.restore().unwrap()), ["a"]);
        assert_eq!(read("a"), "instrumented");
    }

    #[test]
    fn what_only_looks_is_run_once_and_what_another_damaged_is_run_again() {
        let Made { tree, dir: _dir } = made();
        let top = tree.top().to_owned();
        let looked = AtomicUsize::new(0);
        tree.guard("look", || {
            looked.fetch_add(1, Ordering::Relaxed);
            Ok(fs::read_to_string(top.join("a"))?)
        })
        .unwrap();
        assert_eq!(looked.load(Ordering::Relaxed), 1);

        let (is_damaged, is_read) = (AtomicBool::new(false), AtomicBool::new(false));
        let text = std::thread::scope(|scope| {
            scope.spawn(|| {
                tree.guard("damage", || {
                    fs::write(top.join("a"), "damaged")?;
                    is_damaged.store(true, Ordering::Relaxed);
                    while !is_read.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    Ok(())
                })
                .unwrap();
            });
            while !is_damaged.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            let read = || {
                let text = fs::read_to_string(top.join("a"))?;
                is_read.store(true, Ordering::Relaxed);
                Ok(text)
            };
            tree.guard("look", read).unwrap().0
        });
        assert_eq!(text, "a");
    }

    #[test]
    fn nothing_is_written_outside_of_the_tree() {
        let Made { dir, tree } = made();
        let out = Utf8Path::from_path(dir.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        fs::create_dir(out.join("theirs")).unwrap();
        symlink(out.join("theirs"), tree.top().join("out")).unwrap();
        for path in ["theirs/a", "top/out/a", "top/../subject/a"] {
            let error = tree.write(&out.join(path), "x").unwrap_err().to_string();
            assert!(error.contains("not in the working copy"), "{error}");
        }
        assert!(!out.join("theirs/a").exists());
        // A link is replaced, not followed.
        let secret = out.join("theirs/secret");
        fs::write(&secret, "theirs").unwrap();
        symlink(&secret, tree.top().join("src.rs")).unwrap();
        tree.write(&tree.top().join("src.rs"), "ours").unwrap();
        assert_eq!(fs::read_to_string(&secret).unwrap(), "theirs");
    }

    #[test]
    fn a_file_changed_meanwhile_in_the_subject_is_not_taken_for_what_it_was() {
        let Made { dir, tree } = made();
        fs::write(dir.path().join("subject/a"), "edited").unwrap();
        fs::write(tree.top().join("a"), "damaged").unwrap();
        let error = tree.restore().unwrap_err();
        assert!(error.downcast_ref::<OriginChanged>().is_some(), "{error:#}");
    }
}
