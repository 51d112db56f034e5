//! What a search has learned so far: which parts compile, which test reaches which site, and what the report will say
//! about it.

use std::collections::BTreeSet;
use std::sync::Arc;

use nopol_source::{FunctionIndex, SiteIndex};

use super::examples::Examples;
use super::fix::Fix;
use super::instrument::Prebuilt;
use super::validating::Checked;
use crate::exchange::ProblemFile;
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Spectrum;
use crate::probe::Earlier;
use crate::report::{Outcome, PatchReport, SiteReport};
use crate::subject::workspace::Build;

/// What builds and traces have shown.
#[derive(Default)]
pub struct Knowledge {
    /// The first instrumented build, if it was made in parallel with the plain one and has not been used yet.
    pub prebuilt: Option<Prebuilt>,
    /// Sites that no build may instrument: they do not compile, or they change the outcome of a test.
    pub excluded: BTreeSet<SiteIndex>,
    /// Excluded sites whose instrumentation the compiler rejects.
    pub rejected: BTreeSet<SiteIndex>,
    /// The last instrumented build.
    pub build: Option<Arc<Build>>,
    /// Insertion points that were traced together with the existing sites but not forced yet.
    pub insertion_points: Option<BTreeSet<SiteIndex>>,
    /// The sites of the last instrumented build, and what it showed.
    pub taught: Earlier,
    /// Captures that the compiler rejected, by function and text.
    pub refused: BTreeSet<(FunctionIndex, String)>,
    /// Methods without arguments and expressions that are not captured any more, because a test ended while it
    /// evaluated them.
    pub costly: BTreeSet<String>,
    /// Which test reaches which site, as far as traced.
    pub spectrum: Spectrum,
    /// Sites where outcomes were forced.
    pub forced: BTreeSet<SiteIndex>,
    /// Sites where a forced outcome cures a failing test.
    pub angelic: Vec<AngelicSite>,
    /// Plausible fixes that are not validated yet.
    pub held: Vec<Fix>,
    /// Plausible fixes that cure only some of the tests that a forced outcome at their site cures. The tests may have
    /// several causes, so these fixes are shown. They may also have one cause, so the search goes on as if these fixes
    /// were not known.
    pub partial: Vec<Fix>,
    /// The first fix that was built on its own, and the result.
    pub checked: Option<(Fix, Checked)>,
    /// The first patch shown to the user while the search went on.
    pub announced: Option<PatchReport>,
    /// What the doctests reach, if it was looked at.
    pub examples: Option<Examples>,
    /// The synthesis problems so far, if `--dump` asks for them.
    pub problems: Vec<ProblemFile>,
    pub notes: Notes,
}

/// Notes for the report.
#[derive(Debug, Default)]
pub struct Notes {
    pub warnings: Vec<String>,
    /// Failing tests that no forced outcome makes pass, each with a warning. An edit may still cure them.
    pub uncured: Vec<(String, String)>,
    /// Sites that were examined.
    pub sites: Vec<SiteReport>,
    /// Number of builds of the subject.
    pub builds: u32,
    /// Whether changing two conditions at once was tried.
    pub tried_pairs: bool,
    /// Whether the instrumentation changes the outcome of every failing test.
    pub is_disturbed: bool,
}

impl Notes {
    /// Adds a warning unless it is there already.
    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Notes why an angelic site has no patch. The first reason is kept.
    pub fn set_reason(&mut self, id: &str, reason: &str) {
        let is_it = |site: &&mut SiteReport| site.id == id && !site.angelic.is_empty();
        if let Some(site) = self.sites.iter_mut().find(is_it) {
            site.reason.get_or_insert_with(|| reason.to_string());
        }
    }

    /// Moves everything into the outcome, whose patches are final. Drops the reason for a site without a patch if a
    /// later engine found a patch there.
    pub fn report(&mut self, outcome: &mut Outcome) {
        let notes = std::mem::take(self);
        outcome.warnings.extend(notes.warnings);
        let patches = &outcome.patches;
        for (test, warning) in notes.uncured {
            let is_fixed = patches.iter().any(|patch| patch.fixes.contains(&test));
            if !is_fixed && !outcome.warnings.contains(&warning) {
                outcome.warnings.push(warning);
            }
        }
        outcome.sites.extend(notes.sites.into_iter().map(|site| {
            let has_patch = patches.iter().any(|patch| patch.is_at(&site));
            let reason = site.reason.filter(|_| !has_patch);
            SiteReport { reason, ..site }
        }));
        outcome.builds += notes.builds;
        outcome.tried_pairs |= notes.tried_pairs;
        outcome.is_disturbed |= notes.is_disturbed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{AngelicHow, AngelicReport};

    fn site(id: &str, is_angelic: bool) -> SiteReport {
        let angelic = AngelicReport {
            test: "t".to_owned(),
            how: AngelicHow::Constant(true),
        };
        SiteReport {
            id: id.to_owned(),
            kind: "condition",
            has_condition: true,
            file: "src/lib.rs".to_owned(),
            line: 1,
            column: 1,
            text: "a".to_owned(),
            suspiciousness: 1.0,
            angelic: is_angelic.then_some(angelic).into_iter().collect(),
            reason: None,
        }
    }

    #[test]
    fn the_first_reason_for_an_angelic_site_is_kept() {
        let mut notes = Notes {
            sites: vec![site("a", true), site("b", false)],
            ..Notes::default()
        };
        notes.set_reason("a", "first");
        notes.set_reason("a", "second");
        notes.set_reason("b", "never angelic");
        let reasons: Vec<_> = notes.sites.iter().map(|site| site.reason.clone()).collect();
        assert_eq!(reasons, [Some("first".to_owned()), None]);
    }

    #[test]
    fn a_test_that_a_patch_fixes_has_no_warning_that_it_is_uncured() {
        let notes = || Notes {
            uncured: ["a", "b", "b"]
                .map(|test| (test.to_owned(), format!("nothing ends {test}")))
                .to_vec(),
            ..Notes::default()
        };
        let patch = PatchReport {
            fixes: vec!["a".to_owned()],
            ..PatchReport::default()
        };
        let mut outcome = Outcome {
            patches: vec![patch],
            ..Outcome::default()
        };
        notes().report(&mut outcome);
        assert_eq!(outcome.warnings, ["nothing ends b"]);
    }

    #[test]
    fn a_site_with_a_patch_loses_its_reason_for_having_none() {
        let mut notes = Notes {
            sites: vec![site("a", true), site("b", true), site("ab", true)],
            ..Notes::default()
        };
        for id in ["a", "b", "ab"] {
            notes.set_reason(id, "no candidate");
        }
        let patch = PatchReport {
            id: "c-1+b-2".to_owned(),
            ..PatchReport::default()
        };
        let mut outcome = Outcome {
            patches: vec![patch],
            ..Outcome::default()
        };
        notes.report(&mut outcome);
        let with_reason = outcome.sites.iter().filter(|site| site.reason.is_some());
        let with_reason: Vec<&str> = with_reason.map(|site| &*site.id).collect();
        assert_eq!(with_reason, ["a", "ab"]);
    }
}
