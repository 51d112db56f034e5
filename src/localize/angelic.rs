//! Algorithms 1 and 2 of papers/nopol.txt: force a condition true, then false; skip a statement;
//! see whether the failing test passes.
//!
//! One constant per test is too weak where a test evaluates a condition several times and only
//! one of them goes wrong, so single evaluations are made otherwise as well.
//!
//! Against the printed Algorithm 1 both values are always tried: a test may pass under either,
//! and then it must not constrain the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;

use super::spectrum::{Spectrum, Suspect};
use crate::run::suite::{Suite, TestIndex};
use crate::run::trace::Counter;
use crate::run::{Forced, How, Plan, Verdict, pool};
use crate::source::{Site, SiteIndex, SiteKind};

/// An angelic site: forced so, these failing tests pass. Without cures, a site that is only
/// suspected.
#[derive(Clone, Debug, PartialEq)]
pub struct AngelicSite {
    pub site: SiteIndex,
    pub suspiciousness: f64,
    pub cures: BTreeMap<TestIndex, Vec<Forced>>,
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
    /// The fuel for a forced run of a test: far more than any test took, and all there is for one
    /// that a cure was seen to make go on for longer. One that never ends gets what others need,
    /// and generously, for most of its runs will burn it all.
    pub fn fuel_for(&self, test: TestIndex, spectrum: &Spectrum) -> u64 {
        let expected = spectrum.expected_ticks(test).saturating_mul(20);
        match spectrum.endless.contains(&test) {
            true => self.fuel.min(expected.saturating_add(200_000)),
            false if spectrum.long.contains(&test) => self.fuel.max(expected),
            false => {
                let ample = spectrum.most_ticks().saturating_mul(100);
                self.fuel.min(ample.saturating_add(2_000_000)).max(expected)
            }
        }
    }
}

/// Evaluations of a site that are made otherwise one at a time: so many of the last and of the
/// first ones.
const MOST_EVALUATIONS: u32 = 20;
/// Cures by a single evaluation that are kept per site and test.
const MOST_SINGLES: usize = 3;

/// A forced run to be made.
type Trial = (SiteIndex, TestIndex, Forced);

/// Tries the suspects against the failing tests, which are in the order of trial: shortest first.
///
/// The first test is tried at every suspect it reaches. A site that cures it is then tried with
/// the other tests; only tests that no such site cures are tried everywhere again. So a fault
/// shared by many tests costs little more than one test.
///
/// A test that fails early may go on for long once it is cured: a run with a constant outcome that
/// ends for want of fuel is made again with all there is, and where that cures the test, the
/// spectrum is told.
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
        let force = |trials: Vec<Trial>| -> Result<Vec<Trial>> {
            let cured = pool::map(suite.runner.jobs, &trials, |(site, test, forced)| {
                let mut plan = Plan {
                    force: vec![(*site, *forced)],
                    fuel: Some(bounds.fuel_for(*test, spectrum)),
                    confined: true,
                    timeout: bounds.timeout,
                    ..Plan::default()
                };
                let mut run = suite.run(*test, &plan)?;
                let may_be_long = forced.at.is_none() && !spectrum.endless.contains(test);
                if run.verdict == Verdict::OutOfFuel && may_be_long {
                    plan.fuel = Some(bounds.fuel);
                    run = suite.run(*test, &plan)?;
                    if run.verdict.passed() {
                        long.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(*test);
                    }
                }
                done();
                Ok(run.verdict.passed())
            })?;
            let cured = trials.into_iter().zip(cured).filter(|(_, cured)| *cured);
            Ok(cured.map(|(trial, _)| trial).collect())
        };
        cures(sites, suspects, spectrum, failing, bounds, &force)?
    };
    spectrum.long = long.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(found)
}

