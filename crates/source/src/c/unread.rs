//! The lines of a file in which no patch is searched for, because they cannot be parsed: everything outside readable
//! functions that is more than a declaration.

use camino::Utf8Path;
use tree_sitter::Node;

use super::name_of;
use super::syntax::{first_error, text_of};
use crate::{Skipped, Sources};

/// Most characters quoted from text that cannot be parsed.
const MOST_QUOTED: usize = 40;

/// Words before parentheses that are not names of functions.
const KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];

/// Nodes that contain parts of a file.
const CONTAINERS: [&str; 8] = [
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
    "linkage_specification",
    "declaration_list",
    "translation_unit",
];

/// A part of a file. Rows are counted from 0.
#[derive(Debug)]
struct Part {
    first: usize,
    last: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A function that can be parsed.
    Read,
    /// A declaration, a directive or the like. It contains nothing to patch, unless it is inside code that cannot be
    /// parsed.
    Harmless,
    /// A whole function that cannot be parsed, with the row of its first error.
    Function(String, usize),
    /// Statements or a brace outside functions. They belong to the part before them.
    Rest,
    /// Anything else that cannot be parsed.
    Odd,
}

/// Adds each run of lines that cannot be parsed to [`Sources::skipped`].
pub fn report(path: &Utf8Path, text: &str, root: Node, sources: &mut Sources) {
    for (reason, what) in runs(root, text).iter().map(|run| run.described(text)) {
        sources.skipped.push(Skipped {
            file: path.to_owned(),
            reason,
            what,
        });
    }
}

/// Consecutive lines, counted from 0; both ends are included.
#[derive(Debug)]
struct Run {
    first: usize,
    last: usize,
    /// The function that they make up, and the row of its first error.
    function: Option<(String, usize)>,
}

impl Run {
    /// Why the lines cannot be parsed, and what therefore has no sites.
    fn described(&self, text: &str) -> (String, &'static str) {
        let (count, within) = lines(self.first, self.last);
        match &self.function {
            Some((name, error)) => {
                let within = match count {
                    1 => String::new(),
                    _ => format!(", {within},"),
                };
                let line = error + 1;
                let reason = format!("line {line}: `{name}`{within} cannot be parsed");
                (reason, "this function")
            }
            None => {
                let start = text.lines().nth(self.first).unwrap_or_default().trim();
                let start: String = start.chars().take(MOST_QUOTED).collect();
                let reason = format!("{within}: what begins with `{start}` cannot be parsed");
                let what = match count {
                    1 => "this line",
                    _ => "this part",
                };
                (reason, what)
            }
        }
    }
}

/// The runs of lines that cannot be parsed, in order. A function that can be parsed ends a run.
fn runs(root: Node, text: &str) -> Vec<Run> {
    let mut parts = Vec::new();
    collect(root, text, &mut parts);
    let mut runs: Vec<Run> = Vec::new();
    let (mut is_open, mut free) = (false, 0);
    for part in parts {
        match part.kind {
            Kind::Harmless => {}
            Kind::Read => {
                if let Some(run) = runs.last_mut() {
                    run.last = run.last.min(part.first.saturating_sub(1)).max(run.first);
                }
                (is_open, free) = (false, part.last + 1);
            }
            Kind::Function(name, error) => {
                runs.push(Run {
                    first: part.first,
                    last: part.last,
                    function: Some((name, error)),
                });
                is_open = true;
            }
            // A brace after a function that can be parsed.
            Kind::Rest if !is_open && is_brace(&part, text) => {}
            Kind::Rest | Kind::Odd => {
                let is_rest = matches!(part.kind, Kind::Rest);
                match runs.last_mut().filter(|_| is_open) {
                    Some(run) if is_rest || run.function.is_none() => {
                        run.last = run.last.max(part.last);
                    }
                    _ => runs.push(Run {
                        first: part.first.max(free.min(part.last)),
                        last: part.last,
                        function: None,
                    }),
                }
                is_open = true;
            }
        }
    }
    runs
}

/// Whether the lines of a part contain only braces.
fn is_brace(part: &Part, text: &str) -> bool {
    let lines = text.lines().skip(part.first);
    let mut lines = lines.take(part.last + 1 - part.first);
    lines.all(|line| {
        line.chars()
            .all(|c| c.is_whitespace() || matches!(c, '}' | ';'))
    })
}

/// Adds the parts of a node, in order.
fn collect(node: Node, text: &str, parts: &mut Vec<Part>) {
    let is_container = CONTAINERS.contains(&node.kind());
    for child in node.children(&mut node.walk()) {
        if child.kind() == "comment" {
            continue;
        }
        if CONTAINERS.contains(&child.kind()) {
            collect(child, text, parts);
            continue;
        }
        let kind = match child.kind() {
            "function_definition" if !child.has_error() => Kind::Read,
            _ if has_function(child) => {
                collect(child, text, parts);
                continue;
            }
            "function_definition" => function(child, text).unwrap_or(Kind::Odd),
            // If a macro stands for a head, the statement after it ends up outside functions.
            kind if kind.ends_with("_statement") && kind != "expression_statement" => Kind::Rest,
            _ if child.has_error() && is_only_braces(child, text) => Kind::Rest,
            _ if child.has_error() => Kind::Odd,
            // A word or a bracket of code that cannot be parsed.
            _ if !is_container && (child.child_count() == 0 || !child.is_named()) => Kind::Odd,
            _ => Kind::Harmless,
        };
        parts.push(Part {
            first: child.start_position().row,
            last: last_row(child),
            kind,
        });
    }
}

