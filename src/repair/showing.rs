//! Makes the patches of the report from plausible fixes, with the differences between them. `validating` builds each
//! fix on its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8Path;
use nopol_basics::diff;
use nopol_basics::hash;
use nopol_basics::{agree, count};
use nopol_process::run::suite::TestIndex;
use nopol_source::Language;
use nopol_source::policies::FormatTool;
use nopol_synth::weights::WEIGHTS;

use super::described::explained;
use super::families::Family;
use super::fix::{Difference, Fix, SiteEdit, single_sites};
use super::knowledge::Knowledge;
use super::ranking::Ranker;
use super::reports;
use super::session::Session;
use super::validating::{Checker, Shown};
use crate::check::format::Formatter;
use crate::check::validate::{Accepted, Rejection};
use crate::patch::edit::{Edit, apply_all};
use crate::patch::words;
use crate::report::AlternativeReport;
use crate::report::Assurance;
use crate::report::ClauseReport;
use crate::report::ContextReport;
use crate::report::DifferenceReport;
use crate::report::EditReport;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::markup::code;
use crate::report::phrases;

/// Most alternatives listed with a patch.
const MOST_ALTERNATIVES: usize = 9;
/// Most compiler warnings mentioned with a patch.
const MOST_WARNINGS: usize = 3;
/// The number of characters above which an edited line is formatted.
const LINE_WIDTH: usize = 100;

/// Checks the best fixes, each in a build of its own, and adds them to the outcome.
#[derive(Clone, Copy)]
pub struct Presenter<'s, 'a> {
    pub(super) session: &'s Session<'a>,
}

impl<'s, 'a> Presenter<'s, 'a> {
    pub const fn new(session: &'s Session<'a>) -> Self {
        Self { session }
    }
}

/// Families that `--min-confidence` hides.
struct Hidden {
    number: usize,
    /// The tests that no other family cures.
    targets: BTreeSet<TestIndex>,
}

impl Presenter<'_, '_> {
    /// Validates plausible fixes and adds the patches for each group of failing tests to the outcome.
    ///
    /// # Errors
    /// If the run is stopped; the patches validated by then are in the outcome.
    pub fn show(
        &self,
        knowledge: &mut Knowledge,
        outcome: &mut Outcome,
        plausible: Vec<Fix>,
    ) -> Result<()> {
        if plausible.is_empty() {
            return Ok(());
        }
        let (families, hidden) = self.likely_families(knowledge, plausible);
        if families.is_empty() {
            outcome.message = Some(self.too_unlikely(knowledge, hidden.number));
            let least = self.session.settings.min_confidence;
            outcome.hidden_by = Some(format!("--min-confidence {least}"));
            return Ok(());
        }
        if !hidden.targets.is_empty() {
            let hidden: Vec<String> = hidden
                .targets
                .iter()
                .map(|it| code(&self.session.tests[*it].to_string()))
                .collect();
            knowledge.notes.warn(format!(
                "--min-confidence {} hides every patch that fixes {}",
                self.session.settings.min_confidence,
                hidden.join(", ")
            ));
        }
        let shown = self.validate(knowledge, outcome, &families)?;
        self.explain(knowledge, outcome, &shown);
        self.explain_ranks(knowledge, outcome, &families, &shown);
        if let Some(note) = of_announced(knowledge, outcome) {
            self.session.progress.found_before(&note);
        }
        Ok(())
    }

    /// The message if `--min-confidence` hides all plausible patches. Notes the same reason at each angelic site.
    fn too_unlikely(&self, knowledge: &mut Knowledge, number: usize) -> String {
        let angelic = knowledge.angelic.iter().map(|found| found.site);
        for site in angelic.collect::<Vec<_>>() {
            let id = &self.session.site(site).id;
            knowledge.notes.set_reason(
                id,
                "its candidates have less confidence than --min-confidence asks for",
            );
        }
        format!(
            "{} {} found, but {} less confidence than --min-confidence {}.",
            count(number, "plausible patch"),
            agree(number, "was", "were"),
            agree(number, "it has", "all have"),
            self.session.settings.min_confidence
        )
    }

