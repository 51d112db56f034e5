//! Parts that call functions which no library and no object file has: only the linker notices, and without debug
//! information it names no line.

use nopol_source::words::mentions;

use crate::probe::{Instrumentation, Part, Stage};
use crate::subject::workspace::Diagnostic;

/// The start of the message about such a function.
const UNDEFINED: &str = "undefined reference to ";

/// The parts that mention the function that the linker misses, if that is the error.
pub(super) fn users_of_undefined(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
) -> Vec<Part> {
    let Some(name) = error.message.strip_prefix(UNDEFINED) else {
        return Vec::new();
    };
    let name = name.trim_matches(['`', '\'', '‘', '’']);
    let mut parts = Vec::new();
    match &instrumentation.stage {
        Stage::Conditions(_) => {}
        Stage::Captures(captures) => {
            for (site, captures) in captures {
                let all = captures.iter().enumerate();
                let users = all.filter(|(_, capture)| mentions(&capture.text, name));
                parts.extend(users.map(|(nth, _)| Part::Capture(*site, nth)));
            }
        }
        Stage::Candidates(candidates) => {
            for (site, candidates) in candidates {
                let users = (1..).zip(candidates);
                let users = users.filter(|(_, text)| mentions(text, name));
                parts.extend(users.map(|(number, _)| Part::Candidate(*site, number)));
            }
        }
    }
    // The body of an early exit may come from elsewhere.
    let sites = instrumentation.sources.sites.iter_enumerated();
    let users =
        sites.filter(|(index, site)| instrumentation.has(*index) && mentions(&site.body, name));
    parts.extend(users.map(|(index, _)| Part::Site(index)));
    parts.retain(|part| !instrumentation.dropped.contains(part));
    parts
}
