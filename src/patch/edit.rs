//! Edits: a byte range of a file and its replacement.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use crate::source::layout::Layout;
use crate::source::{Form, Site, Sources};

/// A replacement in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, relative to the subject's root.
    pub file: Utf8PathBuf,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The replaced bytes.
    pub span: Range<usize>,
    /// The text that is replaced.
    pub before: String,
    /// The text that replaces it.
    pub after: String,
}

impl Edit {
    /// Replaces a site's condition, wraps its statement in one, or inserts one, depending on the kind of site.
    /// A statement whose condition is never true is deleted.
    pub fn at(sources: &Sources, site: &Site, condition: &str) -> Self {
        let file = &sources.files[site.file];
        let writer = EditWriter {
            layout: sources.language.layout(),
            text: &file.text,
            site,
        };
        let after = match site.kind.form() {
            Form::Wrap if condition == sources.language.truth(file, false) => {
                writer.nothing().to_owned()
            }
            Form::Wrap => writer.wrap(condition),
            Form::Leave => writer.leave(condition),
            Form::Replace | Form::Branch | Form::Narrow | Form::Compute => {
                site.template.line(site, condition)
            }
        };
        let span = match after.is_empty() {
            true => left_out(&file.text, &site.span),
            false => site.span.clone(),
        };
        Self {
            file: file.path.clone(),
            line: site.line,
            column: site.column,
            before: file.text[span.clone()].to_owned(),
            span,
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

/// A file's text after all edits of this file, which must not overlap; `None` if there are none.
pub fn apply_all(edits: &[Edit], path: &Utf8Path, text: &str) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().filter(|edit| edit.file == path).collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut edits = edits.into_iter();
    let last = edits.next()?.apply(text);
    Some(edits.fold(last, |text, edit| edit.apply(&text)))
}

/// What goes with a statement that is left out, so that neither an empty line nor spaces remain in its place: its whole
/// lines, if there is nothing else on them, and one of two empty lines around it.
fn left_out(text: &str, span: &Range<usize>) -> Range<usize> {
    let is_blank = |text: &str| text.trim().is_empty();
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |at| span.end + at + 1);
    let (before, after) = (&text[start..span.start], &text[span.end..end]);
    if !is_blank(before) || !is_blank(after) {
        let spaces = |text: &str| text.len() - text.trim_start().len();
        return match is_blank(after) {
            true => span.start - (before.len() - before.trim_end().len())..span.end,
            false => span.start..span.end + spaces(after),
        };
    }
    let above = text[..start].strip_suffix('\n');
    let above = above.map(|above| &above[above.rfind('\n').map_or(0, |at| at + 1)..]);
    let below = text[end..].split_inclusive('\n').next();
    let closes = below.is_some_and(|below| below.trim_start().starts_with('}'));
    match (above, below) {
        (Some(above), Some(below))
            if is_blank(below) && (is_blank(above) || above.trim_end().ends_with('{')) =>
        {
            start..end + below.len()
        }
        (Some(above), _) if is_blank(above) && (below.is_none() || closes) => {
            start - above.len() - 1..end
        }
        _ => start..end,
    }
}

/// Writes edits that add lines in the layout of the file.
struct EditWriter<'a> {
    layout: &'a dyn Layout,
    /// The file's text.
    text: &'a str,
    site: &'a Site,
}

