//! The operations that differ between kinds of subjects. `cargo/ecosystem.rs` implements them for cargo workspaces,
//! `c/ecosystem.rs` for C programs; only [`Project`](super::Project) distinguishes the two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::Runner;
use nopol_process::run::command::Case;
use nopol_process::run::id::{TargetId, TestId};
use nopol_process::run::rules::Rules;
use nopol_source::Language;
use nopol_source::language::Readable;

use super::workspace::{
    Build, Compiled, DoctestReach, Doctests, Linked, Targets, TracedDoctests, Workspace,
};
use super::{AddedFile, Subject, SubjectError, files};

/// The user's description of a subject of one kind.
pub trait Description {
    /// Loads the subject.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if it cannot be read.
    fn load(&self) -> Result<Subject, SubjectError>;

    /// The command line of the tool for such subjects.
    fn command(&self) -> &'static str;

    /// The options that select the tests, for messages.
    fn test_options(&self) -> &'static str;

    /// The user's arguments for test binaries.
    fn test_args(&self) -> &[String];
}

/// A package of a build system, and the first of what is built from it.
#[derive(Clone, Debug)]
pub struct Package {
    /// The build system's id of it.
    pub id: String,
    /// Its directory, relative to the subject's root.
    pub dir: Utf8PathBuf,
    /// Its manifest.
    pub manifest: Utf8PathBuf,
    /// The name of its library, or of its first target.
    pub target: String,
    /// The kind of that.
    pub target_kind: String,
    /// The first source file of that.
    pub target_file: Utf8PathBuf,
    /// The edition of its language.
    pub edition: String,
}

/// A subject whose tests expect what another version of it does.
#[derive(Debug)]
pub struct Answered {
    /// The subject.
    pub ecosystem: Arc<dyn Ecosystem>,
    /// How many tests the other version answered.
    pub tests: usize,
    /// Notes about the others.
    pub warnings: Vec<String>,
}

/// The arguments for a test tool.
#[derive(Debug, Default)]
pub struct ToolRules {
    /// Of the tests that it would run, by target.
    pub rules: BTreeMap<TargetId, Arc<Rules>>,
    /// What of it is not taken into account.
    pub warnings: Vec<String>,
}

/// The text of a whole program.
#[derive(Clone, Debug)]
pub struct ProgramText {
    /// Its language.
    pub language: Language,
    /// Each file, relative to the root, with its text.
    pub files: Vec<(Utf8PathBuf, String)>,
    /// Its tests, if they are commands.
    pub cases: Vec<Case>,
    /// The arguments for its test binaries, if it has some.
    pub test_args: Vec<String>,
    /// The features that are active, where that is known without cargo's resolver.
    pub features: Option<BTreeSet<String>>,
    /// Whether its documentation may have examples that are tests.
    pub may_have_examples: bool,
    /// Whether each test passes in the program as it is built, where that is known.
    pub passes: BTreeMap<String, bool>,
    /// Why tests fail there, as predicates.
    pub reasons: BTreeMap<String, String>,
    /// It was to be built, and that failed.
    pub is_unbuilt: bool,
}

/// What a build of a program shows, and what runs of its tests show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whether its text describes what is built.
    pub text: Described,
    /// Whether each test passes; tests that take long are not among them.
    pub passes: BTreeMap<String, bool>,
    /// Why tests fail, as predicates, where their harness can tell.
    pub reasons: BTreeMap<String, String>,
    /// Whether it was built.
    pub is_built: bool,
}

/// What a build shows of a program's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Described {
    /// Nothing.
    #[default]
    Unknown,
    /// It describes the program that is built.
    Right,
    /// It describes another one, and why, as a clause.
    Wrong(String),
}

impl ProgramText {
    /// What is not known because it was not built.
    pub fn unbuilt(&self) -> Option<String> {
        const UNBUILT: &str = "the build in a working copy failed or did not end in time, so the results of the tests were not compared with those of the built program";
        self.is_unbuilt.then(|| UNBUILT.to_owned())
    }

