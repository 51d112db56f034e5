//! The pipeline: baseline, localization, contexts, synthesis, judgement, validation. Each step is
//! told in a file of `repair/`; this one only puts them in order.

mod baseline;
mod candidates;
mod explain;
mod instrument;
mod localization;
mod reports;
mod select;
pub mod settings;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use self::settings::{Depth, Settings};
use crate::localize::angelic::{AngelicSite, Bounds};
use crate::localize::spectrum::{Spectrum, Suspect};
use crate::probe::Part;
use crate::report::progress::Progress;
use crate::report::{Ending, Outcome};
use crate::run::id::{TargetId, TestId};
use crate::run::process::{Stopped, Supervisor};
use crate::run::suite::{Baseline, Suite, TestIndex};
use crate::run::{Binary, Runner};
use crate::source::{SiteIndex, SiteKind, Sources};
use crate::subject::cargo::Workspace;
use crate::subject::copy::WorkDir;
use crate::subject::{Subject, SubjectError, runtime};

/// Repairs the subject, or goes as far as the settings say. Whatever happens becomes part of the
/// outcome; what was found before the run was stopped is kept.
pub fn run(settings: &Settings, supervisor: &Supervisor, mut progress: Progress) -> Outcome {
    let mut outcome = Outcome::default();
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
    let ending = match (
        error.downcast_ref::<Stopped>(),
        error.downcast_ref::<SubjectError>(),
    ) {
        (Some(Stopped::Interrupted), _) => Ending::Interrupted,
        (Some(Stopped::TimeLimit), _) => Ending::TimeLimit,
        (_, Some(SubjectError::Usage(_))) => Ending::Usage,
        (_, Some(SubjectError::CannotBuild(_))) => Ending::CannotBuild,
        (_, Some(SubjectError::UnusableBaseline(_))) => Ending::UnusableBaseline,
        (None, None) => Ending::Internal,
    };
    (ending, format!("{error:#}"))
}

/// What every step of the pipeline works with.
struct Run<'a> {
    settings: &'a Settings,
    progress: &'a mut Progress,
    outcome: &'a mut Outcome,
    workspace: &'a Workspace<'a>,
    runner: &'a Runner<'a>,
    sources: &'a Sources,
    tests: &'a [TestId],
    baseline: &'a Baseline,
    /// Failing tests to be cured.
    targets: Vec<TestIndex>,
    runtime: Utf8PathBuf,
    /// Sites that no build may have.
    excluded: BTreeSet<SiteIndex>,
    /// Sites whose conditions are always evaluated.
    weakened: BTreeSet<Part>,
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
    let subject = Subject::load(&settings.cargo)?;
    let work = WorkDir::take(&subject, settings.work_dir.as_deref())?;
    let phase = progress.start("copying", 0, 0);
    let root = work.copy(&subject)?;
    progress.finish(phase, 0, &format!("{} → {root}", subject.root));
    let workspace = Workspace {
        subject: &subject,
        options: &settings.cargo,
        root,
        target: work.target(),
        logs: work.scratch(),
        supervisor,
    };
    let runner = Runner::new(
        supervisor,
        work.scratch(),
        &settings.cargo.test_args,
        settings.jobs(),
    );
    let sources = read_sources(settings, &subject, &workspace.root, outcome)?;

    // The runtime is compiled while the subject is: both take a while, and neither needs the other.
    let (baseline, runtime) = std::thread::scope(|scope| {
        let runtime = scope.spawn(|| runtime::build(&work.base, &workspace.root));
        let baseline = baseline::take(settings, progress, outcome, &workspace, &runner);
        (baseline, runtime.join())
    });
    let Some((tests, baseline)) = baseline? else {
        return Ok(());
    };
    if settings.depth == Depth::List {
        outcome.tests = tests.iter().map(ToString::to_string).collect();
        let excluded = settings.excluded(&sources);
        outcome.sites = (0..)
            .zip(&sources.sites)
            .filter(|(index, _)| !excluded.contains(index))
            .map(|(_, site)| reports::site(&sources, site))
            .collect();
        outcome.ending = Ending::Listed;
        return Ok(());
    }
    let Some(targets) = baseline::targets(settings, outcome, &tests, &baseline)? else {
        return Ok(());
    };

    let mut run = Run {
        settings,
        progress,
        outcome,
        workspace: &workspace,
        runner: &runner,
        sources: &sources,
        tests: &tests,
        baseline: &baseline,
        targets,
        runtime: runtime.map_err(|_| anyhow::anyhow!("compiling the runtime panicked"))??,
        excluded: settings.excluded(&sources),
        weakened: BTreeSet::new(),
    };
    let Located {
        spectrum,
        suspects,
        angelic,
    } = run.localize()?;
    run.outcome.sites = reports::suspects(&sources, &tests, &suspects, &angelic);
    if settings.depth == Depth::Localize {
        run.outcome.ending = match angelic.is_empty() {
            true => Ending::NoPatch,
            false => Ending::Localized,
        };
        return Ok(());
    }
    run.outcome.ending = Ending::NoPatch;
    run.repair_at(&spectrum, &angelic)?;
    run.targets = run.uncured();
    let has_room = settings.top > 1 || run.outcome.patches.is_empty();
    if run.targets.is_empty() || !has_room {
        return Ok(());
    }
    // Room for one more among the patches shown.
    let kept = (settings.top - 1).min(run.outcome.patches.len());
    let variants = run.outcome.patches.split_off(kept);
    let unconfirmed = run.unconfirmed(&spectrum, &angelic);
    let result = run.repair_at(&spectrum, &unconfirmed);
    if run.outcome.patches.len() == kept {
        run.outcome.patches.extend(variants);
    }
    result
}

