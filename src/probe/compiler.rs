//! The compiler as oracle: what it rejects of the instrumentation is weakened or left out, until
//! the rest compiles.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticSpan};

use super::{CaptureKind, Instrumentation, Part, Stage};
use crate::source::splice::Spliced;
use crate::source::{Site, SiteIndex, SiteKind};
use crate::subject::cargo::{Build, Linked, Workspace};
use crate::subject::paths;

/// How many builds an instrumentation may take; each takes something out, so this is never
/// reached unless every error is blamed on one part only.
const MOST_ROUNDS: usize = 60;

type Files = Vec<(Utf8PathBuf, Spliced<Part>)>;

/// What became of an instrumentation.
#[derive(Debug)]
pub enum Settled {
    Built(Build),
    /// An error could not be traced to the instrumentation: the compiler's words.
    Stuck(String),
}

/// Builds the instrumented working copy, leaving out what does not compile, and tells how many
/// rounds it took.
///
/// # Errors
/// If a file cannot be written, or the run is stopped.
pub fn settle(
    workspace: &Workspace,
    instrumentation: &mut Instrumentation,
    runtime: &Utf8Path,
) -> Result<(Settled, usize)> {
    // Variables for which a use after a move was reported, with the first site affected.
    let mut moved: BTreeMap<(usize, String), u32> = BTreeMap::new();
    for round in 1..=MOST_ROUNDS {
        let files = instrumentation.files();
        write(workspace, &files)?;
        let build = workspace.build(Linked::Runtime(runtime))?;
        if build.succeeded {
            return Ok((Settled::Built(build), round));
        }
        let mut changed = false;
        for error in &build.errors {
            let blamed = blame(instrumentation, &files, workspace, error);
            let code = error.code.as_ref().map_or("", |code| &code.code);
            for part in blamed {
                changed |= give_way(instrumentation, part, code);
                if let Some(variable) = once_reported(error) {
                    changed |= later_uses(instrumentation, part, variable, &mut moved);
                }
            }
        }
        if !changed || round == MOST_ROUNDS {
            let first = build.errors.iter().find_map(|error| error.rendered.clone());
            return Ok((Settled::Stuck(first.unwrap_or(build.said)), round));
        }
    }
    Ok((Settled::Stuck(String::new()), MOST_ROUNDS))
}

/// Writes the texts that differ from what the working copy has, so that only their crates are
/// built again.
fn write(workspace: &Workspace, files: &Files) -> Result<()> {
    for (path, spliced) in files {
        write_if_changed(&workspace.root.join(path), &spliced.text)?;
    }
    Ok(())
}

/// Writes a file of the working copy unless it has just that content.
///
/// # Errors
/// If it cannot be written.
pub fn write_if_changed(path: &Utf8Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("cannot write {path} in the working copy"))
}

/// Errors about what is moved, borrowed or uninitialized at one place.
const BORROWS: [&str; 12] = [
    "E0381", "E0382", "E0384", "E0499", "E0502", "E0503", "E0505", "E0506", "E0507", "E0515",
    "E0596", "E0716",
];

/// Weakens or drops a part; whether that changes anything.
fn give_way(instrumentation: &mut Instrumentation, part: Part, code: &str) -> bool {
    const UNRESOLVED: [&str; 4] = ["E0277", "E0282", "E0283", "E0599"];
    let Instrumentation {
        sources,
        stage,
        dropped,
        weakened,
        ..
    } = instrumentation;
    match (part, &*stage) {
        (Part::Capture(site, nth), Stage::Captures(captures)) => {
            let capture = &captures[&site][nth];
            if UNRESOLVED.contains(&code)
                && capture.kind == CaptureKind::Place
                && weakened.insert(part)
            {
                return true;
            }
            dropped.insert(part)
        }
        (Part::Site(site), Stage::Conditions(_) | Stage::Captures(_)) => {
            let is_condition = sources.sites[site as usize].kind.has_condition();
            // Evaluated always, the condition initializes what it did before.
            if code == "E0381" && is_condition && weakened.insert(part) {
                return true;
            }
            // What a function cannot return at one place it can return nowhere, and rustc says so once.
            let here = &sources.sites[site as usize];
            let alike = (0..).zip(&sources.sites).filter(|(_, other)| {
                !BORROWS.contains(&code)
                    && other.kind == SiteKind::Exit
                    && other.function == here.function
                    && other.body == here.body
            });
            let alike: Vec<Part> = alike.map(|(index, _)| Part::Site(index)).collect();
            let is_new = dropped.insert(part);
            dropped.extend(alike);
            is_new
        }
        // A crate that cannot name the runtime has nothing of it.
        (Part::File(_), _) => false,
        _ => dropped.insert(part),
    }
}

