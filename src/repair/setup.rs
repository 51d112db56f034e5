//! Prepares a run before the baseline: the working directory, the working copies, the sources and the runtime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::count;
use nopol_process::copy::tree::Change;
use nopol_process::run::Runner;
use nopol_process::run::confine::Confinement;
use nopol_process::run::preload;
use nopol_process::run::process::Supervisor;
use nopol_process::run::sandbox;
use nopol_source::{Site, Skipped, Sources};

use super::baseline;
use super::instrument::{self, Prebuilt};
use super::settings::{Depth, Settings};
use crate::report::markup::code;
use crate::report::progress::Progress;
use crate::subject::work_dir::{BuildVariant, WorkDir};
use crate::subject::workspace::{Build, Compiled, Workspace};
use crate::subject::{Subject, SubjectError, user_cache};

/// Most warnings about parts of the program that are not searched; if there are more, one counts them.
const MOST_WARNINGS: usize = 3;

/// The subject and the working directory.
pub struct Setup<'s> {
    settings: &'s Settings,
    supervisor: &'s Supervisor,
    subject: Subject,
    work: WorkDir,
    confinement: Confinement,
}

/// The working copies of the subject, by how they are built.
pub struct Copies<'a> {
    /// The subject as it is.
    pub plain: Workspace<'a>,
    /// The subject with instrumentation.
    pub instrumented: Workspace<'a>,
    /// The subject without sanitizers, if it uses any.
    pub bare: Option<Workspace<'a>>,
}

/// The results of the first builds.
pub struct FirstBuilds {
    /// The build of the subject as it is.
    pub plain: Build,
    /// Seconds that the plain build took.
    pub seconds: f64,
    /// The path of the runtime.
    pub runtime: Utf8PathBuf,
    pub prebuilt: Option<Prebuilt>,
}

impl<'s> Setup<'s> {
    /// Takes a working directory.
    ///
    /// # Errors
    /// If none can be used.
    pub fn new(
        settings: &'s Settings,
        subject: Subject,
        supervisor: &'s Supervisor,
    ) -> Result<Self> {
        let work = WorkDir::take(&subject, settings.work_dir.as_deref())?;
        supervisor.remove_if_killed(work.temporary_dirs()?, work.lock())?;
        let confinement = Confinement::new(
            settings.sandbox,
            settings.memory,
            work.scratch()?,
            &work.ceilings(),
        );
        Ok(Self {
            settings,
            supervisor,
            subject,
            work,
            confinement,
        })
    }

    /// What the sandbox should forbid but cannot on this machine.
    pub fn shortfall(&self) -> Option<String> {
        sandbox::shortfall(self.settings.sandbox).map(str::to_owned)
    }

