//! A working copy and how it is built, whatever the subject is written in.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Subject;
use crate::copy::tree::Tree;
use crate::run::Binary;
use crate::run::confine::Confinement;
use crate::run::id::TargetId;
use crate::run::process::Supervisor;

/// The working copy and how it is built.
#[derive(Debug)]
pub struct Workspace<'a> {
    pub subject: &'a Subject,
    /// The working copy, through which alone it is written to.
    pub tree: Arc<Tree>,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    pub target: Utf8PathBuf,
    /// Where the output of the build goes while it runs.
    pub logs: Utf8PathBuf,
    pub supervisor: &'a Supervisor,
    pub confinement: &'a Confinement,
    /// Whether plain builds cap lints, too: the subject denies some that this compiler reports.
    pub caps_lints: bool,
    /// Targets whose harness does not take `--nocapture`.
    pub capturing: BTreeSet<TargetId>,
    /// Built without sanitizers, whatever the subject asks for.
    pub is_bare: bool,
}

/// What is linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked<'a> {
    /// As the subject is.
    Plain,
    /// As the subject is, and told that it is where the user has it.
    InPlace,
    /// With the runtime, which is there; lints are capped.
    Runtime(&'a Utf8Path),
}

/// What became of the examples in the documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doctests {
    /// They came to an end, and none failed.
    pub all_passed: bool,
    /// `false` for those that failed; what hung, and what came after it, is not there.
    pub by_name: BTreeMap<String, bool>,
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
    /// Whether some words are in what was said.
    pub fn says(&self, words: &str) -> bool {
        let mut errors = self.errors.iter();
        self.said.contains(words) || errors.any(|error| error.rendered.contains(words))
    }

    /// Whether some lint, being denied, is among the errors, and nothing that is always one.
    pub fn failed_by_lints(&self) -> bool {
        let codes = self.errors.iter().map(|error| error.code.as_str());
        // Errors proper have a number (`E0308`), lints a name.
        let with_code = codes.filter(|code| !code.is_empty());
        let (proper, lints): (Vec<_>, Vec<_>) = with_code.partition(|code| code.starts_with('E'));
        !self.succeeded && proper.is_empty() && !lints.is_empty()
    }
}
