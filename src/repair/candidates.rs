//! Steps three and four: expressions that explain the contexts, and which of them the tests
//! accept.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Run;
use crate::contexts::{self, Recorded};
use crate::hash;
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Spectrum;
use crate::patch::diff;
use crate::patch::edit::Edit;
use crate::patch::judge::{self, Switch};
use crate::patch::render::Style;
use crate::patch::validate::Validator;
use crate::probe::Stage;
use crate::report::{EditReport, Ending, PatchReport, count};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::{Site, SiteIndex, SiteKind};
use crate::spec::Binding;
use crate::synth::{self, Limits};

/// Candidates of one site that are built and judged.
const MOST_PER_SITE: usize = 12;
/// Candidates judged in all.
const MOST_JUDGED: usize = 400;
/// What a new `if` costs beyond its condition: changing one that is there is the smaller patch.
const NEW_STATEMENT: u32 = 12;

/// Candidates judged before looking whether there are enough; the same on every machine, whatever
/// its number of processors, for the patches shown must be.
const JUDGED_AT_ONCE: usize = 16;
/// Plausible candidates beyond those to be shown, for some may fail when they are rebuilt alone.
const SPARE: usize = 3;

/// What a candidate costs that leaves some forced outcomes of the failing test unexplained.
const RELAXED: u32 = 4;

/// What a candidate costs that has another outcome than the old condition somewhere in a passing
/// test. The tests decide whether that matters; often a branch taken otherwise does the same.
const DISAGREES: u32 = 15;

/// z3's resources for all sites, specs and levels together: some five seconds on one core.
const SOLVER_BUDGET: u32 = 60_000_000;
/// Levels a search goes through where it finds nothing, with two integer types.
const LEVELS: u32 = 14;

/// An expression for a site, as text.
#[derive(Clone, Debug)]
pub struct SiteCandidate {
    site: SiteIndex,
    suspiciousness: f64,
    targets: Vec<TestIndex>,
    /// As it is shown.
    text: String,
    /// With typed literals, for the build that has all candidates.
    typed: String,
    cost: u32,
    soft_violated: u32,
    why: String,
}

