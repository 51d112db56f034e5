//! From candidates to those that hold: one build that has all of them, and judgement by the tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use super::Run;
use super::candidates::SiteCandidate;
use super::ranking::{Fix, single_sites};
use crate::contexts::{Problem, Witnesses};
use crate::patch::judge::{self, Judgement, Refuted, Switch};
use crate::probe::{Part, Stage};
use crate::run::pool;
use crate::run::suite::TestIndex;
use crate::source::SiteIndex;

/// Fixes that are built at once and judged.
const MOST_JUDGED: usize = 400;
/// Fixes judged before looking whether there are enough; the same on every machine, whatever
/// its number of processors, for the patches shown must be.
const JUDGED_AT_ONCE: usize = 16;
/// Plausible candidates beyond those to be shown, for some may fail when they are rebuilt alone.
const SPARE: usize = 3;

/// How much less a fix has to cost to be judged before those that are known to cure more.
const PROMISING: u32 = 8;

/// Puts those first that are known to cure fewer tests than others but cost much less: they may well
/// cure as many.
fn promote(fixes: &mut Vec<Fix>) {
    let most = fixes.iter().map(|fix| fix.targets.len()).max().unwrap_or(0);
    let of_most = fixes.iter().filter(|fix| fix.targets.len() == most);
    let cheapest = of_most.map(|fix| fix.cost).min().unwrap_or(0);
    let is_promising = |fix: &Fix| fix.targets.len() < most && fix.cost + PROMISING < cheapest;
    let (mut first, mut others): (Vec<Fix>, Vec<Fix>) = fixes.drain(..).partition(is_promising);
    let rest = first.split_off(first.len().min(JUDGED_AT_ONCE));
    others.extend(rest);
    fixes.extend(first);
    fixes.extend(others);
}

impl Run<'_> {
    /// Builds all fixes at once and judges them in order, until enough of them hold. Some are `known` to
    /// hold already.
    pub(super) fn judge(&mut self, mut fixes: Vec<Fix>, known: &[Fix]) -> Result<Vec<Fix>> {
        fixes.truncate(MOST_JUDGED);
        promote(&mut fixes);
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
        let mut plausible: Vec<Fix> = Vec::new();
        let mut judged = 0;
        let mut refuted = Refuted::new();
        // Should the run be stopped, what holds by then is kept.
        let held: Mutex<Vec<Fix>> = Mutex::default();
        for some in compiled.chunks(JUDGED_AT_ONCE) {
            let verdicts = pool::map(self.runner.jobs, some, |(fix, switch)| {
                // What a site was never seen to cure a candidate there may cure all the same.
                let mut others = self.targets.clone();
                others.retain(|test| {
                    let reach = |(site, _): &(SiteIndex, u32)| self.spectrum.reaches(*test, *site);
                    !switch.targets.contains(test) && switch.select.iter().any(reach)
                });
                let spectrum = &self.spectrum;
                let judged = judge::judge(&suite, switch, &others, &refuted, spectrum, bounds)?;
                phase.step();
                if let Judgement::Holds(targets) = &judged {
                    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                    held.push(fix.curing(targets));
                }
                Ok(judged)
            });
            let verdicts = match verdicts {
                Ok(verdicts) => verdicts,
                Err(error) => {
                    let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
                    self.held.extend(held);
                    return Err(error);
                }
            };
            for ((fix, _), judged) in some.iter().zip(verdicts) {
                match judged {
                    Judgement::Holds(targets) => plausible.push(fix.curing(&targets)),
                    Judgement::Falls(test) => *refuted.entry(test).or_default() += 1,
                }
            }
            judged += some.len();
            // Enough to show, with some to spare, unless another fault is still without a patch.
            let real = known
                .iter()
                .filter(|fix| !fix.is_trivial())
                .chain(&plausible);
            let cured = |test| real.clone().any(|other| other.targets.contains(test));
            let mut left = compiled[judged..]
                .iter()
                .flat_map(|(later, _)| &later.targets);
            if plausible.len() >= self.settings.top + SPARE && left.all(cured) {
                break;
            }
        }
        self.held.extend(plausible.iter().cloned());
        let result = format!("{} plausible", plausible.len());
        self.progress.finish(phase, self.runner.runs(), &result);
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
}
