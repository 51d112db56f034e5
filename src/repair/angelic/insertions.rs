//! Insertion points: places where an early exit, a branch, a guard, an operand, or an `if` around several statements
//! can be added. They cost more builds than existing conditions, and their patches rank lower.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nopol_process::run::suite::TestIndex;
use nopol_source::{FunctionIndex, SiteIndex, Sources};
use nopol_synth::weights::WEIGHTS;

use super::{fixes_at, localization, suspected};
use crate::localize::angelic::AngelicSite;
use crate::rank::facts::PanicAt;
use crate::repair::engine::Engine;
use crate::repair::fix::{Fix, uncured};
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::session::Session;
use crate::repair::{instrument, reports};

/// Most suspicious conditions that get one-step edits, whether or not a forced outcome cured a test there.
const MOST_SUSPECTED: usize = 40;
/// Most insertion points in one build.
const MOST_NEW: usize = 2500;
/// Most places per function whose contexts are recorded.
const MOST_PLACES: usize = 8;
/// Most angelic insertion points whose contexts are recorded.
const MOST_PROMISING: usize = 60;

/// Looks for fixes at insertion points, and for one-step edits of the most suspicious conditions.
pub struct Insertions;

impl Engine for Insertions {
    fn wants(
        &self,
        session: &Session,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex> {
        let is_enough = !session.settings.thorough && is_enough(session, knowledge, targets, known);
        match is_enough {
            true => Vec::new(),
            false => targets.to_vec(),
        }
    }

    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Result<Vec<Fix>> {
        let (build, new) = match (knowledge.insertion_points.take(), knowledge.build.clone()) {
            // Every build since they were traced contains them.
            (Some(traced), Some(latest)) => (latest, traced),
            _ => {
                let new = insertion_points(session, knowledge, targets);
                if new.is_empty() {
                    return Ok(Vec::new());
                }
                let build =
                    localization::trace_sites(session, knowledge, &new, &BTreeSet::new(), "place")?;
                (build, new)
            }
        };
        let located = localization::force(session, knowledge, targets, &build, &new)?;
        let reports = reports::suspects(session, &located.suspects, &located.angelic);
        knowledge.notes.sites.extend(reports);
        let panics = Panics::at(session, knowledge, targets);
        let sites = worth_recording(session.sources, &located.angelic, &panics);
        let is_recorded = |found: &AngelicSite| sites.iter().any(|it| it.site == found.site);
        for found in located.angelic.iter().filter(|found| !is_recorded(found)) {
            let reason = "no values were recorded there, because enough other places rank higher";
            knowledge
                .notes
                .set_reason(&session.site(found.site).id, reason);
        }
        // A forced outcome that cures a test need not be the right one: where `>` should be `>=`, several evaluations
        // change, and some of them change only because of others.
        let suspected = suspected(session, knowledge, targets, &[], MOST_SUSPECTED);
        knowledge.angelic.extend(located.angelic);
        fixes_at(session, knowledge, targets, &sites, &suspected, known)
    }
}

/// The functions that failing tests enter, as far as traced. Functions that could not be traced are included, because a
/// test may have entered them.
pub(super) fn reached_functions(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
) -> BTreeSet<FunctionIndex> {
    let spectrum = &knowledge.spectrum;
    let function = |index: SiteIndex| session.site(index).function;
    let entries = instrument::function_entries(session.sources, &knowledge.excluded);
    let is_traced = |test: &TestIndex| spectrum.reached.contains_key(test);
    let seen: BTreeSet<FunctionIndex> = match targets.iter().all(is_traced) {
        true => entries.iter().copied().map(function).collect(),
        false => BTreeSet::new(),
    };
    let all = session.sources.functions.keys();
    let mut reached: BTreeSet<FunctionIndex> = all.filter(|it| !seen.contains(it)).collect();
    let traces = targets.iter().filter_map(|test| spectrum.reached.get(test));
    reached.extend(traces.flat_map(BTreeMap::keys).copied().map(function));
    reached
}

/// Insertion points in the functions that failing tests enter, most suspicious functions first.
pub(super) fn insertion_points(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
) -> BTreeSet<SiteIndex> {
    let functions = reached_functions(session, knowledge, targets);
    let excluded = &knowledge.excluded;
    let mut suspects: BTreeMap<FunctionIndex, f64> = BTreeMap::new();
    for suspect in knowledge
        .spectrum
        .rank(targets, &session.baseline.passing())
    {
        let function = session.site(suspect.site).function;
        suspects.entry(function).or_insert(suspect.suspiciousness);
    }
    let mut by_function: BTreeMap<FunctionIndex, Vec<SiteIndex>> = BTreeMap::new();
    let may_panic = may_want_panics(session, targets);
    let new = instrument::sites_where(session.sources, excluded, |site| {
        site.kind.is_new() && (may_panic || !site.asserts())
    });
    for index in new.difference(&session.unwanted).copied() {
        let function = session.site(index).function;
        if functions.contains(&function) {
            by_function.entry(function).or_default().push(index);
        }
    }
    let suspiciousness = |function: &FunctionIndex| suspects.get(function).copied().unwrap_or(0.0);
    let mut ranked: Vec<(f64, Vec<SiteIndex>)> = by_function
        .into_iter()
        .map(|(function, places)| (suspiciousness(&function), places))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen = BTreeSet::new();
    for (_, mut places) in ranked {
        let room = MOST_NEW - chosen.len();
        // In a long function, keep single statements and exits rather than nothing.
        if places.len() > room {
            places.retain(|place| session.site(*place).parts.is_empty());
        }
        if places.len() <= room {
            chosen.extend(places);
        }
    }
    chosen
}

/// Whether a failing test may pass because the subject panics.
fn may_want_panics(session: &Session, targets: &[TestIndex]) -> bool {
    let panics = session.sources.language.panics();
    let mut outputs = targets.iter().map(|test| &session.baseline.output[test]);
    let mut files = session.sources.files.iter();
    outputs.any(|output| panics.is_missing(output))
        || files.any(|file| panics.may_be_caught(&file.text))
}

/// The angelic insertion points whose contexts are recorded: most suspicious first, at most [`MOST_PLACES`] places per
/// function. Early exits that work at one statement usually also work at the next, so equally suspicious places are
/// sampled evenly. Places where a failing test panics are always kept, as long as there is room.
fn worth_recording(
    sources: &Sources,
    angelic: &[AngelicSite],
    panics: &Panics,
) -> Vec<AngelicSite> {
    let is_here = |found: &AngelicSite| panics.seen_from(sources, found.site) == PanicAt::Here;
    let site = |found: &AngelicSite| &sources.sites[found.site];
    let mut ranked: Vec<&AngelicSite> = angelic.iter().collect();
    ranked.sort_by(|a, b| in_order(a, b).then(a.site.cmp(&b.site)));
    let mut places: BTreeMap<FunctionIndex, Vec<usize>> = BTreeMap::new();
    for alike in ranked.chunk_by(|a, b| in_order(a, b).is_eq()) {
        let mut of_function: BTreeMap<FunctionIndex, BTreeSet<usize>> = BTreeMap::new();
        for found in alike {
            let of_function = of_function.entry(site(found).function).or_default();
            of_function.insert(site(found).span.start);
        }
        for (function, fresh) in of_function {
            let chosen = places.entry(function).or_default();
            let fresh = fresh.into_iter().filter(|place| !chosen.contains(place));
            let fresh = spread(&fresh.collect::<Vec<_>>(), MOST_PLACES - chosen.len());
            chosen.extend(fresh);
        }
    }
    ranked.retain(|found| {
        if is_here(found) {
            return true;
        }
        let places = places.get(&site(found).function);
        places.is_some_and(|places| places.contains(&site(found).span.start))
    });
    ranked.sort_by_key(|found| !is_here(found));
    ranked.truncate(MOST_PROMISING);
    ranked.into_iter().cloned().collect()
}

/// Whether the known fixes are so good that insertion points are not worth another build.
fn is_enough(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    known: &[Fix],
) -> bool {
    let panics = Panics::at(session, knowledge, targets);
    let crash = |test: &TestIndex| knowledge.spectrum.crashes.contains_key(test);
    let crashes = targets.iter().any(crash);
    // A crash usually needs a guard where it happens.
    let is_here =
        |site: SiteIndex| panics.seen_from(session.sources, site) == PanicAt::Here || !crashes;
    let cheap = |held: &Fix| {
        // The bonus for a panic says where to look, not that the fix is right, so it does not count here.
        let bonus = held.sites().into_iter();
        let bonus: u32 = bonus.map(|site| panics.bonus(session.sources, site)).sum();
        let most = WEIGHTS.fix.cheap + support(session, knowledge, held);
        held.cost + bonus <= most && !held.is_loose() && held.sites().into_iter().any(is_here)
    };
    uncured(targets, known).is_empty() && known.iter().any(cheap)
}

/// The extra cost that a fix may have because passing tests evaluate the condition that it changes: a condition that
/// fits a hundred tests is no accident.
fn support(session: &Session, knowledge: &Knowledge, held: &Fix) -> u32 {
    if !session.policies().passing_tests_are_weak_evidence {
        return 0;
    }
    let passing = session.baseline.passing();
    let of_site = |site: SiteIndex| {
        let reach = passing
            .iter()
            .filter(|test| knowledge.spectrum.reaches(**test, site));
        u32::try_from(reach.count() / 2).unwrap_or(u32::MAX)
    };
    let least = held.sites().into_iter().map(of_site).min();
    least.unwrap_or(0).min(WEIGHTS.fix.most_support)
}

/// More cures first, then more suspicion.
fn in_order(a: &AngelicSite, b: &AngelicSite) -> Ordering {
    let by_tests = b.cures.len().cmp(&a.cures.len());
    by_tests.then(b.suspiciousness.total_cmp(&a.suspiciousness))
}

/// At most `most` of these places, evenly spread, including the first and the last.
fn spread(places: &[usize], most: usize) -> Vec<usize> {
    if places.len() <= most {
        return places.to_vec();
    }
    let last = places.len() - 1;
    let gaps = most.saturating_sub(1).max(1);
    (0..most).map(|nth| places[nth * last / gaps]).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn the_first_and_the_last_place_are_taken() {
        let places: Vec<usize> = (0..20).collect();
        assert_eq!(spread(&places, 4), [0, 6, 12, 19]);
        assert_eq!(spread(&places[..3], 4), [0, 1, 2]);
        assert_eq!(spread(&places, 1), [0]);
        assert!(spread(&places, 0).is_empty());
    }
}
