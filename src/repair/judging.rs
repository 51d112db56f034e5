//! Finds the plausible ones among candidate fixes: one build holds all of them behind a run-time switch, and the tests
//! judge each.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::{Verdict, pool};
use nopol_source::SiteIndex;
use nopol_synth::weights::WEIGHTS;

use super::fix::{Fix, SiteEdit, is_exceeded, single_sites};
use super::instrument;
use super::knowledge::Knowledge;
use super::ranking::Ranker;
use super::ranking::diversify;
use super::session::Session;
use super::switches::Switches;
use crate::check::judge::{self, Judgement, Refutations, Switch};
use crate::localize::spectrum::Spectrum;
use crate::probe::{Part, Stage};
use crate::rank::model;

/// Fixes judged between two checks whether there are enough. It must not depend on the number of processors, since the
/// patches shown must not either.
const JUDGED_AT_ONCE: usize = 16;
/// For this many of the best fixes, a failing test may take as long as any test may.
const PATIENT: usize = 4;
/// Families of plausible fixes needed per fix to be shown: fixes are judged in another order than they are shown, and
/// some may be rejected when they are built on their own.
const SPARE: usize = 3;
/// Families are searched for at least this many patches, so that asking for fewer does not change which one is first.
const LEAST_SHOWN: usize = 5;

/// Moves much cheaper fixes to the front even if they are known to cure fewer tests, because they often cure just as
/// many.
fn promote(fixes: &mut Vec<Fix>) {
    let most = fixes.iter().map(|fix| fix.targets.len()).max().unwrap_or(0);
    let of_most = fixes.iter().filter(|fix| fix.targets.len() == most);
    let cheapest = of_most.map(|fix| fix.cost).min().unwrap_or(0);
    let is_promising =
        |fix: &Fix| fix.targets.len() < most && fix.cost + WEIGHTS.fix.promising < cheapest;
    let (mut first, mut others): (Vec<Fix>, Vec<Fix>) = fixes.drain(..).partition(is_promising);
    let rest = first.split_off(first.len().min(JUDGED_AT_ONCE));
    others.extend(rest);
    fixes.extend(first);
    fixes.extend(others);
}

/// Alternates between the order by cost and the order by the model's score: the first finds plausible fixes in many
/// places, the second finds those that will be shown first, and judging ends before every fix had its turn.
fn interleave(fixes: Vec<Fix>, scores: &[f64]) -> Vec<Fix> {
    let mut likeliest: Vec<usize> = (0..fixes.len()).collect();
    likeliest.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let alternately = (0..fixes.len()).zip(likeliest);
    let mut fixes: Vec<Option<Fix>> = fixes.into_iter().map(Some).collect();
    alternately
        .flat_map(|(next, likely)| [next, likely])
        .filter_map(|nth| fixes[nth].take())
        .collect()
}

/// Finds the fixes that the tests accept, many of them in one build.
#[derive(Clone, Copy)]
pub struct Judge<'s, 'a> {
    session: &'s Session<'a>,
}

impl<'s, 'a> Judge<'s, 'a> {
    pub const fn new(session: &'s Session<'a>) -> Self {
        Self { session }
    }
}

