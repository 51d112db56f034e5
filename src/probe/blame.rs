//! Blame: traces a compiler error to the part of the instrumentation that caused it.

mod flow;
mod inference;
mod missing;

use std::collections::BTreeSet;
use std::ops::Range;

use camino::Utf8Path;
use typed_index_collections::TiSlice;

use super::borrows::is_collision;
use super::{Files, Instrumentation, Part, Stage};
use crate::subject::paths;
use crate::subject::workspace::{Diagnostic, Span};
use flow::{exits_that_use, initializers, skippable_exits};
use inference::{captures_affecting_inference, inferred_booleans};
use missing::{users_of_undeclared, users_of_undefined};
use nopol_source::splice::Spliced;
use nopol_source::{FileIndex, FunctionIndex, Site, SiteIndex, Sources};

/// The parts to blame for an error, from the most to the least specific: those it points at; captures of
/// variables it names; the innermost site around its location; the sites of the function; and, if
/// `in_whole_file`, those of the file. For a use after a move, the statements that assign a new value to the
/// variable and can now be skipped are to blame rather than the condition that uses it. All of them at once, and all exits
/// that use it, because rustc reports only one.
/// The error's files are relative to `root`, or absolute.
pub fn blame(
    instrumentation: &Instrumentation,
    files: &Files,
    root: &Utf8Path,
    error: &Diagnostic,
    in_whole_file: bool,
) -> Vec<Part> {
    if error.code == "E0015" {
        let constants = called_by_constants(instrumentation, error);
        if !constants.is_empty() {
            return constants;
        }
    }
    let users = users_of_undefined(instrumentation, error);
    if !users.is_empty() {
        return users;
    }
    let mut parts = nearest(instrumentation, files, root, error, in_whole_file);
    let others = users_of_undeclared(instrumentation, error, &parts).into_iter();
    let others: Vec<Part> = others.filter(|other| !parts.contains(other)).collect();
    parts.extend(others);
    let is_moved = error.code == "E0382";
    let sites = parts.iter().filter_map(|part| match part {
        Part::Site(site) => Some(&instrumentation.sources.sites[*site]),
        _ => None,
    });
    let places: Vec<(FileIndex, usize)> = sites.map(|site| (site.file, site.span.start)).collect();
    if is_moved {
        let initializers = initializers(instrumentation, error, &places);
        let is_condition = |part: &Part| match part {
            Part::Site(site) => instrumentation.sources.sites[*site].kind.has_condition(),
            _ => false,
        };
        parts.retain(|part| initializers.is_empty() || !is_condition(part));
        parts.extend(initializers);
        let is_move = |span: &&Span| {
            let label = span.label.as_deref().unwrap_or_default();
            label.contains("moved")
        };
        let moves = locate(files, root, error.spans.iter().filter(is_move));
        let moves = moves.into_iter();
        let moves = moves.map(|(file, range)| (file, files[file].1.original(range.start)));
        let moves: Vec<_> = moves.collect();
        let others = exits_that_use(instrumentation, error, &parts, &moves);
        parts.extend(others);
    }
    parts
}

/// The functions that must be evaluated at compile time, by the name in the error: "cannot call non-const method `List::<T>::cap`
/// in constants".
fn called_by_constants(instrumentation: &Instrumentation, error: &Diagnostic) -> Vec<Part> {
    let called = error.message.split('`').nth(1).unwrap_or_default();
    let name = |path: &str| {
        let path = without_arguments(path);
        let name = path.rsplit("::").find(|part| !part.is_empty());
        name.map(str::to_owned)
    };
    let functions = instrumentation.sources.functions.iter_enumerated();
    let open = functions.filter(|(number, function)| {
        function.constness.is_some() && !instrumentation.is_constant(*number)
    });
    let same = open.filter(|(_, function)| name(&function.name) == name(called));
    same.map(|(number, _)| Part::Constness(number)).collect()
}

/// A path without what stands in angle brackets: `List::cap` for `List::<{ u8::MAX }>::cap`.
fn without_arguments(path: &str) -> String {
    let mut depth = 0_usize;
    let outside = |c: &char| {
        let is_outside = depth == 0 && *c != '<';
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_outside
    };
    path.chars().filter(outside).collect()
}

