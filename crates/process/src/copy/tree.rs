//! A working copy. Only this module writes to it, and it remembers the copy's content, so that changes made
//! by a run of the subject are detected after the run and undone.
//!
//! A tree has two kinds of files. Unchanged files of the subject are restored from the subject itself. Files
//! that builds or the tool wrote are backed up.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::entry::{Content, Entry, file_type, has_content, remove, restore_entry, set_time};
use super::files;
use super::stamp::Stamp;
use super::watch::Watch;

/// A working copy.
#[derive(Debug)]
pub struct Tree {
    /// The directory that contains the whole tree; its path has no symbolic links.
    top: Utf8PathBuf,
    /// Directories that are neither checked nor restored, because they are caches.
    exempt: Vec<PathBuf>,
    /// The directory for backups of files that the subject does not have.
    backups: PathBuf,
    state: Mutex<State>,
    /// Held shared during runs, and exclusively while the tree is restored. Counts the restorations that
    /// undid a change.
    restorations: RwLock<u64>,
    /// Runs that wrote to the tree when they ran alone.
    writers: Mutex<BTreeSet<String>>,
}

/// A change that a run made to the tree and that has been undone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Relative to the top of the tree.
    pub path: PathBuf,
    /// An existing file was changed or removed; otherwise a file was created.
    pub is_damage: bool,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PathBuf, Entry>,
    watch: Watch,
    backups: usize,
    /// What [`Tree::write`] wrote.
    written: BTreeSet<PathBuf>,
}

impl Tree {
    /// A copy that has just been made in `top`. `origins` maps its files to those of the subject; `backups`
    /// is a directory for the tree's own use.
    ///
    /// # Errors
    /// If the copy cannot be read.
    pub fn new(
        top: &Utf8Path,
        origins: &BTreeMap<PathBuf, PathBuf>,
        exempt: Vec<PathBuf>,
        backups: &Utf8Path,
    ) -> Result<Self> {
        fs::create_dir_all(backups).with_context(|| format!("cannot create {backups}"))?;
        let tree = Self {
            top: top
                .canonicalize_utf8()
                .with_context(|| format!("cannot find {top}"))?,
            exempt,
            backups: backups.as_std_path().to_owned(),
            state: Mutex::default(),
            restorations: RwLock::default(),
            writers: Mutex::default(),
        };
        {
            let mut state = lock(&tree.state);
            for (path, metadata) in tree.scan()? {
                let content = match origins.get(&path) {
                    Some(origin) => {
                        Content::Original(origin.clone(), Stamp::of(&fs::metadata(origin)?))
                    }
                    None => tree.content(&mut state, &path, &metadata)?,
                };
                let stamp = Stamp::of(&metadata);
                state.entries.insert(path, Entry { stamp, content });
            }
            tree.watch_dirs(&mut state);
        }
        Ok(tree)
    }

    /// The root of the copy.
    pub fn top(&self) -> &Utf8Path {
        &self.top
    }

    /// Writes a file unless it already has this content. A link is replaced by a file.
    ///
    /// # Errors
    /// If the path is outside of the tree or cannot be written.
    pub fn write(&self, path: &Utf8Path, text: &str) -> Result<()> {
        let path = self.resolve(path.as_std_path())?;
        let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if is_file && fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        let context = || format!("cannot write {} in the working copy", path.display());
        if !is_file {
            files::remove(&path).with_context(context)?;
        }
        fs::write(&path, text).with_context(context)?;
        let mut state = lock(&self.state);
        let metadata = fs::symlink_metadata(&path).with_context(context)?;
        let content = self.content(&mut state, &path, &metadata)?;
        let stamp = Stamp::of(&metadata);
        state.written.insert(path.clone());
        state.entries.insert(path, Entry { stamp, content });
        state.watch.reset();
        Ok(())
    }

    /// Whether this file, or one in this directory, was written by [`Tree::write`].
    pub fn has_written_below(&self, path: &Utf8Path) -> bool {
        let state = lock(&self.state);
        state.written.iter().any(|file| file.starts_with(path))
    }

