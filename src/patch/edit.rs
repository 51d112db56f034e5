//! Edits: a byte range of a file and its replacement.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_source::layout::Layout;
use nopol_source::{Form, Site, Sources};

use super::comments::{self, line_start};

/// A replacement in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, relative to the subject's root.
    pub file: Utf8PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The replaced bytes.
    pub span: Range<usize>,
    /// The bytes that readers should look at, if formatting widened the edit: those that it replaced before it was
    /// formatted.
    pub mark: Option<Range<usize>>,
    /// The replaced text.
    pub before: String,
    /// The replacement.
    pub after: String,
}

impl Edit {
    /// Depending on the kind of site, replaces its condition, wraps its statement in a condition, or inserts one.
    /// Deletes a statement whose condition is always false.
    pub fn at(sources: &Sources, site: &Site, condition: &str) -> Self {
        let file = &sources.files[site.file];
        let text = &*file.text;
        let writer = EditWriter::new(sources.language.layout(), text, site);
        let (span, after) = match site.kind.form() {
            Form::Wrap if condition == sources.language.truth(file, false) => {
                let nothing = writer.nothing();
                let span = match nothing.is_empty() {
                    true => left_out(text, &site.span),
                    false => site.span.clone(),
                };
                (span, nothing.to_owned())
            }
            Form::Wrap => writer.wrap(condition),
            Form::Leave => writer.leave(condition),
            Form::Replace | Form::Branch | Form::Narrow | Form::Compute => {
                let line = site.template.line(site, condition);
                match writer.operand_above_comments(&line) {
                    Some((start, line)) => (start..site.span.end, line),
                    None => (site.span.clone(), line),
                }
            }
        };
        // An edit that includes the comments above starts at the first of them.
        let (line, column) = match writer.start < site.span.start && span.start <= writer.start {
            true => {
                let before = &text[..writer.start];
                let line = &text[line_start(text, writer.start)..writer.start];
                (before.matches('\n').count() + 1, line.chars().count() + 1)
            }
            false => (site.line, site.column),
        };
        Self {
            file: file.path.clone(),
            line,
            column,
            before: text[span.clone()].to_owned(),
            span,
            mark: None,
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

/// The span to delete with a statement, so that neither an empty line nor spaces remain: its whole lines, if they
/// contain nothing else, and one of two empty lines around it.
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

/// Writes edits that add lines, in the layout of the file.
struct EditWriter<'a> {
    layout: &'a dyn Layout,
    /// The file's text.
    text: &'a str,
    site: &'a Site,
    /// The byte where the statement, or the first comment that belongs to it, starts.
    start: usize,
}

impl<'a> EditWriter<'a> {
    fn new(layout: &'a dyn Layout, text: &'a str, site: &'a Site) -> Self {
        let at = site.span.start;
        let start = match site.kind.form() {
            // At the end of a loop there is no statement that could have comments.
            Form::Leave if text[at..].starts_with('}') => at,
            Form::Replace
            | Form::Wrap
            | Form::Leave
            | Form::Branch
            | Form::Narrow
            | Form::Compute => comments::start(layout, text, at),
        };
        Self {
            layout,
            text,
            site,
            start,
        }
    }

    /// A condition with a new operand before the old one, and the byte where the replaced text starts. If a comment
    /// above the old condition explains why its `unsafe` code is sound, the operand goes above that comment. `None`
    /// without such a comment.
    fn operand_above_comments(&self, line: &str) -> Option<(usize, String)> {
        /// The start of such a comment.
        const SAFETY: &str = "SAFETY:";
        let old = self.start..self.site.span.end;
        let condition = &self.text[self.site.span.clone()];
        let operand = line.strip_suffix(condition)?.trim_end();
        let above = &self.text[old.start..self.site.span.start];
        let is_above = above.contains(SAFETY) && above.contains('\n');
        let is_operand = operand.ends_with("&&") || operand.ends_with("||");
        (is_above && is_operand).then(|| {
            let (newline, indent) = (self.newline(), self.indent());
            let old = &self.text[old.clone()];
            (self.start, format!("{operand}{newline}{indent}{old}"))
        })
    }

    /// The text on the line before the statement and its comments.
    fn before(&self) -> &'a str {
        &self.text[line_start(self.text, self.start)..self.start]
    }

    /// The white space before the statement on its line. If other text precedes the statement, that text.
    fn indent(&self) -> &'a str {
        let line = &self.text[line_start(self.text, self.site.span.start)..self.site.span.start];
        match line_start(self.text, self.start) == line_start(self.text, self.site.span.start) {
            true => self.before(),
            // Only comments are before it on this line.
            false => &line[..line.len() - line.trim_start().len()],
        }
    }