fn nearest(
    instrumentation: &Instrumentation,
    files: &Files,
    root: &Utf8Path,
    error: &Diagnostic,
    in_whole_file: bool,
) -> Vec<Part> {
    let (primary, secondary): (Vec<&Span>, Vec<&Span>) =
        error.spans.iter().partition(|span| span.is_primary);
    let (primary, secondary) = (locate(files, root, primary), locate(files, root, secondary));
    let movers = movers(files, root, error);
    if !movers.is_empty() {
        return movers;
    }

    // If a capture makes a closure borrow, the error points at the whole call, and only its note points at
    // the capture.
    for places in [&primary, &secondary] {
        let parts = inner_parts(files, places);
        if !parts.is_empty() {
            return parts;
        }
    }
    let original =
        |(file, range): &(FileIndex, Range<usize>)| (*file, files[*file].1.original(range.start));
    let places: Vec<_> = primary.iter().chain(&secondary).map(original).collect();
    // A change of what a loop goes over is one, too, if nothing but an exit follows.
    let changes = is_collision(&error.code) && error.code != "E0503";
    let is_move = |span: &&Span| {
        let mut labels = span.label.iter();
        changes && span.is_primary || labels.any(|label| label.contains("moved here"))
    };
    let moves = locate(files, root, error.spans.iter().filter(is_move));
    let moves: Vec<_> = moves.iter().map(original).collect();
    let exits = skippable_exits(instrumentation, error, &places, &moves);
    if !exits.is_empty() {
        return exits;
    }
    for places in [&primary, &secondary] {
        let mut parts: Vec<Part> = places
            .iter()
            .flat_map(|(file, range)| pointed_at(&files[*file].1, range))
            .collect();
        // Captures and candidates inside a site are blamed before the site itself.
        if parts.iter().any(is_inner) {
            parts.retain(is_inner);
        }
        if !parts.is_empty() {
            parts.sort();
            parts.dedup();
            return parts;
        }
    }

    let sites = &instrumentation.sources.sites;
    let present = |site: SiteIndex| instrumentation.has(site);
    if error.code == "E0381" {
        let initializers = initializers(instrumentation, error, &places);
        if !initializers.is_empty() {
            return initializers;
        }
    }
    let inferred = inferred_booleans(instrumentation, error, &places);
    if !inferred.is_empty() {
        return inferred;
    }
    let captures = captures_affecting_inference(instrumentation, error, &places);
    if !captures.is_empty() {
        return captures;
    }
    let functions: BTreeSet<FunctionIndex> = places
        .iter()
        .filter_map(|place| function_at(instrumentation.sources, place))
        .collect();
    let breaks = breaks_without_value(instrumentation, error, &places, &functions);
    if !breaks.is_empty() {
        return breaks;
    }
    let enclosing = sites.iter_enumerated().filter(|(index, site)| {
        present(*index)
            && places
                .iter()
                .any(|(file, at)| site.file == *file && site.span.contains(at))
    });
    // The innermost site starts last.
    if let Some((index, _)) = enclosing.max_by_key(|(_, site)| site.span.start) {
        return vec![Part::Site(index)];
    }
    let of_functions: Vec<Part> = sites
        .iter_enumerated()
        .filter(|(index, site)| present(*index) && functions.contains(&site.function))
        .map(|(index, _)| Part::Site(index))
        .collect();
    if !of_functions.is_empty() {
        return of_functions;
    }
    // Outside of all functions, as in a macro, and nothing says who calls it: the functions beside it.
    for (file, at) in &places {
        let of_file = |site: &&Site| site.file == *file;
        let before = |site: &&Site| of_file(site) && site.span.start <= *at;
        let after = |site: &&Site| of_file(site) && site.span.start > *at;
        let near: Vec<FunctionIndex> = [sites.iter().rfind(before), sites.iter().find(after)]
            .into_iter()
            .flatten()
            .map(|site| site.function)
            .collect();
        let of_functions = sites
            .iter_enumerated()
            .filter(|(index, site)| present(*index) && near.contains(&site.function))
            .map(|(index, _)| Part::Site(index))
            .collect::<Vec<_>>();
        if !of_functions.is_empty() {
            return of_functions;
        }
    }
    let files: Vec<FileIndex> = places.iter().map(|(file, _)| *file).collect();
    sites
        .iter_enumerated()
        .filter(|(index, site)| in_whole_file && present(*index) && files.contains(&site.file))
        .map(|(index, _)| Part::Site(index))
        .collect()
}

