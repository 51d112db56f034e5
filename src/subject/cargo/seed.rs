//! Seeds a target directory with the dependencies that were compiled in another one, so that each is compiled
//! only once. Cargo finds them fresh.
//!
//! A unit of cargo's is the directory `NAME-HASH` in `.fingerprint`, files with this hash in `deps`, and, for a
//! build script, `NAME-HASH` in `build`.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

/// Whose units are copied from where.
#[derive(Clone, Copy, Debug)]
pub struct Seed<'a> {
    /// The target directory that has the units.
    pub from: &'a Utf8Path,
    /// Where the libraries are kept. The seeded directory has links to them: what may write to that directory
    /// must not reach the files of another one.
    pub store: &'a Utf8Path,
    /// The directory of the profile, such as `debug`.
    pub profile: &'a str,
    /// Packages whose units are left out: those of the subject itself.
    pub own: &'a [&'a str],
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeded {
    /// There are this many units of dependencies in the other directory.
    Units(usize),
    /// Another cargo is writing there.
    Locked,
}

impl Seed<'_> {
    /// Adds the units that the target directory `to` does not have.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn sow(&self, to: &Utf8Path) -> Result<Seeded> {
        let mut units = 0;
        for dir in self.profile_dirs()? {
            // Held until everything is taken over.
            let lock = File::open(dir.join(".cargo-lock")).ok();
            let is_free = lock.as_ref().map(File::try_lock_shared);
            if matches!(is_free, Some(Err(TryLockError::WouldBlock))) {
                return Ok(Seeded::Locked);
            }
            let below = dir.strip_prefix(self.from)?;
            units += self.profile(&dir, &to.join(below), &self.store.join(below))?;
        }
        Ok(Seeded::Units(units))
    }

    /// The directories of the profile: one for each target, and one for the host.
    fn profile_dirs(&self) -> Result<Vec<Utf8PathBuf>> {
        let is_profile = |dir: &Utf8Path| dir.join(".fingerprint").is_dir();
        let mut dirs = vec![self.from.join(self.profile)];
        for entry in entries(self.from)? {
            let dir = self.from.join(entry.0).join(self.profile);
            dirs.push(dir);
        }
        dirs.retain(|dir| is_profile(dir));
        Ok(dirs)
    }

    fn profile(&self, from: &Utf8Path, to: &Utf8Path, store: &Utf8Path) -> Result<usize> {
        let mut libraries: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, _) in entries(&from.join("deps"))? {
            let stem = name.split('.').next().unwrap_or(&name);
            if let Some((_, hash)) = stem.rsplit_once('-') {
                let hash = hash.to_owned();
                libraries.entry(hash).or_default().push(name);
            }
        }
        let prints = from.join(".fingerprint");
        let mut units = 0;
        for (unit, _) in entries(&prints)? {
            let Some((package, hash)) = unit.rsplit_once('-') else {
                continue;
            };
            let files = libraries.get(hash).map_or(&[][..], Vec::as_slice);
            let script = from.join("build").join(&unit);
            let is_whole = script.is_dir() || files.iter().any(|name| is_linked(name));
            if self.own.contains(&package) || !is_whole {
                continue;
            }
            units += 1;
            let print = to.join(".fingerprint").join(&unit);
            if print.exists() {
                continue;
            }
            for name in files {
                let (file, new) = (from.join("deps").join(name), to.join("deps").join(name));
                match is_library(name) {
                    true => link(&file, &store.join(name), &new)?,
                    false if name.ends_with(".d") => copy(&file, &new)?,
                    // A test program.
                    false => {}
                }
            }
            if script.is_dir() {
                copy_tree(&script, &to.join("build").join(&unit))?;
            }
            // Last, and all at once: without it the unit does not count.
            let half = to.join(".fingerprint").join(format!("{unit}.half"));
            copy_tree(&prints.join(&unit), &half)?;
            fs::rename(&half, &print).with_context(|| format!("cannot create {print}"))?;
        }
        Ok(units)
    }
}

/// The names in a directory, sorted, and whether each is a directory; none if there is no such directory.
fn entries(dir: &Utf8Path) -> Result<Vec<(String, bool)>> {
    let read = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.with_context(|| format!("cannot read {dir}"))?,
    };
    let mut names = Vec::new();
    for entry in read {
        let entry = entry?;
        // Cargo's own names are ASCII.
        if let Ok(name) = entry.file_name().into_string() {
            names.push((name, entry.file_type()?.is_dir()));
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a library of this name can be linked with; `cargo check` leaves others.
fn is_linked(name: &str) -> bool {
    is_library(name) && !name.ends_with(".rmeta")
}

fn is_library(name: &str) -> bool {
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    matches!(extension, Some("rlib" | "rmeta" | "so" | "dylib" | "a"))
}

/// Keeps a file in the store, by a hard link if that is possible, and puts a link to it in the new place.
fn link(file: &Utf8Path, kept: &Utf8Path, new: &Utf8Path) -> Result<()> {
    let dir = kept.parent().context("a store is a directory")?;
    fs::create_dir_all(dir).with_context(|| format!("cannot create {dir}"))?;
    let file = file.canonicalize_utf8();
    let file = file.with_context(|| format!("cannot read {new}"))?;
    // In another target directory of ours it is a link to the store already.
    if kept.canonicalize_utf8().ok().as_ref() != Some(&file) {
        remove(kept)?;
        if fs::hard_link(&file, kept).is_err() {
            copy(&file, kept)?;
        }
    }
    let dir = new.parent().context("a target is a directory")?;
    fs::create_dir_all(dir).with_context(|| format!("cannot create {dir}"))?;
    remove(new)?;
    symlink(kept, new).with_context(|| format!("cannot create {new}"))
}

fn remove(file: &Utf8Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {file}"))
        }
        _ => Ok(()),
    }
}

fn copy_tree(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry.with_context(|| format!("cannot read {from}"))?;
        let path = Utf8Path::from_path(entry.path()).context("a path is not UTF-8")?;
        let new = to.join(path.strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&new).with_context(|| format!("cannot create {new}"))?;
        } else if entry.file_type().is_symlink() {
            remove(&new)?;
            let target = fs::read_link(path)?;
            symlink(target, &new).with_context(|| format!("cannot create {new}"))?;
        } else {
            copy(path, &new)?;
        }
    }
    Ok(())
}

/// Copies a file and its modification time, by which cargo decides what is fresh.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    let context = || format!("cannot write {to}");
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir).with_context(context)?;
    }
    remove(to)?;
    fs::copy(from, to).with_context(context)?;
    let written = fs::metadata(from)?.modified()?;
    let file = File::options().append(true).open(to);
    let set = file.and_then(|file| file.set_modified(written));
    match set {
        // A file that may only be read keeps its new time; a build script made it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        set => set.with_context(context),
    }
}

#[cfg(test)]
mod tests;