/// Whether a node that cannot be parsed contains a function that can.
fn has_function(node: Node) -> bool {
    let is_read = |node: Node| node.kind() == "function_definition" && !node.has_error();
    node.has_error()
        && node
            .children(&mut node.walk())
            .any(|child| is_read(child) || has_function(child))
}

/// A function that cannot be parsed, if it has a name.
fn function(definition: Node, text: &str) -> Option<Kind> {
    let error = first_error(definition)?.start_position().row;
    let name = name_of(definition, text).filter(|name| !KEYWORDS.contains(name))?;
    Some(Kind::Function(name.to_owned(), error))
}

/// Whether a node is only the end of another part.
fn is_only_braces(node: Node, text: &str) -> bool {
    let text = text_of(node, text);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '}' | ';');
    text.contains('}') && text.chars().all(is_end)
}

/// The number of these lines, and their names in messages. Rows are counted from 0; both ends are included.
fn lines(first: usize, last: usize) -> (usize, String) {
    match last - first {
        0 => (1, format!("line {}", first + 1)),
        more => (more + 1, format!("lines {} to {}", first + 1, last + 1)),
    }
}

/// The last row, counted from 0, that contains text of a node.
fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    match end.column {
        0 => (end.row.saturating_sub(1)).max(start.row),
        _ => end.row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    /// The reported lines, counted from 1, with the names of functions.
    fn reported(text: &str) -> Vec<(String, usize, usize)> {
        let tree = parse(text).unwrap();
        let runs = runs(tree.root_node(), text).into_iter();
        let named = runs.map(|run| {
            let name = run.function.map_or_else(String::new, |(name, _)| name);
            (name, run.first + 1, run.last + 1)
        });
        named.collect()
    }

    const PLAIN: &str =
        "int plain(int a)\n{\n    if (a > 3)\n        return 1;\n    return 0;\n}\n";

    #[test]
    fn a_function_made_of_macros_is_named_with_all_its_lines() {
        for odd in [
            "PROC(one, (int a, int b))\n    if (a > b)\n        return 2;\n    while (a < b) {\n        a++;\n    }\n    return 3;\nENDPROC\n",
            "PROC(one, (int a))\n    int b = a > 1;\n    if (b)\n        return 2;\n    return 3;\nENDPROC\n",
            "OPEN\n    if (a > 3)\n        return 1;\n    return 0;\n}\n",
            "int one(int a)\nBEGIN\n    if (a > 1)\n        return 2;\n    return 3;\nEND\n\n",
            "int one(int a)\nBEGIN\n    int i;\n    for (i = 0; i < a; i++)\n        a += i;\n    return 3;\nEND\n",
        ] {
            let count = odd.lines().count();
            for text in [
                format!("{odd}{PLAIN}"),
                format!("{PLAIN}{odd}"),
                format!("{PLAIN}{odd}{PLAIN}{odd}"),
            ] {
                let reported = reported(&text);
                let is_left_out = |line: usize| {
                    reported
                        .iter()
                        .any(|(_, first, last)| (*first..=*last).contains(&line))
                };
                for (index, line) in text.lines().enumerate() {
                    let tree = parse(&text).unwrap();
                    let is_read = is_read(tree.root_node(), index);
                    let is_code = line.contains(['(', '=']) || line.contains("return");
                    assert!(
                        is_read != is_left_out(index + 1) || !is_code,
                        "{}: {reported:?}\n{text}",
                        index + 1
                    );
                }
                assert!(
                    reported
                        .iter()
                        .all(|(_, first, last)| last - first <= count + 6),
                    "{reported:?}\n{text}"
                );
            }
        }
    }

    fn is_read(node: Node, row: usize) -> bool {
        let is_here = node.start_position().row <= row && row <= last_row(node);
        is_here
            && (node.kind() == "function_definition" && !node.has_error()
                || node
                    .children(&mut node.walk())
                    .any(|child| is_read(child, row)))
    }

    #[test]
    fn parsed_code_is_not_reported() {
        let text = "#include <a.h>\n#ifdef A\nint a;\n#else\nint f(a) int a; { return a > 1; }\n#endif\nextern \"C\" {\nint b;\n}\n\
                    __attribute__((cold)) int g(int a)\n{\n    asm(\"\");\n    return ({ int b = a; b > 2; });\n}\n;\n";
        let text = format!("{text}{PLAIN}");
        assert_eq!(reported(&text), []);
    }

    #[test]
    fn a_function_is_reported_by_its_name() {
        let text =
            "int one(int a)\n{\n    IF a > 1 THEN\n        return 2;\n    FI\n    return 3;\n}\n";
        let text = format!("{text}{PLAIN}");
        assert_eq!(reported(&text), [("one".to_owned(), 1, 7)]);
    }
}
