//! Step two, data collection (the Nopol paper, §3.3): record the contexts at angelic sites.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use nopol_basics::{agree, count};
use nopol_instrument::layout::MOST_ROWS;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::trace::Context;
use nopol_process::run::{Plan, TestRun, Verdict, pool};
use nopol_source::{SiteIndex, candidate_terms};

use super::costly::leaving_out;
use super::dont_care::{Seen, Trials};
use super::varying::{self, varied};
use crate::contexts::{Cure, Recorded};
use crate::localize::angelic::{self, AngelicSite, Replay};
use crate::localize::spectrum::Spectrum;
use crate::probe::{Capture, CaptureKind, Instrumentation, Part, Stage, captures};
use crate::repair::instrument;
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;

/// Most contexts of one outcome recorded at one site by all passing tests together. The tests share them equally,
/// because many or long tests repeat themselves.
const MOST_AT_SITE: usize = 4000;
/// As [`MOST_AT_SITE`], at all sites together.
const MOST_PASSING: usize = 25_000;
/// The least share of a test at a site, in contexts.
const LEAST_PASSING: u32 = 20;

/// An angelic site and what was recorded there.
#[derive(Clone, Debug)]
pub struct RecordedSite {
    pub found: AngelicSite,
    pub recorded: Arc<Recorded>,
}

