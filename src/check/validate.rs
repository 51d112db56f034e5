//! The last word on a patch: rebuilt alone, without instrumentation, every targeted test passes
//! and no test or doctest that passed before fails.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use typed_index_collections::TiSlice;

use crate::patch::edit::{Edit, apply_all};
use crate::run::id::TestId;
use crate::run::suite::{Baseline, Suite, TestIndex};
use crate::run::{Plan, Runner, Verdict};
use crate::source::Sources;
use crate::subject::workspace::{Doctests, Linked, Workspace};

/// How long doctests may say nothing at least.
const LEAST_SILENCE: Duration = Duration::from_secs(5);

/// Checks patches in the working copies, as many at once as there are.
#[derive(Debug)]
pub struct Validator<'a> {
    runner: &'a Runner<'a>,
    sources: &'a Sources,
    tests: &'a TiSlice<TestIndex, TestId>,
    baseline: &'a Baseline,
    timeout: Duration,
    bare: Option<Mutex<Bare<'a>>>,
    /// Working copies in which nothing is being checked.
    free: Mutex<Vec<&'a Workspace<'a>>>,
    /// Held while tests run: more of them at once than usual might be too slow.
    running: Mutex<()>,
    /// Doctests of the subject as it is, and how long they took; run when first needed.
    doctests: Mutex<Option<(Doctests, Duration)>>,
}

/// The subject without its sanitizers: a patch must not only please these.
#[derive(Debug)]
struct Bare<'a> {
    workspace: &'a Workspace<'a>,
    /// The passing tests that pass there, too; run when first needed.
    passing: Option<Vec<TestIndex>>,
}

impl<'a> Validator<'a> {
    /// `timeout` is for each test. Each working copy is for one check at a time; `bare` is one without
    /// sanitizers, if the others have some.
    pub fn new(
        workspaces: Vec<&'a Workspace<'a>>,
        bare: Option<&'a Workspace<'a>>,
        runner: &'a Runner<'a>,
        sources: &'a Sources,
        tests: &'a TiSlice<TestIndex, TestId>,
        baseline: &'a Baseline,
        timeout: Duration,
    ) -> Self {
        Self {
            runner,
            sources,
            tests,
            baseline,
            timeout,
            bare: bare.map(|workspace| {
                Mutex::new(Bare {
                    workspace,
                    passing: None,
                })
            }),
            free: Mutex::new(workspaces),
            running: Mutex::new(()),
            doctests: Mutex::new(None),
        }
    }

    /// The failing tests that the edits of one patch, applied alone, cure: the targets and whichever others.
    /// `None` if it does not cure the targets, or breaks something. To be called from no more threads than
    /// there are working copies.
    ///
    /// # Errors
    /// If the run is stopped, a file cannot be written, or every working copy is in use.
    pub fn accepts(&self, edits: &[Edit], targets: &[TestIndex]) -> Result<Option<Vec<TestIndex>>> {
        let workspace = lock(&self.free).pop();
        let workspace = workspace.context("every working copy is in use")?;
        let cured = self.accepts_in(workspace, edits, targets);
        lock(&self.free).push(workspace);
        cured
    }

    fn accepts_in(
        &self,
        workspace: &Workspace,
        edits: &[Edit],
        targets: &[TestIndex],
    ) -> Result<Option<Vec<TestIndex>>> {
        self.write(workspace, edits)?;
        let build = workspace.build(Linked::Plain)?;
        if !build.succeeded {
            return Ok(None);
        }
        let suite = Suite {
            runner: self.runner,
            tests: self.tests,
            binaries: &build.binaries,
        };
        let Some(cured) = self.cures(&suite, targets)? else {
            return Ok(None);
        };
        let holds = self.doctests_hold(workspace)? && self.holds_bare(edits, targets)?;
        Ok(holds.then_some(cured))
    }

