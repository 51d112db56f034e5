//! Sites and tests in the words of the report.

use super::Run;
use super::localization::Located;
use crate::report::{AngelicHow, AngelicReport, Outcome, SiteReport};
use crate::run::{Forced, How, Sequence, When};
use crate::source::{Site, Sources};

/// A site, not yet looked at.
pub fn site(sources: &Sources, site: &Site) -> SiteReport {
    SiteReport {
        id: site.id.clone(),
        kind: site.kind.patch_kind().name(),
        file: sources.files[site.file].path.to_string(),
        line: site.line,
        column: site.column,
        text: match site.span.is_empty() {
            true => site.body.clone(),
            false => site.text.clone(),
        },
        suspiciousness: 0.0,
        angelic: Vec::new(),
        reason: None,
    }
}

/// The suspects in their order, with the outcomes that cure tests.
pub(super) fn suspects(run: &Run, located: &Located) -> Vec<SiteReport> {
    let (sources, tests) = (run.sources, run.tests);
    let Located { suspects, angelic } = located;
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
                            how: how(forced),
                        })
                    })
                    .collect(),
                ..site(sources, &sources.sites[suspect.site as usize])
            }
        })
        .collect()
}

/// What a sequence forces, in the words of the report.
fn how(sequence: &Sequence) -> AngelicHow {
    let set = |forced: &Forced| match forced.how {
        How::Set(value) => value,
        // Only single evaluations are flipped.
        How::Flip => true,
    };
    match sequence.as_slice() {
        [first, rest @ ..] => match first.when {
            When::Always => AngelicHow::Constant(set(first)),
            When::Until(evaluations) => AngelicHow::First {
                evaluations,
                outcome: set(first),
                then_opposite: !rest.is_empty(),
            },
            When::From(evaluations) => AngelicHow::After {
                evaluations,
                outcome: set(first),
            },
            When::At(_) => {
                let at = |forced: &Forced| match forced.when {
                    When::At(at) => Some(at + 1),
                    _ => None,
                };
                AngelicHow::Flipped(sequence.iter().filter_map(at).collect())
            }
        },
        [] => AngelicHow::Flipped(Vec::new()),
    }
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
