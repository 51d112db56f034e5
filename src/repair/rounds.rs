//! Where patches are looked for, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use camino::Utf8Path;

use super::candidates::SiteCandidate;
use super::ranking::{Fix, spread};
use super::settings::Depth;
use super::{Run, instrument, reports};
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Suspect;
use crate::run::id::TestId;
use crate::run::suite::{Baseline, TestIndex};
use crate::source::rust::panics;
use crate::source::{Language, SiteIndex};

/// Conditions that are tried without an angelic outcome.
const MOST_UNCONFIRMED: usize = 20;
/// Conditions that are changed slightly without one.
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

impl Run<'_> {
    /// Looks for candidates that hold: first at what the subject has, then at the places where
    /// something new could stand, which costs more builds and whose patches rank lower; last of
    /// all, where no forced outcome showed a place, near the most suspicious conditions.
    pub(super) fn rounds(&mut self) -> Result<Vec<Fix>> {
        let there = instrument::there(self.sources, &self.excluded);
        let entries = instrument::entries(self.sources, &self.excluded);
        let located = self.localize(there, entries)?;
        self.outcome.sites = reports::suspects(self, &located);
        let mut plausible = self.repair_at(&located.angelic, &[])?;
        let mut angelic = located.angelic;
        if !self.is_enough(&plausible) {
            let new = self.new_places();
            if !new.is_empty() {
                let located = self.localize(new, BTreeSet::new())?;
                let sites = reports::suspects(self, &located);
                self.outcome.sites.extend(sites);
                let mut promising = self.promising(&located.angelic);
                promising.extend(self.slight());
                let further = self.repair_at(&promising, &plausible)?;
                plausible.extend(further);
                angelic.extend(located.angelic);
            }
        }
        let left = self.uncured(&plausible);
        if left.is_empty() || self.settings.depth == Depth::Localize {
            return Ok(plausible);
        }
        let all = std::mem::replace(&mut self.targets, left);
        let unconfirmed = self.unconfirmed(&angelic, MOST_UNCONFIRMED);
        let further = self.repair_at(&unconfirmed, &plausible)?;
        plausible.extend(further);
        if self.settings.multi {
            self.outcome.tried_pairs = true;
            self.targets = self.uncured(&plausible);
            plausible.extend(self.repair_pairs()?);
        }
        self.targets = all;
        Ok(plausible)
    }

    /// Places for something new, in the functions that failing tests reach, the most suspicious
    /// ones first. A function that could not be traced may have been reached.
    fn new_places(&self) -> BTreeSet<SiteIndex> {
        let sites = &self.sources.sites;
        let mut functions: BTreeMap<usize, f64> = BTreeMap::new();
        for suspect in self.spectrum.rank(&self.targets, &self.baseline.passing()) {
            let function = sites[suspect.site as usize].function;
            functions.entry(function).or_insert(suspect.suspiciousness);
        }
        let function = |index: SiteIndex| sites[index as usize].function;
        let entries = instrument::entries(self.sources, &self.excluded);
        let seen: BTreeSet<usize> = entries.into_iter().map(function).collect();
        let mut by_function: BTreeMap<usize, Vec<SiteIndex>> = BTreeMap::new();
        let may_panic = self.may_want_panics();
        let new = instrument::sites(self.sources, &self.excluded, |site| {
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
    fn may_want_panics(&self) -> bool {
        let mut outputs = self.targets.iter().map(|test| &self.baseline.output[test]);
        let mut files = self.sources.files.iter();
        outputs.any(|output| output.contains(DID_NOT_PANIC))
            || files.any(|file| file.text.contains("catch_unwind"))
    }

    /// The angelic places for something new that are worth recording: the most suspicious first, and
    /// of each function the first ones, for what leaves it early can often do so a little later.
    fn promising(&self, angelic: &[AngelicSite]) -> Vec<AngelicSite> {
        let mut places: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut ranked: Vec<&AngelicSite> = angelic.iter().collect();
        let site = |found: &AngelicSite| &self.sources.sites[found.site as usize];
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
    fn is_enough(&self, plausible: &[Fix]) -> bool {
        let cheap = |held: &Fix| held.cost <= CHEAP + self.support(held) && !held.is_loose();
        self.uncured(plausible).is_empty() && plausible.iter().any(cheap)
    }

    /// What a patch may cost more for the passing tests that evaluate what it changes: where these are
    /// commands, each says something about the outcome, and what explains a hundred of them is no accident.
    /// Of a crate's tests few are about any one condition.
    fn support(&self, held: &Fix) -> u32 {
        if self.sources.language != Language::C {
            return 0;
        }
        let passing = self.baseline.passing();
        let of_site = |site: SiteIndex| {
            let reach = passing
                .iter()
                .filter(|test| self.spectrum.reaches(**test, site));
            u32::try_from(reach.count() / 2).unwrap_or(u32::MAX)
        };
        let sites = held.sites();
        sites
            .into_iter()
            .map(of_site)
            .min()
            .unwrap_or(0)
            .min(MOST_SUPPORT)
    }

    /// From sites to fixes that hold.
    fn repair_at(&mut self, sites: &[AngelicSite], known: &[Fix]) -> Result<Vec<Fix>> {
        if sites.is_empty() || self.settings.depth == Depth::Localize {
            return Ok(Vec::new());
        }
        let places = self.record(sites)?;
        let mut candidates = self.synthesize(&places)?;
        for (place, of_place) in places.iter().zip(&mut candidates) {
            of_place.retain(|candidate| !place.found.is_slight || candidate.is_slight());
        }
        let mut candidates = candidates.concat();
        // What holds already is not found once more.
        let says = |part: &SiteCandidate| (part.site, part.text.clone());
        let single = known.iter().filter(|fix| fix.parts.len() == 1);
        let said: BTreeSet<_> = single.flat_map(|fix| &fix.parts).map(says).collect();
        candidates.retain(|candidate| !said.contains(&says(candidate)));
        let fixes = spread(candidates.into_iter().map(Fix::from).collect());
        self.judge(fixes, known)
    }

    /// The failing tests that no candidate cures so far.
    fn uncured(&self, plausible: &[Fix]) -> Vec<TestIndex> {
        let real = plausible.iter().filter(|held| !held.is_trivial());
        let cured = |test: &TestIndex| real.clone().any(|held| held.targets.contains(test));
        let targets = self.targets.iter().copied();
        targets.filter(|test| !cured(test)).collect()
    }

    /// The conditions most suspicious for the tests still to be cured, less those where a forced
    /// outcome cured all of them. A test that evaluates one many times may need several of them
    /// changed; an edit of the condition can still do that.
    fn unconfirmed(&self, angelic: &[AngelicSite], most: usize) -> Vec<AngelicSite> {
        let mut suspects = self.spectrum.rank(&self.targets, &self.baseline.passing());
        suspects.retain(|suspect| {
            !self.excluded.contains(&suspect.site) && !self.unwanted.contains(&suspect.site)
        });
        let was_tried = |found: &AngelicSite| {
            self.targets
                .iter()
                .all(|test| found.cures.contains_key(test))
        };
        let is_new = |suspect: &&Suspect| {
            let kind = self.sources.sites[suspect.site as usize].kind;
            let mut known = angelic.iter().filter(|found| found.site == suspect.site);
            kind.has_condition() && !known.any(was_tried)
        };
        let new = suspects.iter().filter(is_new).take(most);
        new.map(|suspect| AngelicSite {
            site: suspect.site,
            suspiciousness: suspect.suspiciousness,
            cures: BTreeMap::new(),
            beside: None,
            is_slight: false,
        })
        .collect()
    }

    /// The most suspicious conditions, each to be changed slightly. What a forced outcome shows may be
    /// one way to pass and not the right one: where `>` stands for `>=`, several evaluations change, and
    /// some only because of others.
    fn slight(&self) -> Vec<AngelicSite> {
        let mut sites = self.unconfirmed(&[], MOST_SLIGHT);
        for found in &mut sites {
            found.is_slight = true;
        }
        sites
    }
}

/// Said by the harness of a test that should have panicked.
const DID_NOT_PANIC: &str = "did not panic";

/// The message of the panic that the first failing test that wants one is waiting for.
pub(super) fn wanted_panic(
    root: &Utf8Path,
    tests: &[TestId],
    targets: &[TestIndex],
    baseline: &Baseline,
) -> Option<String> {
    let wants = |test: &&TestIndex| baseline.output[test].contains(DID_NOT_PANIC);
    let test = &tests[*targets.iter().find(wants)?].name;
    let name = test.rsplit("::").next().unwrap_or(test);
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let files = files
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|it| it == "rs"));
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let message = texts
        .filter_map(|text| panics::expected(&text, name))
        .next();
    // In a literal braces would be places for arguments.
    message.filter(|message| !message.contains(['{', '}']))
}
