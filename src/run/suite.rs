//! The subject's tests as a whole: which there are, in which binary, and how they fare together.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::{Binary, Plan, Runner, TestRun, Verdict, pool};
use crate::run::id::{TargetId, TestId};

/// Index of a test in [`Suite::tests`].
pub type TestIndex = usize;

/// The tests of the subject in one of its builds.
#[derive(Clone, Copy, Debug)]
pub struct Suite<'a> {
    pub runner: &'a Runner<'a>,
    pub tests: &'a [TestId],
    pub binaries: &'a BTreeMap<TargetId, Binary>,
}

impl Suite<'_> {
    /// Runs one test.
    ///
    /// # Errors
    /// If the run is stopped, or the build has no such binary.
    pub fn run(&self, test: TestIndex, plan: &Plan) -> Result<TestRun> {
        let id = &self.tests[test];
        let binary = self
            .binaries
            .get(&id.target)
            .ok_or_else(|| anyhow!("the build has no test binary for {id}"))?;
        self.runner.run(binary, &id.name, plan)
    }

    /// Runs some tests in parallel; results in the order of `tests`.
    ///
    /// # Errors
    /// As [`Suite::run`].
    pub fn run_all(
        &self,
        tests: &[TestIndex],
        plan: impl Fn(TestIndex) -> Plan + Sync,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<TestRun>> {
        pool::map(self.runner.jobs, tests, |test| {
            let run = self.run(*test, &plan(*test));
            done();
            run
        })
    }

    /// Indices of all tests.
    pub fn all(&self) -> Vec<TestIndex> {
        (0..self.tests.len()).collect()
    }
}

/// How every test fares in the subject as it is.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// By test index.
    pub verdicts: Vec<Verdict>,
    /// Tests whose two runs differed; they are neither repaired nor relied on.
    pub flaky: Vec<TestIndex>,
    /// Wall time of the slower run, in seconds, by test index.
    pub seconds: Vec<f64>,
    /// The end of what each failing test printed.
    pub output: BTreeMap<TestIndex, String>,
}

impl Baseline {
    /// From a run of every test, and another of those that are worth it.
    pub fn from_runs(first: &[TestRun], second: &BTreeMap<TestIndex, TestRun>) -> Self {
        let mut baseline = Self::default();
        for (test, a) in first.iter().enumerate() {
            let b = second.get(&test).unwrap_or(a);
            if a.verdict.passed() != b.verdict.passed() {
                baseline.flaky.push(test);
            } else if !a.verdict.passed() {
                baseline.output.insert(test, a.output.clone());
            }
            baseline.verdicts.push(a.verdict);
            baseline.seconds.push(a.seconds.max(b.seconds));
        }
        baseline
    }

    /// Tests that passed both times.
    pub fn passing(&self) -> Vec<TestIndex> {
        self.steady(true)
    }

    /// Tests that failed both times.
    pub fn failing(&self) -> Vec<TestIndex> {
        self.steady(false)
    }

    fn steady(&self, passed: bool) -> Vec<TestIndex> {
        (0..self.verdicts.len())
            .filter(|test| self.verdicts[*test].passed() == passed && !self.flaky.contains(test))
            .collect()
    }
}
