//! What changed between two texts: unified diffs for `git apply`, the lines that stayed, and both texts side by side.

use std::ops::Range;

use camino::Utf8Path;
use similar::{ChangeTag, DiffOp, TextDiff};

/// The diff of one file, with `a/` and `b/` before its path; empty if nothing changed.
pub fn unified(path: &Utf8Path, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    // A tab terminates a name that contains a space, as in git's own diffs.
    let end = if path.as_str().contains(' ') {
        "\t"
    } else {
        ""
    };
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}{end}"), &format!("b/{path}{end}"))
        .to_string()
}

/// The runs of lines that both texts have, in order: their bytes in the first text, and the byte of the second text at which each
/// begins.
pub fn shared(before: &str, after: &str) -> Vec<(Range<usize>, usize)> {
    let [old, new] = [before, after].map(starts);
    let diff = TextDiff::from_lines(before, after);
    let ops = diff.ops().iter().filter_map(|op| match *op {
        DiffOp::Equal {
            old_index,
            new_index,
            len,
        } => Some((old[old_index]..old[old_index + len], new[new_index])),
        _ => None,
    });
    ops.collect()
}

/// A line of one of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// Whether the other text has another line here, or none.
    pub is_changed: bool,
    /// The line in parts, without its end, each with whether it differs from the other text.
    pub parts: Vec<(bool, String)>,
}

/// The lines around each change, old and new beside each other, with this number of unchanged lines before and after it.
pub fn beside(before: &str, after: &str, context: usize) -> Vec<Vec<[Option<Line>; 2]>> {
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(context).into_iter();
    let rows = |ops: Vec<DiffOp>| {
        let mut rows = Vec::new();
        for op in ops {
            let [mut old, mut new] = [Vec::new(), Vec::new()];
            for change in diff.iter_inline_changes(&op) {
                let line = |index: Option<usize>| Line {
                    number: index.unwrap_or_default() + 1,
                    is_changed: change.tag() != ChangeTag::Equal,
                    parts: change
                        .iter_strings_lossy()
                        .map(|(differs, part)| {
                            (differs, part.trim_end_matches(['\n', '\r']).to_owned())
                        })
                        .collect(),
                };
                if change.tag() != ChangeTag::Insert {
                    old.push(line(change.old_index()));
                }
                if change.tag() != ChangeTag::Delete {
                    new.push(line(change.new_index()));
                }
            }
            for at in 0..old.len().max(new.len()) {
                rows.push([old.get(at).cloned(), new.get(at).cloned()]);
            }
        }
        rows
    };
    groups.map(rows).collect()
}

/// The bytes at which lines start, and the length of the text.
fn starts(text: &str) -> Vec<usize> {
    let ends = text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_newline_at_the_end_is_marked() {
        let diff = unified(Utf8Path::new("a b.rs"), "x\ny", "x\nz");
        assert!(
            diff.starts_with("--- a/a b.rs\t\n+++ b/a b.rs\t\n@@"),
            "{diff}"
        );
        assert!(
            diff.contains("-y\n\\ No newline at end of file\n+z"),
            "{diff}"
        );
    }

    #[test]
    fn lines_that_stayed_are_found_between_changes() {
        let (before, after) = ("a\nb\nc\nd\n", "A A\nb\nc\nx\nd\n");
        let found = shared(before, after);
        assert_eq!(found, [(2..6, 4), (6..8, 10)]);
        for (old, new) in found {
            assert_eq!(before[old.clone()], after[new..new + old.len()]);
        }
    }

    #[test]
    fn lines_stand_beside_each_other_with_their_changed_parts() {
        let before = "a\nif pos > n {\nb\n";
        let after = "a\nif pos >= n {\nnew\nb\n";
        let [rows] = &*beside(before, after, 1) else {
            panic!("one change");
        };
        let text = |line: &Line| -> String { line.parts.iter().map(|(_, part)| &**part).collect() };
        let shown: Vec<[Option<(usize, String)>; 2]> = rows
            .iter()
            .map(|row| {
                row.each_ref()
                    .map(|line| line.as_ref().map(|line| (line.number, text(line))))
            })
            .collect();
        let line = |number: usize, text: &str| Some((number, text.to_owned()));
        assert_eq!(
            shown,
            [
                [line(1, "a"), line(1, "a")],
                [line(2, "if pos > n {"), line(2, "if pos >= n {")],
                [None, line(3, "new")],
                [line(3, "b"), line(4, "b")],
            ]
        );
        let new = rows[1][1].as_ref().unwrap();
        assert_eq!(new.parts.iter().filter(|(differs, _)| *differs).count(), 1);
        assert!(new.parts.contains(&(true, ">=".to_owned())), "{new:?}");
    }
}
