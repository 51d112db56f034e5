//! Converts sites, tests and forced outcomes to their form in the report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nopol_basics::count;
use nopol_process::run::id::TestId;
use nopol_process::run::suite::TestIndex;
use nopol_process::run::{Forced, How, Sequence, When};
use nopol_source::{FunctionIndex, PatchKind, Site, Sources};
use typed_index_collections::TiSlice;

use super::hints::Hints;
use super::knowledge::Knowledge;
use super::session::Session;
use super::settings::Settings;
use crate::localize::angelic::AngelicSite;
use crate::localize::spectrum::Suspect;
use crate::report::{AngelicHow, AngelicReport, Ending, Outcome, Scope, SiteReport, TestNames};

/// A site without results.
pub fn site(sources: &Sources, site: &Site) -> SiteReport {
    SiteReport {
        id: site.id.clone(),
        kind: site.kind.patch_kind().name(),
        has_condition: site.kind.has_condition(),
        file: sources.files[site.file].path.to_string(),
        line: site.line,
        column: site.column,
        text: match site.span.is_empty() {
            // A condition can be added to the one that begins there.
            true if site.body.is_empty() => {
                condition_at(&sources.files[site.file].text[site.span.start..]).to_owned()
            }
            true => site.body.clone(),
            false => site.text.clone(),
        },
        suspiciousness: 0.0,
        angelic: Vec::new(),
        reason: None,
    }
}

/// The condition that begins a text, as far as it is in the first line.
fn condition_at(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let bytes = line.as_bytes();
    let mut open = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        let is_quote = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b'\'');
        match byte {
            _ if is_quote(at.checked_sub(1)) && is_quote(at.checked_add(1)) => {}
            b'(' => open += 1,
            b')' | b'{' | b';' if open == 0 => return line[..at].trim_end(),
            b')' => open -= 1,
            _ => {}
        }
    }
    line.trim_end()
}

/// The conditions that could not be examined, in the functions that these tests reach; `None` if there are none.
pub fn rejected(session: &Session, knowledge: &Knowledge, targets: &[TestIndex]) -> Option<String> {
    const MOST_TOLD: usize = 4;
    let sites = &session.sources.sites;
    let reached = targets
        .iter()
        .filter_map(|test| knowledge.spectrum.reached.get(test));
    let functions: BTreeSet<FunctionIndex> = reached
        .flat_map(BTreeMap::keys)
        .map(|site| sites[*site].function)
        .collect();
    let places = knowledge.rejected.iter().filter(|index| {
        let site = &sites[**index];
        site.kind.has_condition()
            && functions.contains(&site.function)
            && !session.unwanted.contains(index)
    });
    let places: Vec<String> = places
        .map(|index| {
            let site = &sites[*index];
            let file = &session.sources.files[site.file].path;
            format!("{file}:{}:{}", site.line, site.column)
        })
        .collect();
    let told = &places[..places.len().min(MOST_TOLD)];
    let more = match places.len() - told.len() {
        0 => String::new(),
        more => format!(" and {}", count(more, "other condition")),
    };
    (!places.is_empty()).then(|| {
        format!(
            "{}{more}: the compiler rejects the code that the search inserts there",
            told.join(", ")
        )
    })
}

/// The texts of the files that contain these sites.
pub fn texts(sources: &Sources, sites: &[SiteReport]) -> BTreeMap<String, Arc<str>> {
    let files = sources.files.iter();
    let has_site = |path: &str| sites.iter().any(|site| site.file == path);
    files
        .filter(|file| has_site(file.path.as_str()))
        .map(|file| (file.path.to_string(), Arc::from(&*file.text)))
        .collect()
}

/// Whether `list` shows a site. Nearly every place is an insertion point, so of those only early exits are listed, and
/// only on request.
fn is_listed(settings: &Settings, site: &Site) -> bool {
    let kind = site.kind.patch_kind();
    !site.kind.is_new() || settings.kind.contains(&kind) && kind == PatchKind::Guard
}

/// Counts the sites that the settings and hints allow.
pub fn scope(settings: &Settings, hints: &Hints, sources: &Sources, scope: &mut Scope) {
    let unwanted = hints.unwanted(settings, sources);
    let sites = sources.sites.iter_enumerated();
    let allowed: Vec<&Site> = sites
        .filter(|(index, _)| !unwanted.contains(index))
        .map(|(_, site)| site)
        .collect();
    let is_unlisted =
        |site: &&&Site| site.kind.patch_kind() == PatchKind::Guard && !is_listed(settings, site);
    scope.places = Some(allowed.len());
    scope.unlisted = allowed.iter().filter(is_unlisted).count();
    scope.is_unchanged = settings.only_in_diff && hints.is_unchanged;
}

/// Adds all tests and all allowed sites to the outcome.
pub fn list(
    settings: &Settings,
    hints: &Hints,
    sources: &Sources,
    tests: &TiSlice<TestIndex, TestId>,
    outcome: &mut Outcome,
) {
    let unwanted = hints.unwanted(settings, sources);
    let sites = sources.sites.iter_enumerated();
    let listed =
        sites.filter(|(index, site)| !unwanted.contains(index) && is_listed(settings, site));
    outcome.tests = tests.iter().map(ToString::to_string).collect();
    outcome.sites = listed.map(|(_, of)| site(sources, of)).collect();
    outcome.ending = Ending::Listed;
}

/// The names of the tests in reports for people.
pub fn names(tests: &TiSlice<TestIndex, TestId>) -> TestNames {
    TestNames::new(
        tests
            .iter()
            .map(|test| (test.to_string(), test.name.clone())),
    )
}

/// The suspicious sites in their order, each with the forced outcomes that cure tests.
pub fn suspects(
    session: &Session,
    suspects: &[Suspect],
    angelic: &[AngelicSite],
) -> Vec<SiteReport> {
    let (sources, tests) = (session.sources, session.tests);
    suspects
        .iter()
        .map(|suspect| {
            let found = angelic.iter().find(|found| found.site == suspect.site);
            let cures = found.iter().flat_map(|found| &found.cures);
            let reports = cures.flat_map(|(test, forced)| {
                forced.iter().map(|forced| AngelicReport {
                    test: tests[*test].to_string(),
                    how: how(forced),
                })
            });
            let mut angelic = Vec::new();
            for report in reports {
                // Flipping an evaluation and setting it to the other outcome are reported alike.
                if !angelic.contains(&report) {
                    angelic.push(report);
                }
            }
            SiteReport {
                suspiciousness: suspect.suspiciousness,
                angelic,
                ..site(sources, &sources.sites[suspect.site])
            }
        })
        .collect()
}

/// A sequence of forced outcomes in the form of the report.
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
