//! What was asked for, in the words of the command line.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::run::sandbox::SandboxMode;
use crate::source::{PatchKind, SiteIndex, Sources};
use crate::subject::{Project, SubjectError};
pub use crate::synth::EngineKind;

/// How far the pipeline goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    List,
    Localize,
    #[default]
    Repair,
}

/// Options of every subcommand.
#[derive(Args, Clone, Debug, Default)]
pub struct Settings {
    /// What is under repair.
    #[arg(skip)]
    pub project: Project,

    /// Repair this failing test; may be given several times [default: all failing tests]
    #[arg(long, value_name = "[PKG::][TARGET::]NAME", help_heading = "Tests")]
    pub failing: Vec<String>,

    /// Look for sites only in files that match this glob, relative to the workspace root
    #[arg(long, value_name = "GLOB", help_heading = "Sites")]
    pub file: Vec<String>,

    /// Look for no sites in files that match this glob
    #[arg(long, value_name = "GLOB", help_heading = "Sites")]
    pub exclude: Vec<String>,

    /// Only patches of this kind; may be given several times [default: all kinds]
    #[arg(long, value_name = "KIND", help_heading = "Sites", value_parser = kinds())]
    pub kind: Vec<PatchKind>,

    /// Where no single patch cures a failing test, look for two conditions to change at once
    #[arg(long)]
    pub multi: bool,

    /// How many patches to show at most for each group of failing tests
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = at_least_one)]
    pub top: usize,

    /// Test processes at a time [default: the number of processors]
    #[arg(long, short, value_name = "N", help_heading = "Limits")]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// Stop after this many seconds and show what was found
    #[arg(long, value_name = "SECONDS", help_heading = "Limits", value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// Seconds a single test may take
    #[arg(long, value_name = "SECONDS", default_value = "20", help_heading = "Limits", value_parser = seconds)]
    pub test_timeout: Duration,

    /// Loop iterations a failing or forced test may make
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000_000,
        help_heading = "Limits"
    )]
    pub fuel: u64,

    /// Runs of a failing test in which a single evaluation of a condition is made otherwise
    #[arg(long, value_name = "N", default_value_t = 400, help_heading = "Limits")]
    pub flips: usize,

    /// What runs of the subject are kept from: nothing, writing elsewhere than to the working copy and their own
    /// temporary directory, or also the network and signals to others
    #[arg(long, value_name = "MODE", help_heading = "Limits",
        default_value = SandboxMode::default().name(), value_parser = sandboxes())]
    pub sandbox: SandboxMode,

    /// Show no patch that only skips a statement or makes a condition constant
    #[arg(long, help_heading = "Synthesis")]
    pub no_trivial: bool,

    /// Which engine looks for conditions
    #[arg(long, value_name = "ENGINE", help_heading = "Synthesis",
        default_value = EngineKind::default().name(), value_parser = engines())]
    pub engine: EngineKind,

    /// Write each synthesis problem as SITE-N.json, .smt2 (SMT-LIB 2) and .sl (SyGuS-IF) to this directory
    #[arg(long, value_name = "DIR", help_heading = "Synthesis")]
    pub dump: Option<Utf8PathBuf>,

    /// Where to keep the working copy and the build cache [default: TARGET_DIR/nopol; for C in ~/.cache/cargo-nopol]
    #[arg(long, value_name = "DIR")]
    pub work_dir: Option<Utf8PathBuf>,

    /// Say more about what is being done
    #[arg(long, short)]
    pub verbose: bool,

    #[arg(skip)]
    pub depth: Depth,
}

/// The kinds by the names that reports use.
fn kinds() -> impl TypedValueParser<Value = PatchKind> {
    PossibleValuesParser::new(PatchKind::ALL.map(PatchKind::name)).map(|name| {
        let known = PatchKind::ALL.into_iter().find(|kind| kind.name() == name);
        known.unwrap_or(PatchKind::Condition)
    })
}

/// The engines by their names.
pub fn engines() -> impl TypedValueParser<Value = EngineKind> {
    let named = |name: String| EngineKind::ALL.into_iter().find(|kind| kind.name() == name);
    PossibleValuesParser::new(EngineKind::ALL.map(EngineKind::name))
        .map(move |name| named(name).unwrap_or_default())
}

/// The modes of the sandbox by their names.
fn sandboxes() -> impl TypedValueParser<Value = SandboxMode> {
    let named = |name: String| {
        SandboxMode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
    };
    PossibleValuesParser::new(SandboxMode::ALL.map(SandboxMode::name))
        .map(move |name| named(name).unwrap_or_default())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("`{text}` is not a positive number of seconds"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| format!("`{text}` is not a positive number"))
}

impl Settings {
    /// Test processes at a time.
    pub fn jobs(&self) -> usize {
        match self.jobs {
            Some(jobs) => jobs.get(),
            None => std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        }
    }

    /// Whether a file may have sites.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if a glob is malformed.
    pub fn file_filter(&self) -> Result<impl Fn(&Utf8Path) -> bool + use<>, SubjectError> {
        let (wanted, unwanted) = (globs(&self.file)?, globs(&self.exclude)?);
        Ok(move |path: &Utf8Path| {
            (wanted.is_empty() || wanted.is_match(path)) && !unwanted.is_match(path)
        })
    }

    /// Patterns of `--exclude` that match none of these files.
    ///
    /// # Errors
    /// If one is no glob.
    pub fn idle_excludes<'f>(
        &self,
        files: impl Iterator<Item = &'f Utf8Path> + Clone,
    ) -> Result<Vec<&str>, SubjectError> {
        let mut idle = Vec::new();
        for pattern in &self.exclude {
            let set = globs(std::slice::from_ref(pattern))?;
            if !files.clone().any(|file| set.is_match(file)) {
                idle.push(pattern.as_str());
            }
        }
        Ok(idle)
    }

    /// The sites that are not of the wanted kinds.
    pub fn excluded(&self, sources: &Sources) -> BTreeSet<SiteIndex> {
        (0..)
            .zip(&sources.sites)
            .filter(|(_, site)| {
                !self.kind.is_empty() && !self.kind.contains(&site.kind.patch_kind())
            })
            .map(|(index, _)| index)
            .collect()
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, SubjectError> {
    let bad = |error: globset::Error| SubjectError::Usage(format!("not a glob: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(bad)?);
    }
    set.build().map_err(bad)
}