    /// The families of plausible fixes whose best member reaches `--min-confidence`, best first, and the others.
    fn likely_families(&self, knowledge: &Knowledge, plausible: Vec<Fix>) -> (Vec<Family>, Hidden) {
        let ranker = Ranker::new(self.session);
        let mut families = ranker.families(knowledge, ranker.ranked(knowledge, plausible));
        ranker.rate(knowledge, &mut families);
        let least = self.session.settings.min_confidence;
        let is_likely = |family: &Family| family.confidence.first().is_some_and(|it| *it >= least);
        let (likely, others): (Vec<Family>, Vec<Family>) =
            families.into_iter().partition(is_likely);
        let targets = |families: &[Family]| -> BTreeSet<TestIndex> {
            let targets = families.iter().flat_map(|family| &family.best.targets);
            targets.copied().collect()
        };
        let hidden = Hidden {
            number: others.len(),
            targets: &targets(&others) - &targets(&likely),
        };
        (likely, hidden)
    }

    /// Checks the best plausible fix found so far and shows it to the user, because the search will go on for a while.
    /// Keeps the result for [`Presenter::show`].
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn show_first(&self, knowledge: &mut Knowledge, plausible: &[Fix]) -> Result<()> {
        let (families, _) = self.likely_families(knowledge, plausible.to_vec());
        let Some(family) = families.first().filter(|_| knowledge.checked.is_none()) else {
            return Ok(());
        };
        let fix = &family.best;
        let runner = self.session.runner;
        let phase = self
            .session
            .progress
            .start("checking a patch", 0, runner.runs());
        let checked =
            Checker::new(self.session, knowledge, vec![&self.session.copies.plain]).check(fix)?;
        knowledge.notes.builds += 1;
        let result = match &checked.verdict {
            Ok(accepted) if !accepted.doubts.is_empty() => {
                "passed, but with a warning; still searching"
            }
            Ok(_) => "passed; still searching",
            Err(Rejection::ChangesNothing) => "rejected: the likeliest candidate changes nothing",
            Err(Rejection::DoesNotBuild) => {
                "rejected: the program does not build with only the likeliest candidate"
            }
            Err(Rejection::FailsTogether) => {
                "rejected: the test functions pass one by one, but the test program fails"
            }
            Err(Rejection::FailsATest(_)) => {
                "rejected: a test fails when the likeliest candidate is built on its own"
            }
        };
        self.session.progress.finish(phase, runner.runs(), result);
        if let Ok(accepted) = &checked.verdict
            && accepted.doubts.is_empty()
        {
            let report = PatchReport {
                confidence: family.confidence.first().copied().unwrap_or(0.0),
                ..self.accepted(fix, &checked.edits, accepted, 1)
            };
            let names = reports::names(self.session.tests);
            self.session.progress.found(&report, &names);
            knowledge.announced = Some(report);
        }
        knowledge.checked = Some((fix.clone(), checked));
        Ok(())
    }

    /// Adds the other members of its family to each patch.
    pub(super) fn add_alternatives(
        &self,
        knowledge: &mut Knowledge,
        outcome: &mut Outcome,
        shown: &[Shown],
        formatter: &Formatter,
    ) {
        for Shown {
            fix,
            family,
            rejected,
            patch,
        } in shown
        {
            let plausible = family.members().skip(*rejected);
            let others: Vec<&Fix> = plausible.filter(|other| !other.is_text_of(fix)).collect();
            let alternative = |other: &&Fix| {
                let edits = self.edits_where(other, formatter, needs_format);
                let report = self.patch(other, &edits, &other.targets, patch + 1);
                let found = self.difference(fix, other);
                let hints = found.as_ref().map_or_else(Vec::new, |it| it.hints.clone());
                AlternativeReport {
                    id: report.id,
                    condition: of_all(other, |edit| edit.condition.to_string(), " and "),
                    change: of_all(
                        other,
                        |edit| {
                            words::change(
                                self.session.sources,
                                self.session.site(edit.site),
                                &edit.condition,
                            )
                        },
                        " and ",
                    ),
                    why: report.why,
                    diff: report.diff,
                    edits: report.edits.into_iter().map(without_text).collect(),
                    differs: found.and_then(context),
                    hints,
                }
            };
            let listed = others.iter().take(MOST_ALTERNATIVES);
            let report = &mut outcome.patches[*patch];
            report.alternatives = listed.map(alternative).collect();
            report.alike = others.len();
            let is_here = |held: &Fix| others.iter().any(|other| held.is_text_of(other));
            knowledge.held.retain(|held| !is_here(held));
        }
    }

    /// How two fixes of one family differ, if a context is known. Contexts of different sites cannot be compared.
    fn difference(&self, fix: &Fix, other: &Fix) -> Option<Difference> {
        let edits = fix.edits.iter().zip(&other.edits);
        let mut edits = edits.filter(|(a, b)| a.site == b.site);
        edits.find_map(|(a, b)| a.evidence.difference(&*b.evidence))
    }