    /// A runner for the tests.
    pub fn runner(&self) -> Runner<'_> {
        let runner = Runner::new(
            self.supervisor,
            &self.confinement,
            self.settings.project.test_args(),
            self.settings.jobs(),
            user_cache().and_then(|cache| preload::library(&cache)),
        );
        runner.set_serial(self.subject.is_serial());
        runner
    }

    /// The confinement of the subject's processes.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Copies the subject, once per build variant.
    ///
    /// # Errors
    /// If the run is stopped, or a file cannot be read or written.
    pub fn copies(&self, progress: &Progress) -> Result<Copies<'_>> {
        let phase = progress.start("copying", 0, 0);
        let (plain, left_out) = self.copy(BuildVariant::Plain)?;
        let (instrumented, _) = self.copy(BuildVariant::Instrumented)?;
        let bare = match self.subject.is_sanitized() {
            true => Some(self.copy(BuildVariant::Unsanitized)?.0),
            false => None,
        };
        let result = format!("{} → {}", self.subject.root, plain.root);
        progress.finish(phase, 0, &result);
        left_out.into_iter().for_each(|it| progress.warn(it));
        Ok(Copies {
            plain,
            instrumented,
            bare,
        })
    }

    /// Copies the subject once, for the plain build.
    ///
    /// # Errors
    /// If the run is stopped, or a file cannot be read or written.
    pub fn plain(&self, progress: &Progress) -> Result<Workspace<'_>> {
        let phase = progress.start("copying", 0, 0);
        let (plain, _) = self.copy(BuildVariant::Plain)?;
        let result = format!("{} → {}", self.subject.root, plain.root);
        progress.finish(phase, 0, &result);
        Ok(plain)
    }

    /// Copies the subject once, for an instrumented build, with the runtime for it.
    ///
    /// # Errors
    /// If the run is stopped, a file cannot be read or written, or the runtime cannot be built.
    pub fn instrumented(&self, progress: &Progress) -> Result<(Workspace<'_>, Utf8PathBuf)> {
        let phase = progress.start("copying", 0, 0);
        let (copy, _) = self.copy(BuildVariant::Instrumented)?;
        let runtime = copy.runtime(&self.work.base)?;
        let result = format!("{} → {}", self.subject.root, copy.root);
        progress.finish(phase, 0, &result);
        Ok((copy, runtime))
    }

    /// A working copy, and warnings about files that were left out.
    fn copy(&self, variant: BuildVariant) -> Result<(Workspace<'_>, Vec<String>)> {
        let copied = self
            .work
            .copy(&self.subject, variant, &self.supervisor.interrupted());
        self.supervisor.check()?;
        let copied = copied?;
        for file in self.subject.ecosystem.other_texts() {
            let path = copied.root.join(&file.path);
            copied.tree.write(&path, &file.text)?;
        }
        let workspace = Workspace {
            subject: &self.subject,
            tree: Arc::new(copied.tree),
            root: copied.root,
            target: self.work.target(variant),
            store: self.work.store(),
            is_seeded: false,
            logs: self.work.logs(variant),
            supervisor: self.supervisor,
            confinement: &self.confinement,
            caps_lints: false,
            capturing: BTreeSet::new(),
            whole: BTreeSet::new(),
            rules: BTreeMap::new(),
            is_unsanitized: variant == BuildVariant::Unsanitized,
            is_debugged: false,
        };
        Ok((workspace, copied.left_out))
    }

    /// Reads the sources and makes each of them a regular file in all copies: if a source is a link, cargo does not
    /// notice later writes to it.
    ///
    /// # Errors
    /// If a pattern is malformed, `--file` matches no source, or a file cannot be written.
    pub fn read(&self, copies: &Copies, progress: &Progress) -> Result<Sources> {
        let wanted = self.settings.file_filter()?;
        let root = &copies.plain.root;
        let mut sources = self.subject.readable().read(root, &wanted);
        if sources.is_undecided {
            let at = &copies.instrumented;
            let runtime = at.runtime(&self.work.base)?;
            progress.prepare(|seen| seen.builds += 1);
            let ecosystem = &self.subject.ecosystem;
            if let Some(readable) = ecosystem.readable_as_compiled(at, &runtime)? {
                sources = readable.read(root, &wanted);
            }
        }
        let wants = |site: &Site| {
            let kind = site.kind.patch_kind();
            !kind.is_on_request() || self.settings.wants(kind)
        };
        sources.sites.retain(wants);
        check_sources(self.settings, &self.subject, &sources, progress)?;
        for copy in copies.all() {
            for file in &sources.files {
                copy.tree.write(&copy.root.join(&file.path), &file.text)?;
            }
        }
        Ok(sources)
    }

    /// Builds the subject as it is. In parallel, prepares the runtime and, if no dependency would be compiled twice,
    /// the first instrumented build.
    ///
    /// # Errors
    /// If the subject does not build, or the run is stopped.
    pub fn build(
        &self,
        copies: &mut Copies,
        sources: &Sources,
        runner: &Runner,
        progress: &Progress,
    ) -> Result<FirstBuilds> {
        let compiled = copies.plain.take_over()?;
        copies.plain.is_seeded = compiled == Compiled::Dependencies;
        copies.instrumented.is_seeded = copies.plain.is_seeded;
        if let Compiled::Unusable(why) = compiled {
            progress.warn(why);
        }
        let Copies {
            plain,
            instrumented,
            ..
        } = copies;
        let start = Instant::now();
        let (built, prepared) = std::thread::scope(|scope| {
            let prepared = scope.spawn(|| self.prepare(instrumented, sources));
            let built = baseline::build(progress, plain, runner);
            (built, prepared.join())
        });
        let build_seconds = start.elapsed().as_secs_f64();
        let built = built?;
        let prepared = prepared.map_err(|_| anyhow::anyhow!("the first build panicked"))?;
        let (runtime, prebuilt) = prepared?;
        instrumented.share(plain)?;
        Ok(FirstBuilds {
            plain: built,
            seconds: build_seconds,
            runtime,
            prebuilt,
        })
    }

    fn prepare(
        &self,
        workspace: &Workspace,
        sources: &Sources,
    ) -> Result<(Utf8PathBuf, Option<Prebuilt>)> {
        let runtime = workspace.runtime(&self.work.base)?;
        let can_prebuild = self.settings.depth != Depth::List && self.settings.jobs() > 1;
        let prebuilt = match can_prebuild && self.subject.stands_alone() {
            true => {
                let sites = instrument::probes(sources);
                Some(Prebuilt::build(sources, sites, workspace, &runtime)?)
            }
            false => None,
        };
        Ok((runtime, prebuilt))
    }

    /// Replaces the error of a search whose working copies were removed by another process with an explanation.
    ///
    /// # Errors
    /// The explanation, or the error of the search.
    pub fn check(&self, found: Result<()>) -> Result<()> {
        if found.is_err() && !self.work.still_exists() {
            return Err(SubjectError::Usage(format!(
                "the working copy in {} is gone; `cargo clean` must wait until the search is over, or be kept away with --work-dir",
                self.work.base
            ))
            .into());
        }
        found
    }
}

