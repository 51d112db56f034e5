//! C sources: reads the files of a program and finds their sites. With its parts, the only place that
//! knows tree-sitter.

pub mod access;
pub mod condition;
pub mod conversions;
mod effects;
mod exits;
mod harvest;
pub mod language;
pub mod layout;
pub mod literals;
mod masks;
pub mod offers;
pub mod policies;
mod scope;
mod sites;
mod syntax;
pub mod templates;
mod types;

use crate::source::FileIndex;
use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use tree_sitter::{Node, Tree};

use self::effects::{Functions, is_known_pure};
use self::syntax::{children, first_error, text_of, walk};
use self::types::{Declarations, declarators, is_function};
use super::{Callable, Constant, DeclaredType, File, Function, Language, Name, Sources};

/// Variables outside of functions that are visible everywhere in a file, at most.
const MOST_GLOBALS: usize = 32;

/// A file that was read.
struct Parsed {
    text: String,
    tree: Tree,
    /// Its number in [`Sources::files`], unless it is a header.
    file: Option<FileIndex>,
    /// Whether it may have sites.
    is_wanted: bool,
}

/// Reads the files, whose paths are relative to `root`, and the headers of the program that they
/// include, and finds the sites. `wanted` tells whether a file may have sites.
pub fn read(root: &Utf8Path, files: &[Utf8PathBuf], wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
    let mut sources = Sources {
        language: Language::C,
        ..Sources::default()
    };
    let parsed = parse(root, files, wanted, &mut sources);
    let mut declarations = Declarations::default();
    let mut functions = Functions::default();
    for Parsed {
        text, tree, file, ..
    } in &parsed
    {
        declarations.add(file.unwrap_or_default(), tree.root_node(), text);
        for definition in definitions(tree.root_node()) {
            if let Some(name) = name_of(definition, text) {
                functions.add(name, definition, text);
            }
        }
    }
    let pure = functions.pure();
    let is_pure_call = |name: &str| is_known_pure(name) || pure.contains(name);
    add_constants(&mut sources, &parsed, &declarations);
    let globals = globals(&parsed);
    let mut ids = BTreeMap::new();
    // Of all functions, before the sites: a way out may be that of another one.
    let mut found = Vec::new();
    for parsed in &parsed {
        let Some(file) = parsed.file else { continue };
        for definition in definitions(parsed.tree.root_node()) {
            if let Some(function) = function(file, definition, &parsed.text, &is_pure_call) {
                add_callable(&mut sources, &function, &pure);
                let index = sources.functions.push_and_get_key(function);
                found.push((index, definition, parsed));
            }
        }
    }
    for (function, definition, parsed) in found {
        if !parsed.is_wanted || definition.has_error() {
            continue;
        }
        let file = sources.functions[function].file;
        let known = sites::Known {
            declarations: &declarations,
            is_pure_call: &is_pure_call,
            globals: &globals[&file],
        };
        sites::find(&mut sources, &known, function, definition, &mut ids);
    }
    // Outer sites have smaller numbers than those that start where they start.
    sources.sites.sort_by_key(|site| {
        let span = &site.span;
        (site.file, span.start, std::cmp::Reverse(span.end))
    });
    declarations.name_aliases();
    sources.types = declarations.structs;
    sources
}

/// Reads and parses the files, then their headers.
fn parse(
    root: &Utf8Path,
    files: &[Utf8PathBuf],
    wanted: &dyn Fn(&Utf8Path) -> bool,
    sources: &mut Sources,
) -> Vec<Parsed> {
    let mut parsed = Vec::new();
    let mut waiting: Vec<(Utf8PathBuf, bool)> =
        files.iter().cloned().map(|file| (file, true)).collect();
    let mut seen: BTreeSet<Utf8PathBuf> = files.iter().cloned().collect();
    let mut next = 0;
    while let Some((path, is_source)) = waiting.get(next).cloned() {
        next += 1;
        let text = match std::fs::read(root.join(&path)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => text,
                // A patch is text, and no other bytes may change.
                Err(_) if is_source => {
                    sources.skipped.push((path, "is not UTF-8".to_owned()));
                    continue;
                }
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            },
            Err(error) if is_source => {
                let reason = format!("cannot be read: {error}");
                sources.skipped.push((path, reason));
                continue;
            }
            // A header of the system.
            Err(_) => continue,
        };
        let masked = masks::masked(&text);
        let Some(tree) = syntax::parse(masked.as_ref().unwrap_or(&text)) else {
            continue;
        };
        if is_source {
            complain(&path, &text, tree.root_node(), sources);
        }
        for header in includes(tree.root_node(), &text) {
            let beside = path.parent().unwrap_or(Utf8Path::new("")).join(&header);
            for place in [beside, Utf8PathBuf::from(header)] {
                if root.join(&place).is_file() && seen.insert(place.clone()) {
                    waiting.push((place, false));
                    break;
                }
            }
        }
        let is_wanted = is_source && wanted(&path);
        let file = is_source.then_some(sources.files.next_key());
        if is_source {
            sources.files.push(File {
                path,
                text: text.clone(),
                literals: harvest::literals(tree.root_node(), &text),
                imported: Vec::new(),
                truths: harvest::truths(tree.root_node(), &text),
                indices: harvest::indices(tree.root_node(), &text),
                loops: Vec::new(),
                needs_extern_crate: None,
            });
        }
        parsed.push(Parsed {
            text,
            tree,
            file,
            is_wanted,
        });
    }
    parsed
}

