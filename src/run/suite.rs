//! The subject's tests as a whole: which there are, in which binary, and how they fare together.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::{Binary, Harness, Plan, Runner, TestRun, Verdict, pool};
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

    /// Those of some tests that do not pass with nothing asked of the runtime. All of a binary run
    /// in one process first, which is much faster; if that does not end well, each runs by itself.
    ///
    /// # Errors
    /// As [`Suite::run`].
    pub fn not_passing(
        &self,
        tests: &[TestIndex],
        baseline: &Baseline,
        timeout: Duration,
    ) -> Result<Vec<TestIndex>> {
        let mut apart: Vec<TestIndex> = Vec::new();
        let mut was_refused = false;
        let mut failed = Vec::new();
        for group in self.together(tests) {
            // They took no longer one after the other.
            let usual: f64 = group.iter().map(|test| baseline.seconds[*test]).sum();
            let limit = timeout + Duration::from_secs_f64(usual);
            match self.pass_together(&group, limit)? {
                Some(true) => {}
                Some(false) => {
                    was_refused = true;
                    apart.extend(group);
                }
                None => apart.extend(group),
            }
        }
        let plan = |_| Plan {
            timeout,
            ..Plan::default()
        };
        let runs = self.run_all(&apart, plan, &|| ())?;
        let not_passed = apart
            .iter()
            .zip(&runs)
            .filter(|(_, run)| !run.verdict.passed());
        failed.extend(not_passed.map(|(test, _)| *test));
        if failed.is_empty() && was_refused {
            self.runner.apart.store(true, Ordering::Relaxed);
        }
        Ok(failed)
    }

    /// Tests of one binary each, as many as one command line takes.
    fn together(&self, tests: &[TestIndex]) -> Vec<Vec<TestIndex>> {
        const MOST: usize = 1000;
        let mut by_target: BTreeMap<&TargetId, Vec<TestIndex>> = BTreeMap::new();
        for test in tests {
            by_target
                .entry(&self.tests[*test].target)
                .or_default()
                .push(*test);
        }
        let groups = by_target.values().flat_map(|group| group.chunks(MOST));
        groups.map(<[TestIndex]>::to_vec).collect()
    }

    /// Whether some tests pass in one process; `None` if they are not run so.
    fn pass_together(&self, tests: &[TestIndex], timeout: Duration) -> Result<Option<bool>> {
        let target = &self.tests[tests[0]].target;
        let Some(binary) = self.binaries.get(target) else {
            return Ok(None);
        };
        let is_one = matches!(binary.harness, Harness::Standard { .. }) && tests.len() > 1;
        if !is_one || self.runner.apart.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let names: Vec<&str> = tests.iter().map(|test| &*self.tests[*test].name).collect();
        self.runner.pass_together(binary, &names, timeout).map(Some)
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
    /// Failing tests that pass as the user runs them; they are neither repaired nor relied on.
    pub strangers: Vec<TestIndex>,
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
            .filter(|test| {
                self.verdicts[*test].passed() == passed
                    && !self.flaky.contains(test)
                    && !self.strangers.contains(test)
            })
            .collect()
    }
}