/// The captures and candidates that move a value which is used afterwards: they are to blame for that, and not the uses.
pub fn movers(files: &Files, root: &Utf8Path, error: &Diagnostic) -> Vec<Part> {
    let is_move = |span: &&Span| {
        let mut labels = span.label.iter();
        error.code == "E0382" && labels.any(|label| label.contains("moved"))
    };
    let moves = locate(files, root, error.spans.iter().filter(is_move));
    inner_parts(files, &moves)
}

/// The parts inside of a site that contain one of these places, in order.
fn inner_parts(files: &Files, places: &[(FileIndex, Range<usize>)]) -> Vec<Part> {
    let parts = places.iter().flat_map(|(file, range)| {
        let inside =
            |(at, _): &&(Range<usize>, Part)| at.start <= range.start && range.end <= at.end;
        let pieces = files[*file].1.inserted.iter().filter(inside);
        pieces.map(|(_, part)| *part).filter(is_inner)
    });
    let parts: BTreeSet<Part> = parts.collect();
    parts.into_iter().collect()
}

/// The innermost function around a place.
fn function_at(sources: &Sources, (file, at): &(FileIndex, usize)) -> Option<FunctionIndex> {
    let functions = sources.functions.iter_enumerated();
    let around = functions.filter(|(_, it)| it.file == *file && it.span.contains(at));
    let innermost = around.min_by_key(|(_, it)| it.span.len());
    innermost.map(|(index, _)| index)
}

/// If an error is about the value of a `break`: the exits by `break` in the functions around it. One without a value
/// makes those with one mistakes, and only these are reported.
fn breaks_without_value(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
    functions: &BTreeSet<FunctionIndex>,
) -> Vec<Part> {
    let sources = instrumentation.sources;
    let is_value_of_break = |(file, at): &(FileIndex, usize)| {
        let before = sources.files[*file].text.get(..*at).unwrap_or_default();
        let start = before.rfind([';', '{', '}', '>', '(', ',']);
        let statement = &before[start.map_or(0, |at| at + 1)..];
        statement.trim_start().starts_with("break ")
    };
    if error.code != "E0308" || !places.iter().any(is_value_of_break) {
        return Vec::new();
    }
    let sites = sources.sites.iter_enumerated();
    sites
        .filter(|(index, site)| {
            instrumentation.has(*index)
                && functions.contains(&site.function)
                && site.kind.is_early_exit()
                && site.body.starts_with("break")
        })
        .map(|(index, _)| Part::Site(index))
        .collect()
}

/// Where spans are in the instrumented files; those in other files are left out.
fn locate<'s>(
    files: &Files,
    root: &Utf8Path,
    spans: impl IntoIterator<Item = &'s Span>,
) -> Vec<(FileIndex, Range<usize>)> {
    let absolute = |path: &Utf8Path| paths::normal(&root.join(path));
    let place = |span: &Span| {
        // rustc gets absolute paths for packages that are not workspace members.
        let path = absolute(&span.file);
        let mut known = files.iter_enumerated();
        let found = known.find(|(_, (known, _))| absolute(known) == path);
        // The build may reach a file by a link.
        let real = || {
            let real = path.canonicalize_utf8().ok()?;
            let is_real =
                |known: &Utf8Path| absolute(known).canonicalize_utf8().ok() == Some(real.clone());
            files
                .iter_enumerated()
                .find(|(_, (known, _))| is_real(known))
        };
        let (file, _) = found.or_else(real)?;
        Some((file, span.bytes.clone()))
    };
    spans.into_iter().filter_map(place).collect()
}

