//! The files that builds make in a working copy, and putting them aside.

use std::fs::{self, File};
use std::io::Read;
use std::time::SystemTime;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::copy::files::{remove, remove_tree};
use walkdir::WalkDir;

use super::fresh::Way;
use super::{Program, build, calls};
use crate::subject::paths::normal;
use crate::subject::workspace::Workspace;

/// How programs, object files and libraries start.
const STARTS: [&[u8]; 3] = [b"\x7fELF", b"!<arch>\n", b"!<thin>\n"];

/// Whether a file is a program, an object file or a library.
fn is_binary(path: &Utf8Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).map(|file| file.take(8).read_to_end(&mut start));
    read.is_ok() && STARTS.iter().any(|magic| start.starts_with(magic))
}

/// Whether a program, an object file or a library below the root was written since then; or there is none at all, so that
/// they are elsewhere.
pub fn was_made_since(root: &Utf8Path, start: SystemTime) -> bool {
    let files = WalkDir::new(root).into_iter().flatten();
    let files = files.filter(|entry| entry.file_type().is_file());
    let files: Vec<_> = files
        .filter_map(|entry| {
            let time = entry.metadata().ok()?.modified().ok()?;
            Some((Utf8PathBuf::from_path_buf(entry.into_path()).ok()?, time))
        })
        .collect();
    let mut new = files.iter().filter(|(_, time)| *time >= start);
    new.any(|(path, _)| is_binary(path)) || !files.iter().any(|(path, _)| is_binary(path))
}

/// Files and directories that were put aside.
#[derive(Debug)]
pub struct Aside {
    dir: Utf8PathBuf,
    /// Where each was and is.
    moved: Vec<(Utf8PathBuf, Utf8PathBuf)>,
}

impl Aside {
    /// Puts aside what builds have made: what the user's directory does not have, and what compilers were called to
    /// write; programs, objects and libraries of the user's directory as well if the way says so.
    ///
    /// # Errors
    /// If something cannot be moved.
    pub fn take(at: &Workspace, program: &Program, way: Way) -> Result<Self> {
        let dir = at.logs.join("put-aside");
        let context = || format!("cannot put aside what the build made in {}", at.root);
        fs::create_dir_all(&dir).with_context(context)?;
        let calls = calls::read(&build::calls_log(at));
        let written = calls.iter().filter_map(|call| {
            let output = call.output()?;
            Some(normal(&call.dir.join(output)))
        });
        let written: Vec<Utf8PathBuf> = written.collect();
        let mut aside = Self {
            dir,
            moved: Vec::new(),
        };
        let mut left = vec![at.root.clone()];
        while let Some(dir) = left.pop() {
            let mut entries: Vec<Utf8PathBuf> = dir
                .read_dir_utf8()
                .with_context(context)?
                .filter_map(|entry| Some(entry.ok()?.into_path()))
                .collect();
            entries.sort();
            for path in entries {
                let below = path.strip_prefix(&at.root).unwrap_or(&path);
                let is_dir = path.is_dir() && !path.is_symlink();
                let is_own = program
                    .sources
                    .iter()
                    .any(|source| source.starts_with(below))
                    || at.tree.has_written_below(&path);
                let is_users = at.subject.root.join(below).symlink_metadata().is_ok();
                let is_product = !is_users
                    || !is_dir
                        && (written.contains(&path) || way.without_users && is_binary(&path));
                if below == ".git" {
                } else if is_product && !is_own {
                    let to = aside.dir.join(aside.moved.len().to_string());
                    fs::rename(&path, &to).with_context(context)?;
                    aside.moved.push((path, to));
                } else if is_dir {
                    left.push(path);
                }
            }
        }
        Ok(aside)
    }

    /// Puts everything back, in place of what was made since.
    ///
    /// # Errors
    /// If something cannot be moved.
    pub fn put_back(self) -> Result<()> {
        for (path, _) in &self.moved {
            if path.symlink_metadata().is_ok() {
                remove(path.as_ref()).with_context(|| format!("cannot remove {path}"))?;
            }
        }
        self.put_back_what_is_missing()
    }

    /// Puts back what was not made again, and removes the rest.
    ///
    /// # Errors
    /// If something cannot be moved or removed.
    pub fn put_back_what_is_missing(self) -> Result<()> {
        for (path, aside) in &self.moved {
            put_back_missing(aside, path).with_context(|| format!("cannot put {path} back"))?;
        }
        let dir = &self.dir;
        remove_tree(dir).with_context(|| format!("cannot remove {dir}"))
    }
}

/// Moves a file back to where there is none now, and of a directory what is not there.
fn put_back_missing(aside: &Utf8Path, path: &Utf8Path) -> std::io::Result<()> {
    if path.symlink_metadata().is_err() {
        return match path.parent().is_some_and(Utf8Path::is_dir) {
            true => fs::rename(aside, path),
            false => Ok(()),
        };
    }
    let is_dir = |path: &Utf8Path| path.is_dir() && !path.is_symlink();
    if is_dir(aside) && is_dir(path) {
        for entry in aside.read_dir_utf8()? {
            let entry = entry?;
            put_back_missing(entry.path(), &path.join(entry.file_name()))?;
        }
    }
    Ok(())
}
