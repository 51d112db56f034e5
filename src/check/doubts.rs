//! Doubts about a patch of a C program that passes all tests: values that are used uninitialized, and memory that is
//! used wrongly. A test may then pass by luck.

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
/// The most seconds that a test should take there.
const LONGEST: f64 = 5.0;

/// Why a patch was not run under Memcheck, as a clause.
pub type Unwatched = &'static str;

/// The warning that says so.
pub fn unwatched(reason: Unwatched) -> String {
    format!("no patch was run under valgrind: {reason}")
}

/// It builds only with sanitizers.
const ONLY_SANITIZED: Unwatched = "the program does not build without the sanitizers";
/// It is not built as it was when the patch was accepted.
const NOT_BUILT: Unwatched = "the program could not be built once more";
/// It was started in vain.
const CANNOT_RUN: Unwatched =
    "valgrind cannot run the program: its build adds a sanitizer, or it is for another processor";

impl Validator<'_> {
    /// Whether Memcheck can be asked: there is one, and the subject's tests are commands.
    pub fn can_watch(&self) -> bool {
        self.valgrind.is_some() && self.sources.language == Language::C
    }

    /// What Memcheck finds in tests that a patch cures, and not without the patch; it is built for that once more. A test
    /// takes about half a second, so ask only of patches that have been accepted and are to be shown first. Where the tests
    /// run under sanitizers, Memcheck gets the program without them. At most as many threads as there are working copies may
    /// call this at a time.
    ///
    /// # Errors
    /// As [`Validator::accepts`].
    pub fn memory_errors(
        &self,
        edits: &[Edit],
        targets: &[TestIndex],
    ) -> Result<Result<Vec<String>, Unwatched>> {
        let longest = LONGEST.min(self.timeout.as_secs_f64());
        let is_short = |test: &&TestIndex| self.baseline.seconds[**test] * SLOWER < longest;
        let tests = targets.iter().filter(is_short).take(MOST_WATCHED);
        let tests: Vec<TestIndex> = tests.copied().collect();
        let Some(valgrind) = self.valgrind.as_deref().filter(|_| !tests.is_empty()) else {
            return Ok(Ok(Vec::new()));
        };
        match &self.unsanitized {
            Some(unsanitized) => {
                let unsanitized = lock(unsanitized);
                self.new_errors(unsanitized.workspace, valgrind, edits, &tests)
            }
            None => self.with_copy(|workspace| self.new_errors(workspace, valgrind, edits, &tests)),
        }
    }

    fn new_errors(
        &self,
        workspace: &Workspace,
        valgrind: &Utf8Path,
        edits: &[Edit],
        tests: &[TestIndex],
    ) -> Result<Result<Vec<String>, Unwatched>> {
        let errors = |edits: &[Edit], tests: &[TestIndex]| {
            self.write(workspace, edits)?;
            let build = workspace.build(Linked::Plain)?;
            if !build.succeeded {
                return Ok(Err(match self.unsanitized {
                    Some(_) => ONLY_SANITIZED,
                    None => NOT_BUILT,
                }));
            }
            let mut found = Vec::new();
            for test in tests {
                let id = &self.tests[*test];
                let errors = match build.binaries.get(&id.target) {
                    Some(binary) => {
                        let runner = self.runner;
                        runner.memory_errors(valgrind, binary, &id.name, self.timeout)?
                    }
                    None => Some(BTreeSet::new()),
                };
                let Some(errors) = errors else {
                    return Ok(Err(CANNOT_RUN));
                };
                found.push((*test, errors));
            }
            anyhow::Ok(Ok(found))
        };
        let patched = match errors(edits, tests)? {
            Ok(patched) => patched,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut found: BTreeSet<String> = patched.into_iter().flat_map(|(_, it)| it).collect();
        if !found.is_empty() {
            let mut known = lock(&self.unpatched_errors);
            let unknown = tests.iter().filter(|test| !known.contains_key(test));
            let unknown: Vec<TestIndex> = unknown.copied().collect();
            if !unknown.is_empty() {
                match errors(&[], &unknown)? {
                    Ok(unpatched) => known.extend(unpatched),
                    Err(reason) => return Ok(Err(reason)),
                }
            }
            found.retain(|error| !tests.iter().any(|test| known[test].contains(error)));
        }
        let of_valgrind = |error| format!("valgrind finds: {error}");
        Ok(Ok(found.into_iter().map(of_valgrind).collect()))
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
