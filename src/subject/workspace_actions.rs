//! The operations on a working copy that depend on the kind of its subject.

use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::id::{TargetId, TestId};

use super::SubjectError;
use super::ecosystem::{Ecosystem, ToolRules};
use super::workspace::{
    Build, Compiled, DoctestReach, Doctests, Linked, Targets, TracedDoctests, Workspace,
};

impl Workspace<'_> {
    fn ecosystem(&self) -> &dyn Ecosystem {
        &*self.subject.ecosystem
    }

    /// Builds the tests, without running them.
    ///
    /// # Errors
    /// If the build cannot be started or the run is stopped. A compile error is not an error here, but part of
    /// the result.
    pub fn build(&self, linked: Linked) -> Result<Build> {
        self.build_targets(linked, Targets::All)
    }

    /// As [`Workspace::build`], for these targets.
    ///
    /// # Errors
    /// As [`Workspace::build`].
    pub fn build_targets(&self, linked: Linked, targets: Targets) -> Result<Build> {
        let build = self.ecosystem().build(self, linked, targets);
        // From now on, the files that the build wrote belong to the tree.
        self.tree.snapshot()?;
        let build = build?;
        if !build.succeeded && build.output_contains("No space left on device") {
            return Err(SubjectError::Usage(format!(
                "there is no space left on the disk that has {}; free some, or give --work-dir another place",
                self.target
            ))
            .into());
        }
        Ok(build)
    }

    /// What a compiler warns of in a file of this copy, of what may decide whether a patch is right. `instrumented` is
    /// the copy in which instrumented builds were made; they show how the file is compiled.
    ///
    /// # Errors
    /// If a compiler cannot be started or the run is stopped.
    pub fn warnings(&self, instrumented: &Self, file: &Utf8Path) -> Result<Vec<String>> {
        self.ecosystem().warnings(self, instrumented, file)
    }

    /// The runtime that is linked into instrumented builds, built if necessary; `base` is a writable directory.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn runtime(&self, base: &Utf8Path) -> Result<Utf8PathBuf> {
        self.ecosystem().runtime(base, &self.root)
    }

    /// The tests of a build, and the targets whose tests cannot be listed.
    ///
    /// # Errors
    /// If the run is stopped or a binary cannot be started.
    pub fn tests(&self, build: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)> {
        self.ecosystem().tests(self, build)
    }

    /// The rules of the test tool for the tests that it would run; `None` if there is no such tool.
    ///
    /// # Errors
    /// If the tool or its configuration cannot be used, or the run is stopped.
    pub fn rules(&self) -> Result<Option<ToolRules>> {
        self.ecosystem().rules(self)
    }

    /// Reuses what the user has compiled, before the first build.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn take_over(&self) -> Result<Compiled> {
        self.ecosystem().take_over(self)
    }

    /// Reuses the compiled dependencies of another working copy, before the first build in this one.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn share(&self, other: &Self) -> Result<()> {
        self.ecosystem().share(other, self)
    }

    /// Whether these texts may have doctests.
    pub fn may_have_doctests<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        self.ecosystem().may_have_doctests(&mut texts)
    }

    /// Runs the doctests, until there is no output for `silence`; `None` if these texts have no doctests.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped.
    pub fn doctests<'t>(
        &self,
        mut texts: impl Iterator<Item = &'t str>,
        silence: Duration,
    ) -> Result<Option<Doctests>> {
        self.ecosystem().doctests(self, &mut texts, silence, &[])
    }

    /// As [`Workspace::doctests`], for those with one of these parts in their names.
    ///
    /// # Errors
    /// As [`Workspace::doctests`].
    pub fn some_doctests<'t>(
        &self,
        mut texts: impl Iterator<Item = &'t str>,
        silence: Duration,
        only: &[String],
    ) -> Result<Option<Doctests>> {
        self.ecosystem().doctests(self, &mut texts, silence, only)
    }

    /// Runs the doctests in this instrumented copy, as it was built last, until there is no output for `silence`; with the sites
    /// that they reach. `None` if these texts have no doctests, or they cannot be traced.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped.
    pub fn traced_doctests<'t>(
        &self,
        mut texts: impl Iterator<Item = &'t str>,
        silence: Duration,
        traced: TracedDoctests,
    ) -> Result<Option<DoctestReach>> {
        let ecosystem = self.ecosystem();
        ecosystem.traced_doctests(self, &mut texts, silence, traced)
    }
}
