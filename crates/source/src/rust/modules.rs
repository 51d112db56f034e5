//! Follows `mod` declarations and included files from a crate root through its files, skipping test code.

use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use nopol_basics::skip::is_marked_skip;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Item, ItemMod, Meta, MetaList, Token};

use super::old_syntax::modernized;

/// A parsed file. Spans count bytes after the first `offset` bytes.
pub struct Ast {
    pub file: syn::File,
    /// The length of a byte-order mark, which the parser drops.
    pub offset: usize,
}

/// Parses a file, preserving byte offsets.
pub fn parse(text: &str) -> syn::Result<Ast> {
    let (body, offset) = blanked(text);
    let file = syn::parse_file(&body).or_else(|error| {
        let again = modernized(&body).map(|body| syn::parse_file(&body));
        again.and_then(Result::ok).ok_or(error)
    })?;
    Ok(Ast { file, offset })
}

/// What is wrong, in words. The parser has none for a token that it cannot read.
pub fn syntax_error(error: &syn::Error) -> String {
    match error.to_string().as_str() {
        "cannot parse string into token stream" => "syntax error".to_owned(),
        what => format!("syntax error: {what}"),
    }
}

/// The text as the parser reads it, without a byte-order mark and with the shebang line blanked, and the length of the
/// byte-order mark.
pub fn blanked(text: &str) -> (String, usize) {
    let offset = if text.starts_with('\u{feff}') { 3 } else { 0 };
    // `parse_file` would remove a shebang line. Blanking it keeps all offsets.
    let mut body = text[offset..].to_owned();
    if body.starts_with("#!") && !body[2..].trim_start().starts_with('[') {
        let end = body.find('\n').unwrap_or(body.len());
        body.replace_range(..end, &" ".repeat(end));
    }
    (body, offset)
}

/// The byte at which an item can be inserted at the start of a file. It is directly before the first item, because
/// anything earlier on its line may be in a comment.
pub fn before_items(ast: &Ast) -> usize {
    let first = ast.file.items.first();
    first.map_or(ast.offset, |item| {
        ast.offset + item.span().byte_range().start
    })
}

/// Whether an item is compiled only for tests.
pub fn is_test_code(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::Path(path) => path
            .segments
            .last()
            .is_some_and(|last| last.ident == "test" || last.ident == "bench"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test"
                || condition.starts_with("all (test")
                || condition.starts_with("all(test")
        }
        Meta::List(list) => list
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "test"),
        Meta::NameValue(_) => false,
    })
}

/// The conditions of the `cfg` attributes, without white space. Conditions in `all(…)` are listed one by one.
pub fn conditions(attrs: &[Attribute]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for attr in attrs {
        if let Meta::List(list) = &attr.meta
            && list.path.is_ident("cfg")
        {
            add_conditions(list, &mut found);
        }
    }
    found
}

fn add_conditions(of: &MetaList, found: &mut BTreeSet<String>) {
    let parts = of.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    for part in parts.into_iter().flatten() {
        match &part {
            Meta::List(list) if list.path.is_ident("all") => add_conditions(list, found),
            _ => {
                found.insert(part.to_token_stream().to_string().replace(' ', ""));
            }
        }
    }
}

type Reader<'a> =
    dyn FnMut(&Utf8Path, io::Result<String>, &BTreeSet<String>) -> Option<Rc<Ast>> + 'a;

/// Calls `reader` for the crate root and every module file below it, with the conditions under which the file is
/// compiled. The reader parses the file, or returns `None` to skip its child modules. Paths are relative to `root`.
pub fn walk(root: &Utf8Path, path: &Utf8Path, reader: &mut Reader) {
    let dir = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
    walk_file(root, path, &dir, &BTreeSet::new(), reader);
}

/// `dir` is the directory of the file's child modules.
fn walk_file(
    root: &Utf8Path,
    path: &Utf8Path,
    dir: &Utf8Path,
    cfgs: &BTreeSet<String>,
    reader: &mut Reader,
) {
    let text = match path.is_absolute() {
        true => Err(io::Error::other("it is outside the working copy")),
        false => std::fs::read_to_string(root.join(path)),
    };
    let skip_marks = text.as_ref().cloned().unwrap_or_default();
    let Some(ast) = reader(path, text, cfgs) else {
        return;
    };
    let walk = Walk {
        root,
        ast: &ast,
        text: &skip_marks,
        home: path.parent().unwrap_or(Utf8Path::new("")),
    };
    walk.items(&ast.file.items, dir, cfgs, reader);
}

/// The walk through one file.
struct Walk<'a> {
    root: &'a Utf8Path,
    ast: &'a Ast,
    text: &'a str,
    /// The directory of the file.
    home: &'a Utf8Path,
}

impl Walk<'_> {
    fn items(&self, items: &[Item], dir: &Utf8Path, cfgs: &BTreeSet<String>, reader: &mut Reader) {
        let root = self.root;
        for item in items {
            let module = match item {
                Item::Mod(module) => module,
                Item::Macro(call) if call.mac.path.is_ident("include") => {
                    if let Some(path) = included(root, &call.mac.tokens, self.home) {
                        let dir = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
                        walk_file(root, &path, &dir, cfgs, reader);
                    }
                    continue;
                }
                // A `macro_rules!` item has a name. Its body is a pattern, not code.
                Item::Macro(call) if call.ident.is_none() => {
                    for items in in_macro(&call.mac.tokens) {
                        self.items(&items, dir, cfgs, reader);
                    }
                    continue;
                }
                _ => continue,
            };
            if is_test_code(&module.attrs) || module_is_skipped(self.ast, module, self.text) {
                continue;
            }
            let cfgs = &(cfgs | &conditions(&module.attrs));
            let name = module.ident.to_string();
            let name = name.trim_start_matches("r#");
            match &module.content {
                // A `#[path]` attribute on an inline module is too rare to support.
                Some((_, items)) => {
                    let inner = Walk {
                        home: &dir.join(name),
                        ..*self
                    };
                    inner.items(items, &dir.join(name), cfgs, reader);
                }
                None => {
                    if let Some((path, dir)) = module_file(root, module, name, self.home, dir) {
                        walk_file(root, &path, &dir, cfgs, reader);
                    }
                }
            }
        }
    }
}

