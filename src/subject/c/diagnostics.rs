//! Reads the output of C compilers as errors with byte ranges: gcc's JSON, or the plain lines that every
//! compiler prints.

use std::collections::BTreeMap;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::shim;
use crate::subject::workspace::{Diagnostic, Span};

#[derive(Debug, Deserialize)]
struct Entry {
    kind: String,
    message: String,
    #[serde(default)]
    option: String,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    children: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Location {
    caret: Point,
    start: Option<Point>,
    finish: Option<Point>,
}

#[derive(Clone, Debug, Deserialize)]
struct Point {
    file: Utf8PathBuf,
    line: usize,
    /// In bytes, from 1. Old compilers report only this one.
    column: i64,
    #[serde(rename = "byte-column")]
    byte_column: Option<i64>,
}

/// The errors in the output of compilers that built the working copy in `root`. File names are absolute.
pub fn read(root: &Utf8Path, printed: &str) -> Vec<Diagnostic> {
    let mut reader = Reader {
        dir: root.to_owned(),
        texts: BTreeMap::new(),
    };
    let mut errors = Vec::new();
    for line in printed.lines() {
        if let Some(dir) = line.strip_prefix(shim::DIRECTORY) {
            reader.dir = dir.into();
            continue;
        }
        let entries: Option<Vec<Entry>> = line
            .starts_with('[')
            .then(|| serde_json::from_str(line).ok())
            .flatten();
        match entries {
            Some(entries) => {
                let of_kind = entries.iter().filter(|entry| entry.kind.contains("error"));
                errors.extend(of_kind.map(|entry| reader.diagnostic(entry)));
            }
            None => errors.extend(reader.line(line)),
        }
    }
    errors
}

/// For each line number of a file, the offset and length of the lines with this number.
/// The code of an error that a bit-field has no address. Compilers of C give errors none.
const OF_BIT_FIELD: &str = "E-bit-field";

/// A code for what a compiler says is wrong; empty if there is none.
fn code(message: &str) -> &'static str {
    match message.contains("bit-field") {
        true => OF_BIT_FIELD,
        false => "",
    }
}

type Lines = BTreeMap<usize, Vec<(usize, usize)>>;

struct Reader {
    /// The directory in which the current compiler ran.
    dir: Utf8PathBuf,
    texts: BTreeMap<Utf8PathBuf, Lines>,
}

impl Reader {
    fn diagnostic(&mut self, entry: &Entry) -> Diagnostic {
        let mut spans = Vec::new();
        self.spans(entry, true, &mut spans);
        let place = entry.locations.first().map(|location| &location.caret);
        let place = place.map_or_else(String::new, |caret| {
            format!("{}:{}:{}: ", caret.file, caret.line, caret.column)
        });
        Diagnostic {
            code: match code(&entry.message) {
                "" => entry.option.clone(),
                code => code.to_owned(),
            },
            message: entry.message.clone(),
            rendered: format!("{place}{}: {}", entry.kind, entry.message),
            spans,
        }
    }

    fn spans(&mut self, entry: &Entry, is_own: bool, spans: &mut Vec<Span>) {
        for (nth, location) in entry.locations.iter().enumerate() {
            let start = location.start.as_ref().unwrap_or(&location.caret);
            let finish = location.finish.as_ref().unwrap_or(&location.caret);
            let (Some(from), Some(to)) = (self.offset(start), self.offset(finish)) else {
                continue;
            };
            spans.push(Span {
                file: self.dir.join(&start.file),
                bytes: from..to.max(from) + 1,
                is_primary: is_own && nth == 0,
                label: None,
            });
        }
        for child in &entry.children {
            self.spans(child, false, spans);
        }
    }

    /// Parses what a linker prints: `ld: file:line: undefined reference to …`, without debug information
    /// `file:(.text+0x1): undefined reference to …`.
    fn undefined(&mut self, line: &str) -> Option<Diagnostic> {
        let (place, name) = line.split_once(": undefined reference to ")?;
        let place = place.rsplit(": ").next()?;
        let (file, row) = place.rsplit_once(':')?;
        let point = row.parse().map(|line| Point {
            file: file.into(),
            line,
            column: 1,
            byte_column: None,
        });
        let at = point.ok().and_then(|point| self.offset(&point));
        let span = at.map(|at| Span {
            file: self.dir.join(file),
            bytes: at..at + 1,
            is_primary: true,
            label: None,
        });
        Some(Diagnostic {
            code: String::new(),
            message: format!("undefined reference to {name}"),
            rendered: line.to_owned(),
            spans: span.into_iter().collect(),
        })
    }

    /// Parses `file:line:column: error: message`.
    fn line(&mut self, line: &str) -> Option<Diagnostic> {
        if let Some(undefined) = self.undefined(line) {
            return Some(undefined);
        }
        let (place, message) = line
            .split_once(": error: ")
            .or_else(|| line.split_once(": fatal error: "))?;
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let row = parts.next()?.parse().ok()?;
        let point = Point {
            file: parts.next()?.into(),
            line: row,
            column,
            byte_column: None,
        };
        let at = self.offset(&point);
        let span = at.map(|at| Span {
            file: self.dir.join(&point.file),
            bytes: at..at + 1,
            is_primary: true,
            label: None,
        });
        Some(Diagnostic {
            code: code(message).to_owned(),
            message: message.to_owned(),
            rendered: line.to_owned(),
            spans: span.into_iter().collect(),
        })
    }

    /// The offset of a point in its file. Lines are numbered according to `#line`; if several lines have the
    /// same number, the first one that is long enough is meant.
    fn offset(&mut self, point: &Point) -> Option<usize> {
        let path = self.dir.join(&point.file);
        // The name is whatever was printed; a device would not end.
        let text = || {
            path.is_file()
                .then(|| fs::read_to_string(&path).ok())
                .flatten()
        };
        let known = self.texts.entry(path.clone());
        let of_number = known
            .or_insert_with(|| lines(&text().unwrap_or_default()))
            .get(&point.line)?;
        let column = point.byte_column.unwrap_or(point.column);
        // Compilers do not report columns that are very far to the right.
        let before = usize::try_from(column).unwrap_or(1).saturating_sub(1);
        let fitting = of_number.iter().find(|(_, length)| before < *length);
        let (start, _) = fitting.or(of_number.first())?;
        Some(start + before)
    }
}

/// The offset and length of each line, by its number.
fn lines(text: &str) -> Lines {
    let mut lines = Lines::new();
    let (mut number, mut at) = (1_usize, 0);
    for line in text.split_inclusive('\n') {
        // A name is in a comment.
        let directive = line
            .strip_prefix("#line ")
            .and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        match directive {
            Some(next) => number = next,
            None => {
                lines
                    .entry(number)
                    .or_default()
                    .push((at, line.trim_end().len()));
                // Nobody has that many lines, but `#line` can say so.
                number = number.saturating_add(1);
            }
        }
        at += line.len();
    }
    lines
}

#[cfg(test)]
mod tests;
