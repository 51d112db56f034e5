//! The last word on a patch: rebuilt alone, without instrumentation, every targeted test passes
//! and no test or doctest that passed before fails.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;

use super::edit::{Edit, apply_all};
use crate::probe::compiler::write_if_changed;
use crate::run::id::TestId;
use crate::run::suite::{Baseline, Suite, TestIndex};
use crate::run::{Plan, Runner, Verdict};
use crate::source::Sources;
use crate::subject::cargo::{Linked, Workspace};

/// Checks patches one after the other in the working copy.
#[derive(Debug)]
pub struct Validator<'a> {
    pub workspace: &'a Workspace<'a>,
    pub runner: &'a Runner<'a>,
    pub sources: &'a Sources,
    pub tests: &'a [TestId],
    pub baseline: &'a Baseline,
    pub timeout: Duration,
    /// Doctests of the subject as it is, `true` for those that passed; read when first needed.
    pub doctests: Option<BTreeMap<String, bool>>,
    /// Builds made.
    pub builds: u32,
}

impl Validator<'_> {
    /// Gives every file of the working copy the subject's own text.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn restore(&self) -> Result<()> {
        for file in &self.sources.files {
            write_if_changed(&self.workspace.root.join(&file.path), &file.text)?;
        }
        Ok(())
    }

    /// The failing tests that the edits of one patch, applied alone, cure: the targets and whichever others.
    /// `None` if it does not cure the targets, or breaks something.
    ///
    /// # Errors
    /// If the run is stopped or a file cannot be written.
    pub fn accepts(
        &mut self,
        edits: &[Edit],
        targets: &[TestIndex],
    ) -> Result<Option<Vec<TestIndex>>> {
        self.restore()?;
        for file in &self.sources.files {
            if let Some(text) = apply_all(edits, &file.path, &file.text) {
                write_if_changed(&self.workspace.root.join(&file.path), &text)?;
            }
        }
        self.builds += 1;
        let build = self.workspace.build(Linked::Plain)?;
        if !build.succeeded {
            return Ok(None);
        }
        let suite = Suite {
            runner: self.runner,
            tests: self.tests,
            binaries: &build.binaries,
        };
        let mut tests = targets.to_vec();
        tests.extend(self.baseline.passing());
        let plan = |_| Plan {
            timeout: self.timeout,
            ..Plan::default()
        };
        let runs = suite.run_all(&tests, plan, &|| ())?;
        if !runs.iter().all(|run| run.verdict.passed()) {
            return Ok(None);
        }
        // What hangs would hang for as long again.
        let mut others = self.baseline.failing();
        others.retain(|test| {
            !targets.contains(test) && self.baseline.verdicts[*test] != Verdict::TimedOut
        });
        let runs = suite.run_all(&others, plan, &|| ())?;
        let mut cured = targets.to_vec();
        let passed = others
            .iter()
            .zip(&runs)
            .filter(|(_, run)| run.verdict.passed());
        cured.extend(passed.map(|(test, _)| *test));
        cured.sort_unstable();
        Ok(self.doctests_hold()?.then_some(cured))
    }

    /// Whether no doctest fails that passed before the edit, which is in the working copy. The
    /// subject as it was is only asked if one fails.
    fn doctests_hold(&mut self) -> Result<bool> {
        // Those of packages outside of the workspace are not run.
        let files = self.sources.files.iter();
        let inside = files.filter(|file| !file.path.starts_with(".."));
        let texts = inside.map(|file| &*file.text);
        if !self.workspace.may_have_doctests(texts) {
            return Ok(true);
        }
        let after = self.workspace.doctests()?;
        if after.values().all(|passed| *passed) && !after.is_empty() {
            return Ok(true);
        }
        let before = match self.doctests.take() {
            Some(known) => known,
            None => {
                self.restore()?;
                self.workspace.doctests()?
            }
        };
        let holds = still_passing(&before, &after);
        self.doctests = Some(before);
        Ok(holds)
    }
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
