//! Finds the sites of one function: conditions, boolean expressions, statements and places for a way
//! out, with the names that have a value there (papers/nopol.txt §3.2).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::effects::is_pure;
use super::exits::{self, Place};
use super::scope::{Assigned, Scopes, meet};
use super::syntax::{bare, children, field, operator, text_of};
use super::types::{Declarations, declarators, is_function};
use crate::hash;
use crate::source::{DeclaredType, Loop, Site, SiteKind, Sources};
use crate::spec::Binding;

/// What is known of the whole program.
pub struct Known<'a> {
    pub declarations: &'a Declarations,
    /// Whether calling a function changes nothing.
    pub is_pure_call: &'a dyn Fn(&str) -> bool,
    /// Variables outside of functions, with their types.
    pub globals: &'a [(String, DeclaredType)],
}

/// Adds the sites of a function definition; `function` is its index.
pub fn find(
    sources: &mut Sources,
    known: &Known,
    function: usize,
    definition: Node,
    ids: &mut BTreeMap<String, u32>,
) {
    let file = sources.functions[function].file;
    let text = sources.files[file].text.clone();
    let mut finder = Finder {
        returns_truth: sources.functions[function]
            .returns
            .as_deref()
            .is_some_and(|returns| known.declarations.is_boolean(returns)),
        sources,
        known,
        file,
        text: &text,
        function,
        ids,
        scopes: Scopes::default(),
        entry: BTreeSet::new(),
        exits: Vec::new(),
    };
    finder.definition(definition);
}

/// A statement that `break`, or `continue`, leaves.
struct Exits {
    is_loop: bool,
    breaks: Assigned,
    continues: Assigned,
}

struct Finder<'a> {
    sources: &'a mut Sources,
    known: &'a Known<'a>,
    file: usize,
    text: &'a str,
    function: usize,
    returns_truth: bool,
    /// How often each site description was seen, for stable ids.
    ids: &'a mut BTreeMap<String, u32>,
    scopes: Scopes,
    /// What has a value wherever the function is.
    entry: BTreeSet<usize>,
    exits: Vec<Exits>,
}

