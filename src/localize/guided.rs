//! Searches for cures of many evaluations, each run guided by the one before: by the forced site's counter, by how
//! the test failed, or by how close its output came to the expected one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use nopol_process::run::command::Progress;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::trace::Counter;
use nopol_process::run::{Plan, Sequence, Verdict, pool};
use nopol_source::{Site, SiteIndex};
use typed_index_collections::TiSlice;

use super::angelic::Trial;
use super::bounds::{Bounds, LEAST_OTHER};
use super::failure::FailureSignature;
use super::sequences::{further, one};
use super::spectrum::Spectrum;

/// Search for longer sequences: the most runs of one test at one site, and the maximum length.
const MOST_DEEP: usize = 32;
const DEEPEST: usize = 6;
/// The most evaluations of one site that are flipped to bring a test closer to passing.
const MOST_NEARER: usize = 160;
/// The most sites at which longer sequences are searched for.
pub(super) const MOST_STARTS: usize = 24;

/// Whether only the message of the failure differs, and how far the test got. A test that fails at another place has often
/// just taken another way to fail there; one that was brought over its failure goes on with what comes next.
type Advance = (bool, Reverse<u64>);

/// The result of a traced run, and the counter of the forced site.
pub(super) struct Probe {
    cured: bool,
    counter: Counter,
    /// How far the test got: the evaluations of all sites. 0 if it did not end by itself.
    evaluations: u64,
    signature: FailureSignature,
    progress: Option<Progress>,
}

impl Probe {
    /// Whether the test got further than an earlier run: the smaller, the likelier; `None` if it did not.
    fn advance(&self, entered: u64, signature: &FailureSignature) -> Option<Advance> {
        let is_unsure = match () {
            () if self.counter.entered > entered => false,
            () if self.signature.location != signature.location => false,
            () if self.signature != *signature => true,
            () => return None,
        };
        Some((is_unsure, Reverse(self.evaluations)))
    }
}

/// Makes a traced run; an empty sequence forces nothing.
pub(super) fn probe(
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
    let ended = !matches!(run.verdict, Verdict::OutOfFuel | Verdict::TimedOut);
    let entered = counters.iter().flat_map(|of| of.values());
    let evaluations = entered.map(|counter| counter.entered).sum();
    Ok(Probe {
        cured: run.verdict.passed(),
        counter: counters
            .and_then(|counters| counters.get(site).copied())
            .unwrap_or_default(),
        evaluations: if ended { evaluations } else { 0 },
        signature,
        progress: run.progress,
    })
}

/// Searches depth first for longer sequences, from the starts with which the test gets further. The trace of
/// each run tells which evaluations to flip next. A run is extended only if it evaluated the site more often
/// than the run before or failed with another signature.
pub(super) fn deepen(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    bounds: Bounds,
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
    let first = pool::map(bounds.at_once, starts, |start| probe(start))?;
    let advance_of_start = |(site, test, _): &Trial, probe: &Probe| {
        let reached = spectrum.reached.get(test).and_then(|at| at.get(site));
        let entered = reached.map_or(0, |counter| counter.entered);
        probe.advance(entered, &signatures[test])
    };
    let mut open: Vec<(Advance, &Trial, &Probe)> = starts
        .iter()
        .zip(&first)
        .filter_map(|(start, probe)| Some((advance_of_start(start, probe)?, start, probe)))
        .collect();
    open.sort_by_key(|(advance, ..)| *advance);
    let tests = open.iter().map(|(_, (_, test, _), _)| *test);
    let affordable = tests.map(|test| bounds.affordable(LEAST_OTHER, MOST_STARTS, test, spectrum));
    open.truncate(affordable.min().unwrap_or(MOST_STARTS));
    let most_deep = |test: TestIndex| {
        let most = MOST_STARTS * MOST_DEEP;
        bounds
            .affordable(LEAST_OTHER, most, test, spectrum)
            .div_ceil(MOST_STARTS)
    };
    let found = pool::map(bounds.at_once, &open, |(_, start, probed)| {
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
pub(super) fn approach(
    probe: &(dyn Fn(&Trial) -> Result<Probe> + Sync),
    bounds: Bounds,
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
    let nearer = bounds.affordable(LEAST_OTHER, MOST_STARTS * MOST_NEARER, test, spectrum);
    let nearer = u32::try_from(nearer.div_ceil(MOST_STARTS))?;
    let found = pool::map(bounds.at_once, starts, |site| {
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

#[cfg(test)]
mod tests;
