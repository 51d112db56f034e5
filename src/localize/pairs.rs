//! Pairs of sites that are forced together, for a failing test that no single site cures: a first outcome
//! that changes the failure, and then, guided by the trace of that run, a second one that makes the test
//! pass.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nopol_process::run::command::Progress;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::trace::{Counter, Trace};
use nopol_process::run::{Plan, Sequence, TestRun, pool};
use nopol_source::{Site, SiteIndex};
use typed_index_collections::TiSlice;

use super::bounds::Bounds;
use super::failure::FailureSignature;
use super::sequences::{constants, singles};
use super::spectrum::Spectrum;

/// The evaluations of a test that never ends that are flipped.
const FIRST_EVALUATIONS: u32 = 20;

/// Two sites that make a failing test pass when they are forced together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The failing test that the pair cures.
    pub test: TestIndex,
    /// The more suspicious one first.
    pub first: (SiteIndex, Sequence),
    /// The less suspicious one.
    pub second: (SiteIndex, Sequence),
}

/// The most sites tried as the first of a pair, and the most forced outcomes from which a second is searched
/// for.
const MOST_FIRST: usize = 60;
const MOST_STARTS: usize = 24;
/// The most sites tried as the second of a pair, per start.
const MOST_SECOND: usize = 40;
/// The most forced outcomes tried per site.
const MOST_OUTCOMES: usize = 6;

/// Searches for pairs that cure the test. `ranked` are the sites that may be forced, most suspicious first.
/// Sites that the test reaches only after the first outcome is forced are tried before the others.
///
/// # Errors
/// If the run is stopped.
pub fn search(
    suite: &Suite,
    sites: &TiSlice<SiteIndex, Site>,
    ranked: &[SiteIndex],
    spectrum: &Spectrum,
    test: TestIndex,
    bounds: Bounds,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Pair>> {
    let run = |force: Vec<At>| {
        let plan = Plan {
            sites: Some(sites.len()),
            force,
            fuel: Some(bounds.fuel_for(test, spectrum)),
            timeout: bounds.timeout,
            ..Plan::default()
        };
        done();
        suite.run(test, &plan)
    };
    let is_endless = spectrum.endless.contains(&test);
    cures(&run, bounds.at_once, sites, ranked, test, is_endless)
}

/// How a run failed.
#[derive(PartialEq)]
struct Failure {
    signature: FailureSignature,
    /// What is printed instead of a panic: all output of a C program, or the error that a test returned.
    printed: String,
    signal: Option<&'static str>,
    progress: Option<Progress>,
}

impl Failure {
    fn of(run: &TestRun) -> Self {
        // Whatever else libtest prints has the time in it.
        let errors = || {
            run.output
                .lines()
                .filter(|line| line.starts_with("Error: "))
        };
        Self {
            signature: FailureSignature::of(&run.output),
            printed: match run.progress {
                Some(_) => run.output.clone(),
                None => errors().collect(),
            },
            signal: run.signal,
            progress: run.progress,
        }
    }

    /// Whether the test panics elsewhere, or more of what it should print is right.
    fn is_further_than(&self, other: &Self) -> bool {
        self.signature.location != other.signature.location || self.progress > other.progress
    }
}

/// What is forced at a site.
type At = (SiteIndex, Sequence);

/// The search, given how the test is run while some sites are forced.
fn cures(
    run: &(dyn Fn(Vec<At>) -> Result<TestRun> + Sync),
    jobs: usize,
    sites: &TiSlice<SiteIndex, Site>,
    ranked: &[SiteIndex],
    test: TestIndex,
    is_endless: bool,
) -> Result<Vec<Pair>> {
    let outcomes = |site: SiteIndex, counter: Counter| {
        let at = &sites[site];
        let mut outcomes = constants(at, counter);
        outcomes.extend(singles(
            at,
            counter,
            is_endless.then_some(FIRST_EVALUATIONS),
        ));
        outcomes.truncate(MOST_OUTCOMES);
        outcomes.into_iter().map(move |outcome| (site, outcome))
    };

    let unforced = run(Vec::new())?;
    let before = Failure::of(&unforced);
    let reached = unforced
        .trace
        .map(|trace| trace.counters)
        .unwrap_or_default();
    let firsts = ranked
        .iter()
        .filter_map(|site| Some((*site, *reached.get(site)?)));
    let firsts = firsts.take(MOST_FIRST);
    let firsts: Vec<At> = firsts
        .flat_map(|(site, counter)| outcomes(site, counter))
        .collect();
    let runs = pool::map(jobs, &firsts, |first| run(vec![first.clone()]))?;
    // A change of the failure may be half of the cure; more likely so if the test gets further.
    let mut starts: Vec<(bool, &At, Trace)> = Vec::new();
    for (first, run) in firsts.iter().zip(runs) {
        let after = Failure::of(&run);
        if let Some(trace) = run
            .trace
            .filter(|_| !run.verdict.passed() && after != before)
        {
            starts.push((!after.is_further_than(&before), first, trace));
        }
    }
    starts.sort_by_key(|(is_no_further, ..)| *is_no_further);
    starts.truncate(MOST_STARTS);

    let mut trials: BTreeMap<usize, Vec<Pair>> = BTreeMap::new();
    let order: BTreeMap<SiteIndex, usize> = ranked.iter().copied().zip(0..).collect();
    for (_, first, trace) in &starts {
        let (new, known): (Vec<SiteIndex>, Vec<SiteIndex>) = ranked
            .iter()
            .filter(|site| trace.counters.contains_key(site) && !overlap(sites, first.0, **site))
            .partition(|site| !reached.contains_key(site));
        let seconds = new.into_iter().chain(known).take(MOST_SECOND);
        let seconds = seconds.flat_map(|site| outcomes(site, trace.counters[&site]));
        for (nth, second) in seconds.enumerate() {
            let mut both = [(*first).clone(), second];
            both.sort_by_key(|(site, _)| order[site]);
            let [first, second] = both;
            let pair = Pair {
                test,
                first,
                second,
            };
            // The first trial of each start, then the second of each, and so on.
            let round = trials.entry(nth).or_default();
            if !round.contains(&pair) {
                round.push(pair);
            }
        }
    }
    let trials: Vec<Pair> = trials.into_values().flatten().collect();
    let mut cured = Vec::new();
    let mut at: BTreeSet<[SiteIndex; 2]> = BTreeSet::new();
    for chunk in trials.chunks(PAIRS_AT_ONCE) {
        let passed = pool::map(jobs, chunk, |pair| {
            let force = vec![pair.first.clone(), pair.second.clone()];
            Ok(run(force)?.verdict.passed())
        })?;
        for (pair, _) in chunk.iter().zip(passed).filter(|(_, passed)| *passed) {
            at.insert([pair.first.0, pair.second.0]);
            if !cured.contains(pair) {
                cured.push(pair.clone());
            }
        }
        if at.len() >= ENOUGH_PAIRS {
            break;
        }
    }
    Ok(cured)
}

/// After each chunk of trials the search stops if enough different pairs were found. The chunk size does not
/// depend on the machine, so neither does the result.
const PAIRS_AT_ONCE: usize = 64;
const ENOUGH_PAIRS: usize = 6;

fn overlap(sites: &TiSlice<SiteIndex, Site>, a: SiteIndex, b: SiteIndex) -> bool {
    let (a, b) = (&sites[a], &sites[b]);
    a.file == b.file && a.span.start < b.span.end && b.span.start < a.span.end
}

#[cfg(test)]
mod tests;
