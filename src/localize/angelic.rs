//! Algorithms 1 and 2 of papers/nopol.txt: force a condition true, then false; skip a statement;
//! see whether the failing test passes.
//!
//! One constant per test is too weak where a test evaluates a condition several times and only
//! some of them go wrong, so sequences are tried as well ([`super::sequences`]), cheapest first.
//!
//! Against the printed Algorithm 1 both values are always tried: a test may pass under either,
//! and then it must not constrain the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;

use super::complaint::Complaint;
pub use super::sequences::is_constant;
use super::sequences::{constants, further, one, singles, switches};
use super::spectrum::{Spectrum, Suspect};
use crate::run::command::Progress;
use crate::run::suite::{Suite, TestIndex};
use crate::run::trace::Counter;
use crate::run::{Plan, Sequence, Verdict, pool};
use crate::source::{Site, SiteIndex};

/// An angelic site: forced so, these failing tests pass. Without cures, a site that is only
/// suspected.
#[derive(Clone, Debug, PartialEq)]
pub struct AngelicSite {
    pub site: SiteIndex,
    pub suspiciousness: f64,
    pub cures: BTreeMap<TestIndex, Vec<Sequence>>,
    /// What is forced elsewhere at the same time, where this site alone cures nothing.
    pub beside: Option<(SiteIndex, Sequence)>,
    /// Only its operators and constants are to be changed: operator mutations.
    pub only_operator_mutations: bool,
}

/// Bounds on a forced run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub timeout: Duration,
    /// Most loop iterations, whatever the test.
    pub fuel: u64,
    /// Most runs of one failing test in which a single evaluation is made otherwise.
    pub flips: usize,
}

impl Bounds {
    /// Of so many runs of a test, those that there is time for, but always a few: one that loops for long
    /// is run less often.
    fn affordable(most: usize, test: TestIndex, spectrum: &Spectrum) -> usize {
        let ticks = usize::try_from(spectrum.expected_ticks(test).max(1)).unwrap_or(usize::MAX);
        most.min(LEAST_RUNS.max(AMPLE_TICKS / ticks))
    }

    /// The fuel for a forced run of a test: far more than it or most tests took, and all there is for
    /// one that a cure was seen to make go on for longer. One that never ends gets what others need,
    /// and generously, for most of its runs will burn it all.
    pub fn fuel_for(&self, test: TestIndex, spectrum: &Spectrum) -> u64 {
        let ticks = spectrum.expected_ticks(test);
        let expected = ticks
            .saturating_mul(20)
            .min(MANY_TICKS.max(ticks.saturating_mul(3)));
        match spectrum.endless.contains(&test) {
            true => self.fuel.min(expected.saturating_add(100_000)),
            false if spectrum.long.contains(&test) => self.fuel.max(expected),
            false => {
                let ample = spectrum.usual_ticks().saturating_mul(100);
                self.fuel.min(ample.saturating_add(100_000)).max(expected)
            }
        }
    }
}

/// Forced runs that ended for want of fuel and are made again with so many times as much.
const MOST_LONG: usize = 4;
const LONGER: u64 = 20;
/// Cures by less than all evaluations that are kept per site and test.
const MOST_PARTIAL: usize = 6;
/// Runs of one test in search of a longer sequence at one site, and its length.
const MOST_DEEP: usize = 32;
const DEEPEST: usize = 6;
/// With fewer angelic sites so many other failing tests are tried everywhere, too.
const FEW_SITES: usize = 3;
const MOST_OTHERS: usize = 2;
/// Evaluations of one site that are made otherwise to bring a test nearer to passing.
const MOST_NEARER: usize = 160;
/// Sites that are gone deeper at.
const MOST_STARTS: usize = 24;
/// Runs of one test and one kind: so many for each site, but no less than [`Bounds::flips`] and no
/// more than so many times that.
const RUNS_PER_SITE: usize = 3;
const MOST_FLIPS: usize = 5;

