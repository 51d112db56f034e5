//! What changed between two texts: unified diffs for `git apply`, and the lines that stayed.

use std::ops::Range;

use camino::Utf8Path;
use similar::{DiffOp, TextDiff};

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
}
