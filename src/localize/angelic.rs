//! Algorithms 1 and 2 of papers/nopol.txt: force a condition true, then false; skip a statement;
//! see whether the failing test passes.
//!
//! Against the printed Algorithm 1 both values are always tried: a test may pass under either,
//! and then it must not constrain the patch.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;

use super::spectrum::{Spectrum, Suspect};
use crate::run::suite::{Suite, TestIndex};
use crate::run::{Forced, Plan, pool};
use crate::source::{Site, SiteIndex, SiteKind};

/// An angelic site: forced so, these failing tests pass.
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
}

impl Bounds {
    /// The fuel for a test that made `ticks` iterations unforced: generous, but not so that a
    /// loop without end takes long.
    pub fn fuel_for(&self, ticks: u64) -> u64 {
        self.fuel
            .min(ticks.saturating_mul(20).saturating_add(200_000))
    }
}

/// Tries every suspect against every failing test that reaches it. `failing` is in the order in
/// which tests are tried: shortest first.
///
/// # Errors
/// If the run is stopped.
pub fn search(
    suite: &Suite,
    sites: &[Site],
    suspects: &[Suspect],
    spectrum: &Spectrum,
    failing: &[TestIndex],
    bounds: Bounds,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<AngelicSite>> {
    let mut trials = Vec::new();
    for suspect in suspects {
        for test in failing {
            if let Some(counter) = spectrum
                .reached
                .get(test)
                .and_then(|at| at.get(&suspect.site))
            {
                let forced = values(&sites[suspect.site as usize], *counter);
                trials.extend(
                    forced
                        .into_iter()
                        .map(|forced| (suspect.site, *test, forced)),
                );
            }
        }
    }
    let cured = pool::map(suite.runner.jobs, &trials, |(site, test, forced)| {
        let ticks = spectrum.ticks.get(test).copied().unwrap_or(0);
        let plan = Plan {
            force: vec![(*site, *forced)],
            fuel: Some(bounds.fuel_for(ticks)),
            confined: true,
            timeout: bounds.timeout,
            ..Plan::default()
        };
        let run = suite.run(*test, &plan)?;
        done();
        Ok(run.verdict.passed())
    })?;

    let mut angelic: Vec<AngelicSite> = Vec::new();
    for suspect in suspects {
        let mut cures: BTreeMap<TestIndex, Vec<Forced>> = BTreeMap::new();
        for ((_, test, forced), _) in trials
            .iter()
            .zip(&cured)
            .filter(|((site, ..), cured)| *site == suspect.site && **cured)
        {
            cures.entry(*test).or_default().push(*forced);
        }
        if !cures.is_empty() {
            angelic.push(AngelicSite {
                site: suspect.site,
                suspiciousness: suspect.suspiciousness,
                cures,
            });
        }
    }
    Ok(angelic)
}

/// How many forced runs [`search`] will make.
pub fn trials(
    sites: &[Site],
    suspects: &[Suspect],
    spectrum: &Spectrum,
    failing: &[TestIndex],
) -> usize {
    suspects
        .iter()
        .flat_map(|suspect| failing.iter().map(move |test| (suspect.site, test)))
        .filter_map(|(site, test)| Some((site, spectrum.reached.get(test)?.get(&site)?)))
        .map(|(site, counter)| values(&sites[site as usize], *counter).len())
        .sum()
}

/// The forced outcomes worth a run: one that every evaluation had anyway changes nothing.
fn values(site: &Site, counter: crate::run::trace::Counter) -> Vec<Forced> {
    if site.kind == SiteKind::Statement {
        return vec![Forced {
            value: false,
            blind: true,
        }];
    }
    let blind = counter.broke();
    let mut values = Vec::new();
    if blind || counter.falses > 0 {
        values.push(Forced { value: true, blind });
    }
    if blind || counter.trues > 0 {
        values.push(Forced {
            value: false,
            blind,
        });
    }
    values
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
