//! `--format json`: one object on standard output. Only this file defines its shape. The doc comments below are
//! part of the schema, which is committed in `docs/schema.json`; a test compares the two.

mod reading;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use nopol_basics::hash::fnv1a;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};

pub use self::reading::read;
use super::{Render, Rendered};
use crate::report::{
    AlternativeReport, AngelicHow, AngelicReport, Assurance, ClauseReport, DifferenceReport,
    EditReport, Outcome, PatchReport,
};

/// Incremented when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// The report of one run of `cargo nopol`.
#[derive(Serialize, JsonSchema)]
struct Report<'a> {
    /// Version of this format.
    version: u32,
    outcome: OutcomeName,
    /// Why the run ended this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    warnings: &'a [String],
    /// Tests that fail every time, as `PACKAGE::TARGET::NAME`.
    failing_tests: &'a [String],
    /// Tests that passed in some runs and failed in others; neither fixed nor relied on.
    flaky_tests: &'a [String],
    /// All tests; only from `cargo nopol list`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tests: &'a [String],
    /// Places that failing tests reach, most suspicious first; every place from `cargo nopol list`.
    sites: Vec<Site<'a>>,
    /// Plausible patches, best first.
    patches: Vec<Patch<'a>>,
    /// The rank of the patch that was written into the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<u32>,
    /// If it was an alternative to that patch: its number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_alternative: Option<u32>,
    /// The failing tests that have patches, grouped by the patches that fix them: each group seems to have one
    /// cause, and a list of patches of its own.
    groups: Vec<Group<'a>>,
    phases: Vec<Phase<'a>>,
    /// Builds of the subject.
    builds: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OutcomeName {
    Patched,
    /// Some failing tests have no patch.
    PartlyPatched,
    NoPatch,
    NothingToRepair,
    CannotBuild,
    UnusableBaseline,
    TimeLimit,
    Interrupted,
    /// Only from `cargo nopol localize`.
    Localized,
    /// Only from `cargo nopol list`.
    Listed,
    UsageError,
    InternalError,
}

#[derive(Serialize, JsonSchema)]
struct Site<'a> {
    /// Stable as long as the function and the text of the place stay as they are.
    id: &'a str,
    /// `condition`, `expression`, `precondition`, `guard` or `arithmetic`.
    kind: &'a str,
    /// Relative to the workspace root.
    file: &'a str,
    line: usize,
    /// In characters, from 1.
    column: usize,
    text: &'a str,
    /// Ochiai's coefficient, 0 to 1.
    suspiciousness: f64,
    angelic: Vec<Angelic<'a>>,
    /// Why there is no patch at a place where a forced outcome makes a test pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct Angelic<'a> {
    test: &'a str,
    /// The outcome forced at every evaluation; `false` skips a statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    constant: Option<bool>,
    /// Or the evaluations, from 1, whose outcome was made the opposite.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Vec<u32>>,
    /// Or the outcomes of the first evaluations, or of those after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<Switch>,
}

/// A sequence of outcomes that changes once.
#[derive(Serialize, JsonSchema)]
struct Switch {
    /// How many evaluations come before the change.
    after: u32,
    /// The outcome forced before it; absent where each had its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<bool>,
    /// The outcome forced from there on; absent where each had its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Group<'a> {
    /// The tests, as in `failing_tests`.
    tests: &'a [String],
    /// The ids of its patches, best first.
    patches: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct Patch<'a> {
    id: &'a str,
    rank: usize,
    /// The probability, 0 to 1, that it is what a maintainer would write, as learned from repairs whose answer is known.
    confidence: f64,
    /// The same in words: `likely`, `possible` or `a guess`; `not rated` if no search ranked it, and then the confidence is 0.
    likelihood: &'a str,
    /// `condition`, `expression`, `precondition`, `guard` or `arithmetic`.
    kind: &'a str,
    edits: Vec<Edit<'a>>,
    /// A unified diff relative to the workspace root, or, of a file outside of it, to the top of its
    /// git repository.
    diff: &'a str,
    /// The tests it fixes.
    fixes: &'a [String],
    /// A last resort: it only makes a condition constant or removes a statement.
    trivial: bool,
    /// It was rebuilt alone and passed the whole suite: `evidence` is `tested`.
    checked: bool,
    evidence: Assurance,
    /// Compiler warnings and valgrind errors that occur only with the patch; they lower its rank.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    doubts: &'a [String],
    why: &'a str,
    /// What decided each clause of the new condition, left to right.
    clauses: Vec<Clause<'a>>,
    /// How it differs from the best other patch at the same place.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<Difference<'a>>,
    /// Its alternatives, best first, at most nine: no test that the patch must pass distinguishes them from it, and each
    /// differs from it or from another of them only in one clause, one operator or its place within the function, or only
    /// because it cannot be computed for some values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative<'a>>,
    /// How many alternatives it has.
    alike: usize,
}