/// Says of each part of a file that cannot be parsed where it is, and what has no sites therefore.
fn complain(path: &Utf8Path, text: &str, root: Node, sources: &mut Sources) {
    for part in children(root) {
        let Some(error) = first_error(part) else {
            continue;
        };
        let line = error.start_position().row + 1;
        let name = (part.kind() == "function_definition")
            .then(|| name_of(part, text))
            .flatten();
        let what = match name {
            Some(name) => format!("line {line}: `{name}` cannot be parsed as it is written"),
            None => format!("line {line}: cannot be parsed as it is written"),
        };
        let skipped = (path.to_owned(), what);
        // What cannot be parsed may be several parts.
        if sources.skipped.last() != Some(&skipped) {
            sources.skipped.push(skipped);
        }
    }
}

/// The headers that a file includes by a path in quotes.
fn includes(root: Node, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    walk(root, &mut |node| {
        if node.kind() == "preproc_include" {
            let path = syntax::field(node, "path", text).unwrap_or_default();
            let path = path
                .strip_prefix('"')
                .and_then(|path| path.strip_suffix('"'));
            found.extend(path.map(str::to_owned));
        }
        node.kind() != "compound_statement"
    });
    found
}

/// The function definitions of a file, those between directives included.
fn definitions(root: Node) -> Vec<Node> {
    let mut found = Vec::new();
    walk(root, &mut |node| {
        if node.kind() == "function_definition" {
            found.push(node);
            return false;
        }
        true
    });
    found
}

fn name_of<'t>(definition: Node, text: &'t str) -> Option<&'t str> {
    let declarator = definition.child_by_field_name("declarator")?;
    Some(text_of(effects::declared(declarator)?, text))
}

fn function(
    file: FileIndex,
    definition: Node,
    text: &str,
    is_pure_call: &dyn Fn(&str) -> bool,
) -> Option<Function> {
    let name = name_of(definition, text)?.to_owned();
    let body = definition.child_by_field_name("body")?;
    let returns = declarators(definition, text).into_iter().next();
    let returns = returns
        .map(|(_, ty, _)| ty.plain)
        .filter(|plain| plain != "void");
    let parameters = exits::parameters(definition, text).into_iter();
    let name_and_type = |(text, ty)| Name { text, ty: Some(ty) };
    Some(Function {
        name,
        file,
        owner: None,
        returns,
        exits: exits::values(body, text),
        runs: Vec::new(),
        parameters: parameters.map(name_and_type).collect(),
        literals: harvest::literals(body, text),
        constants: identifiers(body, text),
        expressions: harvest::expressions(body, text, is_pure_call),
    })
}

/// The names that a function uses; which of them are constants is not known before all files are read.
fn identifiers(body: Node, text: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    walk(body, &mut |node| {
        if node.kind() == "identifier" {
            names.insert(text_of(node, text).to_owned());
        }
        true
    });
    names.into_iter().collect()
}

/// A function that can be asked for a scalar without leaving a trace.
fn add_callable(sources: &mut Sources, function: &Function, pure: &BTreeSet<String>) {
    let Some(returns) = &function.returns else {
        return;
    };
    if pure.contains(&function.name) && function.name != "main" && !returns.contains("struct") {
        sources.callables.push(Callable {
            file: function.file,
            name: function.name.clone(),
            owner: None,
            is_method: false,
            takes_value: false,
            parameters: function
                .parameters
                .iter()
                .map(|parameter| parameter.ty.clone())
                .collect(),
            returns: returns.clone(),
        });
    }
}

/// Enumerators and the macros that stand for a number, of all files and headers.
fn add_constants(sources: &mut Sources, parsed: &[Parsed], declarations: &Declarations) {
    let is_number = |value: &str| {
        let tree = condition::parse(value);
        tree.is_some_and(|tree| {
            tree.leaves().iter().all(|leaf| {
                let first = leaf
                    .text
                    .chars()
                    .find(|first| !matches!(first, '(' | '-' | ' '));
                let is_digit = first.is_some_and(|first| first.is_ascii_digit() || first == '\'');
                is_digit
                    || declarations
                        .macros
                        .iter()
                        .any(|(name, _)| *name == leaf.text)
            })
        })
    };
    let macros = declarations
        .macros
        .iter()
        .filter(|(_, value)| is_number(value));
    let mut names: BTreeMap<&String, Option<&String>> = BTreeMap::new();
    names.extend(macros.map(|(name, _)| (name, None)));
    let enumerators = declarations.enumerators.iter();
    names.extend(enumerators.map(|(name, ty)| (name, Some(ty))));
    for file in parsed.iter().filter_map(|parsed| parsed.file) {
        let constants = names.iter().map(|(name, ty)| Constant {
            file,
            name: (*name).clone(),
            owner: ty.cloned(),
        });
        sources.constants.extend(constants);
    }
}

/// The variables of each file that are declared outside of functions; those of headers are visible in
/// every file.
fn globals(parsed: &[Parsed]) -> BTreeMap<FileIndex, Vec<(String, DeclaredType)>> {
    let of = |parsed: &Parsed| {
        let mut found: Vec<(String, DeclaredType)> = Vec::new();
        walk(parsed.tree.root_node(), &mut |node| {
            if node.kind() == "declaration" {
                let all = declarators(node, &parsed.text).into_iter();
                let variables = all.filter(|(_, _, declarator)| !is_function(*declarator));
                found.extend(variables.map(|(name, ty, _)| (name, ty)));
            }
            node.kind() != "function_definition"
        });
        found
    };
    let headers = parsed.iter().filter(|parsed| parsed.file.is_none());
    let of_headers: Vec<(String, DeclaredType)> = headers.flat_map(of).collect();
    let files = parsed
        .iter()
        .filter_map(|parsed| Some((parsed.file?, parsed)));
    files
        .map(|(file, parsed)| {
            let mut all = of(parsed);
            all.extend(of_headers.iter().cloned());
            all.truncate(MOST_GLOBALS);
            (file, all)
        })
        .collect()
}
