//! Blame for errors about types: a capture or a forced outcome may determine a type that the subject leaves open.

use nopol_source::words::{mentions, words};
use nopol_source::{FileIndex, Site, SiteIndex};

use super::functions;
use crate::probe::{CaptureKind, Instrumentation, Part, Stage};
use crate::subject::workspace::Diagnostic;

/// For a type error: the sites that were inferred to be boolean from a name only, on the lines of the error, or
/// else in the same function.
pub(super) fn inferred_booleans(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
) -> Vec<Part> {
    const TYPES: [&str; 9] = [
        "E0277", "E0282", "E0308", "E0369", "E0599", "E0605", "E0606", "E0608", "E0610",
    ];
    let code = error.code.as_str();
    if !TYPES.contains(&code) || !error.message.contains("bool") && code != "E0308" {
        return Vec::new();
    }
    let sources = instrumentation.sources;
    let is_inferred = |index: SiteIndex, site: &Site| {
        let has_operator = ["&&", "||", "==", "!=", "<", ">", "!"]
            .into_iter()
            .any(|operator| site.text.contains(operator));
        site.kind.info().is_inferred && !has_operator && instrumentation.has(index)
    };
    let of = |near: &dyn Fn(&Site) -> bool| {
        let sites = sources.sites.iter_enumerated();
        let near = sites.filter(|(index, site)| near(site) && is_inferred(*index, site));
        near.map(|(index, _)| Part::Site(index))
            .collect::<Vec<Part>>()
    };
    let line = |(file, at): &(FileIndex, usize)| {
        let before = &sources.files[*file].text[..*at];
        (*file, before.matches('\n').count() + 1)
    };
    let lines: Vec<(FileIndex, usize)> = places.iter().map(line).collect();
    let in_lines = of(&|site| lines.contains(&(site.file, site.line)));
    if !in_lines.is_empty() {
        return in_lines;
    }
    let functions = functions(&sources.sites, places);
    of(&|site| functions.contains(&site.function))
}

/// If a variable's type is inferred differently: the captures in the same function that use the variable as an operand or
/// argument, such as a comparison. rustc may name the variable; if not, it is one of those on the lines of the error, where
/// the type does not fit.
pub(super) fn captures_affecting_inference(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
) -> Vec<Part> {
    const TYPES: [&str; 6] = ["E0277", "E0282", "E0283", "E0308", "E0369", "E0599"];
    let Stage::Captures(captures) = &instrumentation.stage else {
        return Vec::new();
    };
    let labels = error.spans.iter().filter_map(|span| span.label.as_deref());
    let inferred = labels.filter(|label| label.contains("is inferred to be"));
    let mut variables: Vec<&str> = inferred
        .filter_map(|label| label.split('`').nth(1))
        .collect();
    if variables.is_empty() && TYPES.contains(&&*error.code) {
        let lines = places.iter().map(|(file, at)| {
            let text = &instrumentation.sources.files[*file].text;
            let start = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
            let line = text[start..].lines().next().unwrap_or_default();
            words(line).into_iter().map(|word| &line[word])
        });
        variables = lines.flatten().collect();
    }
    let sites = &instrumentation.sources.sites;
    let functions = functions(sites, places);
    let of_function = captures
        .iter()
        .filter(|(site, _)| functions.contains(&sites[**site].function));
    let parts = of_function.flat_map(|(site, captures)| {
        let captures = captures.iter().enumerate();
        let of_it = captures.filter(|(_, capture)| {
            let uses = |variable: &&str| uses_whole(&capture.text, variable);
            capture.kind != CaptureKind::Variable && variables.iter().any(uses)
        });
        of_it.map(|(nth, _)| Part::Capture(*site, nth))
    });
    parts
        .filter(|part| !instrumentation.dropped.contains(part))
        .collect()
}

/// Whether an expression uses a variable for more than fields and methods without arguments, which do not say of what type
/// it is.
fn uses_whole(text: &str, variable: &str) -> bool {
    let is_query = |rest: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        rest.starts_with('.') && rest.replace("()", "").chars().all(is_part)
    };
    mentions(text, variable) && !text.strip_prefix(variable).is_some_and(is_query)
}
