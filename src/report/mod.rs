//! The outcome of a run and its presentation. Formats know only the [`Outcome`].

mod assurance;
pub mod beside;
pub mod brief;
mod compared;
mod contexts;
pub mod display;
mod ended;
mod ending;
pub mod events;
pub mod explain;
mod fault;
pub mod format;
mod grouped;
pub mod last;
pub mod markup;
pub mod merge;
pub mod phrases;
mod preparation;
pub mod progress;
mod reasoned;
mod reasons;
pub mod regions;
mod repository;
mod scope;
pub mod snippet;
pub mod terminal;
mod test_names;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;
use std::sync::Arc;

use camino::Utf8PathBuf;
use nopol_basics::agree;
use serde::{Deserialize, Serialize};

pub use self::assurance::{Assurance, advice, claim, number};
pub use self::contexts::{ClauseReport, ContextReport, ContextRow, ContextTable, DifferenceReport};
pub use self::ended::Ended;
pub use self::ending::{
    EXIT_CODES, EXPLAIN_EXIT_CODES, Ending, LIST_EXIT_CODES, LOCALIZE_EXIT_CODES, MERGE_EXIT_CODES,
    REVIEW_EXIT_CODES,
};
pub use self::fault::{FaultPlace, FaultReport};
pub use self::preparation::Preparation;
pub use self::scope::Scope;
pub use self::test_names::TestNames;

/// A name that the tool itself defines, such as that of a kind of patch or of a command.
pub type Name = &'static str;

/// The test of `--run` or `--fuzz`: a file that the subject does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTest {
    /// Relative to the subject's root.
    pub path: Utf8PathBuf,
    /// What is in it.
    pub text: String,
}

/// Everything that a run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// How the run ended.
    pub ending: Ending,
    /// Why it ended this way: a sentence, or the compiler's output.
    pub message: Option<String>,
    /// Warnings for the user, a sentence each.
    pub warnings: Vec<String>,
    /// Files and parts of files in which no patch was searched for, each with the reason: they could not be read, or
    /// are compiled only for tests.
    pub unread: Vec<String>,
    /// The names of the tests in reports for people.
    #[serde(default)]
    pub names: TestNames,
    /// All tests, if they are listed.
    pub tests: Vec<String>,
    /// Tests that failed in every run.
    pub failing_tests: Vec<String>,
    /// Failing tests that were not to be repaired, because `--failing` names others. Files use the former name of this
    /// field.
    #[serde(default, rename = "set_aside")]
    pub not_targeted: Vec<String>,
    /// Doctests that fail, as far as they ran.
    #[serde(default)]
    pub failing_examples: Vec<String>,
    /// Whether the documentation has doctests.
    #[serde(default)]
    pub has_doctests: bool,
    /// Tests that passed in every run.
    pub passing_tests: Vec<String>,
    /// How some of the failing tests fail.
    pub complaints: Vec<Complaint>,
    /// Tests that passed in some runs and failed in others.
    pub flaky_tests: Vec<String>,
    /// The texts of the files that contain examined sites, by path.
    pub files: BTreeMap<String, Arc<str>>,
    /// The sites that were examined or listed.
    pub sites: Vec<SiteReport>,
    /// The test of `--run`, which the subject does not have.
    #[serde(default)]
    pub run_test: Option<RunTest>,
    /// The patches, best first.
    pub patches: Vec<PatchReport>,
    /// The results of `faults`, which has no patches, the likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultReport>,
    /// The failing tests that have patches, grouped by the patches that cure them.
    pub groups: Vec<GroupReport>,
    /// The phases of the run, in order.
    pub phases: Vec<Phase>,
    /// Number of builds of the subject.
    pub builds: u32,
    /// The patch that was written into the subject.
    #[serde(skip)]
    pub applied: Option<Choice>,
    /// Whether writing a patch into the subject was requested, but refused.
    #[serde(skip)]
    pub is_refused: bool,
    /// The command line that starts the tool for subjects in this language.
    #[serde(deserialize_with = "last::command")]
    pub command: Name,
    /// The options of this run, each preceded by a space, to repeat in suggested commands.
    pub options: String,
    /// Those of the options that say which program is meant and where its results are; commands that do not search take
    /// only these.
    #[serde(skip)]
    pub place: String,
    /// The options or settings of this run that restrict where patches may go.
    #[serde(default)]
    pub narrowed_by: Vec<String>,
    /// How much of the program these options leave.
    #[serde(default)]
    pub scope: Scope,
    /// Whether changing two conditions at once was also tried.
    pub tried_pairs: bool,
    /// The option that hides all plausible patches, such as `--min-confidence 0.9`.
    #[serde(default)]
    pub hidden_by: Option<String>,
    /// Whether the instrumentation changes the outcome of every failing test.
    #[serde(default)]
    pub is_disturbed: bool,
    /// The cargo packages under repair. Empty for a C program.
    pub packages: Vec<PackageReport>,
    /// The path from the top of the repository to the subject's root: empty, or with a slash at its end.
    pub prefix: String,
    /// The lines of each file that the hunks of a pull request's diff show. `None` if no diff was given.
    pub diff_lines: Option<BTreeMap<String, Vec<RangeInclusive<usize>>>>,
    /// The commit that has those lines. `None` if it is not known, or no diff was given.
    #[serde(default)]
    pub commit: Option<String>,
    /// The shard of this outcome, as its number and the number of shards. `None` for a whole search.
    #[serde(default)]
    pub share: Option<(u64, u64)>,
    /// A hash of the `Cargo.lock` that cargo made in the working copy. `None` if the subject had one.
    #[serde(default)]
    pub made_lock: Option<String>,
    /// Other files that the build and the tests made in the working copy, relative to the subject's root.
    #[serde(default)]
    pub made_files: BTreeSet<String>,
    /// The later commands that may refer to these patches.
    #[serde(skip)]
    pub reach: Reach,
    /// Whether the report for people shows every patch in full.
    #[serde(skip)]
    pub is_full: bool,
}

