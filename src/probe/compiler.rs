//! The compiler as oracle: what it rejects of the instrumentation is weakened or left out, until
//! the rest compiles.

use std::collections::BTreeMap;

use anyhow::Result;
use camino::Utf8Path;

use super::blame::{blame, mentions, root};
use super::{Capture, CaptureKind, Files, Instrumentation, Part, Stage};
use crate::source::{FunctionIndex, SiteIndex};
use crate::subject::workspace::{Build, Diagnostic, Linked, Workspace};

/// How many builds an instrumentation may take; each takes something out, so this is never
/// reached unless every error is blamed on one part only.
const MOST_ROUNDS: usize = 60;

/// What became of an instrumentation.
#[derive(Debug)]
pub enum Settled {
    Built(Build),
    /// An error could not be traced to the instrumentation: the compiler's words.
    Stuck(String),
}

/// Builds the instrumented working copy, leaving out what does not compile, and tells how many
/// rounds it took. The first may have been made `ahead`, of just this instrumentation.
///
/// # Errors
/// If a file cannot be written, or the run is stopped.
pub fn settle(
    workspace: &Workspace,
    instrumentation: &mut Instrumentation,
    runtime: &Utf8Path,
    mut ahead: Option<Build>,
) -> Result<(Settled, usize)> {
    // Variables for which a use after a move was reported, with the first site affected.
    let mut moved: BTreeMap<(FunctionIndex, String), u32> = BTreeMap::new();
    for round in 1..=MOST_ROUNDS {
        let files = instrumentation.files();
        let build = match ahead.take() {
            Some(build) => build,
            None => {
                write(workspace, &files)?;
                workspace.build(Linked::Runtime(runtime))?
            }
        };
        if build.succeeded {
            return Ok((Settled::Built(build), round));
        }
        let mut changed = false;
        for anywhere in [false, true] {
            if changed {
                break;
            }
            // All of a round at once: what one error takes out may be the cause of the next, too.
            let blamed = |error| blame(instrumentation, &files, &workspace.root, error, anywhere);
            let blamed: Vec<Vec<Part>> = build.errors.iter().map(blamed).collect();
            for (error, parts) in build.errors.iter().zip(blamed) {
                for part in parts {
                    changed |= give_way(instrumentation, part, &error.code);
                    if let Some(variable) = once_reported(error) {
                        changed |= other_uses(instrumentation, part, error, variable, &mut moved);
                    }
                }
            }
        }
        if !changed || round == MOST_ROUNDS {
            let mut said = build.errors.iter().map(|error| &error.rendered);
            let first = said.find(|said| !said.is_empty());
            return Ok((
                Settled::Stuck(first.unwrap_or(&build.output).clone()),
                round,
            ));
        }
    }
    Ok((Settled::Stuck(String::new()), MOST_ROUNDS))
}

/// Writes the texts that differ from what the working copy has, so that only their crates are
/// built again, once everything else is as it should be.
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
        refused,
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
            if capture.kind != CaptureKind::Purity && !BORROWS.contains(&code) {
                // Nor does the function take it elsewhere, but rustc may say so once.
                let function = sources.sites[site].function;
                refused.insert((function, capture.text.clone()));
                let is_alike = |site: SiteIndex, other: &Capture| {
                    sources.sites[site].function == function
                        && other.kind == capture.kind
                        && other.text == capture.text
                };
                let is_new = dropped.insert(part);
                for (other, captures) in captures.iter() {
                    let captures = captures.iter().enumerate();
                    let alike = captures.filter(|(_, capture)| is_alike(*other, capture));
                    dropped.extend(alike.map(|(nth, _)| Part::Capture(*other, nth)));
                }
                return is_new;
            }
            dropped.insert(part)
        }
        (Part::Site(site), Stage::Conditions(_) | Stage::Captures(_)) => {
            let is_condition = sources.sites[site].kind.has_condition();
            // Evaluated always, the condition initializes what it did before.
            if code == "E0381" && is_condition && weakened.insert(part) {
                return true;
            }
            // What a function cannot return at one place it can return nowhere, and rustc says so once.
            let here = &sources.sites[site];
            let alike = sources.sites.iter_enumerated().filter(|(_, other)| {
                !BORROWS.contains(&code)
                    && other.kind.is_exit()
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
    matches!(&*error.code, "E0381" | "E0382")
        .then(|| error.message.split('`').nth(1))
        .flatten()
}

/// Drops what uses a variable from a blamed part on, or, if it may be uninitialized, before that, when
/// it is to blame the second time: the next round would only report the next use.
fn other_uses(
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
    let is_early = error.code == "E0381";
    let is_concerned = |site: SiteIndex| (site <= here && is_early) || (site >= here && !is_early);
    let sites = sources.sites.iter_enumerated();
    let concerned = sites.filter(|(index, site)| site.function == function && is_concerned(*index));
    for (site, _) in concerned {
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
        if mentions(&sources.sites[site].body, root) {
            uses.push(Part::Site(site));
        }
    }
    let before = instrumentation.dropped.len();
    instrumentation.dropped.extend(uses);
    instrumentation.dropped.len() > before
}
