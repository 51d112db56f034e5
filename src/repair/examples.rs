//! Doctests are run once for many patches: with all of them in one build, behind a switch. That also shows which sites each
//! reaches, so that with other patches only those run that may see them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nopol_process::run::Trials;
use nopol_source::SiteIndex;

use super::fix::Fix;
use super::instrument;
use super::knowledge::Knowledge;
use super::session::Session;
use super::switches::Switches;
use crate::probe::Stage;
use crate::subject::workspace::TracedDoctests;

/// What a traced run of all doctests showed.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// Whether there are any.
    pub exist: bool,
    /// The sites at which an arrival was noticed; empty if nothing is known.
    pub watched: BTreeSet<SiteIndex>,
    /// Where each arrived, by a filter for its name.
    pub by_item: BTreeMap<String, BTreeSet<SiteIndex>>,
    /// Where some arrived of which it is not known which they are.
    pub of_unknown: BTreeSet<SiteIndex>,
    /// Fixes with which all pass that pass without.
    pub holding: Vec<Fix>,
}

impl Examples {
    /// Filters for the doctests that may fail with a fix; `None` if that may be any.
    pub fn seeing(&self, fix: &Fix) -> Option<Vec<String>> {
        if self.holding.iter().any(|holds| holds.is_text_of(fix)) {
            return Some(Vec::new());
        }
        let sites: BTreeSet<SiteIndex> = fix.edits.iter().map(|edit| edit.site).collect();
        if !sites.is_subset(&self.watched) || !sites.is_disjoint(&self.of_unknown) {
            return None;
        }
        let seeing = self.by_item.iter();
        let seeing = seeing.filter(|(_, reached)| !sites.is_disjoint(reached));
        Some(seeing.map(|(item, _)| item.clone()).collect())
    }
}

/// Runs the doctests in the instrumented copy with these fixes, which compile together.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn trace(session: &Session, knowledge: &mut Knowledge, fixes: &[&Fix]) -> Result<()> {
    let workspace = &session.copies.instrumented;
    let texts = || session.sources.documented();
    if !workspace.may_have_doctests(texts()) {
        return Ok(());
    }
    let phase = session.progress.start("running doctests", 0, 0);
    session.runner.end_servers();
    let mut switches = Switches::default();
    let sets: Vec<_> = fixes.iter().map(|fix| switches.add(fix)).collect();
    let watched = instrument::write(session, knowledge, Stage::Candidates(switches.texts))?;
    let silence = 2 * session.settings.test_timeout;
    // All of them may hang in one doctest, which then prints nothing.
    let runs = u32::try_from(sets.len() + 1)?;
    let traced = TracedDoctests {
        runtime: &session.runtime,
        sites: session.sources.sites.len(),
        trials: Trials {
            sets: &sets,
            limit: silence / (2 * runs),
        },
    };
    let run = workspace.traced_doctests(texts(), silence, traced)?;
    let mut examples = Examples::default();
    if let Some(reach) = run {
        examples.exist = !reach.doctests.by_name.is_empty();
        // One that fails may not have come as far as it would.
        if reach.doctests.all_passed {
            examples.watched = watched;
            let holding = fixes.iter().zip(&reach.holding);
            let holding = holding.filter(|(_, holds)| **holds);
            examples.holding = holding.map(|(fix, _)| (*fix).clone()).collect();
            examples.by_item = reach.by_item;
            examples.of_unknown = reach.of_unknown;
        }
    }
    let result = match examples.watched.is_empty() {
        true => "they run again with each patch".to_owned(),
        false => format!(
            "they pass with {} of {} patches",
            examples.holding.len(),
            fixes.len()
        ),
    };
    session.progress.finish(phase, 0, &result);
    knowledge.examples = Some(examples);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;

    #[test]
    fn a_fix_is_seen_by_doctests_that_arrive_at_its_site() {
        let sites = |numbers: &[u32]| numbers.iter().copied().map(SiteIndex::new).collect();
        let examples = Examples {
            exist: true,
            watched: sites(&[1, 2, 3, 4]),
            by_item: BTreeMap::from([
                ("f".to_owned(), sites(&[1])),
                ("g".to_owned(), sites(&[1, 2])),
            ]),
            of_unknown: sites(&[3]),
            holding: vec![fix(3, "b", 1, &[0])],
        };
        let seeing = |site| examples.seeing(&fix(site, "a", 1, &[0]));
        assert_eq!(seeing(1).unwrap(), ["f", "g"]);
        assert_eq!(seeing(2).unwrap(), ["g"]);
        assert_eq!(seeing(3), None);
        assert_eq!(examples.seeing(&fix(3, "b", 1, &[0])).unwrap(), [""; 0]);
        assert_eq!(seeing(4).unwrap(), [""; 0]);
        assert_eq!(seeing(5), None);
        let both = Fix {
            edits: [fix(2, "a", 1, &[0]).edits, fix(5, "a", 1, &[0]).edits].concat(),
            ..fix(2, "a", 1, &[0])
        };
        assert_eq!(examples.seeing(&both), None);
    }
}
