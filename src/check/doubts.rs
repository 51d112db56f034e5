//! What speaks against a patch of a C program that passes all tests: values that are used uninitialized, and memory that
//! is used wrongly. A test may then pass by luck.

use std::collections::BTreeSet;

use anyhow::Result;
use camino::Utf8Path;
use nopol_process::run::suite::TestIndex;
use nopol_source::Language;

use super::validate::{Validator, lock};
use crate::patch::edit::Edit;
use crate::subject::workspace::{Linked, Workspace};

/// How many of the tests that a patch cures run under Memcheck.
const MOST_WATCHED: usize = 2;
/// About how many times as long a test takes there.
const SLOWER: f64 = 50.0;

impl Validator<'_> {
    /// Whether Memcheck can be asked: there is one, and the subject's tests are commands that no sanitizer watches.
    pub fn can_watch(&self) -> bool {
        self.valgrind.is_some()
            && self.sources.language == Language::C
            && !self.instrumented.subject.is_sanitized()
    }

    /// What Memcheck finds in tests that a patch cures, and not without the patch; it is built for that once more. A test
    /// takes about half a second, so ask only of patches that have been accepted and are to be shown first. At most as
    /// many threads as there are working copies may call this at a time.
    ///
    /// # Errors
    /// As [`Validator::accepts`].
    pub fn memory_errors(&self, edits: &[Edit], targets: &[TestIndex]) -> Result<Vec<String>> {
        let is_short =
            |test: &&TestIndex| self.baseline.seconds[**test] * SLOWER < self.timeout.as_secs_f64();
        let tests = targets.iter().filter(is_short).take(MOST_WATCHED);
        let tests: Vec<TestIndex> = tests.copied().collect();
        match &self.valgrind {
            Some(valgrind) if !tests.is_empty() => {
                self.with_copy(|workspace| self.new_errors(workspace, valgrind, edits, &tests))
            }
            _ => Ok(Vec::new()),
        }
    }

    fn new_errors(
        &self,
        workspace: &Workspace,
        valgrind: &Utf8Path,
        edits: &[Edit],
        tests: &[TestIndex],
    ) -> Result<Vec<String>> {
        let errors = |edits: &[Edit], tests: &[TestIndex]| {
            self.write(workspace, edits)?;
            let build = workspace.build(Linked::Plain)?;
            let mut found = Vec::new();
            for test in tests {
                let id = &self.tests[*test];
                let errors = match build.binaries.get(&id.target) {
                    Some(binary) => {
                        let runner = self.runner;
                        runner.memory_errors(valgrind, binary, &id.name, self.timeout)?
                    }
                    None => BTreeSet::new(),
                };
                found.push((*test, errors));
            }
            anyhow::Ok(found)
        };
        let patched = errors(edits, tests)?;
        let mut found: BTreeSet<String> = patched.into_iter().flat_map(|(_, it)| it).collect();
        if !found.is_empty() {
            let mut known = lock(&self.unpatched_errors);
            let unknown = tests.iter().filter(|test| !known.contains_key(test));
            let unknown: Vec<TestIndex> = unknown.copied().collect();
            if !unknown.is_empty() {
                known.extend(errors(&[], &unknown)?);
            }
            found.retain(|error| !tests.iter().any(|test| known[test].contains(error)));
        }
        let of_valgrind = |error| format!("valgrind finds: {error}");
        Ok(found.into_iter().map(of_valgrind).collect())
    }

    /// What the compiler warns of in the patched files, without what it warns of in the unpatched ones.
    pub(super) fn warnings(&self, workspace: &Workspace, edits: &[Edit]) -> Result<Vec<String>> {
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
}