/// Beyond so many loop iterations a run gets only three times what is expected.
const MANY_TICKS: u64 = 2_000_000;
/// Loop iterations in all runs of one test and one kind together, and the least number of runs.
const AMPLE_TICKS: usize = 40_000_000;
const LEAST_RUNS: usize = 32;

/// A forced run to be made.
type Trial = (SiteIndex, TestIndex, Sequence);

/// Tries the suspects against the failing tests, which are in the order of trial: shortest first.
///
/// The first test is tried at every suspect it reaches. A site that cures it is then tried with
/// the other tests; only tests that no such site cures are tried everywhere again. So a fault
/// shared by many tests costs little more than one test.
///
/// A test that fails early may go on for long once it is cured: a run with a constant outcome that
/// ends for want of fuel is made again with [`LONGER`] times as much, if it is one of the first of
/// them, and where that cures the test, the spectrum is told.
///
/// # Errors
/// If the run is stopped.
pub fn search(
    suite: &Suite,
    sites: &[Site],
    suspects: &[Suspect],
    spectrum: &mut Spectrum,
    failing: &[TestIndex],
    bounds: Bounds,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<AngelicSite>> {
    let long = Mutex::new(BTreeSet::new());
    let found = {
        let spectrum = &*spectrum;
        let run = |(site, test, forced): &Trial, fuel: u64| {
            done();
            let plan = Plan {
                force: vec![(*site, forced.clone())],
                fuel: Some(fuel),
                timeout: bounds.timeout,
                ..Plan::default()
            };
            Ok(suite.run(*test, &plan)?.verdict)
        };
        let force = |trials: Vec<Trial>| -> Result<Vec<Trial>> {
            let mut verdicts = pool::map(suite.runner.jobs, &trials, |trial| {
                run(trial, bounds.fuel_for(trial.1, spectrum))
            })?;
            let may_be_long = |(nth, verdict): (usize, &Verdict)| {
                let (site, test, forced) = &trials[nth];
                let is_there = !sites[*site as usize].kind.is_new();
                let may = is_there && is_constant(forced) && !spectrum.endless.contains(test);
                (*verdict == Verdict::OutOfFuel && may).then_some(nth)
            };
            let again = verdicts.iter().enumerate().filter_map(may_be_long);
            let again: Vec<usize> = again.take(MOST_LONG).collect();
            let longer = pool::map(suite.runner.jobs, &again, |nth| {
                let trial = &trials[*nth];
                let little = bounds.fuel_for(trial.1, spectrum);
                run(trial, bounds.fuel.min(little.saturating_mul(LONGER)))
            })?;
            for (nth, verdict) in again.into_iter().zip(longer) {
                if verdict.passed() {
                    let mut long = long.lock().unwrap_or_else(PoisonError::into_inner);
                    long.insert(trials[nth].1);
                }
                verdicts[nth] = verdict;
            }
            let cured = trials.into_iter().zip(verdicts);
            let cured = cured.filter(|(_, verdict)| verdict.passed());
            Ok(cured.map(|(trial, _)| trial).collect())
        };
        let deepen = |starts: Vec<Trial>| {
            let probe = |trial: &Trial| {
                done();
                probe(suite, sites, spectrum, bounds, trial)
            };
            deepen(&probe, suite.runner.jobs, sites, spectrum, &starts)
        };
        let approach = |test: TestIndex, starts: Vec<SiteIndex>| {
            let probe = |trial: &Trial| {
                done();
                probe(suite, sites, spectrum, bounds, trial)
            };
            approach(&probe, suite.runner.jobs, sites, spectrum, test, &starts)
        };
        let search = Search {
            sites,
            suspects,
            spectrum,
            bounds,
            force: &force,
            deepen: &deepen,
            approach: &approach,
        };
        search.cures(failing)?
    };
    spectrum.long = long.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(found)
}

/// A run, and what its site counted in it.
struct Probe {
    cured: bool,
    counter: Counter,
    complaint: Complaint,
    progress: Option<Progress>,
}

impl Probe {
    /// How far the test got compared with an earlier run: 0 where it is further, 1 where it may be;
    /// `None` if it is not.
    fn beyond(&self, entered: u64, complaint: &Complaint) -> Option<u8> {
        match () {
            () if self.counter.entered > entered => Some(0),
            () if self.complaint.place != complaint.place => Some(0),
            () if self.complaint != *complaint => Some(1),
            () => None,
        }
    }
}

/// Makes a run that is traced; an empty sequence forces nothing.
fn probe(
    suite: &Suite,
    sites: &[Site],
    spectrum: &Spectrum,
    bounds: Bounds,
    (site, test, sequence): &Trial,
) -> Result<Probe> {
    let plan = Plan {
        sites: Some(sites.len()),
        force: vec![(*site, sequence.clone())],
        fuel: Some(bounds.fuel_for(*test, spectrum)),
        timeout: bounds.timeout,
        ..Plan::default()
    };
    let run = suite.run(*test, &plan)?;
    let complaint = Complaint::of(&run.output);
    let counters = run.trace.map(|trace| trace.counters);
    Ok(Probe {
        cured: run.verdict.passed(),
        counter: counters
            .and_then(|counters| counters.get(site).copied())
            .unwrap_or_default(),
        complaint,
        progress: run.progress,
    })
}

/// Looks for longer sequences, depth first, from the starts after which the test got further: each
/// run's trace tells which evaluations there are to be made otherwise next, and only a run that
/// evaluated the site more often than the one before, or failed elsewhere or otherwise, is worth
/// going deeper.
fn deepen(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    jobs: usize,
    sites: &[Site],
    spectrum: &Spectrum,
    starts: &[Trial],
) -> Result<Vec<Trial>> {
    let mut complaints: BTreeMap<TestIndex, Complaint> = BTreeMap::new();
    for (site, test, _) in starts {
        if !complaints.contains_key(test) {
            let unforced = probe(&(*site, *test, Sequence::new()))?;
            complaints.insert(*test, unforced.complaint);
        }
    }
    let first = pool::map(jobs, starts, |start| probe(start))?;
    let further_than_before = |(site, test, _): &Trial, probe: &Probe| {
        let reached = spectrum.reached.get(test).and_then(|at| at.get(site));
        let entered = reached.map_or(0, |counter| counter.entered);
        probe.beyond(entered, &complaints[test])
    };
    let mut open: Vec<(u8, &Trial, &Probe)> = starts
        .iter()
        .zip(&first)
        .filter_map(|(start, probe)| Some((further_than_before(start, probe)?, start, probe)))
        .collect();
    open.sort_by_key(|(beyond, ..)| *beyond);
    open.truncate(MOST_STARTS);
    let most_deep = |test: TestIndex| {
        Bounds::affordable(MOST_STARTS * MOST_DEEP, test, spectrum).div_ceil(MOST_STARTS)
    };
    let found = pool::map(jobs, &open, |(_, start, probed)| {
        let (index, test, sequence) = start;
        let site = &sites[*index as usize];
        let mut left = vec![(sequence.clone(), probed.counter, probed.complaint.clone())];
        let mut runs = 0;
        while let Some((sequence, before, complaint)) = left.pop() {
            let mut deeper = Vec::new();
            for longer in further(site, &sequence, before) {
                runs += 1;
                if runs > most_deep(*test) {
                    return Ok(None);
                }
                let trial = (*index, *test, longer);
                let probed = probe(&trial)?;
                if probed.cured {
                    return Ok(Some(trial));
                }
                let beyond = probed.beyond(before.entered, &complaint);
                if let Some(beyond) = beyond.filter(|_| trial.2.len() < DEEPEST) {
                    deeper.push((beyond, (trial.2, probed.counter, probed.complaint)));
                }
            }
            // The first ones are tried first.
            deeper.sort_by_key(|(beyond, _)| *beyond);
            left.extend(deeper.into_iter().rev().map(|(_, open)| open));
        }
        Ok(None)
    })?;
    let cured = starts.iter().zip(&first).filter(|(_, probe)| probe.cured);
    let cured = cured.map(|(start, _)| start.clone());
    Ok(cured.chain(found.into_iter().flatten()).collect())
}

/// At each of some sites, makes the evaluations otherwise that bring what the test prints nearer to what it
/// should print, in the order of evaluation. Only where that can be told.
fn approach(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    jobs: usize,
    sites: &[Site],
    spectrum: &Spectrum,
    test: TestIndex,
    starts: &[SiteIndex],
) -> Result<Vec<Trial>> {
    let Some(first) = starts.first() else {
        return Ok(Vec::new());
    };
    let unforced = probe(&(*first, test, Sequence::new()))?;
    let Some(start) = unforced.progress else {
        return Ok(Vec::new());
    };
    let nearer = Bounds::affordable(MOST_STARTS * MOST_NEARER, test, spectrum);
    let nearer = u32::try_from(nearer.div_ceil(MOST_STARTS))?;
    let found = pool::map(jobs, starts, |site| {
        let otherwise = |at| one(&sites[*site as usize], at);
        let reached = spectrum.reached.get(&test).and_then(|at| at.get(site));
        let mut entered = reached.map_or(0, |counter| counter.entered);
        let (mut sequence, mut best) = (Sequence::new(), start);
        for at in 0..nearer {
            if u64::from(at) >= entered {
                break;
            }
            let mut longer = sequence.clone();
            longer.push(otherwise(at));
            let trial = (*site, test, longer);
            let probed = probe(&trial)?;
            if probed.cured {
                return Ok(Some(trial));
            }
            if let Some(progress) = probed.progress.filter(|progress| *progress > best) {
                (sequence, best, entered) = (trial.2, progress, probed.counter.entered);
            }
        }
        Ok(None)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// What a search works with.
struct Search<'a> {
    sites: &'a [Site],
    suspects: &'a [Suspect],
    spectrum: &'a Spectrum,
    bounds: Bounds,
    /// Makes forced runs and tells which of them cured their test.
    force: &'a dyn Fn(Vec<Trial>) -> Result<Vec<Trial>>,
    /// Looks for longer sequences from each of these.
    deepen: &'a dyn Fn(Vec<Trial>) -> Result<Vec<Trial>>,
    /// Looks for sequences that bring a test nearer to passing at each of these.
    approach: &'a dyn Fn(TestIndex, Vec<SiteIndex>) -> Result<Vec<Trial>>,
}

impl Search<'_> {
    /// Makes the forced runs in order.
    fn cures(&self, failing: &[TestIndex]) -> Result<Vec<AngelicSite>> {
        let Self {
            sites,
            suspects,
            spectrum,
            bounds,
            force,
            deepen,
            approach,
        } = *self;
        let budget = suspects.len().saturating_mul(RUNS_PER_SITE);
        let budget = budget.clamp(bounds.flips, bounds.flips.saturating_mul(MOST_FLIPS));
        // The trials of a kind for a test: those that `make` lists for each site that it reaches.
        type Make<'m> = &'m dyn Fn(&Site, Counter, bool) -> Vec<Sequence>;
        let trials = |test: TestIndex, wanted: &dyn Fn(SiteIndex) -> bool, make: Make| {
            // The first of each site, then the second of each, and so on: a test fails at its end,
            // wherever that is.
            let mut rounds: Vec<Vec<Trial>> = Vec::new();
            let reached = spectrum.reached.get(&test);
            for suspect in suspects.iter().filter(|suspect| wanted(suspect.site)) {
                if let Some(counter) = reached.and_then(|at| at.get(&suspect.site)) {
                    let site = &sites[suspect.site as usize];
                    let is_endless = spectrum.endless.contains(&test);
                    for (nth, forced) in make(site, *counter, is_endless).into_iter().enumerate() {
                        if rounds.len() == nth {
                            rounds.push(Vec::new());
                        }
                        rounds[nth].push((suspect.site, test, forced));
                    }
                }
            }
            let mut trials = rounds.concat();
            trials.truncate(Bounds::affordable(budget, test, spectrum));
            trials
        };
        let all = |test: TestIndex, wanted: &dyn Fn(SiteIndex) -> bool| -> Result<Vec<Trial>> {
            let of_test = trials(test, wanted, &|site, counter, _| constants(site, counter));
            let mut found = force(of_test)?;
            found.extend(force(trials(test, wanted, &singles))?);
            // Where a constant or one evaluation is enough, nothing longer is asked.
            let is_cured =
                |found: &[Trial], at: SiteIndex| found.iter().any(|(site, ..)| *site == at);
            let open = |at: SiteIndex| wanted(at) && !is_cured(&found, at);
            let more = force(trials(test, &open, &switches))?;
            found.extend(more);
            if found.is_empty() {
                // The last evaluation of each site; where the test gets further that way there may
                // be more of them to be made otherwise.
                let last = trials(test, wanted, &|site, counter, _| {
                    further(site, &Sequence::new(), counter)
                });
                found.extend(deepen(last)?);
            }
            if found.is_empty() {
                let reached = spectrum.reached.get(&test);
                let reach = |site: &SiteIndex| reached.is_some_and(|at| at.contains_key(site));
                let starts = suspects.iter().map(|suspect| suspect.site);
                let starts = starts.filter(|site| wanted(*site) && reach(site));
                found.extend(approach(test, starts.take(MOST_STARTS).collect())?);
            }
            Ok(found)
        };

        let mut cures: BTreeMap<SiteIndex, BTreeMap<TestIndex, Vec<Sequence>>> = BTreeMap::new();
        let add = |cures: &mut BTreeMap<SiteIndex, BTreeMap<TestIndex, Vec<Sequence>>>,
                   found: Vec<Trial>| {
            for (site, test, forced) in found {
                let of_test = cures.entry(site).or_default().entry(test).or_default();
                let partial = of_test.iter().filter(|known| !is_constant(known)).count();
                let has_enough = !is_constant(&forced) && partial == MOST_PARTIAL;
                if !has_enough && !of_test.contains(&forced) {
                    of_test.push(forced);
                }
            }
        };
        let mut everywhere = BTreeSet::new();
        let mut left = failing.to_vec();
        while let Some(first) = left.first().copied() {
            left.remove(0);
            let mut found = all(first, &|_| true)?;
            let sites: BTreeSet<SiteIndex> = found.iter().map(|(site, ..)| *site).collect();
            let is_angelic = |site: SiteIndex| sites.contains(&site);
            let mut others = Vec::new();
            for test in &left {
                others.extend(all(*test, &is_angelic)?);
            }
            left.retain(|test| !others.iter().any(|(_, cured, _)| cured == test));
            found.extend(others);
            add(&mut cures, found);
            everywhere.insert(first);
        }
        // Where one test needs a long sequence another one may need a short one.
        let mut others = failing
            .iter()
            .filter(|test| !everywhere.contains(test))
            .take(MOST_OTHERS);
        while cures.len() < FEW_SITES
            && let Some(test) = others.next()
        {
            let is_new = |site: SiteIndex| !cures.contains_key(&site);
            let found = all(*test, &is_new)?;
            add(&mut cures, found);
        }
        Ok(suspects
            .iter()
            .filter_map(|suspect| {
                Some(AngelicSite {
                    site: suspect.site,
                    suspiciousness: suspect.suspiciousness,
                    cures: cures.remove(&suspect.site)?,
                    beside: None,
                    only_operator_mutations: false,
                })
            })
            .collect())
    }
}

/// A cure to be made again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Index of the angelic site.
    pub nth: usize,
    pub test: TestIndex,
    /// What is forced, at the angelic site first.
    pub force: Vec<(SiteIndex, Sequence)>,
}

/// Every cure spelled out, for recording contexts.
pub fn replays(angelic: &[AngelicSite]) -> Vec<Replay> {
    let mut replays = Vec::new();
    for (nth, found) in angelic.iter().enumerate() {
        for (test, cures) in &found.cures {
            for forced in cures {
                let mut force = vec![(found.site, forced.clone())];
                force.extend(found.beside.clone());
                replays.push(Replay {
                    nth,
                    test: *test,
                    force,
                });
            }
        }
    }
    replays
}

#[cfg(test)]
mod tests;
