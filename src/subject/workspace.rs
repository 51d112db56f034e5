//! A working copy and how it is built, independent of the subject's language.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::copy::tree::Tree;
use nopol_process::run::confine::Confinement;
use nopol_process::run::id::TargetId;
use nopol_process::run::process::Supervisor;
use nopol_process::run::rules::Rules;
use nopol_process::run::{Binary, Trials};
use nopol_source::SiteIndex;

use super::{Subject, SubjectError, left_out};

/// A working copy and how it is built.
#[derive(Debug)]
pub struct Workspace<'a> {
    /// The subject that was copied.
    pub subject: &'a Subject,
    /// The files of the working copy; all writes go through it.
    pub tree: Arc<Tree>,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    /// The target directory.
    pub target: Utf8PathBuf,
    /// Where libraries are kept that target directories have links to.
    pub store: Utf8PathBuf,
    /// Whether dependencies are used as the user compiled them, so that the profile has to stay as it is.
    pub is_seeded: bool,
    /// The directory for the output of builds.
    pub logs: Utf8PathBuf,
    /// What starts and ends processes.
    pub supervisor: &'a Supervisor,
    /// What runs are confined to.
    pub confinement: &'a Confinement,
    /// Whether plain builds cap lints, because the subject denies lints that this compiler reports.
    pub caps_lints: bool,
    /// Targets whose harness does not accept `--nocapture`.
    pub capturing: BTreeSet<TargetId>,
    /// Targets that are one test each, because their harness does not follow the standard one.
    pub whole: BTreeSet<TargetId>,
    /// The rules of a test tool for tests, by target, if there is such a tool.
    pub rules: BTreeMap<TargetId, Arc<Rules>>,
    /// Whether it is built without sanitizers even if the subject asks for them.
    pub is_unsanitized: bool,
    /// Whether it is built for a debugger: with debug information, without optimizations and sanitizers.
    pub is_debugged: bool,
}

/// How the subject is built and what is linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked<'a> {
    /// Unchanged.
    Plain,
    /// Unchanged, except that paths compiled in are those of the user's tree.
    InPlace,
    /// Linked with the runtime at this path; lints are capped.
    Runtime(&'a Utf8Path),
}

/// Which targets with tests are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets<'a> {
    /// All that the user chose.
    All,
    /// Only these, if the build can leave out the others.
    Only(&'a BTreeSet<TargetId>),
}

/// What of a build the user has done already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// Nothing that is of use.
    Nothing,
    /// Dependencies, which are used as they are.
    Dependencies,
    /// Nothing can be used now, and why.
    Unusable(String),
}

/// The results of the examples in the documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doctests {
    /// All of them were run, and none failed.
    pub all_passed: bool,
    /// Whether each example passed. Examples that hung, and those after them, are missing.
    pub by_name: BTreeMap<String, bool>,
}

/// Doctests that run in an instrumented copy to see which sites they reach.
#[derive(Clone, Copy, Debug)]
pub struct TracedDoctests<'a> {
    /// The runtime that is linked in.
    pub runtime: &'a Utf8Path,
    /// The number of sites.
    pub sites: usize,
    /// Candidates of the build to try.
    pub trials: Trials<'a>,
}

/// What a traced run of doctests showed.
#[derive(Clone, Debug, Default)]
pub struct DoctestReach {
    /// How they ended.
    pub doctests: Doctests,
    /// The sites at which each arrived, by a word that is a filter for its name and may let others pass, too.
    pub by_item: BTreeMap<String, BTreeSet<SiteIndex>>,
    /// The sites at which doctests of unknown names arrived.
    pub of_unknown: BTreeSet<SiteIndex>,
    /// Whether every process that arrived at a site of this trial passed with it.
    pub holding: Vec<bool>,
}

/// An error reported by a compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// The error's number or name; empty if it has none.
    pub code: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The message as the compiler prints it.
    pub rendered: String,
    /// The locations, in the compiler's order.
    pub spans: Vec<Span>,
}

/// A range of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Relative to the root, or absolute.
    pub file: Utf8PathBuf,
    /// The bytes of the file.
    pub bytes: Range<usize>,
    /// It is the location of the error itself, not of a note.
    pub is_primary: bool,
    /// What the compiler says about it.
    pub label: Option<String>,
}

/// The outcome of one build.
#[derive(Debug, Default)]
pub struct Build {
    /// Whether the build succeeded.
    pub succeeded: bool,
    /// The built targets that have tests.
    pub binaries: BTreeMap<TargetId, Binary>,
    /// What the compiler complained about.
    pub errors: Vec<Diagnostic>,
    /// What the compiler warned of, if that is known.
    pub warnings: BTreeSet<String>,
    /// The output of a failed build, for messages.
    pub output: String,
    /// What repairs a failed build, other than making the build command succeed: sentences without the last full stop.
    pub remedy: Option<String>,
}

impl Build {
    /// Whether the output contains this text.
    pub fn output_contains(&self, text: &str) -> bool {
        let mut errors = self.errors.iter();
        self.output.contains(text) || errors.any(|error| error.rendered.contains(text))
    }

    /// The error that a failed build of this subject is.
    pub fn failure(self, subject: &Subject) -> SubjectError {
        let errors = self.errors.iter().map(|error| &*error.rendered);
        let said: String = std::iter::once(&*self.output).chain(errors).collect();
        if let Some(file) = left_out::of(subject, &said) {
            let output = format!(
                "the working copy of the program does not build:\n\n{}",
                self.output
            );
            let remedy = format!(
                "The working copy lacks {file}, because it is outside {}: include a copy of it inside that directory instead",
                subject.top()
            );
            return SubjectError::CannotBuild(output, remedy);
        }
        let output = format!("the program does not build as it is:\n\n{}", self.output);
        let usual = || format!("Make `{}` succeed first", subject.build_command());
        SubjectError::CannotBuild(output, self.remedy.unwrap_or_else(usual))
    }

    /// Whether denied lints are the only errors.
    pub fn failed_by_lints(&self) -> bool {
        let codes = self.errors.iter().map(|error| error.code.as_str());
        // Proper errors have a number (`E0308`), lints have a name.
        let with_code = codes.filter(|code| !code.is_empty());
        let (proper, lints): (Vec<_>, Vec<_>) = with_code.partition(|code| code.starts_with('E'));
        !self.succeeded && proper.is_empty() && !lints.is_empty()
    }
}