    /// Adds the fixes that were plausible when the run was stopped, marked as unchecked.
    pub fn show_unchecked(&self, knowledge: &mut Knowledge, outcome: &mut Outcome) {
        let held = std::mem::take(&mut knowledge.held);
        let (families, _) = self.likely_families(knowledge, held);
        let left = self
            .session
            .settings
            .shown()
            .saturating_sub(outcome.patches.len());
        let formatter = Formatter::default();
        for Family {
            best: fix,
            confidence,
            ..
        } in families.iter().take(left)
        {
            let edits = self.edits(fix, &formatter);
            let rank = outcome.patches.len() + 1;
            let report = self.patch(fix, &edits, &fix.targets, rank);
            if !report.diff.is_empty() {
                let own = confidence.first().copied().unwrap_or(0.0);
                outcome.patches.push(PatchReport {
                    evidence: Assurance::Together,
                    confidence: own.min(most_of_unchecked(&outcome.patches, &report.fixes)),
                    ..report
                });
            }
        }
    }

    /// The edits of a fix, formatted like the subject's files.
    pub(super) fn edits(&self, fix: &Fix, formatter: &Formatter) -> Vec<Edit> {
        self.edits_where(fix, formatter, |_, _| true)
    }

    /// The edits of a fix. Formats an edit if `is_formatted` holds for it and the file's text.
    fn edits_where(
        &self,
        fix: &Fix,
        formatter: &Formatter,
        is_formatted: fn(&Edit, &str) -> bool,
    ) -> Vec<Edit> {
        let edits = fix.edits.iter().map(|edit| {
            let site = self.session.site(edit.site);
            let text = &self.session.sources.files[site.file].text;
            let edit = Edit::at(self.session.sources, site, &edit.condition);
            match self.session.policies().formatter {
                Some(FormatTool::Rustfmt) if is_formatted(&edit, text) => {
                    formatter.formatted(&self.session.copies.plain.root, text, edit)
                }
                _ => edit,
            }
        });
        edits.collect()
    }

    /// The report of a patch that was accepted.
    pub(super) fn accepted(
        &self,
        fix: &Fix,
        edits: &[Edit],
        accepted: &Accepted,
        rank: usize,
    ) -> PatchReport {
        let report = self.patch(fix, edits, &accepted.cured, rank);
        let new = accepted.warnings.difference(&self.session.warnings);
        let new: Vec<&str> = new.map(String::as_str).take(MOST_WARNINGS).collect();
        PatchReport {
            failing_examples: accepted.failing_doctests.clone(),
            doubts: accepted.doubts.clone(),
            why: match &*new {
                [] => report.why,
                new => format!(
                    "{}; the patch causes {}: {}",
                    report.why,
                    agree(new.len(), "a compiler warning", "compiler warnings"),
                    new.join("; ")
                ),
            },
            ..report
        }
    }

    pub(super) fn patch(
        &self,
        fix: &Fix,
        edits: &[Edit],
        cured: &[TestIndex],
        rank: usize,
    ) -> PatchReport {
        let report = |(of_site, edit): (&SiteEdit, &Edit)| EditReport {
            file: edit.file.to_string(),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            mark: edit.mark.clone(),
            original: self.text_of(&edit.file),
            before: edit.before.clone(),
            after: edit.after.clone(),
            condition: of_site.condition.to_string(),
        };
        let kind = self.session.site(fix.edits[0].site).kind;
        PatchReport {
            id: self.patch_id(fix),
            rank,
            cost: fix.cost,
            confidence: 0.0,
            kind: kind.patch_kind().name(),
            edits: fix.edits.iter().zip(edits).map(report).collect(),
            diff: self.diff(edits),
            fixes: cured
                .iter()
                .map(|test| self.session.tests[*test].to_string())
                .collect(),
            is_trivial: fix.is_trivial(),
            evidence: Assurance::Tested,
            doubts: Vec::new(),
            why: of_all(
                fix,
                |edit| explained(edit, self.session.site(edit.site).kind.patch_kind()),
                "; ",
            ),
            clauses: Vec::new(),
            unrecorded: Vec::new(),
            tables: Vec::new(),
            differs: None,
            alternatives: Vec::new(),
            failing_examples: Vec::new(),
            alike: 0,
        }
    }

    fn text_of(&self, file: &Utf8Path) -> Arc<str> {
        let found = self
            .session
            .sources
            .files
            .iter()
            .find(|known| known.path == file);
        found.map_or("", |known| &known.text).into()
    }

