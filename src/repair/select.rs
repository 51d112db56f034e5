//! From candidates to patches: one build that holds all of them, judgement by the tests, and a
//! build of its own for each patch that is shown.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Run;
use super::candidates::{SiteCandidate, spread};
use super::explain::Shown;
use crate::hash;
use crate::patch::diff;
use crate::patch::edit::Edit;
use crate::patch::format::Formatter;
use crate::patch::judge::{self, Switch};
use crate::patch::validate::Validator;
use crate::probe::Stage;
use crate::report::{EditReport, Ending, PatchReport, count};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::{Site, SiteIndex};
use crate::spec::Expr;
use crate::synth::{self, Equality};

/// Candidates judged before looking whether there are enough; the same on every machine, whatever
/// its number of processors, for the patches shown must be.
const JUDGED_AT_ONCE: usize = 16;
/// Plausible candidates beyond those to be shown, for some may fail when they are rebuilt alone.
const SPARE: usize = 3;

impl Run<'_> {
    /// Builds all candidates at once and judges them in order, until enough of them hold.
    pub(super) fn judge(&mut self, candidates: Vec<SiteCandidate>) -> Result<Vec<SiteCandidate>> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let phase = self
            .progress
            .start("building candidates", 0, self.runner.runs());
        let mut texts: BTreeMap<SiteIndex, Vec<String>> = BTreeMap::new();
        let switches: Vec<Switch> = candidates
            .iter()
            .map(|candidate| {
                let of_site = texts.entry(candidate.site).or_default();
                of_site.push(candidate.typed.clone());
                Switch {
                    site: candidate.site,
                    number: u32::try_from(of_site.len()).unwrap_or(u32::MAX),
                    targets: candidate.targets.clone(),
                }
            })
            .collect();
        let (build, instrumentation) = self.instrument(Stage::Candidates(texts))?;
        for test in self.changed_outcomes(&build)? {
            self.outcome.warnings.push(format!(
                "{} has another outcome in the build that holds all candidates; each patch shown was checked by itself",
                self.tests[test]
            ));
        }
        let compiled: Vec<(&SiteCandidate, &Switch)> = candidates
            .iter()
            .zip(&switches)
            .filter(|(_, switch)| {
                let part = crate::probe::Part::Candidate(switch.site, switch.number);
                instrumentation.has(switch.site) && !instrumentation.dropped.contains(&part)
            })
            .collect();
        let result = format!("{} of {} compile", compiled.len(), candidates.len());
        self.progress.finish(phase, self.runner.runs(), &result);

        let phase = self
            .progress
            .start("judging candidates", compiled.len(), self.runner.runs());
        let (passing, bounds) = (self.baseline.passing(), self.bounds());
        let suite = self.suite(&build.binaries);
        let mut plausible: Vec<&SiteCandidate> = Vec::new();
        let mut judged = 0;
        for some in compiled.chunks(JUDGED_AT_ONCE) {
            let verdicts = pool::map(self.runner.jobs, some, |(_, switch)| {
                let plausible =
                    judge::is_plausible(&suite, switch, &passing, &self.spectrum, bounds)?;
                phase.step();
                Ok(plausible)
            })?;
            let held = some.iter().zip(&verdicts).filter(|(_, held)| **held);
            plausible.extend(held.map(|((candidate, _), _)| *candidate));
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
        let plausible: Vec<SiteCandidate> = plausible.into_iter().cloned().collect();
        self.explain_failures(&candidates, &compiled, judged, &plausible);
        Ok(plausible)
    }

    /// Rebuilds the candidates that hold one by one, best first, until there are enough patches.
    pub(super) fn show(&mut self, plausible: Vec<SiteCandidate>) -> Result<()> {
        if plausible.is_empty() {
            return Ok(());
        }
        let plausible = spread(plausible);
        let plausible = causes_first(plausible.iter().collect());
        let shown = self.validate(&plausible)?;
        self.explain(&shown);
        self.explain_ranks(&plausible);
        Ok(())
    }

    /// Rebuilds plausible candidates one by one until there are enough patches.
    fn validate<'c>(&mut self, plausible: &[&'c SiteCandidate]) -> Result<Vec<Shown<'c>>> {
        let top = self.settings.top;
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
        for candidate in plausible.iter().copied() {
            if self.outcome.patches.len() == top {
                break;
            }
            let is_known = |other: &Shown| {
                is_same(other.candidate, candidate) || is_padded(other.candidate, candidate)
            };
            let site = &self.sources.sites[candidate.site as usize];
            let id = patch_id(site, candidate);
            let is_shown = self.outcome.patches.iter().any(|patch| patch.id == id);
            if is_shown || shown.iter().any(is_known) {
                continue;
            }
            let edit = Edit::at(self.sources, site, &candidate.text);
            let text = &self.sources.files[site.file].text;
            let edit = formatter.formatted(&self.workspace.root, text, edit);
            let builds = validator.builds;
            let cured = validator.accepts(&edit, &candidate.targets)?;
            self.outcome.builds += validator.builds - builds;
            if let Some(cured) = cured {
                let patch = self.patch(candidate, site, &edit, &cured);
                shown.push(Shown {
                    candidate,
                    patch: self.outcome.patches.len(),
                });
                self.outcome.patches.push(patch);
                self.outcome.ending = Ending::Patched;
            }
        }
        validator.restore()?;
        let result = count(self.outcome.patches.len(), "patch");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(shown)
    }

    fn patch(
        &self,
        candidate: &SiteCandidate,
        site: &Site,
        edit: &Edit,
        cured: &[TestIndex],
    ) -> PatchReport {
        let rank = self.outcome.patches.len() + 1;
        let text = &self.sources.files[site.file].text;
        PatchReport {
            id: patch_id(site, candidate),
            rank,
            kind: site.kind.patch_kind().name(),
            edits: vec![EditReport {
                file: edit.file.to_string(),
                line: edit.line,
                column: edit.column,
                span: edit.span.clone(),
                before: edit.before.clone(),
                after: edit.after.clone(),
                condition: candidate.text.clone(),
            }],
            diff: diff::unified(
                &self.workspace.subject.path_in_diffs(&edit.file),
                text,
                &edit.apply(text),
            ),
            fixes: cured
                .iter()
                .map(|test| self.tests[*test].to_string())
                .collect(),
            is_trivial: candidate.is_trivial,
            why: candidate.why.clone(),
            clauses: Vec::new(),
            differs: None,
        }
    }

    /// Says of each site whose candidates all fell where they fell.
    fn explain_failures(
        &mut self,
        candidates: &[SiteCandidate],
        compiled: &[(&SiteCandidate, &Switch)],
        judged: usize,
        plausible: &[SiteCandidate],
    ) {
        for site in sites(candidates.iter()) {
            let of_site = |candidate: &&SiteCandidate| candidate.site == site;
            let all = candidates.iter().filter(of_site).count();
            let built = compiled.iter().map(|(candidate, _)| *candidate);
            let built = built.filter(of_site).count();
            if plausible.iter().any(|candidate| candidate.site == site) {
                continue;
            }
            let id = &self.sources.sites[site as usize].id;
            let reason = if built == 0 {
                format!("none of the {all} candidates that explain the contexts compiles")
            } else if !compiled[..judged]
                .iter()
                .any(|(candidate, _)| of_site(candidate))
            {
                "its candidates were not tried, for enough better ones hold".to_string()
            } else {
                format!("none of the {built} candidates cures its tests without breaking others")
            };
            self.outcome.set_reason(id, &reason);
        }
    }

    /// Says of each site with candidates that hold why none of them is shown.
    fn explain_ranks(&mut self, plausible: &[&SiteCandidate]) {
        for site in sites(plausible.iter().copied()) {
            let id = &self.sources.sites[site as usize].id;
            let patches = &self.outcome.patches;
            if patches
                .iter()
                .any(|patch| patch.id.starts_with(id.as_str()))
            {
                continue;
            }
            let of_site = |candidate: &&&SiteCandidate| candidate.site == site;
            let held = plausible.iter().filter(of_site).count();
            let reason = match patches.len() == self.settings.top {
                true => "its candidates rank below the patches shown".to_string(),
                false => format!("{held} candidates held until they were rebuilt alone"),
            };
            self.outcome.set_reason(id, &reason);
        }
    }
}

