//! Parts that name what is not there, where the error shows only the first of them: functions that the linker misses, for
//! which there is no line without debug information, and variables that gcc reports once for each function.

use std::collections::BTreeSet;

use nopol_source::{FunctionIndex, Site};

use crate::probe::{Instrumentation, Part, Stage};
use crate::subject::workspace::Diagnostic;

/// The parts that call the function that the linker misses, if that is the error.
pub(super) fn users_of_undefined(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
) -> Vec<Part> {
    let name = error.message.strip_prefix("undefined reference to ");
    name.map_or_else(Vec::new, |name| users(instrumentation, name, &|_| true))
}

/// The parts that use the undeclared variable, if that is the error, in the functions of the parts to which it points.
pub(super) fn users_of_undeclared(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    pointed_at: &[Part],
) -> Vec<Part> {
    // A name that is meant perhaps may follow.
    let parts = error
        .message
        .split_once(" undeclared (first use in this function)");
    let Some(name) = parts.map(|(name, _)| unquoted(name)) else {
        return Vec::new();
    };
    let sites = &instrumentation.sources.sites;
    let functions: BTreeSet<FunctionIndex> = pointed_at
        .iter()
        .filter_map(|part| match part {
            Part::Site(site) | Part::Capture(site, _) | Part::Candidate(site, _) => {
                Some(sites[*site].function)
            }
            _ => None,
        })
        .collect();
    users(instrumentation, name, &|site| {
        // In an inner block, there may be a variable of this name.
        let is_visible = site.names.iter().any(|known| known.text == name);
        functions.contains(&site.function) && !is_visible
    })
}

fn unquoted(name: &str) -> &str {
    name.trim_matches(['`', '\'', '‘', '’'])
}

/// The parts that use a name, at these sites.
fn users(
    instrumentation: &Instrumentation,
    name: &str,
    wanted: &dyn Fn(&Site) -> bool,
) -> Vec<Part> {
    let name = unquoted(name);
    let sources = instrumentation.sources;
    let mut parts = Vec::new();
    match &instrumentation.stage {
        Stage::Conditions(_) => {}
        Stage::Captures(captures) => {
            for (site, captures) in captures {
                let all = captures.iter().enumerate();
                let users = all.filter(|(_, capture)| uses(&capture.text, name));
                parts.extend(users.map(|(nth, _)| (*site, Part::Capture(*site, nth))));
            }
        }
        Stage::Candidates(candidates) => {
            for (site, candidates) in candidates {
                let users = (1..).zip(candidates);
                let users = users.filter(|(_, text)| uses(text, name));
                parts.extend(users.map(|(number, _)| (*site, Part::Candidate(*site, number))));
            }
        }
    }
    // The body of an early exit may come from elsewhere.
    let sites = sources.sites.iter_enumerated();
    let exits = sites.filter(|(index, site)| instrumentation.has(*index) && uses(&site.body, name));
    parts.extend(exits.map(|(index, _)| (index, Part::Site(index))));
    let parts = parts.into_iter();
    let parts = parts.filter(|(site, part)| {
        wanted(&sources.sites[*site]) && !instrumentation.dropped.contains(part)
    });
    parts.map(|(_, part)| part).collect()
}

/// Whether a text names this, and not a member of that name.
fn uses(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_member = before.ends_with('.') || before.ends_with("->");
        !before.ends_with(is_part) && !after.starts_with(is_part) && !is_member
    })
}