impl Judge<'_, '_> {
    /// Builds all fixes at once, at most `most`, and judges them, cheap and likely ones first, until enough are
    /// plausible. Returns the plausible ones. Fixes in `known` were found plausible before.
    ///
    /// # Errors
    /// If the run is stopped; the fixes found plausible by then are in [`Knowledge::held`].
    pub fn judge(
        &self,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        fixes: Vec<Fix>,
        known: &[Fix],
        most: usize,
    ) -> Result<Vec<Fix>> {
        let mut fixes = diversify(fixes);
        let left = fixes.split_off(fixes.len().min(most));
        for site in &single_sites(&left) - &single_sites(&fixes) {
            let reason = format!(
                "its candidates were not built: they rank below the {most} that fit into one build"
            );
            knowledge
                .notes
                .set_reason(&self.session.site(site).id, &reason);
        }
        promote(&mut fixes);
        if fixes.is_empty() {
            return Ok(Vec::new());
        }
        let ranker = Ranker::new(self.session);
        let scores = model::scores(&ranker.facts(knowledge, &fixes));
        let fixes = interleave(fixes, &scores);
        let phase =
            self.session
                .progress
                .start("building candidates", 0, self.session.runner.runs());
        let mut numbered = Switches::default();
        let affected = self.affected(knowledge, &fixes);
        let switches = fixes.iter().zip(affected).map(|(fix, affected)| Switch {
            select: numbered.add(fix),
            targets: fix.targets.clone(),
            affected,
        });
        let switches: Vec<Switch> = switches.collect();
        let (build, instrumentation) =
            instrument::build(self.session, knowledge, Stage::Candidates(numbered.texts))?;
        let compiles = |(_, switch): &(&Fix, &Switch)| {
            switch.select.iter().all(|(site, number)| {
                let part = Part::Candidate(*site, *number);
                instrumentation.has(*site) && !instrumentation.dropped.contains(&part)
            })
        };
        let compiled: Vec<(&Fix, &Switch)> = fixes.iter().zip(&switches).filter(compiles).collect();
        let result = format!("{} of {} compile", compiled.len(), fixes.len());
        self.session
            .progress
            .finish(phase, self.session.runner.runs(), &result);

        let phase = self.session.progress.start(
            "judging candidates",
            compiled.len(),
            self.session.runner.runs(),
        );
        let bounds = self.session.bounds();
        let suite = self.session.suite(&build.binaries);
        let mut plausible: Vec<Fix> = Vec::new();
        // Fixes that fail a test which they should cure.
        let mut failed: Vec<(&Fix, &Switch)> = Vec::new();
        let mut judged = 0;
        let mut refutations = Refutations::new();
        let slow: Mutex<BTreeSet<TestIndex>> = Mutex::default();
        // If the run is stopped, the fixes found plausible by then are kept.
        let held: Mutex<Vec<Fix>> = Mutex::default();
        let spectrum = &knowledge.spectrum;
        for some in compiled.chunks(JUDGED_AT_ONCE) {
            let numbered: Vec<(usize, &(&Fix, &Switch))> = some.iter().enumerate().collect();
            let verdicts = pool::map(bounds.at_once, &numbered, |(nth, (fix, switch))| {
                let others = others(spectrum, switch, targets);
                let mut ends = switch
                    .targets
                    .iter()
                    .map(|test| self.session.baseline.verdicts[*test]);
                let is_patient =
                    judged + nth < PATIENT && ends.all(|verdict| verdict != Verdict::TimedOut);
                let patience = is_patient.then_some(self.session.settings.test_timeout);
                let terms = judge::Terms {
                    refutations: &refutations,
                    spectrum,
                    bounds,
                    patience,
                    slow: &slow,
                };
                let judged = judge::judge(&suite, switch, &others, &terms)?;
                phase.step();
                if let Judgement::Plausible(targets) = &judged {
                    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                    held.push(fix.curing(targets));
                }
                Ok(judged)
            });
            let verdicts = match verdicts {
                Ok(verdicts) => verdicts,
                Err(error) => {
                    let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
                    knowledge.held.extend(held);
                    return Err(error);
                }
            };
            for ((fix, switch), judged) in some.iter().zip(verdicts) {
                match judged {
                    Judgement::Plausible(targets) => plausible.push(fix.curing(&targets)),
                    Judgement::RefutedBy(test) => {
                        *refutations.entry(test).or_default() += 1;
                        if switch.targets.contains(&test) {
                            failed.push((fix, switch));
                        }
                    }
                }
            }
            judged += some.len();
            // Stop with enough fixes to show and some to spare, unless a failing test still has no fix.
            let real = known
                .iter()
                .filter(|fix| !fix.is_trivial())
                .chain(&plausible);
            let cured = |test| real.clone().any(|other| other.targets.contains(test));
            let mut left = compiled[judged..]
                .iter()
                .flat_map(|(later, _)| &later.targets);
            if left.all(cured) && self.is_enough(knowledge, &plausible) {
                break;
            }
        }
        knowledge.held.extend(plausible.iter().cloned());
        let terms = judge::Terms {
            refutations: &refutations,
            spectrum: &knowledge.spectrum,
            bounds,
            patience: None,
            slow: &slow,
        };
        let all: Vec<&Fix> = known.iter().chain(&plausible).collect();
        let partial = self.judge_for_some(knowledge, targets, &failed, &all, (&suite, &terms))?;
        let result = format!("{} plausible", plausible.len() + partial.len());
        self.session
            .progress
            .finish(phase, self.session.runner.runs(), &result);
        let mut all = plausible.iter().chain(&partial);
        let is_cured = |test: &TestIndex| all.clone().any(|it| it.targets.contains(test));
        let slow = slow.into_inner().unwrap_or_else(PoisonError::into_inner);
        for test in slow.into_iter().filter(|test| !is_cured(test)) {
            // A test that hangs in the baseline shows nothing by hanging here.
            if self.session.baseline.verdicts[test] != Verdict::TimedOut {
                knowledge.notes.warn(format!(
                    "{} reaches the time limit with some candidates, which count as wrong; if a passing run of it is slow, raise --test-timeout",
                    self.session.tests[test]
                ));
            }
        }
        if all.next().is_none() {
            // Warn if the build itself is the reason.
            for test in instrument::changed_outcomes(self.session, &build)? {
                knowledge.notes.warn(format!(
                    "the result of {} changes in the build that contains all candidates, so this test could not judge them; good patches may have been missed",
                    self.session.tests[test]
                ));
            }
        }
        let all = [&*plausible, &*partial].concat();
        self.explain_failures(knowledge, &fixes, &compiled, judged, &all);
        knowledge.held.extend(partial.iter().cloned());
        knowledge.partial.extend(partial);
        Ok(plausible)
    }

