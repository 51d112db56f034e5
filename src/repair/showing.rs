//! From plausible fixes to the patches of the report. Each patch is built on its own and must pass the
//! whole test suite before it is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8Path;

use super::fix::{Fix, SiteEdit, single_sites};
use super::knowledge::Knowledge;
use super::ranking::{diversify, groups};
use super::session::Session;
use crate::check::format::Formatter;
use crate::check::validate::Validator;
use crate::hash;
use crate::patch::diff;
use crate::patch::edit::{Edit, apply_all};
use crate::report::{
    DifferenceReport, EditReport, Ending, GroupReport, Outcome, PatchReport, count,
};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::policies::FormatTool;
use crate::subject::workspace::Workspace;

/// Patches shown that differ only in where in a function they stand.
const MOST_VARIANTS: usize = 2;

/// A fix that is shown, and the index of its patch.
struct Shown<'c> {
    fix: &'c Fix,
    patch: usize,
}

/// A fix that was built on its own.
#[derive(Clone, Debug)]
pub struct Checked {
    edits: Vec<Edit>,
    /// The failing tests that it cures; `None` if it was rejected.
    cured: Option<Vec<TestIndex>>,
}

/// Builds fixes on their own.
struct Checker<'a> {
    session: &'a Session<'a>,
    validator: Validator<'a>,
    formatter: Formatter,
}

impl<'a> Checker<'a> {
    /// A checker that builds in these copies.
    fn new(session: &'a Session<'a>, copies: Vec<&'a Workspace<'a>>) -> Self {
        let validator = Validator::new(
            copies,
            session.copies.bare.as_ref(),
            session.runner,
            session.sources,
            session.tests,
            session.baseline,
            session.settings.test_timeout,
        );
        Self {
            session,
            validator,
            formatter: Formatter::default(),
        }
    }

    fn check(&self, fix: &Fix) -> Result<Checked> {
        let edits = self.session.edits(fix, &self.formatter);
        let cured = match self.session.diff(&edits).is_empty() {
            true => None,
            false => self.validator.accepts(&edits, &fix.targets)?,
        };
        Ok(Checked { edits, cured })
    }
}

