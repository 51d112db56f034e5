//! What speaks against a patch that passes all tests: values that are used uninitialized, and memory that is used
//! wrongly. A test may then pass by luck.

use std::collections::BTreeSet;

use anyhow::Result;
use camino::Utf8Path;

use super::validate::{Validator, lock};
use crate::patch::edit::Edit;
use crate::run::memcheck;
use crate::run::suite::{Suite, TestIndex};
use crate::subject::workspace::{Linked, Workspace};

/// How many of the tests that a patch cures run under Memcheck.
const MOST_WATCHED: usize = 2;
/// About how many times as long a test takes there.
const SLOWER: f64 = 50.0;

impl Validator<'_> {
    /// What the compiler warns of in the patched files, or else Memcheck finds in tests that the patch cures; without
    /// what they tell of the unpatched files. `suite` is the patched build.
    pub(super) fn doubts(
        &self,
        workspace: &Workspace,
        suite: &Suite,
        edits: &[Edit],
        targets: &[TestIndex],
    ) -> Result<Vec<String>> {
        let warnings = self.warnings(workspace, edits)?;
        match warnings.is_empty() {
            true => self.memory_errors(workspace, suite, targets),
            false => Ok(warnings),
        }
    }

    fn warnings(&self, workspace: &Workspace, edits: &[Edit]) -> Result<Vec<String>> {
        let files: BTreeSet<&Utf8Path> = edits.iter().map(|edit| &*edit.file).collect();
        let mut found = Vec::new();
        for file in files {
            let warnings = |edits: &[Edit]| {
                self.write(workspace, edits)?;
                workspace.warnings(self.instrumented, file)
            };
            let mut new = warnings(edits)?;
            if new.is_empty() {
                continue;
            }
            for old in warnings(&[])? {
                if let Some(at) = new.iter().position(|warning| *warning == old) {
                    new.remove(at);
                }
            }
            let of_compiler = |warning| format!("the compiler warns: {warning}");
            found.extend(new.into_iter().map(of_compiler));
        }
        found.dedup();
        Ok(found)
    }

    fn memory_errors(
        &self,
        workspace: &Workspace,
        suite: &Suite,
        targets: &[TestIndex],
    ) -> Result<Vec<String>> {
        let Some(valgrind) = memcheck::installed().filter(|_| !workspace.subject.is_sanitized())
        else {
            return Ok(Vec::new());
        };
        let is_short =
            |test: &&TestIndex| self.baseline.seconds[**test] * SLOWER < self.timeout.as_secs_f64();
        let tests: Vec<TestIndex> = targets
            .iter()
            .filter(is_short)
            .take(MOST_WATCHED)
            .copied()
            .collect();
        let mut found = self.errors(&valgrind, suite, &tests)?;
        if !found.is_empty() {
            let mut known = lock(&self.unpatched_errors);
            let unknown = |test: &TestIndex| !known.contains_key(test);
            let unknown: Vec<TestIndex> = tests.iter().copied().filter(unknown).collect();
            if !unknown.is_empty() {
                self.write(workspace, &[])?;
                let build = workspace.build(Linked::Plain)?;
                let unpatched = Suite {
                    binaries: &build.binaries,
                    ..*suite
                };
                for test in unknown {
                    known.insert(test, self.errors(&valgrind, &unpatched, &[test])?);
                }
            }
            for test in &tests {
                found.retain(|error| !known[test].contains(error));
            }
        }
        let of_valgrind = |error| format!("valgrind finds: {error}");
        Ok(found.into_iter().map(of_valgrind).collect())
    }

    /// What Memcheck finds in a build while these tests run.
    fn errors(
        &self,
        valgrind: &Utf8Path,
        suite: &Suite,
        tests: &[TestIndex],
    ) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for test in tests {
            let id = &self.tests[*test];
            let Some(binary) = suite.binaries.get(&id.target) else {
                continue;
            };
            let runner = self.runner;
            let errors = runner.memory_errors(valgrind, binary, &id.name, self.timeout)?;
            found.extend(errors.unwrap_or_default());
        }
        Ok(found)
    }
}
