//! `--multi`: changes two conditions together if no single change cures a failing test.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nopol_basics::{agree, count};
use nopol_process::run::Sequence;
use nopol_process::run::suite::TestIndex;
use nopol_source::SiteIndex;
use nopol_synth::weights::WEIGHTS;

use super::candidates::{self, Candidate};
use super::recording;
use crate::localize::angelic::AngelicSite;
use crate::localize::pairs::{self, Pair};
use crate::probe::Stage;
use crate::repair::engine::Engine;
use crate::repair::fix::{Fix, uncured};
use crate::repair::instrument;
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::repair::settings::Depth;

/// Most candidates of each of the two sites that are combined.
const MOST_COMBINED: usize = 8;

/// Looks for fixes at two sites at once.
pub struct Pairs;

impl Engine for Pairs {
    fn wants(
        &self,
        session: &Session,
        _: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex> {
        let wants = session.settings.multi || session.settings.thorough;
        match wants && session.settings.depth == Depth::Repair {
            true => uncured(targets, known),
            false => Vec::new(),
        }
    }

    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        _: &[Fix],
    ) -> Result<Vec<Fix>> {
        knowledge.notes.tried_pairs = true;
        let pairs = localize_pairs(session, knowledge, targets)?;
        let spectrum = &knowledge.spectrum;
        let suspects = spectrum.rank(targets, &session.baseline.passing());
        let suspects = suspects.into_iter();
        let known = suspects.map(|suspect| (suspect.site, suspect.suspiciousness));
        let sides = sides(&pairs, &known.collect());
        if sides.is_empty() {
            return Ok(Vec::new());
        }
        let places = recording::record(session, knowledge, targets, &sides)?;
        let candidates = candidates::synthesize(session, knowledge, targets, &places)?;
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
        Ok(fixes)
    }
}

fn localize_pairs(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
) -> Result<Vec<Pair>> {
    let wanted = instrument::existing_sites(session.sources, &knowledge.excluded);
    let runner = session.runner;
    let phase = session.progress.start("forcing pairs", 0, runner.runs());
    let stage = Stage::Conditions(wanted.clone());
    let (build, _) = instrument::build(session, knowledge, stage)?;
    let spectrum = &knowledge.spectrum;
    let suspects = spectrum.rank(targets, &session.baseline.passing());
    let mut ranked: Vec<SiteIndex> = suspects.iter().map(|suspect| suspect.site).collect();
    // A test that gets further may reach sites that no failing test has reached.
    let suspected: BTreeSet<SiteIndex> = ranked.iter().copied().collect();
    ranked.extend(wanted.difference(&suspected));
    ranked.retain(|site| wanted.contains(site) && session.may_patch(knowledge, *site));
    let suite = session.suite(&build.binaries);
    let mut pairs = Vec::new();
    for test in targets {
        pairs.extend(pairs::search(
            &suite,
            &session.sources.sites,
            &ranked,
            spectrum,
            *test,
            session.bounds(),
            &|| phase.step(),
        )?);
    }
    let sites: BTreeSet<[SiteIndex; 2]> = pairs
        .iter()
        .map(|pair| [pair.first.0, pair.second.0])
        .collect();
    let result = format!(
        "{} that {} a test pass",
        count(sites.len(), "pair"),
        agree(sites.len(), "makes", "make")
    );
    session.progress.finish(phase, runner.runs(), &result);
    Ok(pairs)
}

/// Each pair of sites as two consecutive angelic sites. Each has the sequences that cure the tests while the other site
/// is forced as in the first pair found.
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
                also_forced: Some(beside.clone()),
            }
        };
        sides.push(side(first, &best.second));
        sides.push(side(second, &best.first));
    }
    sides
}

/// The best candidates of two sites, combined with each other.
fn combined(first: &[Candidate], second: &[Candidate]) -> Vec<Fix> {
    let real = |of_site: &[Candidate]| {
        let real = of_site
            .iter()
            .filter(|candidate| !candidate.edit.is_trivial);
        real.take(MOST_COMBINED).cloned().collect::<Vec<_>>()
    };
    let (first, second) = (real(first), real(second));
    let with = |a: &Candidate| {
        let both = second.iter().map(|b| Fix {
            targets: a
                .targets
                .iter()
                .copied()
                .filter(|test| b.targets.contains(test))
                .collect(),
            cost: a.edit.cost + b.edit.cost + WEIGHTS.fix.second_edit,
            edits: vec![a.edit.clone(), b.edit.clone()],
        });
        both.collect::<Vec<Fix>>()
    };
    first.iter().flat_map(with).collect()
}
