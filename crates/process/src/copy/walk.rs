//! Copies directory trees such that no link in the copy leads out of it. A link to a copied path is
//! redirected to its copy; any other link is replaced by the content that it leads to.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use nopol_basics::paths::{normal, relative};
use walkdir::WalkDir;

use super::files;

/// Limits on the entries and bytes behind one link that leads out; larger content is not copied.
const MOST_ENTRIES: usize = 20_000;
const MOST_BYTES: u64 = 2 << 30;

/// Copies trees.
#[derive(Debug)]
pub struct Copier<'a> {
    /// Directories that are not copied.
    pub skipped: &'a [PathBuf],
    /// A flag that ends the copying.
    pub stop: &'a AtomicBool,
    /// The trees that are copied, with their destinations; targets of links that lead out are added.
    roots: Vec<(PathBuf, PathBuf)>,
    /// For each file of the copy, the file that it was copied from.
    pub origins: BTreeMap<PathBuf, PathBuf>,
    /// What could not be copied, and why, as sentences.
    pub left_out: Vec<String>,
    /// The entries and bytes that may still be copied behind the current link.
    budget: Option<(usize, u64)>,
}

/// The content behind a link that leads out is too large to copy.
#[derive(Debug, thiserror::Error)]
#[error("too much")]
struct TooLarge;

