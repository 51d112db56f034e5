//! Instrumented builds, and checks that they still behave like the subject.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8Path;
use nopol_basics::count;
use nopol_process::run::id::TargetId;
use nopol_process::run::suite::TestIndex;
use nopol_process::run::{Harness, Plan, Verdict};
use nopol_source::{FileIndex, FunctionIndex, Site, SiteIndex, Sources};

use super::knowledge::Knowledge;
use super::session::Session;
use crate::probe::compiler::{self, Settled};
use crate::probe::{Earlier, Instrumentation, Stage};
use crate::subject::SubjectError;
use crate::subject::workspace::{Build, Linked, Targets, Workspace};

/// The first instrumented build, made in parallel with the plain one.
pub struct Prebuilt {
    sites: BTreeSet<SiteIndex>,
    build: Build,
}

impl Prebuilt {
    /// Builds the subject with these sites instrumented.
    ///
    /// # Errors
    /// If a file cannot be written, or the run is stopped.
    pub fn build(
        sources: &Sources,
        sites: BTreeSet<SiteIndex>,
        workspace: &Workspace,
        runtime: &Utf8Path,
    ) -> Result<Self> {
        let stage = Stage::Conditions(sites.clone());
        let instrumentation = Instrumentation::new(sources, stage, Earlier::default());
        compiler::write(workspace, &instrumentation.files())?;
        let build = workspace.build(Linked::Runtime(runtime))?;
        Ok(Self { sites, build })
    }

    /// The build, if it has the sites of `stage`. Applies what the plain build has taught about its harnesses since.
    fn of(self, stage: &Stage, workspace: &Workspace) -> Option<Build> {
        let is_same = matches!(stage, Stage::Conditions(sites) if *sites == self.sites);
        let mut build = self.build;
        for (target, binary) in &mut build.binaries {
            if let Some(rules) = workspace.rules.get(target) {
                binary.follow(rules);
            }
            if workspace.whole.contains(target) {
                binary.be_one_test();
            } else if let Harness::Standard { captures } = &mut binary.harness {
                *captures = workspace.capturing.contains(target);
            }
        }
        is_same.then_some(build)
    }
}

/// The sites of the first instrumented build.
pub fn probes(sources: &Sources) -> BTreeSet<SiteIndex> {
    let none = BTreeSet::new();
    first_sites(sources).unwrap_or_else(|| {
        let mut sites = existing_sites(sources, &none);
        sites.extend(function_entries(sources, &none));
        sites.extend(computing_sites(sources, &none));
        sites
    })
}

/// The sites of conditions and statements that exist in the subject.
pub fn existing_sites(sources: &Sources, excluded: &BTreeSet<SiteIndex>) -> BTreeSet<SiteIndex> {
    let exists = |site: &Site| !site.kind.is_new() && !site.kind.computes();
    sites_where(sources, excluded, exists)
}

/// The sites of expressions that are not conditions.
pub fn computing_sites(sources: &Sources, excluded: &BTreeSet<SiteIndex>) -> BTreeSet<SiteIndex> {
    sites_where(sources, excluded, |site| site.kind.computes())
}

/// With more sites than this, conditions and insertion points together, it pays off to find out first which functions
/// are reached.
const FEW_SITES: usize = 400;

/// The sites of the first instrumented build of a large subject: one per function, to learn which functions are
/// reached. `None` if the subject is small, or its language has no such sites.
pub fn first_sites(sources: &Sources) -> Option<BTreeSet<SiteIndex>> {
    let entries = function_entries(sources, &BTreeSet::new());
    (sources.sites.len() > FEW_SITES && !entries.is_empty()).then_some(entries)
}

/// One site per function that shows whether the function is entered, even if none of its conditions is reached.
pub fn function_entries(sources: &Sources, excluded: &BTreeSet<SiteIndex>) -> BTreeSet<SiteIndex> {
    let mut first: BTreeMap<FunctionIndex, SiteIndex> = BTreeMap::new();
    for index in sites_where(sources, excluded, Site::asserts) {
        let site = &sources.sites[index];
        first.entry(site.function).or_insert(index);
    }
    first.into_values().collect()
}

/// The sites that satisfy a predicate and are not excluded.
pub fn sites_where(
    sources: &Sources,
    excluded: &BTreeSet<SiteIndex>,
    wanted: impl Fn(&Site) -> bool,
) -> BTreeSet<SiteIndex> {
    let sites = sources.sites.iter_enumerated();
    let wanted = sites.filter(|(index, site)| wanted(site) && !excluded.contains(index));
    wanted.map(|(index, _)| index).collect()
}

