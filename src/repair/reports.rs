//! Sites and tests in the words of the report.

use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Suspect;
use crate::report::{AngelicHow, AngelicReport, Outcome, SiteReport};
use crate::run::How;
use crate::run::id::TestId;
use crate::source::{Site, Sources};

/// A site, not yet looked at.
pub fn site(sources: &Sources, site: &Site) -> SiteReport {
    SiteReport {
        id: site.id.clone(),
        kind: site.kind.patch_kind().name(),
        file: sources.files[site.file].path.to_string(),
        line: site.line,
        column: site.column,
        text: site.text.clone(),
        suspiciousness: 0.0,
        angelic: Vec::new(),
        reason: None,
    }
}

/// The suspects in their order, with the outcomes that cure tests.
pub fn suspects(
    sources: &Sources,
    tests: &[TestId],
    suspects: &[Suspect],
    angelic: &[AngelicSite],
) -> Vec<SiteReport> {
    suspects
        .iter()
        .map(|suspect| {
            let found = angelic.iter().find(|found| found.site == suspect.site);
            let cures = found.iter().flat_map(|found| &found.cures);
            SiteReport {
                suspiciousness: suspect.suspiciousness,
                angelic: cures
                    .flat_map(|(test, forced)| {
                        forced.iter().map(|forced| AngelicReport {
                            test: tests[*test].to_string(),
                            how: match (forced.at, forced.how) {
                                (Some(at), _) => AngelicHow::Flipped(at + 1),
                                (None, How::Set(value)) => AngelicHow::Constant(value),
                                // Never forced at every evaluation.
                                (None, How::Flip) => AngelicHow::Constant(true),
                            },
                        })
                    })
                    .collect(),
                ..site(sources, &sources.sites[suspect.site as usize])
            }
        })
        .collect()
}

impl Outcome {
    /// Says why an angelic site gave no patch, unless that was said before.
    pub(super) fn set_reason(&mut self, id: &str, reason: &str) {
        let is_it = |site: &&mut SiteReport| site.id == id && !site.angelic.is_empty();
        if let Some(site) = self.sites.iter_mut().find(is_it) {
            site.reason.get_or_insert_with(|| reason.to_string());
        }
    }
}
