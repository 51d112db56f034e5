//! Angelic forcing, after algorithms 1 and 2 of papers/nopol.txt: force a condition to true, then to false,
//! or skip a statement, and see whether the failing test passes.
//!
//! A single constant per test is too weak if a test evaluates a condition several times and only some
//! evaluations go wrong. Therefore sequences are tried as well ([`super::sequences`]), cheapest first.
//!
//! Unlike the published algorithm 1, both values are always tried: if a test passes under either, its outcome
//! must not constrain the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use typed_index_collections::TiSlice;

use super::failure::FailureSignature;
pub use super::sequences::is_constant;
use super::sequences::{constants, further, one, singles, switches};
use super::spectrum::{Spectrum, Suspect};
use crate::run::command::Progress;
use crate::run::suite::{Suite, TestIndex};
use crate::run::trace::Counter;
use crate::run::{Plan, Sequence, Verdict, pool};
use crate::source::{Site, SiteIndex};

/// An angelic site: these failing tests pass when it is forced so. A site without cures is only suspicious.
#[derive(Clone, Debug, PartialEq)]
pub struct AngelicSite {
    /// The site that is forced.
    pub site: SiteIndex,
    /// Ochiai's coefficient, 0 to 1.
    pub suspiciousness: f64,
    /// By failing test, the sequences that make it pass.
    pub cures: BTreeMap<TestIndex, Vec<Sequence>>,
    /// What is forced at another site at the same time, if forcing this site alone cures nothing.
    pub also_forced: Option<(SiteIndex, Sequence)>,
    /// Only operator mutations are tried at this site.
    pub only_operator_mutations: bool,
}

/// Bounds on forced runs.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Wall-clock limit.
    pub timeout: Duration,
    /// The most loop iterations of a run, whatever the test.
    pub fuel: u64,
    /// The most runs of one failing test in which a single evaluation is flipped.
    pub flips: usize,
}

impl Bounds {
    /// How many of `most` runs of a test are affordable. A test with many loop iterations is run less often,
    /// but never less than a few times.
    fn affordable(most: usize, test: TestIndex, spectrum: &Spectrum) -> usize {
        let ticks = usize::try_from(spectrum.expected_ticks(test).max(1)).unwrap_or(usize::MAX);
        most.min(LEAST_RUNS.max(AMPLE_TICKS / ticks))
    }