/// It passed the tests in the build with all candidates, but was not rebuilt alone.
#[derive(Serialize, JsonSchema)]
struct Alternative<'a> {
    id: &'a str,
    /// What `--apply` takes.
    rank: String,
    /// The new condition by itself.
    condition: &'a str,
    why: &'a str,
    edits: Vec<Edit<'a>>,
    diff: &'a str,
    /// The smallest context found in which it and the patch differ; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<BTreeMap<&'a str, &'a str>>,
    /// What the patch and this condition yield there; `null` where one panics.
    #[serde(skip_serializing_if = "Option::is_none")]
    yields: Option<[Option<bool>; 2]>,
}

#[derive(Serialize, JsonSchema)]
struct Clause<'a> {
    text: &'a str,
    /// Tests the patch fixes in which the clause decided an outcome.
    failing_tests: &'a [String],
    /// Passing tests in which the clause decided an outcome.
    passing_tests: &'a [String],
    /// The number of contexts in which it decided an outcome, each counted once per test.
    contexts: usize,
    /// What the clause reads in one of them.
    example: BTreeMap<&'a str, &'a str>,
    /// What it yields there; absent if no test decides the clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    yields: Option<bool>,
    /// The only test that has the value with which the clause compares something, so that it may be made for that test.
    /// Failing tests that the patch does not fix do not count, because their values are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    only_test: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct Difference<'a> {
    /// The other patch's id.
    other: &'a str,
    /// Whether the two differ in a recorded context.
    seen: bool,
    /// The smallest context found in which they differ; empty if none was.
    context: BTreeMap<&'a str, &'a str>,
    /// What this and the other condition yield there; `null` where one panics.
    #[serde(skip_serializing_if = "Option::is_none")]
    yields: Option<[Option<bool>; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Edit<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    span: Span,
    before: &'a str,
    after: &'a str,
    /// The new condition by itself.
    condition: &'a str,
    /// FNV-1a (64 bits) of the whole file before the edit, in hexadecimal digits.
    file_hash: String,
}

/// Bytes of the file, the end exclusive.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Span {
    start: usize,
    end: usize,
}

#[derive(Serialize, JsonSchema)]
struct Phase<'a> {
    name: &'a str,
    seconds: f64,
    /// Test processes run in it.
    runs: u64,
}

/// One JSON object.
pub struct Json;

impl Render for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn help(&self) -> &'static str {
        "One JSON object, as in docs/schema.json"
    }

    fn shows_places(&self) -> bool {
        true
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let text = render(outcome).context("cannot write JSON")?;
        Ok(text.into())
    }
}

