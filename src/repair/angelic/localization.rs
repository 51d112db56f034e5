//! Step one, angelic fix localization (the Nopol paper, §3.2): at which sites a forced outcome makes a
//! failing test pass.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use nopol_basics::{agree, count};
use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::Counter;
use nopol_process::run::{Plan, TestRun, Verdict};
use nopol_source::{FunctionIndex, SiteIndex};

use super::varying::{self, varied};
use crate::localize::angelic::{self, AngelicSite, Clues};
use crate::localize::spectrum::Suspect;
use crate::probe::Stage;
use crate::repair::instrument;
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::report::markup::code;
use crate::subject::SubjectError;
use crate::subject::workspace::Build;

/// A test that hangs is traced with the usual fuel divided by this.
const ENDLESS: u64 = 10;

/// Most failing tests that are run with forced outcomes.
const MOST_TARGETS: usize = 12;

/// A sample of the tests, which are sorted by length, if there are very many: the shortest ones and an even spread of
/// the others.
fn sample(tests: Vec<TestIndex>) -> Vec<TestIndex> {
    let half = MOST_TARGETS / 2;
    if tests.len() <= MOST_TARGETS {
        return tests;
    }
    let (shortest, others) = tests.split_at(half);
    let nth = |nth: usize| others[nth * others.len() / half];
    shortest.iter().copied().chain((0..half).map(nth)).collect()
}

/// What localization found.
pub(super) struct Localization {
    pub suspects: Vec<Suspect>,
    pub angelic: Vec<AngelicSite>,
}

/// Builds with these sites instrumented and traces every test that may reach one. Sites in `probes` are only traced.
/// `unit` names a site in the progress output.
///
/// # Errors
/// If the run is stopped, the subject does not build with the instrumentation, or the instrumentation changes the
/// outcome of every test.
pub(super) fn trace_sites(
    session: &Session,
    knowledge: &mut Knowledge,
    sites: &BTreeSet<SiteIndex>,
    probes: &BTreeSet<SiteIndex>,
    unit: &str,
) -> Result<Arc<Build>> {
    let runner = session.runner;
    let phase = session
        .progress
        .start("instrumenting places", 0, runner.runs());
    let all: BTreeSet<SiteIndex> = sites.union(probes).copied().collect();
    let stage = Stage::Conditions(all.clone());
    let (build, instrumentation) = instrument::build(session, knowledge, stage)?;
    let dropped = all.iter().filter(|site| !instrumentation.has(**site));
    let dropped: Vec<SiteIndex> = dropped.copied().collect();
    knowledge.rejected.extend(&dropped);
    knowledge.excluded.extend(dropped);
    let used = sites.difference(&knowledge.excluded).count();
    let result = match unit {
        "place" => count(used, unit),
        _ => format!("in {}", count(used, unit)),
    };
    session.progress.finish(phase, runner.runs(), &result);
    trace(session, knowledge, &build, &all)?;
    Ok(build)
}

