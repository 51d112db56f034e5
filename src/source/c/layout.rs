//! How C files are laid out: each in a way of its own.

use crate::source::layout::Layout;

/// The layout of C.
pub struct Style;

impl Layout for Style {
    /// The white space of the first line that is indented; not of one in a comment.
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

    /// Whether most branches of a file that do one thing have no braces.
    fn omits_braces(&self, text: &str) -> bool {
        let branches = text.lines().map(str::trim).filter(|line| {
            line.starts_with("if (") || line.starts_with("if(") || line.contains("else if (")
        });
        let (sparing, braced): (Vec<&str>, Vec<&str>) =
            branches.partition(|line| line.ends_with(')'));
        sparing.len() > braced.iter().filter(|line| line.ends_with('{')).count()
    }

    /// No literal of C has several lines, unless a line ends with a backslash.
    fn lines_inside_literals(&self, _: &str) -> Vec<usize> {
        Vec::new()
    }
}