/// Builds one stage of the instrumentation, without the parts that the compiler rejects.
///
/// # Errors
/// If a compiler error cannot be traced to a site, or the run is stopped.
pub fn build<'a>(
    session: &Session<'a>,
    knowledge: &mut Knowledge,
    stage: Stage,
) -> Result<(Arc<Build>, Instrumentation<'a>)> {
    let workspace = &session.copies.instrumented;
    let prebuilt = knowledge.prebuilt.take();
    let prebuilt = prebuilt.and_then(|prebuilt| prebuilt.of(&stage, workspace));
    let earlier = earlier(session, knowledge, &stage);
    let needed = needed(session, knowledge, &stage);
    let targets = needed.as_ref().map_or(Targets::All, Targets::Only);
    let mut instrumentation = Instrumentation::new(session.sources, stage, earlier);
    let start = std::time::Instant::now();
    session.runner.end_servers();
    let (settled, rounds) = compiler::settle(
        workspace,
        &mut instrumentation,
        &session.runtime,
        targets,
        prebuilt,
    )?;
    knowledge.notes.builds += u32::try_from(rounds)?;
    session.progress.detail(&format!(
        "{:>28} {}, {} of the added code left out ({:.1} s)",
        "instrumented build",
        count(rounds, "attempt"),
        count(instrumentation.dropped.len(), "part"),
        start.elapsed().as_secs_f64()
    ));
    let files = instrumentation.files_given_up();
    if !files.is_empty() {
        let paths = files
            .iter()
            .map(|file| session.sources.files[*file].path.as_str());
        knowledge.notes.warn(format!(
            "some of the code added to the working copy of {} does not compile, and the errors do not show which part; {} there are left out (your own code is fine)",
            paths.collect::<Vec<_>>().join(", "),
            count(instrumentation.given_up.len(), "place")
        ));
    }
    let build = match settled {
        Settled::Built(build) => build,
        Settled::Stuck(error) => {
            return Err(SubjectError::UnusableBaseline(format!(
                "the instrumented program does not compile, and this error cannot be traced to a place; try --file to look for places in fewer files:\n\n{error}"
            ))
            .into());
        }
    };
    let build = Arc::new(build);
    knowledge.build = Some(Arc::clone(&build));
    knowledge.taught = instrumentation.taught();
    Ok((build, instrumentation))
}

/// What builds have taught so far, for the next one.
fn earlier(session: &Session, knowledge: &Knowledge, stage: &Stage) -> Earlier {
    let mut earlier = Earlier {
        excluded: knowledge.excluded.clone(),
        ..knowledge.taught.clone()
    };
    if !session.policies().compiles_incrementally {
        // A file without sites of the stage stays as it is, and is not compiled again.
        let file = |site: &SiteIndex| session.site(*site).file;
        let changed: BTreeSet<FileIndex> = stage.sites().iter().map(file).collect();
        earlier.kept.retain(|site| !changed.contains(&file(site)));
    }
    earlier
}

/// Writes a stage that compiles as far as is known into the instrumented copy, and does not build it. Returns its sites.
///
/// # Errors
/// If a file cannot be written.
pub fn write(
    session: &Session,
    knowledge: &Knowledge,
    stage: Stage,
) -> Result<BTreeSet<SiteIndex>> {
    let earlier = earlier(session, knowledge, &stage);
    let instrumentation = Instrumentation::new(session.sources, stage, earlier);
    compiler::write(&session.copies.instrumented, &instrumentation.files())?;
    Ok(instrumentation.taught().kept)
}

/// The targets that a stage needs: those of failing tests, and of tests that reach one of its sites or were not traced. `None`
/// while sites are traced, because any test may reach them.
fn needed(session: &Session, knowledge: &Knowledge, stage: &Stage) -> Option<BTreeSet<TargetId>> {
    if matches!(stage, Stage::Conditions(_)) {
        return None;
    }
    let sites = stage.sites();
    let spectrum = &knowledge.spectrum;
    let is_needed = |test: &TestIndex| {
        !spectrum.reached.contains_key(test)
            || sites.iter().any(|site| spectrum.reaches(*test, *site))
    };
    let mut tests = session.baseline.passing();
    tests.retain(is_needed);
    tests.extend(session.baseline.failing());
    let targets = tests.iter().map(|test| session.tests[*test].target.clone());
    Some(targets.collect())
}

/// Runs the whole suite, as far as it is built, with the instrumentation switched off and compares the outcomes with the
/// baseline. Skips tests that hang in the baseline, because they would hang here, too.
///
/// # Errors
/// If the run is stopped.
pub fn changed_outcomes(session: &Session, build: &Build) -> Result<Vec<TestIndex>> {
    let suite = session.suite(&build.binaries);
    let mut passing = session.baseline.passing();
    passing.retain(|test| build.binaries.contains_key(&session.tests[*test].target));
    let slowest = passing.iter().map(|test| session.timeout_of(*test)).max();
    let mut changed = suite.not_passing(&passing, session.baseline, slowest.unwrap_or_default())?;

    let mut failing = session.baseline.failing();
    failing.retain(|test| session.baseline.verdicts[*test] != Verdict::TimedOut);
    let plan = |test| Plan {
        timeout: session.timeout_of(test),
        ..Plan::default()
    };
    let runs = suite.run_all(&failing, plan, &|| ())?;
    changed.extend(session.with_other_verdict(&failing, &runs));
    Ok(changed)
}
