//! The kept form of an outcome. It is separate from the types of the report, so that those can change.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::report::{
    AngelicHow, AngelicReport, ClauseReport, DifferenceReport, EditReport, Ending, GroupReport,
    Outcome, PatchReport, Phase, SiteReport,
};

/// A kept outcome.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    ending: KeptEnding,
    message: Option<String>,
    warnings: Vec<String>,
    tests: Vec<String>,
    failing_tests: Vec<String>,
    complaints: Vec<String>,
    flaky_tests: Vec<String>,
    sites: Vec<Site>,
    patches: Vec<Patch>,
    groups: Vec<Group>,
    phases: Vec<KeptPhase>,
    builds: u32,
    command: String,
    options: String,
    tried_pairs: bool,
    /// The texts of the files that patches change, without duplicates.
    originals: Vec<String>,
}

/// The endings of runs that were not stopped.
#[derive(Serialize, Deserialize)]
enum KeptEnding {
    Patched,
    NoPatch,
}

#[derive(Serialize, Deserialize)]
struct Site {
    id: String,
    kind: String,
    file: String,
    line: usize,
    column: usize,
    text: String,
    suspiciousness: f64,
    angelic: Vec<(String, How)>,
    reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
enum How {
    Constant(bool),
    Flipped(Vec<u32>),
    First {
        evaluations: u32,
        outcome: bool,
        then_opposite: bool,
    },
    After {
        evaluations: u32,
        outcome: bool,
    },
}

#[derive(Serialize, Deserialize)]
struct Group {
    tests: Vec<String>,
    patches: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Patch {
    id: String,
    rank: usize,
    kind: String,
    edits: Vec<Edit>,
    diff: String,
    fixes: Vec<String>,
    is_trivial: bool,
    is_checked: bool,
    why: String,
    clauses: Vec<Clause>,
    differs: Option<Difference>,
}

#[derive(Serialize, Deserialize)]
struct Edit {
    file: String,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
    /// Index into `originals`.
    original: usize,
    before: String,
    after: String,
    condition: String,
}

#[derive(Serialize, Deserialize)]
struct Clause {
    text: String,
    failing_tests: Vec<String>,
    passing_tests: Vec<String>,
    contexts: usize,
    example: Vec<(String, String)>,
    outcome: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct Difference {
    other: String,
    ranks: [usize; 2],
    is_seen: bool,
    context: Vec<(String, String)>,
    yields: Option<[Option<bool>; 2]>,
}

#[derive(Serialize, Deserialize)]
struct KeptPhase {
    name: String,
    seconds: f64,
    runs: u64,
}

/// The kept form of an outcome; `None` if the search was not completed.
pub fn keep(outcome: &Outcome) -> Option<Kept> {
    let ending = match outcome.ending {
        Ending::Patched => KeptEnding::Patched,
        Ending::NoPatch => KeptEnding::NoPatch,
        _ => return None,
    };
    // Fields about a later use of the outcome are not kept.
    let Outcome {
        ending: _,
        message,
        warnings,
        tests,
        failing_tests,
        complaints,
        flaky_tests,
        sites,
        patches,
        groups,
        phases,
        builds,
        applied: _,
        is_refused: _,
        command,
        options,
        tried_pairs,
    } = outcome.clone();
    let mut originals = Vec::new();
    let patches = patches.into_iter();
    Some(Kept {
        ending,
        message,
        warnings,
        tests,
        failing_tests,
        complaints,
        flaky_tests,
        sites: sites.into_iter().map(keep_site).collect(),
        patches: patches
            .map(|patch| keep_patch(patch, &mut originals))
            .collect(),
        groups: groups
            .into_iter()
            .map(|GroupReport { tests, patches }| Group { tests, patches })
            .collect(),
        phases: phases
            .into_iter()
            .map(|phase| KeptPhase {
                name: phase.name.into_owned(),
                seconds: phase.seconds,
                runs: phase.runs,
            })
            .collect(),
        builds,
        command: command.to_owned(),
        options,
        tried_pairs,
        originals: originals.iter().map(ToString::to_string).collect(),
    })
}

/// Restores an outcome; `None` if it contains a value that the tool does not write.
pub fn restore(kept: Kept) -> Option<Outcome> {
    let originals: Vec<Arc<str>> = kept.originals.into_iter().map(Arc::from).collect();
    let patches = kept.patches.into_iter();
    let patches: Option<_> = patches
        .map(|patch| restore_patch(patch, &originals))
        .collect();
    Some(Outcome {
        ending: match kept.ending {
            KeptEnding::Patched => Ending::Patched,
            KeptEnding::NoPatch => Ending::NoPatch,
        },
        message: kept.message,
        warnings: kept.warnings,
        tests: kept.tests,
        failing_tests: kept.failing_tests,
        complaints: kept.complaints,
        flaky_tests: kept.flaky_tests,
        sites: kept
            .sites
            .into_iter()
            .map(restore_site)
            .collect::<Option<_>>()?,
        patches: patches?,
        groups: kept
            .groups
            .into_iter()
            .map(|Group { tests, patches }| GroupReport { tests, patches })
            .collect(),
        phases: kept
            .phases
            .into_iter()
            .map(|phase| Phase {
                name: phase.name.into(),
                seconds: phase.seconds,
                runs: phase.runs,
            })
            .collect(),
        builds: kept.builds,
        applied: None,
        is_refused: false,
        command: named(&kept.command, &["cargo nopol", "cargo nopol c"])?,
        options: kept.options,
        tried_pairs: kept.tried_pairs,
    })
}

/// One of several known names.
fn named(name: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().find(|known| **known == name).copied()
}

/// The kind of a site or patch.
fn kind(name: &str) -> Option<&'static str> {
    named(name, &["condition", "expression", "precondition", "guard"])
}

fn keep_site(site: SiteReport) -> Site {
    let SiteReport {
        id,
        kind,
        file,
        line,
        column,
        text,
        suspiciousness,
        angelic,
        reason,
    } = site;
    let angelic = angelic.into_iter();
    Site {
        id,
        kind: kind.to_owned(),
        file,
        line,
        column,
        text,
        suspiciousness,
        angelic: angelic
            .map(|AngelicReport { test, how }| (test, keep_how(how)))
            .collect(),
        reason,
    }
}

fn restore_site(site: Site) -> Option<SiteReport> {
    let angelic = site.angelic.into_iter();
    Some(SiteReport {
        id: site.id,
        kind: kind(&site.kind)?,
        file: site.file,
        line: site.line,
        column: site.column,
        text: site.text,
        suspiciousness: site.suspiciousness,
        angelic: angelic
            .map(|(test, how)| AngelicReport {
                test,
                how: restore_how(how),
            })
            .collect(),
        reason: site.reason,
    })
}

fn keep_how(how: AngelicHow) -> How {
    match how {
        AngelicHow::Constant(outcome) => How::Constant(outcome),
        AngelicHow::Flipped(at) => How::Flipped(at),
        AngelicHow::First {
            evaluations,
            outcome,
            then_opposite,
        } => How::First {
            evaluations,
            outcome,
            then_opposite,
        },
        AngelicHow::After {
            evaluations,
            outcome,
        } => How::After {
            evaluations,
            outcome,
        },
    }
}

fn restore_how(how: How) -> AngelicHow {
    match how {
        How::Constant(outcome) => AngelicHow::Constant(outcome),
        How::Flipped(at) => AngelicHow::Flipped(at),
        How::First {
            evaluations,
            outcome,
            then_opposite,
        } => AngelicHow::First {
            evaluations,
            outcome,
            then_opposite,
        },
        How::After {
            evaluations,
            outcome,
        } => AngelicHow::After {
            evaluations,
            outcome,
        },
    }
}

fn keep_patch(patch: PatchReport, originals: &mut Vec<Arc<str>>) -> Patch {
    let PatchReport {
        id,
        rank,
        kind,
        edits,
        diff,
        fixes,
        is_trivial,
        is_checked,
        why,
        clauses,
        differs,
    } = patch;
    let clauses = clauses.into_iter();
    Patch {
        id,
        rank,
        kind: kind.to_owned(),
        edits: edits
            .into_iter()
            .map(|edit| keep_edit(edit, originals))
            .collect(),
        diff,
        fixes,
        is_trivial,
        is_checked,
        why,
        clauses: clauses
            .map(|clause| {
                let ClauseReport {
                    text,
                    failing_tests,
                    passing_tests,
                    contexts,
                    example,
                    outcome,
                } = clause;
                Clause {
                    text,
                    failing_tests,
                    passing_tests,
                    contexts,
                    example,
                    outcome,
                }
            })
            .collect(),
        differs: differs.map(|differs| {
            let DifferenceReport {
                other,
                ranks,
                is_seen,
                context,
                yields,
            } = differs;
            Difference {
                other,
                ranks,
                is_seen,
                context,
                yields,
            }
        }),
    }
}

fn restore_patch(patch: Patch, originals: &[Arc<str>]) -> Option<PatchReport> {
    let (edits, clauses) = (patch.edits.into_iter(), patch.clauses.into_iter());
    Some(PatchReport {
        id: patch.id,
        rank: patch.rank,
        kind: kind(&patch.kind)?,
        edits: edits
            .map(|edit| restore_edit(edit, originals))
            .collect::<Option<_>>()?,
        diff: patch.diff,
        fixes: patch.fixes,
        is_trivial: patch.is_trivial,
        is_checked: patch.is_checked,
        why: patch.why,
        clauses: clauses
            .map(|clause| ClauseReport {
                text: clause.text,
                failing_tests: clause.failing_tests,
                passing_tests: clause.passing_tests,
                contexts: clause.contexts,
                example: clause.example,
                outcome: clause.outcome,
            })
            .collect(),
        differs: patch.differs.map(|differs| DifferenceReport {
            other: differs.other,
            ranks: differs.ranks,
            is_seen: differs.is_seen,
            context: differs.context,
            yields: differs.yields,
        }),
    })
}

fn keep_edit(edit: EditReport, originals: &mut Vec<Arc<str>>) -> Edit {
    let EditReport {
        file,
        line,
        column,
        span,
        original,
        before,
        after,
        condition,
    } = edit;
    let known = originals.iter().position(|known| **known == *original);
    let index = known.unwrap_or_else(|| {
        originals.push(original);
        originals.len() - 1
    });
    Edit {
        file,
        line,
        column,
        start: span.start,
        end: span.end,
        original: index,
        before,
        after,
        condition,
    }
}

/// Restores an edit; `None` if its span is not valid in the original text, because other code relies on that.
fn restore_edit(edit: Edit, originals: &[Arc<str>]) -> Option<EditReport> {
    let original = Arc::clone(originals.get(edit.original)?);
    original.get(edit.start..edit.end)?;
    Some(EditReport {
        file: edit.file,
        line: edit.line,
        column: edit.column,
        span: edit.start..edit.end,
        original,
        before: edit.before,
        after: edit.after,
        condition: edit.condition,
    })
}
