//! The pipeline: baseline, localization, contexts, synthesis, judgement, validation. Each step is
//! told in a file of `repair/`; this one only puts them in order.

mod baseline;
mod candidates;
mod circumstances;
mod explain;
mod instrument;
mod judging;
mod localization;
mod pairs;
mod ranking;
mod recording;
mod reports;
mod rounds;
pub mod settings;
mod showing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use self::instrument::Ahead;
use self::ranking::Fix;
use self::rounds::wanted_panic;
use self::settings::{Depth, Settings};
use crate::copy::tree::{Change, OriginChanged};
use crate::localize::angelic::Bounds;
use crate::localize::spectrum::Spectrum;
use crate::probe::Part;
use crate::report::progress::Progress;
use crate::report::{Ending, Outcome, count};
use crate::run::confine::Confinement;
use crate::run::id::{TargetId, TestId};
use crate::run::process::{Stopped, Supervisor};
use crate::run::sandbox;
use crate::run::suite::{Baseline, Suite, TestIndex};
use crate::run::{Binary, Runner};
use crate::source::{self, PatchKind, SiteIndex, Sources};
use crate::subject::work_dir::{Lane, WorkDir};
use crate::subject::workspace::Workspace;
use crate::subject::{Kind, Subject, SubjectError};

/// Repairs the subject, or goes as far as the settings say. Whatever happens becomes part of the
/// outcome; what was found before the run was stopped is kept.
pub fn run(settings: &Settings, supervisor: &Supervisor, mut progress: Progress) -> Outcome {
    let mut outcome = Outcome {
        command: settings.project.command(),
        ..Outcome::default()
    };
    if let Err(error) = pipeline(settings, supervisor, &mut progress, &mut outcome) {
        let (ending, message) = classify(&error);
        outcome.ending = ending;
        outcome.message = Some(message);
    }
    for warning in &outcome.warnings {
        progress.say(&format!("warning: {warning}"));
    }
    outcome.phases = progress.phases().to_vec();
    outcome
}

fn classify(error: &anyhow::Error) -> (Ending, String) {
    let said = format!("{error:#}");
    let ending = match (
        error.downcast_ref::<Stopped>(),
        error.downcast_ref::<SubjectError>(),
    ) {
        (Some(Stopped::Interrupted), _) => Ending::Interrupted,
        (Some(Stopped::TimeLimit), _) => Ending::TimeLimit,
        (_, Some(SubjectError::Usage(_))) => Ending::Usage,
        (_, Some(SubjectError::CannotBuild(..))) => Ending::CannotBuild,
        (_, Some(SubjectError::UnusableBaseline(_))) => Ending::UnusableBaseline,
        (None, None) if error.is::<OriginChanged>() || is_of_the_system(error) => Ending::Usage,
        (None, None) => Ending::Internal,
    };
    (ending, said)
}

/// Whether the user can mend it: a full disk, a file that may not be read or written.
fn is_of_the_system(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind;
    let kinds = error
        .chain()
        .filter_map(|cause| Some(cause.downcast_ref::<std::io::Error>()?.kind()));
    let theirs = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
    ];
    kinds.into_iter().any(|kind| theirs.contains(&kind))
}

/// What every step of the pipeline works with.
struct Run<'a> {
    settings: &'a Settings,
    progress: &'a mut Progress,
    outcome: &'a mut Outcome,
    /// Where instrumented builds are made.
    workspace: &'a Workspace<'a>,
    /// Where the subject is built as it is.
    plain: &'a Workspace<'a>,
    /// Where it is built without sanitizers, if it has some.
    bare: Option<&'a Workspace<'a>>,
    runner: &'a Runner<'a>,
    sources: &'a Sources,
    tests: &'a [TestId],
    baseline: &'a Baseline,
    /// Failing tests to be cured.
    targets: Vec<TestIndex>,
    runtime: Utf8PathBuf,
    /// The first instrumented build, if it is made already.
    ahead: Option<Ahead>,
    /// Sites that no build may have.
    excluded: BTreeSet<SiteIndex>,
    /// Sites that are not to be patched; what reaches them still says who reaches a function.
    unwanted: BTreeSet<SiteIndex>,
    /// Sites whose conditions are always evaluated.
    weakened: BTreeSet<Part>,
    /// Texts, by function, that the compiler did not take before.
    refused: BTreeSet<(usize, String)>,
    /// Who reaches what, as far as it was traced.
    spectrum: Spectrum,
    /// Fixes that hold in the build that has all candidates, and were not checked yet.
    held: Vec<Fix>,
}

