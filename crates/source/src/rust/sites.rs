//! Finds the sites of one file: conditions, guards, let-chain operands, boolean expressions and statements,
//! with the names visible there (the Nopol paper, §3.2). `items` walks the items, `control_flow` visits
//! branches and loops, `insertions` adds the insertion points, and `forms` inspects syntax.

mod computations;
mod control_flow;
mod forms;
mod insertions;
mod items;
mod macros;
pub mod operands;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use nopol_basics::hash;
use nopol_expr::Binding;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Item, Macro, Pat, Stmt};

use super::early_exits::variants::Declared;
use super::early_exits::{Constructor, InsertionPoint};
use super::effects::Named;
use super::integers::Integers;
use super::modules::{self, Ast};
use super::scope::Scopes;
use super::templates::template;
use super::types::{Scalars, macro_name};
use super::values::{self, Booleans};
use super::{condition, harvest, types};
use crate::{BodyOrigin, ExitSnippet, FileIndex, FunctionIndex, Site, SiteKind, Sources};

/// Facts collected from all files.
#[derive(Default)]
pub struct Gathered {
    pub ids: Ids,
    pub effects: Vec<Named>,
    pub booleans: Booleans,
    pub integers: Integers,
    pub scalars: Scalars,
    pub insertion_points: Vec<InsertionPoint>,
    pub chains: Vec<operands::Chain>,
    pub constructors: Vec<Constructor>,
    pub declared: Declared,
}

/// Number of sites so far with each description, for stable ids.
#[derive(Default)]
pub struct Ids(BTreeMap<String, u32>);

impl Ids {
    /// The id of a site. `text` is its text, followed by its body if it has one.
    fn id(&mut self, path: &Utf8Path, function: &str, kind: SiteKind, text: &str) -> String {
        let description = format!("{path}|{function}|{}|{text}", kind.id_name());
        let nth = self.0.entry(description.clone()).or_default();
        *nth += 1;
        hash::short(&format!("{description}|{nth}"))
    }
}

/// Adds the sites, functions and declarations of a file to `sources`. `has_chains` says whether its edition has
/// let-chains; `cfgs` are the conditions under which the file is compiled.
pub fn find(
    sources: &mut Sources,
    file: FileIndex,
    ast: &Ast,
    has_chains: bool,
    cfgs: BTreeSet<String>,
    all: &mut Gathered,
) {
    let text = sources.files[file].text.clone();
    let mut finder = Finder {
        sources,
        file,
        ast,
        text: &text,
        has_chains,
        all,
        scopes: Scopes::default(),
        path: Vec::new(),
        cfgs,
        end_of_items: 0,
        owner: None,
        is_in_distant_trait: false,
        function: None,
        boolean_spans: BTreeSet::new(),
        enclosing: Enclosing::default(),
        closure_values: Arc::default(),
        labels: Vec::new(),
        at: Position::default(),
    };
    finder.items(&ast.file.items);
}

/// The enclosing code, which decides what `break`, `continue` and `return` leave.
#[derive(Clone, Copy, Default)]
struct Enclosing {
    in_loop: bool,
    in_closure: bool,
}

impl Enclosing {
    const CLOSURE: Self = Self {
        in_loop: false,
        in_closure: true,
    };
}

struct Finder<'a> {
    sources: &'a mut Sources,
    file: FileIndex,
    ast: &'a Ast,
    text: &'a str,
    has_chains: bool,
    all: &'a mut Gathered,
    scopes: Scopes,
    /// Names of the enclosing modules, types and functions.
    path: Vec<String>,
    /// The conditions under which the visited items are compiled.
    cfgs: BTreeSet<String>,
    /// The end of the last item of the enclosing module.
    end_of_items: usize,
    /// The type or trait of the visited function.
    owner: Option<String>,
    /// Whether the visited `impl` names its trait by a path.
    is_in_distant_trait: bool,
    function: Option<FunctionIndex>,
    /// Spans of expressions that are boolean because of their context, such as the return type of their function.
    boolean_spans: BTreeSet<(usize, usize)>,
    enclosing: Enclosing,
    /// The values that the innermost closure returns.
    closure_values: Arc<[ExitSnippet]>,
    /// Labels of the enclosing loops; empty for a loop without a label.
    labels: Vec<String>,
    at: Position,
}

/// The position of the next visited expression.
#[derive(Clone, Copy, Default)]
struct Position {
    /// Whether it is part of an enclosing boolean site, or its value is dropped.
    is_covered: bool,
    /// Whether any other expression can replace it without parentheses.
    is_standalone: bool,
    /// Whether its value is passed on: assigned, returned, an argument, or a subscript.
    is_value: bool,
    /// Whether it is an operand of an integer expression that is a site.
    is_term: bool,
}