fn sites<'c>(candidates: impl Iterator<Item = &'c SiteCandidate>) -> Vec<SiteIndex> {
    let mut sites: Vec<SiteIndex> = candidates.map(|candidate| candidate.site).collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}

fn patch_id(site: &Site, candidate: &SiteCandidate) -> String {
    format!("{}-{}", site.id, hash::short(&candidate.text))
}

/// Whether two candidates of a site are proved to be one condition.
fn is_same(a: &SiteCandidate, b: &SiteCandidate) -> bool {
    a.site == b.site && {
        let rows = a.problem.rows();
        synth::equal(&a.expr, &b.expr, &a.problem.pool, rows) == Equality::Proved
    }
}

/// Whether a candidate is a patch that is shown already with a clause more that no test asks for.
fn is_padded(shown: &SiteCandidate, candidate: &SiteCandidate) -> bool {
    shown.site == candidate.site
        && shown.expr != candidate.expr
        && has_clause(&candidate.expr, &shown.expr)
        && candidate
            .problem
            .rows()
            .iter()
            .all(|row| shown.expr.eval_bool(row) == candidate.expr.eval_bool(row))
}

fn has_clause(expr: &Expr, clause: &Expr) -> bool {
    expr == clause
        || match expr {
            Expr::And(a, b) | Expr::Or(a, b) => has_clause(a, clause) || has_clause(b, clause),
            _ => false,
        }
}

/// The best patch, then the best of those that cure a test no earlier one does, and so on; then
/// all others. So several faults do not hide behind variants of one patch.
fn causes_first(mut ranked: Vec<&SiteCandidate>) -> Vec<&SiteCandidate> {
    let mut ordered: Vec<&SiteCandidate> = Vec::new();
    let adds = |ordered: &[&SiteCandidate], candidate: &SiteCandidate| {
        let cured = |test| ordered.iter().any(|other| other.targets.contains(test));
        !candidate.targets.iter().all(cured)
    };
    while let Some(at) = ranked
        .iter()
        .position(|candidate| adds(&ordered, candidate))
    {
        ordered.push(ranked.remove(at));
    }
    ordered.extend(ranked);
    ordered
}
