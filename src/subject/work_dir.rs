//! The work directory: a slot that no other run uses, with the working copies, and a scratch directory
//! outside of every repository for files that tests write.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use nix::fcntl::OFlag;
use nopol_process::copy::tree::Tree;
use nopol_process::copy::walk::Copier;
use nopol_process::copy::{files, git};
use nopol_process::run::confine;

use super::{Subject, SubjectError, last_file};

/// A slot of a work directory, locked while this value lives. The working copies are removed on drop; the
/// build cache is kept for the next run.
#[derive(Debug)]
pub struct WorkDir {
    /// The directory that contains the slots; they share the compiled runtime.
    pub base: Utf8PathBuf,
    slot: Utf8PathBuf,
    /// The directory that test runs write to.
    scratch: tempfile::TempDir,
    /// The temporary directory that contains the slot if the target directory was not writable; removed on
    /// drop.
    temporary: Option<tempfile::TempDir>,
    lock: File,
}

/// A finished working copy.
#[derive(Debug)]
pub struct Copied {
    /// The copied tree.
    pub tree: Tree,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    /// What is missing from it, and why, as sentences.
    pub left_out: Vec<String>,
}

/// The subject is copied and built in two variants, so that the two builds neither wait for each other nor
/// invalidate each other; a third one is needed if its tests run both under sanitizers and without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildVariant {
    /// Unchanged.
    Plain,
    /// With instrumentation.
    Instrumented,
    /// Without sanitizers, even if the subject asks for them.
    Unsanitized,
}

impl BuildVariant {
    const ALL: [Self; 3] = [Self::Plain, Self::Instrumented, Self::Unsanitized];

    fn suffix(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Instrumented => "-instrumented",
            Self::Unsanitized => "-bare",
        }
    }
}

/// The most concurrent runs on one subject.
const SLOTS: usize = 64;

impl WorkDir {
    /// Takes the first free slot in `chosen`. By default the slots are below the subject's target directory
    /// or, if that is not writable, in a temporary directory.
    ///
    /// # Errors
    /// If no directory is writable, or `chosen` is not suitable.
    pub fn take(subject: &Subject, chosen: Option<&Utf8Path>) -> Result<Self> {
        if let Some(chosen) = chosen {
            refuse_subject(subject, chosen)?;
            let unusable = |why: String| SubjectError::Usage(format!("--work-dir: {why}"));
            fs::create_dir_all(chosen)
                .map_err(|error| unusable(format!("cannot create {chosen}: {error}")))?;
            let found = chosen
                .canonicalize_utf8()
                .map_err(|error| unusable(format!("cannot find {chosen}: {error}")))?;
            return Self::take_in(found, None)
                .map_err(|error| unusable(format!("{error:#}")).into());
        }
        let default_base = subject.target_dir.join("nopol");
        // Canonical, because cargo's messages mention paths in it.
        if fs::create_dir_all(&default_base).is_ok()
            && let Ok(default_base) = default_base.canonicalize_utf8()
            && let Ok(taken) = Self::take_in(default_base, None)
        {
            return Ok(taken);
        }
        let temporary = tempfile::Builder::new()
            .prefix(confine::SCRATCH)
            .tempdir()
            .context("cannot write to the crate's target directory, nor to a temporary one; give a place with --work-dir")?;
        let base = utf8(temporary.path())?;
        Self::take_in(base, Some(temporary))
    }