    /// The unified diff of all files that these edits change.
    pub(super) fn diff(&self, edits: &[Edit]) -> String {
        let changed = self.session.sources.files.iter().filter_map(|file| {
            let after = apply_all(edits, &file.path, &file.text)?;
            let path = self.session.copies.plain.subject.path_in_diffs(&file.path);
            Some(diff::unified(&path, &file.text, &after))
        });
        changed.collect()
    }

    fn patch_id(&self, fix: &Fix) -> String {
        let ids = fix.edits.iter().map(|edit| {
            let site = self.session.site(edit.site);
            format!("{}-{}", site.id, hash::short(&edit.condition))
        });
        ids.collect::<Vec<String>>().join("+")
    }

    /// Adds to each patch the tests that decided its clauses, and its difference from the best other patch at the same
    /// sites that it can be compared with.
    fn explain(&self, knowledge: &Knowledge, outcome: &mut Outcome, shown: &[Shown]) {
        for (nth, Shown { fix, patch, .. }) in shown.iter().enumerate() {
            let clauses = fix.edits.iter();
            let fixed = &outcome.patches[*patch].fixes;
            let clauses = clauses.flat_map(|edit| self.clauses(knowledge, edit, fixed));
            let clauses = clauses.collect();
            let recorded = fix.edits.iter().flat_map(|edit| edit.evidence.recorded());
            let recorded: BTreeSet<String> = recorded
                .map(|test| self.session.tests[test].to_string())
                .collect();
            let tables = fix.edits.iter();
            let tables = tables.filter_map(|edit| edit.evidence.table(self.session.tests));
            let tables = tables.collect();
            let others = shown.iter().enumerate();
            let mut others =
                others.filter(|(other, shown)| *other != nth && shown.fix.sites() == fix.sites());
            // The best other patch may have no recorded values, so that their difference is unknown.
            let differs = others.find_map(|(_, other)| {
                let mut edits = fix.edits.iter().zip(&other.fix.edits);
                let found = edits.find_map(|(a, b)| a.evidence.difference(&*b.evidence))?;
                let other = &outcome.patches[other.patch];
                Some(DifferenceReport {
                    other: other.id.clone(),
                    ranks: [patch + 1, other.rank],
                    is_seen: found.is_seen,
                    context: found.context,
                    yields: found.yields,
                    failures: found.failures,
                    hints: found.hints,
                })
            });
            let patch = &mut outcome.patches[*patch];
            let fixed = patch.fixes.iter();
            let unrecorded = fixed.filter(|test| !recorded.contains(*test));
            patch.unrecorded = unrecorded.cloned().collect();
            patch.clauses = clauses;
            patch.tables = tables;
            patch.differs = differs;
        }
    }

    /// Which tests decided each clause of an edit of a patch that fixes these tests.
    fn clauses(
        &self,
        knowledge: &Knowledge,
        edit: &SiteEdit,
        fixed: &[String],
    ) -> Vec<ClauseReport> {
        let tests = self.session.tests;
        let recorded = edit.evidence.recorded();
        // A test without recorded contexts may have the value that another one seems to be alone with.
        let others = tests.keys().filter(|test| !recorded.contains(test));
        let mut unknown = others.filter(|test| knowledge.spectrum.reaches(*test, edit.site));
        let failing = self.session.baseline.failing();
        let only_among_passing = unknown.clone().next().is_some();
        let is_fixed = |test: TestIndex| fixed.contains(&tests[test].to_string());
        let is_known = unknown.all(|test| failing.contains(&test) && !is_fixed(test));
        let clauses = edit.evidence.clauses(tests).into_iter();
        clauses
            .map(|clause| ClauseReport {
                only_test: clause.only_test.filter(|_| is_known),
                only_among_passing,
                ..clause
            })
            .collect()
    }

    /// Notes for each site with plausible fixes but no shown patch why it has none.
    fn explain_ranks(
        &self,
        knowledge: &mut Knowledge,
        outcome: &Outcome,
        families: &[Family],
        shown: &[Shown],
    ) {
        let patches = &outcome.patches;
        let plausible: Vec<Fix> = families.iter().flat_map(Family::members).cloned().collect();
        for site in single_sites(&plausible) {
            let id = &self.session.site(site).id;
            if patches.iter().any(|patch| patch.id.starts_with(&**id)) {
                continue;
            }
            let held = || plausible.iter().filter(|fix| fix.is_only_at(site));
            let alike = |fix: &Fix| {
                let members = shown.iter();
                let mut members = members.flat_map(|it| it.family.members().skip(it.rejected));
                members.any(|member| member.is_text_of(fix))
            };
            let reason = if held().any(alike) {
                "its candidates are alternatives to a patch at another place of the function"
                    .to_string()
            } else if patches.len() >= self.session.settings.shown() {
                "its candidates rank below the patches shown".to_string()
            } else {
                let held = count(held().count(), "candidate");
                format!(
                    "{held} passed the tests in one build with the others, but not the final check: \
                     built alone, with {}",
                    match self.session.sources.language {
                        Language::Rust => "all tests and doctests",
                        Language::C => "all tests",
                    }
                )
            };
            knowledge.notes.set_reason(id, &reason);
        }
    }
}

