//! What is under repair, never edited in place: a cargo workspace or a C program. Its working copy, its
//! builds and its tests. Knows nothing of sites.

pub mod applied;
pub mod c;
pub mod cargo;
pub mod changes;
pub mod dependencies;
pub mod ecosystem;
pub mod files;
pub mod last_file;
mod left_out;
pub mod patching;
pub mod paths;
pub mod stale;
pub mod work_dir;
pub mod workspace;
mod workspace_actions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_source::language::Readable;

use self::c::options::COptions;
use self::cargo::options::CargoOptions;
use self::ecosystem::{Description, Ecosystem};
use crate::config::ConfigError;

/// What is wrong with the subject or with what was asked of it; each ends the run with its own
/// exit code.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// No manifest, a broken one, no such package or test: an error of the user.
    #[error("{0}")]
    Usage(String),
    /// The subject does not build: what does not, with the compiler's output, and then what to do.
    #[error("{0}\n{1}; nothing was changed.")]
    CannotBuild(String, String),
    /// No tests, only flaky failures, or instrumentation changes outcomes.
    #[error("{0}")]
    UnusableBaseline(String),
}

impl From<ConfigError> for SubjectError {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.0)
    }
}

/// Where a subject is and how it is built, as the user described it.
#[derive(Clone, Debug)]
pub enum Project {
    /// A cargo workspace.
    Cargo(CargoOptions),
    /// A C program.
    C(COptions),
}

impl Project {
    /// The user's description, whatever the kind of subject.
    fn description(&self) -> &dyn Description {
        match self {
            Self::Cargo(options) => options,
            Self::C(options) => options,
        }
    }

    /// How the tool is called for it.
    pub fn command(&self) -> &'static str {
        self.description().command()
    }

    /// What chooses the tests.
    pub fn test_options(&self) -> &'static str {
        self.description().test_options()
    }

    /// The user's arguments for test binaries.
    pub fn test_args(&self) -> &[String] {
        self.description().test_args()
    }
}

impl From<CargoOptions> for Project {
    fn from(options: CargoOptions) -> Self {
        Self::Cargo(options)
    }
}

impl From<COptions> for Project {
    fn from(options: COptions) -> Self {
        Self::C(options)
    }
}

impl Default for Project {
    fn default() -> Self {
        Self::Cargo(CargoOptions::default())
    }
}

/// A file that only working copies have, or have with this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedFile {
    /// Relative to the subject's root.
    pub path: Utf8PathBuf,
    /// What is in it.
    pub text: String,
}

/// What is under repair.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The directory that all paths are relative to.
    pub root: Utf8PathBuf,
    /// Where working copies are kept by default; this directory is not copied.
    pub target_dir: Utf8PathBuf,
    /// Directories outside the root that it cannot be built without.
    pub outside: Vec<Utf8PathBuf>,
    /// The program that stands in for compilers in its builds.
    pub tool: Option<PathBuf>,
    /// How it is read, built and tested.
    pub ecosystem: Arc<dyn Ecosystem>,
}

impl Subject {
    /// Finds out what is under repair.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if that cannot be read.
    pub fn load(project: &Project) -> Result<Self, SubjectError> {
        project.description().load()
    }

    /// The files that may have sites.
    pub fn readable(&self) -> Box<dyn Readable> {
        self.ecosystem.readable(&self.root)
    }

    /// Whether its tests must run one after the other.
    pub fn is_serial(&self) -> bool {
        self.ecosystem.is_serial()
    }

    /// What its tests leave open; only asked when all of them pass.
    pub fn weak_oracle(&self) -> Option<&'static str> {
        self.ecosystem.weak_oracle()
    }

    /// Whether its tests run under sanitizers.
    pub fn is_sanitized(&self) -> bool {
        self.ecosystem.is_sanitized()
    }

    /// The program that stands in for compilers.
    ///
    /// # Errors
    /// If it was not set.
    pub fn tool(&self) -> Result<&Path> {
        let told = self.tool.as_deref();
        told.context("the settings name no program (`tool`) to stand in for the compiler")
    }

    /// Whether its tests are built from nothing but its own code.
    pub fn stands_alone(&self) -> bool {
        self.outside.is_empty() && self.ecosystem.stands_alone()
    }

    /// What builds it, in the words of a person who builds it by hand.
    pub fn build_command(&self) -> String {
        self.ecosystem.build_command()
    }

    /// The directory that holds the root and all that is outside of it.
    pub fn top(&self) -> Utf8PathBuf {
        let mut top = self.root.clone();
        while !self.outside.iter().all(|dir| dir.starts_with(&top)) && top.pop() {}
        top
    }

    /// The location of a source file that is given relative to the root.
    pub fn path_of(&self, file: &Utf8Path) -> Utf8PathBuf {
        paths::normal(&self.root.join(file))
    }

    /// A source file as diffs have it: relative to the root, or, if it is not below, for `git apply`
    /// takes no `..`, to the top of its repository.
    pub fn path_in_diffs(&self, file: &Utf8Path) -> Utf8PathBuf {
        if !file.starts_with("..") {
            return file.to_owned();
        }
        let path = self.path_of(file);
        let repository = path.ancestors().find(|dir| dir.join(".git").exists());
        let top = repository.map_or_else(|| self.top(), Utf8Path::to_owned);
        paths::relative(&top, &path)
    }
}

/// The user's cache directory for this tool: `$XDG_CACHE_HOME/cargo-nopol`, or `~/.cache/cargo-nopol`.
pub fn user_cache() -> Option<Utf8PathBuf> {
    let base = match std::env::var("XDG_CACHE_HOME") {
        Ok(dir) if !dir.is_empty() => Utf8PathBuf::from(dir),
        _ => Utf8PathBuf::from(std::env::var("HOME").ok()?).join(".cache"),
    };
    base.is_absolute().then(|| base.join("cargo-nopol"))
}