impl Finder<'_> {
    fn definition(&mut self, definition: Node) {
        for (name, ty) in self.known.globals {
            self.scopes.declare(name.clone(), ty.clone(), true);
        }
        for (name, ty) in exits::parameters(definition, self.text) {
            self.scopes.declare(name, ty, true);
        }
        self.entry = self.scopes.state().unwrap_or_default();
        if let Some(body) = definition.child_by_field_name("body") {
            self.statement(body);
        }
    }

    fn text_of(&self, node: Node) -> &str {
        text_of(node, self.text)
    }

    fn site(&mut self, kind: SiteKind, span: Range<usize>, body: String, far: u32) {
        self.site_with(kind, span, body, far, true);
    }

    /// A site whose condition this is.
    fn condition_site(&mut self, kind: SiteKind, condition: Node) {
        let is_pure = self.is_pure(condition);
        self.site_with(kind, condition.byte_range(), String::new(), 0, is_pure);
    }

    fn site_with(
        &mut self,
        kind: SiteKind,
        span: Range<usize>,
        body: String,
        far: u32,
        is_pure: bool,
    ) {
        // Inside of what a macro stands for there is nothing to splice into, and a directive in the
        // middle of an expression does not survive being an argument.
        let text = self.text[span.clone()].to_owned();
        let has_directive = text.lines().any(|line| line.trim_start().starts_with('#'));
        if self.scopes.is_unreachable() || has_directive {
            return;
        }
        let file = &self.sources.files[self.file];
        let line_start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let name = &self.sources.functions[self.function].name;
        let description = format!("{}|{name}|{kind:?}|{text}{body}", file.path);
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
            body,
            far,
            least: match kind {
                SiteKind::LetOperand => Binding::Compare,
                _ => Binding::Or,
            },
            function: self.function,
            names: self.scopes.visible(),
            is_pure: Some(is_pure),
        });
    }

    fn is_pure(&self, node: Node) -> bool {
        is_pure(node, self.text, self.known.is_pure_call)
    }

    /// A condition that decides where the program goes on; evaluated first.
    fn condition(&mut self, kind: SiteKind, condition: Node) {
        let condition = bare(condition);
        self.operands(condition);
        self.expression(condition);
        // `while (1)` is no condition to be corrected.
        if !matches!(condition.kind(), "number_literal" | "true" | "false") {
            self.condition_site(kind, condition);
        }
    }

    /// The operands of a condition that has effects, and so cannot be replaced as a whole, are
    /// conditions of their own where they have none.
    fn operands(&mut self, condition: Node) {
        let is_connective = matches!(operator(condition), "&&" | "||");
        if condition.kind() != "binary_expression" || !is_connective || self.is_pure(condition) {
            return;
        }
        let before = self.scopes.state();
        for name in ["left", "right"] {
            let Some(operand) = condition.child_by_field_name(name).map(bare) else {
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
    fn value(&mut self, node: Node, is_boolean: bool) {
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
    fn expression(&mut self, node: Node) {
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
    fn effects(&mut self, node: Node) {
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

    fn statements(&mut self, block: Node) {
        let all = children(block);
        for (nth, statement) in all.iter().enumerate() {
            self.place(*statement);
            self.run(&all, nth);
            self.statement(*statement);
        }
    }

    /// A place before a statement where the function or a loop can be left.
    fn place(&mut self, statement: Node) {
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
        for (body, far) in exits::bodies(self.sources, function, &place, self.known.declarations) {
            self.site(SiteKind::Exit, at..at, body, far);
        }
    }

    /// The longest run of statements that starts here and can be skipped together.
    fn run(&mut self, all: &[Node], nth: usize) {
        let starts = is_skippable(all[nth]) && (nth == 0 || !is_skippable(all[nth - 1]));
        let length = all[nth..]
            .iter()
            .take_while(|statement| is_skippable(**statement))
            .count();
        if starts && length > 1 {
            let span = all[nth].start_byte()..all[nth + length - 1].end_byte();
            self.site(SiteKind::Run, span, String::new(), 0);
        }
    }

    fn statement(&mut self, node: Node) {
        if is_skippable(node) {
            self.site(SiteKind::Statement, node.byte_range(), String::new(), 0);
        }
        let part = |name| node.child_by_field_name(name);
        match node.kind() {
            "compound_statement" => {
                self.scopes.push();
                self.statements(node);
                self.scopes.pop();
            }
            "declaration" => self.declaration(node),
            "if_statement" if self.is_written(node) => self.branch(node, SiteKind::If),
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
                self.looped(part("body"), condition, None, condition.is_some());
            }
            "for_statement" | "if_statement" if !self.is_written(node) => self.masked(node),
            "for_statement" => {
                self.scopes.push();
                if let Some(initializer) = part("initializer") {
                    match initializer.kind() {
                        "declaration" => self.declaration(initializer),
                        _ => self.expression(initializer),
                    }
                }
                self.looped(part("body"), part("condition"), part("update"), true);
                self.scopes.pop();
            }
            "do_statement" => self.looped(part("body"), part("condition"), None, false),
            "switch_statement" => self.switch(node),
            "labeled_statement" => {
                // Whoever jumps here may have assigned to nothing.
                self.scopes.set(Some(self.entry.clone()));
                let is_listed = node
                    .parent()
                    .is_some_and(|parent| parent.kind() == "compound_statement");
                for child in children(node) {
                    // `goto` makes loops, too, which burn fuel.
                    if is_listed && child.kind().ends_with("_statement") {
                        let start = child.start_byte();
                        let body = Loop { start, end: None };
                        self.sources.files[self.file].loops.push(body);
                    }
                    self.statement(child);
                }
            }
            "return_statement" => {
                if let Some(value) = children(node).first() {
                    self.value(*value, self.returns_truth);
                }
                self.scopes.set(None);
            }
            "goto_statement" => self.scopes.set(None),
            "break_statement" => {
                let state = self.scopes.state();
                if let Some(exits) = self.exits.last_mut() {
                    exits.breaks = meet(exits.breaks.take(), state);
                }
                self.scopes.set(None);
            }
            "continue_statement" => {
                let state = self.scopes.state();
                if let Some(exits) = self.exits.iter_mut().rfind(|exits| exits.is_loop) {
                    exits.continues = meet(exits.continues.take(), state);
                }
                self.scopes.set(None);
            }
            "expression_statement" => {
                for child in children(node) {
                    self.expression(child);
                }
            }
            kind if kind.starts_with("preproc_") => self.statements(node),
            _ => {}
        }
    }

    fn declaration(&mut self, node: Node) {
        let text = self.text;
        let is_static = text_of(node, text).starts_with("static");
        for (name, ty, declarator) in declarators(node, text) {
            let value = declarator.child_by_field_name("value");
            let is_boolean = self.known.declarations.is_boolean(&ty.plain);
            // What initializes a static variable is evaluated before the program runs.
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

    /// Whether a statement begins as such, and not with a macro.
    fn is_written(&self, node: Node) -> bool {
        let text = self.text_of(node);
        text.starts_with("for") || text.starts_with("if")
    }

    /// A loop whose head is a macro: what that is called with it may assign to.
    fn masked(&mut self, node: Node) {
        let Some(body) = node
            .child_by_field_name("body")
            .or_else(|| node.child_by_field_name("consequence"))
        else {
            return;
        };
        let head = self.text[node.start_byte()..body.start_byte()].to_owned();
        for word in head.split(|c: char| !c.is_alphanumeric() && c != '_') {
            self.scopes.assign(word);
        }
        let before = self.scopes.state();
        self.looped(Some(body), None, None, true);
        self.scopes.set(meet(before, self.scopes.state()));
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

    /// A loop; `checks_first` if its condition is evaluated before its body.
    fn looped(
        &mut self,
        body: Option<Node>,
        condition: Option<Node>,
        update: Option<Node>,
        checks_first: bool,
    ) {
        if checks_first && let Some(condition) = condition {
            self.condition(SiteKind::While, condition);
        }
        let ends = condition
            .is_some_and(|condition| !matches!(text_of(bare(condition), self.text), "1" | "true"));
        let mut left = self.scopes.state().filter(|_| ends && checks_first);
        self.exits.push(Exits {
            is_loop: true,
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
        let exits = self.exits.pop();
        let (breaks, continues) =
            exits.map_or((None, None), |exits| (exits.breaks, exits.continues));
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

    fn switch(&mut self, node: Node) {
        if let Some(value) = node.child_by_field_name("condition") {
            self.expression(value);
        }
        let entry = self.scopes.state();
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        self.exits.push(Exits {
            is_loop: false,
            breaks: None,
            continues: None,
        });
        self.scopes.push();
        self.scopes.set(None);
        let mut has_default = false;
        for child in children(body) {
            if child.kind() == "case_statement" {
                let label = child.child_by_field_name("value");
                has_default |= label.is_none();
                self.scopes.set(meet(self.scopes.state(), entry.clone()));
                let mut statements = children(child);
                statements.retain(|statement| Some(*statement) != label);
                for (nth, statement) in statements.iter().enumerate() {
                    self.place(*statement);
                    self.run(&statements, nth);
                    self.statement(*statement);
                }
            } else {
                self.statement(child);
            }
        }
        self.scopes.pop();
        let breaks = self.exits.pop().and_then(|exits| exits.breaks);
        let mut after = meet(self.scopes.state(), breaks);
        if !has_default {
            after = meet(after, entry);
        }
        self.scopes.set(after);
    }
}

/// Whether leaving a statement out leaves a program that compiles.
fn is_skippable(statement: Node) -> bool {
    let expression = children(statement).first().map(|child| child.kind());
    statement.kind() == "expression_statement"
        && matches!(
            expression,
            Some("call_expression" | "assignment_expression" | "update_expression")
        )
}