    fn take_in(base: Utf8PathBuf, temporary: Option<tempfile::TempDir>) -> Result<Self> {
        for number in 0..SLOTS {
            let slot = base.join(format!("slot-{number}"));
            fs::create_dir_all(&slot).with_context(|| format!("cannot create {slot}"))?;
            refuse_link(&slot)?;
            // What lies here may have come with the subject.
            let lock = File::options()
                .append(true)
                .create(true)
                .custom_flags(OFlag::O_NOFOLLOW.bits())
                .open(slot.join("lock"))
                .with_context(|| format!("cannot write in {slot}"))?;
            if lock.try_lock().is_ok() {
                remove_links(&slot).with_context(|| format!("cannot write in {slot}"))?;
                // A run that was killed left its files.
                remove_leftovers(&slot);
                let scratch = confine::scratch(&slot)
                    .context("cannot make a directory for temporary files; set TMPDIR to a place that can be written to")?;
                let written = fs::write(
                    slot.join(SCRATCH_PATH),
                    scratch.path().as_os_str().as_encoded_bytes(),
                );
                written.with_context(|| format!("cannot write in {slot}"))?;
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

    /// Directories and files that must be removed at the end.
    pub fn temporary_dirs(&self) -> Result<Vec<Utf8PathBuf>> {
        let mut dirs = temporary_dirs(&self.slot);
        dirs.extend([self.scratch()?, self.slot.join(SCRATCH_PATH)]);
        if let Some(temporary) = &self.temporary {
            dirs.push(utf8(temporary.path())?);
        }
        Ok(dirs)
    }

    /// Whether the slot still exists: `cargo clean` removes it.
    pub fn still_exists(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let inode = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|it| it.ino());
        let named = inode(fs::metadata(self.slot.join("lock")));
        named.is_some() && named == inode(self.lock.metadata())
    }

    /// Directories above which git must not look for a repository.
    pub fn ceilings(&self) -> Vec<Utf8PathBuf> {
        let copies = BuildVariant::ALL.map(|variant| self.copy_dir(variant));
        copies.into_iter().chain([self.slot.clone()]).collect()
    }

    fn copy_dir(&self, variant: BuildVariant) -> Utf8PathBuf {
        self.slot.join(format!("copy{}", variant.suffix()))
    }

    /// Cargo's target directory.
    pub fn target(&self, variant: BuildVariant) -> Utf8PathBuf {
        self.slot.join(format!("target{}", variant.suffix()))
    }

    /// The directory for libraries that target directories have links to.
    pub fn store(&self) -> Utf8PathBuf {
        self.slot.join("store")
    }

    /// The directory that test runs write to.
    ///
    /// # Errors
    /// If its path is not UTF-8.
    pub fn scratch(&self) -> Result<Utf8PathBuf> {
        utf8(self.scratch.path())
    }

    /// The directory for the output of builds.
    pub fn logs(&self, variant: BuildVariant) -> Utf8PathBuf {
        self.slot.join(format!("logs{}", variant.suffix()))
    }

    /// Copies the workspace, and path dependencies outside of it with the same relative paths, until `stop`
    /// is set.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn copy(
        &self,
        subject: &Subject,
        variant: BuildVariant,
        stop: &AtomicBool,
    ) -> Result<Copied> {
        let ancestor = subject.top();
        let real = |dir: &Utf8Path| {
            let real = dir.canonicalize_utf8();
            real.with_context(|| format!("cannot find {dir}"))
        };
        let top = self
            .copy_dir(variant)
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
                let sentence = format!(
                    "the git repository of {from} could not be copied, so tests that call git may fail: {error:#}"
                );
                copier.left_out.push(sentence);
            }
        }
        subject.ecosystem.set_times(&root, &copier.origins)?;
        // A test may call cargo here; what it then builds is of no interest.
        let exempt = places.iter().filter_map(|(from, to)| {
            let below = cache.strip_prefix(from).ok()?;
            Some(to.join(below).into_std_path_buf())
        });
        let exempt: Vec<PathBuf> = exempt.collect();
        let backups = self.slot.join(format!("aside{}", variant.suffix()));
        if let Some(added) = subject.ecosystem.added_file() {
            let path = root.join(&added.path);
            let made = fs::create_dir_all(path.parent().unwrap_or(&root));
            made.and_then(|()| fs::write(&path, &added.text))
                .with_context(|| format!("cannot write {path}"))?;
        }
        let tree = Tree::new(&top, &copier.origins, exempt, &backups)?;
        Ok(Copied {
            tree,
            root,
            left_out: copier.left_out,
        })
    }
}

/// Refuses a work directory that contains files of the subject, because these would not be copied.
fn refuse_subject(subject: &Subject, chosen: &Utf8Path) -> Result<(), SubjectError> {
    let Ok(chosen) = chosen.canonicalize_utf8() else {
        return Ok(());
    };
    let is_ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        ["slot-", "runtime-", last_file::PREFIX]
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
                "the work directory {chosen} has files of the program in it; choose an empty directory, or one outside the program"
            )));
        }
    }
    Ok(())
}

/// The file of a slot that names its scratch directory.
const SCRATCH_PATH: &str = "scratch-path";

/// The directories of a slot that exist only during a run.
fn temporary_dirs(slot: &Utf8Path) -> Vec<Utf8PathBuf> {
    let of = |variant: BuildVariant| {
        ["copy", "aside", "logs"].map(|name| slot.join(name.to_owned() + variant.suffix()))
    };
    BuildVariant::ALL.into_iter().flat_map(of).collect()
}

/// Refuses a link in place of a directory that the tool writes to.
fn refuse_link(dir: &Utf8Path) -> Result<()> {
    match fs::symlink_metadata(dir)?.is_symlink() {
        true => bail!(
            "{dir} is a link, so nothing is written there; remove it, or give another --work-dir"
        ),
        false => Ok(()),
    }
}

/// Removes the links in a directory, which this tool makes none of: it would write to what they lead to.
fn remove_links(dir: &Utf8Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_symlink() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes what exists only during a run. Best effort: the next run removes what is left.
fn remove_leftovers(slot: &Utf8Path) {
    for dir in temporary_dirs(slot) {
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
        remove_leftovers(&self.slot);
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
