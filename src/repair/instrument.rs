//! Instrumented builds, and whether they still behave like the subject.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;

use super::Run;
use crate::probe::compiler::{self, Settled};
use crate::probe::{Instrumentation, Stage};
use crate::run::suite::TestIndex;
use crate::run::{Plan, TestRun, Verdict};
use crate::subject::SubjectError;
use crate::subject::cargo::Build;

impl<'a> Run<'a> {
    /// Builds one stage of the instrumentation, less what the compiler rejects.
    pub(super) fn instrument(&mut self, stage: Stage) -> Result<(Build, Instrumentation<'a>)> {
        let mut instrumentation = Instrumentation::new(
            self.sources,
            stage,
            self.excluded.clone(),
            self.weakened.clone(),
        );
        let (settled, rounds) =
            compiler::settle(self.workspace, &mut instrumentation, &self.runtime)?;
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
        let plan = |test| Plan {
            timeout: self.patience(test),
            ..Plan::default()
        };
        let suite = self.suite(&build.binaries);
        let mut tests = suite.all();
        tests.retain(|test| self.baseline.verdicts[*test] != Verdict::TimedOut);
        let runs = suite.run_all(&tests, plan, &|| ())?;
        Ok(self.differing(&tests, &runs))
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
