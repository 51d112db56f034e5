//! Edits: a byte range of a file and what takes its place.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use crate::source::{Site, SiteKind, Sources};

/// A replacement in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub file: Utf8PathBuf,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Bytes replaced.
    pub span: Range<usize>,
    pub before: String,
    pub after: String,
}

impl Edit {
    /// Puts a condition in place of the site's, or around its statement, or in the place for one. A
    /// statement that is never to be executed goes.
    pub fn at(sources: &Sources, site: &Site, condition: &str) -> Self {
        let file = &sources.files[site.file];
        let after = match site.kind {
            SiteKind::Statement | SiteKind::Run if condition == "false" => String::new(),
            SiteKind::Statement | SiteKind::Run => wrap(&file.text, site, condition),
            SiteKind::Exit => leave(&file.text, site, condition),
            SiteKind::Branch => format!(" else if {condition} {{ {} }}", site.body),
            SiteKind::Arm => format!(" if {condition}"),
            SiteKind::Pattern => format!(" && {condition}"),
            SiteKind::If
            | SiteKind::ElseIf
            | SiteKind::While
            | SiteKind::Guard
            | SiteKind::LetOperand
            | SiteKind::Value => condition.to_string(),
        };
        Self {
            file: file.path.clone(),
            line: site.line,
            column: site.column,
            span: site.span.clone(),
            before: site.text.clone(),
            after,
        }
    }

    /// The file's text after the edit.
    pub fn apply(&self, text: &str) -> String {
        format!(
            "{}{}{}",
            &text[..self.span.start],
            self.after,
            &text[self.span.end..]
        )
    }
}

/// A file's text after those of the edits that are for it, which do not overlap; `None` if none is.
pub fn apply_all(edits: &[Edit], path: &Utf8Path, text: &str) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().filter(|edit| edit.file == path).collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut edits = edits.into_iter();
    let last = edits.next()?.apply(text);
    Some(edits.fold(last, |text, edit| edit.apply(&text)))
}

/// What stands before a site on its line.
fn before<'t>(text: &'t str, site: &Site) -> &'t str {
    let line_start = text[..site.span.start].rfind('\n').map_or(0, |at| at + 1);
    &text[line_start..site.span.start]
}

/// What one level of indentation and a line's end are in this file.
fn habits(text: &str, site: &Site, indent: &str) -> (&'static str, &'static str) {
    let has_tabs = indent.starts_with('\t');
    let has_crlf = text[..site.span.end].contains("\r\n");
    (
        if has_tabs { "\t" } else { "    " },
        if has_crlf { "\r\n" } else { "\n" },
    )
}

/// `if CONDITION { BODY }` or `assert!(CONDITION);` before what starts at the site, on lines of its
/// own if that has.
fn leave(text: &str, site: &Site, condition: &str) -> String {
    let indent = before(text, site);
    let (unit, newline) = habits(text, site, indent);
    let has_lines = indent.trim().is_empty();
    let message = match site.message() {
        "" => String::new(),
        message => format!(", {message}"),
    };
    match (site.asserts(), has_lines) {
        (true, true) => return format!("assert!({condition}{message});{newline}{indent}"),
        (true, false) => return format!("assert!({condition}{message}); "),
        (false, false) => return format!("if {condition} {{ {} }} ", site.body),
        (false, true) => {}
    }
    let body = &site.body;
    format!("if {condition} {{{newline}{indent}{unit}{body}{newline}{indent}}}{newline}{indent}")
}

/// `if CONDITION { STATEMENT }`, on three lines if the statement has lines of its own.
fn wrap(text: &str, site: &Site, condition: &str) -> String {
    let indent = before(text, site);
    let rest = text[site.span.end..]
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start();
    let alone = indent.trim().is_empty() && (rest.is_empty() || rest.starts_with("//"));
    if !alone {
        return format!("if {condition} {{ {} }}", site.text);
    }
    let (unit, newline) = habits(text, site, indent);
    let mut body = String::new();
    let in_literal = lines_inside_literals(&site.text);
    for (number, line) in site.text.split_inclusive('\n').enumerate() {
        // A line that starts inside a string literal is part of its value.
        if number > 0 && !in_literal.contains(&number) && !line.trim().is_empty() {
            body.push_str(unit);
        }
        body.push_str(line);
    }
    format!("if {condition} {{{newline}{indent}{unit}{body}{newline}{indent}}}")
}

/// Numbers of the lines, from 0, that start inside a literal of several lines.
fn lines_inside_literals(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    if let Ok(tokens) = text.parse::<proc_macro2::TokenStream>() {
        collect(tokens, &mut lines);
    }
    lines
}

fn collect(tokens: proc_macro2::TokenStream, lines: &mut Vec<usize>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) => collect(group.stream(), lines),
            proc_macro2::TokenTree::Literal(literal) => {
                let span = literal.span();
                lines.extend(span.start().line..span.end().line);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn wrapped(text: &str, statement: &str) -> String {
        let start = text.find(statement).unwrap();
        let site = Site {
            id: String::new(),
            kind: SiteKind::Statement,
            file: 0,
            span: start..start + statement.len(),
            line: 1,
            column: 1,
            text: statement.to_string(),
            body: String::new(),
            far: 0,
            least: crate::spec::Binding::Or,
            function: 0,
            names: Arc::default(),
            is_pure: None,
        };
        let after = wrap(text, &site, "c");
        format!("{}{after}{}", &text[..start], &text[site.span.end..])
    }

    #[test]
    fn a_statement_on_its_own_lines_is_indented() {
        assert_eq!(
            wrapped("{\n    f(\n        1,\n    );\n}", "f(\n        1,\n    );"),
            "{\n    if c {\n        f(\n            1,\n        );\n    }\n}"
        );
        assert_eq!(
            wrapped("{\n\ta(); // why\n}", "a();"),
            "{\n\tif c {\n\t\ta();\n\t} // why\n}"
        );
        assert_eq!(
            wrapped("{\r\n  a();\r\n}", "a();"),
            "{\r\n  if c {\r\n      a();\r\n  }\r\n}"
        );
    }

    #[test]
    fn a_statement_among_others_stays_on_its_line() {
        assert_eq!(wrapped("{ a(); b(); }", "a();"), "{ if c { a(); } b(); }");
    }

    #[test]
    fn lines_of_a_string_keep_their_indentation() {
        assert_eq!(
            wrapped("{\n    a(\"x\n y\");\n}", "a(\"x\n y\");"),
            "{\n    if c {\n        a(\"x\n y\");\n    }\n}"
        );
    }
}
