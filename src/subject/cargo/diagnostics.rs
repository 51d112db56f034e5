//! Reads what cargo prints: its messages, and errors of rustc as diagnostics with byte ranges.

use std::io::{self, BufRead};

use cargo_metadata::Message;
use cargo_metadata::diagnostic::Diagnostic;
use nopol_basics::stack::on_large;

use crate::subject::workspace::{self, Span};

/// The messages in what cargo prints, one for each line. Macros of the subject can print lines of their own, which
/// are text.
///
/// # Errors
/// If what is printed cannot be read.
pub fn messages(mut printed: impl BufRead) -> impl Iterator<Item = io::Result<Message>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match printed.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => Some(message(&line)),
            Err(error) => Some(Err(error)),
        }
    })
}

/// How deep messages usually nest, at most.
const DEEP: usize = 100;
/// How deep a message may nest, because reading it is recursive. Each macro call around an error takes two levels,
/// and rustc allows 128 calls unless the subject asks for more.
const DEEPEST: usize = 2000;

/// The message in one line; text if it is none, or nests too deeply.
fn message(line: &[u8]) -> io::Result<Message> {
    let line = String::from_utf8_lossy(line);
    let text = || Message::TextLine(line.trim_end_matches('\n').to_owned());
    let read = || Message::parse_stream(line.as_bytes()).next();
    let depth = depth(&line);
    let message = match (depth <= DEEP, depth <= DEEPEST) {
        (true, _) => read(),
        (false, true) => on_large(read),
        (false, false) => None,
    };
    message.unwrap_or_else(|| Ok(text()))
}

/// How deep the lists and objects of a JSON text nest.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// An error of rustc, with its locations and the macro calls that they were expanded from.
pub fn diagnostic(error: &Diagnostic) -> workspace::Diagnostic {
    let mut spans = Vec::new();
    collect(error, true, &mut spans);
    workspace::Diagnostic {
        code: error
            .code
            .as_ref()
            .map_or_else(String::new, |code| code.code.clone()),
        message: error.message.clone(),
        rendered: error.rendered.clone().unwrap_or_default(),
        spans,
    }
}

/// Collects the spans of an error and its notes; `is_own` is set for the error itself.
fn collect(error: &Diagnostic, is_own: bool, spans: &mut Vec<Span>) {
    for span in &error.spans {
        let mut at = Some(span);
        while let Some(current) = at {
            let (start, end) = (current.byte_start as usize, current.byte_end as usize);
            spans.push(Span {
                file: current.file_name.clone().into(),
                // A macro can print a message of its own.
                bytes: start..end.max(start),
                is_primary: span.is_primary && is_own,
                label: current
                    .label
                    .clone()
                    .filter(|_| is_own && std::ptr::eq(current, span)),
            });
            at = current.expansion.as_ref().map(|expansion| &expansion.span);
        }
    }
    for child in &error.children {
        collect(child, false, spans);
    }
}

#[cfg(test)]
mod tests;