    /// The fuel for a forced run of a test: far more than the test itself and most other tests used. A test
    /// for which a cure needed more gets the maximum. A test that never ends gets a generous multiple of what
    /// other tests need, and no more, because most of its runs will use up all their fuel.
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

/// Runs that ran out of fuel: the most that are repeated, and the factor by which their fuel is increased.
const MOST_LONG: usize = 4;
const LONGER: u64 = 20;
/// The most non-constant cures that are kept per site and test.
const MOST_PARTIAL: usize = 6;
/// Search for longer sequences: the most runs of one test at one site, and the maximum length.
const MOST_DEEP: usize = 32;
const DEEPEST: usize = 6;
/// If there are fewer angelic sites than this, some further failing tests are tried at every suspect, too.
const FEW_SITES: usize = 3;
const MOST_OTHERS: usize = 2;
/// The most evaluations of one site that are flipped to bring a test closer to passing.
const MOST_NEARER: usize = 160;
/// The most sites at which longer sequences are searched for.
const MOST_STARTS: usize = 24;
/// Budget of runs per test and kind of sequence: proportional to the number of suspects, at least
/// [`Bounds::flips`] and at most [`MOST_FLIPS`] times as many.
const RUNS_PER_SITE: usize = 3;
const MOST_FLIPS: usize = 5;

/// A test with more loop iterations than this gets only three times its expected fuel.
const MANY_TICKS: u64 = 2_000_000;
/// Budget of loop iterations for all runs of one test and kind of sequence; the minimum number of runs is
/// made anyway.
const AMPLE_TICKS: usize = 40_000_000;
const LEAST_RUNS: usize = 32;

/// A forced run.
type Trial = (SiteIndex, TestIndex, Sequence);

/// Tries the suspects with the failing tests, in the given order: the shortest test first.
///
/// The first test is tried at every suspect that it reaches. Sites that cure it are then tried with the other
/// tests. Only a test that none of these sites cures is tried at all suspects again, so a fault shared by
/// many tests costs little more than one test.
///
/// A test that fails early may run much longer once it is cured. Therefore the first few runs with a constant
/// outcome that run out of fuel are repeated with [`LONGER`] times as much. If this cures the test, the
/// spectrum records that the test is long.
///
/// # Errors
/// If the run is stopped.
pub fn search(
    suite: &Suite,
    sites: &TiSlice<SiteIndex, Site>,
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
                let is_existing = !sites[*site].kind.is_new();
                let may = is_existing && is_constant(forced) && !spectrum.endless.contains(test);
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

/// The result of a traced run, and the counter of the forced site.
struct Probe {
    cured: bool,
    counter: Counter,
    signature: FailureSignature,
    progress: Option<Progress>,
}

impl Probe {
    /// Whether the test got further than an earlier run: `Some(0)` if it did, `Some(1)` if it may have;
    /// `None` if it did not.
    fn advance(&self, entered: u64, signature: &FailureSignature) -> Option<u8> {
        match () {
            () if self.counter.entered > entered => Some(0),
            () if self.signature.location != signature.location => Some(0),
            () if self.signature != *signature => Some(1),
            () => None,
        }
    }
}

/// Makes a traced run; an empty sequence forces nothing.
fn probe(
    suite: &Suite,
    sites: &TiSlice<SiteIndex, Site>,
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
    let signature = FailureSignature::of(&run.output);
    let counters = run.trace.map(|trace| trace.counters);
    Ok(Probe {
        cured: run.verdict.passed(),
        counter: counters
            .and_then(|counters| counters.get(site).copied())
            .unwrap_or_default(),
        signature,
        progress: run.progress,
    })
}

/// Searches depth first for longer sequences, from the starts with which the test gets further. The trace of
/// each run tells which evaluations to flip next. A run is extended only if it evaluated the site more often
/// than the run before or failed with another signature.
fn deepen(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    jobs: usize,
    sites: &TiSlice<SiteIndex, Site>,
    spectrum: &Spectrum,
    starts: &[Trial],
) -> Result<Vec<Trial>> {
    let mut signatures: BTreeMap<TestIndex, FailureSignature> = BTreeMap::new();
    for (site, test, _) in starts {
        if !signatures.contains_key(test) {
            let unforced = probe(&(*site, *test, Sequence::new()))?;
            signatures.insert(*test, unforced.signature);
        }
    }
    let first = pool::map(jobs, starts, |start| probe(start))?;
    let advance_of_start = |(site, test, _): &Trial, probe: &Probe| {
        let reached = spectrum.reached.get(test).and_then(|at| at.get(site));
        let entered = reached.map_or(0, |counter| counter.entered);
        probe.advance(entered, &signatures[test])
    };
    let mut open: Vec<(u8, &Trial, &Probe)> = starts
        .iter()
        .zip(&first)
        .filter_map(|(start, probe)| Some((advance_of_start(start, probe)?, start, probe)))
        .collect();
    open.sort_by_key(|(advance, ..)| *advance);
    open.truncate(MOST_STARTS);
    let most_deep = |test: TestIndex| {
        Bounds::affordable(MOST_STARTS * MOST_DEEP, test, spectrum).div_ceil(MOST_STARTS)
    };
    let found = pool::map(jobs, &open, |(_, start, probed)| {
        let (index, test, sequence) = start;
        let site = &sites[*index];
        let mut left = vec![(sequence.clone(), probed.counter, probed.signature.clone())];
        let mut runs = 0;
        while let Some((sequence, before, signature)) = left.pop() {
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
                let advance = probed.advance(before.entered, &signature);
                if let Some(advance) = advance.filter(|_| trial.2.len() < DEEPEST) {
                    deeper.push((advance, (trial.2, probed.counter, probed.signature)));
                }
            }
            // `left` is a stack, so the best ones are pushed last.
            deeper.sort_by_key(|(advance, _)| *advance);
            left.extend(deeper.into_iter().rev().map(|(_, start)| start));
        }
        Ok(None)
    })?;
    let cured = starts.iter().zip(&first).filter(|(_, probe)| probe.cured);
    let cured = cured.map(|(start, _)| start.clone());
    Ok(cured.chain(found.into_iter().flatten()).collect())
}

/// At each of these sites, flips evaluations in their order as long as the test's output gets closer to the
/// expected one. Needs a harness that can tell.
fn approach(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    jobs: usize,
    sites: &TiSlice<SiteIndex, Site>,
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
        let flipped = |at| one(&sites[*site], at);
        let reached = spectrum.reached.get(&test).and_then(|at| at.get(site));
        let mut entered = reached.map_or(0, |counter| counter.entered);
        let (mut sequence, mut best) = (Sequence::new(), start);
        for at in 0..nearer {
            if u64::from(at) >= entered {
                break;
            }
            let mut longer = sequence.clone();
            longer.push(flipped(at));
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

/// The parameters of a search.
struct Search<'a> {
    sites: &'a TiSlice<SiteIndex, Site>,
    suspects: &'a [Suspect],
    spectrum: &'a Spectrum,
    bounds: Bounds,
    /// Makes forced runs and returns those that cure their test.
    force: &'a dyn Fn(Vec<Trial>) -> Result<Vec<Trial>>,
    /// Searches for longer sequences from these starts.
    deepen: &'a dyn Fn(Vec<Trial>) -> Result<Vec<Trial>>,
    /// Searches at these sites for sequences that bring a test closer to passing.
    approach: &'a dyn Fn(TestIndex, Vec<SiteIndex>) -> Result<Vec<Trial>>,
}

impl Search<'_> {
    /// Searches for cures of the failing tests, in order.
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
        // The trials of a test: the sequences that `make` lists for each site that the test reaches.
        type Make<'m> = &'m dyn Fn(&Site, Counter, bool) -> Vec<Sequence>;
        let trials = |test: TestIndex, wanted: &dyn Fn(SiteIndex) -> bool, make: Make| {
            // The first sequence of each site, then the second of each, and so on, because a failure can be
            // near any of the sites.
            let mut rounds: Vec<Vec<Trial>> = Vec::new();
            let reached = spectrum.reached.get(&test);
            for suspect in suspects.iter().filter(|suspect| wanted(suspect.site)) {
                if let Some(counter) = reached.and_then(|at| at.get(&suspect.site)) {
                    let site = &sites[suspect.site];
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
            // Switches are tried only where no constant or single evaluation cures the test.
            let is_cured =
                |found: &[Trial], at: SiteIndex| found.iter().any(|(site, ..)| *site == at);
            let uncured = |at: SiteIndex| wanted(at) && !is_cured(&found, at);
            let more = force(trials(test, &uncured, &switches))?;
            found.extend(more);
            if found.is_empty() {
                // Flip the last evaluation of each site. If the test then gets further, later evaluations may
                // have to be flipped, too.
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
        let mut tried_everywhere = BTreeSet::new();
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
            tried_everywhere.insert(first);
        }
        // Another test may need only a short sequence at a site where the first one needs a long one.
        let mut others = failing
            .iter()
            .filter(|test| !tried_everywhere.contains(test))
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
                    also_forced: None,
                    only_operator_mutations: false,
                })
            })
            .collect())
    }
}

/// A cure to be replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Index of the angelic site.
    pub nth: usize,
    /// The test that is cured.
    pub test: TestIndex,
    /// What is forced; the angelic site comes first.
    pub force: Vec<(SiteIndex, Sequence)>,
}

/// Every cure as a separate replay, for recording contexts.
pub fn replays(angelic: &[AngelicSite]) -> Vec<Replay> {
    let mut replays = Vec::new();
    for (nth, found) in angelic.iter().enumerate() {
        for (test, cures) in &found.cures {
            for forced in cures {
                let mut force = vec![(found.site, forced.clone())];
                force.extend(found.also_forced.clone());
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
