//! Places where something new could stand: early exits, branches, guards, operands, `if`s around several
//! statements. They cost more builds, and their patches rank lower.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::localize::angelic::AngelicSite;
use crate::repair::engine::Engine;
use crate::repair::fix::{Fix, uncured};
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::repair::{instrument, reports};
use crate::run::suite::TestIndex;
use crate::source::SiteIndex;
use crate::source::rust::panics;

/// Conditions that are changed slightly beside, whether or not a forced outcome showed them.
const MOST_SLIGHT: usize = 40;
/// Places for something new in one build.
const MOST_NEW: usize = 2500;
/// Places of one function, and angelic ways out in all, whose contexts are recorded.
const MOST_PLACES: usize = 8;
const MOST_PROMISING: usize = 60;
/// A patch of what is there that costs no more ends the search.
const CHEAP: u32 = 20;
/// What it may cost more at most if many tests stand behind it.
const MOST_SUPPORT: u32 = 40;

/// Looks for fixes where something new could stand, and near the most suspicious conditions.
pub struct Insertions;

impl Engine for Insertions {
    fn wants(
        &self,
        session: &Session,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex> {
        match session.is_enough(knowledge, targets, known) {
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
        let new = session.new_places(knowledge, targets);
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let located = session.localize(knowledge, targets, new, BTreeSet::new())?;
        let reports = reports::suspects(session, &located.suspects, &located.angelic);
        knowledge.notes.sites.extend(reports);
        let mut sites = session.promising(&located.angelic);
        sites.extend(session.slight(knowledge, targets));
        knowledge.angelic.extend(located.angelic);
        session.fixes_at(knowledge, targets, &sites, known)
    }
}

impl Session<'_> {
    /// Places for something new, in the functions that failing tests reach, the most suspicious
    /// ones first. A function that could not be traced may have been reached.
    fn new_places(&self, knowledge: &Knowledge, targets: &[TestIndex]) -> BTreeSet<SiteIndex> {
        let excluded = &knowledge.excluded;
        let sites = &self.sources.sites;
        let mut functions: BTreeMap<usize, f64> = BTreeMap::new();
        for suspect in knowledge.spectrum.rank(targets, &self.baseline.passing()) {
            let function = sites[suspect.site as usize].function;
            functions.entry(function).or_insert(suspect.suspiciousness);
        }
        let function = |index: SiteIndex| sites[index as usize].function;
        let entries = instrument::entries(self.sources, excluded);
        let seen: BTreeSet<usize> = entries.into_iter().map(function).collect();
        let mut by_function: BTreeMap<usize, Vec<SiteIndex>> = BTreeMap::new();
        let may_panic = self.may_want_panics(targets);
        let new = instrument::sites(self.sources, excluded, |site| {
            site.kind.is_new() && (may_panic || !site.asserts())
        });
        for index in new.difference(&self.unwanted).copied() {
            let function = sites[index as usize].function;
            by_function.entry(function).or_default().push(index);
        }
        let mut ranked: Vec<(f64, Vec<SiteIndex>)> = by_function
            .into_iter()
            .filter_map(|(function, places)| match functions.get(&function) {
                Some(suspiciousness) => Some((*suspiciousness, places)),
                None => (!seen.contains(&function)).then_some((0.0, places)),
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut chosen = BTreeSet::new();
        for (_, places) in ranked {
            if chosen.len() + places.len() <= MOST_NEW {
                chosen.extend(places);
            }
        }
        chosen
    }

    /// Whether a failing test may pass because the subject panics.
    fn may_want_panics(&self, targets: &[TestIndex]) -> bool {
        let mut outputs = targets.iter().map(|test| &self.baseline.output[test]);
        let mut files = self.sources.files.iter();
        outputs.any(|output| output.contains(panics::DID_NOT_PANIC))
            || files.any(|file| file.text.contains("catch_unwind"))
    }

    /// The angelic places for something new that are worth recording: the most suspicious first, and
    /// of each function the first ones, for what leaves it early can often do so a little later.
    fn promising(&self, angelic: &[AngelicSite]) -> Vec<AngelicSite> {
        let mut places: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut ranked: Vec<&AngelicSite> = angelic.iter().collect();
        let site = |found: &AngelicSite| self.site(found.site);
        ranked.sort_by(|a, b| {
            let by_tests = b.cures.len().cmp(&a.cures.len());
            let by_suspicion = b.suspiciousness.total_cmp(&a.suspiciousness);
            by_tests.then(by_suspicion).then(a.site.cmp(&b.site))
        });
        ranked.retain(|found| {
            let places = places.entry(site(found).function).or_default();
            places.insert(site(found).span.start);
            places.len() <= MOST_PLACES || {
                places.remove(&site(found).span.start);
                false
            }
        });
        ranked.truncate(MOST_PROMISING);
        ranked.into_iter().cloned().collect()
    }

    /// Whether what holds leaves nothing to be found where something new could stand.
    fn is_enough(&self, knowledge: &Knowledge, targets: &[TestIndex], known: &[Fix]) -> bool {
        let cheap =
            |held: &Fix| held.cost <= CHEAP + self.support(knowledge, held) && !held.is_loose();
        uncured(targets, known).is_empty() && known.iter().any(cheap)
    }

    /// What a patch may cost more for the passing tests that evaluate what it changes: where tests are many,
    /// what explains a hundred of them is no accident.
    fn support(&self, knowledge: &Knowledge, held: &Fix) -> u32 {
        if !self.policies().passing_tests_say_little {
            return 0;
        }
        let passing = self.baseline.passing();
        let of_site = |site: SiteIndex| {
            let reach = passing
                .iter()
                .filter(|test| knowledge.spectrum.reaches(**test, site));
            u32::try_from(reach.count() / 2).unwrap_or(u32::MAX)
        };
        let least = held.sites().into_iter().map(of_site).min();
        least.unwrap_or(0).min(MOST_SUPPORT)
    }

    /// The most suspicious conditions, each to be changed slightly. What a forced outcome shows may be
    /// one way to pass and not the right one: where `>` stands for `>=`, several evaluations change, and
    /// some only because of others.
    fn slight(&self, knowledge: &Knowledge, targets: &[TestIndex]) -> Vec<AngelicSite> {
        let mut sites = self.suspected(knowledge, targets, &[], MOST_SLIGHT);
        for found in &mut sites {
            found.is_slight = true;
        }
        sites
    }
}
