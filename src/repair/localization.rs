//! Steps one and two: where a forced outcome cures a failing test, and what the program knew
//! there.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{Located, Run};
use crate::contexts::{Cure, Recorded};
use crate::localize::angelic::{self, AngelicSite};
use crate::probe::{CaptureKind, Part, Stage, captures};
use crate::report::count;
use crate::run::suite::{Suite, TestIndex};
use crate::run::trace::{Context, Counter};
use crate::run::{Forced, How, Plan, When, pool};
use crate::source::rust::condition;
use crate::source::{SiteIndex, SiteKind, offers};
use crate::subject::SubjectError;

/// Passing tests, each at one place, that are tried under the other outcome.
const MOST_INDIFFERENT: usize = 600;
/// Visits of a place that are tried one after the other.
const MOST_VISITS: u32 = 8;

impl Run<'_> {
    /// Builds with these sites instrumented, traces every test, ranks the sites and forces them.
    pub(super) fn localize(&mut self, wanted: BTreeSet<SiteIndex>) -> Result<Located> {
        let runs = self.runner.runs();
        let phase = self.progress.start("instrumenting sites", 0, runs);
        let stage = Stage::Conditions(wanted.clone());
        let (build, instrumentation) = self.instrument(stage)?;
        let dropped = wanted.iter().filter(|site| !instrumentation.has(**site));
        let dropped: Vec<SiteIndex> = dropped.copied().collect();
        self.weakened.extend(&instrumentation.weakened);
        let used = wanted.len() - dropped.len();
        self.excluded.extend(dropped);
        self.progress.finish(phase, runs, &count(used, "site"));

        self.trace(&build)?;
        let passing = self.baseline.passing();
        let mut targets = self.targets.clone();
        targets.sort_by_key(|test| (self.spectrum.length(*test), *test));
        let mut suspects = self.spectrum.rank(&targets, &passing);
        suspects.retain(|suspect| {
            wanted.contains(&suspect.site)
                && !self.excluded.contains(&suspect.site)
                && !self.unwanted.contains(&suspect.site)
        });

        let sites = &self.sources.sites;
        let phase = self
            .progress
            .start("forcing outcomes", 0, self.runner.runs());
        let bounds = self.bounds();
        let mut spectrum = std::mem::take(&mut self.spectrum);
        let suite = self.suite(&build.binaries);
        let angelic = angelic::search(
            &suite,
            sites,
            &suspects,
            &mut spectrum,
            &targets,
            bounds,
            &|| {
                phase.step();
            },
        );
        self.spectrum = spectrum;
        let angelic = angelic?;
        let result = format!(
            "{} of {} reached",
            count(angelic.len(), "angelic site"),
            suspects.len()
        );
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(Located { suspects, angelic })
    }

    /// Checks that the instrumented build behaves as the subject, and traces every test.
    fn trace(&mut self, build: &crate::subject::cargo::Build) -> Result<()> {
        let runs = self.runner.runs();
        let phase = self.progress.start("tracing tests", self.tests.len(), runs);
        let mut changed: BTreeSet<TestIndex> = self.changed_outcomes(build)?.into_iter().collect();
        let plan = |test: TestIndex| Plan {
            sites: Some(self.sources.sites.len()),
            // A passing test ends by itself, however long it loops.
            fuel: (!self.baseline.verdicts[test].passed()).then_some(self.settings.fuel),
            timeout: self.patience(test),
            ..Plan::default()
        };
        let suite = self.suite(&build.binaries);
        let traced = suite.run_all(&suite.all(), plan, &|| phase.step())?;
        changed.extend(self.differing(&suite.all(), &traced));
        for (test, run) in traced.iter().enumerate() {
            if let Some(trace) = &run.trace {
                self.spectrum.add(test, trace, run.verdict);
            }
        }
        self.share_visits();
        let result = match changed.len() {
            0 => "the instrumentation changes nothing".to_string(),
            changed => format!("instrumentation changes {}", count(changed, "test")),
        };
        self.progress.finish(phase, self.runner.runs(), &result);

        for test in &changed {
            let reached = self
                .spectrum
                .reached
                .get(test)
                .map(BTreeMap::keys)
                .into_iter()
                .flatten();
            let before = self.excluded.len();
            self.excluded.extend(reached);
            self.outcome.warnings.push(format!(
                "{} has another outcome with instrumentation; the {} sites it reaches are left out",
                self.tests[*test],
                self.excluded.len() - before
            ));
        }
        if changed.len() == self.tests.len() {
            return Err(SubjectError::UnusableBaseline(
                "every test has another outcome with instrumentation, so nothing observed could be trusted".to_string(),
            )
            .into());
        }
        Ok(())
    }

    /// A visit of a place is counted for one of its ways out; it was one of all of them.
    fn share_visits(&mut self) {
        let sites = &self.sources.sites;
        for reached in self.spectrum.reached.values_mut() {
            let exits = reached
                .iter()
                .filter(|(site, _)| sites[**site as usize].kind == SiteKind::Exit);
            let counted: Vec<(SiteIndex, Counter)> =
                exits.map(|(site, counter)| (*site, *counter)).collect();
            for (first, counter) in counted {
                let place = sites[first as usize].place();
                let later = sites.iter().zip(0..).skip(first as usize + 1);
                let here = later.take_while(|(site, _)| site.place() == place);
                let others: Vec<SiteIndex> = here.map(|(_, index)| index).collect();
                for other in others
                    .into_iter()
                    .filter(|other| !self.excluded.contains(other))
                {
                    reached.entry(other).or_insert(counter);
                }
            }
        }
    }

    /// Contexts in which passing tests pass even if they leave at a new way out: it returns what they
    /// would get anyway, so that they say nothing about when to take it. Each test is made to leave
    /// always, and if it does not pass, at one visit after the other.
    fn indifferent(
        &self,
        suite: &Suite,
        angelic: &[AngelicSite],
        near: &[TestIndex],
        leader: &(dyn Fn(SiteIndex) -> SiteIndex + Sync),
    ) -> Result<Vec<Context>> {
        let mut trials = Vec::new();
        for found in angelic {
            let site = &self.sources.sites[found.site as usize];
            if site.kind == SiteKind::Exit {
                let visits = |test: &TestIndex| {
                    Some(self.spectrum.reached.get(test)?.get(&found.site)?.entered)
                };
                let reach = near.iter().filter_map(|test| Some((*test, visits(test)?)));
                trials.extend(reach.map(|(test, visits)| (found.site, test, visits)));
            }
        }
        trials.truncate(MOST_INDIFFERENT);
        let bounds = self.bounds();
        let contexts = pool::map(self.runner.jobs, &trials, |(site, test, visits)| {
            let visits = u32::try_from(*visits).unwrap_or(u32::MAX);
            let single = (0..visits).map(When::At);
            let single = single.filter(|_| (2..=MOST_VISITS).contains(&visits));
            let mut found = Vec::new();
            for when in std::iter::once(When::Always).chain(single) {
                let forced = Forced {
                    how: How::Set(true),
                    when,
                    blind: true,
                };
                let plan = Plan {
                    sites: Some(self.sources.sites.len()),
                    force: vec![(*site, vec![forced])],
                    capture: vec![*site, leader(*site)],
                    fuel: Some(bounds.fuel_for(*test, &self.spectrum)),
                    confined: true,
                    timeout: bounds.timeout,
                    ..Plan::default()
                };
                let run = suite.run(*test, &plan)?;
                let Some(trace) = run.trace.filter(|_| run.verdict.passed()) else {
                    continue;
                };
                let left = |context: &Context| context.site == *site && context.outcome;
                found.extend(trace.contexts.into_iter().filter(left));
                if when == When::Always {
                    break;
                }
            }
            Ok(found)
        })?;
        Ok(contexts.concat())
    }

    /// Builds with captures at the angelic sites and records the contexts: passing tests as they
    /// are, failing tests while they are forced to pass.
    pub(super) fn record(
        &mut self,
        angelic: &[AngelicSite],
    ) -> Result<BTreeMap<SiteIndex, Recorded>> {
        let sites = &self.sources.sites;
        let phase = self
            .progress
            .start("recording contexts", 0, self.runner.runs());
        let plan: BTreeMap<SiteIndex, _> = angelic
            .iter()
            .map(|found| {
                let site = &sites[found.site as usize];
                let tree = (site.kind.has_condition())
                    .then(|| condition::parse(&site.text))
                    .flatten();
                let offers = offers::at(self.sources, site);
                (found.site, captures(site, tree.as_ref(), &offers))
            })
            .collect();
        let (build, instrumentation) = self.instrument(Stage::Captures(plan.clone()))?;

        let suite = self.suite(&build.binaries);
        let mut all: Vec<SiteIndex> = angelic.iter().map(|found| found.site).collect();
        all.extend(all.clone().iter().map(|site| instrumentation.leader(*site)));
        all.sort_unstable();
        all.dedup();
        let near: Vec<TestIndex> = self
            .baseline
            .passing()
            .into_iter()
            .filter(|test| all.iter().any(|site| self.spectrum.reaches(*test, *site)))
            .collect();
        let timeout = self.settings.test_timeout;
        let observed = suite.run_all(
            &near,
            |_| Plan {
                sites: Some(sites.len()),
                capture: all.clone(),
                timeout,
                ..Plan::default()
            },
            &|| (),
        )?;
        // Where no forced outcome cured a test there is only what it did.
        let uncured = angelic.iter().any(|found| found.cures.is_empty());
        let failing = if uncured {
            self.targets.clone()
        } else {
            Vec::new()
        };
        let as_they_are = suite.run_all(
            &failing,
            |test| Plan {
                sites: Some(sites.len()),
                capture: all.clone(),
                fuel: Some(self.bounds().fuel_for(test, &self.spectrum)),
                timeout,
                ..Plan::default()
            },
            &|| (),
        )?;
        let leader = |site| instrumentation.leader(site);
        let indifferent = self.indifferent(&suite, angelic, &near, &leader)?;
        let replays = angelic::replays(angelic);
        let bounds = self.bounds();
        let replayed = pool::map(self.runner.jobs, &replays, |(site, test, forced)| {
            suite.run(
                *test,
                &Plan {
                    sites: Some(sites.len()),
                    force: vec![(*site, forced.clone())],
                    capture: vec![*site, instrumentation.leader(*site)],
                    fuel: Some(bounds.fuel_for(*test, &self.spectrum)),
                    confined: true,
                    timeout: bounds.timeout,
                    ..Plan::default()
                },
            )
        })?;

        let mut recorded: BTreeMap<SiteIndex, Recorded> = BTreeMap::new();
        for found in angelic {
            let impure = plan[&found.site].iter().enumerate().any(|(nth, capture)| {
                capture.kind == CaptureKind::Purity
                    && instrumentation
                        .dropped
                        .contains(&Part::Capture(found.site, nth))
            });
            recorded.insert(
                found.site,
                Recorded {
                    impure,
                    ..Recorded::default()
                },
            );
        }
        for context in indifferent {
            if let Some(recorded) = recorded.get_mut(&context.site) {
                recorded.indifferent.push(context);
            }
        }
        let mut passed_differently = BTreeSet::new();
        for (test, run) in near.iter().zip(&observed) {
            let Some(trace) = run.trace.as_ref().filter(|_| run.verdict.passed()) else {
                passed_differently.insert(*test);
                continue;
            };
            for (site, contexts) in by_site(&trace.contexts) {
                if let Some(recorded) = recorded.get_mut(&site) {
                    recorded.passing.push((*test, contexts));
                    recorded.dropped += trace.dropped;
                }
            }
        }
        for ((site, test, forced), run) in replays.iter().zip(&replayed) {
            let Some(trace) = run.trace.as_ref().filter(|_| run.verdict.passed()) else {
                continue;
            };
            let contexts = by_site(&trace.contexts).remove(site).unwrap_or_default();
            if let Some(recorded) = recorded.get_mut(site) {
                recorded.cured.entry(*test).or_default().push(Cure {
                    constant: angelic::is_constant(forced),
                    contexts,
                });
                recorded.dropped += trace.dropped;
            }
        }
        for trace in as_they_are.iter().filter_map(|run| run.trace.as_ref()) {
            for (site, contexts) in by_site(&trace.contexts) {
                if let Some(recorded) = recorded.get_mut(&site) {
                    recorded.uncured.push(contexts);
                }
            }
        }
        // Where no forced run passes again there is no specification.
        recorded.retain(|site, recorded| {
            let cures = recorded.cured.values().flatten();
            let contexts = cures.map(|cure| &cure.contexts).chain(&recorded.uncured);
            let kept = instrumentation.has(*site)
                && contexts.into_iter().any(|contexts| !contexts.is_empty());
            if !kept {
                self.outcome.set_reason(
                    &sites[*site as usize].id,
                    "the forced test does not pass again when contexts are recorded",
                );
            }
            kept
        });
        for test in passed_differently {
            self.outcome.warnings.push(format!(
                "{} does not pass when contexts are recorded; it does not constrain candidates, but still judges them",
                self.tests[test]
            ));
        }
        let contexts: usize = recorded
            .values()
            .flat_map(|recorded| {
                recorded
                    .passing
                    .iter()
                    .map(|(_, contexts)| contexts.len())
                    .chain(
                        recorded
                            .cured
                            .values()
                            .flatten()
                            .map(|cure| cure.contexts.len()),
                    )
            })
            .sum();
        let dropped: u64 = recorded.values().map(|recorded| recorded.dropped).sum();
        if dropped > 0 {
            self.outcome.warnings.push(format!(
                "{dropped} contexts were not recorded, for a site keeps {} of a test",
                nopol_instrument::layout::MOST_ROWS
            ));
        }
        let sites = count(recorded.len(), "site");
        let result = format!("{} at {sites}", count(contexts, "context"));
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(recorded)
    }
}

fn by_site(contexts: &[Context]) -> BTreeMap<SiteIndex, Vec<Context>> {
    let mut sites: BTreeMap<SiteIndex, Vec<Context>> = BTreeMap::new();
    for context in contexts {
        sites.entry(context.site).or_default().push(context.clone());
    }
    sites
}