/// Makes the forced runs in order; `force` tells which of them cured their test.
fn cures(
    sites: &[Site],
    suspects: &[Suspect],
    spectrum: &Spectrum,
    failing: &[TestIndex],
    bounds: Bounds,
    force: &dyn Fn(Vec<Trial>) -> Result<Vec<Trial>>,
) -> Result<Vec<AngelicSite>> {
    let trials = |tests: &[TestIndex], wanted: &dyn Fn(SiteIndex) -> bool| -> Vec<Trial> {
        let mut trials = Vec::new();
        for suspect in suspects.iter().filter(|suspect| wanted(suspect.site)) {
            let site = &sites[suspect.site as usize];
            for test in tests {
                let reached = spectrum
                    .reached
                    .get(test)
                    .and_then(|at| at.get(&suspect.site));
                let forced = reached
                    .map(|counter| values(site, *counter))
                    .unwrap_or_default();
                trials.extend(
                    forced
                        .into_iter()
                        .map(|forced| (suspect.site, *test, forced)),
                );
            }
        }
        trials
    };

    let flips = |test: TestIndex, wanted: &dyn Fn(SiteIndex) -> bool| -> Vec<Trial> {
        let mut trials = Vec::new();
        for suspect in suspects.iter().filter(|suspect| wanted(suspect.site)) {
            let site = &sites[suspect.site as usize];
            let reached = spectrum
                .reached
                .get(&test)
                .and_then(|at| at.get(&suspect.site));
            if let Some(counter) = reached {
                trials.extend(
                    single(site, *counter, spectrum.endless.contains(&test))
                        .map(|forced| (suspect.site, test, forced)),
                );
            }
        }
        trials.truncate(bounds.flips);
        trials
    };

    let mut cures: BTreeMap<SiteIndex, BTreeMap<TestIndex, Vec<Forced>>> = BTreeMap::new();
    let mut left = failing.to_vec();
    while let Some(first) = left.first().copied() {
        left.remove(0);
        let mut found = force(trials(&[first], &|_| true))?;
        found.extend(force(flips(first, &|_| true))?);
        let sites: BTreeSet<SiteIndex> = found.iter().map(|(site, ..)| *site).collect();
        let is_angelic = |site: SiteIndex| sites.contains(&site);
        let mut others = force(trials(&left, &is_angelic))?;
        for test in &left {
            others.extend(force(flips(*test, &is_angelic))?);
        }
        left.retain(|test| !others.iter().any(|(_, cured, _)| cured == test));
        found.extend(others);
        for (site, test, forced) in found {
            let of_test = cures.entry(site).or_default().entry(test).or_default();
            let singles = of_test.iter().filter(|known| known.at.is_some()).count();
            let has_enough = forced.at.is_some() && singles == MOST_SINGLES;
            if !has_enough && !of_test.contains(&forced) {
                of_test.push(forced);
            }
        }
    }
    Ok(suspects
        .iter()
        .filter_map(|suspect| {
            Some(AngelicSite {
                site: suspect.site,
                suspiciousness: suspect.suspiciousness,
                cures: cures.remove(&suspect.site)?,
            })
        })
        .collect())
}

/// The forced outcomes worth a run: one that every evaluation had anyway changes nothing.
fn values(site: &Site, counter: Counter) -> Vec<Forced> {
    if site.kind == SiteKind::Statement {
        return vec![Forced {
            how: How::Set(false),
            at: None,
            blind: true,
        }];
    }
    let blind = counter.broke();
    let mut values = Vec::new();
    if blind || counter.falses > 0 {
        values.push(Forced {
            how: How::Set(true),
            at: None,
            blind,
        });
    }
    if blind || counter.trues > 0 {
        values.push(Forced {
            how: How::Set(false),
            at: None,
            blind,
        });
    }
    values
}

/// One evaluation made otherwise, for each of them: the last ones, which are nearest to the
/// failure, then the first ones. Even a single evaluation is not the same as a constant: the test
/// may go on to others once it passes this one.
/// Of a test that never ends only the first ones count.
fn single(site: &Site, counter: Counter, is_endless: bool) -> impl Iterator<Item = Forced> + use<> {
    let entered = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    let entered = if is_endless {
        entered.min(MOST_EVALUATIONS)
    } else {
        entered
    };
    let last = (entered.saturating_sub(MOST_EVALUATIONS)..entered).rev();
    let first = 0..entered
        .saturating_sub(MOST_EVALUATIONS)
        .min(MOST_EVALUATIONS);
    let is_statement = site.kind == SiteKind::Statement;
    let broke = counter.broke();
    last.chain(first).flat_map(move |at| {
        let at = Some(at);
        let broken = broke && at == entered.checked_sub(1);
        let set = |value| Forced {
            how: How::Set(value),
            at,
            blind: true,
        };
        match (is_statement, broken) {
            (true, _) => vec![set(false)],
            (false, true) => vec![set(true), set(false)],
            (false, false) => vec![Forced {
                how: How::Flip,
                at,
                blind: false,
            }],
        }
    })
}

/// The angelic sites' indices with every cure spelled out, for recording contexts.
pub fn replays(angelic: &[AngelicSite]) -> Vec<(SiteIndex, TestIndex, Forced)> {
    angelic
        .iter()
        .flat_map(|found| {
            found.cures.iter().flat_map(move |(test, forced)| {
                forced
                    .iter()
                    .map(move |forced| (found.site, *test, *forced))
            })
        })
        .collect()
}