/// What is left out if an error cannot be traced to a part, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// All that is in the functions the error points into.
    Functions,
    /// All that is in its files.
    Files,
    /// All captures and generated impls, wherever they are, and all of `const fn`s.
    Everything,
}

impl Around {
    /// From the smallest to the largest.
    pub const ALL: [Self; 3] = [Self::Functions, Self::Files, Self::Everything];
}

/// The parts around errors that are still in the build.
pub fn around(
    instrumentation: &Instrumentation,
    files: &Files,
    root: &Utf8Path,
    errors: &[Diagnostic],
    scope: Around,
) -> Vec<Part> {
    let sources = instrumentation.sources;
    let spans = errors.iter().flat_map(|error| &error.spans);
    let places = locate(files, root, spans);
    let places: Vec<(FileIndex, usize)> = places
        .iter()
        .map(|(file, range)| (*file, files[*file].1.original(range.start)))
        .collect();
    let sites_where = |wanted: &dyn Fn(&Site) -> bool| {
        let sites = sources.sites.iter_enumerated();
        let present = sites.filter(|(index, site)| instrumentation.has(*index) && wanted(site));
        present
            .map(|(index, _)| Part::Site(index))
            .collect::<Vec<_>>()
    };
    let mut parts = match scope {
        Around::Functions => {
            let functions = functions(&sources.sites, &places);
            sites_where(&|site| functions.contains(&site.function))
        }
        Around::Files => {
            let is_in = |file: FileIndex| places.iter().any(|(known, _)| *known == file);
            let mut parts = sites_where(&|site| is_in(site.file));
            let types = sources.types.iter().enumerate();
            let types = types.filter(|(_, item)| is_in(item.file));
            parts.extend(types.map(|(number, _)| Part::Type(number)));
            for (number, file) in sources.files.iter_enumerated() {
                let loops = (0..file.loops.len()).filter(|_| is_in(number));
                parts.extend(loops.map(|nth| Part::Loop(number, nth)));
            }
            parts
        }
        Around::Everything => {
            let types = (0..sources.types.len()).map(Part::Type);
            let mut parts: Vec<Part> = types.collect();
            let functions = sources.functions.iter_enumerated();
            let constant = functions.filter(|(_, function)| function.constness.is_some());
            parts.extend(constant.map(|(number, _)| Part::Constness(number)));
            if let Stage::Captures(captures) = &instrumentation.stage {
                for (site, captures) in captures {
                    parts.extend((0..captures.len()).map(|nth| Part::Capture(*site, nth)));
                }
            }
            parts
        }
    };
    parts.retain(|part| !instrumentation.dropped.contains(part));
    parts
}

fn is_inner(part: &Part) -> bool {
    matches!(
        part,
        Part::Capture(..) | Part::Candidate(..) | Part::Member(..)
    )
}

/// The parts that a span touches. A span that touches the site's own text covers the whole macro call, so the
/// captures in it are not blamed.
fn pointed_at(spliced: &Spliced<Part>, range: &Range<usize>) -> Vec<Part> {
    let mut parts: Vec<Part> = spliced
        .owners(range)
        .filter(|part| !matches!(part, Part::File(_)))
        .copied()
        .collect();
    if parts.iter().any(|part| !is_inner(part)) {
        parts.retain(|part| !is_inner(part));
    }
    parts
}

/// The variable at the root of a place expression: `v` for `*v.f[0]`.
pub fn root(place: &str) -> &str {
    let place = place.trim_start_matches('*');
    place.split(['.', '[']).next().unwrap_or_default()
}

/// The functions of the nearest sites before some locations.
fn functions(
    sites: &TiSlice<SiteIndex, Site>,
    places: &[(FileIndex, usize)],
) -> Vec<FunctionIndex> {
    let function = |(file, at): &(FileIndex, usize)| {
        let before = |site: &&Site| site.file == *file && site.span.start <= *at;
        sites.iter().rfind(before).map(|site| site.function)
    };
    places.iter().filter_map(function).collect()
}

#[cfg(test)]
mod tests;