impl EditWriter<'_> {
    /// The text before the site on its line.
    fn indent(&self) -> &str {
        let before = &self.text[..self.site.span.start];
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// The replacement of a deleted statement.
    fn nothing(&self) -> &'static str {
        let unbraced = self.layout.unbraced(self.text, &self.site.span);
        unbraced.map_or("", |unbraced| unbraced.nothing)
    }

    /// One level of indentation.
    fn step(&self) -> String {
        match self.indent().starts_with('\t') {
            true => "\t".to_owned(),
            false => self.layout.indentation(self.text),
        }
    }

    fn newline(&self) -> &'static str {
        let has_crlf = self.text[..self.site.span.end].contains("\r\n");
        if has_crlf { "\r\n" } else { "\n" }
    }

    /// The condition with the opening of its block, and the closing, which is empty if the file omits the
    /// braces around single statements.
    fn block(&self, condition: &str, is_statement_list: bool) -> (String, &'static str) {
        let head = self.site.template.head(condition);
        match self.site.template.block {
            Some(block) if is_statement_list || !self.layout.omits_braces(self.text) => {
                (format!("{head} {}", block.open), block.close)
            }
            _ => (head, ""),
        }
    }

    /// `if CONDITION { BODY }` or `assert!(CONDITION);` before the statement at the site, on lines of its own if
    /// the statement starts its line.
    fn leave(&self, condition: &str) -> String {
        let site = self.site;
        let (indent, newline) = (self.indent(), self.newline());
        let has_lines = indent.trim().is_empty();
        let is_at_end = self.text[site.span.end..].starts_with('}');
        if let Some((assertion, message)) = site.assertion() {
            let assertion = assertion.text(condition, message);
            return match has_lines {
                true if is_at_end => format!("{}{assertion}{newline}{indent}", self.step()),
                true => format!("{assertion}{newline}{indent}"),
                false => format!("{assertion} "),
            };
        }
        if !has_lines {
            return site.template.line(site, condition);
        }
        let (open, close) = self.block(condition, false);
        let (step, body) = (self.step(), &site.body);
        // At the end of a loop the brace stays where it is.
        if is_at_end {
            let inner = format!("{indent}{step}");
            return format!(
                "{step}{open}{newline}{inner}{step}{body}{newline}{inner}{close}{newline}{indent}"
            );
        }
        let inside = format!("{open}{newline}{indent}{step}{body}{newline}{indent}");
        match close {
            "" => inside,
            _ => format!("{inside}{close}{newline}{indent}"),
        }
    }

    /// `if CONDITION { STATEMENT }`, on several lines if the statement has lines of its own.
    fn wrap(&self, condition: &str) -> String {
        let Self { layout, text, site } = self;
        let unbraced = layout.unbraced(text, &site.span);
        if unbraced.is_some_and(|unbraced| unbraced.has_else) {
            return site.template.shielded_line(site, condition);
        }
        let (indent, newline) = (self.indent(), self.newline());
        let rest = text[site.span.end..]
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start();
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let alone = indent.trim().is_empty() && (rest.is_empty() || is_comment);
        if !alone {
            return site.template.line(site, condition);
        }
        let step = self.step();
        let mut body = String::new();
        let in_literal = layout.lines_inside_literals(&site.text);
        for (number, line) in site.text.split_inclusive('\n').enumerate() {
            // A line that starts inside a string literal is part of its value.
            if number > 0 && !in_literal.contains(&number) && !line.trim().is_empty() {
                body.push_str(&step);
            }
            body.push_str(line);
        }
        let (open, close) = self.block(condition, site.kind.info().is_statement_list);
        let inside = format!("{open}{newline}{indent}{step}{body}");
        match close {
            "" => inside,
            _ => format!("{inside}{newline}{indent}{close}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::template::Template;
    use crate::source::{FileIndex, FunctionIndex, Language, SiteKind};

    fn wrapped(text: &str, statement: &str) -> String {
        wrapped_in(Language::Rust, text, statement)
    }

    fn site(kind: SiteKind, template: Template) -> Site {
        Site {
            id: String::new(),
            kind,
            file: FileIndex::new(0),
            span: 0..0,
            line: 1,
            column: 1,
            text: String::new(),
            parts: Vec::new(),
            body: String::new(),
            body_origin: crate::source::BodyOrigin::Own,
            checks: 0,
            min_binding: template.min_binding,
            template,
            function: FunctionIndex::new(0),
            names: Arc::default(),
            is_argument: false,
            is_pure: None,
        }
    }

    fn wrapped_in(language: Language, text: &str, statement: &str) -> String {
        let start = text.find(statement).unwrap();
        let template = language.template(SiteKind::Statement).unwrap();
        let site = Site {
            span: start..start + statement.len(),
            text: statement.to_string(),
            ..site(SiteKind::Statement, template)
        };
        let writer = EditWriter {
            layout: language.layout(),
            text,
            site: &site,
        };
        let after = writer.wrap("c");
        format!("{}{after}{}", &text[..start], &text[site.span.end..])
    }

    /// The text without a statement.
    fn without(text: &str, statement: &str) -> String {
        let start = text.find(statement).unwrap();
        let span = left_out(text, &(start..start + statement.len()));
        format!("{}{}", &text[..span.start], &text[span.end..])
    }

    #[test]
    fn a_statement_that_is_left_out_leaves_no_line_and_no_spaces() {
        assert_eq!(
            without("{\n    a();\n    b();\n}", "a();"),
            "{\n    b();\n}"
        );
        assert_eq!(
            without("{\n    a();\n\n    x();\n\n    b();\n}", "x();"),
            "{\n    a();\n\n    b();\n}"
        );
        assert_eq!(
            without("{\r\n\ta();\r\n\r\n\tx();\r\n}", "x();"),
            "{\r\n\ta();\r\n}"
        );
        assert_eq!(without("{\n  x();\n\n  b();\n}", "x();"), "{\n  b();\n}");
        assert_eq!(without("{\n  x(1,\n    2);\n}", "x(1,\n    2);"), "{\n}");
        // What else is on the line stays.
        assert_eq!(without("{\n  x(); // why\n}", "x();"), "{\n  // why\n}");
        assert_eq!(without("{ a(); x(); b(); }", "x();"), "{ a(); b(); }");
        assert_eq!(without("  a(); x();\n}", "x();"), "  a();\n}");
    }

    #[test]
    fn a_guard_at_the_end_of_a_loop_is_inside_of_it() {
        let text = "    for x in v {\n        f(x);\n    }\n";
        let template = Language::Rust.template(SiteKind::EarlyExit).unwrap();
        let at = text.find('}').unwrap();
        let site = Site {
            span: at..at,
            body: "break;".to_owned(),
            ..site(SiteKind::EarlyExit, template)
        };
        let writer = EditWriter {
            layout: Language::Rust.layout(),
            text,
            site: &site,
        };
        let patched = format!("{}{}{}", &text[..at], writer.leave("x > 3"), &text[at..]);
        let wanted = "    for x in v {\n        f(x);\n        if x > 3 {\n            break;\n        }\n    }\n";
        assert_eq!(patched, wanted);
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
    fn in_c_a_statement_has_braces_if_others_have() {
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
    fn in_c_an_else_belongs_to_the_same_if_as_before() {
        let sparing = "{\n  if (a)\n    b();\n  /* or */ else\n    d();\n}";
        assert_eq!(
            wrapped_in(Language::C, sparing, "b();"),
            "{\n  if (a)\n    { if (c) { b(); } }\n  /* or */ else\n    d();\n}"
        );
        assert_eq!(
            wrapped_in(Language::C, "{ if (a) b(); else d(); }", "b();"),
            "{ if (a) { if (c) { b(); } } else d(); }"
        );
        let layout = Language::C.layout();
        let nothing = |text: &str| {
            let start = text.find("b();").unwrap();
            let unbraced = layout.unbraced(text, &(start..start + 4));
            unbraced.map(|unbraced| unbraced.nothing)
        };
        assert_eq!(nothing("while (a) b(); d();"), Some(";"));
        assert_eq!(nothing("if (a) d(); else\n  b();"), Some(";"));
        assert_eq!(nothing("case 1: b(); }"), Some(";"));
        assert_eq!(nothing("if (a) // \"why\"\n  b();"), Some(";"));
        assert_eq!(nothing("if (a) /* why */ b();"), Some(";"));
        assert_eq!(nothing("a(\"//\"); b();"), None);
        assert_eq!(nothing("if (a) { b(); }"), None);
        assert_eq!(nothing("a(); b();"), None);
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
