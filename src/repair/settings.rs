//! The settings of a run, fully resolved. This module does not know where each value came from.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobSet, GlobSetBuilder};
use nopol_basics::paths::glob;
use nopol_process::run::confine;
use nopol_process::run::sandbox::SandboxMode;
use nopol_source::{PatchKind, SiteIndex, Sources};
pub use nopol_synth::EngineKind;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::shard::Shard;
use crate::config::seconds;
use crate::subject::{Project, Subject, SubjectError};

/// Most steps of a failing or forced test, unless a limit is set.
const FUEL: NonZeroU64 = NonZeroU64::MIN.saturating_add(20_000_000 - 1);

/// How far the pipeline runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// Run the tests as they are.
    Baseline,
    /// List tests and sites.
    List,
    /// Find angelic sites.
    Localize,
    /// Find patches.
    #[default]
    Repair,
}

/// Everything that a run depends on. Fields that files and the environment can set are defined only here: a field's
/// name is its key and the name of its long option.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// The project under repair.
    #[serde(skip)]
    pub project: Project,
    /// The program that stands in for compilers in instrumented builds: a program whose first call is
    /// [`crate::run_as_stand_in`].
    #[serde(skip)]
    pub tool: Option<PathBuf>,
    /// The options of this call that say which program is meant and where its results are, quoted for a shell, each
    /// preceded by a space, to repeat in suggested commands.
    #[serde(skip)]
    pub place: String,
    /// Files to which this call writes reports. No search depends on them.
    #[serde(skip)]
    pub outputs: BTreeSet<PathBuf>,
    /// How far the pipeline runs.
    #[serde(skip)]
    pub depth: Depth,
    /// The failing tests to fix; all if empty.
    pub failing: Vec<String>,
    /// The directory of a version that is known to be right. Tests without an expected result expect what it prints.
    pub reference: Option<Utf8PathBuf>,
    /// Globs of the files that may have sites; all if empty.
    pub file: Vec<String>,
    /// Globs of the files that have no sites.
    pub exclude_file: Vec<String>,
    /// Lines (`FILE:FIRST-LAST`) to which sites are restricted; all if empty.
    pub lines: Vec<String>,
    /// Functions and lines (`FILE:LINE`) near which the fault is probably.
    pub near: Vec<String>,
    /// A unified diff, or a commit since which the fault was probably introduced.
    pub in_diff: Option<String>,
    /// Whether sites are restricted to the lines changed by `in_diff`, or since the last commit.
    pub only_in_diff: bool,
    /// A unified diff, or a commit: reviewers see the patches on the lines that differ between it and `HEAD`.
    pub diff_base: Option<String>,
    /// The kinds of patches; all if empty.
    pub kind: Vec<PatchKind>,
    /// Whether two conditions are changed at once if no single patch cures a test.
    pub multi: bool,
    /// Patches shown for each group of failing tests with one probable cause.
    #[serde(deserialize_with = "at_least_one")]
    pub top: usize,
    /// The least confidence, 0 to 1, of patches that are shown.
    #[serde(deserialize_with = "probability")]
    pub min_confidence: f64,
    /// This run's shard of the search; the whole search if `None`.
    pub shard: Option<Shard>,
    /// Test processes in parallel; one per processor if `None`.
    #[serde(deserialize_with = "some_positive")]
    pub jobs: Option<NonZeroUsize>,
    /// Time limit of the whole run.
    #[serde(with = "seconds::option")]
    pub time_limit: Option<Duration>,
    /// Time limit of one test.
    #[serde(with = "seconds")]
    pub test_timeout: Duration,
    /// Memory limit of one test, in GiB.
    #[serde(deserialize_with = "positive")]
    pub memory: NonZeroU32,
    /// Most steps (loop iterations and evaluations) of a failing or forced test.
    pub fuel: NonZeroU64,
    /// Most runs of a failing test in which one evaluation of a condition is flipped.
    pub flips: usize,
    /// What the sandbox forbids to runs of the subject.
    pub sandbox: SandboxMode,
    /// Whether formulas about conditions are switched off.
    pub no_formula: bool,
    /// Whether the search for changes of linked structures is switched off.
    pub no_heap: bool,
    /// Whether last resorts are hidden, and patches that remove a `break` or `continue`.
    pub no_trivial: bool,
    /// Whether only existing conditions and statements are examined, for a single patch.
    pub quick: bool,
    /// Whether nothing is skipped to save time.
    pub thorough: bool,
    /// The engine that synthesizes conditions.
    pub engine: EngineKind,
    /// The directory to which synthesis problems are written.
    pub dump: Option<Utf8PathBuf>,
    /// The directory of the working copies and the build cache.
    pub work_dir: Option<Utf8PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            project: Project::default(),
            tool: None,
            place: String::new(),
            outputs: BTreeSet::new(),
            depth: Depth::default(),
            failing: Vec::new(),
            reference: None,
            file: Vec::new(),
            exclude_file: Vec::new(),
            lines: Vec::new(),
            near: Vec::new(),
            in_diff: None,
            only_in_diff: false,
            diff_base: None,
            kind: Vec::new(),
            multi: false,
            top: 5,
            min_confidence: 0.0,
            shard: None,
            jobs: None,
            time_limit: None,
            test_timeout: Duration::from_secs(20),
            memory: confine::MEMORY,
            fuel: FUEL,
            flips: 400,
            sandbox: SandboxMode::default(),
            no_formula: false,
            no_heap: false,
            no_trivial: false,
            quick: false,
            thorough: false,
            engine: EngineKind::default(),
            dump: None,
            work_dir: None,
        }
    }
}

