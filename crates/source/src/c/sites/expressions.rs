//! Visits expressions in evaluation order, and finds boolean subexpressions and assignments.

use std::sync::Arc;

use tree_sitter::Node;

use super::Finder;
use crate::SiteKind;
use crate::c::integers::Types;
use crate::c::scope::meet;
use crate::c::syntax::{children, field, operator, unparenthesized, walk};
use crate::c::types::ASSERTIONS;

impl Finder<'_> {
    /// Whether the outermost operator of an expression yields only 0 and 1.
    fn has_boolean_operator(&self, node: Node) -> bool {
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

    /// Visits an expression whose value is used. The whole expression is a site if its operator or its context makes it
    /// boolean.
    pub(super) fn value(&mut self, node: Node, is_boolean: bool) {
        let inner = unparenthesized(node);
        let is_literal = matches!(inner.kind(), "number_literal" | "true" | "false");
        let is_site = self.has_boolean_operator(inner)
            || is_boolean && !is_literal && inner.kind() != "assignment_expression";
        self.expression(inner);
        if is_site {
            // The parentheses around it stay.
            self.condition_site(SiteKind::Value, inner);
        } else if self.types(|types| types.is_number(inner)) {
            self.condition_site(SiteKind::Integer, inner);
        }
    }

    /// Asks about the types of expressions at this point.
    fn types(&self, ask: impl Fn(Types) -> bool) -> bool {
        let variable = |name: &str| self.scopes.ty(name).cloned();
        let types = Types {
            declarations: self.facts.declarations,
            variable: &variable,
            text: self.text,
        };
        ask(types)
    }

    /// Adds the site of an assignment that computes an integer.
    fn computing_assignment(&mut self, node: Node, target: Option<Node>) {
        if target.is_some_and(|target| self.types(|types| types.is_integer(target))) {
            self.condition_site(SiteKind::Assignment, node);
        }
    }

    /// Visits an expression in evaluation order.
    pub(super) fn expression(&mut self, node: Node) {
        match node.kind() {
            "assignment_expression" => {
                let (left, right) = (
                    node.child_by_field_name("left"),
                    node.child_by_field_name("right"),
                );
                if let Some(left) =
                    left.filter(|left| unparenthesized(*left).kind() != "identifier")
                {
                    self.expression(left);
                }
                if let Some(right) = right {
                    let is_plain = operator(node) == "=";
                    let is_boolean = left.is_some_and(|left| self.is_boolean(left));
                    self.value(right, is_plain && is_boolean);
                    if !is_plain {
                        self.computing_assignment(node, left);
                    }
                }
                self.assigned(left);
            }
            "update_expression" => {
                let target = node.child_by_field_name("argument");
                if let Some(target) = target {
                    self.expression(target);
                }
                self.computing_assignment(node, target);
            }
            "subscript_expression" => {
                let part = |name| node.child_by_field_name(name);
                if let Some(array) = part("argument") {
                    self.expression(array);
                }
                if let Some(index) = part("index") {
                    self.value(index, false);
                }
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
                // Code that gets the address may write to the variable.
                let argument = node.child_by_field_name("argument");
                self.assigned(argument);
            }
            // These operands are not evaluated.
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
        let declarations = self.facts.declarations;
        let is_macro = declarations.functions.contains_key(name)
            || matches!(name, "assert" | "va_arg" | "va_start" | "offsetof")
            || ASSERTIONS.contains(&name);
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return;
        };
        for argument in children(arguments) {
            match is_macro {
                // It is not known how a macro uses its arguments.
                true => {
                    self.effects(argument);
                    if declarations.takes_code(name) {
                        self.argument_site(unparenthesized(argument));
                    }
                }
                false => self.value(argument, false),
            }
            // The callee may write to an array.
            if argument.kind() == "identifier" {
                let name = self.text_of(argument).to_owned();
                let ty = self.scopes.ty(&name);
                if is_macro || ty.is_some_and(|ty| ty.plain.ends_with("[]")) {
                    self.scopes.assign(&name);
                }
            }
        }
    }

    /// Adds the site of a boolean expression that is a macro's argument, as in `if (LIKELY(x > 0))`. No values are
    /// captured there, because a capture needs a line with a directive before it.
    fn argument_site(&mut self, argument: Node) {
        let first = self.sources.sites.len();
        if self.has_boolean_operator(argument) && !self.is_fixed(argument) {
            self.condition_site(SiteKind::Value, argument);
        }
        for site in self.sources.sites.iter_mut().skip(first) {
            site.is_argument = true;
            site.names = Arc::default();
        }
    }

    /// Whether an expression only has constants, so that the compiler may need its value.
    fn is_fixed(&self, node: Node) -> bool {
        let declarations = self.facts.declarations;
        let mut fixed = true;
        walk(node, &mut |node| {
            let is_constant = |name: &str| {
                declarations.enumerators.contains_key(name)
                    || declarations.macros.iter().any(|(known, _)| known == name)
            };
            match node.kind() {
                "sizeof_expression" | "alignof_expression" | "offsetof_expression" => return false,
                "identifier" => fixed &= is_constant(self.text_of(node)),
                "call_expression" => fixed = false,
                _ => {}
            }
            fixed
        });
        fixed
    }

    /// Visits an expression only for its assignments, without adding sites.
    pub(super) fn effects(&mut self, node: Node) {
        let is_without_sites = std::mem::replace(&mut self.is_without_sites, true);
        self.expression(node);
        self.is_without_sites = is_without_sites;
    }

    /// Notes an assignment to a variable or a part of one.
    fn assigned(&mut self, target: Option<Node>) {
        let mut target = target.map(unparenthesized);
        while let Some(inner) = target.and_then(|target| target.child_by_field_name("argument")) {
            target = Some(unparenthesized(inner));
        }
        if let Some(name) = target.filter(|target| target.kind() == "identifier") {
            let name = self.text_of(name).to_owned();
            self.scopes.assign(&name);
        }
    }

    /// Whether the target of an assignment is a variable of a boolean type.
    fn is_boolean(&self, target: Node) -> bool {
        let target = unparenthesized(target);
        match target.kind() {
            "identifier" => {
                let ty = self.scopes.ty(self.text_of(target));
                ty.is_some_and(|ty| self.facts.declarations.is_boolean(&ty.plain))
            }
            _ => false,
        }
    }
}
