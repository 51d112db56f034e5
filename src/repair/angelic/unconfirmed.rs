//! Edits of the most suspicious conditions where no forced outcome cures a test: an edit may still do what none of the
//! tried sequences does.

use anyhow::Result;
use nopol_process::run::suite::TestIndex;

use super::{fixes_at, suspected};
use crate::repair::engine::Engine;
use crate::repair::fix::{Fix, uncured};
use crate::repair::knowledge::Knowledge;
use crate::repair::session::Session;
use crate::repair::settings::Depth;

/// Most conditions that are tried.
const MOST_UNCONFIRMED: usize = 20;

/// Looks for edits of the most suspicious conditions.
pub struct Unconfirmed;

impl Engine for Unconfirmed {
    fn wants(
        &self,
        session: &Session,
        _: &Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Vec<TestIndex> {
        match session.settings.depth {
            Depth::Repair => uncured(targets, known),
            Depth::Localize | Depth::List | Depth::Baseline => Vec::new(),
        }
    }

    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        known: &[Fix],
    ) -> Result<Vec<Fix>> {
        let angelic = &knowledge.angelic;
        let sites = suspected(session, knowledge, targets, angelic, MOST_UNCONFIRMED);
        fixes_at(session, knowledge, targets, &sites, &[], known)
    }
}