    /// Of fixes that fail a test which they should cure, those that cure other tests and break none. Leaves out a fix
    /// if another one cures all its tests and more, because that one is likelier to be right.
    fn judge_for_some(
        &self,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        failed: &[(&Fix, &Switch)],
        known: &[&Fix],
        (suite, terms): (&Suite, &judge::Terms),
    ) -> Result<Vec<Fix>> {
        let mut failed = failed.to_vec();
        failed.retain(|(fix, _)| {
            let mut real = known.iter().filter(|it| !it.is_trivial());
            let cures_all = |it: &&Fix| fix.targets.iter().all(|test| it.targets.contains(test));
            fix.targets.len() > 1 && !real.any(cures_all)
        });
        let mut found: Vec<Fix> = Vec::new();
        for some in failed.chunks(JUDGED_AT_ONCE) {
            let verdicts = pool::map(terms.bounds.at_once, some, |(_, switch)| {
                let others = others(terms.spectrum, switch, targets);
                judge::judge_for_some(suite, switch, &others, terms)
            })?;
            for ((fix, _), judged) in some.iter().zip(verdicts) {
                if let Judgement::Plausible(cured) = judged {
                    let fix = fix.curing(&cured);
                    let is_known = knowledge.partial.iter().any(|it| it.is_text_of(&fix));
                    if !is_known && !is_exceeded(&fix, known.iter().copied()) {
                        found.push(fix);
                    }
                }
            }
            if self.is_enough(knowledge, &found) {
                break;
            }
        }
        Ok(found)
    }

    /// Whether these plausible fixes are enough to show, with some to spare.
    fn is_enough(&self, knowledge: &Knowledge, plausible: &[Fix]) -> bool {
        let least = match self.session.settings.quick {
            true => 0,
            false => LEAST_SHOWN,
        };
        let wanted = self.session.settings.shown().max(least) * SPARE + 1;
        let families = || Ranker::new(self.session).families(knowledge, plausible.to_vec());
        // `--dump` writes all plausible fixes.
        self.session.settings.dump.is_none()
            && plausible.len() >= wanted
            && families().len() >= wanted
    }