impl Session<'_> {
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
        let plausible = diversify(plausible);
        let shown = self.validate(knowledge, outcome, &plausible)?;
        self.explain(outcome, &shown);
        self.explain_ranks(knowledge, outcome, &plausible, &shown);
        Ok(())
    }

    /// Checks the best of the fixes that are plausible so far and tells the user of it, because the search goes
    /// on for a while. What is learned is kept for [`Session::show`].
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn show_first(&self, knowledge: &mut Knowledge, plausible: &[Fix]) -> Result<()> {
        let ranked = diversify(plausible.to_vec());
        let Some(fix) = ranked.first().filter(|_| knowledge.checked.is_none()) else {
            return Ok(());
        };
        let runner = self.runner;
        let phase = self.progress.start("checking a patch", 0, runner.runs());
        let checked = Checker::new(self, vec![&self.copies.plain]).check(fix)?;
        knowledge.notes.builds += 1;
        let places = checked.edits.iter().zip(&fix.edits).map(|(edit, of_site)| {
            format!("`{}` at {}:{}", of_site.condition, edit.file, edit.line)
        });
        let what = places.collect::<Vec<String>>().join(" and ");
        let result = match &checked.cured {
            Some(_) => format!("{what} holds; the search goes on"),
            None => format!("{what} does not hold"),
        };
        self.progress.finish(phase, runner.runs(), &result);
        knowledge.checked = Some((fix.clone(), checked));
        Ok(())
    }

    /// Validates plausible fixes, best first, until each group of failing tests has enough patches.
    fn validate<'c>(
        &self,
        knowledge: &mut Knowledge,
        outcome: &mut Outcome,
        plausible: &'c [Fix],
    ) -> Result<Vec<Shown<'c>>> {
        let runner = self.runner;
        let phase = self.progress.start("checking patches", 0, runner.runs());
        let mut copies = vec![&self.copies.instrumented, &self.copies.plain];
        if self.settings.jobs() == 1 {
            copies.remove(0);
        }
        let at_once = copies.len();
        let checker = Checker::new(self, copies);
        let first = knowledge.checked.take();
        let check = |fix: &Fix| match &first {
            Some((known, checked)) if known.is_text_of(fix) && known.targets == fix.targets => {
                Ok(checked.clone())
            }
            _ => checker.check(fix),
        };

        let mut shown: Vec<Shown> = Vec::new();
        for group in groups(plausible) {
            let fixes: Vec<&Fix> = group.fixes.iter().map(|nth| &plausible[*nth]).collect();
            let first = outcome.patches.len();
            let mut checks: BTreeMap<usize, Result<Checked>> = BTreeMap::new();
            let mut from = 0;
            loop {
                let left = self.settings.shown() + first - outcome.patches.len();
                let known: Vec<&Fix> = shown.iter().map(|shown| shown.fix).collect();
                let wanted = self.next_to_show(&fixes, from, known, left);
                let Some(nth) = wanted.first().copied() else {
                    break;
                };
                if !checks.contains_key(&nth) {
                    // Check at once all that will be shown if none is rejected.
                    let mut unknown = wanted;
                    unknown.retain(|nth| !checks.contains_key(nth));
                    knowledge.notes.builds += u32::try_from(unknown.len())?;
                    let checked = pool::map(at_once, &unknown, |nth| Ok(check(fixes[*nth])))?;
                    checks.extend(unknown.into_iter().zip(checked));
                }
                from = nth + 1;
                let Some(checked) = checks.remove(&nth) else {
                    continue;
                };
                // If the run was stopped, the patches before this one are kept.
                let Checked { edits, cured } = checked?;
                knowledge.held.retain(|held| !held.is_text_of(fixes[nth]));
                if let Some(cured) = cured {
                    let fix = fixes[nth];
                    let patch = outcome.patches.len();
                    let report = self.patch(fix, &edits, &cured, patch + 1);
                    outcome.patches.push(report);
                    outcome.ending = Ending::Patched;
                    shown.push(Shown { fix, patch });
                }
            }
            let patches = &outcome.patches[first..];
            if !patches.is_empty() {
                let tests = group.tests.iter().map(|test| self.tests[*test].to_string());
                outcome.groups.push(GroupReport {
                    tests: tests.collect(),
                    patches: patches.iter().map(|patch| patch.id.clone()).collect(),
                });
            }
        }
        let result = count(outcome.patches.len(), "patch");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(shown)
    }

    /// Adds the fixes that were plausible when the run was stopped, marked as unchecked.
    pub fn show_unchecked(&self, knowledge: &mut Knowledge, outcome: &mut Outcome) {
        let held = diversify(std::mem::take(&mut knowledge.held));
        let fixes: Vec<&Fix> = held.iter().collect();
        let left = self.settings.shown().saturating_sub(outcome.patches.len());
        let formatter = Formatter::default();
        for nth in self.next_to_show(&fixes, 0, Vec::new(), left) {
            let fix = fixes[nth];
            let edits = self.edits(fix, &formatter);
            let rank = outcome.patches.len() + 1;
            let report = self.patch(fix, &edits, &fix.targets, rank);
            if !report.diff.is_empty() {
                outcome.patches.push(PatchReport {
                    is_checked: false,
                    ..report
                });
            }
        }
    }

    /// The next fixes to show, at most `most`: those that are neither equivalent to nor variants of the
    /// `known` ones and each other.
    fn next_to_show<'c>(
        &self,
        fixes: &[&'c Fix],
        from: usize,
        mut known: Vec<&'c Fix>,
        most: usize,
    ) -> Vec<usize> {
        let mut wanted = Vec::new();
        for (nth, fix) in fixes.iter().enumerate().skip(from) {
            if wanted.len() == most {
                break;
            }
            let is_known = |other: &&Fix| is_same(other, fix) || adds_idle_clause(other, fix);
            let like = known
                .iter()
                .filter(|other| self.is_variant(other, fix))
                .count();
            if like < MOST_VARIANTS && !known.iter().any(is_known) {
                known.push(fix);
                wanted.push(nth);
            }
        }
        wanted
    }

    /// The edits of a fix, formatted as the subject's files are.
    fn edits(&self, fix: &Fix, formatter: &Formatter) -> Vec<Edit> {
        let edits = fix.edits.iter().map(|edit| {
            let site = self.site(edit.site);
            let text = &self.sources.files[site.file].text;
            let edit = Edit::at(self.sources, site, &edit.condition);
            match self.policies().formatter {
                Some(FormatTool::Rustfmt) => {
                    formatter.formatted(&self.copies.plain.root, text, edit)
                }
                None => edit,
            }
        });
        edits.collect()
    }

    /// Whether two fixes put the same condition and body into the same function.
    fn is_variant(&self, a: &Fix, b: &Fix) -> bool {
        let body = |edit: &SiteEdit| &self.site(edit.site).body;
        let same = |(a, b): (&SiteEdit, &SiteEdit)| {
            a.function == b.function && a.condition == b.condition && body(a) == body(b)
        };
        a.edits.len() == b.edits.len() && a.edits.iter().zip(&b.edits).all(same)
    }

    fn patch(&self, fix: &Fix, edits: &[Edit], cured: &[TestIndex], rank: usize) -> PatchReport {
        let report = |(of_site, edit): (&SiteEdit, &Edit)| EditReport {
            file: edit.file.to_string(),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            original: self.text_of(&edit.file),
            before: edit.before.clone(),
            after: edit.after.clone(),
            condition: of_site.condition.clone(),
        };
        let kind = self.site(fix.edits[0].site).kind;
        let why: Vec<&str> = fix.edits.iter().map(|edit| edit.why.as_str()).collect();
        PatchReport {
            id: self.patch_id(fix),
            rank,
            cost: fix.cost,
            kind: kind.patch_kind().name(),
            edits: fix.edits.iter().zip(edits).map(report).collect(),
            diff: self.diff(edits),
            fixes: cured
                .iter()
                .map(|test| self.tests[*test].to_string())
                .collect(),
            is_trivial: fix.is_trivial(),
            is_checked: true,
            why: why.join("; "),
            clauses: Vec::new(),
            differs: None,
        }
    }

    fn text_of(&self, file: &Utf8Path) -> Arc<str> {
        let found = self.sources.files.iter().find(|known| known.path == file);
        found.map_or("", |known| &known.text).into()
    }

    /// The unified diff of all files that these edits change.
    fn diff(&self, edits: &[Edit]) -> String {
        let changed = self.sources.files.iter().filter_map(|file| {
            let after = apply_all(edits, &file.path, &file.text)?;
            let path = self.copies.plain.subject.path_in_diffs(&file.path);
            Some(diff::unified(&path, &file.text, &after))
        });
        changed.collect()
    }

    fn patch_id(&self, fix: &Fix) -> String {
        let ids = fix.edits.iter().map(|edit| {
            let site = self.site(edit.site);
            format!("{}-{}", site.id, hash::short(&edit.condition))
        });
        ids.collect::<Vec<String>>().join("+")
    }

    /// Adds to each patch which tests decided its clauses, and how it differs from the best other patch at
    /// the same sites.
    fn explain(&self, outcome: &mut Outcome, shown: &[Shown]) {
        for (nth, Shown { fix, patch }) in shown.iter().enumerate() {
            let clauses = fix.edits.iter();
            let clauses = clauses.flat_map(|edit| edit.evidence.clauses(self.tests));
            let clauses = clauses.collect();
            let mut others = shown.iter().enumerate();
            let other =
                others.find(|(other, shown)| *other != nth && shown.fix.sites() == fix.sites());
            let differs = other.and_then(|(_, other)| {
                let mut edits = fix.edits.iter().zip(&other.fix.edits);
                let found = edits.find_map(|(a, b)| a.evidence.difference(&*b.evidence))?;
                let other = &outcome.patches[other.patch];
                Some(DifferenceReport {
                    other: other.id.clone(),
                    ranks: [patch + 1, other.rank],
                    is_seen: found.is_seen,
                    context: found.context,
                    yields: found.yields,
                })
            });
            let patch = &mut outcome.patches[*patch];
            patch.clauses = clauses;
            patch.differs = differs;
        }
    }

    /// Notes for each site with plausible fixes why none of them is shown.
    fn explain_ranks(
        &self,
        knowledge: &mut Knowledge,
        outcome: &Outcome,
        plausible: &[Fix],
        shown: &[Shown],
    ) {
        let patches = &outcome.patches;
        for site in single_sites(plausible) {
            let id = &self.site(site).id;
            if patches.iter().any(|patch| patch.id.starts_with(&**id)) {
                continue;
            }
            let held = || plausible.iter().filter(|fix| fix.is_only_at(site));
            let repeats = |fix: &Fix| shown.iter().any(|other| self.is_variant(other.fix, fix));
            let reason = if patches.len() >= self.settings.shown() {
                "its candidates rank below the patches shown".to_string()
            } else if held().any(repeats) {
                "it would do what patches shown do, elsewhere in the function".to_string()
            } else {
                let held = count(held().count(), "candidate");
                format!("{held} held until rebuilt alone")
            };
            knowledge.notes.set_reason(id, &reason);
        }
    }
}

/// Whether two fixes are proved to be equivalent.
fn is_same(a: &Fix, b: &Fix) -> bool {
    let mut edits = a.edits.iter().zip(&b.edits);
    a.sites() == b.sites() && edits.all(|(a, b)| a.evidence.equals(&*b.evidence))
}

/// Whether a fix only adds a clause that no test asks for to one that is shown already.
fn adds_idle_clause(shown: &Fix, fix: &Fix) -> bool {
    let mut edits = shown.edits.iter().zip(&fix.edits);
    shown.sites() == fix.sites()
        && edits.all(|(shown, edit)| edit.evidence.adds_idle_clause_to(&*shown.evidence))
}
