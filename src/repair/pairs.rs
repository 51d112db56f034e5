//! `--multi`: two conditions changed at once, where no single one cures a failing test.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::candidates::SiteCandidate;
use super::ranking::{Fix, spread};
use super::{Run, instrument};
use crate::localize::angelic::AngelicSite;
use crate::localize::pairs::{self, Pair};
use crate::probe::Stage;
use crate::report::count;
use crate::run::Sequence;
use crate::source::SiteIndex;

/// Candidates of each of the two sites that are combined.
const MOST_COMBINED: usize = 8;
/// What a second edit costs.
const SECOND_EDIT: u32 = 20;

impl Run<'_> {
    /// Looks for fixes at two sites for the tests still to be cured.
    pub(super) fn repair_pairs(&mut self) -> Result<Vec<Fix>> {
        if self.targets.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = self.localize_pairs()?;
        let suspects = self.spectrum.rank(&self.targets, &self.baseline.passing());
        let suspects = suspects.into_iter();
        let known = suspects.map(|suspect| (suspect.site, suspect.suspiciousness));
        let sides = sides(&pairs, &known.collect());
        if sides.is_empty() {
            return Ok(Vec::new());
        }
        let places = self.record(&sides)?;
        let candidates = self.synthesize(&places)?;
        let of = |side: &AngelicSite| {
            let at = places.iter().position(|place| place.found == *side)?;
            Some(&candidates[at])
        };
        let mut fixes = Vec::new();
        for both in sides.chunks_exact(2) {
            if let (Some(first), Some(second)) = (of(&both[0]), of(&both[1])) {
                fixes.extend(combined(first, second));
            }
        }
        self.judge(spread(fixes), &[])
    }

    fn localize_pairs(&mut self) -> Result<Vec<Pair>> {
        let wanted = instrument::there(self.sources, &self.excluded);
        let runs = self.runner.runs();
        let phase = self.progress.start("forcing pairs", 0, runs);
        let (build, _) = self.instrument(Stage::Conditions(wanted.clone()))?;
        let suspects = self.spectrum.rank(&self.targets, &self.baseline.passing());
        let mut ranked: Vec<SiteIndex> = suspects.iter().map(|suspect| suspect.site).collect();
        // A test that is half cured may reach what no failing test reached.
        let suspected: BTreeSet<SiteIndex> = ranked.iter().copied().collect();
        ranked.extend(wanted.difference(&suspected));
        ranked.retain(|site| {
            wanted.contains(site) && !self.excluded.contains(site) && !self.unwanted.contains(site)
        });
        let suite = self.suite(&build.binaries);
        let mut pairs = Vec::new();
        for test in &self.targets {
            pairs.extend(pairs::search(
                &suite,
                &self.sources.sites,
                &ranked,
                &self.spectrum,
                *test,
                self.bounds(),
                &|| phase.step(),
            )?);
        }
        let sites: BTreeSet<[SiteIndex; 2]> = pairs
            .iter()
            .map(|pair| [pair.first.0, pair.second.0])
            .collect();
        let result = count(sites.len(), "angelic pair");
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(pairs)
    }
}

/// Each pair of sites as two angelic sites, one after the other: what cures the tests at either
/// while the other is forced as in the pair found first.
fn sides(pairs: &[Pair], suspiciousness: &BTreeMap<SiteIndex, f64>) -> Vec<AngelicSite> {
    let mut by_sites: BTreeMap<[SiteIndex; 2], Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let sites = [pair.first.0, pair.second.0];
        by_sites.entry(sites).or_default().push(pair);
    }
    let mut sides = Vec::new();
    for ([first, second], found) in by_sites {
        let Some(best) = found.first() else { continue };
        let side = |site: SiteIndex, beside: &(SiteIndex, Sequence)| {
            let mut cures: BTreeMap<_, Vec<Sequence>> = BTreeMap::new();
            for pair in &found {
                let mut both =
                    [(&pair.first, &pair.second), (&pair.second, &pair.first)].into_iter();
                if let Some((here, _)) =
                    both.find(|(here, other)| here.0 == site && *other == beside)
                {
                    cures.entry(pair.test).or_default().push(here.1.clone());
                }
            }
            AngelicSite {
                site,
                suspiciousness: suspiciousness.get(&site).copied().unwrap_or(0.0),
                cures,
                beside: Some(beside.clone()),
                is_slight: false,
            }
        };
        sides.push(side(first, &best.second));
        sides.push(side(second, &best.first));
    }
    sides
}

/// The best candidates of two sites, each with each.
fn combined(first: &[SiteCandidate], second: &[SiteCandidate]) -> Vec<Fix> {
    let real = |of_site: &[SiteCandidate]| {
        let real = of_site.iter().filter(|candidate| !candidate.is_trivial);
        real.take(MOST_COMBINED).cloned().collect::<Vec<_>>()
    };
    let (first, second) = (real(first), real(second));
    let with = |a: &SiteCandidate| {
        let both = second.iter().map(|b| Fix {
            targets: a
                .targets
                .iter()
                .copied()
                .filter(|test| b.targets.contains(test))
                .collect(),
            cost: a.cost + b.cost + SECOND_EDIT,
            parts: vec![a.clone(), b.clone()],
        });
        both.collect::<Vec<Fix>>()
    };
    first.iter().flat_map(with).collect()
}
