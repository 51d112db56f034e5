//! What is done with a working copy in the way of its subject's kind.

use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::SubjectError;
use super::ecosystem::Ecosystem;
use super::workspace::{Build, Doctests, Linked, Workspace};
use crate::run::id::{TargetId, TestId};

impl Workspace<'_> {
    fn ecosystem(&self) -> &dyn Ecosystem {
        &*self.subject.ecosystem
    }

    /// Builds the tests, without running them.
    ///
    /// # Errors
    /// If nothing can be started or the run is stopped; that the subject does not compile is a result.
    pub fn build(&self, linked: Linked) -> Result<Build> {
        let build = self.ecosystem().build(self, linked);
        // What the build made of the tree belongs to it from now on.
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

    /// What is linked with instrumented builds, made if it is not there yet; `base` is a directory that
    /// can be written to.
    ///
    /// # Errors
    /// If it cannot be made.
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

    /// Uses what was compiled for another working copy again, before anything was built in this one.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn share(&self, other: &Self) -> Result<()> {
        self.ecosystem().share(other, self)
    }

    /// Runs the examples in the documentation, until they say nothing for that long; `None` if there are
    /// none among these texts.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped.
    pub fn doctests<'t>(
        &self,
        mut texts: impl Iterator<Item = &'t str>,
        silence: Duration,
    ) -> Result<Option<Doctests>> {
        self.ecosystem().doctests(self, &mut texts, silence)
    }
}