/// Which later commands may refer to the patches of an outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// All commands: the patches are kept as those of a search.
    #[default]
    All,
    /// Only `apply` and `explain`; `review` would search again.
    Apply,
    /// No command: the patches are not kept.
    Nothing,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            run_test: None,
            ending: Ending::NoPatch,
            message: None,
            warnings: Vec::new(),
            unread: Vec::new(),
            names: TestNames::default(),
            tests: Vec::new(),
            failing_tests: Vec::new(),
            not_targeted: Vec::new(),
            failing_examples: Vec::new(),
            has_doctests: false,
            passing_tests: Vec::new(),
            complaints: Vec::new(),
            flaky_tests: Vec::new(),
            files: BTreeMap::new(),
            sites: Vec::new(),
            patches: Vec::new(),
            faults: Vec::new(),
            groups: Vec::new(),
            phases: Vec::new(),
            builds: 0,
            applied: None,
            is_refused: false,
            command: "cargo nopol",
            options: String::new(),
            place: String::new(),
            narrowed_by: Vec::new(),
            scope: Scope::default(),
            tried_pairs: false,
            hidden_by: None,
            is_disturbed: false,
            packages: Vec::new(),
            prefix: String::new(),
            diff_lines: None,
            commit: None,
            share: None,
            made_lock: None,
            made_files: BTreeSet::new(),
            reach: Reach::default(),
            is_full: false,
        }
    }
}

/// How a failing test fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The test.
    pub test: String,
    /// The rest of the sentence after its name: `panics at src/lib.rs:3:5: …`.
    pub why: String,
}

impl Complaint {
    /// The whole sentence: `` `tests::odd` panics at src/lib.rs:3:5: … ``.
    pub fn sentence(&self) -> String {
        format!("{} {}", markup::code(&self.test), self.why)
    }
}

/// A cargo package, for messages in cargo's format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageReport {
    /// Its id in cargo.
    pub id: String,
    /// Its directory, relative to the subject's root. Empty if it is the root.
    pub dir: String,
    /// The path of its manifest.
    pub manifest: String,
    /// The name of its library, or of its first target.
    pub target: String,
    /// The kind of that target: `lib`, `bin`.
    pub target_kind: String,
    /// The path of that target's first source file.
    pub target_file: String,
    /// Its Rust edition.
    pub edition: String,
}

/// A site that was examined or listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteReport {
    /// Stable between runs.
    pub id: String,
    /// The kind of its patches, as in `--kind`.
    #[serde(deserialize_with = "last::kind")]
    pub kind: Name,
    /// Whether the site already has a condition.
    #[serde(default)]
    pub has_condition: bool,
    /// The path relative to the subject's root.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The condition or statement, or for an insertion point the code that would be inserted.
    pub text: String,
    /// Ochiai's coefficient, 0 to 1.
    pub suspiciousness: f64,
    /// The forced outcomes that cure a test.
    pub angelic: Vec<AngelicReport>,
    /// Why an angelic site has no patch.
    pub reason: Option<String>,
}

impl SiteReport {
    /// The reason why the site has no patch.
    pub fn why_no_patch(&self) -> &str {
        self.reason
            .as_deref()
            .unwrap_or("none of its candidates was judged")
    }
}

/// A forced outcome under which a failing test passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AngelicReport {
    /// The failing test.
    pub test: String,
    /// The forced outcomes.
    pub how: AngelicHow,
}