/// What was recorded in one build.
struct Recording {
    places: Vec<RecordedSite>,
    /// Passing tests that fail while contexts are recorded.
    lost: Vec<TestIndex>,
    /// Why some sites were left out.
    reasons: Vec<(SiteIndex, &'static str)>,
    /// Sites where recording changes how a run ends.
    disturbed: BTreeSet<SiteIndex>,
    /// Evaluations that were not recorded.
    dropped: u64,
    /// Tests that record other values when they run again.
    varying: BTreeSet<TestIndex>,
}

/// A repeated forced run: index of the angelic site, test, contexts, and the number of evaluations that were not
/// recorded.
type Replayed = (usize, TestIndex, Cure, u64);

/// The captures of each site.
type Captures = BTreeMap<SiteIndex, Vec<Capture>>;

/// Builds with captures at the angelic sites and records contexts: passing tests run as they are, failing tests are
/// forced to pass. Leaves out sites where no forced run passes again, because they have no specification.
///
/// # Errors
/// If the run is stopped, or the subject does not build with the captures.
pub(super) fn record(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    angelic: &[AngelicSite],
) -> Result<Vec<RecordedSite>> {
    let mut recording = record_with(session, knowledge, targets, angelic, false)?;
    // Record these sites again, capturing only what the program itself reads there.
    let mut disturbed = std::mem::take(&mut recording.disturbed);
    if !session.policies().captures_may_be_undefined {
        // Values recorded at other sites are as the program computed them.
        let is_recorded = |site: &SiteIndex| {
            let mut places = recording.places.iter();
            places.any(|place| place.found.site == *site)
        };
        let cured = angelic.iter().filter(|found| !found.cures.is_empty());
        let cured: BTreeSet<SiteIndex> = cured.map(|found| found.site).collect();
        disturbed.retain(|site| cured.contains(site) && !is_recorded(site));
    }
    if !disturbed.is_empty() {
        let is_disturbed = |found: &AngelicSite| disturbed.contains(&found.site);
        let mut again = angelic.to_vec();
        again.retain(is_disturbed);
        let second = record_with(session, knowledge, targets, &again, true)?;
        recording.places.retain(|place| !is_disturbed(&place.found));
        recording.places.extend(second.places);
        let at = |place: &RecordedSite| angelic.iter().position(|found| *found == place.found);
        recording.places.sort_by_key(at);
        recording
            .reasons
            .retain(|(site, _)| !disturbed.contains(site));
        recording.reasons.extend(second.reasons);
        recording.lost = second.lost;
        recording.dropped = second.dropped;
        recording.varying.extend(second.varying);
    }
    knowledge.spectrum.varying.extend(recording.varying);
    for (site, reason) in recording.reasons {
        let id = &session.sources.sites[site].id;
        knowledge.notes.set_reason(id, reason);
    }
    for test in recording.lost {
        knowledge.notes.warn(format!(
            "{} fails while values are recorded, so its values are not used; candidates must still pass it",
            session.tests[test]
        ));
    }
    if recording.dropped > 0 {
        knowledge.notes.warn(format!(
            "{} {} not recorded: tests evaluate some conditions very often, and only a part of those evaluations is recorded",
            count(recording.dropped as usize, "evaluation"),
            agree(recording.dropped as usize, "was", "were")
        ));
    }
    Ok(recording.places)
}

/// Records all candidate terms, or if `plain`, only what the program itself reads.
fn record_with(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    angelic: &[AngelicSite],
    plain: bool,
) -> Result<Recording> {
    let sites = &session.sources.sites;
    let runs = session.runner.runs();
    let phase = session.progress.start("recording contexts", 0, runs);
    let plan: Captures = angelic
        .iter()
        .map(|found| {
            let site = &sites[found.site];
            let tree = (site.kind.has_condition())
                .then(|| session.sources.language.parse(&site.text))
                .flatten();
            let terms = match plain {
                true => Vec::new(),
                false => candidate_terms::at(session.sources, site),
            };
            let mut captures = captures(session.sources.language, site, tree.as_ref(), &terms);
            captures.retain(|capture| {
                let text = (site.function, capture.text.clone());
                capture.kind == CaptureKind::Purity || !knowledge.refused.contains(&text)
            });
            (found.site, captures)
        })
        .collect();
    let (build, instrumentation) =
        instrument::build(session, knowledge, Stage::Captures(plan.clone()))?;
    knowledge
        .refused
        .extend(instrumentation.refused.iter().cloned());
    let suite = session.suite(&build.binaries);
    let spectrum = &knowledge.spectrum;
    let costly = &mut knowledge.costly;

    let is_impure = |site: SiteIndex| {
        let mut parts = plan[&site].iter().enumerate();
        let is_refused = parts.any(|(nth, capture)| {
            let part = Part::Capture(site, nth);
            capture.kind == CaptureKind::Purity && instrumentation.dropped.contains(&part)
        });
        is_refused || sites[site].is_pure == Some(false)
    };
    let recorded = angelic.iter().map(|found| Recorded {
        impure: is_impure(found.site),
        ..Recorded::default()
    });
    let mut recorded: Vec<Recorded> = recorded.collect();
    let mut all: BTreeSet<SiteIndex> = angelic.iter().map(|found| found.site).collect();
    all.extend(
        angelic
            .iter()
            .map(|found| instrumentation.leader(found.site)),
    );
    let all: Vec<SiteIndex> = all.into_iter().collect();
    let at = |site: SiteIndex| {
        let found = angelic.iter().enumerate();
        found.filter_map(move |(nth, found)| (found.site == site).then_some(nth))
    };

    let near = reaching(session, spectrum, &all);
    let mut passed_differently = Vec::new();
    let mut dropped = 0;
    let runs = record_unforced(session, spectrum, &suite, &near, &all, costly)?;
    let mut varying = vary(session, spectrum, &suite, &near, &all, costly, &runs)?;
    for (test, run) in near.iter().zip(runs) {
        let Some(trace) = run.trace.filter(|_| run.verdict.passed()) else {
            passed_differently.push(*test);
            continue;
        };
        dropped += trace.dropped;
        for (site, contexts) in by_site(&trace.contexts) {
            for nth in at(site) {
                recorded[nth].passing.push((*test, contexts.clone()));
                if trace.dropped > 0 {
                    recorded[nth].incomplete.insert(*test);
                }
            }
        }
    }
    let rows = rows(near.len(), all.len());
    let trials = Trials {
        session,
        spectrum,
        suite: &suite,
        angelic,
        near: &near,
        instrumentation: &instrumentation,
        rows,
        costly,
    };
    for (nth, test) in trials.tests_without_preference()? {
        let Recorded {
            passing, dont_care, ..
        } = &mut recorded[nth];
        let of_test = passing.iter().filter(|(known, _)| *known == test);
        dont_care.extend(of_test.flat_map(|(_, contexts)| contexts.iter().cloned()));
    }
    let seen: Seen = recorded
        .iter()
        .zip(angelic)
        .map(|(recorded, found)| {
            let contexts = recorded.passing.iter().flat_map(|(_, contexts)| contexts);
            (
                found.site,
                contexts.map(|context| context.values.clone()).collect(),
            )
        })
        .collect();
    for context in trials.exits_that_do_not_matter(&seen)? {
        for nth in at(context.site) {
            recorded[nth].dont_care.push(context.clone());
        }
    }
    let (cures, differing) =
        replay_cures(session, spectrum, &suite, angelic, &instrumentation, costly)?;
    varying.extend(differing);
    for (nth, test, cure, missing) in cures {
        recorded[nth].cured.entry(test).or_default().push(cure);
        dropped += missing;
    }
    // If no forced outcome cured a test at some site, the test's own contexts are all there is.
    if angelic.iter().any(|found| found.cures.is_empty()) {
        let failing = record_unforced(session, spectrum, &suite, targets, &all, costly)?;
        for trace in failing.iter().filter_map(|run| run.trace.as_ref()) {
            for (site, contexts) in by_site(&trace.contexts) {
                for nth in at(site) {
                    recorded[nth].uncured.push(contexts.clone());
                }
            }
        }
    }

    let mut places = Vec::new();
    let mut reasons = Vec::new();
    let mut disturbed = BTreeSet::new();
    for (found, recorded) in angelic.iter().zip(recorded) {
        let cures = recorded.cured.values().flatten();
        let mut contexts = cures.map(|cure| &cure.contexts).chain(&recorded.uncured);
        let is_built = instrumentation.has(found.site);
        if is_built && contexts.any(|contexts| !contexts.is_empty()) {
            places.push(RecordedSite {
                found: found.clone(),
                recorded: Arc::new(recorded),
            });
        } else if is_built {
            let reason =
                "with the forced outcome, the test does not pass again when contexts are recorded";
            reasons.push((found.site, reason));
            disturbed.insert(found.site);
        } else {
            let reason = "the code that records values there does not compile";
            reasons.push((found.site, reason));
        }
    }
    for test in &passed_differently {
        let reached = all.iter().filter(|site| spectrum.reaches(*test, **site));
        disturbed.extend(reached);
    }
    let contexts = places.iter().map(|place| contexts(&place.recorded)).sum();
    let sites = count(places.len(), "place");
    let result = format!("{} at {sites}", count(contexts, "context"));
    session
        .progress
        .finish(phase, session.runner.runs(), &result);
    Ok(Recording {
        places,
        lost: passed_differently,
        reasons,
        disturbed,
        dropped,
        varying,
    })
}

/// The passing tests that reach one of these sites.
fn reaching(session: &Session, spectrum: &Spectrum, sites: &[SiteIndex]) -> Vec<TestIndex> {
    let mut tests = session.baseline.passing();
    let reaches = |test: TestIndex| {
        let mut sites = sites.iter();
        sites.any(|site| spectrum.reaches(test, *site))
    };
    tests.retain(|test| reaches(*test));
    tests
}

/// Runs tests without forcing and records contexts at these sites.
fn record_unforced(
    session: &Session,
    spectrum: &Spectrum,
    suite: &Suite,
    tests: &[TestIndex],
    sites: &[SiteIndex],
    costly: &mut BTreeSet<String>,
) -> Result<Vec<TestRun>> {
    let bounds = session.bounds();
    let limit = session.settings.test_timeout;
    let rows = rows(tests.len(), sites.len());
    let plan = |test: TestIndex, timeout: Duration, without: &BTreeSet<String>| Plan {
        timeout,
        ..recording(session, spectrum, test, sites, rows, without)
    };
    let mut run = |tests: &[TestIndex], timeout: Duration| {
        leaving_out(costly, |without| {
            suite.run_all(tests, |test| plan(test, timeout, without), &|| ())
        })
    };
    // This limit is much longer than tests usually take: a run that exceeds it hangs in a capture, or waits for
    // something.
    let mut runs = run(tests, bounds.timeout)?;
    let late = tests.iter().zip(&runs);
    let late = late.filter(|(_, run)| run.verdict == Verdict::TimedOut && bounds.timeout < limit);
    let late: Vec<TestIndex> = late.map(|(test, _)| *test).collect();
    let again = run(&late, limit)?;
    for (test, again) in late.iter().zip(again) {
        let at = tests.iter().position(|known| known == test);
        if let Some(known) = at.and_then(|at| runs.get_mut(at)) {
            *known = again;
        }
    }
    Ok(runs)
}

/// Repeats runs that record contexts, with other random numbers and addresses. Returns the tests that now record other
/// values. Skips tests that are already known to be random.
fn vary(
    session: &Session,
    spectrum: &Spectrum,
    suite: &Suite,
    tests: &[TestIndex],
    sites: &[SiteIndex],
    without: &BTreeSet<String>,
    first: &[TestRun],
) -> Result<BTreeSet<TestIndex>> {
    let rows = rows(tests.len(), sites.len());
    let both = tests.iter().zip(first);
    let (tests, first): (Vec<TestIndex>, Vec<TestRun>) = both
        .filter(|(test, _)| !spectrum.is_random(**test))
        .map(|(test, run)| (*test, run.clone()))
        .unzip();
    let plan = |test| varied(recording(session, spectrum, test, sites, rows, without));
    let second = suite.run_all(&tests, plan, &|| ())?;
    Ok(varying::varying(session.sources, &tests, &first, &second))
}

/// The plan of an unforced run that records contexts at these sites.
fn recording(
    session: &Session,
    spectrum: &Spectrum,
    test: TestIndex,
    sites: &[SiteIndex],
    rows: u32,
    without: &BTreeSet<String>,
) -> Plan {
    let bounds = session.bounds();
    Plan {
        sites: Some(session.sources.sites.len()),
        capture: sites.to_vec(),
        rows: Some(rows),
        without: without.clone(),
        // A passing test ends by itself, however long it loops.
        fuel: (!session.baseline.verdicts[test].passed()).then(|| bounds.fuel_for(test, spectrum)),
        timeout: bounds.timeout,
        ..Plan::default()
    }
}

/// Repeats the forced runs and records contexts. Runs the first passing replay of each test twice, and also returns the
/// tests for which the second run differs.
fn replay_cures(
    session: &Session,
    spectrum: &Spectrum,
    suite: &Suite,
    angelic: &[AngelicSite],
    instrumentation: &Instrumentation,
    costly: &mut BTreeSet<String>,
) -> Result<(Vec<Replayed>, BTreeSet<TestIndex>)> {
    let replays = angelic::replays(angelic);
    let bounds = session.bounds();
    let plan = |replay: &Replay, without: &BTreeSet<String>| {
        let (site, _) = &replay.force[0];
        Plan {
            sites: Some(session.sources.sites.len()),
            force: replay.force.clone(),
            capture: vec![*site, instrumentation.leader(*site)],
            without: without.clone(),
            // The original run passed with less fuel, but captures may loop, too.
            fuel: Some(bounds.fuel.max(bounds.fuel_for(replay.test, spectrum))),
            timeout: bounds.timeout,
            ..Plan::default()
        }
    };
    let runs = leaving_out(costly, |without| {
        pool::map(session.runner.jobs(), &replays, |replay| {
            suite.run(replay.test, &plan(replay, without))
        })
    })?;
    let mut compared = BTreeSet::new();
    let both = replays.iter().zip(&runs);
    let once: Vec<(&Replay, &TestRun)> = both
        .filter(|(replay, run)| {
            let is_steady = !spectrum.is_random(replay.test);
            is_steady && run.verdict.passed() && compared.insert(replay.test)
        })
        .collect();
    let differing = pool::map(session.runner.jobs(), &once, |(replay, first)| {
        let second = suite.run(replay.test, &varied(plan(replay, costly)))?;
        Ok(varying::differ(session.sources, first, &second).then_some(replay.test))
    })?;
    let replayed = replays.iter().zip(runs).filter_map(|(replay, run)| {
        let trace = run.trace.filter(|_| run.verdict.passed())?;
        let (site, sequence) = &replay.force[0];
        let contexts = by_site(&trace.contexts).remove(site).unwrap_or_default();
        let constant = angelic::is_constant(sequence);
        let cure = Cure { constant, contexts };
        Some((replay.nth, replay.test, cure, trace.dropped))
    });
    Ok((
        replayed.collect(),
        differing.into_iter().flatten().collect(),
    ))
}

/// Most contexts of one outcome that each test records at each site.
fn rows(tests: usize, sites: usize) -> u32 {
    let at_site = MOST_AT_SITE.min(MOST_PASSING / sites.max(1));
    let share = u32::try_from(at_site / tests.max(1)).unwrap_or(MOST_ROWS);
    share.clamp(LEAST_PASSING, MOST_ROWS)
}

/// Number of recorded contexts.
fn contexts(recorded: &Recorded) -> usize {
    let passing = recorded.passing.iter().map(|(_, contexts)| contexts.len());
    let cured = recorded.cured.values().flatten();
    passing.sum::<usize>() + cured.map(|cure| cure.contexts.len()).sum::<usize>()
}

fn by_site(contexts: &[Context]) -> BTreeMap<SiteIndex, Vec<Context>> {
    let mut sites: BTreeMap<SiteIndex, Vec<Context>> = BTreeMap::new();
    for context in contexts {
        sites.entry(context.site).or_default().push(context.clone());
    }
    sites
}
