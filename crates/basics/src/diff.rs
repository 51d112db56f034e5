//! Unified diffs for `git apply`.

use camino::Utf8Path;
use similar::TextDiff;

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
}
