//! Which sites doctests reach, so that those run only for patches that they may see.

use std::collections::BTreeSet;

use anyhow::Result;
use nopol_source::SiteIndex;

use super::fix::Fix;
use super::knowledge::Knowledge;
use super::session::Session;
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

/// Runs the doctests in the instrumented copy, which must be as it was built last.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn trace(session: &Session, knowledge: &mut Knowledge) -> Result<()> {
    let workspace = &session.copies.instrumented;
    let texts = || session.sources.documented();
    if !workspace.may_have_doctests(texts()) {
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
            let built = knowledge.taught.kept.iter().copied();
            let unreached = built.filter(|site| !trace.counters.contains_key(site));
            examples.unreached = unreached.collect();
        }
    }
    let result = match examples.unreached.is_empty() {
        true => "they run with each patch",
        false => "they run only with patches of places that they reach",
    };
    session.progress.finish(phase, 0, result);
    knowledge.examples = Some(examples);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;

    #[test]
    fn a_doctest_may_see_a_fix_at_a_site_that_is_not_known_to_be_unreached() {
        let unreached = [1].map(SiteIndex::new).into();
        let examples = Examples {
            exist: true,
            unreached,
        };
        let (out_of_sight, other) = (fix(1, "a", 1, &[0]), fix(2, "a", 1, &[0]));
        assert!(!examples.may_see(&out_of_sight));
        assert!(examples.may_see(&other));
        let both = Fix {
            edits: [out_of_sight.edits, other.edits].concat(),
            ..fix(1, "a", 1, &[0])
        };
        assert!(examples.may_see(&both));
        assert!(Examples::default().may_see(&both));
    }
}
