//! C sources: finds the functions, constants and sites of a program. Only this module and its parts use
//! tree-sitter.

pub mod access;
mod arguments;
pub mod branches;
mod calls;
pub mod candidate_terms;
pub mod code;
pub mod condition;
pub mod conversions;
mod definitions;
mod early_exits;
mod effects;
mod extensions;
mod files;
mod harvest;
mod head_variables;
mod headers;
mod heads;
mod integers;
pub mod language;
pub mod layout;
pub mod line_names;
pub mod literals;
mod macros;
mod masks;
mod null_guards;
mod null_tests;
mod old_style;
pub mod policies;
mod scope;
mod sites;
mod specifiers;
mod strange;
mod syntax;
pub mod templates;
pub mod test_functions;
mod types;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use tree_sitter::Node;

use self::effects::{Functions, is_known_pure};
use self::files::Parsed;
use self::language::Files;
use self::syntax::{text_of, walk};
use self::types::{Declarations, declarators, is_function};
use super::words::mentions;
use super::{Callable, Constant, DeclaredType, FileIndex, Function, Language, Name, Sources};

/// Most global variables that count as visible at the sites of a file.
const MOST_GLOBALS: usize = 32;

/// Reads the files and those headers of the program that they include, and finds the sites. Paths are relative to
/// `root`; `wanted` decides whether a file may have sites.
pub fn read(root: &Utf8Path, files: &Files, wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
    let mut sources = Sources {
        language: Language::C,
        ..Sources::default()
    };
    let (parsed, heads) = files::parse(root, files, wanted, &mut sources);
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
    for (name, bodies) in &declarations.functions {
        functions.add_macro(name, bodies);
    }
    sources.pointers = null_tests::pointers(&parsed, &declarations);
    for Parsed {
        text, tree, file, ..
    } in &parsed
    {
        if let Some(file) = file {
            let usual = null_tests::usual(tree.root_node(), text, &sources.pointers);
            sources.files[*file].null_test = usual;
        }
    }
    let pure = functions.pure();
    let is_pure_call = |name: &str| is_known_pure(name) || pure.contains(name);
    add_constants(&mut sources, &parsed, &declarations);
    let globals = globals(&parsed);
    let mut ids = BTreeMap::new();
    // All functions are read before the sites, because an early exit may copy one of another function.
    let mut found = Vec::new();
    for parsed in &parsed {
        let Some(file) = parsed.file else { continue };
        for definition in definitions(parsed.tree.root_node()) {
            if let Some(function) = function(file, definition, &parsed.text, &is_pure_call) {
                let is_static = is_static(definition, &parsed.text)
                    && sources.files[file].path.extension() == Some("c");
                add_callable(&mut sources, &function, is_static, &pure);
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
        let facts = sites::ProgramFacts {
            declarations: &declarations,
            is_pure_call: &is_pure_call,
            globals: &globals[&file],
            heads: &heads,
        };
        sites::find(&mut sources, &facts, function, definition, &mut ids);
    }
    // If sites start at the same byte, the outermost gets the smallest index.
    sources.sites.sort_by_key(|site| {
        let span = &site.span;
        (site.file, span.start, std::cmp::Reverse(span.end))
    });
    let aliases = declarations.aliases.keys();
    let pointer_types = aliases.filter(|alias| declarations.is_pointer(alias));
    sources.pointer_types = pointer_types.cloned().collect();
    sources.last_enumerators = std::mem::take(&mut declarations.last_enumerators);
    declarations.name_aliases();
    sources.types = declarations.structs;
    sources
}

/// The function definitions of a file, including those inside `#if` and inside functions.
fn definitions(root: Node) -> Vec<Node> {
    let mut found = Vec::new();
    walk(root, &mut |node| {
        if node.kind() == "function_definition" {
            found.push(node);
        }
        true
    });
    found
}

fn name_of<'t>(definition: Node, text: &'t str) -> Option<&'t str> {
    let declarator = definition.child_by_field_name("declarator")?;
    Some(old_style::whole_name(effects::declared(declarator)?, text))
}

/// Whether a function is not visible outside its translation unit.
fn is_static(definition: Node, text: &str) -> bool {
    let body = definition.child_by_field_name("body");
    let end = body.map_or(definition.end_byte(), |body| body.start_byte());
    let head = text.get(definition.start_byte()..end).unwrap_or_default();
    mentions(head, "static")
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
    let parameters = early_exits::parameters(definition, text).into_iter();
    let name_and_type = |(text, ty)| Name { text, ty: Some(ty) };
    Some(Function {
        constness: None,
        name,
        file,
        span: definition.byte_range(),
        owner: None,
        cfgs: BTreeSet::new(),
        returns,
        returned_values: early_exits::returned_values(body, text),
        exit_statements: early_exits::exit_statements(body, text),
        splits: Vec::new(),
        parameters: parameters.map(name_and_type).collect(),
        literals: harvest::literals(body, text),
        constants: identifiers(body, text),
        expressions: harvest::expressions(body, text, is_pure_call),
    })
}

/// The identifiers in a function. Constants can be told from variables only after all files are read.
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

/// Adds a function to the callables if it returns a scalar and has no side effects.
fn add_callable(
    sources: &mut Sources,
    function: &Function,
    is_static: bool,
    pure: &BTreeSet<String>,
) {
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
            names: Vec::new(),
            parameters: function
                .parameters
                .iter()
                .map(|parameter| parameter.ty.clone())
                .collect(),
            returns: returns.clone(),
            is_static,
            is_of_distant_trait: false,
            cfgs: BTreeSet::new(),
        });
    }
}

/// Adds the enumerators and numeric macros of all files and headers.
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
        .filter(|(name, value)| !harvest::is_reserved(name) && is_number(value));
    let mut names: BTreeMap<&String, Option<&String>> = BTreeMap::new();
    names.extend(macros.map(|(name, _)| (name, None)));
    let enumerators = declarations.enumerators.iter();
    names.extend(enumerators.map(|(name, ty)| (name, Some(ty))));
    for file in parsed.iter().filter_map(|parsed| parsed.file) {
        let constants = names.iter().map(|(name, ty)| Constant {
            file,
            name: (*name).clone(),
            owner: ty.cloned(),
            cfgs: BTreeSet::new(),
        });
        sources.constants.extend(constants);
    }
}

/// The global variables of each file; those of headers are visible in every file.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_numbers_that_the_program_names_for_itself() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let text = "#define _POSIX_C_SOURCE 200809L\n#define __NEED_IT 1\n#define _least 2\n\
            #define MOST 7\n#define NAME \"a\"\n#define TWICE (2 * MOST)\nenum { RED = 3 };\n\
            int f(int n) { return n > MOST; }\n";
        std::fs::write(root.join("a.c"), text).unwrap();
        let sources = read(root, &Files::new(vec!["a.c".into()]), &|_| true);
        let names = sources.constants.iter().map(|constant| &*constant.name);
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["MOST", "RED", "TWICE", "_least"]
        );
    }
}
