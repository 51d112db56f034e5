//! The compiler as an oracle: weakens or drops the parts of the instrumentation that it rejects, until the
//! rest compiles.

use std::collections::BTreeMap;

use anyhow::Result;
use camino::Utf8Path;
use nopol_source::words::mentions;
use nopol_source::{FunctionIndex, SiteIndex};

use super::blame::{Around, around, blame, movers, root};
use super::borrows::{is_borrow_check, is_collision};
use super::{Capture, CaptureKind, Files, Instrumentation, Part, Stage};
use crate::subject::workspace::{Build, Diagnostic, Linked, Targets, Workspace};

/// The maximum number of builds for one instrumentation.
const MOST_ROUNDS: usize = 40;

/// From this round on, functions that have errors are left out as a whole, and after twice as many their files.
const PATIENCE: usize = 8;

/// The result of building an instrumentation.
#[derive(Debug)]
pub enum Settled {
    /// A build that the compiler accepted.
    Built(Build),
    /// An error could not be traced to the instrumentation: the compiler's message.
    Stuck(String),
}

/// Builds the instrumented working copy without the parts that do not compile, and returns the number of
/// builds. `prebuilt` is the first build of exactly this instrumentation, if it was made already. `targets` are those that are
/// built.
///
/// # Errors
/// If a file cannot be written, or the run is stopped.
pub fn settle(
    workspace: &Workspace,
    instrumentation: &mut Instrumentation,
    runtime: &Utf8Path,
    targets: Targets,
    mut prebuilt: Option<Build>,
) -> Result<(Settled, usize)> {
    // Variables for which a use after a move was reported, with the first site affected.
    let mut moved: BTreeMap<(FunctionIndex, String), u32> = BTreeMap::new();
    for round in 1..=MOST_ROUNDS {
        let files = instrumentation.files();
        let build = match prebuilt.take() {
            Some(build) => build,
            None => {
                write(workspace, &files)?;
                workspace.build_targets(Linked::Runtime(runtime), targets)?
            }
        };
        if build.succeeded {
            return Ok((Settled::Built(build), round));
        }
        let mut changed = false;
        for in_whole_file in [false, true] {
            if changed {
                break;
            }
            // Blame all errors of a round before dropping parts, because a part may cause several errors.
            let blamed = |error| {
                blame(
                    instrumentation,
                    &files,
                    &workspace.root,
                    error,
                    in_whole_file,
                )
            };
            let blamed: Vec<Vec<Part>> = build.errors.iter().map(blamed).collect();
            for (error, parts) in build.errors.iter().zip(blamed) {
                let movers = movers(&files, &workspace.root, error);
                for part in parts {
                    changed |= weaken_or_drop(instrumentation, part, &error.code);
                    if let Some(variable) = variable_reported_once(error)
                        && !is_own_fault(part, &error.code, &movers)
                    {
                        changed |=
                            drop_other_uses(instrumentation, part, error, variable, &mut moved);
                    }
                }
            }
        }
        // Leave out what surrounds the errors if there is no end of them, or if they cannot be traced.
        let mut give_up = |scope| {
            let root = &workspace.root;
            let parts = around(instrumentation, &files, root, &build.errors, scope);
            instrumentation.given_up.extend(&parts);
            let before = instrumentation.dropped.len();
            instrumentation.dropped.extend(parts);
            instrumentation.dropped.len() > before
        };
        match () {
            () if round >= 2 * PATIENCE => changed |= give_up(Around::Files),
            () if round >= PATIENCE => changed |= give_up(Around::Functions),
            () => {}
        }
        for scope in Around::ALL {
            changed = changed || give_up(scope);
        }
        if !changed || round == MOST_ROUNDS {
            let mut messages = build.errors.iter().map(|error| &error.rendered);
            let first = messages.find(|message| !message.is_empty());
            return Ok((
                Settled::Stuck(first.unwrap_or(&build.output).clone()),
                round,
            ));
        }
    }
    Ok((Settled::Stuck(String::new()), MOST_ROUNDS))
}

/// Restores the working copy and writes the files that differ from it, so that only their crates are rebuilt.
///
/// # Errors
/// If a file cannot be written.
pub fn write(workspace: &Workspace, files: &Files) -> Result<()> {
    workspace.tree.restore()?;
    for (path, spliced) in files {
        workspace
            .tree
            .write(&workspace.root.join(path), &spliced.text)?;
    }
    Ok(())
}

