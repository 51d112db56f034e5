//! Where the tool works: a slot that no other run has, with the working copies, and a place outside of
//! every repository for what tests write.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::{Subject, SubjectError, kept};
use crate::copy::tree::Tree;
use crate::copy::walk::Copier;
use crate::copy::{files, git};
use crate::run::confine;

/// A place to work in, kept by a lock while this value lives; the copies in it are removed on drop,
/// the build cache is kept for the next run.
#[derive(Debug)]
pub struct WorkDir {
    /// Shared between slots: the compiled runtime.
    pub base: Utf8PathBuf,
    slot: Utf8PathBuf,
    /// Where test runs write.
    scratch: tempfile::TempDir,
    /// Removed as a whole at the end, when nothing could be written beside the subject.
    temporary: Option<tempfile::TempDir>,
    lock: File,
}

/// A working copy that was made.
#[derive(Debug)]
pub struct Copied {
    pub tree: Tree,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    /// What is not in it, and why, a sentence each.
    pub left_out: Vec<String>,
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
    const ALL: [Self; 3] = [Self::Plain, Self::Instrumented, Self::Bare];

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
    /// If no place can be written to, or `chosen` is none to work in.
    pub fn take(subject: &Subject, chosen: Option<&Utf8Path>) -> Result<Self> {
        if let Some(chosen) = chosen {
            refuse_subject(subject, chosen)?;
            fs::create_dir_all(chosen)
                .with_context(|| format!("cannot create the work directory {chosen}"))?;
            let chosen = chosen
                .canonicalize_utf8()
                .with_context(|| format!("cannot find the work directory {chosen}"))?;
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
            .prefix(confine::SCRATCH)
            .tempdir()
            .context("cannot write to the subject's target directory, nor to a temporary one; give a place with --work-dir")?;
        let base = utf8(temporary.path())?;
        Self::take_in(base, Some(temporary))
    }

    fn take_in(base: Utf8PathBuf, temporary: Option<tempfile::TempDir>) -> Result<Self> {
        for number in 0..SLOTS {
            let slot = base.join(format!("slot-{number}"));
            fs::create_dir_all(&slot).with_context(|| format!("cannot create {slot}"))?;
            let lock = File::create(slot.join("lock"))
                .with_context(|| format!("cannot write in {slot}"))?;
            if lock.try_lock().is_ok() {
                // What a killed run left.
                remove_left(&slot);
                let scratch = confine::scratch(&slot)
                    .context("cannot make a directory for temporary files; set TMPDIR to a place that can be written to")?;
                let told = fs::write(
                    slot.join(SCRATCH_PATH),
                    scratch.path().as_os_str().as_encoded_bytes(),
                );
                told.with_context(|| format!("cannot write in {slot}"))?;
                return Ok(Self {
                    base,
                    slot,
                    scratch,
                    temporary,
                    lock,
                });
            }
        }
        bail!("{SLOTS} runs are at work in {base}; wait for one, or give another --work-dir")
    }

    /// The slot's lock.
    pub fn lock(&self) -> &File {
        &self.lock
    }

    /// What is to be removed in the end.
    pub fn fleeting(&self) -> Result<Vec<Utf8PathBuf>> {
        let mut dirs = fleeting(&self.slot);
        dirs.extend([self.scratch()?, self.slot.join(SCRATCH_PATH)]);
        if let Some(temporary) = &self.temporary {
            dirs.push(utf8(temporary.path())?);
        }
        Ok(dirs)
    }

    /// Whether it is still there: `cargo clean` removes it.
    pub fn is_there(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let inode = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|it| it.ino());
        let named = inode(fs::metadata(self.slot.join("lock")));
        named.is_some() && named == inode(self.lock.metadata())
    }

    /// Directories above which nobody is to look for a repository.
    pub fn ceilings(&self) -> Vec<Utf8PathBuf> {
        let copies = Lane::ALL.map(|lane| self.copies(lane));
        copies.into_iter().chain([self.slot.clone()]).collect()
    }

    fn copies(&self, lane: Lane) -> Utf8PathBuf {
        self.slot.join(format!("copy{}", lane.suffix()))
    }

    /// Cargo's target directory.
    pub fn target(&self, lane: Lane) -> Utf8PathBuf {
        self.slot.join(format!("target{}", lane.suffix()))
    }

    /// Where test runs write.
    ///
    /// # Errors
    /// If its path is not UTF-8.
    pub fn scratch(&self) -> Result<Utf8PathBuf> {
        utf8(self.scratch.path())
    }

    /// Where the output of builds goes.
    pub fn logs(&self, lane: Lane) -> Utf8PathBuf {
        self.slot.join(format!("logs{}", lane.suffix()))
    }

