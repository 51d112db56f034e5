//! Edits: a byte range of a file and what takes its place.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use crate::source::{Language, Site, SiteKind, Sources};

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
        let words = Words(sources.language);
        let after = match site.kind {
            SiteKind::Statement | SiteKind::Run if condition == "false" => String::new(),
            SiteKind::Statement | SiteKind::Run => words.wrap(&file.text, site, condition),
            SiteKind::Exit => words.leave(&file.text, site, condition),
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

/// How a language says what is put in.
struct Words(Language);

impl Words {
    /// What one level of indentation and a line's end are in this file.
    fn habits(&self, text: &str, site: &Site, indent: &str) -> (String, &'static str) {
        let unit = match self.0 {
            _ if indent.starts_with('\t') => "\t".to_owned(),
            Language::Rust => "    ".to_owned(),
            Language::C => step(text),
        };
        let has_crlf = text[..site.span.end].contains("\r\n");
        (unit, if has_crlf { "\r\n" } else { "\n" })
    }

    /// `if CONDITION {` and what ends that.
    fn branch(&self, condition: &str) -> (String, &'static str) {
        match self.0 {
            Language::Rust => (format!("if {condition} {{"), "}"),
            Language::C => (format!("if ({condition}) {{"), "}"),
        }
    }

    /// The same around one statement alone on its lines, where the file does without braces.
    fn branch_of_one(&self, text: &str, condition: &str) -> (String, &'static str) {
        match self.0 == Language::C && is_sparing(text) {
            true => (format!("if ({condition})"), ""),
            false => self.branch(condition),
        }
    }

    /// `if CONDITION { BODY }` or `assert!(CONDITION);` before what starts at the site, on lines of its
    /// own if that has.
    fn leave(&self, text: &str, site: &Site, condition: &str) -> String {
        let indent = before(text, site);
        let (unit, newline) = self.habits(text, site, indent);
        let has_lines = indent.trim().is_empty();
        let message = match site.message() {
            "" => String::new(),
            message => format!(", {message}"),
        };
        let body = &site.body;
        match (site.asserts(), has_lines) {
            (true, true) => return format!("assert!({condition}{message});{newline}{indent}"),
            (true, false) => return format!("assert!({condition}{message}); "),
            (false, false) => {
                let (open, close) = self.branch(condition);
                return format!("{open} {body} {close} ");
            }
            (false, true) => {}
        }
        let (open, close) = self.branch_of_one(text, condition);
        let inside = format!("{open}{newline}{indent}{unit}{body}{newline}{indent}");
        match close {
            "" => inside,
            _ => format!("{inside}{close}{newline}{indent}"),
        }
    }

    /// `if CONDITION { STATEMENT }`, on three lines if the statement has lines of its own.
    fn wrap(&self, text: &str, site: &Site, condition: &str) -> String {
        let indent = before(text, site);
        let rest = text[site.span.end..]
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start();
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let alone = indent.trim().is_empty() && (rest.is_empty() || is_comment);
        if !alone {
            let (open, close) = self.branch(condition);
            return format!("{open} {} {close}", site.text);
        }
        let (unit, newline) = self.habits(text, site, indent);
        let mut body = String::new();
        let in_literal = match self.0 {
            Language::Rust => lines_inside_literals(&site.text),
            // No literal of C has several lines, unless a line ends with a backslash.
            Language::C => Vec::new(),
        };
        for (number, line) in site.text.split_inclusive('\n').enumerate() {
            // A line that starts inside a string literal is part of its value.
            if number > 0 && !in_literal.contains(&number) && !line.trim().is_empty() {
                body.push_str(&unit);
            }
            body.push_str(line);
        }
        let (open, close) = match site.kind {
            SiteKind::Statement => self.branch_of_one(text, condition),
            _ => self.branch(condition),
        };
        let inside = format!("{open}{newline}{indent}{unit}{body}");
        match close {
            "" => inside,
            _ => format!("{inside}{newline}{indent}{close}"),
        }
    }
}

/// The white space of the first line that is indented; not of one in a comment.
fn step(text: &str) -> String {
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
fn is_sparing(text: &str) -> bool {
    let branches = text.lines().map(str::trim).filter(|line| {
        line.starts_with("if (") || line.starts_with("if(") || line.contains("else if (")
    });
    let (sparing, braced): (Vec<&str>, Vec<&str>) = branches.partition(|line| line.ends_with(')'));
    sparing.len() > braced.iter().filter(|line| line.ends_with('{')).count()
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
        wrapped_in(Language::Rust, text, statement)
    }

    fn wrapped_in(language: Language, text: &str, statement: &str) -> String {
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
            body_origin: crate::source::BodyOrigin::Own,
            checks: 0,
            least: crate::spec::Binding::Or,
            function: 0,
            names: Arc::default(),
            is_pure: None,
        };
        let after = Words(language).wrap(text, &site, "c");
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
    fn in_c_a_statement_has_braces_where_others_have() {
        let sparing = "{\n  if (a)\n    b();\n  d();\n}";
        assert_eq!(
            wrapped_in(Language::C, sparing, "d();"),
            "{\n  if (a)\n    b();\n  if (c)\n    d();\n}"
        );
        let braced = "{\n\tif (a) {\n\t\tb();\n\t}\n\td();\n}";
        assert_eq!(
            wrapped_in(Language::C, braced, "d();"),
            "{\n\tif (a) {\n\t\tb();\n\t}\n\tif (c) {\n\t\td();\n\t}\n}"
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
