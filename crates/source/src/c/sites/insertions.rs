//! Insertion points: for early exits, and around several statements that can be skipped together.

use std::ops::Range;

use tree_sitter::Node;

use super::Finder;
use crate::SiteKind;
use crate::c::early_exits::{self, InsertionPoint};
use crate::c::syntax::{children, text_of};
use crate::runs::runs;

impl Finder<'_> {
    /// Adds the sites of all early exits before a statement.
    pub(super) fn insertion_point(&mut self, statement: Node) {
        let is_statement =
            statement.kind().ends_with("_statement") || statement.kind() == "declaration";
        let is_excluded = matches!(
            statement.kind(),
            "case_statement" | "labeled_statement" | "break_statement" | "continue_statement"
        );
        if !is_statement || is_excluded || self.scopes.is_unreachable() {
            return;
        }
        let at = statement.start_byte();
        let names = self.scopes.visible();
        let function = &self.sources.functions[self.function];
        let point = InsertionPoint {
            names: &names,
            in_loop: self.break_targets.iter().any(|target| target.is_loop),
            // There, `break` would leave the `switch`.
            in_switch: self
                .break_targets
                .last()
                .is_some_and(|target| !target.is_loop),
            labels: &self.labels,
            at,
            before: text_of(statement, self.text),
        };
        let checks = u32::from(point.is_before_check());
        let bodies = early_exits::bodies(self.sources, function, &point, self.facts.declarations);
        for (body, origin) in bodies {
            self.site_with(SiteKind::EarlyExit, at..at, body, (origin, checks), true);
        }
    }

    /// The runs of consecutive statements: see [`runs`].
    pub(super) fn runs(all: &[Node]) -> Vec<Range<usize>> {
        let is_skippable = all.iter().map(|statement| is_skippable(*statement));
        runs(&is_skippable.collect::<Vec<_>>())
    }

    /// Adds the site of a run.
    pub(super) fn run(&mut self, all: &[Node], run: &Range<usize>) {
        let parts: Vec<Range<usize>> = all[run.clone()].iter().map(Node::byte_range).collect();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return;
        };
        let span = first.start..last.end;
        let before = self.sources.sites.len();
        self.site(SiteKind::Statements, span);
        for site in self.sources.sites.iter_mut().skip(before) {
            site.parts.clone_from(&parts);
        }
    }
}

/// Whether the program compiles without a statement.
pub(super) fn is_skippable(statement: Node) -> bool {
    match statement.kind() {
        // Without the `break` of a `case`, control falls through.
        "break_statement" | "continue_statement" => true,
        "expression_statement" => matches!(
            children(statement).first().map(Node::kind),
            Some("call_expression" | "assignment_expression" | "update_expression")
        ),
        _ => false,
    }
}