impl Run<'_> {
    fn suite<'s>(&'s self, binaries: &'s BTreeMap<TargetId, Binary>) -> Suite<'s> {
        Suite {
            runner: self.runner,
            tests: self.tests,
            binaries,
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            timeout: self.settings.forced_timeout(self.baseline),
            fuel: self.settings.fuel,
            flips: self.settings.flips,
        }
    }
}

fn pipeline(
    settings: &Settings,
    supervisor: &Supervisor,
    progress: &mut Progress,
    outcome: &mut Outcome,
) -> Result<()> {
    let subject = Subject::load(&settings.project)?;
    let work = WorkDir::take(&subject, settings.work_dir.as_deref())?;
    supervisor.bequeath(work.fleeting()?, work.lock())?;
    let confinement = Confinement::new(settings.sandbox, work.scratch()?, &work.ceilings());
    outcome
        .warnings
        .extend(sandbox::shortfall(settings.sandbox).map(str::to_owned));
    let stop = supervisor.interrupted();
    let mut left_out = Vec::new();
    let mut lane = |lane: Lane| {
        let copied = work.copy(&subject, lane, &stop);
        supervisor.check()?;
        let copied = copied?;
        left_out = copied.left_out;
        anyhow::Ok(Workspace {
            subject: &subject,
            tree: Arc::new(copied.tree),
            root: copied.root,
            target: work.target(lane),
            logs: work.logs(lane),
            supervisor,
            confinement: &confinement,
            caps_lints: false,
            capturing: BTreeSet::new(),
            is_bare: lane == Lane::Bare,
        })
    };
    let phase = progress.start("copying", 0, 0);
    let mut plain = lane(Lane::Plain)?;
    let mut workspace = lane(Lane::Instrumented)?;
    let mut bare = match subject.is_sanitized() {
        true => Some(lane(Lane::Bare)?),
        false => None,
    };
    progress.finish(phase, 0, &format!("{} → {}", subject.root, plain.root));
    outcome.warnings.extend(left_out);
    let runner = Runner::new(
        supervisor,
        &confinement,
        settings.project.test_args(),
        settings.jobs(),
    );
    let mut sources = read_sources(settings, &subject, &plain.root, outcome)?;
    // A source that is a link becomes a file before it is first built: cargo does not notice that later.
    for lane in [&plain, &workspace].into_iter().chain(&bare) {
        for file in &sources.files {
            lane.tree.write(&lane.root.join(&file.path), &file.text)?;
        }
    }

    let (built, prepared) = std::thread::scope(|scope| {
        let prepared = scope.spawn(|| prepare(settings, &work, &workspace, &sources));
        let built = baseline::build(progress, outcome, &mut plain, &runner);
        (built, prepared.join())
    });
    let built = built?;
    let (runtime, ahead) = prepared.map_err(|_| anyhow::anyhow!("the first build panicked"))??;
    workspace.share(&plain)?;
    let baseline = baseline::take(settings, progress, outcome, &mut plain, built, &runner)?;
    let Some((tests, baseline)) = baseline else {
        return Ok(());
    };
    workspace.caps_lints = plain.caps_lints;
    if let Some(bare) = &mut bare {
        bare.caps_lints = plain.caps_lints;
    }
    workspace.capturing.clone_from(&plain.capturing);
    if settings.depth == Depth::List {
        outcome.tests = tests.iter().map(ToString::to_string).collect();
        let excluded = settings.excluded(&sources);
        outcome.sites = (0..)
            .zip(&sources.sites)
            .filter(|(index, _)| !excluded.contains(index))
            // Something new could stand nearly everywhere.
            .filter(|(_, site)| {
                !site.kind.is_new()
                    || settings.kind.contains(&site.kind.patch_kind())
                        && site.kind.patch_kind() == PatchKind::Guard
            })
            .map(|(_, site)| reports::site(&sources, site))
            .collect();
        outcome.ending = Ending::Listed;
        return Ok(());
    }
    let Some(targets) = baseline::targets(settings, outcome, &tests, &baseline)? else {
        return baseline::look_at_doctests(settings, progress, outcome, &plain, &sources);
    };

    if let Some(message) = wanted_panic(&plain.root, &tests, &targets, &baseline) {
        sources.panic_with(&message);
    }

    let mut run = Run {
        settings,
        progress,
        outcome,
        workspace: &workspace,
        plain: &plain,
        bare: bare.as_ref(),
        runner: &runner,
        sources: &sources,
        tests: &tests,
        baseline: &baseline,
        targets,
        runtime,
        ahead,
        excluded: BTreeSet::new(),
        unwanted: settings.excluded(&sources),
        weakened: BTreeSet::new(),
        refused: BTreeSet::new(),
        spectrum: Spectrum::default(),
        held: Vec::new(),
    };
    run.outcome.ending = Ending::NoPatch;
    let found = search(&mut run);
    if found.as_ref().is_err_and(anyhow::Error::is::<Stopped>) {
        run.show_unchecked();
    }
    for (test, changes) in runner.damage() {
        outcome.warnings.push(damage(&test, &changes));
    }
    match found {
        Err(_) if !work.is_there() => Err(SubjectError::Usage(format!(
            "the working copy in {} is gone; `cargo clean` must wait until the search is over, or be kept away by --work-dir",
            work.base
        ))
        .into()),
        found => found,
    }
}

