//! From what holds to patches: each is built by itself, and has to pass the whole suite, before it
//! is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8Path;

use super::Run;
use super::candidates::SiteCandidate;
use super::explain::Shown;
use super::ranking::{Fix, groups, single_sites, spread};
use crate::hash;
use crate::patch::diff;
use crate::patch::edit::{Edit, apply_all};
use crate::patch::format::Formatter;
use crate::patch::validate::Validator;
use crate::report::{EditReport, Ending, GroupReport, PatchReport, count};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::Language;
use crate::spec::Expr;
use crate::synth::{self, Equality};

/// Patches shown that differ in nothing but where in a function they stand.
const MOST_ALIKE: usize = 2;

/// A fix that was rebuilt by itself.
struct Checked {
    edits: Vec<Edit>,
    /// The failing tests that it cures; `None` if it does not hold.
    cured: Option<Vec<TestIndex>>,
}

impl Run<'_> {
    /// Shows the patches for each group of failing tests.
    pub(super) fn show(&mut self, plausible: Vec<Fix>) -> Result<()> {
        if plausible.is_empty() {
            return Ok(());
        }
        let plausible = spread(plausible);
        let shown = self.validate(&plausible)?;
        self.explain(&shown);
        self.explain_ranks(&plausible, &shown);
        Ok(())
    }

    /// Rebuilds plausible fixes by themselves, best first, until there are enough patches for each
    /// group of failing tests.
    fn validate<'c>(&mut self, plausible: &'c [Fix]) -> Result<Vec<Shown<'c>>> {
        let phase = self
            .progress
            .start("checking patches", 0, self.runner.runs());
        let mut lanes = vec![self.workspace, self.plain];
        if self.settings.jobs() == 1 {
            lanes.remove(0);
        }
        let at_once = lanes.len();
        let validator = Validator::new(
            lanes,
            self.bare,
            self.runner,
            self.sources,
            self.tests,
            self.baseline,
            self.settings.test_timeout,
        );
        let formatter = Formatter::default();
        let check = |run: &Self, fix: &Fix| {
            let edits = run.edits(fix, &formatter);
            let is_empty = run.diff(&edits).is_empty();
            let cured = match is_empty {
                true => None,
                false => validator.accepts(&edits, &fix.targets)?,
            };
            Ok(Checked { edits, cured })
        };

        let mut shown: Vec<Shown> = Vec::new();
        for group in groups(plausible) {
            let fixes: Vec<&Fix> = group.fixes.iter().map(|nth| &plausible[*nth]).collect();
            let first = self.outcome.patches.len();
            let mut known: BTreeMap<usize, Result<Checked>> = BTreeMap::new();
            let mut from = 0;
            loop {
                let left = self.settings.top + first - self.outcome.patches.len();
                let said: Vec<&Fix> = shown.iter().map(|shown| shown.fix).collect();
                let wanted = self.worth_showing(&fixes, from, said, left);
                let Some(nth) = wanted.first().copied() else {
                    break;
                };
                if !known.contains_key(&nth) {
                    // All that will be shown if all of them hold.
                    let mut unknown = wanted;
                    unknown.retain(|nth| !known.contains_key(nth));
                    self.outcome.builds += u32::try_from(unknown.len())?;
                    let checked = pool::map(at_once, &unknown, |nth| Ok(check(self, fixes[*nth])))?;
                    known.extend(unknown.into_iter().zip(checked));
                }
                from = nth + 1;
                let Some(checked) = known.remove(&nth) else {
                    continue;
                };
                // If the run was stopped, what comes before is kept.
                let Checked { edits, cured } = checked?;
                self.held.retain(|held| !held.says_as(fixes[nth]));
                if let Some(cured) = cured {
                    let fix = fixes[nth];
                    let patch = self.outcome.patches.len();
                    let report = self.patch(fix, &edits, &cured);
                    self.outcome.patches.push(report);
                    self.outcome.ending = Ending::Patched;
                    shown.push(Shown { fix, patch });
                }
            }
            let patches = &self.outcome.patches[first..];
            if !patches.is_empty() {
                let tests = group.tests.iter().map(|test| self.tests[*test].to_string());
                self.outcome.groups.push(GroupReport {
                    tests: tests.collect(),
                    patches: patches.iter().map(|patch| patch.id.clone()).collect(),
                });
            }
        }
        let result = count(self.outcome.patches.len(), "patch");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(shown)
    }

    /// Shows what was plausible when the run was stopped, and could not be checked any more.
    pub(super) fn show_unchecked(&mut self) {
        let held = spread(std::mem::take(&mut self.held));
        let fixes: Vec<&Fix> = held.iter().collect();
        let left = self.settings.top.saturating_sub(self.outcome.patches.len());
        let formatter = Formatter::default();
        for nth in self.worth_showing(&fixes, 0, Vec::new(), left) {
            let fix = fixes[nth];
            let edits = self.edits(fix, &formatter);
            let report = self.patch(fix, &edits, &fix.targets);
            if !report.diff.is_empty() {
                self.outcome.patches.push(PatchReport {
                    is_checked: false,
                    ..report
                });
            }
        }
    }

    /// The next of these fixes, no more than `most`, that say something beside those said and each other.
    fn worth_showing<'c>(
        &self,
        fixes: &[&'c Fix],
        from: usize,
        mut said: Vec<&'c Fix>,
        most: usize,
    ) -> Vec<usize> {
        let mut wanted = Vec::new();
        for (nth, fix) in fixes.iter().enumerate().skip(from) {
            if wanted.len() == most {
                break;
            }
            let is_known = |other: &&Fix| is_same(other, fix) || is_padded(other, fix);
            let like = said.iter().filter(|other| self.is_like(other, fix)).count();
            if like < MOST_ALIKE && !said.iter().any(is_known) {
                said.push(fix);
                wanted.push(nth);
            }
        }
        wanted
    }

    /// What a fix changes in the subject, as rustfmt would have it.
    fn edits(&self, fix: &Fix, formatter: &Formatter) -> Vec<Edit> {
        let edits = fix.parts.iter().map(|part| {
            let site = &self.sources.sites[part.site as usize];
            let text = &self.sources.files[site.file].text;
            let edit = Edit::at(self.sources, site, &part.text);
            match self.sources.language {
                Language::Rust => formatter.formatted(&self.plain.root, text, edit),
                Language::C => edit,
            }
        });
        edits.collect()
    }

    /// Whether two fixes do the same on the same condition somewhere in the same function.
    fn is_like(&self, a: &Fix, b: &Fix) -> bool {
        let body = |part: &SiteCandidate| &self.sources.sites[part.site as usize].body;
        let same = |(a, b): (&SiteCandidate, &SiteCandidate)| {
            a.function == b.function && a.text == b.text && body(a) == body(b)
        };
        a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(same)
    }

    fn patch(&self, fix: &Fix, edits: &[Edit], cured: &[TestIndex]) -> PatchReport {
        let of_part = |(part, edit): (&SiteCandidate, &Edit)| EditReport {
            file: edit.file.to_string(),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            original: self.text_of(&edit.file),
            before: edit.before.clone(),
            after: edit.after.clone(),
            condition: part.text.clone(),
        };
        let kind = |part: &SiteCandidate| self.sources.sites[part.site as usize].kind;
        let why: Vec<&str> = fix.parts.iter().map(|part| part.why.as_str()).collect();
        PatchReport {
            id: self.patch_id(fix),
            rank: self.outcome.patches.len() + 1,
            kind: kind(&fix.parts[0]).patch_kind().name(),
            edits: fix.parts.iter().zip(edits).map(of_part).collect(),
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

    /// The diff of all files that these edits change.
    fn diff(&self, edits: &[Edit]) -> String {
        let changed = self.sources.files.iter().filter_map(|file| {
            let after = apply_all(edits, &file.path, &file.text)?;
            let path = self.workspace.subject.path_in_diffs(&file.path);
            Some(diff::unified(&path, &file.text, &after))
        });
        changed.collect()
    }

    fn patch_id(&self, fix: &Fix) -> String {
        let ids = fix.parts.iter().map(|part| {
            let site = &self.sources.sites[part.site as usize];
            format!("{}-{}", site.id, hash::short(&part.text))
        });
        ids.collect::<Vec<String>>().join("+")
    }

    /// Says of each site with candidates that hold why none of them is shown.
    fn explain_ranks(&mut self, plausible: &[Fix], shown: &[Shown]) {
        for site in single_sites(plausible) {
            let id = &self.sources.sites[site as usize].id;
            let patches = &self.outcome.patches;
            if patches
                .iter()
                .any(|patch| patch.id.starts_with(id.as_str()))
            {
                continue;
            }
            let held = || plausible.iter().filter(|fix| fix.is_only_at(site));
            let repeats = |fix: &Fix| shown.iter().any(|other| self.is_like(other.fix, fix));
            let reason = if patches.len() >= self.settings.top {
                "its candidates rank below the patches shown".to_string()
            } else if held().any(repeats) {
                "it would do what patches shown do, elsewhere in the function".to_string()
            } else {
                let held = count(held().count(), "candidate");
                format!("{held} held until rebuilt alone")
            };
            self.outcome.set_reason(id, &reason);
        }
    }
}

/// Whether two fixes are proved to be the same conditions at the same sites.
fn is_same(a: &Fix, b: &Fix) -> bool {
    let proved = |(a, b): (&SiteCandidate, &SiteCandidate)| {
        let rows = a.problem.rows();
        a.expr == b.expr
            || synth::equal(&a.expr, &b.expr, &a.problem.pool, rows) == Equality::Proved
    };
    a.sites() == b.sites() && a.parts.iter().zip(&b.parts).all(proved)
}

/// Whether a fix is one that is shown already with a clause more that no test asks for.
fn is_padded(shown: &Fix, fix: &Fix) -> bool {
    let is_padding = |(shown, part): (&SiteCandidate, &SiteCandidate)| {
        let mut rows = part.problem.rows().iter();
        has_clause(&part.expr, &shown.expr)
            && rows.all(|row| shown.expr.eval_bool(row) == part.expr.eval_bool(row))
    };
    shown.sites() == fix.sites() && shown.parts.iter().zip(&fix.parts).all(is_padding)
}

fn has_clause(expr: &Expr, clause: &Expr) -> bool {
    expr == clause
        || match expr {
            Expr::And(a, b) | Expr::Or(a, b) => has_clause(a, clause) || has_clause(b, clause),
            _ => false,
        }
}