/// A file of items that is included by its name. Files generated by a build script have no such name.
fn included(root: &Utf8Path, tokens: &TokenStream, home: &Utf8Path) -> Option<Utf8PathBuf> {
    let name: syn::LitStr = syn::parse2(tokens.clone()).ok()?;
    let path = joined(home, Utf8Path::new(&name.value()));
    let is_ours = !path.is_absolute() && !path.starts_with("..");
    let text = is_ours.then(|| std::fs::read_to_string(root.join(&path)).ok());
    parse(&text.flatten()?).is_ok().then_some(path)
}

/// The items in the arguments of a macro that passes them on, possibly depending on the configuration: all of its
/// arguments, as in `cfg_io! { mod a; }`, or those in braces, as in `cfg_if! { if #[cfg(a)] { mod a; } }`.
fn in_macro(tokens: &TokenStream) -> Vec<Vec<Item>> {
    // Parsing is only worth its time if the arguments may declare a module.
    let has_module = |tree: &TokenTree| match tree {
        TokenTree::Ident(ident) => ident == "mod",
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    if !tokens.clone().into_iter().any(|tree| has_module(&tree)) {
        return Vec::new();
    }
    if let Ok(file) = syn::parse2::<syn::File>(tokens.clone()) {
        return vec![file.items];
    }
    let braces = tokens.clone().into_iter().filter_map(|tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    braces.flat_map(|tokens| in_macro(&tokens)).collect()
}

/// Whether a module is marked with `// nopol: skip`.
pub fn module_is_skipped(ast: &Ast, module: &ItemMod, text: &str) -> bool {
    let start = ast.offset + module.span().byte_range().start;
    let head = ast.offset + module.mod_token.span().byte_range().start;
    is_marked_skip(text, start, head)
}

/// `home/path` with `..` resolved where possible, so that each file has only one path.
fn joined(home: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    let mut joined = home.to_owned();
    for part in path.components() {
        match part {
            Utf8Component::ParentDir if joined.file_name().is_some() => {
                joined.pop();
            }
            Utf8Component::CurDir => {}
            part => joined.push(part),
        }
    }
    joined
}

fn module_file(
    root: &Utf8Path,
    module: &ItemMod,
    name: &str,
    home: &Utf8Path,
    dir: &Utf8Path,
) -> Option<(Utf8PathBuf, Utf8PathBuf)> {
    let explicit = module.attrs.iter().find_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(path),
                ..
            }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    });
    if let Some(explicit) = explicit {
        let path = joined(home, Utf8Path::new(&explicit));
        let dir = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
        return Some((path, dir));
    }
    let children = dir.join(name);
    let flat = dir.join(format!("{name}.rs"));
    if root.join(&flat).is_file() {
        return Some((flat, children));
    }
    let nested = children.join("mod.rs");
    root.join(&nested).is_file().then_some((nested, children))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trait_objects_without_dyn_are_parsed() {
        let text = "fn f(g: &mut FnMut(u8, bool,) -> Result<(), ()>, h: Box<Fn() -> u8>) {}";
        assert_eq!(parse(text).unwrap().file.items.len(), 1);
        assert!(parse("fn f(").is_err());
    }

    #[test]
    fn modules_declared_in_macros_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let lib = "macro_rules! on { ($($i:item)*) => { $($i)* }; (no) => { mod never; } }\n\
                   on! { mod a; pub(crate) mod inline { mod b; } }\n\
                   cfg_if! { if #[cfg(unix)] { mod c; } else { mod d; } }\n\
                   #[cfg(all(unix, feature = \"x\"))] mod e;\n";
        let files = ["a.rs", "inline/b.rs", "c.rs", "d.rs", "e.rs", "never.rs"];
        std::fs::create_dir(root.join("inline")).unwrap();
        for file in files {
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::write(root.join("lib.rs"), lib).unwrap();
        let (mut seen, mut conditional) = (Vec::new(), Vec::new());
        walk(root, Utf8Path::new("lib.rs"), &mut |path, text, cfgs| {
            seen.push(path.to_string());
            conditional.extend(cfgs.iter().map(|cfg| format!("{path}: {cfg}")));
            parse(&text.unwrap()).ok().map(Rc::new)
        });
        assert_eq!(
            seen,
            ["lib.rs", "a.rs", "inline/b.rs", "c.rs", "d.rs", "e.rs"]
        );
        assert_eq!(conditional, ["e.rs: feature=\"x\"", "e.rs: unix"]);
    }

    #[test]
    fn an_explicit_module_path_is_normalized() {
        let joined = |home: &str, path: &str| joined(Utf8Path::new(home), Utf8Path::new(path));
        assert_eq!(joined("tests", "../src/a.rs"), "src/a.rs");
        assert_eq!(joined("../lib/src", "../../b/./c.rs"), "../b/c.rs");
        assert_eq!(joined("..", "../a.rs"), "../../a.rs");
    }
}
