//! Errors of rustc as diagnostics with byte ranges.

use cargo_metadata::diagnostic::Diagnostic;

use crate::subject::workspace::{self, Span};

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
            spans.push(Span {
                file: current.file_name.clone().into(),
                bytes: current.byte_start as usize..current.byte_end as usize,
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