/// Ranks these sites and forces their outcomes in a build that contains them.
///
/// # Errors
/// If the run is stopped.
pub(super) fn force(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    build: &Build,
    sites: &BTreeSet<SiteIndex>,
) -> Result<Localization> {
    let runner = session.runner;
    let passing = session.baseline.passing();
    let mut targets = targets.to_vec();
    targets.sort_by_key(|test| (knowledge.spectrum.length(*test), *test));
    let mut suspects = knowledge.spectrum.rank(&targets, &passing);
    // Candidates are judged with all targets later, so a sample is enough here.
    targets.retain(|test| knowledge.spectrum.length(*test) > 0);
    let targets = sample(targets);
    suspects.retain(|suspect| {
        sites.contains(&suspect.site) && session.may_patch(knowledge, suspect.site)
    });

    let phase = session.progress.start("forcing outcomes", 0, runner.runs());
    let foreseen = session.foreseeing.known(session.supervisor)?;
    let left_out = knowledge.spectrum.left_out;
    let angelic = angelic::search(
        &session.suite(&build.binaries),
        &session.sources.sites,
        Clues {
            suspects: &suspects,
            foreseen,
        },
        &mut knowledge.spectrum,
        &targets,
        session.bounds_of_search(),
        &|| phase.step(),
    )?;
    if knowledge.spectrum.left_out > left_out {
        knowledge.notes.warn(
            "forcing outcomes took half of the time that was left and ended early, so there may be other places where a forced outcome makes a test pass; `--time-limit` gives more time"
                .to_owned(),
        );
    }
    let endless = targets.iter().filter(|test| {
        let is_cured = angelic.iter().any(|found| found.cures.contains_key(test));
        knowledge.spectrum.endless.contains(test) && !is_cured
    });
    let stopped = endless.map(|test| {
        let is_late = knowledge.spectrum.late.contains(test);
        let name = session.tests[*test].to_string();
        (name, stopped(session, *test, is_late))
    });
    knowledge.notes.uncured.extend(stopped);
    // Earlier sites count again, so that the last of these lines has the number of the report.
    knowledge
        .forced
        .extend(suspects.iter().map(|suspect| suspect.site));
    let reached = places(session, knowledge.forced.iter().copied());
    let found = knowledge.angelic.iter().chain(&angelic);
    let found = places(session, found.map(|found| found.site));
    let found = match found {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    let result = format!(
        "{} reached, {found} where a forced outcome makes a test pass",
        count(reached, "place")
    );
    session.progress.finish(phase, runner.runs(), &result);
    Ok(Localization { suspects, angelic })
}

/// The number of places that have these sites. Several exits can be inserted at one place.
fn places(session: &Session, sites: impl Iterator<Item = SiteIndex>) -> usize {
    let sites = sites.map(|site| session.site(site));
    let places: BTreeSet<_> = sites
        .map(|site| (site.file, site.line, site.column))
        .collect();
    places.len()
}

/// Describes the limit that stopped a failing test which no forced outcome cures, and the option that raises it.
fn stopped(session: &Session, test: TestIndex, is_late: bool) -> String {
    let name = code(&session.tests[test].to_string());
    let flips = session.bounds().flips;
    let tried = format!(
        "at most {} of a condition {} tried",
        count(flips, "evaluation"),
        agree(flips, "was", "were")
    );
    match (session.baseline.verdicts[test], is_late) {
        (Verdict::TimedOut, _) => format!(
            "{name} exceeds its time or output limit, and no forced outcome makes it finish and pass: {tried}. `--test-timeout` gives it more time, `--flips` tries more"
        ),
        (_, true) => format!(
            "{name} exceeds the time limit when it is instrumented, and no forced outcome makes it finish and pass: {tried}. `--test-timeout` gives it more time, `--flips` tries more"
        ),
        (_, false) => format!(
            "{name} makes more than {} (loop iterations and evaluations of conditions), so its runs were stopped there; no forced outcome makes it pass within these steps ({tried}). `--fuel` allows more steps, `--flips` tries more",
            count(
                usize::try_from(session.settings.fuel.get()).unwrap_or(usize::MAX),
                "step"
            )
        ),
    }
}

/// The tests that may reach one of these sites: failing tests, and passing tests unless they are known to enter none of
/// the functions.
fn may_reach(
    session: &Session,
    knowledge: &Knowledge,
    sites: &BTreeSet<SiteIndex>,
) -> Vec<TestIndex> {
    let function = |site: &SiteIndex| session.site(*site).function;
    let functions: BTreeSet<FunctionIndex> = sites.iter().map(function).collect();
    let entries = instrument::function_entries(session.sources, &knowledge.excluded);
    let traced: BTreeSet<FunctionIndex> = entries.iter().map(function).collect();
    let enters = |test: &TestIndex| match knowledge.spectrum.reached.get(test) {
        Some(reached) => reached
            .keys()
            .any(|site| functions.contains(&function(site))),
        None => true,
    };
    let mut tests: Vec<TestIndex> = session.tests.keys().collect();
    if functions.is_subset(&traced) {
        let passes = |test: &TestIndex| session.baseline.verdicts[*test].passed();
        tests.retain(|test| !passes(test) || enters(test));
    }
    tests
}

/// Checks that the instrumented build behaves like the subject, and traces the tests that may reach these
/// sites.
fn trace(
    session: &Session,
    knowledge: &mut Knowledge,
    build: &Build,
    sites: &BTreeSet<SiteIndex>,
) -> Result<()> {
    let runs = session.runner.runs();
    let tests = may_reach(session, knowledge, sites);
    let phase = session.progress.start("tracing tests", tests.len(), runs);
    let mut changed: BTreeSet<TestIndex> = instrument::changed_outcomes(session, build)?
        .into_iter()
        .collect();
    let plan = |test: TestIndex| Plan {
        sites: Some(session.sources.sites.len()),
        // A passing test ends by itself, however long it loops. For a test that never ends, the beginning of its trace
        // is enough.
        fuel: match session.baseline.verdicts[test] {
            Verdict::Passed => None,
            Verdict::TimedOut => Some(session.settings.fuel.get() / ENDLESS),
            _ => Some(session.settings.fuel.get()),
        },
        timeout: session.timeout_of(test),
        ..Plan::default()
    };
    let suite = session.suite(&build.binaries);
    let traced = suite.run_all(&tests, plan, &|| phase.step())?;
    changed.extend(session.with_other_verdict(&tests, &traced));
    for (test, run) in tests.iter().zip(&traced) {
        if let Some(trace) = &run.trace {
            knowledge.spectrum.add(*test, trace, run.verdict);
        }
    }
    let failing = tests.iter().zip(&traced);
    let (failing, first): (Vec<TestIndex>, Vec<TestRun>) = failing
        .filter(|(test, run)| {
            let ends = run.verdict == Verdict::Failed;
            ends && !changed.contains(test) && !knowledge.spectrum.is_random(**test)
        })
        .map(|(test, run)| (*test, run.clone()))
        .unzip();
    let second = suite.run_all(&failing, |test| varied(plan(test)), &|| ())?;
    let varying = varying::varying(session.sources, &failing, &first, &second);
    knowledge.spectrum.varying.extend(varying);
    share_visits(session, knowledge);
    let result = match changed.len() {
        0 => "same results as without instrumentation".to_string(),
        changed => format!(
            "instrumentation changes the {} of {}",
            agree(changed, "result", "results"),
            count(changed, "test")
        ),
    };
    session
        .progress
        .finish(phase, session.runner.runs(), &result);

    set_aside(session, knowledge, &changed);
    if changed.len() == session.tests.len() {
        return Err(SubjectError::UnusableBaseline(
            "the result of every test changes once recording code is added to the program, so nothing can be learned; the program may depend on time, on its own source text or on uninitialized memory".to_string(),
        )
        .into());
    }
    Ok(())
}

/// Forgets the traces of tests whose outcomes the instrumentation changes. Excludes the sites that no other test
/// reaches, because they may cause the change.
fn set_aside(session: &Session, knowledge: &mut Knowledge, changed: &BTreeSet<TestIndex>) {
    let forgotten: BTreeSet<SiteIndex> = changed
        .iter()
        .filter_map(|test| knowledge.spectrum.forget(*test))
        .flat_map(BTreeMap::into_keys)
        .collect();
    let others = knowledge.spectrum.reached.values();
    let others: BTreeSet<SiteIndex> = others.flat_map(BTreeMap::keys).copied().collect();
    knowledge.excluded.extend(forgotten.difference(&others));
    for test in changed {
        knowledge.notes.warn(format!(
            "the result of {} changes once recording code is added (the test may depend on time, on its own source text or on uninitialized memory); it is set aside until patches are built on their own, and places that only such tests reach are left out",
            code(&session.tests[*test].to_string())
        ));
    }
    let failing = session.baseline.failing();
    knowledge.notes.is_disturbed = failing.iter().all(|test| changed.contains(test));
}

/// A visit of a place is counted for only one of its early exits. Copies the count to the others.
fn share_visits(session: &Session, knowledge: &mut Knowledge) {
    let sites = &session.sources.sites;
    for reached in knowledge.spectrum.reached.values_mut() {
        let exits = reached
            .iter()
            .filter(|(site, _)| sites[**site].kind.is_early_exit());
        let counted: Vec<(SiteIndex, Counter)> =
            exits.map(|(site, counter)| (*site, *counter)).collect();
        for (first, counter) in counted {
            let point = sites[first].program_point();
            let later = sites.iter_enumerated().skip(usize::from(first) + 1);
            let here = later.take_while(|(_, site)| site.program_point() == point);
            let others: Vec<SiteIndex> = here.map(|(index, _)| index).collect();
            for other in others
                .into_iter()
                .filter(|other| !knowledge.excluded.contains(other))
            {
                reached.entry(other).or_insert(counter);
            }
        }
    }
}
