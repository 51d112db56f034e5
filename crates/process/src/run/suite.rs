//! The subject's tests as a whole: names, binaries, and running many of them at once.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, anyhow};
use typed_index_collections::{TiSlice, TiVec};

use super::{Binary, Harness, Plan, Runner, TestRun, Verdict, pool};
use crate::run::id::{TargetId, TestId};

nopol_basics::index! {
    /// A test, in [`Suite::tests`].
    TestIndex
}

/// The tests of the subject in one of its builds.
#[derive(Clone, Copy, Debug)]
pub struct Suite<'a> {
    /// What runs the tests.
    pub runner: &'a Runner<'a>,
    /// The tests of all targets.
    pub tests: &'a TiSlice<TestIndex, TestId>,
    /// The built targets that have them.
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

    /// Runs several tests in parallel; the results are in the order of `tests`.
    ///
    /// # Errors
    /// As [`Suite::run`].
    pub fn run_all(
        &self,
        tests: &[TestIndex],
        plan: impl Fn(TestIndex) -> Plan + Sync,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<TestRun>> {
        pool::map(self.runner.jobs(), tests, |test| {
            let run = self.run(*test, &plan(*test));
            done();
            run
        })
    }

    /// The tests among `tests` that do not pass when the runtime has nothing to do. All tests of a binary
    /// first run in one process, which is much faster; if any fails, each test runs in a process of its own.
    ///
    /// # Errors
    /// As [`Suite::run`].
    pub fn not_passing(
        &self,
        tests: &[TestIndex],
        baseline: &Baseline,
        timeout: Duration,
    ) -> Result<Vec<TestIndex>> {
        let mut isolated: Vec<TestIndex> = Vec::new();
        let mut some_group_failed = false;
        let mut failed = Vec::new();
        for group in self.by_binary(tests) {
            // An upper bound: the times of separate processes, one after the other.
            let usual: f64 = group.iter().map(|test| baseline.seconds[*test]).sum();
            let limit = timeout + Duration::from_secs_f64(usual);
            match self.pass_together(&group, limit)? {
                Some(true) => {}
                Some(false) => {
                    some_group_failed = true;
                    isolated.extend(group);
                }
                None => isolated.extend(group),
            }
        }
        let plan = |_| Plan {
            timeout,
            ..Plan::default()
        };
        let runs = self.run_all(&isolated, plan, &|| ())?;
        let not_passed = isolated
            .iter()
            .zip(&runs)
            .filter(|(_, run)| !run.verdict.passed());
        failed.extend(not_passed.map(|(test, _)| *test));
        if failed.is_empty() && some_group_failed {
            self.runner.needs_isolation.store(true, Ordering::Relaxed);
        }
        Ok(failed)
    }

    /// Groups the tests by binary; each group fits on one command line.
    fn by_binary(&self, tests: &[TestIndex]) -> Vec<Vec<TestIndex>> {
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

    /// Whether these tests pass together in one process; `None` if they must run separately.
    fn pass_together(&self, tests: &[TestIndex], timeout: Duration) -> Result<Option<bool>> {
        let target = &self.tests[tests[0]].target;
        let Some(binary) = self.binaries.get(target) else {
            return Ok(None);
        };
        let can_share_process = matches!(binary.harness, Harness::Standard { .. })
            && tests.len() > 1
            && binary.rules.is_none();
        if !can_share_process || self.runner.needs_isolation.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let names: Vec<&str> = tests.iter().map(|test| &*self.tests[*test].name).collect();
        self.runner.pass_together(binary, &names, timeout).map(Some)
    }

    /// Indices of all tests.
    pub fn all(&self) -> Vec<TestIndex> {
        self.tests.keys().collect()
    }
}

/// How every test fares in the unchanged subject.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// By test index.
    pub verdicts: TiVec<TestIndex, Verdict>,
    /// Tests whose two runs differed. They are neither fixed nor relied on.
    pub flaky: Vec<TestIndex>,
    /// Tests that fail here but pass when run as the user runs them. They are neither fixed nor relied on.
    pub environment_dependent: Vec<TestIndex>,
    /// Those of them that the sandbox refused something: whether they pass without it is not known.
    pub denied: Vec<TestIndex>,
    /// Wall time of the slower run in seconds, by test index.
    pub seconds: TiVec<TestIndex, f64>,
    /// The end of the output of each failing test.
    pub output: BTreeMap<TestIndex, String>,
}

impl Baseline {
    /// Combines a first run of every test with a second run of some.
    pub fn from_runs(
        first: &TiSlice<TestIndex, TestRun>,
        second: &BTreeMap<TestIndex, TestRun>,
    ) -> Self {
        let mut baseline = Self::default();
        for (test, a) in first.iter_enumerated() {
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

    /// Stable tests that passed.
    pub fn passing(&self) -> Vec<TestIndex> {
        self.stable(true)
    }

    /// Stable tests that failed.
    pub fn failing(&self) -> Vec<TestIndex> {
        self.stable(false)
    }

    fn stable(&self, passed: bool) -> Vec<TestIndex> {
        self.verdicts
            .keys()
            .filter(|test| {
                self.verdicts[*test].passed() == passed
                    && !self.flaky.contains(test)
                    && !self.environment_dependent.contains(test)
            })
            .collect()
    }
}