/// Forced outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AngelicHow {
    /// Every evaluation had this outcome; `false` skips a statement.
    Constant(bool),
    /// The outcomes of these evaluations, counted from 1, were negated.
    Flipped(Vec<u32>),
    /// The first `evaluations` had this outcome; the later ones had the opposite outcome, or their own.
    First {
        /// Number of these evaluations.
        evaluations: u32,
        /// Their outcome.
        outcome: bool,
        /// Whether the later evaluations had the opposite outcome.
        then_opposite: bool,
    },
    /// The evaluations after the first `evaluations` had this outcome.
    After {
        /// Number of evaluations before them.
        evaluations: u32,
        /// The outcome of the later evaluations.
        outcome: bool,
    },
}

/// Failing tests that probably have a common cause, and their patches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GroupReport {
    /// The failing tests.
    pub tests: Vec<String>,
    /// The ids of the patches, best first.
    pub patches: Vec<String>,
}

/// A change that cures failing tests and breaks no other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PatchReport {
    /// Stable between runs.
    pub id: String,
    /// Counted from 1.
    pub rank: usize,
    /// How unlikely a maintainer is to write it. Smaller is better; comparable within one subject.
    pub cost: u32,
    /// The probability that a maintainer would write it, 0 to 1, in hundredths.
    pub confidence: f64,
    /// The kind of patch, as in `--kind`.
    #[serde(deserialize_with = "last::kind")]
    pub kind: Name,
    /// Its edits.
    pub edits: Vec<EditReport>,
    /// Its edits as a unified diff.
    pub diff: String,
    /// The failing tests that it cures.
    pub fixes: Vec<String>,
    /// The doctests that still fail with the patch, named as without it.
    #[serde(default)]
    pub failing_examples: Vec<String>,
    /// Whether it is a last resort: a constant condition, or a removed statement.
    pub is_trivial: bool,
    /// How far it was checked.
    pub evidence: Assurance,
    /// Compiler warnings and valgrind errors that only occur with the patch. They lower its rank.
    pub doubts: Vec<String>,
    /// What was changed, in a few words.
    pub why: String,
    /// The tests that decided each clause of the new condition, left to right.
    pub clauses: Vec<ClauseReport>,
    /// The tests that it fixes and that have no recorded contexts at its places.
    #[serde(default)]
    pub unrecorded: Vec<String>,
    /// The contexts recorded at each of its places. Empty if nothing was recorded.
    pub tables: Vec<ContextTable>,
    /// How it differs from the best other patch at the same site.
    pub differs: Option<DifferenceReport>,
    /// Its best alternatives. No test that this patch must pass distinguishes them from it, and each differs from it or
    /// from another alternative only in one clause, one operator or its place within the function, or only because it
    /// cannot be computed for some values.
    pub alternatives: Vec<AlternativeReport>,
    /// Number of its alternatives.
    pub alike: usize,
}

impl PatchReport {
    /// Whether it changes the code at a site.
    pub fn is_at(&self, site: &SiteReport) -> bool {
        self.sites().any(|id| id == site.id)
    }

    /// The ids of the sites at which it changes the code, which its own id contains.
    pub fn sites(&self) -> impl Iterator<Item = &str> {
        let parts = self.id.split('+');
        parts.filter_map(|part| part.split_once('-').map(|(id, _)| id))
    }

    /// What speaks against the patch, as a sentence without its full stop.
    pub fn doubt(&self) -> Option<String> {
        let warnings = self.doubts.join("; ");
        let warned = (!warnings.is_empty()).then(|| match self.evidence.is_ranked() {
            true => format!("ranked lower: with this patch {warnings}"),
            false => warnings,
        });
        let only_among_passing = self.clauses.iter().any(|clause| clause.only_among_passing);
        let mut made_for: Vec<(&str, Vec<String>)> = Vec::new();
        for clause in &self.clauses {
            let Some(test) = &clause.only_test else {
                continue;
            };
            let text = markup::code(&clause.text);
            match made_for.iter_mut().find(|(known, _)| *known == test) {
                Some((_, clauses)) => clauses.push(text),
                None => made_for.push((test, vec![text])),
            }
        }
        let made_for = made_for.iter().map(|(test, clauses)| {
            format!(
                "{} may overfit {}: no {} test has {} here",
                phrases::listed(clauses),
                markup::code(test),
                match only_among_passing {
                    true => "passing",
                    false => "other",
                },
                agree(clauses.len(), "this value", "these values")
            )
        });
        let doubts: Vec<String> = warned.into_iter().chain(made_for).collect();
        (!doubts.is_empty()).then(|| doubts.join("; "))
    }

    /// The edits of an alternative, with the texts of their files. `None` if it changes another file than the patch.
    pub fn edits_of(&self, other: &AlternativeReport) -> Option<Vec<EditReport>> {
        let with_original = |edit: &EditReport| {
            let mut known = self.edits.iter();
            let known = known.find(|known| known.file == edit.file)?;
            Some(EditReport {
                original: Arc::clone(&known.original),
                ..edit.clone()
            })
        };
        other.edits.iter().map(with_original).collect()
    }