    /// The text of these files.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if one cannot be read.
    pub fn read(
        language: Language,
        root: &Utf8Path,
        paths: Vec<Utf8PathBuf>,
    ) -> Result<Self, SubjectError> {
        let read = |path: Utf8PathBuf| Ok((path.clone(), Self::text(root, &path)?));
        let files = paths
            .into_iter()
            .map(read)
            .collect::<Result<_, SubjectError>>()?;
        Ok(Self {
            language,
            files,
            cases: Vec::new(),
            test_args: Vec::new(),
            features: None,
            may_have_examples: false,
            passes: BTreeMap::new(),
            reasons: BTreeMap::new(),
            is_unbuilt: false,
        })
    }

    /// The text of a file.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if it cannot be read.
    pub fn text(root: &Utf8Path, path: &Utf8Path) -> Result<String, SubjectError> {
        let text = files::text(&root.join(path));
        text.ok_or_else(|| SubjectError::Usage(format!("cannot read {path} as a text")))
    }
}

/// How subjects of one kind are read, built and tested.
pub trait Ecosystem: Debug + Send + Sync {
    /// The files that may have sites; `root` is the subject's root.
    fn readable(&self, root: &Utf8Path) -> Box<dyn Readable>;

    /// The same files for who asks the compiler, in a working copy whose sources are unchanged, which parts of them it
    /// sees; `None` if that makes no difference.
    ///
    /// # Errors
    /// If a compiler cannot be started or the run is stopped.
    fn readable_as_compiled(
        &self,
        at: &Workspace,
        runtime: &Utf8Path,
    ) -> Result<Option<Box<dyn Readable>>> {
        let _ = (at, runtime);
        Ok(None)
    }

    /// Builds the tests, without running them.
    ///
    /// # Errors
    /// If the build cannot be started or the run is stopped. A compile error is not an error here, but part of
    /// the result.
    fn build(&self, at: &Workspace, linked: Linked, targets: Targets) -> Result<Build>;

    /// Its packages, as its build system names them; none where there are no such things.
    fn packages(&self) -> Vec<Package> {
        Vec::new()
    }

    /// The command with which a user would build it.
    fn build_command(&self) -> String;

    /// What a compiler warns of in a file of a working copy, a sentence each; see [`Workspace::warnings`].
    ///
    /// # Errors
    /// If a compiler cannot be started or the run is stopped.
    fn warnings(
        &self,
        at: &Workspace,
        instrumented: &Workspace,
        file: &Utf8Path,
    ) -> Result<Vec<String>> {
        let _ = (at, instrumented, file);
        Ok(Vec::new())
    }

    /// A short description of a successful build, for the user.
    fn built(&self, build: &Build) -> String;

    /// The runtime that is linked into instrumented builds, built if necessary; `base` is a writable directory,
    /// `root` that of the working copy.
    ///
    /// # Errors
    /// If it cannot be built.
    fn runtime(&self, base: &Utf8Path, root: &Utf8Path) -> Result<Utf8PathBuf>;

    /// The tests of a build, and the targets whose tests cannot be listed.
    ///
    /// # Errors
    /// If the run is stopped or a binary cannot be started.
    fn tests(&self, at: &Workspace, build: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)>;

    /// Whether these texts may have doctests.
    fn may_have_doctests(&self, texts: &mut dyn Iterator<Item = &str>) -> bool;

    /// Runs the doctests with one of these parts in their names, or all if there are none, until there is no output for `silence`;
    /// `None` if these texts have no doctests.
    ///
    /// # Errors
    /// If they cannot be started or the run is stopped.
    fn doctests(
        &self,
        at: &Workspace,
        texts: &mut dyn Iterator<Item = &str>,
        silence: Duration,
        only: &[String],
    ) -> Result<Option<Doctests>>;

    /// As `doctests`, in an instrumented copy, with the sites that they reach. `None` also if they cannot be traced.
    ///
    /// # Errors
    /// As `doctests`.
    fn traced_doctests(
        &self,
        at: &Workspace,
        texts: &mut dyn Iterator<Item = &str>,
        silence: Duration,
        traced: TracedDoctests,
    ) -> Result<Option<DoctestReach>> {
        let _ = (at, texts, silence, traced);
        Ok(None)
    }