/// Whether an edit may need formatting: it spans several lines, or its line gets too long.
fn needs_format(edit: &Edit, text: &str) -> bool {
    let before = text[..edit.span.start]
        .rsplit('\n')
        .next()
        .unwrap_or_default();
    let after = text[edit.span.end..].split('\n').next().unwrap_or_default();
    edit.before.contains('\n')
        || edit.after.contains('\n')
        || before.chars().count() + edit.after.chars().count() + after.chars().count() > LINE_WIDTH
}

/// The report of a difference, if a context that can occur is known.
fn context(found: Difference) -> Option<ContextReport> {
    Some(ContextReport {
        context: found.context,
        yields: found.yields?,
        failures: found.failures,
    })
}

/// The upper bound on the confidence in a patch that was not built alone: no more than that of checked patches which
/// fix one of the same tests, because it may still be rejected.
fn most_of_unchecked(above: &[PatchReport], fixes: &[String]) -> f64 {
    let rivals = above
        .iter()
        .filter(|above| above.fixes.iter().any(|test| fixes.contains(test)));
    let confidences = rivals.map(|rival| rival.confidence);
    confidences.fold(WEIGHTS.confidence.usual, f64::min)
}

fn without_text(edit: EditReport) -> EditReport {
    EditReport {
        original: "".into(),
        ..edit
    }
}

/// The texts of all edits of a fix, joined.
fn of_all(fix: &Fix, text: impl Fn(&SiteEdit) -> String, between: &str) -> String {
    let texts: Vec<String> = fix.edits.iter().map(text).collect();
    texts.join(between)
}

/// The note on what became of the patch announced during the search; `None` if it is still the first patch.
fn of_announced(knowledge: &mut Knowledge, outcome: &Outcome) -> Option<String> {
    let announced = knowledge.announced.take()?;
    let shown = outcome.patches.iter().zip(1..);
    let at = shown.clone().find_map(|(patch, rank)| {
        let mut others = patch.alternatives.iter();
        let is_it = patch.id == announced.id;
        (is_it || others.any(|other| other.id == announced.id)).then_some((is_it, rank))
    });
    let became = match at {
        Some((true, 1)) => return None,
        Some((true, rank)) => {
            let higher = match rank {
                2 => "another ranks higher",
                _ => "others rank higher",
            };
            format!("is now patch {rank}: {higher}")
        }
        Some((false, rank)) => {
            format!("is now an alternative to patch {rank}: see `explain`")
        }
        None => "is no longer shown: others rank higher".to_owned(),
    };
    let advice = phrases::advice(&announced);
    Some(format!(
        "note: the patch printed during the search ({advice}) {became}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patches_above_an_announced_one_are_counted() {
        let patch = |id: &str| PatchReport {
            id: id.to_owned(),
            kind: "condition",
            ..PatchReport::default()
        };
        let outcome = Outcome {
            patches: vec![patch("a"), patch("b"), patch("c")],
            ..Outcome::default()
        };
        for (id, became) in [
            ("b", "is now patch 2: another ranks higher"),
            ("c", "is now patch 3: others rank higher"),
            ("d", "is no longer shown: others rank higher"),
        ] {
            let mut knowledge = Knowledge {
                announced: Some(patch(id)),
                ..Knowledge::default()
            };
            let note = of_announced(&mut knowledge, &outcome).unwrap();
            assert!(note.ends_with(became), "{note}");
        }
    }

    #[test]
    fn an_unchecked_patch_has_no_more_confidence_than_a_checked_one() {
        let above = [PatchReport {
            confidence: 0.25,
            fixes: vec!["a".to_owned()],
            ..PatchReport::default()
        }];
        let most = |test: &str| most_of_unchecked(&above, &[test.to_owned()]);
        assert_eq!(most("a"), 0.25);
        assert_eq!(most("b"), WEIGHTS.confidence.usual);
    }
}
