//! The comments that belong to a statement: those directly above it and those at the end of its last line. A patch must
//! not separate a statement from its comments.

use std::ops::Range;

use nopol_source::layout::Layout;

/// The start of the comments that belong to the statement at `at`, or `at` if there are none. They are directly above
/// the statement, or before it on its line. A comment after other code belongs to that code, together with its further
/// lines in the same column. An empty line separates comments from the statement.
pub fn start(layout: &dyn Layout, text: &str, at: usize) -> usize {
    let code = layout.code_before(text, at);
    let mut first = at;
    let mut found: Vec<usize> = Vec::new();
    for comment in comments(layout, text, code..at).into_iter().rev() {
        let between = &text[comment.end..first];
        if between.matches('\n').count() > 1 {
            break;
        }
        let is_behind_code = code > 0 && !text[code..comment.start].contains('\n');
        if is_behind_code && between.contains('\n') {
            let is_of_code = |start: &usize| continues(text, comment.start, *start, at);
            while found.pop_if(|start| is_of_code(start)).is_some() {}
            return found.last().copied().unwrap_or(at);
        }
        first = comment.start;
        found.push(first);
    }
    first
}

/// The end of the comments after the statement at `span` on its last line, together with their further lines in the
/// same column. The statement's end if there are no such comments, or if code follows on that line.
pub fn end(layout: &dyn Layout, text: &str, span: &Range<usize>) -> usize {
    let mut last = span.end;
    let mut first = None;
    for comment in comments(layout, text, span.end..text.len()) {
        let is_on_line = !text[last..comment.start].contains('\n');
        let goes_on = || {
            let is_next = text[last..comment.start].matches('\n').count() == 1;
            is_next && first.is_some_and(|it| continues(text, it, comment.start, span.start))
        };
        if !is_on_line && !goes_on() {
            break;
        }
        first = first.or(Some(comment.start));
        last = comment.end;
    }
    let rest = text[last..].lines().next().unwrap_or_default();
    match rest.trim().is_empty() {
        true => last,
        false => span.end,
    }
}

/// Whether a comment continues a comment after code: it is in the same column, and that is not the column of the
/// statement.
fn continues(text: &str, behind_code: usize, comment: usize, statement: usize) -> bool {
    let column = |at: usize| text[line_start(text, at)..at].chars().count();
    column(comment) == column(behind_code) && column(comment) != column(statement)
}

/// The start of the line that contains the byte `at`.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The comments at the start of a range, up to the first code or the end of the range.
fn comments(layout: &dyn Layout, text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    loop {
        let rest = &text[at..range.end];
        let start = at + rest.len() - rest.trim_start().len();
        match layout.comment(&text[start..range.end]) {
            0 => return found,
            length => {
                at = start + length;
                found.push(start..at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nopol_source::Language;

    use super::*;

    #[test]
    fn text_inserted_before_a_statement_goes_above_its_comments() {
        for (language, head) in [
            (Language::Rust, "fn f() {"),
            (Language::C, "void f(void) {"),
        ] {
            for (before, comments) in [
                ("\n    g();\n\n    ", "// of h\n    // and more\n    "),
                ("\n    g();\n    ", "/* of h:\n       two lines */\n    "),
                (" ", "/* of h */ "),
                // A comment after `g()`, or one above an empty line, does not belong to `h()`.
                ("\n    g(); // of g\n    ", ""),
                (
                    "\n    g(); // of g\n         // and more\n    ",
                    "// of h\n    ",
                ),
                ("\n    // of nothing\n\n    ", ""),
            ] {
                let text = format!("{head}{before}{comments}h();\n}}\n");
                let at = text.find("h();").unwrap();
                let expected = head.len() + before.len();
                assert_eq!(start(language.layout(), &text, at), expected, "{text}");
            }
        }
    }
}
