//! Final validation of a patch: built alone and without instrumentation, it must make every targeted test pass
//! and no test or doctest fail that passed before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::confine::Circumstances;
use nopol_process::run::id::TestId;
use nopol_process::run::memcheck;
use nopol_process::run::suite::{Baseline, Suite, TestIndex};
use nopol_process::run::{Plan, Runner, Verdict};
use nopol_source::Sources;
use typed_index_collections::TiSlice;

use super::doctests;
use super::replay::Replays;
use crate::patch::edit::{Edit, apply_all};
use crate::subject::workspace::{Doctests, Linked, Workspace};

/// The minimum time that doctests may run without output.
const MIN_SILENCE: Duration = Duration::from_secs(5);
/// How many times as long as all of them took they may be silent.
const MOST_SILENCE: u32 = 2;

/// A test with random input has to pass in so many more runs with a patch: as many as take this many seconds in
/// all, within bounds.
const MOST_SECONDS_AGAIN: f64 = 10.0;
/// The same for all tests together that passed without the patch, drew no random numbers, and only saw other addresses, times
/// or orders.
const MOST_SECONDS_OF_VARYING: f64 = 2.0;
const FEWEST_AGAIN: usize = 2;
const MOST_AGAIN: usize = 20;

/// The tests that a patch cures have to pass in so many more runs each, unless these take more than this many seconds in
/// all.
const MOST_SECONDS_ON: f64 = 1.0;
const MOST_ON: usize = 10;

/// What is known of a patch that holds.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The failing tests that it cures: the targets, and perhaps others.
    pub cured: Vec<TestIndex>,
    /// The doctests that fail with it, and failed before; their lines are those without it.
    pub failing_doctests: Vec<String>,
    /// What a compiler warns of with it and not without it.
    pub doubts: Vec<String>,
    /// All that the compiler warns of in the build with it; that does not count against it.
    pub warnings: BTreeSet<String>,
}

/// Why a patch does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It leaves the text as it is.
    ChangesNothing,
    /// The subject does not build with it.
    DoesNotBuild,
    /// A test fails with it that must pass; `None` stands for a doctest.
    FailsATest(Option<TestIndex>),
    /// All functions of a test program pass with it one by one, but not one after the other.
    FailsTogether,
}

/// The doctests that run with a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examples<'e> {
    /// All of them.
    All,
    /// Those with one of these parts in their names. The others do not reach what the patch changes, and all pass without it.
    Only(&'e [String]),
}

/// The working copies that patches are validated with.
#[derive(Debug)]
pub struct Copies<'a> {
    /// Each validates one patch at a time.
    pub used: Vec<&'a Workspace<'a>>,
    /// The one that was instrumented.
    pub instrumented: &'a Workspace<'a>,
    /// One without sanitizers, if the others use them.
    pub unsanitized: Option<&'a Workspace<'a>>,
}

/// What is known of tests whose input differs from run to run.
#[derive(Clone, Debug)]
pub struct Chance<'a> {
    /// Tests with random input.
    pub random: BTreeSet<TestIndex>,
    /// Those among them that draw random numbers.
    pub drawing: BTreeSet<TestIndex>,
    /// Counterexamples that failing ones printed.
    pub replays: &'a Replays,
}

/// Validates patches, in parallel if there are several working copies.
#[derive(Debug)]
pub struct Validator<'a> {
    pub(super) runner: &'a Runner<'a>,
    /// The working copy that was instrumented.
    pub(super) instrumented: &'a Workspace<'a>,
    pub(super) sources: &'a Sources,
    pub(super) tests: &'a TiSlice<TestIndex, TestId>,
    pub(super) baseline: &'a Baseline,
    pub(super) timeout: Duration,
    chance: Chance<'a>,
    pub(super) unsanitized: Option<Mutex<Unsanitized<'a>>>,
    /// Working copies that are not in use.
    free: Mutex<Vec<&'a Workspace<'a>>>,
    /// Held while tests run: running two suites at once might exceed timeouts.
    running: Mutex<()>,
    doctests: Mutex<Known>,
    /// Where valgrind is, if it is installed.
    pub(super) valgrind: Option<Utf8PathBuf>,
    /// What Memcheck finds in the unpatched subject, by test; determined when first needed.
    pub(super) unpatched_errors: Mutex<BTreeMap<TestIndex, BTreeSet<String>>>,
}