/// Weakens or drops a part; returns whether that changes anything.
fn weaken_or_drop(instrumentation: &mut Instrumentation, part: Part, code: &str) -> bool {
    const UNRESOLVED: [&str; 5] = ["E0277", "E0282", "E0283", "E0599", "E-bit-field"];
    let Instrumentation {
        sources,
        stage,
        dropped,
        weakened,
        refused,
        ..
    } = instrumentation;
    match (part, &*stage) {
        (Part::Capture(site, nth), Stage::Captures(captures)) => {
            let capture = &captures[&site][nth];
            if UNRESOLVED.contains(&code)
                && capture.kind == CaptureKind::Variable
                && weakened.insert(part)
            {
                return true;
            }
            if capture.kind != CaptureKind::Purity && !is_borrow_check(code) {
                // The capture does not compile anywhere in the function, but rustc may report it only once.
                let function = sources.sites[site].function;
                refused.insert((function, capture.text.clone()));
                let is_same = |site: SiteIndex, other: &Capture| {
                    sources.sites[site].function == function
                        && other.kind == capture.kind
                        && other.text == capture.text
                };
                let is_new = dropped.insert(part);
                for (other, captures) in captures.iter() {
                    let captures = captures.iter().enumerate();
                    let same = captures.filter(|(_, capture)| is_same(*other, capture));
                    dropped.extend(same.map(|(nth, _)| Part::Capture(*other, nth)));
                }
                return is_new;
            }
            dropped.insert(part)
        }
        (Part::Site(site), Stage::Conditions(_) | Stage::Captures(_)) => {
            let is_condition = sources.sites[site].kind.has_condition();
            // An eager condition is always evaluated, so it initializes the same variables as before.
            if code == "E0381" && is_condition && weakened.insert(part) {
                return true;
            }
            // A value of the wrong type cannot be returned anywhere in the function, but rustc may report it
            // only once.
            let here = &sources.sites[site];
            let same_bodies = sources.sites.iter_enumerated().filter(|(_, other)| {
                !is_borrow_check(code)
                    && other.kind.is_early_exit()
                    && other.function == here.function
                    && other.body == here.body
            });
            let same_bodies: Vec<Part> = same_bodies.map(|(index, _)| Part::Site(index)).collect();
            let is_new = dropped.insert(part);
            dropped.extend(same_bodies);
            is_new
        }
        // No other part of the file compiles without it.
        (Part::File(_), _) => false,
        _ => dropped.insert(part),
    }
}

/// The variable of an error that rustc reports once per function, although it applies to several uses.
fn variable_reported_once(error: &Diagnostic) -> Option<&str> {
    if error.code == UNKNOWN_TYPE {
        let after = error.rendered.split("consider giving `").nth(1)?;
        return after.split('`').next();
    }
    // Of all that a closure reads, rustc names one use.
    (matches!(&*error.code, "E0381" | "E0382") || is_collision(&error.code))
        .then(|| error.message.split('`').nth(1))
        .flatten()
}

/// Whether a part moves or changes what it may only look at, so that others may go on using it.
fn is_own_fault(part: Part, code: &str, movers: &[Part]) -> bool {
    let is_inner = matches!(part, Part::Capture(..) | Part::Candidate(..));
    movers.contains(&part) || is_inner && matches!(code, "E0499" | "E0500" | "E0505")
}

/// A method is called on a variable whose type only later code determines.
const UNKNOWN_TYPE: &str = "E0282";

/// Drops all parts that use a variable after a blamed part when the variable causes an error for the second time: for an
/// uninitialized variable those before it, for one that is borrowed those at the same site, for one of unknown type all of the
/// function. Otherwise each round would report only the next use.
fn drop_other_uses(
    instrumentation: &mut Instrumentation,
    part: Part,
    error: &Diagnostic,
    variable: &str,
    moved: &mut BTreeMap<(FunctionIndex, String), u32>,
) -> bool {
    let (Part::Site(here) | Part::Capture(here, _) | Part::Candidate(here, _)) = part else {
        return false;
    };
    let sources = instrumentation.sources;
    let function = sources.sites[here].function;
    let times = moved.entry((function, variable.to_owned())).or_default();
    *times += 1;
    if *times == 1 {
        return false;
    }
    let root = root(variable);
    let mut uses = Vec::new();
    let is_uninitialized = error.code == "E0381";
    let is_untyped = error.code == UNKNOWN_TYPE;
    let is_affected = |site: SiteIndex| match is_uninitialized {
        _ if is_untyped => true,
        _ if is_collision(&error.code) => site == here,
        true => site <= here,
        false => site >= here,
    };
    let sites = sources.sites.iter_enumerated();
    let affected = sites.filter(|(index, site)| site.function == function && is_affected(*index));
    for (site, _) in affected {
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
        if !is_untyped && mentions(&sources.sites[site].body, root) {
            uses.push(Part::Site(site));
        }
    }
    let before = instrumentation.dropped.len();
    instrumentation.dropped.extend(uses);
    instrumentation.dropped.len() > before
}