/// The variable of an error that rustc reports once per function, though every later use has it.
fn once_reported(error: &Diagnostic) -> Option<&str> {
    let code = error.code.as_ref().map(|code| code.code.as_str());
    matches!(code, Some("E0381" | "E0382"))
        .then(|| error.message.split('`').nth(1))
        .flatten()
}

/// Drops what uses a variable from a blamed part on, when it is to blame the second time: the next
/// round would only report the next use.
fn later_uses(
    instrumentation: &mut Instrumentation,
    part: Part,
    variable: &str,
    moved: &mut BTreeMap<(usize, String), u32>,
) -> bool {
    let (Part::Site(first) | Part::Capture(first, _) | Part::Candidate(first, _)) = part else {
        return false;
    };
    let sources = instrumentation.sources;
    let function = sources.sites[first as usize].function;
    let times = moved.entry((function, variable.to_owned())).or_default();
    *times += 1;
    if *times == 1 {
        return false;
    }
    let root = variable.trim_start_matches('*');
    let root = root.split(['.', '[']).next().unwrap_or_default();
    let mut uses = Vec::new();
    let later = (0..).zip(&sources.sites).skip(first as usize);
    for (site, _) in later.filter(|(_, site)| site.function == function) {
        match &instrumentation.stage {
            Stage::Conditions(_) => {}
            Stage::Captures(captures) => {
                let texts = captures.get(&site).into_iter().flatten().enumerate();
                let uses_it = texts.filter(|(_, capture)| mentions(&capture.text, root));
                uses.extend(uses_it.map(|(nth, _)| Part::Capture(site, nth)));
            }
            Stage::Candidates(candidates) => {
                let texts = (1..).zip(candidates.get(&site).into_iter().flatten());
                let uses_it = texts.filter(|(_, text)| mentions(text, root));
                uses.extend(uses_it.map(|(number, _)| Part::Candidate(site, number)));
            }
        }
        if mentions(&sources.sites[site as usize].body, root) {
            uses.push(Part::Site(site));
        }
    }
    let before = instrumentation.dropped.len();
    instrumentation.dropped.extend(uses);
    instrumentation.dropped.len() > before
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|part| part == word)
}

