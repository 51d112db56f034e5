//! Blame for errors about the flow of values: an exit that can be skipped no longer keeps a move and a later use apart,
//! and an inserted jump may skip code that did.

use std::ops::Range;

use nopol_source::words::mentions;
use nopol_source::{FileIndex, Site};

use super::{functions, root};
use crate::probe::borrows::is_flow;
use crate::probe::{Instrumentation, Part};
use crate::subject::workspace::Diagnostic;

/// For an error about what an earlier statement did to a variable: the exits between the statements the error points at.
/// Where `return`, `break` or `continue` can be skipped, the code that it kept apart runs in sequence. The same holds where
/// an inserted `continue` can skip the `break` after a move, or an inserted jump the assignment of a new value to a moved
/// variable.
pub(super) fn skippable_exits(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
    moves: &[(FileIndex, usize)],
) -> Vec<Part> {
    if !is_flow(&error.code) {
        return Vec::new();
    }
    let sites = &instrumentation.sources.sites;
    let functions = functions(sites, places);
    let (Some(first), Some(last)) = (
        places.iter().map(|(_, at)| *at).min(),
        places.iter().map(|(_, at)| *at).max(),
    ) else {
        return Vec::new();
    };
    // The next round of a loop meets what stands before.
    let labels = error.spans.iter().filter_map(|span| span.label.as_deref());
    let of_loop = labels.into_iter().any(|label| {
        let is_header =
            label.contains("later used here") && moves.iter().any(|(_, at)| *at > first);
        label.contains("iteration") || is_header
    });
    let last = if of_loop { usize::MAX } else { last };
    let is_between = |site: &Site| {
        let text = match site.parts.last() {
            Some(part) => &instrumentation.sources.files[site.file].text[part.clone()],
            None => &*site.text,
        };
        let is_exit = ["return", "break", "continue"]
            .into_iter()
            .any(|word| text.starts_with(word));
        is_exit && site.kind.form().skips() && (first..last).contains(&site.span.end)
    };
    let block = |(file, at): &(FileIndex, usize)| {
        let text = &instrumentation.sources.files[*file].text;
        (*file, rest_of_block(text, *at))
    };
    let blocks: Vec<_> = moves.iter().map(block).collect();
    let goes_on = |site: &Site| {
        let mut blocks = blocks.iter();
        site.kind.is_early_exit()
            && (site.body.starts_with("continue") || !of_loop && site.body.starts_with("break"))
            && blocks.any(|(file, block)| *file == site.file && block.contains(&site.span.start))
    };
    sites
        .iter_enumerated()
        .filter(|(index, site)| {
            instrumentation.has(*index)
                && functions.contains(&site.function)
                && (is_between(site) || goes_on(site))
        })
        .map(|(index, _)| Part::Site(index))
        .collect()
}

/// If one of these parts uses a variable after a move: the other sites after the move, in its block and before the variable
/// gets a new value, where inserted code uses it, too.
pub(super) fn exits_that_use(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    parts: &[Part],
    moves: &[(FileIndex, usize)],
) -> Vec<Part> {
    let Some(variable) = error.message.split('`').nth(1).map(root) else {
        return Vec::new();
    };
    let sources = instrumentation.sources;
    let uses = |site: &Site| mentions(&site.body, variable);
    let is_use = |part: &Part| matches!(part, Part::Site(site) if uses(&sources.sites[*site]));
    if !parts.iter().any(is_use) {
        return Vec::new();
    }
    let after = |(file, at): &(FileIndex, usize)| {
        let text = &sources.files[*file].text;
        let block = within(text, *at, 0);
        let renewed = assignments(&text[block.clone()], variable).next();
        let end = renewed.map_or(block.end, |renewed| block.start + renewed);
        (*file, block.start..end)
    };
    let after: Vec<_> = moves.iter().map(after).collect();
    let is_after = |site: &Site| {
        let mut after = after.iter();
        after.any(|(file, block)| *file == site.file && block.contains(&site.span.start))
    };
    let sites = sources.sites.iter_enumerated();
    let others = sites.filter(|(index, site)| {
        instrumentation.has(*index)
            && uses(site)
            && is_after(site)
            && !parts.contains(&Part::Site(*index))
    });
    others.map(|(index, _)| Part::Site(index)).collect()
}

/// What follows a position in its block and in the one around it.
fn rest_of_block(text: &str, at: usize) -> Range<usize> {
    within(text, at, 1)
}

/// What follows a position in its block and in so many blocks around it.
fn within(text: &str, at: usize, around: i32) -> Range<usize> {
    let mut depth = 0;
    let end = text[at..].find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth < -around
    });
    at..end.map_or(text.len(), |end| at + end)
}

/// If a variable may be uninitialized: the statements of the same function that assign to it and can now be
/// skipped.
pub(super) fn initializers(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
) -> Vec<Part> {
    let Some(variable) = error.message.split('`').nth(1).map(root) else {
        return Vec::new();
    };
    let sites = &instrumentation.sources.sites;
    let functions = functions(sites, places);
    let assigns = |text: &str| assignments(text, variable).next().is_some();
    sites
        .iter_enumerated()
        .filter(|(index, site)| {
            instrumentation.has(*index)
                && site.kind.form().skips()
                && functions.contains(&site.function)
                && assigns(&site.text)
        })
        .map(|(index, _)| Part::Site(index))
        .collect()
}

/// Where a text assigns to a variable.
fn assignments<'t>(text: &'t str, variable: &'t str) -> impl Iterator<Item = usize> {
    let assigns = |at: &usize| {
        let rest = text[at + variable.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    };
    let places = text.match_indices(variable).map(|(at, _)| at);
    places.filter(move |at| assigns(at))
}