/// What is known of the doctests.
#[derive(Debug, Default)]
struct Known {
    /// Those of the unpatched subject; run when first needed.
    before: Option<Doctests>,
    /// How long they take when none hangs.
    usual: Option<Duration>,
    /// Whether there are any.
    are_there: bool,
}

/// The subject without its sanitizers. A patch must also work without them.
#[derive(Debug)]
pub(super) struct Unsanitized<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    /// The passing tests of the baseline that also pass without sanitizers; determined when first needed.
    passing: Option<Vec<TestIndex>>,
}

impl<'a> Validator<'a> {
    /// `timeout` applies to each test.
    pub fn new(
        copies: Copies<'a>,
        runner: &'a Runner<'a>,
        sources: &'a Sources,
        tests: &'a TiSlice<TestIndex, TestId>,
        baseline: &'a Baseline,
        chance: Chance<'a>,
        timeout: Duration,
    ) -> Self {
        Self {
            runner,
            instrumented: copies.instrumented,
            sources,
            tests,
            baseline,
            timeout,
            chance,
            unsanitized: copies.unsanitized.map(|workspace| {
                Mutex::new(Unsanitized {
                    workspace,
                    passing: None,
                })
            }),
            free: Mutex::new(copies.used),
            running: Mutex::new(()),
            doctests: Mutex::default(),
            valgrind: memcheck::installed(),
            unpatched_errors: Mutex::default(),
        }
    }

    /// What one patch does when applied alone, or why it does not hold. `examples` says whether the doctests run. At most as many
    /// threads as there are working copies may call this at a time.
    ///
    /// # Errors
    /// If the run is stopped, a file cannot be written, or every working copy is in use.
    pub fn judge(
        &self,
        edits: &[Edit],
        targets: &[TestIndex],
        examples: Examples,
    ) -> Result<Result<Accepted, Rejection>> {
        self.with_copy(|workspace| self.judge_in(workspace, edits, targets, examples))
    }

    /// Calls `work` with a working copy that is not in use.
    pub(super) fn with_copy<T>(&self, work: impl FnOnce(&Workspace) -> Result<T>) -> Result<T> {
        let workspace = lock(&self.free).pop();
        let workspace = workspace.context("every working copy is in use")?;
        let result = work(workspace);
        lock(&self.free).push(workspace);
        result
    }

    fn judge_in(
        &self,
        workspace: &Workspace,
        edits: &[Edit],
        targets: &[TestIndex],
        examples: Examples,
    ) -> Result<Result<Accepted, Rejection>> {
        self.write(workspace, edits)?;
        let build = workspace.build(Linked::Plain)?;
        if !build.succeeded {
            return Ok(Err(Rejection::DoesNotBuild));
        }
        let suite = Suite {
            runner: self.runner,
            tests: self.tests,
            binaries: &build.binaries,
        };
        let mut cured = match self.cures(&suite, targets)? {
            Ok(cured) => cured,
            Err(test) => return Ok(Err(Rejection::FailsATest(Some(test)))),
        };
        let (unlucky, broken) = self.failing_by_chance(&suite, &cured)?;
        if let Some(test) = targets.iter().find(|test| unlucky.contains(test)) {
            return Ok(Err(Rejection::FailsATest(Some(*test))));
        }
        cured.retain(|test| !unlucky.contains(test));
        let passes = match examples {
            Examples::Only(seeing) => self.doctests_pass(workspace, seeing)?,
            Examples::All => None,
        };
        let failing_doctests = match passes {
            Some(true) => Some(Vec::new()),
            // All pass without the patch.
            Some(false) => None,
            None => self.failing_doctests_with(workspace)?,
        };
        let Some(failing_doctests) = failing_doctests else {
            return Ok(Err(Rejection::FailsATest(None)));
        };
        if !self.pass_together(&suite, &cured)? {
            return Ok(Err(Rejection::FailsTogether));
        }
        if let Err(rejection) = self.accepts_unsanitized(edits, targets)? {
            return Ok(Err(rejection));
        }
        if let Some(test) = self.broken_of(workspace, &broken)? {
            return Ok(Err(Rejection::FailsATest(Some(test))));
        }
        let doubts = self.warnings(workspace, edits)?;
        Ok(Ok(Accepted {
            cured,
            failing_doctests,
            doubts,
            warnings: build.warnings,
        }))
    }