/// The parts an error is due to: those it points at, or else the sites around the place it points
/// at, or else those of the function, or the file.
fn blame(
    instrumentation: &Instrumentation,
    files: &Files,
    workspace: &Workspace,
    error: &Diagnostic,
) -> Vec<Part> {
    let mut primary = Vec::new();
    let mut secondary = Vec::new();
    collect(error, &mut primary, &mut secondary);
    let absolute = |path: &Utf8Path| paths::normal(&workspace.root.join(path));
    let locate = |spans: &[DiagnosticSpan]| -> Vec<(usize, Range<usize>)> {
        spans
            .iter()
            .filter_map(|span| {
                // rustc is given those of other packages than members as absolute paths.
                let path = absolute(Utf8Path::new(&span.file_name));
                let file = files
                    .iter()
                    .position(|(known, _)| absolute(known) == path)?;
                Some((file, span.byte_start as usize..span.byte_end as usize))
            })
            .collect()
    };
    let (primary, secondary) = (locate(&primary), locate(&secondary));

    // Where a closure borrows because of a capture in it, the error is the whole call's, and only
    // a note of it points at the capture.
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
    for places in [&primary, &secondary] {
        let mut parts: Vec<Part> = places
            .iter()
            .flat_map(|(file, range)| pointed_at(&files[*file].1, range))
            .collect();
        // What is inside a site is to blame before the site is.
        if parts.iter().any(is_inner) {
            parts.retain(is_inner);
        }
        if !parts.is_empty() {
            parts.sort();
            parts.dedup();
            return parts;
        }
    }

    let places: Vec<(usize, usize)> = primary
        .iter()
        .chain(&secondary)
        .map(|(file, range)| (*file, files[*file].1.original(range.start)))
        .collect();
    let sites = &instrumentation.sources.sites;
    let present = |site: SiteIndex| instrumentation.has(site);
    if error.code.as_ref().is_some_and(|code| code.code == "E0381") {
        let initializers = initializers(instrumentation, error, &places);
        if !initializers.is_empty() {
            return initializers;
        }
    }
    let around = (0..).zip(sites).filter(|(index, site)| {
        present(*index)
            && places
                .iter()
                .any(|(file, at)| site.file == *file && site.span.contains(at))
    });
    // The innermost one starts last.
    if let Some((index, _)) = around.max_by_key(|(_, site)| site.span.start) {
        return vec![Part::Site(index)];
    }
    // A function's sites come one after the other; the error is behind one of them.
    for (file, at) in &places {
        let of_file = |site: &&Site| site.file == *file;
        let before = |site: &&Site| of_file(site) && site.span.start <= *at;
        let after = |site: &&Site| of_file(site) && site.span.start > *at;
        let near: Vec<usize> = [sites.iter().rfind(before), sites.iter().find(after)]
            .into_iter()
            .flatten()
            .map(|site| site.function)
            .collect();
        let of_functions = (0..)
            .zip(sites)
            .filter(|(index, site)| present(*index) && near.contains(&site.function))
            .map(|(index, _)| Part::Site(index))
            .collect::<Vec<_>>();
        if !of_functions.is_empty() {
            return of_functions;
        }
    }
    let files: Vec<usize> = places.iter().map(|(file, _)| *file).collect();
    (0..)
        .zip(sites)
        .filter(|(index, site)| present(*index) && files.contains(&site.file))
        .map(|(index, _)| Part::Site(index))
        .collect()
}

/// A variable may be uninitialized: due to the statements before that use, of those in the same
/// function, that assign to it and can now be skipped.
fn initializers(
    instrumentation: &Instrumentation,
    error: &Diagnostic,
    places: &[(usize, usize)],
) -> Vec<Part> {
    let Some(variable) = error.message.split('`').nth(1) else {
        return Vec::new();
    };
    let sites = &instrumentation.sources.sites;
    let functions: Vec<usize> = places
        .iter()
        .filter_map(|(file, at)| {
            let before = |site: &&Site| site.file == *file && site.span.start <= *at;
            sites.iter().rfind(before).map(|site| site.function)
        })
        .collect();
    let assigns = |text: &str| {
        text.match_indices(variable).any(|(at, _)| {
            let rest = text[at + variable.len()..].trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
        })
    };
    (0..)
        .zip(sites)
        .filter(|(index, site)| {
            instrumentation.has(*index)
                && matches!(site.kind, SiteKind::Statement | SiteKind::Run)
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

/// The parts a span touches. One that takes in a site's own piece means the whole macro call,
/// not every capture in it.
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

/// All spans of an error with those of the macro calls they come from.
fn collect(
    error: &Diagnostic,
    primary: &mut Vec<DiagnosticSpan>,
    secondary: &mut Vec<DiagnosticSpan>,
) {
    for span in &error.spans {
        let list = if span.is_primary {
            &mut *primary
        } else {
            &mut *secondary
        };
        let mut at = Some(span);
        while let Some(span) = at {
            list.push(span.clone());
            at = span.expansion.as_ref().map(|expansion| &expansion.span);
        }
    }
    for child in &error.children {
        let (mut of_child, mut more) = (Vec::new(), Vec::new());
        collect(child, &mut of_child, &mut more);
        secondary.append(&mut of_child);
        secondary.append(&mut more);
    }
}
