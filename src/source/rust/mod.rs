//! Rust sources: walks the modules of a crate and finds its sites. With `probe`, the only place
//! that knows syn.

pub mod access;
pub mod condition;
mod effects;
pub mod exits;
mod harvest;
pub mod language;
pub mod layout;
pub mod literals;
mod modules;
pub mod offers;
pub mod panics;
pub mod policies;
mod scope;
pub mod siblings;
mod sites;
pub mod templates;
mod types;
mod values;

use crate::source::FileIndex;
use std::collections::BTreeSet;
use std::rc::Rc;

use camino::Utf8Path;

use super::{File, Sources};

/// A crate whose non-test code may be patched.
#[derive(Clone, Debug)]
pub struct CrateRoot {
    /// Relative to the workspace root.
    pub path: camino::Utf8PathBuf,
    /// An integration test: only modules outside of its directory are no test code.
    pub is_test: bool,
    pub edition_2015: bool,
    /// Whether its edition has let-chains: from 2024 on.
    pub has_chains: bool,
}

/// Reads every module of the crates and finds the sites in code that is no test code. `root` is
/// the directory all paths are relative to; `wanted` tells whether a file may have sites.
pub fn read(root: &Utf8Path, crates: &[CrateRoot], wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
    let mut sources = Sources::default();
    let mut seen = BTreeSet::new();
    let mut gathered = sites::Gathered::default();
    // What is boolean is known only when every file was read.
    let mut parsed: Vec<(FileIndex, Rc<modules::Ast>, bool)> = Vec::new();
    for crate_root in crates {
        modules::walk(root, &crate_root.path, &mut |path, text| {
            if !seen.insert(path.to_owned()) {
                return None;
            }
            let home = crate_root.path.parent().unwrap_or(Utf8Path::new(""));
            let is_test = crate_root.is_test && path.starts_with(home);
            let text = match text {
                Ok(text) => text,
                Err(_) if is_test => return None,
                Err(error) => {
                    sources
                        .skipped
                        .push((path.to_owned(), format!("cannot be read: {error}")));
                    return None;
                }
            };
            let ast = match modules::parse(&text) {
                Ok(ast) => ast,
                Err(_) if is_test => return None,
                Err(error) => {
                    let at = error.span().start();
                    sources.skipped.push((
                        path.to_owned(),
                        format!("line {}: cannot be parsed: {error}", at.line),
                    ));
                    return None;
                }
            };
            if is_test && !crate_root.edition_2015 {
                return Some(Rc::new(ast));
            }
            let file = sources.files.next_key();
            let is_root = path == crate_root.path;
            sources.files.push(File {
                path: path.to_owned(),
                text: text.clone(),
                literals: literals::of_file(&ast.file),
                imported: Vec::new(),
                truths: BTreeSet::new(),
                indices: BTreeSet::new(),
                loops: Vec::new(),
                needs_extern_crate: (is_root && crate_root.edition_2015)
                    .then(|| modules::before_items(&ast)),
            });
            gathered.booleans.add(&ast.file);
            let ast = Rc::new(ast);
            if wanted(path) && !is_test {
                parsed.push((file, Rc::clone(&ast), crate_root.has_chains));
            }
            Some(ast)
        });
    }
    for (file, ast, has_chains) in &parsed {
        sites::find(&mut sources, *file, ast, *has_chains, &mut gathered);
    }
    let exits = exits::sites(&sources, &gathered.places, &gathered.constructors);
    sources.sites.extend(exits);
    // Outer sites have smaller numbers than those that start where they start.
    sources.sites.sort_by_key(|site| {
        let span = &site.span;
        (site.file, span.start, std::cmp::Reverse(span.end))
    });
    keep_innocent(&mut sources, &gathered.known);
    sources
}

/// Forgets functions and expressions whose evaluation may leave a trace.
fn keep_innocent(sources: &mut Sources, functions: &sites::Known) {
    let names: BTreeSet<&str> = functions.iter().map(|(name, _)| name.as_str()).collect();
    let guilty = effects::guilty(functions);
    let innocent = |call: &String| {
        !guilty.contains(effects::last(call)) && effects::may_be_called(call, &names)
    };
    // What must not change anything cannot call these; rustc would say so, a build later.
    let mutating = effects::mutating(functions);
    let changes = |method: &String| match names.contains(method.as_str()) {
        true => mutating.contains(method.as_str()),
        false => effects::changes_receiver(method),
    };
    sources
        .callables
        .retain(|callable| !guilty.contains(&callable.name) && !changes(&callable.name));
    for function in &mut sources.functions {
        function
            .expressions
            .retain(|found| found.calls.iter().all(innocent) && !found.asked.iter().any(changes));
    }
}
