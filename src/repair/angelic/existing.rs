//! Conditions, boolean expressions and statements that exist in the subject.

use anyhow::Result;

use crate::repair::engine::Engine;
use crate::repair::fix::Fix;
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::repair::{instrument, reports};
use crate::run::suite::TestIndex;

/// Looks for fixes at existing conditions and statements.
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
        let sites = instrument::existing_sites(session.sources, &knowledge.excluded);
        let entries = instrument::function_entries(session.sources, &knowledge.excluded);
        let located = session.localize(knowledge, targets, sites, entries)?;
        let reports = reports::suspects(session, &located.suspects, &located.angelic);
        knowledge.notes.sites.extend(reports);
        knowledge.angelic.extend_from_slice(&located.angelic);
        session.fixes_at(knowledge, targets, &located.angelic, known)
    }
}
