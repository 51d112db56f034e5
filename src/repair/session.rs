//! What does not change during a search: the subject's working copies, sources, tests and baseline, and the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use nopol_process::run::id::{TargetId, TestId};
use nopol_process::run::process::Supervisor;
use nopol_process::run::suite::{Baseline, Suite, TestIndex};
use nopol_process::run::{Binary, Runner, TestRun, Verdict};
use nopol_source::policies::Policies;
use nopol_source::{Site, SiteIndex, Sources};
use typed_index_collections::TiSlice;

use super::foreseeing::Foreseeing;
use super::hints::Hints;
use super::knowledge::Knowledge;
use super::settings::Settings;
use super::setup::Copies;
use crate::check::replay::Replays;
use crate::localize::bounds::Bounds;
use crate::localize::spectrum::Suspect;
use crate::report::progress::Progress;

/// Most seconds that a short test takes.
const SHORT: f64 = 0.1;

/// What every step after the baseline reads.
pub struct Session<'a> {
    pub settings: &'a Settings,
    pub progress: &'a Progress,
    pub supervisor: &'a Supervisor,
    /// Seconds that the plain build took.
    pub build_seconds: f64,
    pub copies: &'a Copies<'a>,
    pub runner: &'a Runner<'a>,
    pub sources: &'a Sources,
    pub tests: &'a TiSlice<TestIndex, TestId>,
    pub baseline: &'a Baseline,
    /// Compiler warnings of the subject without a patch.
    pub warnings: BTreeSet<String>,
    /// The counterexamples of tests with generated input.
    pub replays: Replays,
    /// Where the runtime for instrumented builds is.
    pub runtime: Utf8PathBuf,
    /// The answers of formulas about conditions.
    pub foreseeing: Foreseeing,
    /// Sites that must not be patched. They are still traced, because their coverage tells which tests
    /// enter the function.
    pub unwanted: BTreeSet<SiteIndex>,
    /// Where the user thinks the fault is.
    pub hints: Hints,
}

impl Session<'_> {
    /// A site by its index.
    pub fn site(&self, site: SiteIndex) -> &Site {
        &self.sources.sites[site]
    }

    /// The sites of every kind that these failing tests reach and that may be patched, most suspicious first. Empty
    /// before an engine has traced the tests.
    pub fn suspects(&self, knowledge: &Knowledge, targets: &[TestIndex]) -> Vec<Suspect> {
        let passing = self.baseline.passing();
        let mut suspects = knowledge.spectrum.rank(targets, &passing);
        suspects.retain(|suspect| self.may_patch(knowledge, suspect.site));
        suspects
    }

    /// Whether a site may be patched: the user allows it, its instrumentation compiles, and the instrumentation changes
    /// no outcome of a test.
    pub fn may_patch(&self, knowledge: &Knowledge, site: SiteIndex) -> bool {
        !knowledge.excluded.contains(&site) && !self.unwanted.contains(&site)
    }

    /// The suite of tests in one of the subject's builds.
    pub fn suite<'s>(&'s self, binaries: &'s BTreeMap<TargetId, Binary>) -> Suite<'s> {
        Suite {
            runner: self.runner,
            tests: self.tests,
            binaries,
        }
    }

    /// Bounds on forced runs.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            timeout: self.forced_timeout(),
            at_once: self.forced_at_once(),
            fuel: self.settings.fuel.get(),
            flips: self.settings.flips.saturating_mul(self.settings.effort()),
            effort: self.settings.effort(),
            until: None,
        }
    }

    /// The same for one search, which may take half of the time that is left.
    pub fn bounds_of_search(&self) -> Bounds {
        let half = self.supervisor.left().map(|left| left / 2);
        Bounds {
            until: half.map(|half| Instant::now() + half),
            ..self.bounds()
        }
    }

    /// How the search treats the subject's language.
    pub fn policies(&self) -> &'static Policies {
        self.sources.language.policies()
    }

    /// The wall-clock limit of a forced run, in addition to its fuel. It is far above what any test of the baseline
    /// took, because a busy machine must not change the result. A slow failing test is hardly faster once it is cured.
    fn forced_timeout(&self) -> Duration {
        let baseline = self.baseline;
        let slowest = |tests: Vec<TestIndex>| {
            let ended = tests
                .into_iter()
                .filter(|test| baseline.verdicts[*test] != Verdict::TimedOut);
            ended.map(|test| baseline.seconds[test]).fold(0.0, f64::max)
        };
        let usual = f64::max(
            10.0 * slowest(baseline.passing()),
            4.0 * slowest(baseline.failing()),
        );
        let limit = self.policies().min_timeout + Duration::from_secs_f64(usual);
        limit.min(self.settings.test_timeout)
    }

    /// Forced runs in parallel, unless the user sets a number. If every test is short, a run that takes long is waiting
    /// for something, so more runs than processors are useful.
    fn forced_at_once(&self) -> usize {
        let baseline = self.baseline;
        let mut tests = baseline.seconds.iter_enumerated();
        let are_short = tests.all(|(test, seconds)| {
            *seconds < SHORT || baseline.verdicts[test] == Verdict::TimedOut
        });
        match are_short && self.settings.jobs.is_none() {
            true => self.runner.short_runs(),
            false => self.runner.jobs(),
        }
    }

    /// An upper estimate of the time to build a patch and run all tests.
    pub fn time_to_check(&self) -> Duration {
        let tests: f64 = self.baseline.seconds.iter().sum();
        Duration::from_secs_f64(1.0 + 2.0 * (self.build_seconds + tests))
    }

    /// The time limit of a test with instrumentation.
    pub fn timeout_of(&self, test: TestIndex) -> Duration {
        let usual = self.baseline.seconds[test];
        let limit = self.settings.test_timeout;
        match self.baseline.verdicts[test] {
            Verdict::Passed => limit.max(Duration::from_secs_f64(10.0 * usual)),
            _ => limit,
        }
    }

    /// The steady tests among these whose verdict differs from the baseline.
    pub fn with_other_verdict(&self, tests: &[TestIndex], runs: &[TestRun]) -> Vec<TestIndex> {
        let mut steady: BTreeSet<TestIndex> = self.baseline.passing().into_iter().collect();
        steady.extend(self.baseline.failing());
        let differs = |(test, run): &(&TestIndex, &TestRun)| {
            let before = self.baseline.verdicts[**test];
            steady.contains(test) && run.verdict.passed() != before.passed()
        };
        let with_other_verdict = tests.iter().zip(runs).filter(differs);
        with_other_verdict.map(|(test, _)| *test).collect()
    }
}