impl<'a> Copies<'a> {
    /// All copies.
    pub fn all(&self) -> impl Iterator<Item = &Workspace<'a>> {
        [&self.plain, &self.instrumented]
            .into_iter()
            .chain(&self.bare)
    }

    /// Applies to the other copies what the baseline showed about the plain one.
    pub fn share_settings(&mut self) {
        let Self {
            plain,
            instrumented,
            bare,
        } = self;
        for copy in std::iter::once(&mut *instrumented).chain(bare) {
            copy.caps_lints = plain.caps_lints;
        }
        instrumented.capturing.clone_from(&plain.capturing);
        instrumented.whole.clone_from(&plain.whole);
        instrumented.rules.clone_from(&plain.rules);
    }
}

/// A sentence on the changes that a test made to the working copy.
pub fn damage(test: &str, changes: &BTreeSet<Change>) -> String {
    const MOST_TOLD: usize = 3;
    let paths = changes
        .iter()
        .map(|change| change.path.display().to_string());
    let told: Vec<String> = paths.take(MOST_TOLD).collect();
    let others = match changes.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        others => format!(" and {}", count(others, "other file")),
    };
    format!(
        "runs of {} changed or removed {}{others} in the working copy; that was undone each time",
        code(test),
        told.join(", ")
    )
}

/// Warns about files that could not be read and `--exclude-file` patterns that match nothing. Fails if `--file` matches
/// nothing.
fn check_sources(
    settings: &Settings,
    subject: &Subject,
    sources: &Sources,
    progress: &Progress,
) -> Result<()> {
    let wanted = settings.file_filter()?;
    let unread = sources.skipped.iter();
    let unread = unread.map(|skipped| format!("{}: {}", skipped.file, skipped.reason));
    let unread = unread.chain(sources.for_tests.iter().cloned());
    progress.prepare(|seen| seen.unread = unread.collect());
    let skipped = sources.skipped.iter();
    let skipped = skipped
        .map(|Skipped { file, reason, what }| format!("{file}: {reason}; {what} is not searched"));
    let skipped: Vec<String> = skipped.collect();
    if skipped.len() <= MOST_WARNINGS {
        skipped.into_iter().for_each(|line| progress.warn(line));
    } else {
        let files: BTreeSet<&Utf8Path> = sources.skipped.iter().map(|it| &*it.file).collect();
        progress.warn(format!(
            "{} parts of {} are not searched; `-v` lists them. The first is {}",
            skipped.len(),
            count(files.len(), "file"),
            skipped[0]
        ));
        skipped.into_iter().for_each(|line| progress.detail(&line));
    }
    if !settings.file.is_empty() && !sources.files.iter().any(|file| wanted(&file.path)) {
        return Err(SubjectError::Usage(format!(
            "no source file matches --file {}; paths are relative to {}",
            settings.file.join(" --file "),
            subject.root
        ))
        .into());
    }
    for pattern in settings.idle_excludes(sources.files.iter().map(|file| &*file.path))? {
        progress.warn(format!(
            "no source file matches --exclude-file {pattern}; paths are relative to {}",
            subject.root
        ));
    }
    Ok(())
}
