//! The engines after the Nopol paper: they find where a forced outcome cures a failing test, record the values that the
//! program had there, and synthesize an expression that explains both. They differ in where they look.
//!
//! Each engine localizes ([`localization`]), records contexts ([`recording`]) and synthesizes ([`candidates`]).
//! [`evidence`] holds what the contexts say about an edit. [`one_step`] and [`suggested`] make edits that need no
//! recorded contexts.

mod alternatives;
mod candidates;
mod cautions;
mod costly;
mod derivation;
mod dont_care;
mod evidence;
pub mod existing;
mod from_text;
pub mod insertions;
mod localization;
mod lookups;
pub mod one_step;
mod order;
pub mod pairs;
mod partial;
mod recording;
pub mod simulated;
mod suggested;
pub mod unconfirmed;
pub mod unobserved;
mod varying;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nopol_process::run::suite::TestIndex;
use nopol_source::{Condition, SiteIndex, Sources};

use super::fix::{Fix, SiteEdit};
use super::knowledge::Knowledge;
use super::session::Session;
use super::settings::Depth;
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::{Spectrum, Suspect};

/// Records contexts at `sites` and synthesizes fixes that explain them. Adds one-step edits of the conditions at
/// `sites` and `also`, and conditions that the text suggests.
fn fixes_at(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    sites: &[AngelicSite],
    also: &[AngelicSite],
    known: &[Fix],
) -> Result<Vec<Fix>> {
    if session.settings.depth == Depth::Localize {
        return Ok(Vec::new());
    }
    let mut fixes: Vec<Fix> = Vec::new();
    if !sites.is_empty() {
        let places = recording::record(session, knowledge, targets, sites)?;
        let candidates = candidates::synthesize(session, knowledge, targets, &places)?;
        fixes.extend(candidates.into_iter().flatten().map(Fix::from));
    }
    let places = sites.iter().chain(also).cloned().collect::<Vec<_>>();
    let mut unobserved = one_step::fixes(session, knowledge, targets, &places, &fixes);
    unobserved.extend(suggested::fixes(session, knowledge, targets, sites, &fixes));
    Ok(joined(session.sources, fixes, unobserved, known))
}

/// The fixes that explain contexts, then the unobserved ones, without those that are `known`.
fn joined(
    sources: &Sources,
    explained: Vec<Fix>,
    mut unobserved: Vec<Fix>,
    known: &[Fix],
) -> Vec<Fix> {
    let mut fixes = explained;
    behind_explained(&fixes, &mut unobserved);
    fixes.extend(unobserved);
    fixes.retain(|fix| {
        !fix.edits
            .iter()
            .any(|edit| has_new_idle_part(sources, edit))
    });
    // Of fixes with equal text, the first one stays: it explains the contexts.
    let says = |edit: &SiteEdit| (edit.site, edit.condition.to_string());
    let single = known.iter().filter(|fix| fix.edits.len() == 1);
    let mut said: BTreeSet<_> = single.flat_map(|fix| &fix.edits).map(says).collect();
    fixes.retain(|fix| said.insert(says(&fix.edits[0])));
    fixes
}

/// Whether part of the new condition never decides the outcome, although the old condition had no such part.
fn has_new_idle_part(sources: &Sources, edit: &SiteEdit) -> bool {
    let language = sources.language;
    let old = || Condition::from(&*sources.sites[edit.site].text);
    edit.condition.has_idle_part(language) && !old().has_idle_part(language)
}

/// The most suspicious conditions, except those where forced outcomes cured all of the tests. If a test evaluates a
/// condition many times, several outcomes may have to change, and an edit can do that.
fn suspected(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    angelic: &[AngelicSite],
    most: usize,
) -> Vec<AngelicSite> {
    let suspects = session.suspects(knowledge, targets);
    let was_tried = |found: &AngelicSite| {
        let mut targets = targets.iter();
        targets.all(|test| found.cures.contains_key(test))
    };
    let is_new = |suspect: &&Suspect| {
        let kind = session.site(suspect.site).kind;
        let mut known = angelic.iter().filter(|found| found.site == suspect.site);
        kind.has_condition() && !known.any(was_tried)
    };
    let new = suspects.iter().filter(is_new).take(most);
    new.map(|suspect| AngelicSite {
        site: suspect.site,
        suspiciousness: suspect.suspiciousness,
        cures: BTreeMap::new(),
        also_forced: None,
    })
    .collect()
}

/// The failing tests that an edit of a site should cure: those that a forced outcome cures there, or if there are none,
/// those that reach the site.
fn targets_of(spectrum: &Spectrum, found: &AngelicSite, targets: &[TestIndex]) -> Vec<TestIndex> {
    let reach = |test: &&TestIndex| spectrum.reaches(**test, found.site);
    match found.cures.is_empty() {
        true => targets.iter().filter(reach).copied().collect(),
        false => found.cures.keys().copied().collect(),
    }
}

/// Raises the cost of unobserved edits above that of the best edit of their site that explains the contexts. Otherwise
/// an equivalent edit in other words would come first only because no context speaks against it. Edits that are not
/// loose keep their cost: they change no outcome of a passing test.
fn behind_explained(explained: &[Fix], unobserved: &mut [Fix]) {
    let mut best: BTreeMap<SiteIndex, u32> = BTreeMap::new();
    for edit in explained.iter().flat_map(|fix| &fix.edits) {
        let known = best.entry(edit.site).or_insert(edit.cost);
        *known = edit.cost.min(*known);
    }
    for fix in unobserved {
        for edit in fix.edits.iter_mut().filter(|edit| edit.is_loose) {
            if let Some(best) = best.get(&edit.site) {
                edit.cost = edit.cost.max(best + 1);
                fix.cost = fix.cost.max(edit.cost);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;

    #[test]
    fn an_unobserved_edit_costs_more_than_one_that_explains_the_contexts() {
        let explained = [fix(1, "a >= b", 30, &[0]), fix(1, "a != b", 40, &[0])];
        let mut others = [
            fix(1, "a > b - 1", 19, &[0]),
            fix(2, "c", 19, &[0]),
            fix(1, "a || b", 19, &[0]),
        ];
        others[0].edits[0].is_loose = true;
        others[1].edits[0].is_loose = true;
        behind_explained(&explained, &mut others);
        assert_eq!(others.map(|fix| fix.cost), [31, 19, 19]);
    }
}
