//! The candidates of one site for simulated contexts, which `cargo xtask learn simulate` invents around real edits.
//! Nothing is built or run.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use nopol_process::run::suite::TestIndex;
use nopol_source::clauses::Kin;
use nopol_source::{Language, SiteIndex, Sources};

use super::{candidates, joined, one_step};
use crate::contexts::Recorded;
use crate::localize::angelic::AngelicSite;
use crate::rank::facts::{Candidate, Case, Failure};
use crate::repair::facts::{edit_facts, function_text};
use crate::repair::fix::Fix;
use crate::repair::panics::Panics;

/// What a run would propose at a site with these contexts before a test judges it: expressions that explain them, and
/// one-step edits. The keys of [`Recorded::cured`] are the failing tests. Last resorts are left out.
///
/// # Errors
/// None: nothing is read or written.
pub fn case(
    sources: &Sources,
    site: SiteIndex,
    kin: &Kin,
    recorded: &Arc<Recorded>,
) -> Result<Case> {
    let found = AngelicSite {
        site,
        suspiciousness: 1.0,
        cures: BTreeMap::new(),
        also_forced: None,
    };
    let targets: Vec<TestIndex> = recorded.cured.keys().copied().collect();
    let (observed, explaining) = candidates::of_contexts(sources, &found, &targets, recorded)?;
    let explained: Vec<Fix> = explaining.into_iter().map(Fix::from).collect();
    let others = one_step::of_contexts(sources, &found, &targets, kin, &explained, &observed);
    let fixes = joined(sources, explained, others, &[]);
    let candidate = |fix: &Fix| Candidate {
        edits: fix
            .edits
            .iter()
            .map(|edit| edit_facts(sources, edit, 0, &Panics::default()))
            .collect(),
        cost: fix.cost,
        cures: u32::try_from(targets.len()).unwrap_or(u32::MAX),
        is_trivial: fix.is_trivial(),
    };
    Ok(Case {
        is_c: sources.language == Language::C,
        failures: vec![Failure::default(); targets.len()],
        functions: vec![function_text(sources, sources.sites[site].function)],
        candidates: fixes.iter().map(candidate).collect(),
    })
}