impl Run<'_> {
    /// Synthesizes at every site with recorded contexts; best candidates first.
    pub(super) fn synthesize(
        &mut self,
        spectrum: &Spectrum,
        angelic: &[AngelicSite],
        recorded: &BTreeMap<SiteIndex, Recorded>,
    ) -> Result<Vec<SiteCandidate>> {
        let phase = self
            .progress
            .start("synthesizing", recorded.len(), self.runner.runs());
        let found: Vec<&AngelicSite> = angelic
            .iter()
            .filter(|found| recorded.contains_key(&found.site))
            .collect();
        let share = SOLVER_BUDGET / u32::try_from(found.len().max(1))?;
        let rlimit = (share / LEVELS).min(Limits::default().rlimit);
        let targets = |found: &AngelicSite| -> Vec<TestIndex> {
            let reach = |test: &&TestIndex| spectrum.reaches(**test, found.site);
            match found.cures.is_empty() {
                true => self.targets.iter().filter(reach).copied().collect(),
                false => found.cures.keys().copied().collect(),
            }
        };
        let results = pool::map(self.runner.jobs, &found, |found| {
            self.workspace.supervisor.check()?;
            let site = &self.sources.sites[found.site as usize];
            let result =
                self.synthesize_at(found, &targets(found), site, &recorded[&found.site], rlimit);
            phase.step();
            Ok(result)
        })?;
        let mut candidates = Vec::new();
        for (found, (of_site, reason)) in found.iter().zip(results) {
            let id = &self.sources.sites[found.site as usize].id;
            if let Some(reason) = reason.filter(|_| of_site.is_empty()) {
                self.outcome.set_reason(id, &reason);
            }
            candidates.extend(of_site);
        }
        candidates.sort_by(rank);
        let sites: std::collections::BTreeSet<_> =
            candidates.iter().map(|candidate| candidate.site).collect();
        let sites = count(sites.len(), "site");
        let result = format!("{} at {sites}", count(candidates.len(), "candidate"));
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(candidates)
    }

    fn synthesize_at(
        &self,
        found: &AngelicSite,
        targets: &[TestIndex],
        site: &Site,
        recorded: &Recorded,
        rlimit: u32,
    ) -> (Vec<SiteCandidate>, Option<String>) {
        let problem = contexts::problem(self.sources, site, recorded);
        let mut candidates: Vec<SiteCandidate> = Vec::new();
        let mut reason = None;
        let specs = u32::try_from(problem.specs.len().max(1)).unwrap_or(u32::MAX);
        let strict = problem.specs.iter().map(|spec| (spec, 0));
        let relaxed = problem.relaxed.iter().map(|spec| (spec, RELAXED));
        for (spec, penalty) in strict.chain(relaxed) {
            // What a weaker spec admits near the old condition is worth a trial; a search for more
            // would only find what the tests then refute.
            let rlimit = match penalty {
                0 => rlimit / specs,
                _ => 0,
            };
            let limits = Limits {
                rlimit,
                ..Limits::default()
            };
            let synthesis = synth::synthesize(spec, &problem.pool, &limits);
            reason = reason.or(synthesis.reason);
            for candidate in synthesis.candidates {
                let style = Style {
                    pool: &problem.pool,
                    old: &problem.old_texts,
                    suffixed: false,
                };
                // A run of operands in a let-chain stands between `&&`s.
                let least = match site.kind {
                    SiteKind::LetOperand => Binding::And,
                    _ => Binding::Or,
                };
                let text = style.text(&candidate.expr, least);
                if candidates.iter().any(|known| known.text == text) {
                    continue;
                }
                let typed = Style {
                    suffixed: true,
                    ..style
                }
                .text(&candidate.expr, least);
                let disagrees = if candidate.soft_violated > 0 {
                    DISAGREES
                } else {
                    0
                };
                let extra = if site.kind == SiteKind::Statement {
                    NEW_STATEMENT
                } else {
                    0
                };
                candidates.push(SiteCandidate {
                    site: found.site,
                    suspiciousness: found.suspiciousness,
                    targets: targets.to_vec(),
                    text,
                    typed,
                    cost: candidate.cost + extra + penalty + disagrees,
                    soft_violated: candidate.soft_violated,
                    why: candidate.why,
                });
            }
        }
        candidates.sort_by(rank);
        candidates.truncate(MOST_PER_SITE);
        (candidates, reason)
    }

    /// Builds all candidates at once, judges them in order, and rebuilds those that hold one by
    /// one, until enough patches are found.
    pub(super) fn select(
        &mut self,
        spectrum: &Spectrum,
        mut candidates: Vec<SiteCandidate>,
    ) -> Result<()> {
        candidates.truncate(MOST_JUDGED);
        if candidates.is_empty() {
            return Ok(());
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
                let plausible = judge::is_plausible(&suite, switch, &passing, spectrum, bounds)?;
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
        let plausible = causes_first(plausible);
        let result = format!("{} plausible", plausible.len());
        self.progress.finish(phase, self.runner.runs(), &result);
        self.validate(&plausible)?;
        self.explain_failures(&candidates, &compiled, &plausible);
        Ok(())
    }

    fn validate(&mut self, plausible: &[&SiteCandidate]) -> Result<()> {
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
        for candidate in plausible {
            if self.outcome.patches.len() == top {
                break;
            }
            let site = &self.sources.sites[candidate.site as usize];
            let edit = Edit::at(self.sources, site, &candidate.text);
            let builds = validator.builds;
            let accepted = validator.accepts(&edit, &candidate.targets)?;
            self.outcome.builds += validator.builds - builds;
            if accepted {
                let patch = self.patch(candidate, site, &edit);
                self.outcome.patches.push(patch);
                self.outcome.ending = Ending::Patched;
            }
        }
        validator.restore()?;
        let result = count(self.outcome.patches.len(), "patch");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(())
    }

    fn patch(&self, candidate: &SiteCandidate, site: &Site, edit: &Edit) -> PatchReport {
        let rank = self.outcome.patches.len() + 1;
        let text = &self.sources.files[site.file].text;
        PatchReport {
            id: format!("{}-{}", site.id, hash::short(&candidate.text)),
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
            diff: diff::unified(&edit.file, text, &edit.apply(text)),
            fixes: candidate
                .targets
                .iter()
                .map(|test| self.tests[*test].to_string())
                .collect(),
            why: candidate.why.clone(),
        }
    }

    /// Says of each site whose candidates all fell where they fell.
    fn explain_failures(
        &mut self,
        candidates: &[SiteCandidate],
        compiled: &[(&SiteCandidate, &Switch)],
        plausible: &[&SiteCandidate],
    ) {
        let mut sites: Vec<SiteIndex> = candidates.iter().map(|candidate| candidate.site).collect();
        sites.sort_unstable();
        sites.dedup();
        for site in sites {
            let all = candidates
                .iter()
                .filter(|candidate| candidate.site == site)
                .count();
            let built = compiled
                .iter()
                .filter(|(candidate, _)| candidate.site == site)
                .count();
            let held = plausible
                .iter()
                .filter(|candidate| candidate.site == site)
                .count();
            let id = &self.sources.sites[site as usize].id;
            if self
                .outcome
                .patches
                .iter()
                .any(|patch| patch.id.starts_with(id.as_str()))
            {
                continue;
            }
            let reason = if built == 0 {
                format!("none of the {all} candidates that explain the contexts compiles")
            } else if held == 0 && self.outcome.patches.len() < self.settings.top {
                format!("none of the {built} candidates cures its tests without breaking others")
            } else if self.outcome.patches.len() == self.settings.top {
                "its candidates rank below the patches shown".to_string()
            } else {
                format!("{held} candidates held until they were rebuilt alone")
            };
            self.outcome.set_reason(id, &reason);
        }
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

/// Patches that cure more tests first, then the cheapest, then the most suspicious place.
fn rank(a: &SiteCandidate, b: &SiteCandidate) -> std::cmp::Ordering {
    b.targets
        .len()
        .cmp(&a.targets.len())
        .then(a.cost.cmp(&b.cost))
        .then(a.soft_violated.cmp(&b.soft_violated))
        .then(b.suspiciousness.total_cmp(&a.suspiciousness))
        .then(a.site.cmp(&b.site))
}
