//! Instrumented builds, and whether they still behave like the subject.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Result;
use camino::Utf8Path;

use super::Run;
use crate::probe::compiler::{self, Settled};
use crate::probe::{Instrumentation, Stage};
use crate::run::id::TargetId;
use crate::run::suite::TestIndex;
use crate::run::{Harness, Plan, TestRun, Verdict};
use crate::source::{Site, SiteIndex, Sources};
use crate::subject::SubjectError;
use crate::subject::workspace::{Build, Linked, Workspace};

/// The first build of what the subject has, made while it is built as it is.
pub(super) struct Ahead {
    sites: BTreeSet<SiteIndex>,
    build: Build,
}

impl Ahead {
    pub fn build(sources: &Sources, workspace: &Workspace, runtime: &Utf8Path) -> Result<Self> {
        let none = BTreeSet::new();
        let mut sites = there(sources, &none);
        sites.extend(entries(sources, &none));
        let stage = Stage::Conditions(sites.clone());
        let instrumentation = Instrumentation::new(sources, stage, none, BTreeSet::new());
        compiler::write(workspace, &instrumentation.files())?;
        let build = workspace.build(Linked::Runtime(runtime))?;
        Ok(Self { sites, build })
    }

    /// The build, if these are its sites.
    fn of(self, stage: &Stage, capturing: &BTreeSet<TargetId>) -> Option<Build> {
        let is_same = matches!(stage, Stage::Conditions(sites) if *sites == self.sites);
        let mut build = self.build;
        for (target, binary) in &mut build.binaries {
            if let Harness::Standard { captures } = &mut binary.harness {
                *captures = capturing.contains(target);
            }
        }
        is_same.then_some(build)
    }
}

/// The sites that the subject has.
pub(super) fn there(sources: &Sources, excluded: &BTreeSet<SiteIndex>) -> BTreeSet<SiteIndex> {
    sites(sources, excluded, |site| !site.kind.is_new())
}

/// One place in each function where it can be seen that the function is entered, whether or not
/// that comes to any condition.
pub(super) fn entries(sources: &Sources, excluded: &BTreeSet<SiteIndex>) -> BTreeSet<SiteIndex> {
    let mut first: BTreeMap<usize, SiteIndex> = BTreeMap::new();
    for index in sites(sources, excluded, Site::asserts) {
        let site = &sources.sites[index as usize];
        first.entry(site.function).or_insert(index);
    }
    first.into_values().collect()
}

/// The sites of a kind that a build may have.
pub(super) fn sites(
    sources: &Sources,
    excluded: &BTreeSet<SiteIndex>,
    wanted: impl Fn(&Site) -> bool,
) -> BTreeSet<SiteIndex> {
    let sites = (0..).zip(&sources.sites);
    let wanted = sites.filter(|(index, site)| wanted(site) && !excluded.contains(index));
    wanted.map(|(index, _)| index).collect()
}

impl<'a> Run<'a> {
    /// Builds one stage of the instrumentation, less what the compiler rejects.
    pub(super) fn instrument(&mut self, stage: Stage) -> Result<(Build, Instrumentation<'a>)> {
        let ahead = self.ahead.take();
        let ahead = ahead.and_then(|ahead| ahead.of(&stage, &self.workspace.capturing));
        let mut instrumentation = Instrumentation::new(
            self.sources,
            stage,
            self.excluded.clone(),
            self.weakened.clone(),
        );
        let (settled, rounds) =
            compiler::settle(self.workspace, &mut instrumentation, &self.runtime, ahead)?;
        self.outcome.builds += u32::try_from(rounds)?;
        self.progress.detail(&format!(
            "{:>28} {rounds} round(s), {} parts left out",
            "compiler",
            instrumentation.dropped.len()
        ));
        let build = match settled {
            Settled::Built(build) => build,
            Settled::Stuck(error) => {
                return Err(SubjectError::UnusableBaseline(format!(
                    "the instrumented subject does not compile, and this error cannot be traced to a site; try --file to look for sites in fewer files:\n\n{error}"
                ))
                .into());
            }
        };
        Ok((build, instrumentation))
    }

    /// Runs the whole suite with the instrumentation switched off and compares with the baseline.
    /// Tests that hang in the baseline hang here, too, and are not waited for again.
    pub(super) fn changed_outcomes(&self, build: &Build) -> Result<Vec<TestIndex>> {
        let suite = self.suite(&build.binaries);
        let passing = self.baseline.passing();
        let slowest = passing.iter().map(|test| self.patience(*test)).max();
        let mut changed =
            suite.not_passing(&passing, self.baseline, slowest.unwrap_or_default())?;

        let mut failing = self.baseline.failing();
        failing.retain(|test| self.baseline.verdicts[*test] != Verdict::TimedOut);
        let plan = |test| Plan {
            timeout: self.patience(test),
            ..Plan::default()
        };
        let runs = suite.run_all(&failing, plan, &|| ())?;
        changed.extend(self.differing(&failing, &runs));
        Ok(changed)
    }

    /// How long a test may take with instrumentation.
    pub(super) fn patience(&self, test: TestIndex) -> Duration {
        let usual = self.baseline.seconds[test];
        let limit = self.settings.test_timeout;
        match self.baseline.verdicts[test] {
            Verdict::Passed => limit.max(Duration::from_secs_f64(10.0 * usual)),
            _ => limit,
        }
    }

    /// The steady tests whose verdict is another than in the baseline.
    pub(super) fn differing(&self, tests: &[TestIndex], runs: &[TestRun]) -> Vec<TestIndex> {
        let steady: BTreeSet<TestIndex> = self
            .baseline
            .passing()
            .into_iter()
            .chain(self.baseline.failing())
            .collect();
        tests
            .iter()
            .zip(runs)
            .filter(|(test, run)| {
                steady.contains(test)
                    && run.verdict.passed() != self.baseline.verdicts[**test].passed()
            })
            .map(|(test, _)| *test)
            .collect()
    }
}
