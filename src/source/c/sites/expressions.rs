//! Expressions in the order of their evaluation: what is boolean in them, and what they assign to.

use tree_sitter::Node;

use super::Finder;
use crate::source::SiteKind;
use crate::source::c::scope::meet;
use crate::source::c::syntax::{bare, children, field, operator};

impl Finder<'_> {
    /// Whether an expression yields nothing but 0 and 1 by its form.
    fn is_truth(&self, node: Node) -> bool {
        let operator = operator(node);
        match node.kind() {
            "binary_expression" => matches!(
                operator,
                "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">="
            ),
            "unary_expression" => operator == "!",
            _ => false,
        }
    }

    /// An expression whose value is used: all of it is a site if it is boolean, by its form or because
    /// of where the value goes.
    pub(super) fn value(&mut self, node: Node, is_boolean: bool) {
        let inner = bare(node);
        let is_literal = matches!(inner.kind(), "number_literal" | "true" | "false");
        let is_site = self.is_truth(inner)
            || is_boolean && !is_literal && inner.kind() != "assignment_expression";
        self.expression(inner);
        if is_site {
            // The parentheses around it stay.
            self.condition_site(SiteKind::Value, inner);
        }
    }

    /// Visits an expression in the order of its evaluation.
    pub(super) fn expression(&mut self, node: Node) {
        match node.kind() {
            "assignment_expression" => {
                let (left, right) = (
                    node.child_by_field_name("left"),
                    node.child_by_field_name("right"),
                );
                if let Some(left) = left.filter(|left| bare(*left).kind() != "identifier") {
                    self.expression(left);
                }
                if let Some(right) = right {
                    let is_plain = operator(node) == "=";
                    let is_boolean = left.is_some_and(|left| self.is_boolean(left));
                    self.value(right, is_plain && is_boolean);
                }
                self.assigned(left);
            }
            "binary_expression" if matches!(operator(node), "&&" | "||") => {
                let operand = |name| node.child_by_field_name(name);
                if let Some(left) = operand("left") {
                    self.expression(left);
                }
                // The right operand may not be evaluated.
                let state = self.scopes.state();
                if let Some(right) = operand("right") {
                    self.expression(right);
                }
                self.scopes.set(state);
            }
            "conditional_expression" => {
                if let Some(condition) = node.child_by_field_name("condition") {
                    self.condition(SiteKind::If, condition);
                }
                let before = self.scopes.state();
                let mut after = None;
                for name in ["consequence", "alternative"] {
                    self.scopes.set(before.clone());
                    if let Some(branch) = node.child_by_field_name(name) {
                        self.value(branch, false);
                    }
                    after = meet(after, self.scopes.state());
                }
                self.scopes.set(after);
            }
            "call_expression" => self.call(node),
            "pointer_expression" if self.text_of(node).starts_with('&') => {
                // Whoever is given the address may write there.
                let argument = node.child_by_field_name("argument");
                self.assigned(argument);
            }
            // Not evaluated.
            "sizeof_expression"
            | "alignof_expression"
            | "offsetof_expression"
            | "generic_expression"
            | "type_descriptor" => {}
            "compound_statement" => {}
            _ => {
                for child in children(node) {
                    self.expression(child);
                }
            }
        }
    }

    fn call(&mut self, node: Node) {
        let name = field(node, "function", self.text).unwrap_or_default();
        let is_macro = self
            .known
            .declarations
            .functions
            .iter()
            .any(|known| known == name)
            || matches!(
                name,
                "assert" | "static_assert" | "va_arg" | "va_start" | "offsetof"
            );
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return;
        };
        for argument in children(arguments) {
            match is_macro {
                // What a macro makes of its arguments is not known.
                true => self.effects(argument),
                false => self.value(argument, false),
            }
            // An array may be written to.
            if argument.kind() == "identifier" {
                let name = self.text_of(argument).to_owned();
                let ty = self.scopes.ty(&name);
                if is_macro || ty.is_some_and(|ty| ty.plain.ends_with("[]")) {
                    self.scopes.assign(&name);
                }
            }
        }
    }

    /// What an expression assigns to, without its sites.
    pub(super) fn effects(&mut self, node: Node) {
        let first = self.sources.sites.len();
        let ids = self.ids.clone();
        self.expression(node);
        self.sources.sites.truncate(first);
        *self.ids = ids;
    }

    /// What is written to: a variable, or a part of one.
    fn assigned(&mut self, target: Option<Node>) {
        let mut target = target.map(bare);
        while let Some(inner) = target.and_then(|target| target.child_by_field_name("argument")) {
            target = Some(bare(inner));
        }
        if let Some(name) = target.filter(|target| target.kind() == "identifier") {
            let name = self.text_of(name).to_owned();
            self.scopes.assign(&name);
        }
    }

    /// Whether a place holds nothing but 0 and 1 by its type.
    fn is_boolean(&self, place: Node) -> bool {
        let place = bare(place);
        match place.kind() {
            "identifier" => {
                let ty = self.scopes.ty(self.text_of(place));
                ty.is_some_and(|ty| self.known.declarations.is_boolean(&ty.plain))
            }
            _ => false,
        }
    }
}