/// A positive number of a type of at most 64 bits, with an error message for the user.
fn positive<'de, D: Deserializer<'de>, T: TryFrom<NonZeroU64>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let number = i64::deserialize(deserializer)?;
    let positive = u64::try_from(number).ok().and_then(NonZeroU64::new);
    let positive =
        positive.ok_or_else(|| D::Error::custom(format!("{number} is not a positive number")))?;
    T::try_from(positive).map_err(|_| D::Error::custom(format!("{number} is too large")))
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    positive(deserializer).map(NonZeroUsize::get)
}

fn some_positive<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NonZeroUsize>, D::Error> {
    positive(deserializer).map(Some)
}

fn probability<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let fits = (0.0..=1.0).contains(&number).then_some(number);
    fits.ok_or_else(|| D::Error::custom(format!("{number} is not a number from 0 to 1")))
}

impl Settings {
    /// The keys whose values are paths.
    pub const PATHS: [&str; 3] = ["dump", "reference", "work-dir"];

    /// Whether the value of a key is always a path, or is one if such a file exists.
    pub fn may_be_path(key: &str) -> bool {
        Self::PATHS.contains(&key) || ["in-diff", "diff-base"].contains(&key)
    }

    /// Why a settings file may not set a key to this value; `None` if it may. A file may come with the subject, which
    /// must not decide what its own code is forbidden.
    pub fn refused_in_files(key: &str, value: Option<&str>) -> Option<&'static str> {
        let is_off = key == "sandbox" && value == Some(SandboxMode::Off.name());
        is_off.then_some(
            "a file cannot switch the sandbox off, since it may have come with the code that is run; \
             pass `--sandbox off` or set CARGO_NOPOL_SANDBOX=off",
        )
    }

    /// The project under repair, loaded now.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if it cannot be read.
    pub fn subject(&self) -> Result<Subject, SubjectError> {
        let mut subject = Subject::load(&self.project)?;
        subject.tool.clone_from(&self.tool);
        Ok(subject)
    }

    /// Whether linked structures are searched if no condition repairs the program. Options that narrow the search to
    /// kinds of patches or a shard exclude them.
    pub fn is_for_structures(&self) -> bool {
        let is_for_all = self.kind.is_empty() && self.shard.is_none();
        is_for_all && !self.no_heap && !self.quick
    }

    /// The factor by which the usual limits on work are raised.
    pub fn effort(&self) -> usize {
        match self.thorough {
            true => 5,
            false => 1,
        }
    }

    /// Patches shown for each group of failing tests with one probable cause.
    pub fn shown(&self) -> usize {
        match self.quick {
            true => 1,
            false => self.top,
        }
    }

    /// Test processes in parallel.
    pub fn jobs(&self) -> usize {
        match self.jobs {
            Some(jobs) => jobs.get(),
            None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        }
    }

    /// Whether a file may have sites.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if a glob is malformed.
    pub fn file_filter(&self) -> Result<impl Fn(&Utf8Path) -> bool + use<>, SubjectError> {
        let (wanted, unwanted) = (globs(&self.file)?, globs(&self.exclude_file)?);
        Ok(move |path: &Utf8Path| {
            (wanted.is_empty() || wanted.is_match(path)) && !unwanted.is_match(path)
        })
    }

    /// The patterns of `--exclude-file` that match none of these files.
    ///
    /// # Errors
    /// If a pattern is not a glob.
    pub fn idle_excludes<'f>(
        &self,
        files: impl Iterator<Item = &'f Utf8Path> + Clone,
    ) -> Result<Vec<&str>, SubjectError> {
        let mut idle = Vec::new();
        for pattern in &self.exclude_file {
            let set = globs(std::slice::from_ref(pattern))?;
            if !files.clone().any(|file| set.is_match(file)) {
                idle.push(pattern.as_str());
            }
        }
        Ok(idle)
    }

    /// Whether patches of this kind are wanted.
    pub fn wants(&self, kind: PatchKind) -> bool {
        match self.kind.is_empty() {
            true => !kind.is_on_request(),
            false => self.kind.contains(&kind),
        }
    }

    /// The options that restrict where patches may go, as written on the command line.
    pub fn narrowed_by(&self) -> Vec<String> {
        let named = |option: &str, values: &[String]| -> Vec<String> {
            let quoted = values.iter().map(|value| match shlex::try_quote(value) {
                Ok(quoted) => quoted.into_owned(),
                // No argument contains NUL, so quoting cannot fail.
                Err(_) => value.clone(),
            });
            quoted.map(|value| format!("--{option} {value}")).collect()
        };
        let kinds: Vec<String> = self.kind.iter().map(|it| it.name().to_owned()).collect();
        let mut options = [
            named("kind", &kinds),
            named("file", &self.file),
            named("exclude-file", &self.exclude_file),
            named("lines", &self.lines),
        ]
        .concat();
        if self.only_in_diff {
            options.push("--only-in-diff".to_owned());
            options.extend(named("in-diff", self.in_diff.as_slice()));
        }
        if self.quick {
            options.push("--quick".to_owned());
        }
        options
    }

    /// Whether patches are wanted at sites whose outcomes can be forced.
    pub fn wants_outcomes(&self) -> bool {
        let mut kinds = PatchKind::ALL.into_iter();
        kinds.any(|kind| !kind.is_on_request() && self.wants(kind))
    }

    /// The sites that are not of the wanted kinds or that `--quick` skips, or belong to another shard.
    pub fn unwanted(&self, sources: &Sources) -> BTreeSet<SiteIndex> {
        sources
            .sites
            .iter_enumerated()
            .filter(|(_, site)| {
                let kind = site.kind.patch_kind();
                // `--quick` tries no early exits, even those asked for.
                let is_skipped =
                    self.quick && kind == PatchKind::Guard && self.kind.contains(&kind);
                let is_wanted = self.wants(kind) && !is_skipped;
                !is_wanted || self.shard.is_some_and(|shard| !shard.has(&site.id))
            })
            .map(|(index, _)| index)
            .collect()
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, SubjectError> {
    let bad = |error: String| {
        SubjectError::Usage(format!("not a glob for --file or --exclude-file: {error}"))
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern).map_err(bad)?);
    }
    set.build().map_err(|error| bad(error.to_string()))
}
