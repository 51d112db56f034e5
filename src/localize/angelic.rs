//! Angelic forcing, after algorithms 1 and 2 of the Nopol paper: force a condition to true, then to false,
//! or skip a statement, and see whether the failing test passes.
//!
//! A single constant per test is too weak if a test evaluates a condition several times and only some
//! evaluations go wrong. Therefore sequences are tried as well ([`super::sequences`]), cheapest first.
//!
//! Unlike the published algorithm 1, both values are always tried: if a test passes under either, its outcome
//! must not constrain the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::trace::Counter;
use nopol_process::run::{Plan, Sequence, Verdict, pool};
use nopol_source::{Site, SiteIndex};
use typed_index_collections::TiSlice;

use super::bounds::{Bounds, LEAST_CONSTANT, LEAST_OTHER, LEAST_SINGLE};
use super::foreseen::Foreseen;
use super::guided::{MOST_STARTS, approach, deepen, probe};
pub use super::sequences::is_constant;
use super::sequences::{constants, further, singles, switches};
use super::spectrum::{Spectrum, Suspect};

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
}

/// Runs that ran out of fuel: the most that are repeated, and the factor by which their fuel is increased.
const MOST_LONG: usize = 4;
const LONGER: u64 = 20;
/// Most of these that are repeated with all the fuel there is.
const MOST_VERY_LONG: usize = 2;
/// The most non-constant cures that are kept per site and test.
const MOST_PARTIAL: usize = 6;
/// If there are fewer angelic sites than this, some further failing tests are tried at every suspect, too.
const FEW_SITES: usize = 3;
const MOST_OTHERS: usize = 2;
/// Budget of runs per test and kind of sequence: proportional to the number of suspects, at least
/// [`Bounds::flips`] and at most [`MOST_FLIPS`] times as many.
const RUNS_PER_SITE: usize = 3;
const MOST_FLIPS: usize = 5;

/// A forced run.
pub(super) type Trial = (SiteIndex, TestIndex, Sequence);

/// Where to look.
#[derive(Clone, Copy)]
pub struct Clues<'a> {
    /// The sites that failing tests reach, most suspicious first.
    pub suspects: &'a [Suspect],
    /// What is known of them already.
    pub foreseen: &'a Foreseen,
}