/// The report as pretty-printed JSON with a newline at its end.
///
/// # Errors
/// If serialization fails, which it does not for these types.
pub fn render(outcome: &Outcome) -> serde_json::Result<String> {
    use crate::report::Ending;
    let report = Report {
        version: VERSION,
        outcome: match outcome.ending {
            Ending::Patched => OutcomeName::Patched,
            Ending::PartlyPatched => OutcomeName::PartlyPatched,
            Ending::NoPatch => OutcomeName::NoPatch,
            Ending::NothingToRepair => OutcomeName::NothingToRepair,
            Ending::Localized => OutcomeName::Localized,
            Ending::Listed => OutcomeName::Listed,
            Ending::CannotBuild => OutcomeName::CannotBuild,
            Ending::UnusableBaseline => OutcomeName::UnusableBaseline,
            Ending::TimeLimit => OutcomeName::TimeLimit,
            Ending::Interrupted => OutcomeName::Interrupted,
            Ending::Usage => OutcomeName::UsageError,
            Ending::Internal => OutcomeName::InternalError,
        },
        message: outcome.why_not(),
        applied: outcome.applied.map(|applied| applied.rank),
        applied_alternative: outcome.applied.and_then(|applied| applied.alternative),
        warnings: &outcome.warnings,
        failing_tests: &outcome.failing_tests,
        flaky_tests: &outcome.flaky_tests,
        tests: &outcome.tests,
        sites: outcome
            .sites
            .iter()
            .map(|site| Site {
                id: &site.id,
                kind: site.kind,
                file: &site.file,
                line: site.line,
                column: site.column,
                text: &site.text,
                suspiciousness: site.suspiciousness,
                angelic: site.angelic.iter().map(angelic).collect(),
                reason: site.reason.as_deref(),
            })
            .collect(),
        patches: outcome
            .patches
            .iter()
            .map(|patch| Patch {
                id: &patch.id,
                rank: patch.rank,
                confidence: patch.confidence,
                likelihood: patch.likelihood(),
                kind: patch.kind,
                edits: patch.edits.iter().map(edit).collect(),
                diff: &patch.diff,
                fixes: &patch.fixes,
                trivial: patch.is_trivial,
                checked: patch.evidence.is_tested(),
                evidence: patch.evidence,
                doubts: &patch.doubts,
                why: &patch.why,
                clauses: patch.clauses.iter().map(clause).collect(),
                differs: patch.differs.as_ref().map(difference),
                alternatives: (1..)
                    .zip(&patch.alternatives)
                    .map(|(number, other)| alternative(patch, number, other))
                    .collect(),
                alike: patch.alike,
            })
            .collect(),
        groups: outcome
            .groups
            .iter()
            .map(|group| Group {
                tests: &group.tests,
                patches: &group.patches,
            })
            .collect(),
        phases: outcome
            .phases
            .iter()
            .map(|phase| Phase {
                name: &phase.name,
                seconds: phase.seconds,
                runs: phase.runs,
            })
            .collect(),
        builds: outcome.builds,
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn angelic(angelic: &AngelicReport) -> Angelic<'_> {
    let mut report = Angelic {
        test: &angelic.test,
        constant: None,
        sequence: None,
        switch: None,
    };
    match &angelic.how {
        AngelicHow::Constant(value) => report.constant = Some(*value),
        AngelicHow::Flipped(at) => report.sequence = Some(at.clone()),
        AngelicHow::First {
            evaluations,
            outcome,
            then_opposite,
        } => {
            report.switch = Some(Switch {
                after: *evaluations,
                before: Some(*outcome),
                then: then_opposite.then_some(!outcome),
            });
        }
        AngelicHow::After {
            evaluations,
            outcome,
        } => {
            report.switch = Some(Switch {
                after: *evaluations,
                before: None,
                then: Some(*outcome),
            });
        }
    }
    report
}

fn edit(edit: &EditReport) -> Edit<'_> {
    Edit {
        file: &edit.file,
        line: edit.line,
        column: edit.column,
        span: Span {
            start: edit.span.start,
            end: edit.span.end,
        },
        before: &edit.before,
        after: &edit.after,
        condition: &edit.condition,
        file_hash: hash_of(&edit.original),
    }
}

fn hash_of(text: &str) -> String {
    format!("{:016x}", fnv1a(text))
}

fn alternative<'o>(
    patch: &PatchReport,
    number: usize,
    other: &'o AlternativeReport,
) -> Alternative<'o> {
    let hash = |edit: &EditReport| {
        let mut known = patch.edits.iter();
        let known = known.find(|known| known.file == edit.file);
        known.map_or_else(String::new, |known| hash_of(&known.original))
    };
    let differs = other.differs.as_ref();
    Alternative {
        id: &other.id,
        rank: format!("{}.{number}", patch.rank),
        condition: &other.condition,
        why: &other.why,
        edits: other
            .edits
            .iter()
            .map(|of_it| Edit {
                file_hash: hash(of_it),
                ..edit(of_it)
            })
            .collect(),
        diff: &other.diff,
        context: differs.map(|differs| named(&differs.context)),
        yields: differs.map(|differs| differs.yields),
    }
}

fn clause(clause: &ClauseReport) -> Clause<'_> {
    Clause {
        text: &clause.text,
        failing_tests: &clause.failing_tests,
        passing_tests: &clause.passing_tests,
        contexts: clause.contexts,
        example: named(&clause.example),
        yields: clause.outcome,
        only_test: clause.only_test.as_deref(),
    }
}

fn difference(difference: &DifferenceReport) -> Difference<'_> {
    Difference {
        other: &difference.other,
        seen: difference.is_seen,
        context: named(&difference.context),
        yields: difference.yields,
        question: difference.question(),
    }
}

fn named(values: &[(String, String)]) -> BTreeMap<&str, &str> {
    let pairs = values.iter();
    pairs.map(|(name, value)| (&**name, &**value)).collect()
}

/// The JSON schema of [`render`]'s result.
///
/// # Errors
/// If serialization fails, which it does not for this type.
pub fn schema() -> serde_json::Result<String> {
    // The schema of the written form: a list that is left out when it is empty is not required.
    let settings = SchemaSettings::default().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Report>();
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}
