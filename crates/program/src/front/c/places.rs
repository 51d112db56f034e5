//! Places: the statements that may be wrong.

use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator, lex};
use crate::ir::{Outside, Place, PlaceId, PlaceKind, Span};

/// What only brings in the input, or memory: neither can be wrong.
pub(super) const INPUT: [&str; 14] = [
    "atoi", "atol", "atoll", "strtol", "strtoll", "getchar", "getc", "fgetc", "scanf", "fgets",
    "gets", "fread", "malloc", "calloc",
];

impl Translator<'_> {
    /// What is outside, and where.
    pub(super) fn error_at(&self, span: Span, reason: String) -> Outside {
        let (file, line) = match self.files.get(span.file as usize) {
            Some((path, text)) => (path.clone(), line(text, span.start)),
            None => Default::default(),
        };
        Outside { file, line, reason }
    }

    /// An error here.
    pub(super) fn error(&self, syntax: Syntax<'_>, reason: impl Into<String>) -> Outside {
        self.error_at(syntax.span(), reason.into())
    }

    /// Fails here.
    pub(super) fn outside<T>(
        &self,
        syntax: Syntax<'_>,
        reason: impl Into<String>,
    ) -> Translated<T> {
        Err(self.error(syntax, reason))
    }

    /// How it is written, on one line.
    pub(super) fn written(&self, syntax: Syntax<'_>) -> String {
        let span = syntax.span();
        let text = self
            .files
            .get(span.file as usize)
            .map_or("", |(_, text)| text);
        on_one_line(
            text.get(span.start as usize..span.end as usize)
                .unwrap_or_default(),
        )
    }

    /// A place at this expression of the current statement.
    pub(super) fn place(&mut self, kind: PlaceKind, expression: Syntax<'_>) -> Option<PlaceId> {
        let place = self.place_at(kind, expression)?;
        Some(self.program.places.push_and_get_key(place))
    }

    /// What is computed at a place has this type: of an enumeration the source names the values.
    pub(super) fn note_type(&mut self, place: Option<PlaceId>, ty: &Type) {
        if let Some(place) = place {
            self.program.places[place].names = ty.members();
        }
    }

    /// Notes that a structure is written as a whole.
    pub(super) fn note_whole(&mut self, expression: Syntax<'_>) {
        let place = self.place_at(PlaceKind::Value, expression);
        self.program.wholes.extend(place);
    }

    fn place_at(&self, kind: PlaceKind, expression: Syntax<'_>) -> Option<Place> {
        if expression.source.is_library || self.is_folding {
            return None;
        }
        let span = expression.span();
        let (_, text) = self.files.get(span.file as usize)?;
        let start = match kind {
            PlaceKind::Condition => span.start,
            PlaceKind::Value | PlaceKind::Return => self.statement.start,
        };
        let part = |start: u32, end: u32| {
            on_one_line(text.get(start as usize..end as usize).unwrap_or_default())
        };
        Some(Place {
            kind,
            function: self.function.as_ref().map(|function| function.id),
            span,
            target: None,
            line: line(text, start),
            column: column(text, span.start),
            text: part(self.statement.start, self.statement.end),
            offset: part(self.statement.start, span.start).len(),
            names: Vec::new(),
            is_character: false,
        })
    }

    /// A place at the value of an assignment, unless the value cannot be wrong.
    pub(super) fn value_place(&mut self, value: Syntax<'_>) -> Option<PlaceId> {
        if self.is_input(value) {
            None
        } else {
            self.place(PlaceKind::Value, value)
        }
    }

    /// Does something for a statement or a header that is written there.
    pub(super) fn at_statement<T>(
        &mut self,
        span: Span,
        within: impl FnOnce(&mut Self) -> Translated<T>,
    ) -> Translated<T> {
        let before = std::mem::replace(&mut self.statement, span);
        let result = within(self);
        self.statement = before;
        result
    }

    fn is_input(&self, value: Syntax<'_>) -> bool {
        let value = value.without_parentheses();
        match value.kind() {
            "cast_expression" => value
                .field("value")
                .is_some_and(|value| self.is_input(value)),
            "call_expression" => value.field("function").is_some_and(|function| {
                INPUT.contains(&function.text()) && self.routine(function.text()).is_none()
            }),
            "subscript_expression" => value
                .field("argument")
                .is_some_and(|array| self.is_argv(array)),
            _ => false,
        }
    }

    /// Whether this is the second parameter of `main`.
    fn is_argv(&self, syntax: Syntax<'_>) -> bool {
        let argv = self
            .function
            .as_ref()
            .and_then(|function| function.arguments);
        match self.symbol(syntax.text()) {
            Some(super::Symbol::Variable { id, .. }) => Some(*id) == argv,
            _ => false,
        }
    }
}

/// The line of a byte, counted from 1.
fn line(text: &str, at: u32) -> u32 {
    let before = text.as_bytes().get(..at as usize).unwrap_or_default();
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines).map_or(u32::MAX, |lines| lines + 1)
}

/// The column of a byte in characters, counted from 1.
fn column(text: &str, at: u32) -> u32 {
    let before = text.get(..at as usize).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    u32::try_from(before[start..].chars().count()).map_or(u32::MAX, |column| column + 1)
}

/// The text without comments and with single blanks.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    for token in lex::tokens(text, 0) {
        if token.is_spaced && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&token.text);
    }
    line
}