    /// Reuses in a working copy what the user has compiled, before its first build.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    fn take_over(&self, at: &Workspace) -> Result<Compiled>;

    /// Reuses the compiled dependencies of one working copy in another, before its first build.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    fn share(&self, from: &Workspace, to: &Workspace) -> Result<()>;

    /// Sets the modification times that the build system needs in a new working copy with this root. `origins` maps
    /// each file to the one it was copied from.
    ///
    /// # Errors
    /// If a time cannot be read or set.
    fn set_times(&self, root: &Utf8Path, origins: &BTreeMap<PathBuf, PathBuf>) -> Result<()>;

    /// The configuration that a search depends on besides the files: its name and its text.
    fn configuration(&self) -> (&'static str, String);

    /// Runs all tests where the user would, with their output; whether they pass, and `None` if there is no such command.
    fn test(&self) -> Option<bool> {
        None
    }

    /// Why its build makes another program than its text describes, as a clause; `None` if it does not, as far as is known.
    fn other_program(&self, root: &Utf8Path, whole: &ProgramText) -> Option<String>;

    /// Whether it is built and its tests run when formulas describe it, because a build takes little time and its text alone does
    /// not say what is compiled.
    fn has_cheap_build(&self) -> bool {
        false
    }

    /// What a build in this copy, which it makes, shows of what it compiles.
    ///
    /// # Errors
    /// If the run is stopped.
    fn as_built(&self, at: &Workspace, runtime: &Utf8Path) -> Result<(Described, Build)> {
        let _ = (at, runtime);
        Ok((Described::Unknown, Build::default()))
    }

    /// Its whole text and the tests that are commands; `root` is the subject's root.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if a file cannot be read.
    fn whole(&self, root: &Utf8Path) -> Result<ProgramText, SubjectError>;

    /// Files that are no sources and have another text in its working copies.
    fn other_texts(&self) -> &[AddedFile] {
        &[]
    }

    /// A file that its working copies have besides.
    fn added_file(&self) -> Option<&AddedFile> {
        None
    }

    /// The options by which the user chose some of its targets or packages; `None` if all count.
    fn selection(&self) -> Option<String> {
        None
    }

    /// The file, relative to the root, that describes tests which are commands; `None` if there is none.
    fn tests_file(&self) -> Option<&Utf8Path> {
        None
    }

    /// What is added to that file, of which this is the text, to describe a test, and at which byte; `None` if it cannot be
    /// done.
    fn described(&self, case: &Case, text: &str, comment: &str) -> Option<(usize, String)> {
        let _ = (case, text, comment);
        None
    }

    /// A command that prints the version of its compiler.
    fn compiler(&self) -> Command;

    /// Whether its tests depend only on its own code and on path dependencies.
    fn stands_alone(&self) -> bool;

    /// Whether its tests must run one after the other.
    fn is_serial(&self) -> bool {
        false
    }

    /// The rules of the test tool for the tests that the user chose; `None` if there is no such tool.
    ///
    /// # Errors
    /// If the tool or its configuration cannot be used, or the run is stopped.
    fn rules(&self, _at: &Workspace) -> Result<Option<ToolRules>> {
        Ok(None)
    }

    /// What its tests leave open, and what to do about it, in a sentence; only asked when all of them pass.
    fn weak_oracle(&self) -> Option<&'static str> {
        None
    }

    /// Whether its tests run under sanitizers.
    fn is_sanitized(&self) -> bool;

    /// The subject with what another version of it, in this directory, does as what its tests expect, where they do not say
    /// so themselves. `at` is a working copy for this alone, `timeout` the limit of one test.
    ///
    /// # Errors
    /// If that version cannot be read or does not build, or the run is stopped.
    fn answered(
        &self,
        version: &Utf8Path,
        at: &Workspace,
        runner: &Runner,
        timeout: Duration,
    ) -> Result<Answered>;
}