    /// Whether each test program passes of which all functions pass one by one: their tests are what the user runs.
    fn pass_together(&self, suite: &Suite, cured: &[TestIndex]) -> Result<bool> {
        let passing = self.baseline.passing();
        let (mut passes, mut fails) = (BTreeSet::new(), BTreeSet::new());
        for (index, test) in self.tests.iter_enumerated() {
            let binary = suite.binaries.get(&test.target);
            let Some(whole) = binary.and_then(|binary| binary.whole(&test.name)) else {
                continue;
            };
            match cured.contains(&index) || passing.contains(&index) {
                true => passes.insert((&test.target, whole)),
                false => fails.insert((&test.target, whole)),
            };
        }
        let plan = Plan {
            timeout: self.timeout,
            ..Plan::default()
        };
        let _alone = lock(&self.running);
        for (target, whole) in passes.difference(&fails) {
            let run = self.runner.run(&suite.binaries[*target], whole, &plan)?;
            if !run.verdict.passed() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the targets also pass without sanitizers, and no test that passed without them fails.
    fn accepts_unsanitized(
        &self,
        edits: &[Edit],
        targets: &[TestIndex],
    ) -> Result<Result<(), Rejection>> {
        let Some(unsanitized) = &self.unsanitized else {
            return Ok(Ok(()));
        };
        let mut unsanitized = lock(unsanitized);
        let workspace = unsanitized.workspace;
        // `None` if it does not build.
        let not_passing = |edits: &[Edit], tests: &[TestIndex]| {
            self.write(workspace, edits)?;
            let build = workspace.build(Linked::Plain)?;
            if !build.succeeded {
                return anyhow::Ok(None);
            }
            let suite = Suite {
                runner: self.runner,
                tests: self.tests,
                binaries: &build.binaries,
            };
            let _alone = lock(&self.running);
            let failed = suite.not_passing(tests, self.baseline, self.timeout)?;
            Ok(Some(failed))
        };
        let mut tests = match unsanitized.passing.take() {
            Some(passing) => passing,
            None => {
                let mut passing = self.baseline.passing();
                // If the subject builds only with sanitizers, there is nothing to check.
                let Some(failed) = not_passing(&[], &passing)? else {
                    return Ok(Ok(()));
                };
                passing.retain(|test| !failed.contains(test));
                passing
            }
        };
        unsanitized.passing = Some(tests.clone());
        tests.extend(targets);
        let failed = not_passing(edits, &tests)?;
        Ok(match failed.as_deref() {
            None => Err(Rejection::DoesNotBuild),
            Some([]) => Ok(()),
            Some([first, ..]) => Err(Rejection::FailsATest(Some(*first))),
        })
    }

    /// Writes every file of the subject with these edits applied, and with the counterexamples of its tests.
    pub(super) fn write(&self, workspace: &Workspace, edits: &[Edit]) -> Result<()> {
        workspace.tree.restore()?;
        let write = |path: &Utf8Path, text: &str| {
            let pinned = self.chance.replays.pinned(path, text);
            let text = pinned.as_deref().unwrap_or(text);
            workspace.tree.write(&workspace.root.join(path), text)
        };
        for file in &self.sources.files {
            let patched = apply_all(edits, &file.path, &file.text);
            write(&file.path, patched.as_ref().unwrap_or(&file.text))?;
        }
        let is_source = |path: &Utf8Path| self.sources.files.iter().any(|file| file.path == path);
        for (path, text) in self.chance.replays.files() {
            if !is_source(path) {
                write(path, text)?;
            }
        }
        Ok(())
    }

    /// Among these tests, which a patch cures, those that fail on a counterexample or on other random numbers; and of
    /// the tests that passed without the patch those that fail on other random numbers.
    fn failing_by_chance(
        &self,
        suite: &Suite,
        cured: &[TestIndex],
    ) -> Result<(Vec<TestIndex>, Vec<TestIndex>)> {
        let _alone = lock(&self.running);
        let (mut unlucky, mut broken) = (Vec::new(), Vec::new());
        let runs_on = self.runs_within(MOST_SECONDS_ON, cured).min(MOST_ON);
        for test in cured {
            let replay = self.chance.replays.of(*test);
            let holds = match replay {
                Some(replay) => replay.passes(suite, self.timeout)?,
                None => true,
            };
            // Its input may be random without having been noticed.
            let passes_on = || self.passes_each(suite, *test, runs_on);
            if !(holds && self.passes_again(suite, *test)? && passes_on()?) {
                unlucky.push(*test);
            }
        }
        let passing = self.baseline.passing().into_iter();
        let random = passing.filter(|test| self.chance.random.contains(test));
        let (drawing, mut varying): (Vec<TestIndex>, Vec<TestIndex>) =
            random.partition(|test| self.chance.drawing.contains(test));
        for test in drawing {
            if !self.passes_again(suite, test)? {
                broken.push(test);
            }
        }
        let runs = self.runs_within(MOST_SECONDS_OF_VARYING, &varying);
        for _ in 0..runs.clamp(FEWEST_AGAIN, MOST_AGAIN) {
            let ended = suite.run_all(&varying, |_| self.elsewhere(), &|| ())?;
            let ended = varying.iter().zip(&ended);
            let failing = ended.filter(|(_, run)| !run.verdict.passed());
            let failing: BTreeSet<TestIndex> = failing.map(|(test, _)| *test).collect();
            varying.retain(|test| !failing.contains(test));
            broken.extend(failing);
        }
        broken.sort_unstable();
        Ok((unlucky, broken))
    }

    /// Whether a test passes in each of several runs, if its input is random.
    fn passes_again(&self, suite: &Suite, test: TestIndex) -> Result<bool> {
        if !self.chance.random.contains(&test) {
            return Ok(true);
        }
        let runs = self.runs_within(MOST_SECONDS_AGAIN, &[test]);
        self.passes_each(suite, test, runs.clamp(FEWEST_AGAIN, MOST_AGAIN))
    }

    /// How many runs of these tests, each once, take this many seconds.
    fn runs_within(&self, seconds: f64, tests: &[TestIndex]) -> usize {
        let once: f64 = tests.iter().map(|test| self.baseline.seconds[*test]).sum();
        (seconds / once.max(f64::MIN_POSITIVE)) as usize
    }

    /// Whether a test passes in each of this many runs.
    fn passes_each(&self, suite: &Suite, test: TestIndex, runs: usize) -> Result<bool> {
        for _ in 0..runs {
            if !suite.run(test, &self.elsewhere())?.verdict.passed() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A run with other addresses.
    fn elsewhere(&self) -> Plan {
        Plan {
            timeout: self.timeout,
            circumstances: Circumstances::OTHER_ADDRESSES,
            ..Plan::default()
        }
    }

    /// The first of these tests that failed because of the patch: without it, all runs pass.
    fn broken_of(&self, workspace: &Workspace, tests: &[TestIndex]) -> Result<Option<TestIndex>> {
        if tests.is_empty() {
            return Ok(None);
        }
        self.write(workspace, &[])?;
        let build = workspace.build(Linked::Plain)?;
        let suite = Suite {
            runner: self.runner,
            tests: self.tests,
            binaries: &build.binaries,
        };
        let _alone = lock(&self.running);
        for test in tests {
            if self.passes_again(&suite, *test)? {
                return Ok(Some(*test));
            }
        }
        Ok(None)
    }

    /// The failing tests of the baseline that pass in a build; or a target that fails, or a test that fails and passed
    /// before.
    fn cures(
        &self,
        suite: &Suite,
        targets: &[TestIndex],
    ) -> Result<Result<Vec<TestIndex>, TestIndex>> {
        let _alone = lock(&self.running);
        let mut tests = targets.to_vec();
        tests.extend(self.baseline.passing());
        let failed = suite.not_passing(&tests, self.baseline, self.timeout)?;
        if let Some(first) = failed.first() {
            return Ok(Err(*first));
        }
        // A test that hangs would probably hang again.
        let mut others = self.baseline.failing();
        others.retain(|test| {
            !targets.contains(test) && self.baseline.verdicts[*test] != Verdict::TimedOut
        });
        let plan = |_| Plan {
            timeout: self.timeout,
            ..Plan::default()
        };
        let runs = suite.run_all(&others, plan, &|| ())?;
        let mut cured = targets.to_vec();
        let passed = others
            .iter()
            .zip(&runs)
            .filter(|(_, run)| run.verdict.passed());
        cured.extend(passed.map(|(test, _)| *test));
        cured.sort_unstable();
        Ok(Ok(cured))
    }

    /// The doctests that fail without any patch, if some failed with one; they are named by line.
    pub fn failing_doctests(&self) -> Vec<String> {
        let known = lock(&self.doctests);
        let before = known.before.iter().flat_map(|doctests| &doctests.by_name);
        let failing = before.filter(|(_, passed)| !**passed);
        failing.map(|(name, _)| name.clone()).collect()
    }

    /// Whether the subject has doctests, as far as a patch was judged.
    pub fn has_doctests(&self) -> bool {
        lock(&self.doctests).are_there
    }

    /// Whether these doctests pass with the edit, which is in the working copy; `None` if they do not run to their end.
    fn doctests_pass(&self, workspace: &Workspace, only: &[String]) -> Result<Option<bool>> {
        if only.is_empty() {
            return Ok(Some(true));
        }
        let _alone = lock(&self.doctests);
        let texts = self.sources.documented();
        let run = workspace.some_doctests(texts, 2 * self.timeout, only)?;
        let run = run.filter(|run| !run.by_name.is_empty());
        Ok(run.and_then(|run| match run.all_passed {
            true => Some(true),
            false => run.by_name.values().any(|passed| !passed).then_some(false),
        }))
    }

    /// The doctests that fail with the edit, which is in the working copy, by their names without it; `None` if one of them passed
    /// before. The unpatched subject's doctests run only if one fails.
    fn failing_doctests_with(&self, workspace: &Workspace) -> Result<Option<Vec<String>>> {
        let texts = self.sources.documented();
        // One working copy at a time, so that the measured duration limits the following runs.
        let mut known = lock(&self.doctests);
        let longest = 2 * self.timeout;
        let silence = known.usual.map_or(longest, |usual| {
            (MIN_SILENCE + MOST_SILENCE * usual).min(longest)
        });
        let start = Instant::now();
        let Some(after) = workspace.doctests(texts.clone(), silence)? else {
            return Ok(Some(Vec::new()));
        };
        known.are_there |= !after.by_name.is_empty();
        if after.all_passed && !after.by_name.is_empty() {
            known.usual.get_or_insert(start.elapsed());
            return Ok(Some(Vec::new()));
        }
        if known.before.is_none() {
            self.write(workspace, &[])?;
            let start = Instant::now();
            known.before = workspace.doctests(texts, longest)?;
            known.usual = Some(start.elapsed());
        }
        let before = known.before.get_or_insert_default();
        Ok(doctests::still_failing(&before.by_name, &after.by_name))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
