//! The working copies: everything the tool writes goes there, the subject's own files are only read.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use super::{Kind, Subject};

/// A place to work in, kept by a lock while this value lives; the copies in it are removed on drop,
/// the build cache is kept for the next run.
#[derive(Debug)]
pub struct WorkDir {
    /// Shared between slots: the compiled runtime.
    pub base: Utf8PathBuf,
    slot: Utf8PathBuf,
    /// Removed as a whole at the end, when nothing could be written beside the subject.
    temporary: Option<tempfile::TempDir>,
    _lock: File,
}

/// The subject is copied and built twice, so that the two builds neither wait for each other nor
/// undo each other; and once more if its tests run under sanitizers and without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// As it is.
    Plain,
    /// With instrumentation.
    Instrumented,
    /// Without sanitizers.
    Bare,
}

impl Lane {
    fn suffix(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Instrumented => "-instrumented",
            Self::Bare => "-bare",
        }
    }
}

/// More runs at once than this on one subject are refused.
const SLOTS: usize = 64;

impl WorkDir {
    /// Takes the first free slot in `chosen`, or below the subject's target directory, or, if
    /// nothing can be written there, in a temporary directory.
    ///
    /// # Errors
    /// If no place can be written to.
    pub fn take(subject: &Subject, chosen: Option<&Utf8Path>) -> Result<Self> {
        if let Some(chosen) = chosen {
            fs::create_dir_all(chosen)
                .with_context(|| format!("cannot create the work directory {chosen}"))?;
            let chosen = chosen.canonicalize_utf8()?;
            return Self::take_in(chosen, None);
        }
        let beside = subject.target_dir.join("nopol");
        // Without `..`, as cargo will speak of what is in there.
        if fs::create_dir_all(&beside).is_ok()
            && let Ok(beside) = beside.canonicalize_utf8()
            && let Ok(taken) = Self::take_in(beside, None)
        {
            return Ok(taken);
        }
        let temporary = tempfile::Builder::new()
            .prefix("cargo-nopol-")
            .tempdir()
            .context("cannot write to the subject's target directory, nor to a temporary one; give a place with --work-dir")?;
        let base = Utf8PathBuf::from_path_buf(temporary.path().to_owned())
            .map_err(|path| anyhow::anyhow!("{} is not UTF-8", path.display()))?;
        Self::take_in(base, Some(temporary))
    }

    fn take_in(base: Utf8PathBuf, temporary: Option<tempfile::TempDir>) -> Result<Self> {
        for number in 0..SLOTS {
            let slot = base.join(format!("slot-{number}"));
            fs::create_dir_all(&slot).with_context(|| format!("cannot create {slot}"))?;
            let lock = File::create(slot.join("lock"))
                .with_context(|| format!("cannot write in {slot}"))?;
            if lock.try_lock().is_ok() {
                let work = Self {
                    base,
                    slot,
                    temporary,
                    _lock: lock,
                };
                // What a killed run left.
                work.remove_copy();
                return Ok(work);
            }
        }
        bail!("{SLOTS} runs are at work in {base}; wait for one, or give another --work-dir")
    }

    /// Cargo's target directory.
    pub fn target(&self, lane: Lane) -> Utf8PathBuf {
        self.slot.join(format!("target{}", lane.suffix()))
    }

    /// Where test runs write.
    pub fn scratch(&self) -> Utf8PathBuf {
        self.slot.join("runs")
    }

    /// Where cargo's own output goes.
    pub fn logs(&self, lane: Lane) -> Utf8PathBuf {
        self.scratch().join(format!("cargo{}", lane.suffix()))
    }

