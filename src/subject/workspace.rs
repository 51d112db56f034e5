//! A working copy and how it is built, whatever the subject is written in.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::{Kind, Subject, c, cargo};
use crate::run::Binary;
use crate::run::id::{TargetId, TestId};
use crate::run::process::Supervisor;

/// The working copy and how it is built.
#[derive(Debug)]
pub struct Workspace<'a> {
    pub subject: &'a Subject,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    pub target: Utf8PathBuf,
    /// Where the output of the build goes while it runs.
    pub logs: Utf8PathBuf,
    pub supervisor: &'a Supervisor,
    /// Whether plain builds cap lints, too: the subject denies some that this compiler reports.
    pub caps_lints: bool,
    /// Targets whose harness does not take `--nocapture`.
    pub capturing: BTreeSet<TargetId>,
}

/// What is linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked<'a> {
    /// As the subject is.
    Plain,
    /// With the runtime, which is there; lints are capped.
    Runtime(&'a Utf8Path),
}

/// What a compiler says is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its number or name; empty if it has none.
    pub code: String,
    pub message: String,
    /// For people.
    pub rendered: String,
    /// Where, in the order the compiler gives.
    pub spans: Vec<Span>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Relative to the root, or absolute.
    pub file: Utf8PathBuf,
    pub bytes: Range<usize>,
    /// It is the error's own place, and not that of a note.
    pub is_primary: bool,
    pub label: Option<String>,
}

/// The outcome of one build.
#[derive(Debug, Default)]
pub struct Build {
    pub succeeded: bool,
    pub binaries: BTreeMap<TargetId, Binary>,
    pub errors: Vec<Diagnostic>,
    /// What was said, for people.
    pub said: String,
}

impl Build {
    /// Whether some lint, being denied, is among the errors, and nothing that is always one.
    pub fn failed_by_lints(&self) -> bool {
        let codes = self.errors.iter().map(|error| error.code.as_str());
        // Errors proper have a number (`E0308`), lints a name.
        let with_code = codes.filter(|code| !code.is_empty());
        let (proper, lints): (Vec<_>, Vec<_>) = with_code.partition(|code| code.starts_with('E'));
        !self.succeeded && proper.is_empty() && !lints.is_empty()
    }
}

impl Workspace<'_> {
    /// Builds the tests, without running them.
    ///
    /// # Errors
    /// If nothing can be started or the run is stopped; that the subject does not compile is a result.
    pub fn build(&self, linked: Linked) -> Result<Build> {
        match &self.subject.kind {
            Kind::Cargo(packages) => cargo::build(self, packages, linked),
            Kind::C(program) => c::build(self, program, linked),
        }
    }

    /// What is linked with instrumented builds, made if it is not there yet; `base` is a directory that
    /// can be written to.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn runtime(&self, base: &Utf8Path) -> Result<Utf8PathBuf> {
        match &self.subject.kind {
            Kind::Cargo(_) => cargo::runtime::build(base, &self.root),
            Kind::C(_) => c::runtime(base),
        }
    }

    /// The tests of a build, and the targets whose tests cannot be listed.
    ///
    /// # Errors
    /// If the run is stopped or a binary cannot be started.
    pub fn tests(&self, build: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)> {
        match &self.subject.kind {
            Kind::Cargo(packages) => {
                let args = &packages.options.test_args;
                cargo::list(self.supervisor, &self.logs, &mut build.binaries, args)
            }
            Kind::C(program) => Ok((program.tests(), Vec::new())),
        }
    }

    /// Uses what was compiled for another working copy again, before anything was built in this one.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn share(&self, other: &Self) -> Result<()> {
        match &self.subject.kind {
            Kind::Cargo(_) if !self.subject.stands_alone() => {
                cargo::seed(&other.target, &self.target)
            }
            _ => Ok(()),
        }
    }

    /// Examples in the documentation, `false` by name for those that fail; `None` if there are none
    /// among these texts.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped.
    pub fn doctests<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<Option<BTreeMap<String, bool>>> {
        match &self.subject.kind {
            Kind::Cargo(packages) if cargo::may_have_doctests(packages, texts) => {
                cargo::doctests(self, packages).map(Some)
            }
            _ => Ok(None),
        }
    }
}