    /// Resolves a path and checks that it is in the tree. Its last component may be a link or missing.
    fn resolve(&self, path: &Path) -> Result<PathBuf> {
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

    /// Takes a snapshot: what the tree contains now, after a build, is what later runs are undone to.
    ///
    /// # Errors
    /// If the tree cannot be read.
    pub fn snapshot(&self) -> Result<()> {
        let mut state = lock(&self.state);
        let mut before = std::mem::take(&mut state.entries);
        for (path, metadata) in self.scan()? {
            let stamp = Stamp::of(&metadata);
            let entry = match before.remove(&path) {
                Some(entry) if entry.stamp == stamp => entry,
                Some(entry) if has_content(&path, &metadata, &entry.content) => {
                    Entry { stamp, ..entry }
                }
                _ => Entry {
                    stamp,
                    content: self.content(&mut state, &path, &metadata)?,
                },
            };
            state.entries.insert(path, entry);
        }
        self.watch_dirs(&mut state);
        Ok(())
    }

    /// Restores the state of the last snapshot, including files written since, and returns what had changed.
    ///
    /// # Errors
    /// If something cannot be restored.
    pub fn restore(&self) -> Result<Vec<Change>> {
        let mut state = lock(&self.state);
        let state = &mut *state;
        let mut changed = BTreeSet::new();
        // New files are removed first, because they may be in the way of others.
        for (path, metadata) in self.scan()? {
            let is_known = state.entries.get(&path).is_some_and(|entry| {
                file_type(Stamp::of(&metadata).mode) == file_type(entry.stamp.mode)
            });
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
                now.permissions().mode() == entry.stamp.mode
                    && has_content(path, &now, &entry.content)
            });
            if !is_same {
                restore_entry(path, entry)
                    .with_context(|| format!("cannot put {} back as it was", path.display()))?;
                changed.insert(path.clone());
            }
            if matches!(entry.content, Content::Original(..) | Content::Backup(_)) {
                set_time(path, entry.stamp.modified())?;
            }
            entry.stamp = Stamp::of(&fs::symlink_metadata(path)?);
        }
        if !changed.is_empty() {
            self.watch_dirs(state);
        }
        state.watch.reset();
        let changes = changed.iter().map(|path| Change {
            path: path.strip_prefix(&self.top).unwrap_or(path).to_owned(),
            is_damage: state.entries.contains_key(path),
        });
        Ok(changes.collect())
    }

    /// Runs something that may write to the tree, and undoes its changes. Several runs may share the tree. If
    /// one of them writes to it, the others may have seen that; all of them are repeated, each alone.
    /// `key` identifies a run, so that one that wrote before runs alone from the start.
    ///
    /// Returns the result and the changes.
    ///
    /// # Errors
    /// Those of `run`, or if the tree cannot be restored.
    pub fn guard<T>(
        &self,
        key: &str,
        mut run: impl FnMut() -> Result<T>,
    ) -> Result<(T, Vec<Change>)> {
        if !lock(&self.writers).contains(key) {
            let shared = self
                .restorations
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            let before = *shared;
            // A failure may be due to a concurrent run that changed the tree, so it is not reported yet.
            let result = run();
            // What could not even be started may miss a file whose removal was not noticed.
            if !self.may_have_changed()? && (result.is_ok() || !self.differs()?) {
                return Ok((result?, Vec::new()));
            }
            drop(shared);
            let mut exclusive = self
                .restorations
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            // A file that was written and removed again is not a change of the tree, but others may have read or written it.
            let was_written = lock(&self.state).watch.has_changed() == Some(true);
            if !self.restore()?.is_empty() || was_written {
                *exclusive += 1;
            }
            if *exclusive == before {
                return Ok((result?, Vec::new()));
            }
        }
        let exclusive = self
            .restorations
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let mut result = run();
        if result.is_err() && self.differs()? {
            self.restore()?;
            result = run();
        }
        let result = result?;
        let has_written = self.may_have_changed()?;
        let changed = match has_written {
            true => self.restore()?,
            false => Vec::new(),
        };
        drop(exclusive);
        if has_written {
            lock(&self.writers).insert(key.to_owned());
        }
        Ok((result, changed))
    }

    /// The runs that wrote to the tree, by their keys. Each of them runs alone.
    pub fn writers(&self) -> BTreeSet<String> {
        lock(&self.writers).clone()
    }

    /// Whether something may have been written since the last snapshot.
    fn may_have_changed(&self) -> Result<bool> {
        let known = lock(&self.state).watch.has_changed();
        match known {
            Some(changed) => Ok(changed),
            None => self.differs(),
        }
    }

    /// Whether some file is not as it was at the last snapshot, by its stamp.
    fn differs(&self) -> Result<bool> {
        let state = lock(&self.state);
        let found = self.scan()?;
        let is_known = |(path, metadata): &(PathBuf, fs::Metadata)| {
            let entry = state.entries.get(path);
            entry.is_some_and(|entry| entry.stamp == Stamp::of(metadata))
        };
        Ok(found.len() != state.entries.len() || !found.iter().all(is_known))
    }

    /// Everything in the tree except for exempt directories; a directory comes before its contents.
    fn scan(&self) -> Result<Vec<(PathBuf, fs::Metadata)>> {
        let mut found = Vec::new();
        let mut left = vec![self.top.as_std_path().to_owned()];
        while let Some(dir) = left.pop() {
            let entries = match fs::read_dir(&dir) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    // A run made the directory unreadable.
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
                    // The entry has just been removed.
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

    /// The content of a path; a file is backed up.
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
        let backup = match state.entries.get(path) {
            Some(Entry {
                content: Content::Backup(backup),
                ..
            }) => backup.clone(),
            _ => {
                state.backups += 1;
                self.backups.join(state.backups.to_string())
            }
        };
        files::copy(path, &backup)
            .with_context(|| format!("cannot keep a copy of {}", path.display()))?;
        Ok(Content::Backup(backup))
    }

    /// Watches all current directories.
    fn watch_dirs(&self, state: &mut State) {
        let dirs = state
            .entries
            .iter()
            .filter(|(_, entry)| matches!(entry.content, Content::Dir))
            .filter_map(|(path, _)| Utf8Path::from_path(path));
        let dirs = std::iter::once(&*self.top).chain(dirs);
        state.watch.start(dirs);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