    /// Copies the workspace, and the path dependencies outside of it at the same distance, until `stop`.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn copy(&self, subject: &Subject, lane: Lane, stop: &AtomicBool) -> Result<Copied> {
        let ancestor = subject.top();
        let real = |dir: &Utf8Path| {
            let real = dir.canonicalize_utf8();
            real.with_context(|| format!("cannot find {dir}"))
        };
        let top = self
            .copies(lane)
            .join(ancestor.file_name().unwrap_or("root"));
        let mut places = Vec::new();
        for dir in std::iter::once(&subject.root).chain(&subject.outside) {
            match dir.strip_prefix(&ancestor) {
                Ok(below) if below.as_str().is_empty() => places.push((real(dir)?, top.clone())),
                Ok(below) => places.push((real(dir)?, top.join(below))),
                Err(_) => bail!("{dir} is not below {ancestor}"),
            }
        }
        let root = places[0].1.clone();
        let cache = real(&subject.target_dir).unwrap_or_else(|_| subject.target_dir.clone());
        let skipped = [cache.clone(), self.base.clone()].map(Utf8PathBuf::into_std_path_buf);
        let paths = |(from, to): &(Utf8PathBuf, Utf8PathBuf)| {
            (from.as_std_path().to_owned(), to.as_std_path().to_owned())
        };
        let mut copier = Copier::new(places.iter().map(paths).collect(), &skipped, stop);
        for (from, to) in &places {
            copier.copy(from.as_std_path(), to.as_std_path())?;
            if let Err(error) = git::copy(from.as_std_path(), to.as_std_path()) {
                let said =
                    format!("the repository of {from} is not in the working copy: {error:#}");
                copier.left_out.push(said);
            }
        }
        subject.ecosystem.set_times(&root, &copier.origins)?;
        // Cargo's own output, should a test call cargo here, is no business of ours.
        let exempt = places.iter().filter_map(|(from, to)| {
            let below = cache.strip_prefix(from).ok()?;
            Some(to.join(below).into_std_path_buf())
        });
        let exempt: Vec<PathBuf> = exempt.collect();
        let aside = self.slot.join(format!("aside{}", lane.suffix()));
        let tree = Tree::new(&top, &copier.origins, exempt, &aside)?;
        Ok(Copied {
            tree,
            root,
            left_out: copier.left_out,
        })
    }
}

/// Refuses a work directory that has something of the subject in it: it would not be copied.
fn refuse_subject(subject: &Subject, chosen: &Utf8Path) -> Result<(), SubjectError> {
    let Ok(chosen) = chosen.canonicalize_utf8() else {
        return Ok(());
    };
    let is_ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        ["slot-", "runtime-", kept::PREFIX]
            .iter()
            .any(|ours| name.starts_with(ours))
    };
    let others = || {
        let entries = fs::read_dir(&chosen).into_iter().flatten().flatten();
        entries.filter(|entry| !is_ours(entry)).count() > 0
    };
    let copied = std::iter::once(&subject.root).chain(&subject.outside);
    for dir in copied.filter_map(|dir| dir.canonicalize_utf8().ok()) {
        if dir.starts_with(&chosen) || chosen.starts_with(&dir) && others() {
            return Err(SubjectError::Usage(format!(
                "the work directory {chosen} has files of the subject in it; choose an empty directory, or one outside the subject"
            )));
        }
    }
    Ok(())
}

/// Where a slot tells the place that runs write to.
const SCRATCH_PATH: &str = "scratch-path";

/// What is in a slot only while a run is under way.
fn fleeting(slot: &Utf8Path) -> Vec<Utf8PathBuf> {
    let of = |lane: Lane| {
        ["copy", "aside", "logs"].map(|name| slot.join(name.to_owned() + lane.suffix()))
    };
    Lane::ALL.into_iter().flat_map(of).collect()
}

/// Removes what is only there while a run is under way. Best effort: what cannot be removed now is
/// removed by the next run.
fn remove_left(slot: &Utf8Path) {
    for dir in fleeting(slot) {
        let _ = files::remove_tree(&dir);
    }
    let path = slot.join(SCRATCH_PATH);
    if let Ok(scratch) = fs::read_to_string(&path) {
        let scratch = Utf8PathBuf::from(scratch);
        let is_ours = |name: &str| name.starts_with(confine::SCRATCH);
        if scratch.file_name().is_some_and(is_ours) {
            let _ = files::remove_tree(&scratch);
        }
        let _ = fs::remove_file(path);
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        remove_left(&self.slot);
        if let Some(temporary) = self.temporary.take() {
            let _ = temporary.close();
        }
    }
}

fn utf8(path: &std::path::Path) -> Result<Utf8PathBuf> {
    let path = path.canonicalize()?;
    Utf8PathBuf::from_path_buf(path)
        .map_err(|path| anyhow::anyhow!("{} is not UTF-8", path.display()))
}
