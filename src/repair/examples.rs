//! Which sites doctests reach, so that those run only for patches that they may see.

use std::collections::BTreeSet;

use anyhow::Result;
use nopol_source::SiteIndex;

use super::fix::Fix;
use super::knowledge::Knowledge;
use super::session::Session;
use crate::probe::Instrumentation;
use crate::subject::workspace::TracedDoctests;

/// What a traced run of all doctests showed.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// Whether there are any.
    pub exist: bool,
    /// The sites at which none of them arrived.
    pub unreached: BTreeSet<SiteIndex>,
}

impl Examples {
    /// Whether a doctest may see what a fix changes.
    pub fn may_see(&self, fix: &Fix) -> bool {
        let mut edits = fix.edits.iter();
        edits.any(|edit| !self.unreached.contains(&edit.site))
    }
}

/// Runs the doctests in the instrumented copy, unless they were traced before. `instrumentation` is what was built there last.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn trace(
    session: &Session,
    knowledge: &mut Knowledge,
    instrumentation: &Instrumentation,
) -> Result<()> {
    let workspace = &session.copies.instrumented;
    let texts = || session.sources.documented();
    if knowledge.examples.is_some() || !workspace.may_have_doctests(texts()) {
        return Ok(());
    }
    let phase = session.progress.start("tracing doctests", 0, 0);
    session.runner.end_servers();
    let silence = 2 * session.settings.test_timeout;
    let traced = TracedDoctests {
        runtime: &session.runtime,
        sites: session.sources.sites.len(),
    };
    let run = workspace.traced_doctests(texts(), silence, traced)?;
    let mut examples = Examples::default();
    if let Some((doctests, trace)) = run {
        examples.exist = !doctests.by_name.is_empty();
        // One that fails may not have come as far as it would.
        if doctests.all_passed {
            let sites = session.sources.sites.keys();
            let is_known = |site: &SiteIndex| instrumentation.has(*site);
            let known = sites.filter(is_known);
            examples.unreached = known
                .filter(|site| !trace.counters.contains_key(site))
                .collect();
        }
    }
    let result = match examples.unreached.is_empty() {
        true => "they run with each patch".to_owned(),
        false => "they run with patches of the places that they reach".to_owned(),
    };
    session.progress.finish(phase, 0, &result);
    knowledge.examples = Some(examples);
    Ok(())
}