/// Looks for fixes and shows those that hold.
fn search(run: &mut Run) -> Result<()> {
    let plausible = run.rounds()?;
    if run.settings.depth == Depth::Localize {
        let sites = &run.outcome.sites;
        if sites.iter().any(|site| !site.angelic.is_empty()) {
            run.outcome.ending = Ending::Localized;
        }
        return Ok(());
    }
    run.show(plausible)
}

/// What a test did to the working copy, as a sentence.
fn damage(test: &str, changes: &BTreeSet<Change>) -> String {
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
        "runs of {test} changed or removed {}{others} in the working copy; that was undone each time",
        told.join(", ")
    )
}

/// What can be done while the subject is built as it is: the runtime, and, if that does not compile
/// anybody's dependencies a second time, the first instrumented build.
fn prepare(
    settings: &Settings,
    work: &WorkDir,
    workspace: &Workspace,
    sources: &Sources,
) -> Result<(Utf8PathBuf, Option<Ahead>)> {
    let runtime = workspace.runtime(&work.base)?;
    let is_apt = settings.depth != Depth::List && settings.jobs() > 1;
    let ahead = match is_apt && workspace.subject.stands_alone() {
        true => Some(Ahead::build(sources, workspace, &runtime)?),
        false => None,
    };
    Ok((runtime, ahead))
}

fn read_sources(
    settings: &Settings,
    subject: &Subject,
    root: &Utf8Path,
    outcome: &mut Outcome,
) -> Result<Sources> {
    let wanted = settings.file_filter()?;
    let sources = match &subject.kind {
        Kind::Cargo(packages) => {
            source::rust::read(root, &packages.crate_roots(&subject.root), &wanted)
        }
        Kind::C(program) => source::c::read(root, &program.sources, &wanted),
    };
    for (path, reason) in &sources.skipped {
        outcome
            .warnings
            .push(format!("{path}: {reason}; it has no sites"));
    }
    if !settings.file.is_empty() && !sources.files.iter().any(|file| wanted(&file.path)) {
        return Err(SubjectError::Usage(format!(
            "none of the {} source files matches --file {}; paths are relative to {}",
            sources.files.len(),
            settings.file.join(" --file "),
            subject.root
        ))
        .into());
    }
    for pattern in settings.idle_excludes(sources.files.iter().map(|file| &*file.path))? {
        outcome.warnings.push(format!(
            "--exclude {pattern} matches none of the {} source files; paths are relative to {}",
            sources.files.len(),
            subject.root
        ));
    }
    Ok(sources)
}
