//! The layout of C files, derived from each file's text.

use std::ops::Range;

use tree_sitter::Node;

use super::early_exits;
use super::syntax::{parse, text_of};
use crate::layout::{Layout, Unbraced};

/// The layout of C.
pub struct Style;

impl Layout for Style {
    /// The white space before the first indented line that is not in a comment.
    fn indentation(&self, text: &str) -> String {
        let indent = |line: &str| {
            let rest = line.trim_start_matches([' ', '\t']);
            let indent = &line[..line.len() - rest.len()];
            let is_code = !rest.is_empty() && !rest.starts_with('*');
            (is_code && (indent.len() > 1 || indent == "\t")).then(|| indent.to_owned())
        };
        let found = text
            .lines()
            .find_map(indent)
            .filter(|indent| indent.len() <= 8);
        found.unwrap_or_else(|| "    ".to_owned())
    }

    /// Whether the file has more branches without braces than with braces.
    fn omits_braces(&self, text: &str) -> bool {
        let branches = text.lines().map(str::trim).filter(|line| {
            line.starts_with("if (") || line.starts_with("if(") || line.contains("else if (")
        });
        let (unbraced, braced): (Vec<&str>, Vec<&str>) =
            branches.partition(|line| line.ends_with(')'));
        unbraced.len() > braced.iter().filter(|line| line.ends_with('{')).count()
    }

    fn statements(&self, body: &str) -> Vec<String> {
        early_exits::statements(body)
    }

    /// C literals do not span lines, except with a backslash.
    fn lines_inside_literals(&self, _: &str) -> Vec<usize> {
        Vec::new()
    }

    fn unbraced(&self, text: &str, span: &Range<usize>) -> Option<Unbraced> {
        let before = before_comments(&text[..span.start]);
        // C also requires a statement after a label.
        let is_needed =
            before.ends_with([')', ':']) || ["else", "do"].iter().any(|word| ends(before, word));
        is_needed.then(|| Unbraced {
            has_else: starts(after_comments(&text[span.end..]), "else"),
            nothing: ";",
        })
    }

    fn code_before(&self, text: &str, at: usize) -> usize {
        parse(text).map_or(at, |tree| last_end(tree.root_node(), text, at))
    }

    fn comment(&self, text: &str) -> usize {
        match text.get(..2) {
            Some("/*") => text[2..].find("*/").map_or(0, |end| end + 4),
            Some("//") => {
                let mut lines = text.split_inclusive('\n');
                // A backslash at the end of the line continues the comment.
                let is_continued =
                    |line: &&str| line.trim_end_matches(['\r', '\n']).ends_with('\\');
                let continued: usize = lines.by_ref().take_while(is_continued).map(str::len).sum();
                let last = text[continued..].lines().next().map_or(0, str::len);
                continued + last
            }
            _ => 0,
        }
    }
}

/// The end of the last leaf, other than a comment, that ends at or before the byte `at`.
fn last_end(node: Node, text: &str, at: usize) -> usize {
    if node.start_byte() >= at || node.kind() == "comment" {
        return 0;
    }
    if node.child_count() == 0 {
        // The last leaf of a directive contains the end of its line.
        let end = node.start_byte() + text_of(node, text).trim_end().len();
        return if end <= at { end } else { 0 };
    }
    let mut cursor = node.walk();
    let children = node.children(&mut cursor);
    children
        .map(|child| last_end(child, text, at))
        .max()
        .unwrap_or(0)
}

/// Whether a text ends with a whole word.
fn ends(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word);
    before.is_some_and(|before| !before.ends_with(is_of_word))
}

/// Whether a text starts with a whole word.
fn starts(text: &str, word: &str) -> bool {
    let after = text.strip_prefix(word);
    after.is_some_and(|after| !after.starts_with(is_of_word))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A text without white space and comments at its end.
fn before_comments(text: &str) -> &str {
    let text = text.trim_end();
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    let is_code = |at: &usize| text[line..*at].matches('"').count().is_multiple_of(2);
    let mut slashes = text[line..].match_indices("//").map(|(at, _)| line + at);
    let comment = match text.ends_with("*/") {
        true => text.rfind("/*"),
        false => slashes.find(is_code),
    };
    comment.map_or(text, |start| before_comments(&text[..start]))
}

/// A text without leading white space and comments.
fn after_comments(text: &str) -> &str {
    let text = text.trim_start();
    let rest = match text.get(..2) {
        Some("/*") => text.split_once("*/"),
        Some("//") => text.split_once('\n'),
        _ => None,
    };
    rest.map_or(text, |(_, rest)| after_comments(rest))
}
