//! Finds the sites of one function: conditions, boolean expressions, statements and insertion points, with
//! the names that have a value there (the Nopol paper, §3.2). `statements` and `expressions` visit the
//! function in execution order; `insertions` adds the insertion points.

mod expressions;
mod insertions;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use nopol_basics::hash;
use tree_sitter::Node;

use super::early_exits::{self, Label};
use super::effects::is_pure;
use super::heads::Heads;
use super::scope::{Assigned, Scopes};
use super::syntax::{has_directive, operator, text_of, unparenthesized};
use super::templates::template;
use super::types::{Declarations, declarators};
use crate::{BodyOrigin, DeclaredType, FileIndex, FunctionIndex, Site, SiteKind, Sources};

/// Facts about the whole program.
pub struct ProgramFacts<'a> {
    pub declarations: &'a Declarations,
    /// Whether a function has no side effects.
    pub is_pure_call: &'a dyn Fn(&str) -> bool,
    /// Global variables, with their types.
    pub globals: &'a [(String, DeclaredType)],
    /// The macros that stand for heads of statements.
    pub heads: &'a Heads,
}

/// Adds the sites of a function definition; `function` is its index.
pub fn find(
    sources: &mut Sources,
    facts: &ProgramFacts,
    function: FunctionIndex,
    definition: Node,
    ids: &mut BTreeMap<String, u32>,
) {
    let file = sources.functions[function].file;
    let text = sources.files[file].text.clone();
    if is_marked_skip(definition, &text) {
        return;
    }
    let mut finder = Finder {
        returns_boolean: sources.functions[function]
            .returns
            .as_deref()
            .is_some_and(|returns| facts.declarations.is_boolean(returns)),
        sources,
        facts,
        file,
        text: &text,
        function,
        ids,
        scopes: Scopes::default(),
        entry: BTreeSet::new(),
        break_targets: Vec::new(),
        labels: Vec::new(),
        is_without_sites: false,
    };
    finder.definition(definition);
}

/// Whether a comment directly above a function is `nopol: skip`.
fn is_marked_skip(definition: Node, text: &str) -> bool {
    let mut before = definition.prev_sibling();
    while let Some(comment) = before.filter(|node| node.kind() == "comment") {
        let content = text_of(comment, text).trim_matches(['/', '*', ' ', '\n']);
        if content == "nopol: skip" {
            return true;
        }
        before = comment.prev_sibling();
    }
    false
}

/// An enclosing loop or `switch`, with the states at its `break`s and `continue`s.
struct BreakTarget {
    is_loop: bool,
    /// Before a `switch`, or a loop that stands for a macro: from there a run may come to any `case`.
    before: Assigned,
    breaks: Assigned,
    continues: Assigned,
}

struct Finder<'a> {
    sources: &'a mut Sources,
    facts: &'a ProgramFacts<'a>,
    file: FileIndex,
    text: &'a str,
    function: FunctionIndex,
    returns_boolean: bool,
    /// Number of sites so far with each description, for stable ids.
    ids: &'a mut BTreeMap<String, u32>,
    scopes: Scopes,
    /// The variables that have a value in the whole function: globals and parameters.
    entry: BTreeSet<usize>,
    break_targets: Vec<BreakTarget>,
    labels: Vec<Label>,
    /// Whether to visit code only for its assignments, without adding sites.
    is_without_sites: bool,
}

