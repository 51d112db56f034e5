//! Don't-cares: contexts of passing tests in which the outcome does not matter, because the tests also pass with the
//! other outcome. They do not constrain the condition.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::Result;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::trace::{Context, Readings};
use nopol_process::run::{Forced, How, Plan, Verdict, When, pool};
use nopol_source::{SiteIndex, SiteKind};

use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Spectrum;
use crate::probe::Instrumentation;
use crate::repair::session::Session;

/// Most pairs of a passing test and an early exit that are run with the exit taken.
const MOST_EXIT_TRIALS: usize = 600;
/// Most pairs of a passing test and a condition that are run with all outcomes flipped.
const MOST_FLIP_TRIALS: usize = 2000;
/// Most visits of an early exit for which each single visit is also tried.
const MOST_VISITS_TRIED: u32 = 8;
/// Tests tried in turn at one early exit. The first that hangs ends its group.
const TRIALS_IN_TURN: usize = 8;

/// The contexts that passing tests recorded, by site.
pub(super) type Seen = BTreeMap<SiteIndex, HashSet<Readings>>;

/// Runs of passing tests with other outcomes.
pub(super) struct Trials<'a> {
    pub session: &'a Session<'a>,
    pub spectrum: &'a Spectrum,
    pub suite: &'a Suite<'a>,
    pub angelic: &'a [AngelicSite],
    /// The passing tests that reach an angelic site.
    pub near: &'a [TestIndex],
    pub instrumentation: &'a Instrumentation<'a>,
    /// Most contexts of one outcome that a test records at a site.
    pub rows: u32,
    /// Captures that are not evaluated: see [`leaving_out`](super::costly::leaving_out).
    pub costly: &'a BTreeSet<String>,
}

impl Trials<'_> {
    /// Those of the contexts `seen` in which a passing test also passes if an early exit is taken. The exit is first
    /// taken at all visits, and if the test then fails, at one visit after the other.
    pub fn exits_that_do_not_matter(&self, seen: &Seen) -> Result<Vec<Context>> {
        let session = self.session;
        let mut trials = Vec::new();
        for found in self.angelic {
            if session.sources.sites[found.site].kind.is_early_exit() {
                let visits = |test: &TestIndex| {
                    let counter = self.spectrum.reached.get(test)?.get(&found.site)?;
                    Some(u32::try_from(counter.entered).unwrap_or(u32::MAX))
                };
                let near = self.near.iter();
                let reach = near.filter_map(|test| Some((*test, visits(test)?)));
                trials.extend(reach.map(|(test, visits)| (found.site, test, visits)));
            }
        }
        trials.truncate(MOST_EXIT_TRIALS);
        let of_site = trials.chunk_by(|(a, ..), (b, ..)| a == b);
        let parts: Vec<_> = of_site
            .flat_map(|trials| trials.chunks(TRIALS_IN_TURN))
            .collect();
        let contexts = pool::map(session.bounds().at_once, &parts, |trials| {
            let mut found = Vec::new();
            for (site, test, visits) in *trials {
                let Some(contexts) = self.passes_when_leaving(*site, *test, *visits)? else {
                    break;
                };
                let seen = seen.get(site);
                let matters =
                    |context: &Context| seen.is_some_and(|seen| seen.contains(&context.values));
                found.extend(contexts.into_iter().filter(matters));
            }
            Ok(found)
        })?;
        Ok(contexts.concat())
    }

    /// Passing tests that also pass with all outcomes of an angelic site flipped, each with the index of the site in
    /// `angelic`. None of their contexts there matters. Tries conditions only if the language's policies call passing
    /// tests weak evidence, and always tries operands, because the other operands may decide.
    pub fn tests_without_preference(&self) -> Result<Vec<(usize, TestIndex)>> {
        let session = self.session;
        let are_weak = session.policies().passing_tests_are_weak_evidence;
        let mut trials = Vec::new();
        for (nth, found) in self.angelic.iter().enumerate() {
            let kind = session.sources.sites[found.site].kind;
            let is_operand = matches!(kind, SiteKind::LetOperand | SiteKind::Premise);
            if is_operand || are_weak && kind.has_condition() {
                let near = self.near.iter();
                let reach = near.filter(|test| self.spectrum.reaches(**test, found.site));
                trials.extend(reach.map(|test| (nth, *test)));
            }
        }
        trials.truncate(MOST_FLIP_TRIALS);
        let bounds = session.bounds();
        let passes = pool::map(session.bounds().at_once, &trials, |(nth, test)| {
            let forced = Forced {
                how: How::Flip,
                when: When::Always,
                blind: false,
            };
            let plan = Plan {
                force: vec![(self.angelic[*nth].site, vec![forced])],
                fuel: Some(bounds.fuel_for(*test, self.spectrum)),
                timeout: bounds.timeout,
                ..Plan::default()
            };
            Ok(self.suite.run(*test, &plan)?.verdict.passed())
        })?;
        let passing = trials.into_iter().zip(passes).filter(|(_, passes)| *passes);
        Ok(passing.map(|(trial, _)| trial).collect())
    }

    /// The contexts in which a test passes although the exit is taken. `None` if it hangs, because other tests will
    /// hang, too.
    fn passes_when_leaving(
        &self,
        site: SiteIndex,
        test: TestIndex,
        visits: u32,
    ) -> Result<Option<Vec<Context>>> {
        let bounds = self.session.bounds();
        let single = (0..visits).map(When::At);
        let single = single.filter(|_| (2..=MOST_VISITS_TRIED).contains(&visits));
        let mut found = Vec::new();
        for when in std::iter::once(When::Always).chain(single) {
            let forced = Forced {
                how: How::Set(true),
                when,
                blind: true,
            };
            let plan = Plan {
                sites: Some(self.session.sources.sites.len()),
                force: vec![(site, vec![forced])],
                capture: vec![site, self.instrumentation.leader(site)],
                rows: Some(self.rows),
                without: self.costly.clone(),
                fuel: Some(bounds.fuel_for(test, self.spectrum)),
                timeout: bounds.timeout,
                ..Plan::default()
            };
            let run = self.suite.run(test, &plan)?;
            if run.verdict == Verdict::TimedOut {
                return Ok(None);
            }
            let Some(trace) = run.trace.filter(|_| run.verdict.passed()) else {
                continue;
            };
            let left = |context: &Context| context.site == site && context.outcome;
            found.extend(trace.contexts.into_iter().filter(left));
            if when == When::Always {
                break;
            }
        }
        Ok(Some(found))
    }
}