impl Finder<'_> {
    fn range(&self, node: &impl Spanned) -> Range<usize> {
        let range = node.span().byte_range();
        range.start + self.ast.offset..range.end + self.ast.offset
    }

    fn items(&mut self, items: &[Item]) {
        let end = items.last().map_or(0, |last| self.range(last).end);
        let outer = std::mem::replace(&mut self.end_of_items, end);
        items.iter().for_each(|item| self.visit_item(item));
        self.end_of_items = outer;
    }

    /// Visits items that are compiled only under the conditions of these attributes.
    fn under(&mut self, attrs: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let inner = &self.cfgs | &modules::conditions(attrs);
        let outer = std::mem::replace(&mut self.cfgs, inner);
        visit(self);
        self.cfgs = outer;
    }

    fn with_path(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }

    fn site(&mut self, kind: SiteKind, span: Range<usize>, at: proc_macro2::LineColumn) {
        self.site_with(kind, span, at, String::new(), None);
    }

    /// Adds a site; `min_binding` overrides that of the template.
    fn site_with(
        &mut self,
        kind: SiteKind,
        span: Range<usize>,
        at: proc_macro2::LineColumn,
        body: String,
        min_binding: Option<Binding>,
    ) {
        let (Some(function), Some(template)) = (self.function, template(kind)) else {
            return;
        };
        let text = self.text[span.clone()].to_string();
        let path = &self.sources.files[self.file].path;
        let name = &self.sources.functions[function].name;
        let id = self.all.ids.id(path, name, kind, &format!("{text}{body}"));
        self.sources.sites.push(Site {
            id,
            kind,
            file: self.file,
            span,
            line: at.line,
            column: at.column + 1,
            text,
            parts: Vec::new(),
            body,
            body_origin: BodyOrigin::Own,
            checks: 0,
            min_binding: min_binding.unwrap_or(template.min_binding),
            template,
            function,
            names: self.scopes.visible(),
            is_argument: false,
            is_pure: None,
        });
    }

    /// Marks the expressions at these spans as boolean.
    fn mark(&mut self, spans: Vec<Range<usize>>) {
        self.boolean_spans
            .extend(spans.into_iter().map(|span| (span.start, span.end)));
    }

    fn is_boolean(&self, expr: &Expr) -> bool {
        let span = expr.span().byte_range();
        if self.boolean_spans.contains(&(span.start, span.end)) {
            return !matches!(expr, Expr::Macro(call) if macro_name(&call.mac) != "matches");
        }
        let is_bool = |name: &str| {
            let ty = self.scopes.ty(name);
            ty.is_some_and(|ty| ty.plain == "bool" && !ty.is_reference)
        };
        self.all.booleans.has(expr, &is_bool)
    }

    /// Visits an expression that any other can replace without parentheses.
    fn visit_standalone(&mut self, expr: &Expr) {
        self.at.is_standalone = true;
        self.visit_expr(expr);
    }

    /// Visits an expression whose value is passed on, and that any other can replace without parentheses.
    fn visit_value(&mut self, expr: &Expr) {
        self.at.is_value = true;
        self.visit_standalone(expr);
    }

    /// Visits an expression that is part of an enclosing boolean site, or whose value is dropped.
    fn visit_covered(&mut self, expr: &Expr) {
        self.at.is_covered = true;
        self.visit_expr(expr);
    }

    fn condition(&mut self, kind: SiteKind, condition: &Expr) {
        self.site(kind, self.range(condition), condition.span().start());
        self.operands(condition);
    }

    /// Visits a block. `is_unit` says whether its last expression is known to be a statement.
    fn block(&mut self, block: &Block, is_unit: bool) {
        self.scopes.push();
        self.statements(block, is_unit);
        self.scopes.pop();
    }

    fn statements(&mut self, block: &Block, is_unit: bool) {
        let runs = Self::runs(block, is_unit);
        for (at, statement) in block.stmts.iter().enumerate() {
            // If a block has one value under each of several `cfg`s, no statement can be inserted between these values.
            let is_after_value = at > 0
                && matches!(&block.stmts[at - 1], Stmt::Expr(_, None))
                && block.stmts[at - 1..].iter().all(values::is_conditional);
            if !matches!(statement, Stmt::Item(_)) && !is_after_value {
                self.insertion_point(statement);
            }
            for run in runs.iter().filter(|run| run.start == at) {
                self.run(block, run);
            }
            if forms::is_skippable(block, at, is_unit) {
                let start = statement.span().start();
                self.site(SiteKind::Statement, self.range(statement), start);
            }
            self.statement(statement);
            self.scopes.assigned_in(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Local(local) => {
                if let Some(init) = &local.init {
                    if matches!(&local.pat, Pat::Type(typed)
                        if types::declared(&typed.ty).plain == "bool")
                    {
                        self.mark(values::yielded_by(&init.expr));
                    }
                    self.visit_value(&init.expr);
                    if let Some((_, diverge)) = &init.diverge {
                        self.visit_expr(diverge);
                    }
                }
                match local.init {
                    Some(_) => self.scopes.bind_pattern(&local.pat),
                    None => self.scopes.declare(&local.pat),
                }
            }
            Stmt::Item(item) => self.visit_item(item),
            Stmt::Expr(expr, Some(_)) => self.visit_covered(expr),
            Stmt::Expr(expr, None) => self.visit_value(expr),
            Stmt::Macro(statement) => self.macro_arguments(&statement.mac),
        }
    }

    /// Visits the arguments of a macro.
    fn macro_arguments(&mut self, mac: &Macro) {
        let first = self.sources.sites.next_key();
        for argument in &harvest::arguments(mac) {
            self.visit_standalone(argument);
        }
        if macro_name(mac).contains("assert") {
            self.count_check(first);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        self.item(item);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.block(block, false);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let at = std::mem::take(&mut self.at);
        if let Expr::Paren(inner) = expr {
            self.at = Position {
                is_standalone: true,
                is_value: !at.is_covered,
                ..at
            };
            return self.visit_expr(&inner.expr);
        }
        let is_site = !at.is_covered && self.is_boolean(expr);
        let is_integer = !is_site && self.computation(expr, at);
        if is_site {
            let min_binding = if at.is_standalone {
                Binding::Or
            } else {
                Binding::Atom
            };
            let (span, at) = (self.range(expr), expr.span().start());
            self.site_with(SiteKind::Value, span, at, String::new(), Some(min_binding));
            self.operands(expr);
        }
        let inside = at.is_covered || is_site;
        match expr {
            Expr::If(branch) => {
                self.copied_branches(branch);
                self.branch(branch, SiteKind::If);
            }
            Expr::While(repeat) => {
                self.scopes.push();
                self.condition_or_chain(SiteKind::While, &repeat.cond);
                self.loop_body(repeat.label.as_ref(), &repeat.body);
                self.scopes.pop();
            }
            Expr::ForLoop(repeat) => {
                self.visit_expr(&repeat.expr);
                self.scopes.push();
                self.scopes.bind_pattern(&repeat.pat);
                self.loop_body(repeat.label.as_ref(), &repeat.body);
                self.scopes.pop();
            }
            Expr::Loop(repeat) => self.loop_body(repeat.label.as_ref(), &repeat.body),
            Expr::Match(choice) => {
                self.visit_standalone(&choice.expr);
                for (at, arm) in choice.arms.iter().enumerate() {
                    self.arm(arm, &choice.arms[at + 1..]);
                }
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Async(block) => {
                self.inside_closure(Vec::new(), |finder| finder.visit_block(&block.block));
            }
            // These expressions are evaluated at compile time.
            Expr::Const(_) | Expr::Repeat(_) => {}
            Expr::Macro(call) => self.macro_arguments(&call.mac),
            Expr::Binary(binary) if is_integer && condition::arith_op(&binary.op).is_some() => {
                self.visit_term(&binary.left);
                self.visit_term(&binary.right);
            }
            Expr::Unary(unary) if inside => self.visit_covered(&unary.expr),
            Expr::Binary(binary) if inside && !condition::is_assignment(&binary.op) => {
                self.visit_covered(&binary.left);
                self.visit_covered(&binary.right);
            }
            Expr::Assign(assign) => {
                self.visit_covered(&assign.left);
                self.visit_value(&assign.right);
            }
            Expr::Binary(binary) if condition::is_assignment(&binary.op) => {
                self.visit_covered(&binary.left);
                self.visit_value(&binary.right);
            }
            Expr::Call(call) => {
                self.visit_covered(&call.func);
                call.args
                    .iter()
                    .for_each(|argument| self.visit_value(argument));
            }
            Expr::MethodCall(call) => {
                self.visit_expr(&call.receiver);
                let predicate = values::takes_predicate(&call.method.to_string());
                for argument in &call.args {
                    if let Expr::Closure(closure) = argument
                        && predicate
                    {
                        self.mark(values::yielded_by(&closure.body));
                    }
                    self.visit_value(argument);
                }
            }
            Expr::Index(index) => {
                self.visit_expr(&index.expr);
                self.visit_value(&index.index);
            }
            Expr::Range(range) => {
                let ends = range.start.iter().chain(&range.end);
                ends.for_each(|end| self.visit_value(end));
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.visit_value(part)),
            Expr::Array(array) => array.elems.iter().for_each(|part| self.visit_value(part)),
            Expr::Struct(built) => {
                for field in &built.fields {
                    // `S { on }` is shorthand for `S { on: on }`.
                    match field.colon_token {
                        Some(_) => self.visit_value(&field.expr),
                        None => self.visit_covered(&field.expr),
                    }
                }
                built.rest.iter().for_each(|rest| self.visit_expr(rest));
            }
            Expr::Return(syn::ExprReturn { expr: value, .. })
            | Expr::Break(syn::ExprBreak { expr: value, .. }) => {
                value.iter().for_each(|value| self.visit_value(value));
            }
            // A borrowed variable is a place, not a value.
            Expr::Reference(reference) if condition::is_variable(&reference.expr) => {}
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_macro(&mut self, _: &'ast Macro) {}
}