impl Finder<'_> {
    fn definition(&mut self, definition: Node) {
        for (name, ty) in self.facts.globals {
            self.scopes.declare(name.clone(), ty.clone(), true);
        }
        let body = definition.child_by_field_name("body");
        let words: BTreeSet<&str> = body
            .map_or("", |body| text_of(body, self.text))
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .collect();
        self.declare_around(definition);
        // A `main` that never uses its parameters gets no conditions over them.
        let is_main = self.sources.functions[self.function].name == "main";
        for (name, ty) in early_exits::parameters(definition, self.text) {
            if !is_main || words.contains(&*name) {
                self.scopes.declare(name, ty, true);
            }
        }
        self.entry = self.scopes.state().unwrap_or_default();
        if let Some(body) = body {
            self.labels = early_exits::labels(body, self.text);
            self.statement(body);
        }
    }

    /// Declares the names that a nested function sees of the functions around it: their parameters, and variables
    /// declared before it.
    fn declare_around(&mut self, definition: Node) {
        let mut around = Vec::new();
        let mut inner = definition;
        while let Some(outer) = inner.parent() {
            if outer.kind() == "function_definition" {
                around.push(early_exits::parameters(outer, self.text));
            }
            let mut before = inner.prev_sibling();
            while let Some(declaration) = before.filter(|_| outer.kind() == "compound_statement") {
                if declaration.kind() == "declaration" {
                    let all = declarators(declaration, self.text).into_iter();
                    around.push(all.map(|(name, ty, _)| (name, ty)).collect());
                }
                before = declaration.prev_sibling();
            }
            inner = outer;
        }
        for (name, ty) in around.into_iter().rev().flatten() {
            self.scopes.declare(name, ty, true);
        }
    }

    fn text_of(&self, node: Node) -> &str {
        text_of(node, self.text)
    }

    /// Adds a site without a body.
    fn site(&mut self, kind: SiteKind, span: Range<usize>) {
        self.site_with(kind, span, String::new(), (BodyOrigin::Own, 0), true);
    }

    /// Adds the site of an existing condition.
    fn condition_site(&mut self, kind: SiteKind, condition: Node) {
        let is_pure = self.is_pure(condition);
        let body = (BodyOrigin::Own, 0);
        self.site_with(kind, condition.byte_range(), String::new(), body, is_pure);
    }

    fn site_with(
        &mut self,
        kind: SiteKind,
        span: Range<usize>,
        body: String,
        (body_origin, checks): (BodyOrigin, u32),
        is_pure: bool,
    ) {
        let Some(template) = template(kind) else {
            return;
        };
        // The condition becomes a macro argument, in which a preprocessor directive is undefined behaviour.
        let text = self.text[span.clone()].to_owned();
        if self.is_without_sites || self.scopes.is_unreachable() || has_directive(&text) {
            return;
        }
        let file = &self.sources.files[self.file];
        let line_start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let name = &self.sources.functions[self.function].name;
        let description = format!("{}|{name}|{}|{text}{body}", file.path, kind.id_name());
        let nth = self.ids.entry(description.clone()).or_default();
        *nth += 1;
        self.sources.sites.push(Site {
            id: hash::short(&format!("{description}|{nth}")),
            kind,
            file: self.file,
            line: self.text[..span.start].matches('\n').count() + 1,
            column: self.text[line_start..span.start].chars().count() + 1,
            span,
            text,
            parts: Vec::new(),
            body,
            body_origin,
            checks,
            min_binding: template.min_binding,
            template,
            function: self.function,
            // In integer expressions, names without a certain value may be tried as replacements, but they are not
            // captured.
            names: match kind.computes() {
                true => self.scopes.visible_with_perhaps_a_value(),
                false => self.scopes.visible(),
            },
            is_argument: false,
            is_pure: Some(is_pure),
        });
    }

    fn is_pure(&self, node: Node) -> bool {
        is_pure(node, self.text, self.facts.is_pure_call)
    }

    /// Visits a condition that decides control flow, then adds its site.
    fn condition(&mut self, kind: SiteKind, condition: Node) {
        let condition = unparenthesized(condition);
        if self.begins_with_effect(condition) {
            let start = condition.start_byte();
            self.site(SiteKind::Premise, start..start);
        }
        self.operands(condition);
        self.expression(condition);
        // A constant condition, as in `while (1)`, is intended.
        if !matches!(condition.kind(), "number_literal" | "true" | "false") {
            self.condition_site(kind, condition);
        }
    }

    /// Whether another operand of `&&` can be put before a condition whose first operand has side effects.
    fn begins_with_effect(&self, condition: Node) -> bool {
        match (condition.kind(), operator(condition)) {
            ("binary_expression", "&&") => condition
                .child_by_field_name("left")
                .is_some_and(|left| self.begins_with_effect(left)),
            ("binary_expression", "||") => false,
            (
                "binary_expression"
                | "unary_expression"
                | "call_expression"
                | "parenthesized_expression"
                | "update_expression"
                | "pointer_expression",
                _,
            ) => !self.is_pure(condition),
            _ => false,
        }
    }

    /// A condition with side effects cannot be replaced as a whole. Its operands without side effects become sites of
    /// their own.
    fn operands(&mut self, condition: Node) {
        let is_connective = matches!(operator(condition), "&&" | "||");
        if condition.kind() != "binary_expression" || !is_connective || self.is_pure(condition) {
            return;
        }
        let before = self.scopes.state();
        for name in ["left", "right"] {
            let Some(operand) = condition.child_by_field_name(name).map(unparenthesized) else {
                continue;
            };
            if self.is_pure(operand) {
                self.expression(operand);
                self.condition_site(SiteKind::LetOperand, operand);
            } else {
                self.operands(operand);
                self.effects(operand);
            }
        }
        self.scopes.set(before);
    }
}
