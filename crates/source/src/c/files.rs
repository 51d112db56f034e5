//! Reads and parses the source files of a C program, and the headers that they include.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use tree_sitter::{Node, Tree};

use super::calls::Calls;
use super::headers::{Headers, Include};
use super::heads::Heads;
use super::language::Files;
use super::masks::{self, Mask};
use super::syntax::{self, walk};
use super::{
    arguments, branches, definitions, extensions, harvest, macros, old_style, specifiers, unread,
};
use crate::{File, FileIndex, NullTest, Skipped, Sources};

/// A parsed file.
pub struct Parsed {
    pub text: String,
    pub tree: Tree,
    /// Index into [`Sources::files`]; `None` for a header.
    pub file: Option<FileIndex>,
    /// Whether the file may have sites.
    pub is_wanted: bool,
}

/// Reads and parses the files, then their headers. Also returns the macros that stand for heads of statements.
pub fn parse(
    root: &Utf8Path,
    files: &Files,
    wanted: &dyn Fn(&Utf8Path) -> bool,
    sources: &mut Sources,
) -> (Vec<Parsed>, Heads) {
    let mut parsed = Vec::new();
    let mut waiting: Vec<(Utf8PathBuf, bool)> = files
        .paths
        .iter()
        .cloned()
        .map(|file| (file, true))
        .collect();
    let mut seen: BTreeSet<Utf8PathBuf> = files.paths.iter().cloned().collect();
    let mut next = 0;
    let headers = Headers::new(root);
    let macros = macros::defined(root, &files.paths, &headers);
    let heads = Heads::among(&macros);
    // Computed only if something cannot be parsed.
    let specifiers = LazyCell::new(|| specifiers::known(&macros));
    let calls = LazyCell::new(|| Calls::of(&macros, &specifiers));
    while let Some((path, is_source)) = waiting.get(next).cloned() {
        next += 1;
        let text = match std::fs::read(root.join(&path)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => text,
                // A lossy conversion would change bytes that the patch does not touch.
                Err(_) if is_source => {
                    sources
                        .skipped
                        .push(Skipped::file(path, "is not UTF-8".to_owned()));
                    continue;
                }
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            },
            Err(error) if is_source => {
                let reason = format!("cannot be read: {error}");
                sources.skipped.push(Skipped::file(path, reason));
                continue;
            }
            // A system header.
            Err(_) => continue,
        };
        let usual = masks::masked(&text);
        let usual = usual.as_deref().unwrap_or(&text);
        let of_heads = heads.masked(usual);
        let masked = of_heads.as_deref().unwrap_or(usual);
        let Some(mut tree) = syntax::parse(masked) else {
            continue;
        };
        let mut guessed = None;
        let of_names = |text: &str| masks::without_names(text, &specifiers);
        let of_calls = |text: &str| calls.masked(text);
        let guesses: [Mask; 8] = [
            &definitions::without_odd,
            &of_names,
            &arguments::without_odd,
            &of_calls,
            &extensions::without_odd,
            &old_style::without_odd,
            &masks::unspecified,
            &masks::without_likely_heads,
        ];
        for mask in guesses {
            let known: &str = guessed.as_deref().unwrap_or(masked);
            let more = tree.root_node().has_error().then(|| mask(known)).flatten();
            if let Some(text) = more
                && let Some(of_text) = syntax::parse(&text)
                && errors(&of_text) < errors(&tree)
            {
                (guessed, tree) = (Some(text), of_text);
            }
        }
        let masked = guessed.as_deref().unwrap_or(masked);
        if tree.root_node().has_error() {
            let taken = files.taken.as_ref().and_then(|taken| taken.get(&path));
            let split = branches::blanked(masked, taken).and_then(|text| syntax::parse(&text));
            if let Some(of_branches) =
                split.filter(|of_branches| errors(of_branches) < errors(&tree))
            {
                sources.is_undecided |= is_source && wanted(&path) && files.taken.is_none();
                tree = of_branches;
            }
        }
        if is_source {
            unread::report(&path, &text, tree.root_node(), sources);
        }
        for include in includes(tree.root_node(), &text) {
            let found = headers.find(&path, &include);
            waiting.extend(
                found
                    .filter(|path| seen.insert(path.clone()))
                    .map(|path| (path, false)),
            );
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
                // Set once all declarations are known.
                null_test: NullTest::default(),
                has_truth_names: harvest::has_truth_names(tree.root_node(), &text),
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
    (parsed, heads)
}

/// Number of places where a file cannot be parsed.
fn errors(tree: &Tree) -> usize {
    let mut errors = 0;
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        errors += usize::from(node.is_error() || node.is_missing());
        // A missing token, such as a semicolon, has no name.
        open.extend(node.children(&mut node.walk()).filter(Node::has_error));
    }
    errors
}

/// The headers that a file includes.
fn includes<'t>(root: Node, text: &'t str) -> Vec<Include<'t>> {
    let mut found = Vec::new();
    walk(root, &mut |node| {
        if node.kind() == "preproc_include" {
            let path = syntax::field(node, "path", text).unwrap_or_default();
            found.extend(Include::of(path));
        }
        node.kind() != "compound_statement"
    });
    found
}