/// Conditions that are tried without an angelic outcome.
const MOST_UNCONFIRMED: usize = 20;

impl Run<'_> {
    /// From sites to patches.
    fn repair_at(&mut self, spectrum: &Spectrum, sites: &[AngelicSite]) -> Result<()> {
        if sites.is_empty() {
            return Ok(());
        }
        let recorded = self.record(spectrum, sites)?;
        let candidates = self.synthesize(spectrum, sites, &recorded)?;
        self.select(spectrum, &recorded, candidates)
    }

    /// The failing tests that no patch cures so far.
    fn uncured(&self) -> Vec<TestIndex> {
        let cured = |test: &TestIndex| {
            let name = self.tests[*test].to_string();
            let mut patches = self.outcome.patches.iter();
            patches.any(|patch| patch.fixes.contains(&name))
        };
        self.targets
            .iter()
            .copied()
            .filter(|test| !cured(test))
            .collect()
    }

    /// The conditions most suspicious for the tests still to be cured, less those where a forced
    /// outcome cured all of them. A test that evaluates one many times may need several of them
    /// changed; an edit of the condition can still do that.
    fn unconfirmed(&self, spectrum: &Spectrum, angelic: &[AngelicSite]) -> Vec<AngelicSite> {
        let mut suspects = spectrum.rank(&self.targets, &self.baseline.passing());
        suspects.retain(|suspect| !self.excluded.contains(&suspect.site));
        let was_tried = |found: &AngelicSite| {
            self.targets
                .iter()
                .all(|test| found.cures.contains_key(test))
        };
        let is_new = |suspect: &&Suspect| {
            let kind = self.sources.sites[suspect.site as usize].kind;
            let mut known = angelic.iter().filter(|found| found.site == suspect.site);
            kind != SiteKind::Statement && !known.any(was_tried)
        };
        let new = suspects.iter().filter(is_new).take(MOST_UNCONFIRMED);
        new.map(|suspect| AngelicSite {
            site: suspect.site,
            suspiciousness: suspect.suspiciousness,
            cures: BTreeMap::new(),
        })
        .collect()
    }
}

/// What localization found.
struct Located {
    spectrum: Spectrum,
    suspects: Vec<Suspect>,
    angelic: Vec<AngelicSite>,
}

fn read_sources(
    settings: &Settings,
    subject: &Subject,
    root: &Utf8Path,
    outcome: &mut Outcome,
) -> Result<Sources> {
    let wanted = settings.file_filter()?;
    let sources = crate::source::rust::read(root, &subject.crate_roots(), &wanted);
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
    Ok(sources)
}