    /// The passing tests that each fix could break: those that reach one of its sites with an evaluation whose outcome
    /// the fix changes, and those that were not traced.
    fn affected(&self, knowledge: &Knowledge, fixes: &[Fix]) -> Vec<Vec<TestIndex>> {
        let spectrum = &knowledge.spectrum;
        let passing = self.session.baseline.passing();
        let affected = |fix: &Fix| {
            let of_edit =
                |edit: &SiteEdit| edit.evidence.unaffected(self.session.sources, edit.site);
            let unaffected: Vec<_> = fix.edits.iter().map(of_edit).collect();
            let mut tests = passing.clone();
            tests.retain(|test| {
                let mut edits = fix.edits.iter().zip(&unaffected);
                !spectrum.reached.contains_key(test)
                    || edits.any(|(edit, unaffected)| {
                        spectrum.reaches(*test, edit.site) && !unaffected.contains(test)
                    })
            });
            tests
        };
        fixes.iter().map(affected).collect()
    }

    /// Notes for each site why none of its candidates is plausible.
    fn explain_failures(
        &self,
        knowledge: &mut Knowledge,
        fixes: &[Fix],
        compiled: &[(&Fix, &Switch)],
        judged: usize,
        plausible: &[Fix],
    ) {
        for site in single_sites(fixes) {
            let of_site = |fix: &Fix| fix.is_only_at(site);
            // Some may have been judged before.
            let mut known = plausible.iter().chain(&knowledge.held);
            if known.any(of_site) {
                continue;
            }
            let id = &self.session.site(site).id;
            let reason = failure(site, compiled.iter().map(|(fix, _)| *fix), judged);
            knowledge.notes.set_reason(id, reason);
        }
    }
}

/// Why no candidate of this site is plausible. `compiled` holds the candidates that compile, of which the first
/// `judged` were judged.
fn failure<'f>(
    site: SiteIndex,
    compiled: impl Iterator<Item = &'f Fix>,
    judged: usize,
) -> &'static str {
    let mut of_site = compiled.enumerate().filter(|(_, fix)| fix.is_only_at(site));
    match of_site.next() {
        None => "none of its candidates compiles",
        Some((first, _)) if first >= judged => {
            "its candidates were not tried: enough others had already passed the tests"
        }
        Some(_) => "none of its candidates fixes its tests without breaking others",
    }
}

/// The failing tests that reach a site of a candidate but are not its targets: it may cure them, too.
fn others(spectrum: &Spectrum, switch: &Switch, targets: &[TestIndex]) -> Vec<TestIndex> {
    let mut others = targets.to_vec();
    others.retain(|test| {
        let reach = |(site, _): &(SiteIndex, u32)| spectrum.reaches(*test, *site);
        !switch.targets.contains(test) && switch.select.iter().any(reach)
    });
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;

    #[test]
    fn a_site_whose_candidates_come_after_enough_others_was_not_tried() {
        let fixes = [fix(1, "a", 1, &[0]), fix(2, "b", 2, &[0])];
        let reason = |site, judged| failure(SiteIndex::new(site), fixes.iter(), judged);
        assert!(reason(1, 1).starts_with("none of its candidates fixes"));
        assert!(reason(2, 1).contains("enough others had already passed the tests"));
        assert!(reason(2, 2).starts_with("none of its candidates fixes"));
        assert_eq!(reason(3, 2), "none of its candidates compiles");
    }

    #[test]
    fn the_likeliest_are_judged_between_the_cheapest() {
        let texts = ["a", "b", "c", "d", "e", "f"];
        let fixes = (1..)
            .zip(texts)
            .map(|(cost, text)| fix(1, text, cost, &[0]))
            .collect();
        let judged = interleave(fixes, &[0.0, 1.0, 2.0, 3.0, 9.0, 8.0]);
        let text = |fix: &Fix| fix.edits[0].condition.to_string();
        let judged: Vec<String> = judged.iter().map(text).collect();
        assert_eq!(judged, ["a", "e", "b", "f", "c", "d"]);
    }
}
