//! The engines after papers/nopol.txt: where a forced outcome cures a failing test, which values the
//! program had there, and an expression that explains both. They differ in where they look.
//!
//! Each localizes ([`localization`]), records contexts ([`recording`]) and synthesizes ([`candidates`]);
//! what they know of an edit is in [`evidence`].

mod candidates;
mod dont_care;
mod evidence;
pub mod existing;
pub mod insertions;
mod localization;
pub mod pairs;
mod recording;
pub mod unconfirmed;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use self::candidates::Candidate;
use super::fix::{Fix, SiteEdit};
use super::knowledge::Knowledge;
use super::session::Session;
use super::settings::Depth;
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Suspect;
use crate::run::suite::TestIndex;

impl Session<'_> {
    /// Records contexts at angelic sites and synthesizes fixes that explain them.
    fn fixes_at(
        &self,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        sites: &[AngelicSite],
        known: &[Fix],
    ) -> Result<Vec<Fix>> {
        if sites.is_empty() || self.settings.depth == Depth::Localize {
            return Ok(Vec::new());
        }
        let places = self.record(knowledge, targets, sites)?;
        let mut candidates = self.synthesize(knowledge, targets, &places)?;
        for (place, of_place) in places.iter().zip(&mut candidates) {
            of_place.retain(|candidate| {
                !place.found.only_operator_mutations || candidate.is_operator_mutation
            });
        }
        let mut candidates: Vec<Candidate> = candidates.concat();
        // Drop what is known already.
        let says = |edit: &SiteEdit| (edit.site, edit.condition.clone());
        let single = known.iter().filter(|fix| fix.edits.len() == 1);
        let said: BTreeSet<_> = single.flat_map(|fix| &fix.edits).map(says).collect();
        candidates.retain(|candidate| !said.contains(&says(&candidate.edit)));
        Ok(candidates.into_iter().map(Fix::from).collect())
    }

    /// The most suspicious conditions, except those where a forced outcome cured all of the tests. A test
    /// that evaluates a condition many times may need several outcomes changed; an edit can do that.
    fn suspected(
        &self,
        knowledge: &Knowledge,
        targets: &[TestIndex],
        angelic: &[AngelicSite],
        most: usize,
    ) -> Vec<AngelicSite> {
        let suspects = self.suspects(knowledge, targets);
        let was_tried = |found: &AngelicSite| {
            let mut targets = targets.iter();
            targets.all(|test| found.cures.contains_key(test))
        };
        let is_new = |suspect: &&Suspect| {
            let kind = self.site(suspect.site).kind;
            let mut known = angelic.iter().filter(|found| found.site == suspect.site);
            kind.has_condition() && !known.any(was_tried)
        };
        let new = suspects.iter().filter(is_new).take(most);
        new.map(|suspect| AngelicSite {
            site: suspect.site,
            suspiciousness: suspect.suspiciousness,
            cures: BTreeMap::new(),
            also_forced: None,
            only_operator_mutations: false,
        })
        .collect()
    }
}
