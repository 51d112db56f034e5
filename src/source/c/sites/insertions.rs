//! Insertion points: for early exits, and around several statements that can be skipped together.

use tree_sitter::Node;

use super::Finder;
use crate::source::SiteKind;
use crate::source::c::early_exits::{self, InsertionPoint};
use crate::source::c::syntax::{children, text_of};

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
            before: text_of(statement, self.text),
        };
        let at = statement.start_byte();
        let checks = u32::from(point.is_before_check());
        let bodies = early_exits::bodies(self.sources, function, &point, self.facts.declarations);
        for (body, origin) in bodies {
            self.site_with(SiteKind::EarlyExit, at..at, body, (origin, checks), true);
        }
    }

    /// Adds a site for the longest list of statements that starts here and can be skipped together.
    pub(super) fn statement_list(&mut self, all: &[Node], nth: usize) {
        let starts = is_skippable(all[nth]) && (nth == 0 || !is_skippable(all[nth - 1]));
        let length = all[nth..]
            .iter()
            .take_while(|statement| is_skippable(**statement))
            .count();
        if starts && length > 1 {
            let span = all[nth].start_byte()..all[nth + length - 1].end_byte();
            self.site(SiteKind::Statements, span);
        }
    }
}

/// Whether the program compiles without a statement.
pub(super) fn is_skippable(statement: Node) -> bool {
    let expression = children(statement).first().map(Node::kind);
    statement.kind() == "expression_statement"
        && matches!(
            expression,
            Some("call_expression" | "assignment_expression" | "update_expression")
        )
}
