//! Rust sources: walks the modules of a crate and finds its sites. Only this module and `probe` use syn.

pub mod access;
pub mod asked;
mod by_type;
pub mod candidate_terms;
pub mod condition;
pub mod documentation;
mod early_exits;
mod effects;
mod for_tests;
pub mod fuzz_target;
mod generated;
mod harvest;
mod integers;
pub mod language;
pub mod layout;
pub mod literals;
mod modules;
pub mod nearby;
mod old_syntax;
pub mod panics;
pub mod patterns;
pub mod policies;
mod prevented;
mod printed;
mod purity;
mod scope;
pub mod siblings;
mod sites;
mod splits;
pub mod templates;
mod types;
mod values;

use std::collections::BTreeSet;
use std::rc::Rc;

use camino::Utf8Path;

use self::purity::Purity;
use super::{File, FileIndex, NullTest, Skipped, Sources};

/// A crate whose non-test code may be patched.
#[derive(Clone, Debug)]
pub struct CrateRoot {
    /// The path of its root file, relative to the workspace root.
    pub path: camino::Utf8PathBuf,
    /// Whether it is an integration test. Then everything in its directory is test code.
    pub is_test: bool,
    /// Whether the crate needs `extern crate` items.
    pub edition_2015: bool,
    /// Whether its edition has let-chains (2024 or later).
    pub has_chains: bool,
}

/// Reads every module of the crates and finds the sites outside test code. All paths are relative to `root`; `wanted`
/// decides whether a file may have sites.
pub fn read(root: &Utf8Path, crates: &[CrateRoot], wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
    let mut sources = Sources::default();
    let mut seen = BTreeSet::new();
    let mut gathered = sites::Gathered::default();
    // Sites are found in a second pass, because names of boolean and integer type are known only after every file is
    // read.
    let mut parsed: Vec<(FileIndex, Rc<modules::Ast>, bool, BTreeSet<String>)> = Vec::new();
    for crate_root in crates {
        modules::walk(root, &crate_root.path, &mut |path, text, cfgs| {
            if !seen.insert(path.to_owned()) {
                return None;
            }
            let home = crate_root.path.parent().unwrap_or(Utf8Path::new(""));
            let is_test = crate_root.is_test && path.starts_with(home);
            let text = match text {
                Ok(text) => text,
                Err(_) if is_test => return None,
                Err(error) => {
                    sources.skipped.push(Skipped::file(
                        path.to_owned(),
                        format!("cannot be read: {error}"),
                    ));
                    return None;
                }
            };
            let ast = match modules::parse(&text) {
                Ok(ast) => ast,
                Err(_) if is_test => return None,
                Err(error) => {
                    let at = error.span().start();
                    sources.skipped.push(Skipped::file(
                        path.to_owned(),
                        format!("line {}: {}", at.line, modules::syntax_error(&error)),
                    ));
                    return None;
                }
            };
            if is_test {
                gathered.declared.tested.add_file(&text);
            }
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
                null_test: NullTest::default(),
                has_truth_names: true,
                indices: BTreeSet::new(),
                loops: Vec::new(),
                needs_extern_crate: (is_root && crate_root.edition_2015)
                    .then(|| modules::before_items(&ast)),
            });
            if !is_test {
                gathered.declared.tested.add_unit_tests(file, &ast, &text);
                gathered.declared.aliases.add(&ast.file);
            }
            gathered.booleans.add(&ast.file);
            gathered.integers.add(&ast.file);
            gathered.scalars.add(&ast.file);
            let ast = Rc::new(ast);
            if wanted(path) && !is_test {
                let cfgs = cfgs | &modules::conditions(&ast.file.attrs);
                parsed.push((file, Rc::clone(&ast), crate_root.has_chains, cfgs));
            }
            Some(ast)
        });
    }
    for (file, ast, has_chains, cfgs) in parsed {
        sites::find(&mut sources, file, &ast, has_chains, cfgs, &mut gathered);
    }
    let (chains, ids) = (std::mem::take(&mut gathered.chains), &mut gathered.ids);
    let purity = Purity::of(&gathered.effects);
    let mutating = effects::mutating(&gathered.effects);
    sites::operands::add_sites(&mut sources, chains, ids, &purity, &mutating);
    // Impure callables are removed before the early exits are made, which call the remaining ones.
    remove_impure(&mut sources, &purity, &mutating);
    sources.asked = asked::times(&sources.functions);
    let (points, constructors) = (&gathered.insertion_points, &gathered.constructors);
    let exits = early_exits::sites(&sources, points, constructors, &gathered.declared);
    sources.sites.extend(exits);
    // If sites start at the same byte, the outermost gets the smallest index.
    sources.sites.sort_by_key(|site| {
        let span = &site.span;
        (site.file, span.start, std::cmp::Reverse(span.end))
    });
    sources
}

/// The sources of a crate with a single file.
#[cfg(test)]
pub(crate) fn read_text(text: &str) -> Sources {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("lib.rs"), text).unwrap();
    let root = CrateRoot {
        path: "lib.rs".into(),
        is_test: false,
        edition_2015: false,
        has_chains: true,
    };
    read(Utf8Path::from_path(dir.path()).unwrap(), &[root], &|_| true)
}

/// Removes the callables and harvested expressions that may have side effects.
fn remove_impure(sources: &mut Sources, purity: &Purity, mutating: &BTreeSet<&str>) {
    // A capture cannot call these methods, and learning that from rustc would cost a build.
    let changes = |method: &String| match purity.knows(method) {
        true => mutating.contains(method.as_str()),
        false => effects::changes_receiver(method),
    };
    sources.callables.retain(|callable| {
        let name = &callable.name;
        let path = match &callable.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name.clone(),
        };
        purity.may_call(&path, None) && !changes(name)
    });
    for function in &mut sources.functions {
        let owner = function.owner.as_deref();
        function.expressions.retain(|found| {
            found.calls.iter().all(|call| purity.may_call(call, owner))
                && !found.receiver_methods.iter().any(changes)
        });
    }
}
