//! Finds the sites of one function: conditions, boolean expressions, statements and places for a way
//! out, with the names that have a value there (papers/nopol.txt §3.2). `statements` and `expressions` go
//! through it in the order of its execution, `places` has the places for something new.

mod expressions;
mod places;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::effects::is_pure;
use super::exits;
use super::scope::{Assigned, Scopes};
use super::syntax::{bare, operator, text_of};
use super::templates::template;
use super::types::Declarations;
use crate::hash;
use crate::source::{BodyOrigin, DeclaredType, FileIndex, FunctionIndex, Site, SiteKind, Sources};

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

/// Whether a comment right above a function says `nopol: skip`.
fn is_marked_skip(definition: Node, text: &str) -> bool {
    let mut before = definition.prev_sibling();
    while let Some(comment) = before.filter(|node| node.kind() == "comment") {
        let said = text_of(comment, text).trim_matches(['/', '*', ' ', '\n']);
        if said == "nopol: skip" {
            return true;
        }
        before = comment.prev_sibling();
    }
    false
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
    file: FileIndex,
    text: &'a str,
    function: FunctionIndex,
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
        let body = definition.child_by_field_name("body");
        let words: BTreeSet<&str> = body
            .map_or("", |body| text_of(body, self.text))
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .collect();
        // A program that never looks at its arguments is not about them.
        let is_main = self.sources.functions[self.function].name == "main";
        for (name, ty) in exits::parameters(definition, self.text) {
            if !is_main || words.contains(&*name) {
                self.scopes.declare(name, ty, true);
            }
        }
        self.entry = self.scopes.state().unwrap_or_default();
        if let Some(body) = body {
            self.statement(body);
        }
    }

    fn text_of(&self, node: Node) -> &str {
        text_of(node, self.text)
    }

    /// A site without a body.
    fn site(&mut self, kind: SiteKind, span: Range<usize>) {
        self.site_with(kind, span, String::new(), (BodyOrigin::Own, 0), true);
    }

    /// A site whose condition this is.
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
            body_origin,
            checks,
            least: template.least,
            template,
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
}
