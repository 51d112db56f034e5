//! Conditions, boolean expressions and statements that exist in the subject.

use std::collections::BTreeSet;

use anyhow::Result;
use nopol_process::run::suite::TestIndex;
use nopol_source::SiteIndex;

use super::{fixes_at, insertions, localization};
use crate::repair::engine::Engine;
use crate::repair::fix::Fix;
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::repair::{instrument, reports};

/// Looks for fixes at existing conditions and statements. In a large subject it instruments only the functions that
/// failing tests reach, together with their insertion points: a later engine usually needs those, and another build
/// would take longer.
pub struct Existing;

impl Engine for Existing {
    fn wants(
        &self,
        _: &Session,
        _: &Knowledge,
        targets: &[TestIndex],
        _: &[Fix],
    ) -> Vec<TestIndex> {
        targets.to_vec()
    }

    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Result<Vec<Fix>> {
        let sources = session.sources;
        let existing = instrument::existing_sites(sources, &knowledge.excluded);
        // Nothing can be forced at these sites. They are traced once to learn which tests reach them.
        let mut computing = instrument::computing_sites(sources, &knowledge.excluded);
        let (build, existing) = match instrument::first_sites(sources) {
            None => {
                computing.extend(instrument::function_entries(sources, &knowledge.excluded));
                let build =
                    localization::trace_sites(session, knowledge, &existing, &computing, "place")?;
                (build, existing)
            }
            Some(entries) => {
                localization::trace_sites(
                    session,
                    knowledge,
                    &entries,
                    &BTreeSet::new(),
                    "function",
                )?;
                let functions = insertions::reached_functions(session, knowledge, targets);
                let is_reached = |at: &SiteIndex| functions.contains(&session.site(*at).function);
                let existing: BTreeSet<SiteIndex> =
                    existing.into_iter().filter(is_reached).collect();
                let new = insertions::insertion_points(session, knowledge, targets);
                let all = existing.union(&new).copied().collect();
                knowledge.insertion_points = Some(new);
                computing.retain(is_reached);
                let build =
                    localization::trace_sites(session, knowledge, &all, &computing, "place")?;
                (build, existing)
            }
        };
        let located = localization::force(session, knowledge, targets, &build, &existing)?;
        let reports = reports::suspects(session, &located.suspects, &located.angelic);
        knowledge.notes.sites.extend(reports);
        knowledge.angelic.extend_from_slice(&located.angelic);
        fixes_at(session, knowledge, targets, &located.angelic, &[], known)
    }
}
