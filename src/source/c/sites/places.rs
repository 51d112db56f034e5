//! Places for something new: ways out, and runs of statements that can be skipped together.

use tree_sitter::Node;

use super::Finder;
use crate::source::SiteKind;
use crate::source::c::exits::{self, Place};
use crate::source::c::syntax::{children, text_of};

impl Finder<'_> {
    /// A place before a statement where the function or a loop can be left.
    pub(super) fn place(&mut self, statement: Node) {
        let is_statement =
            statement.kind().ends_with("_statement") || statement.kind() == "declaration";
        let leaves = matches!(
            statement.kind(),
            "case_statement" | "labeled_statement" | "break_statement" | "continue_statement"
        );
        if !is_statement || leaves || self.scopes.is_unreachable() {
            return;
        }
        let names = self.scopes.visible();
        let function = &self.sources.functions[self.function];
        let place = Place {
            names: &names,
            in_loop: self.exits.iter().any(|exits| exits.is_loop),
            // There `break` would leave something else.
            in_switch: self.exits.last().is_some_and(|exits| !exits.is_loop),
            before: text_of(statement, self.text),
        };
        let at = statement.start_byte();
        let checks = u32::from(place.is_before_check());
        let bodies = exits::bodies(self.sources, function, &place, self.known.declarations);
        for (body, origin) in bodies {
            self.site_with(SiteKind::Exit, at..at, body, (origin, checks), true);
        }
    }

    /// The longest run of statements that starts here and can be skipped together.
    pub(super) fn run(&mut self, all: &[Node], nth: usize) {
        let starts = is_skippable(all[nth]) && (nth == 0 || !is_skippable(all[nth - 1]));
        let length = all[nth..]
            .iter()
            .take_while(|statement| is_skippable(**statement))
            .count();
        if starts && length > 1 {
            let span = all[nth].start_byte()..all[nth + length - 1].end_byte();
            self.site(SiteKind::Run, span);
        }
    }
}

/// Whether leaving a statement out leaves a program that compiles.
pub(super) fn is_skippable(statement: Node) -> bool {
    let expression = children(statement).first().map(Node::kind);
    statement.kind() == "expression_statement"
        && matches!(
            expression,
            Some("call_expression" | "assignment_expression" | "update_expression")
        )
}