    /// Whether the targets pass without sanitizers, too, and what passed there before still does.
    fn holds_bare(&self, edits: &[Edit], targets: &[TestIndex]) -> Result<bool> {
        let Some(bare) = &self.bare else {
            return Ok(true);
        };
        let mut bare = lock(bare);
        let workspace = bare.workspace;
        // Nothing if it does not build.
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
        let mut tests = match bare.passing.take() {
            Some(passing) => passing,
            None => {
                let mut passing = self.baseline.passing();
                // What only builds with them says nothing of a patch.
                let Some(failed) = not_passing(&[], &passing)? else {
                    return Ok(true);
                };
                passing.retain(|test| !failed.contains(test));
                passing
            }
        };
        bare.passing = Some(tests.clone());
        tests.extend(targets);
        let failed = not_passing(edits, &tests)?;
        Ok(failed.is_some_and(|failed| failed.is_empty()))
    }

    /// Gives every file the subject's own text, but for these edits.
    fn write(&self, workspace: &Workspace, edits: &[Edit]) -> Result<()> {
        workspace.tree.restore()?;
        for file in &self.sources.files {
            let patched = apply_all(edits, &file.path, &file.text);
            let text = patched.as_ref().unwrap_or(&file.text);
            workspace
                .tree
                .write(&workspace.root.join(&file.path), text)?;
        }
        Ok(())
    }

    /// The failing tests that pass in a build; `None` if a target does not, or another fails that passed.
    fn cures(&self, suite: &Suite, targets: &[TestIndex]) -> Result<Option<Vec<TestIndex>>> {
        let _alone = lock(&self.running);
        let mut tests = targets.to_vec();
        tests.extend(self.baseline.passing());
        if !suite
            .not_passing(&tests, self.baseline, self.timeout)?
            .is_empty()
        {
            return Ok(None);
        }
        // What hangs would hang for as long again.
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
        Ok(Some(cured))
    }

    /// Whether no doctest fails that passed before the edit, which is in the working copy. The
    /// subject as it was is only asked if one fails.
    fn doctests_hold(&self, workspace: &Workspace) -> Result<bool> {
        let texts = self.sources.documented();
        // One at a time: the first one that hangs tells how long the others are waited for.
        let mut known = lock(&self.doctests);
        let silence = match &*known {
            Some((_, usual)) => (LEAST_SILENCE + 5 * *usual).min(2 * self.timeout),
            None => 2 * self.timeout,
        };
        let Some(after) = workspace.doctests(texts.clone(), silence)? else {
            return Ok(true);
        };
        if after.all_passed && !after.by_name.is_empty() {
            return Ok(true);
        }
        let (before, usual) = match known.take() {
            Some(before) => before,
            None => {
                self.write(workspace, &[])?;
                let start = Instant::now();
                let before = workspace.doctests(texts, 2 * self.timeout)?;
                (before.unwrap_or_default(), start.elapsed())
            }
        };
        let holds = still_passing(&before.by_name, &after.by_name);
        *known = Some((before, usual));
        Ok(holds)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether each doctest that passed still does. They are named by line, and a patch may move
/// lines, so those of one item are compared by number.
fn still_passing(before: &BTreeMap<String, bool>, after: &BTreeMap<String, bool>) -> bool {
    let count = |tests: &BTreeMap<String, bool>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (name, _) in tests.iter().filter(|(_, passed)| **passed) {
            let item = name
                .rsplit_once(" (line ")
                .map_or(name.as_str(), |(item, _)| item);
            *counts.entry(item.to_string()).or_default() += 1;
        }
        counts
    };
    let after = count(after);
    count(before)
        .iter()
        .all(|(item, number)| after.get(item).is_some_and(|now| now >= number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doctests_are_compared_by_item_since_a_patch_moves_lines() {
        let tests = |pairs: &[(&str, bool)]| -> BTreeMap<String, bool> {
            pairs
                .iter()
                .map(|(name, passed)| ((*name).to_string(), *passed))
                .collect()
        };
        let before = tests(&[
            ("src/lib.rs - f (line 3)", true),
            ("src/lib.rs - g (line 9)", false),
        ]);
        assert!(still_passing(
            &before,
            &tests(&[("src/lib.rs - f (line 5)", true)])
        ));
        assert!(!still_passing(
            &before,
            &tests(&[("src/lib.rs - f (line 5)", false)])
        ));
    }
}