impl<'a> Copier<'a> {
    /// `roots` are all trees that will be copied, with their destinations; the paths have no symbolic links.
    pub fn new(
        roots: Vec<(PathBuf, PathBuf)>,
        skipped: &'a [PathBuf],
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            skipped,
            stop,
            roots,
            origins: BTreeMap::new(),
            left_out: Vec::new(),
            budget: None,
        }
    }

    /// Copies one of the roots.
    ///
    /// # Errors
    /// If nothing can be written, or the copying is stopped.
    pub fn copy(&mut self, from: &Path, to: &Path) -> Result<()> {
        fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
        self.dir(from, to, true)
    }

    fn dir(&mut self, from: &Path, to: &Path, is_top: bool) -> Result<()> {
        let entries = fs::read_dir(from).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.leave_out(from, &error.to_string());
                return Ok(());
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if self.stop.load(Ordering::Relaxed) {
                bail!("copying was interrupted");
            }
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) => {
                    self.leave_out(&from, &error.to_string());
                    continue;
                }
            };
            // The repository is created separately, and a file with this name points to a repository
            // elsewhere.
            if entry.file_name() == ".git" && (is_top || !kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                if !self.is_skipped(&from) {
                    fs::create_dir_all(&to)
                        .with_context(|| format!("cannot create {}", to.display()))?;
                    self.spend(0)?;
                    self.dir(&from, &to, false)?;
                }
            } else if kind.is_symlink() {
                self.link(&from, &to)?;
            } else if kind.is_file() {
                self.file(&from, &to)?;
            }
        }
        Ok(())
    }

    /// Whether a directory is not copied: it is one of the excluded ones, or a target directory of cargo.
    fn is_skipped(&self, dir: &Path) -> bool {
        let is_target =
            || dir.join("CACHEDIR.TAG").is_file() && dir.join(".rustc_info.json").is_file();
        self.skipped.iter().any(|skipped| skipped == dir) || is_target()
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.spend(fs::metadata(from).map_or(0, |metadata| metadata.len()))?;
        match files::copy(from, to) {
            Ok(()) => {
                self.origins.insert(to.to_owned(), from.to_owned());
                Ok(())
            }
            // `cargo test` cannot read the file either.
            Err(error) if fs::File::open(from).is_err() => {
                self.leave_out(from, &error.to_string());
                Ok(())
            }
            Err(error) => Err(error).with_context(|| {
                format!(
                    "cannot copy {} to the working copy {}",
                    from.display(),
                    to.display()
                )
            }),
        }
    }

    fn link(&mut self, link: &Path, to: &Path) -> Result<()> {
        let Ok(target) = fs::canonicalize(link) else {
            // A dangling link stays dangling, but a test must not be able to create a file outside of the
            // copy through it.
            let text = fs::read_link(link)?;
            let dir = to.parent().unwrap_or(to);
            let leads_to = normal(&dir.join(&text));
            if text.is_relative()
                && self
                    .roots
                    .iter()
                    .any(|(_, copy)| leads_to.starts_with(copy))
            {
                symlink(text, to)?;
            }
            return Ok(());
        };
        if let Some(copied) = self.copied(&target) {
            let dir = to.parent().unwrap_or(to);
            let target = match relative(dir, &copied) {
                same_dir if same_dir.as_os_str().is_empty() => ".".into(),
                target => target,
            };
            symlink(target, to)
                .with_context(|| format!("cannot create the link {}", to.display()))?;
            return Ok(());
        }
        let is_outermost = self.budget.is_none();
        if is_outermost {
            self.budget = Some((MOST_ENTRIES, MOST_BYTES));
        }
        let copied = self.content(link, &target, to);
        if !is_outermost {
            return copied;
        }
        self.budget = None;
        match copied {
            Err(error) if error.is::<TooLarge>() => {
                files::remove(to)?;
                self.origins.retain(|copy, _| !copy.starts_with(to));
                let what = format!(
                    "it leads to {}, which is too large to copy",
                    target.display()
                );
                self.leave_out(link, &what);
                Ok(())
            }
            copied => copied,
        }
    }

    /// Copies the target of a link in place of the link.
    fn content(&mut self, link: &Path, target: &Path, to: &Path) -> Result<()> {
        if target.is_file() {
            return self.file(target, to);
        }
        // A link to one of its own ancestors would be followed forever.
        if !target.is_dir() || link.starts_with(target) || self.is_skipped(target) {
            return Ok(());
        }
        self.check_size(target)?;
        self.roots.push((target.to_owned(), to.to_owned()));
        fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
        let copied = self.dir(target, to, true);
        if copied.is_err() {
            self.roots.pop();
        }
        copied
    }

    /// Checks before copying whether a directory is too large.
    fn check_size(&self, dir: &Path) -> Result<()> {
        let Some((mut entries, mut bytes)) = self.budget else {
            return Ok(());
        };
        let walk = WalkDir::new(dir).into_iter();
        let walk = walk
            .filter_entry(|entry| !entry.file_type().is_dir() || !self.is_skipped(entry.path()));
        for entry in walk.flatten() {
            let len = match entry.file_type().is_file() {
                true => entry.metadata().map_or(0, |metadata| metadata.len()),
                false => 0,
            };
            entries = entries.checked_sub(1).ok_or(TooLarge)?;
            bytes = bytes.checked_sub(len).ok_or(TooLarge)?;
        }
        Ok(())
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        if let Some((entries, left)) = &mut self.budget {
            *entries = entries.checked_sub(1).ok_or(TooLarge)?;
            *left = left.checked_sub(bytes).ok_or(TooLarge)?;
        }
        Ok(())
    }

    /// The path of the copy that corresponds to a path, even if it has not been copied yet.
    fn copied(&self, path: &Path) -> Option<PathBuf> {
        let below = |(from, to): &(PathBuf, PathBuf)| {
            let below = path.strip_prefix(from).ok()?;
            Some((from.components().count(), to.join(below)))
        };
        let found = self.roots.iter().filter_map(below);
        found.max_by_key(|(depth, _)| *depth).map(|(_, to)| to)
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        let path = path.display();
        self.left_out
            .push(format!("{path} is not in the working copy: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let (from, to) = (home.join("from"), home.join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        fs::write(from.join("src/a"), "a").unwrap();
        fs::create_dir_all(home.join("out/deep")).unwrap();
        fs::write(home.join("out/deep/b"), "b").unwrap();
        (dir, from, to)
    }

    fn copy(from: &Path, to: &Path) -> Vec<String> {
        let stop = AtomicBool::new(false);
        let roots = vec![(from.to_owned(), to.to_owned())];
        let mut copier = Copier::new(roots, &[], &stop);
        copier.copy(from, to).unwrap();
        copier.left_out
    }

    #[test]
    fn no_link_of_a_copy_leads_out_of_it() {
        let (dir, from, to) = trees();
        let out = dir.path().join("out");
        symlink("src/a", from.join("near")).unwrap();
        symlink(from.join("src/a"), from.join("absolute")).unwrap();
        symlink(&out, from.join("directory")).unwrap();
        symlink("../out/deep/b", from.join("file")).unwrap();
        symlink("/nowhere/at/all", from.join("dangling")).unwrap();
        symlink("..", from.join("up")).unwrap();
        symlink("..", out.join("deep/loop")).unwrap();
        symlink(".", out.join("self")).unwrap();
        assert_eq!(copy(&from, &to), Vec::<String>::new());
        for entry in walkdir::WalkDir::new(&to) {
            let path = entry.unwrap().into_path();
            let real = path.canonicalize().unwrap();
            assert!(
                real.starts_with(&to),
                "{} leads to {}",
                path.display(),
                real.display()
            );
        }
        let read = |path| fs::read_to_string(to.join(path)).unwrap();
        assert_eq!(read("near"), "a");
        assert_eq!(read("absolute"), "a");
        assert_eq!(read("directory/deep/b"), "b");
        assert_eq!(read("file"), "b");
        assert!(fs::symlink_metadata(to.join("dangling")).is_err());
    }

    #[test]
    fn unreadable_files_are_reported_and_sockets_are_skipped() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, from, to) = trees();
        let secret = from.join("secret");
        fs::write(&secret, "s").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
        let left_out = copy(&from, &to);
        assert!(!to.join("socket").exists());
        // Root can read the file nevertheless.
        if fs::File::open(&secret).is_err() {
            assert!(left_out[0].contains("secret"), "{left_out:?}");
        }
    }
}
