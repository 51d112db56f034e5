//! What each kind of subject does in its own way. Implemented for cargo workspaces in
//! `cargo/ecosystem.rs` and for C programs in `c/ecosystem.rs`; [`Project`](super::Project) is the only
//! place that tells them apart.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::workspace::{Build, Doctests, Linked, Workspace};
use super::{Subject, SubjectError};
use crate::run::id::{TargetId, TestId};
use crate::source::language::Readable;

/// What the user told of a subject of one kind.
pub trait Description {
    /// Finds out what is under repair.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if that cannot be read.
    fn load(&self) -> Result<Subject, SubjectError>;

    /// How the tool is called for it.
    fn command(&self) -> &'static str;

    /// What chooses the tests.
    fn test_options(&self) -> &'static str;

    /// The user's arguments for test binaries.
    fn test_args(&self) -> &[String];
}

/// How subjects of one kind are read, built and tested.
pub trait Ecosystem: Debug + Send + Sync {
    /// The files that may have sites; `root` is the subject's own.
    fn readable(&self, root: &Utf8Path) -> Box<dyn Readable>;

    /// Builds the tests, without running them.
    ///
    /// # Errors
    /// If nothing can be started or the run is stopped; that the subject does not compile is a result.
    fn build(&self, at: &Workspace, linked: Linked) -> Result<Build>;

    /// What builds it, in the words of whoever does that by hand.
    fn build_command(&self) -> String;

    /// What a build that succeeded is about, in a few words for the user.
    fn built(&self, build: &Build) -> String;

    /// What is linked with instrumented builds, made if it is not there yet; `base` is a directory that
    /// can be written to, `root` that of the working copy.
    ///
    /// # Errors
    /// If it cannot be made.
    fn runtime(&self, base: &Utf8Path, root: &Utf8Path) -> Result<Utf8PathBuf>;

    /// The tests of a build, and the targets whose tests cannot be listed.
    ///
    /// # Errors
    /// If the run is stopped or a binary cannot be started.
    fn tests(&self, at: &Workspace, build: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)>;

    /// Runs the examples in the documentation, until they say nothing for that long; `None` if there are
    /// none among these texts.
    ///
    /// # Errors
    /// If they cannot be started or the run is stopped.
    fn doctests(
        &self,
        at: &Workspace,
        texts: &mut dyn Iterator<Item = &str>,
        silence: Duration,
    ) -> Result<Option<Doctests>>;

    /// Uses what was compiled in one working copy in another, before anything was built there.
    ///
    /// # Errors
    /// If something cannot be read or written.
    fn share(&self, from: &Workspace, to: &Workspace) -> Result<()>;

    /// Gives the files of a new working copy, whose root is `root`, the times that its build needs;
    /// `origins` tells for each file which one it was copied from.
    ///
    /// # Errors
    /// If a time cannot be read or set.
    fn set_times(&self, root: &Utf8Path, origins: &BTreeMap<PathBuf, PathBuf>) -> Result<()>;

    /// What of it a search depends on beside its files: what that is, and its text.
    fn configuration(&self) -> (&'static str, String);

    /// Asks its compiler which version it is.
    fn compiler(&self) -> Command;

    /// Whether its tests are built from nothing but its own code and that beside it.
    fn stands_alone(&self) -> bool;

    /// Whether its tests run under sanitizers.
    fn is_sanitized(&self) -> bool;
}
