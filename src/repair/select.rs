//! From candidates to patches: one build that holds all of them, judgement by the tests, and a
//! build of its own for each patch that is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;

use super::Run;
use super::candidates::SiteCandidate;
use super::explain::Shown;
use super::ranking::{Fix, groups, spread};
use crate::contexts::{Problem, Witnesses};
use crate::hash;
use crate::patch::diff;
use crate::patch::edit::{Edit, apply_all};
use crate::patch::format::Formatter;
use crate::patch::judge::{self, Switch};
use crate::patch::validate::Validator;
use crate::probe::{Part, Stage};
use crate::report::{EditReport, Ending, GroupReport, PatchReport, count};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::SiteIndex;
use crate::spec::Expr;
use crate::synth::{self, Equality};

/// Fixes that are built at once and judged.
const MOST_JUDGED: usize = 400;
/// Fixes judged before looking whether there are enough; the same on every machine, whatever
/// its number of processors, for the patches shown must be.
const JUDGED_AT_ONCE: usize = 16;
/// Plausible candidates beyond those to be shown, for some may fail when they are rebuilt alone.
const SPARE: usize = 3;
/// Patches shown that differ in nothing but where in a function they stand.
const MOST_ALIKE: usize = 2;

impl Run<'_> {
    /// Builds all fixes at once and judges them in order, until enough of them hold.
    pub(super) fn judge(&mut self, mut fixes: Vec<Fix>) -> Result<Vec<Fix>> {
        fixes.truncate(MOST_JUDGED);
        if fixes.is_empty() {
            return Ok(Vec::new());
        }
        let phase = self
            .progress
            .start("building candidates", 0, self.runner.runs());
        let mut texts: BTreeMap<SiteIndex, Vec<String>> = BTreeMap::new();
        let mut switch = |part: &SiteCandidate| {
            let of_site = texts.entry(part.site).or_default();
            let known = of_site.iter().position(|text| *text == part.typed);
            let at = known.unwrap_or_else(|| {
                of_site.push(part.typed.clone());
                of_site.len() - 1
            });
            (part.site, u32::try_from(at + 1).unwrap_or(u32::MAX))
        };
        let affected = self.affected(&fixes);
        let switches = fixes.iter().zip(affected).map(|(fix, affected)| Switch {
            select: fix.parts.iter().map(&mut switch).collect(),
            targets: fix.targets.clone(),
            affected,
        });
        let switches: Vec<Switch> = switches.collect();
        let (build, instrumentation) = self.instrument(Stage::Candidates(texts))?;
        let compiles = |(_, switch): &(&Fix, &Switch)| {
            switch.select.iter().all(|(site, number)| {
                let part = Part::Candidate(*site, *number);
                instrumentation.has(*site) && !instrumentation.dropped.contains(&part)
            })
        };
        let compiled: Vec<(&Fix, &Switch)> = fixes.iter().zip(&switches).filter(compiles).collect();
        let result = format!("{} of {} compile", compiled.len(), fixes.len());
        self.progress.finish(phase, self.runner.runs(), &result);

        let phase = self
            .progress
            .start("judging candidates", compiled.len(), self.runner.runs());
        let bounds = self.bounds();
        let suite = self.suite(&build.binaries);
        let mut plausible: Vec<&Fix> = Vec::new();
        let mut judged = 0;
        for some in compiled.chunks(JUDGED_AT_ONCE) {
            let verdicts = pool::map(self.runner.jobs, some, |(_, switch)| {
                let plausible = judge::is_plausible(&suite, switch, &self.spectrum, bounds)?;
                phase.step();
                Ok(plausible)
            })?;
            let held = some.iter().zip(&verdicts).filter(|(_, held)| **held);
            plausible.extend(held.map(|((fix, _), _)| *fix));
            judged += some.len();
            // Enough to show, with some to spare, unless another fault is still without a patch.
            let cured = |test| plausible.iter().any(|other| other.targets.contains(test));
            let mut left = compiled[judged..]
                .iter()
                .flat_map(|(later, _)| &later.targets);
            if plausible.len() >= self.settings.top + SPARE && left.all(cured) {
                break;
            }
        }
        let result = format!("{} plausible", plausible.len());
        self.progress.finish(phase, self.runner.runs(), &result);
        let plausible: Vec<Fix> = plausible.into_iter().cloned().collect();
        if plausible.is_empty() {
            // If that build itself is why, it should be said.
            for test in self.changed_outcomes(&build)? {
                self.outcome.warnings.push(format!(
                    "{} has another outcome in the build that holds all candidates, so they could not be judged by it",
                    self.tests[test]
                ));
            }
        }
        self.explain_failures(&fixes, &compiled, judged, &plausible);
        Ok(plausible)
    }

    /// The passing tests that each fix could break: those that reach a site of it, and of these only
    /// those with an evaluation there that does not go on as it did.
    fn affected(&self, fixes: &[Fix]) -> Vec<Vec<TestIndex>> {
        let mut witnesses: Vec<(Arc<Problem>, Witnesses)> = Vec::new();
        let mut unaffected = |part: &SiteCandidate| {
            let is_it = |(problem, _): &(Arc<Problem>, _)| Arc::ptr_eq(problem, &part.problem);
            let at = witnesses.iter().position(is_it).unwrap_or_else(|| {
                let site = &self.sources.sites[part.site as usize];
                let of_site = Witnesses::of(site, &part.problem, &part.recorded);
                witnesses.push((Arc::clone(&part.problem), of_site));
                witnesses.len() - 1
            });
            witnesses[at].1.unaffected(&part.expr)
        };
        let passing = self.baseline.passing();
        let affected = |fix: &Fix| {
            let unaffected: Vec<_> = fix.parts.iter().map(&mut unaffected).collect();
            let mut tests = passing.clone();
            tests.retain(|test| {
                let mut parts = fix.parts.iter().zip(&unaffected);
                !self.spectrum.reached.contains_key(test)
                    || parts.any(|(part, unaffected)| {
                        self.spectrum.reaches(*test, part.site) && !unaffected.contains(test)
                    })
            });
            tests
        };
        fixes.iter().map(affected).collect()
    }

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

    /// Rebuilds plausible fixes one by one, best first, until there are enough patches for each
    /// group of failing tests.
    fn validate<'c>(&mut self, plausible: &'c [Fix]) -> Result<Vec<Shown<'c>>> {
        let phase = self
            .progress
            .start("checking patches", 0, self.runner.runs());
        let mut validator = Validator {
            workspace: self.workspace,
            runner: self.runner,
            sources: self.sources,
            tests: self.tests,
            baseline: self.baseline,
            timeout: self.settings.test_timeout,
            doctests: None,
            builds: 0,
        };
        let mut shown: Vec<Shown> = Vec::new();
        let mut formatter = Formatter::default();
        for group in groups(plausible) {
            let first = self.outcome.patches.len();
            for fix in group.fixes.iter().map(|nth| &plausible[*nth]) {
                if self.outcome.patches.len() - first == self.settings.top {
                    break;
                }
                let is_known = |other: &Shown| is_same(other.fix, fix) || is_padded(other.fix, fix);
                let id = self.patch_id(fix);
                let is_shown = self.outcome.patches.iter().any(|patch| patch.id == id);
                if is_shown || shown.iter().any(is_known) {
                    continue;
                }
                let like = shown.iter().filter(|other| self.is_like(other.fix, fix));
                if like.count() >= MOST_ALIKE {
                    continue;
                }
                let edits = fix.parts.iter().map(|part| {
                    let site = &self.sources.sites[part.site as usize];
                    let text = &self.sources.files[site.file].text;
                    let edit = Edit::at(self.sources, site, &part.text);
                    formatter.formatted(&self.workspace.root, text, edit)
                });
                let edits: Vec<Edit> = edits.collect();
                let builds = validator.builds;
                let cured = validator.accepts(&edits, &fix.targets)?;
                self.outcome.builds += validator.builds - builds;
                if let Some(cured) = cured {
                    let patch = self.patch(fix, id, &edits, &cured);
                    let patch = (patch, self.outcome.patches.len());
                    shown.push(Shown {
                        fix,
                        patch: patch.1,
                    });
                    self.outcome.patches.push(patch.0);
                    self.outcome.ending = Ending::Patched;
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
        validator.restore()?;
        let result = count(self.outcome.patches.len(), "patch");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(shown)
    }

    /// Whether two fixes do the same on the same condition somewhere in the same function.
    fn is_like(&self, a: &Fix, b: &Fix) -> bool {
        let body = |part: &SiteCandidate| &self.sources.sites[part.site as usize].body;
        let same = |(a, b): (&SiteCandidate, &SiteCandidate)| {
            a.function == b.function && a.text == b.text && body(a) == body(b)
        };
        a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(same)
    }

    fn patch(&self, fix: &Fix, id: String, edits: &[Edit], cured: &[TestIndex]) -> PatchReport {
        let of_part = |(part, edit): (&SiteCandidate, &Edit)| EditReport {
            file: edit.file.to_string(),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            before: edit.before.clone(),
            after: edit.after.clone(),
            condition: part.text.clone(),
        };
        let kind = |part: &SiteCandidate| self.sources.sites[part.site as usize].kind;
        let why: Vec<&str> = fix.parts.iter().map(|part| part.why.as_str()).collect();
        PatchReport {
            id,
            rank: self.outcome.patches.len() + 1,
            kind: kind(&fix.parts[0]).patch_kind().name(),
            edits: fix.parts.iter().zip(edits).map(of_part).collect(),
            diff: self.diff(edits),
            fixes: cured
                .iter()
                .map(|test| self.tests[*test].to_string())
                .collect(),
            is_trivial: fix.is_trivial(),
            why: why.join("; "),
            clauses: Vec::new(),
            differs: None,
        }
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

    /// Says of each site whose candidates all fell where they fell.
    fn explain_failures(
        &mut self,
        fixes: &[Fix],
        compiled: &[(&Fix, &Switch)],
        judged: usize,
        plausible: &[Fix],
    ) {
        for site in single_sites(fixes) {
            let of_site = |fix: &Fix| fix.is_only_at(site);
            if plausible.iter().any(of_site) {
                continue;
            }
            let all = fixes.iter().filter(|fix| of_site(fix)).count();
            let built = compiled.iter().filter(|(fix, _)| of_site(fix)).count();
            let id = &self.sources.sites[site as usize].id;
            let reason = if built == 0 {
                format!("none of the {all} candidates that explain the contexts compiles")
            } else if !compiled[..judged].iter().any(|(fix, _)| of_site(fix)) {
                "its candidates were not tried, for enough better ones hold".to_string()
            } else {
                format!("none of the {built} candidates cures its tests without breaking others")
            };
            self.outcome.set_reason(id, &reason);
        }
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
                let held = held().count();
                format!("{held} candidates held until they were rebuilt alone")
            };
            self.outcome.set_reason(id, &reason);
        }
    }
}

/// The sites that some fix changes alone.
fn single_sites(fixes: &[Fix]) -> BTreeSet<SiteIndex> {
    let single = fixes.iter().filter(|fix| fix.parts.len() == 1);
    single.flat_map(Fix::sites).collect()
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