/// Tries the suspects with the failing tests, in the given order: the shortest test first.
///
/// The first test is tried at every suspect that it reaches. Sites that cure it are then tried with the other
/// tests. Only a test that none of these sites cures is tried at all suspects again, so a fault shared by
/// many tests costs little more than one test.
///
/// A test that fails early may run much longer once it is cured. Therefore the first few runs with a constant
/// outcome that run out of fuel are repeated with [`LONGER`] times as much, and the first of these once more with all there
/// is. If this cures the test, the spectrum records that the test is long.
///
/// Once [`Bounds::until`] has passed and a cure is known, no more runs are made; the spectrum then counts those that are left
/// out.
///
/// # Errors
/// If the run is stopped.
pub fn search(
    suite: &Suite,
    sites: &TiSlice<SiteIndex, Site>,
    Clues { suspects, foreseen }: Clues<'_>,
    spectrum: &mut Spectrum,
    failing: &[TestIndex],
    bounds: Bounds,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<AngelicSite>> {
    let long = Mutex::new(BTreeSet::new());
    let (is_found, left_out) = (AtomicBool::new(false), AtomicUsize::new(0));
    let found = {
        let spectrum = &*spectrum;
        let is_over = || is_found.load(Ordering::Relaxed) && bounds.is_late();
        let run = |(site, test, forced): &Trial, fuel: u64| {
            if is_over() {
                left_out.fetch_add(1, Ordering::Relaxed);
                return Ok(Verdict::Failed);
            }
            done();
            let plan = Plan {
                force: vec![(*site, forced.clone())],
                fuel: Some(fuel),
                timeout: bounds.timeout,
                ..Plan::default()
            };
            let verdict = suite.run(*test, &plan)?.verdict;
            if verdict.passed() {
                is_found.store(true, Ordering::Relaxed);
            }
            Ok(verdict)
        };
        let force = |trials: Vec<Trial>| -> Result<Vec<Trial>> {
            let mut verdicts = pool::map(bounds.at_once, &trials, |trial| {
                run(trial, bounds.fuel_for(trial.1, spectrum))
            })?;
            let may_be_long = |(nth, verdict): (usize, &Verdict)| {
                let (site, test, forced) = &trials[nth];
                let is_existing = !sites[*site].kind.is_new();
                let may = is_existing && is_constant(forced) && !spectrum.endless.contains(test);
                (*verdict == Verdict::OutOfFuel && may).then_some(nth)
            };
            let again = verdicts.iter().enumerate().filter_map(may_be_long);
            let mut again: Vec<usize> = again.take(MOST_LONG).collect();
            // The second time a few get all there is: a test may fail in the first of thousands of rounds.
            let fuel = |nth: usize, times: u64| {
                let little = bounds.fuel_for(trials[nth].1, spectrum);
                bounds.fuel.min(little.saturating_mul(times))
            };
            for (before, times) in [(1, LONGER), (LONGER, u64::MAX)] {
                again.retain(|nth| fuel(*nth, times) > fuel(*nth, before));
                let longer = pool::map(bounds.at_once, &again, |nth| {
                    run(&trials[*nth], fuel(*nth, times))
                })?;
                for (nth, verdict) in again.iter().zip(longer) {
                    if verdict.passed() {
                        let mut long = long.lock().unwrap_or_else(PoisonError::into_inner);
                        long.insert(trials[*nth].1);
                    }
                    verdicts[*nth] = verdict;
                }
                again.retain(|nth| verdicts[*nth] == Verdict::OutOfFuel);
                again.truncate(MOST_VERY_LONG);
            }
            let cured = trials.into_iter().zip(verdicts);
            let cured = cured.filter(|(_, verdict)| verdict.passed());
            Ok(cured.map(|(trial, _)| trial).collect())
        };
        let deepen = |starts: Vec<Trial>| {
            if is_over() {
                return Ok(Vec::new());
            }
            let probe = |trial: &Trial| {
                done();
                probe(suite, sites, spectrum, bounds, trial)
            };
            deepen(&probe, bounds, sites, spectrum, &starts)
        };
        let approach = |test: TestIndex, starts: Vec<SiteIndex>| {
            let probe = |trial: &Trial| {
                done();
                probe(suite, sites, spectrum, bounds, trial)
            };
            approach(&probe, bounds, sites, spectrum, test, &starts)
        };
        let search = Search {
            sites,
            suspects,
            spectrum,
            foreseen,
            bounds,
            force: &force,
            deepen: &deepen,
            approach: &approach,
        };
        search.cures(failing)?
    };
    spectrum.left_out += left_out.into_inner();
    spectrum.long = long.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(found)
}

/// The parameters of a search.
struct Search<'a> {
    sites: &'a TiSlice<SiteIndex, Site>,
    suspects: &'a [Suspect],
    spectrum: &'a Spectrum,
    foreseen: &'a Foreseen,
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
            foreseen,
            bounds,
            force,
            deepen,
            approach,
        } = *self;
        let budget = suspects.len().saturating_mul(RUNS_PER_SITE);
        let budget = budget.clamp(bounds.flips, bounds.flips.saturating_mul(MOST_FLIPS));
        // The trials of a test: the sequences that `make` lists for each site that the test reaches.
        type Make<'m> = &'m dyn Fn(&Site, Counter, bool) -> Vec<Sequence>;
        let trials = |test: TestIndex,
                      least: usize,
                      wanted: &dyn Fn(SiteIndex) -> bool,
                      make: Make| {
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
            trials.truncate(bounds.affordable(least, budget, test, spectrum));
            trials
        };
        let all = |test: TestIndex, wanted: &dyn Fn(SiteIndex) -> bool| -> Result<Vec<Trial>> {
            let wanted = &|at: SiteIndex| wanted(at) && !foreseen.hopeless.contains(&(test, at));
            let of_test = trials(test, LEAST_CONSTANT, wanted, &|site, counter, _| {
                constants(site, counter)
            });
            let mut found = force(of_test)?;
            let foreseen = foreseen.cures.iter();
            let foreseen = foreseen.filter(|((of, site), _)| {
                let is_suspect = suspects.iter().any(|suspect| suspect.site == *site);
                *of == test && wanted(*site) && is_suspect
            });
            let foreseen = foreseen.map(|((_, site), forced)| (*site, test, forced.clone()));
            let foreseen = force(foreseen.collect())?;
            let first = u32::try_from(bounds.flips).unwrap_or(u32::MAX);
            let of_test = trials(test, LEAST_SINGLE, wanted, &|site, counter, is_endless| {
                singles(site, counter, is_endless.then_some(first))
            });
            found.extend(force(of_test)?);
            // Switches are tried only where no constant or single evaluation cures the test.
            let is_cured =
                |found: &[Trial], at: SiteIndex| found.iter().any(|(site, ..)| *site == at);
            let is_foreseen = |at: SiteIndex| is_cured(&foreseen, at);
            let uncured = |at: SiteIndex| wanted(at) && !is_cured(&found, at) && !is_foreseen(at);
            let more = force(trials(test, LEAST_OTHER, &uncured, &switches))?;
            found.extend(more);
            let curing: BTreeSet<SiteIndex> = found.iter().map(|(site, ..)| *site).collect();
            if curing.len() < FEW_SITES {
                // Flip the last evaluation of each site. If the test then gets further, later evaluations may
                // have to be flipped, too.
                let open = |at: SiteIndex| wanted(at) && !is_foreseen(at) && !curing.contains(&at);
                let last = trials(test, LEAST_OTHER, &open, &|site, counter, _| {
                    let mut starts = further(site, &Sequence::new(), counter);
                    // Where another place cures the test, this is a second opinion, for which less is paid.
                    if !curing.is_empty() {
                        starts.truncate(1);
                    }
                    starts
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
            found.extend(foreseen);
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
