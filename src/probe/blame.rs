//! Blame: traces a compiler error to the part of the instrumentation that caused it.

use std::ops::Range;

use camino::Utf8Path;
use typed_index_collections::TiSlice;

use super::{CaptureKind, Files, Instrumentation, Part, Stage};
use crate::source::splice::Spliced;
use crate::source::words::{mentions, words};
use crate::source::{FileIndex, FunctionIndex, Site, SiteIndex};
use crate::subject::paths;
use crate::subject::workspace::{Diagnostic, Span};

/// The parts to blame for an error, from the most to the least specific: those it points at; captures of
/// variables it names; the innermost site around its location; the sites of the function; and, if
/// `in_whole_file`, those of the file. For a use after a move, the statements that assign a new value to the
/// variable and can now be skipped are to blame, too; all of them at once, because rustc reports only one.
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
    let mut parts = nearest(instrumentation, files, root, error, in_whole_file);
    let is_moved = error.code == "E0382";
    let sites = parts.iter().filter_map(|part| match part {
        Part::Site(site) => Some(&instrumentation.sources.sites[*site]),
        _ => None,
    });
    let places: Vec<(FileIndex, usize)> = sites.map(|site| (site.file, site.span.start)).collect();
    if is_moved {
        parts.extend(initializers(instrumentation, error, &places));
    }
    parts
}

/// The functions that must be evaluated at compile time, by the name in the error: "cannot call non-const method `List::<T>::cap`
/// in constants".
fn called_by_constants(instrumentation: &Instrumentation, error: &Diagnostic) -> Vec<Part> {
    let called = error.message.split('`').nth(1).unwrap_or_default();
    let name = |path: &str| {
        path.rsplit("::")
            .find(|part| !part.contains('>'))
            .map(str::to_owned)
    };
    let functions = instrumentation.sources.functions.iter_enumerated();
    let open = functions.filter(|(number, function)| {
        function.constness.is_some() && !instrumentation.is_constant(*number)
    });
    let same = open.filter(|(_, function)| name(&function.name) == name(called));
    same.map(|(number, _)| Part::Constness(number)).collect()
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

    // If a capture makes a closure borrow, the error points at the whole call, and only its note points at
    // the capture.
    for places in [&primary, &secondary] {
        let parts = places.iter().flat_map(|(file, range)| {
            let inside =
                |(at, _): &&(Range<usize>, Part)| at.start <= range.start && range.end <= at.end;
            let pieces = files[*file].1.inserted.iter().filter(inside);
            pieces.map(|(_, part)| *part).filter(is_inner)
        });
        let mut parts: Vec<Part> = parts.collect();
        if !parts.is_empty() {
            parts.sort();
            parts.dedup();
            return parts;
        }
    }
    let places: Vec<(FileIndex, usize)> = primary
        .iter()
        .chain(&secondary)
        .map(|(file, range)| (*file, files[*file].1.original(range.start)))
        .collect();
    // A change of what a loop goes over is one, too, if nothing but an exit follows.
    let changes = matches!(&*error.code, "E0499" | "E0502" | "E0505" | "E0506");
    let is_move = |span: &&Span| {
        let mut labels = span.label.iter();
        changes && span.is_primary || labels.any(|label| label.contains("moved here"))
    };
    let moves = locate(files, root, error.spans.iter().filter(is_move));
    let moves: Vec<(FileIndex, usize)> = moves
        .iter()
        .map(|(file, range)| (*file, files[*file].1.original(range.start)))
        .collect();
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
    // The sites of a function are consecutive, so the error's neighbours belong to its function.
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
        let (file, _) = known.find(|(_, (known, _))| absolute(known) == path)?;
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
    /// All captures and generated impls, wherever they are.
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

/// For an error about what an earlier statement did to a variable: the exits between the statements the error points
/// at. Where `return`, `break` or `continue` can be skipped, what it kept apart follows one another; and so it does where an
/// inserted `continue` can leave out the `break` after a move, or an inserted jump the new value of what was moved.
fn skippable_exits(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
    moves: &[(FileIndex, usize)],
) -> Vec<Part> {
    const FLOWS: [&str; 8] = [
        "E0381", "E0382", "E0384", "E0499", "E0502", "E0503", "E0505", "E0506",
    ];
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
    if !FLOWS.contains(&&*error.code) {
        return Vec::new();
    }
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

/// What follows a position in its block and in the one around it.
fn rest_of_block(text: &str, at: usize) -> Range<usize> {
    let mut depth = 0;
    let end = text[at..].find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth < -1
    });
    at..end.map_or(text.len(), |end| at + end)
}

/// For a type error: the sites that were inferred to be boolean from a name only, on the lines of the error, or
/// else in the same function.
fn inferred_booleans(
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
fn captures_affecting_inference(
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

/// If a variable may be uninitialized: the statements of the same function that assign to it and can now be
/// skipped.
fn initializers(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(FileIndex, usize)],
) -> Vec<Part> {
    let Some(variable) = error.message.split('`').nth(1).map(root) else {
        return Vec::new();
    };
    let sites = &instrumentation.sources.sites;
    let functions = functions(sites, places);
    let assigns = |text: &str| {
        text.match_indices(variable).any(|(at, _)| {
            let rest = text[at + variable.len()..].trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
        })
    };
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