    /// Copies the workspace, and the path dependencies outside of it at the same distance.
    /// Returns the copy of the workspace's root.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn copy(&self, subject: &Subject, lane: Lane) -> Result<Utf8PathBuf> {
        let ancestor = subject.top();
        let top = self
            .slot
            .join(format!("copy{}", lane.suffix()))
            .join(ancestor.file_name().unwrap_or("root"));
        let skipped = [subject.target_dir.clone(), self.base.clone()];
        let mut root = top.clone();
        for dir in std::iter::once(&subject.root).chain(&subject.outside) {
            let to = match dir.strip_prefix(&ancestor) {
                Ok(below) if below.as_str().is_empty() => top.clone(),
                Ok(below) => top.join(below),
                Err(_) => bail!("{dir} is not below {ancestor}"),
            };
            if *dir == subject.root {
                root.clone_from(&to);
            }
            copy_tree(dir, &to, &skipped)?;
        }
        if let Kind::C(program) = &subject.kind {
            // `make` goes by the times: what was built is as old as it was, and what may be patched is
            // newer, for it must be compiled as this run has it.
            keep_times(&subject.root, &root)?;
            for source in &program.sources {
                touch(root.join(source).as_std_path(), SystemTime::now())?;
            }
        }
        Ok(root)
    }

    fn remove_copy(&self) {
        // Best effort: what cannot be removed now is removed by the next run.
        for lane in [Lane::Plain, Lane::Instrumented, Lane::Bare] {
            let _ = fs::remove_dir_all(self.slot.join(format!("copy{}", lane.suffix())));
        }
        let _ = fs::remove_dir_all(self.scratch());
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        self.remove_copy();
        if let Some(temporary) = self.temporary.take() {
            let _ = temporary.close();
        }
    }
}

fn copy_tree(from: &Utf8Path, to: &Utf8Path, skipped: &[Utf8PathBuf]) -> Result<()> {
    let walk = WalkDir::new(from)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let is_dir = entry.file_type().is_dir();
            let version_control = entry.depth() > 0 && entry.file_name() == ".git";
            let build_output = is_dir
                && (skipped
                    .iter()
                    .any(|skip| entry.path() == skip.as_std_path())
                    || (entry.depth() > 0 && entry.path().join("CACHEDIR.TAG").is_file()));
            !version_control && !build_output
        });
    for entry in walk {
        let entry = entry.with_context(|| format!("cannot read the subject in {from}"))?;
        let below = entry.path().strip_prefix(from)?;
        let target = to.as_std_path().join(below);
        let kind = entry.file_type();
        if kind.is_dir() {
            fs::create_dir_all(&target)
                .with_context(|| format!("cannot create {}", target.display()))?;
        } else if kind.is_symlink() && !(entry.path().is_file() && leads_out(from, entry.path())) {
            let _ = std::os::unix::fs::symlink(fs::read_link(entry.path())?, &target);
        } else if kind.is_file() || kind.is_symlink() {
            fs::copy(entry.path(), &target).with_context(|| {
                format!("cannot copy {} to the working copy", entry.path().display())
            })?;
            make_writable(&target)?;
        }
    }
    Ok(())
}

/// Whether a link in a tree would, in a copy of the tree, still be one to what is not copied. Nobody
/// may write there, so that of a file its content is copied.
fn leads_out(tree: &Utf8Path, link: &Path) -> bool {
    let inside = |tree: std::path::PathBuf| {
        let to = fs::canonicalize(link);
        to.is_ok_and(|to| to.starts_with(tree))
    };
    let is_relative = fs::read_link(link).is_ok_and(|to| to.is_relative());
    !is_relative || !fs::canonicalize(tree).is_ok_and(inside)
}

/// Gives the files of a copy the times of the originals.
fn keep_times(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    for entry in WalkDir::new(to).into_iter().flatten() {
        let original = from.as_std_path().join(entry.path().strip_prefix(to)?);
        if entry.file_type().is_file() {
            touch(entry.path(), fs::metadata(original)?.modified()?)?;
        }
    }
    Ok(())
}

fn touch(path: &Path, time: SystemTime) -> Result<()> {
    let file = File::options().append(true).open(path);
    let touched = file.and_then(|file| file.set_modified(time));
    touched.with_context(|| format!("cannot set the time of {}", path.display()))
}

/// A read-only file of the subject must still be written in the copy.
fn make_writable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    if permissions.mode() & 0o200 == 0 {
        permissions.set_mode(permissions.mode() | 0o200);
        fs::set_permissions(path, permissions)?;
    }
    Ok(())
}