    /// The byte at which to insert lines above the comments, and the indentation of the first one. Comments may be
    /// indented differently from their statement.
    fn opening(&self) -> (usize, &'a str) {
        match self.before() == self.indent() {
            true => (self.start, ""),
            false => (line_start(self.text, self.start), self.indent()),
        }
    }

    /// The replacement of a removed statement.
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

    /// The condition with the opening of its block, and the closing of the block. The closing is empty if the file
    /// omits the braces around single statements.
    fn block(&self, condition: &str, is_statement_list: bool) -> (String, &'static str) {
        let head = self.site.template.head(condition);
        match self.site.template.block {
            Some(block) if is_statement_list || !self.layout.omits_braces(self.text) => {
                (format!("{head} {}", block.open), block.close)
            }
            _ => (head, ""),
        }
    }

    /// Inserts `if CONDITION { BODY }` or `assert!(CONDITION);` before the statement at the site and its comments, on
    /// separate lines if they start their line.
    fn leave(&self, condition: &str) -> (Range<usize>, String) {
        let site = self.site;
        let (indent, newline) = (self.indent(), self.newline());
        let has_lines = self.before().trim().is_empty();
        let is_at_end = self.text[site.span.end..].starts_with('}');
        let assertion = site
            .assertion()
            .map(|(it, message)| it.text(condition, message));
        if !has_lines {
            let text = match assertion {
                Some(assertion) => format!("{assertion} "),
                None => site.template.line(site, condition),
            };
            return (self.start..self.start, text);
        }
        let step = self.step();
        // At the end of a loop the closing brace stays where it is.
        let (outer, inner) = match is_at_end {
            true => (step.as_str(), format!("{indent}{step}")),
            false => ("", indent.to_owned()),
        };
        let guard = assertion.unwrap_or_else(|| {
            let statements = self.layout.statements(&site.body);
            let (open, close) = self.block(condition, statements.len() > 1);
            let lines = statements
                .iter()
                .map(|it| format!("{newline}{inner}{step}{it}"));
            let inside = format!("{open}{}", lines.collect::<String>());
            match close {
                "" => inside,
                _ => format!("{inside}{newline}{inner}{close}"),
            }
        });
        let (at, opening) = self.opening();
        let before = self.before();
        (
            at..self.start,
            format!("{opening}{outer}{guard}{newline}{before}"),
        )
    }

    /// `if CONDITION { STATEMENT }`, on several lines if nothing else is on the statement's lines. Comments that belong
    /// to the statement go into the block.
    fn wrap(&self, condition: &str) -> (Range<usize>, String) {
        let (layout, text, site) = (self.layout, self.text, self.site);
        let unbraced = layout.unbraced(text, &site.span);
        let needs_shield = unbraced.is_some_and(|unbraced| unbraced.has_else);
        let end = comments::end(layout, text, &site.span);
        let (indent, newline) = (self.indent(), self.newline());
        let rest = text[end..].lines().next().unwrap_or_default().trim();
        let alone = self.before().trim().is_empty() && rest.is_empty();
        let has_comments = self.start < site.span.start || end > site.span.end;
        if !alone || needs_shield && !has_comments {
            return self.wrap_in_line(condition, needs_shield);
        }
        let step = self.step();
        let mut body = String::new();
        let inside = &text[self.start..end];
        let in_literal = layout.lines_inside_literals(inside);
        for (number, line) in inside.split_inclusive('\n').enumerate() {
            // A line that starts inside a string literal is part of the literal, so it keeps its indentation.
            if number > 0 && !in_literal.contains(&number) && !line.trim().is_empty() {
                body.push_str(&step);
            }
            body.push_str(line);
        }
        let is_list = needs_shield || site.kind.info().is_statement_list;
        let (open, close) = self.block(condition, is_list);
        let [shield_open, shield_close] = match site.template.block {
            Some(block) if needs_shield => block.shield,
            _ => ["", ""],
        };
        let (at, opening) = self.opening();
        let inside = format!("{opening}{shield_open}{open}{newline}{indent}{step}{body}");
        let after = match close {
            "" => inside,
            _ => format!("{inside}{newline}{indent}{close}{shield_close}"),
        };
        (at..end, after)
    }

    /// `if CONDITION { STATEMENT }` on one line. The comments before the statement on its line go into the block.
    fn wrap_in_line(&self, condition: &str, needs_shield: bool) -> (Range<usize>, String) {
        let Range { start, end } = self.site.span;
        let is_in_line = !self.text[self.start..start].contains('\n');
        let from = if is_in_line { self.start } else { start };
        let template = &self.site.template;
        let frame = match needs_shield {
            true => template.shielded_frame(self.site),
            false => template.frame(self.site),
        };
        let inside = &self.text[from..end];
        let parts = [
            &*frame.before,
            condition,
            &frame.after,
            inside,
            &frame.at_end,
        ];
        (from..end, parts.concat())
    }
}

#[cfg(test)]
mod tests;
