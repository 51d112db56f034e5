//! Which statements are in which: the outline of a program as a tree.

use nopol_program::ir::{Outlined, Span};

/// The statements of a file, found by where they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline<'p> {
    statements: &'p [Outlined],
}

impl<'p> Outline<'p> {
    /// An outline of these statements and blocks; each block precedes its content.
    pub(super) const fn new(statements: &'p [Outlined]) -> Self {
        Self { statements }
    }

    /// The innermost statement around something.
    pub(super) fn around(&self, span: Span) -> Option<Outlined> {
        self.statements
            .iter()
            .filter(|outer| contains(outer.span, span))
            .min_by_key(|outer| outer.span.end - outer.span.start)
            .copied()
    }

    /// Whether this is a statement or block.
    pub(super) fn has(&self, span: Span) -> bool {
        self.statements.iter().any(|outlined| outlined.span == span)
    }

    /// The innermost statement or block around a statement.
    pub(super) fn parent(&self, of: Span) -> Option<Outlined> {
        self.statements
            .iter()
            .filter(|outer| outer.span != of && contains(outer.span, of))
            .min_by_key(|outer| outer.span.end - outer.span.start)
            .copied()
    }

    /// What is directly in a statement, in order.
    pub(super) fn children(&self, of: Span) -> Vec<Outlined> {
        let mut children: Vec<Outlined> = Vec::new();
        let inside = self
            .statements
            .iter()
            .filter(|inner| inner.span != of && contains(of, inner.span));
        for inner in inside {
            if !children
                .iter()
                .any(|child| contains(child.span, inner.span))
            {
                children.push(*inner);
            }
        }
        children
    }
}

/// Whether one span is within the other.
pub(super) const fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
