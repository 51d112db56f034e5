//! Visits statements in execution order: finds their conditions, and tracks which variables are assigned where paths
//! join.

use tree_sitter::Node;

use super::insertions::is_skippable;
use super::{BreakTarget, Finder};
use crate::c::head_variables;
use crate::c::masks::is_part;
use crate::c::scope::meet;
use crate::c::syntax::{children, text_of, unparenthesized};
use crate::c::types::{declarators, is_function};
use crate::{Loop, SiteKind};

impl Finder<'_> {
    /// Visits consecutive statements.
    fn statements(&mut self, all: &[Node]) {
        let runs = Self::runs(all);
        for (nth, statement) in all.iter().enumerate() {
            self.insertion_point(*statement);
            for run in runs.iter().filter(|run| run.start == nth) {
                self.run(all, run);
            }
            self.statement(*statement);
        }
    }

    pub(super) fn statement(&mut self, node: Node) {
        if is_skippable(node) {
            self.site(SiteKind::Statement, node.byte_range());
        }
        let part = |name| node.child_by_field_name(name);
        match node.kind() {
            "compound_statement" => {
                self.scopes.push();
                self.statements(&children(node));
                self.scopes.pop();
            }
            "declaration" => self.declaration(node),
            "if_statement" if self.starts_with_keyword(node) => self.branch(node, SiteKind::If),
            "else_clause" => {
                for child in children(node) {
                    match child.kind() {
                        "if_statement" => self.branch(child, SiteKind::ElseIf),
                        _ => self.statement(child),
                    }
                }
            }
            "while_statement" => {
                let condition = part("condition");
                self.loop_statement(part("body"), condition, None, condition.is_some());
            }
            "for_statement" | "if_statement" if !self.starts_with_keyword(node) => {
                self.macro_loop(node);
            }
            "for_statement" => {
                self.scopes.push();
                if let Some(initializer) = part("initializer") {
                    match initializer.kind() {
                        "declaration" => self.declaration(initializer),
                        _ => self.expression(initializer),
                    }
                }
                self.loop_statement(part("body"), part("condition"), part("update"), true);
                self.scopes.pop();
            }
            "do_statement" => self.loop_statement(part("body"), part("condition"), None, false),
            "switch_statement" => self.switch(node),
            "labeled_statement" => {
                // A `goto` may jump here before any local variable is assigned.
                self.scopes.set(Some(self.entry.clone()));
                let is_listed = node
                    .parent()
                    .is_some_and(|parent| parent.kind() == "compound_statement");
                for child in children(node) {
                    // A `goto` can form a loop, which must use fuel.
                    if is_listed && child.kind().ends_with("_statement") {
                        let start = child.start_byte();
                        let body = Loop { start, end: None };
                        self.sources.files[self.file].loops.push(body);
                    }
                    self.statement(child);
                }
            }
            // One that is not directly in the body of its `switch`.
            "case_statement" => self.case(node),
            "return_statement" => {
                if let Some(value) = children(node).first() {
                    self.value(*value, self.returns_boolean);
                }
                self.scopes.set(None);
            }
            "goto_statement" => self.scopes.set(None),
            "break_statement" => {
                let state = self.scopes.state();
                if let Some(target) = self.break_targets.last_mut() {
                    target.breaks = meet(target.breaks.take(), state);
                }
                self.scopes.set(None);
            }
            "continue_statement" => {
                let state = self.scopes.state();
                if let Some(target) = self.break_targets.iter_mut().rfind(|target| target.is_loop) {
                    target.continues = meet(target.continues.take(), state);
                }
                self.scopes.set(None);
            }
            "expression_statement" => {
                for child in children(node) {
                    self.expression(child);
                }
            }
            kind if kind.starts_with("preproc_") => self.statements(&children(node)),
            _ => {}
        }
    }

    fn declaration(&mut self, node: Node) {
        let text = self.text;
        let is_static = text_of(node, text).starts_with("static");
        for (name, ty, declarator) in declarators(node, text) {
            let value = declarator.child_by_field_name("value");
            let is_boolean = self.facts.declarations.is_boolean(&ty.plain);
            // The initializer of a static variable is a compile-time constant.
            match value.filter(|_| !is_static) {
                Some(value) if value.kind() == "initializer_list" => self.expression(value),
                Some(value) => self.value(value, is_boolean),
                None => {}
            }
            if !is_function(declarator) {
                self.scopes.declare(name, ty, is_static || value.is_some());
            }
        }
    }

    /// Whether a statement starts with its keyword rather than with a macro.
    fn starts_with_keyword(&self, node: Node) -> bool {
        let text = self.text_of(node);
        let word = text.split(|c| !is_part(c)).next();
        matches!(word, Some("for" | "if"))
    }

    /// Visits a loop or branch whose head is a macro, which may assign to its arguments.
    fn macro_loop(&mut self, node: Node) {
        let Some(body) = node
            .child_by_field_name("body")
            .or_else(|| node.child_by_field_name("consequence"))
        else {
            return;
        };
        let head = self.text[node.start_byte()..body.start_byte()].to_owned();
        self.scopes.push();
        for (name, ty, has_value) in head_variables::declared(&head, self.facts.heads) {
            self.scopes.declare(name, ty, has_value);
        }
        for word in head.split(|c: char| !c.is_alphanumeric() && c != '_') {
            self.scopes.assign(word);
        }
        let before = self.scopes.state();
        self.break_targets.push(BreakTarget {
            is_loop: false,
            before: before.clone(),
            breaks: None,
            continues: None,
        });
        self.loop_statement(Some(body), None, None, true);
        self.break_targets.pop();
        self.scopes.pop();
        let after = self.scopes.state();
        self.scopes.set(before);
        if let Some(alternative) = node.child_by_field_name("alternative") {
            self.statement(alternative);
        }
        self.scopes.set(meet(after, self.scopes.state()));
    }

    fn branch(&mut self, node: Node, kind: SiteKind) {
        let Some(condition) = node.child_by_field_name("condition") else {
            return;
        };
        self.condition(kind, condition);
        let before = self.scopes.state();
        if let Some(consequence) = node.child_by_field_name("consequence") {
            self.statement(consequence);
        }
        let after = self.scopes.state();
        self.scopes.set(before);
        if let Some(alternative) = node.child_by_field_name("alternative") {
            self.statement(alternative);
        }
        self.scopes.set(meet(after, self.scopes.state()));
    }

    /// Visits a loop. `checks_first` says whether its condition is evaluated before its body.
    fn loop_statement(
        &mut self,
        body: Option<Node>,
        condition: Option<Node>,
        update: Option<Node>,
        checks_first: bool,
    ) {
        if checks_first && let Some(condition) = condition {
            self.condition(SiteKind::While, condition);
        }
        let ends = condition.is_some_and(|condition| {
            !matches!(text_of(unparenthesized(condition), self.text), "1" | "true")
        });
        let mut left = self.scopes.state().filter(|_| ends && checks_first);
        self.break_targets.push(BreakTarget {
            is_loop: true,
            before: None,
            breaks: None,
            continues: None,
        });
        if let Some(body) = body {
            let is_block = body.kind() == "compound_statement";
            self.sources.files[self.file].loops.push(match is_block {
                true => Loop {
                    start: body.start_byte() + 1,
                    end: None,
                },
                false => Loop {
                    start: body.start_byte(),
                    end: Some(body.end_byte()),
                },
            });
            self.statement(body);
        }
        let target = self.break_targets.pop();
        let (breaks, continues) =
            target.map_or((None, None), |target| (target.breaks, target.continues));
        self.scopes.set(meet(self.scopes.state(), continues));
        if let Some(update) = update {
            self.expression(update);
        }
        if !checks_first && let Some(condition) = condition {
            self.condition(SiteKind::While, condition);
            left = self.scopes.state().filter(|_| ends);
        }
        self.scopes.set(meet(left, breaks));
    }

    /// Visits what follows `case` or `default`.
    fn case(&mut self, node: Node) {
        let label = node.child_by_field_name("value");
        let mut targets = self.break_targets.iter().rev();
        let before = targets.find_map(|target| target.before.clone());
        let before = before.unwrap_or_else(|| self.entry.clone());
        self.scopes.set(meet(self.scopes.state(), Some(before)));
        let mut statements = children(node);
        statements.retain(|statement| Some(*statement) != label);
        self.statements(&statements);
    }

    fn switch(&mut self, node: Node) {
        if let Some(value) = node.child_by_field_name("condition") {
            self.expression(value);
        }
        let entry = self.scopes.state();
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        self.break_targets.push(BreakTarget {
            is_loop: false,
            before: entry.clone(),
            breaks: None,
            continues: None,
        });
        self.scopes.push();
        self.scopes.set(None);
        let mut has_default = false;
        for child in children(body) {
            has_default |=
                child.kind() == "case_statement" && child.child_by_field_name("value").is_none();
            self.statement(child);
        }
        self.scopes.pop();
        let breaks = self.break_targets.pop().and_then(|target| target.breaks);
        let mut after = meet(self.scopes.state(), breaks);
        if !has_default {
            after = meet(after, entry);
        }
        self.scopes.set(after);
    }
}