    /// Its confidence in words.
    pub fn likelihood(&self) -> &'static str {
        match self.confidence {
            _ if !self.evidence.is_ranked() => "not rated",
            it if it >= 0.5 => "likely",
            it if it >= 0.2 => "possible",
            _ => "a guess",
        }
    }
}

/// A patch, or an alternative to it: `2`, or `2.1` for the first alternative to the second patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The rank of the patch, counted from 1.
    pub rank: u32,
    /// The number of the alternative, counted from 1.
    pub alternative: Option<u32>,
}

impl Choice {
    /// The patch or the alternative, as a sentence names it.
    pub fn named(self) -> String {
        match self.alternative {
            None => format!("patch {self}"),
            Some(_) => format!("alternative {self}"),
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let number: Option<u32> = text.parse().ok();
            number.filter(|number| *number > 0).ok_or_else(|| {
                "ranks start at 1; `2.1` is the first alternative to patch 2".to_owned()
            })
        };
        let (rank, alternative) = match text.split_once('.') {
            Some((rank, alternative)) => (rank, Some(number(alternative)?)),
            None => (text, None),
        };
        Ok(Self {
            rank: number(rank)?,
            alternative,
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.alternative {
            Some(alternative) => write!(f, "{}.{alternative}", self.rank),
            None => write!(f, "{}", self.rank),
        }
    }
}

/// An alternative to a patch. It passed the tests in the build with all candidates, but was not built alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AlternativeReport {
    /// Stable between runs.
    pub id: String,
    /// The new condition by itself.
    pub condition: String,
    /// The change in words: the new text, its extent and its place.
    pub change: String,
    /// What was changed, in a few words.
    pub why: String,
    /// The change as a unified diff.
    pub diff: String,
    /// Its edits, in the same files as the patch, without the texts of the files.
    pub edits: Vec<EditReport>,
    /// The smallest context found in which it differs from the patch and that can occur.
    pub differs: Option<ContextReport>,
    /// Values for which the two may differ, which need not occur together. They guide the search for a distinguishing
    /// test.
    pub hints: Vec<String>,
}

/// An edit of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditReport {
    /// The path relative to the subject's root.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The replaced bytes.
    pub span: Range<usize>,
    /// The bytes that readers should look at, if formatting widened the edit: the condition, or the insertion point.
    #[serde(default)]
    pub mark: Option<Range<usize>>,
    /// The text of the whole file before the edit.
    pub original: Arc<str>,
    /// The replaced text.
    pub before: String,
    /// The replacement.
    pub after: String,
    /// The new condition by itself.
    pub condition: String,
}

impl EditReport {
    /// The bytes that readers should look at, and the text there.
    pub fn marked(&self) -> (Range<usize>, &str) {
        let of_mark = self.mark.clone().and_then(|mark| {
            let text = self.original.get(mark.clone())?;
            Some((mark, text))
        });
        of_mark.unwrap_or_else(|| (self.span.clone(), &self.before))
    }
}

/// A phase of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Phase {
    /// Its name in reports.
    pub name: Cow<'static, str>,
    /// Wall time, in seconds.
    pub seconds: f64,
    /// Number of test processes that ran in it.
    pub runs: u64,
}

impl Outcome {
    /// The best patch of each group of failing tests. Without groups, the first patch.
    pub fn best_patches(&self) -> Vec<&PatchReport> {
        let of_groups = self.groups.iter().filter_map(|group| {
            let id = group.patches.first()?;
            self.patches.iter().find(|patch| patch.id == *id)
        });
        let mut best: Vec<&PatchReport> = of_groups.collect();
        if best.is_empty() {
            best.extend(self.patches.first());
        }
        best
    }

    /// Sets the ending to patched, for all failing tests or for some.
    pub fn set_patched(&mut self) {
        self.ending = match self.still_failing().is_empty() {
            true => Ending::Patched,
            false => Ending::PartlyPatched,
        };
    }

    /// The failing tests to repair that no patch cures.
    pub fn still_failing(&self) -> Vec<&str> {
        let cured = |test: &String| self.patches.iter().any(|patch| patch.fixes.contains(test));
        let is_open = |test: &&String| !cured(test) && !self.not_targeted.contains(test);
        let failing = self.failing_tests.iter().filter(is_open);
        failing.map(String::as_str).collect()
    }

    /// The sentence that names the tests that no patch fixes, if there are patches.
    pub fn unfixed(&self) -> Option<String> {
        let still = self.still_failing();
        if self.patches.is_empty() || still.is_empty() {
            return None;
        }
        let none = match self.patches.len() {
            1 => "The patch does not fix",
            _ => "None of the patches fixes",
        };
        Some(format!("{none} {}.", phrases::any_name(&still)))
    }
}

#[cfg(test)]
mod tests;
