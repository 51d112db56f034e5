//! Reads and parses the source files of a C program, and the headers that they include.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use tree_sitter::{Node, Tree};

use super::language::Files;
use super::masks::{self, Mask};
use super::syntax::{self, children, first_error, walk};
use super::{branches, definitions, harvest, name_of, specifiers};
use crate::{File, FileIndex, NullTest, Skipped, Sources};

/// A parsed file.
pub struct Parsed {
    pub text: String,
    pub tree: Tree,
    /// Index into [`Sources::files`]; `None` for a header.
    pub file: Option<FileIndex>,
    /// Whether it may have sites.
    pub is_wanted: bool,
}

/// Reads and parses the files, then their headers.
pub fn parse(
    root: &Utf8Path,
    files: &Files,
    wanted: &dyn Fn(&Utf8Path) -> bool,
    sources: &mut Sources,
) -> Vec<Parsed> {
    let mut parsed = Vec::new();
    let mut waiting: Vec<(Utf8PathBuf, bool)> = files
        .paths
        .iter()
        .cloned()
        .map(|file| (file, true))
        .collect();
    let mut seen: BTreeSet<Utf8PathBuf> = files.paths.iter().cloned().collect();
    let mut next = 0;
    // Read only if something cannot be parsed.
    let specifiers = LazyCell::new(|| specifiers::known(root, &files.paths));
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
        let masked = masks::masked(&text);
        let masked = masked.as_deref().unwrap_or(&text);
        let Some(mut tree) = syntax::parse(masked) else {
            continue;
        };
        let mut guessed = None;
        let of_names = |text: &str| masks::without_names(text, &specifiers);
        let guesses: [Mask; 4] = [
            &definitions::without_odd,
            &of_names,
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
            report_errors(&path, &text, tree.root_node(), sources);
        }
        for header in includes(tree.root_node(), &text) {
            let beside = path.parent().unwrap_or(Utf8Path::new("")).join(&header);
            for path in [beside, Utf8PathBuf::from(header)] {
                if root.join(&path).is_file() && seen.insert(path.clone()) {
                    waiting.push((path, false));
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
                // Known once all declarations are.
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
    parsed
}

/// The number of places at which a file cannot be parsed.
fn errors(tree: &Tree) -> usize {
    let mut errors = 0;
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        errors += usize::from(node.is_error() || node.is_missing());
        // What is missing may be a semicolon, which has no name.
        open.extend(node.children(&mut node.walk()).filter(Node::has_error));
    }
    errors
}

/// The most characters that are quoted of what cannot be parsed.
const MOST_QUOTED: usize = 40;

/// Words before parentheses that name no function.
const KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];

/// Adds to [`Sources::skipped`] each part of a file that cannot be parsed.
fn report_errors(path: &Utf8Path, text: &str, root: Node, sources: &mut Sources) {
    for part in children(root) {
        let Some(error) = first_error(part).filter(|_| !is_rest(part, text)) else {
            continue;
        };
        let line = error.start_position().row + 1;
        let function = (part.kind() == "function_definition")
            .then(|| name_of(part, text))
            .flatten()
            // Macros that make functions leave what follows them without a head.
            .filter(|name| !KEYWORDS.contains(&&**name));
        let (reason, what) = match function {
            Some(name) => {
                let within = match lines(part.start_position().row, with_rest(part, text)) {
                    (1, _) => String::new(),
                    (_, lines) => format!(", {lines},"),
                };
                let reason =
                    format!("line {line}: `{name}`{within} cannot be parsed as it is written");
                (reason, "this function")
            }
            None => {
                let (first, last) = unread(part, error);
                let (count, within) = lines(first, last);
                let start = text.lines().nth(first).unwrap_or_default().trim();
                let start: String = start.chars().take(MOST_QUOTED).collect();
                let reason = format!(
                    "{within}: what begins with `{start}` cannot be parsed as it is written"
                );
                (
                    reason,
                    if count == 1 {
                        "this line"
                    } else {
                        "these lines"
                    },
                )
            }
        };
        let skipped = Skipped {
            file: path.to_owned(),
            reason,
            what,
        };
        // One syntax error may spoil several parts.
        if sources.skipped.last() != Some(&skipped) {
            sources.skipped.push(skipped);
        }
    }
}

/// Whether a part is only the end of what another part begins.
fn is_rest(part: Node, text: &str) -> bool {
    let text = text.get(part.byte_range()).unwrap_or_default();
    text.contains('}')
        && text
            .chars()
            .all(|c| c.is_whitespace() || matches!(c, '}' | ';'))
}

/// The last line, from 0, of a part and of its rest.
fn with_rest(part: Node, text: &str) -> usize {
    let rest = part.next_sibling().filter(|next| is_rest(*next, text));
    last_row(rest.unwrap_or(part))
}

/// How many lines these are, counted from 0 and both included, and which.
fn lines(first: usize, last: usize) -> (usize, String) {
    match last - first {
        0 => (1, format!("line {}", first + 1)),
        more => (more + 1, format!("lines {} to {}", first + 1, last + 1)),
    }
}

/// The last line, from 0, of which a node has something.
fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    match end.column {
        0 => (end.row.saturating_sub(1)).max(start.row),
        _ => end.row,
    }
}

/// The first and the last line, from 0, of what cannot be read with a part of a file that is no function: between the
/// functions in it that can be read, and with the body that was taken from its function.
fn unread(part: Node, error: Node) -> (usize, usize) {
    let mut first = part.start_position().row;
    let mut last = last_row(part);
    let at = error.start_position().row;
    walk(part, &mut |node| {
        if node.kind() == "function_definition" && !node.has_error() {
            let (start, end) = (node.start_position().row, node.end_position().row);
            if end < at {
                first = first.max(end + 1);
            } else if start > at {
                last = last.min(start - 1);
            }
            return false;
        }
        true
    });
    let mut next = part.next_sibling();
    while let Some(node) = next {
        match node.kind() {
            "declaration" => next = node.next_sibling(),
            "compound_statement" if last == last_row(part) => {
                return (first.min(at), last_row(node));
            }
            _ => break,
        }
    }
    (first.min(at), last.max(at))
}

/// The headers that a file includes with quotes.
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
