//! Finds the sites of one file: conditions, guards, let-chain operands, boolean expressions,
//! and statements, with the names visible there (papers/nopol.txt §3.2). `items` walks the
//! items, `places` has the places for something new, `forms` what syntax alone tells.

mod forms;
mod items;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, Item, Macro, Pat, Stmt};

use self::forms::{chain_operands, has_let, is_catch_all};
use super::effects::Effects;
use super::exits::{self, Constructor, Place};
use super::modules::Ast;
use super::scope::Scopes;
use super::templates::template;
use super::types::macro_name;
use super::values::{self, Booleans};
use super::{condition, harvest, types};
use crate::hash;
use crate::source::{BodyOrigin, FileIndex, FunctionIndex, Loop, Site, SiteKind, Sources};
use crate::spec::Binding;

/// The functions found, by name, with what they may do.
pub type Known = Vec<(String, Effects)>;

/// What is gathered over all files.
#[derive(Default)]
pub struct Gathered {
    /// How often each site description was seen, for stable ids.
    ids: BTreeMap<String, u32>,
    pub known: Known,
    pub booleans: Booleans,
    pub places: Vec<Place>,
    pub constructors: Vec<Constructor>,
}

/// Adds the sites, functions and declarations of a file to `sources`; `has_chains` if its edition
/// has let-chains.
pub fn find(
    sources: &mut Sources,
    file: FileIndex,
    ast: &Ast,
    has_chains: bool,
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
        owner: None,
        function: None,
        yields: BTreeSet::new(),
        within: Within::default(),
        labels: Vec::new(),
        covered: false,
        loose: false,
    };
    finder.items(&ast.file.items);
}

/// What `break`, `continue` and `return` would leave.
#[derive(Clone, Copy, Default)]
struct Within {
    a_loop: bool,
    a_closure: bool,
}

impl Within {
    const CLOSURE: Self = Self {
        a_loop: false,
        a_closure: true,
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
    /// The type or trait whose functions are visited.
    owner: Option<String>,
    function: Option<FunctionIndex>,
    /// Where expressions stand that are boolean because of what they are the value of.
    yields: BTreeSet<(usize, usize)>,
    within: Within,
    /// Labels of the loops around, those without one as empty texts.
    labels: Vec<String>,
    /// The expression visited next is part of a site that is the whole condition.
    covered: bool,
    /// The expression visited next may be replaced by any other without parentheses.
    loose: bool,
}

impl Finder<'_> {
    fn range(&self, node: &impl Spanned) -> Range<usize> {
        let range = node.span().byte_range();
        range.start + self.ast.offset..range.end + self.ast.offset
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.visit_item(item));
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }

    fn site(&mut self, kind: SiteKind, span: Range<usize>, at: proc_macro2::LineColumn) {
        self.site_with(kind, span, at, String::new(), None);
    }

    /// A site; `least` if that is not the same at all sites of its kind.
    fn site_with(
        &mut self,
        kind: SiteKind,
        span: Range<usize>,
        at: proc_macro2::LineColumn,
        body: String,
        least: Option<Binding>,
    ) {
        let (Some(function), Some(template)) = (self.function, template(kind)) else {
            return;
        };
        let text = self.text[span.clone()].to_string();
        let description = format!(
            "{}|{}|{kind:?}|{text}{body}",
            self.sources.files[self.file].path, self.sources.functions[function].name
        );
        let nth = self.all.ids.entry(description.clone()).or_default();
        *nth += 1;
        self.sources.sites.push(Site {
            id: hash::short(&format!("{description}|{nth}")),
            kind,
            file: self.file,
            span,
            line: at.line,
            column: at.column + 1,
            text,
            body,
            body_origin: BodyOrigin::Own,
            checks: 0,
            least: least.unwrap_or(template.least),
            template,
            function,
            names: self.scopes.visible(),
            is_pure: None,
        });
    }

    /// Remembers that the expressions there are boolean.
    fn mark(&mut self, spans: Vec<Range<usize>>) {
        self.yields
            .extend(spans.into_iter().map(|span| (span.start, span.end)));
    }

    fn is_boolean(&self, expr: &Expr) -> bool {
        let span = expr.span().byte_range();
        if self.yields.contains(&(span.start, span.end)) {
            return !matches!(expr, Expr::Macro(call) if macro_name(&call.mac) != "matches");
        }
        let is_bool = |name: &str| {
            let ty = self.scopes.ty(name);
            ty.is_some_and(|ty| ty.plain == "bool" && !ty.is_reference)
        };
        self.all.booleans.has(expr, &is_bool)
    }

    /// Visits an expression that may be replaced by any other.
    fn loose(&mut self, expr: &Expr) {
        self.loose = true;
        self.visit_expr(expr);
    }

    /// Visits an expression that belongs to a boolean site around it, or whose value is dropped.
    fn covered(&mut self, expr: &Expr) {
        self.covered = true;
        self.visit_expr(expr);
    }

    fn condition(&mut self, kind: SiteKind, condition: &Expr) {
        self.site(kind, self.range(condition), condition.span().start());
    }

    /// The condition of an `if` or `while`; names bound by its `let`s are visible afterwards, in
    /// the scope the caller has pushed.
    fn condition_or_chain(&mut self, kind: SiteKind, condition: &Expr) {
        if !has_let(condition) {
            self.condition(kind, condition);
            self.covered(condition);
            return;
        }
        let mut operands = Vec::new();
        chain_operands(condition, &mut operands);
        let mut run: Option<(Range<usize>, proc_macro2::LineColumn)> = None;
        for operand in operands {
            if let Expr::Let(binding) = operand {
                if let Some((span, at)) = run.take() {
                    self.site(SiteKind::LetOperand, span, at);
                }
                self.visit_expr(&binding.expr);
                self.scopes.bind_pattern(&binding.pat);
            } else {
                let range = self.range(operand);
                run = Some(match run {
                    Some((span, at)) => (span.start..range.end, at),
                    None => (range, operand.span().start()),
                });
                self.covered(operand);
            }
        }
        match run {
            Some((span, at)) => self.site(SiteKind::LetOperand, span, at),
            None if self.has_chains => {
                self.site_after(SiteKind::Pattern, condition, String::new());
            }
            None => {}
        }
    }

    fn loop_body(&mut self, label: Option<&syn::Label>, body: &Block) {
        if self.function.is_some() {
            let open = self.range(&body.brace_token.span.open());
            let start = open.end;
            self.sources.files[self.file]
                .loops
                .push(Loop { start, end: None });
        }
        let outer = self.within.a_loop;
        self.within.a_loop = true;
        let label = label.map_or_else(String::new, |label| label.name.to_string());
        self.labels.push(label);
        self.block(body, true);
        self.labels.pop();
        self.within.a_loop = outer;
    }

    /// A block; `is_unit` if its last expression is known to be a statement.
    fn block(&mut self, block: &Block, is_unit: bool) {
        self.scopes.push();
        for (at, statement) in block.stmts.iter().enumerate() {
            let is_last = at + 1 == block.stmts.len();
            if !matches!(statement, Stmt::Item(_)) {
                self.place(statement);
            }
            self.run(block, at, is_unit);
            if forms::is_skippable(statement, is_last, is_unit) {
                let start = statement.span().start();
                self.site(SiteKind::Statement, self.range(statement), start);
            }
            self.statement(statement);
        }
        self.scopes.pop();
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
                    self.loose(&init.expr);
                    if let Some((_, diverge)) = &init.diverge {
                        self.visit_expr(diverge);
                    }
                }
                self.scopes.bind_pattern(&local.pat);
            }
            Stmt::Item(item) => self.visit_item(item),
            Stmt::Expr(expr, Some(_)) => self.covered(expr),
            Stmt::Expr(expr, None) => self.loose(expr),
            Stmt::Macro(statement) => self.macro_arguments(&statement.mac),
        }
    }

    /// The arguments of a macro.
    fn macro_arguments(&mut self, mac: &Macro) {
        let first = self.sources.sites.next_key();
        for argument in &harvest::arguments(mac) {
            self.loose(argument);
        }
        if macro_name(mac).contains("assert") {
            self.is_check(first);
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
        let covered = std::mem::take(&mut self.covered);
        let loose = std::mem::take(&mut self.loose);
        if let Expr::Paren(inner) = expr {
            self.covered = covered;
            self.loose = true;
            return self.visit_expr(&inner.expr);
        }
        let is_site = !covered && self.is_boolean(expr);
        if is_site {
            let least = if loose { Binding::Or } else { Binding::Atom };
            let (span, at) = (self.range(expr), expr.span().start());
            self.site_with(SiteKind::Value, span, at, String::new(), Some(least));
        }
        let inside = covered || is_site;
        match expr {
            Expr::If(branch) => {
                self.copies(branch);
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
                self.loose(&choice.expr);
                for (at, arm) in choice.arms.iter().enumerate() {
                    self.arm(arm, &choice.arms[at + 1..]);
                }
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Async(block) => {
                self.inside_closure(|finder| finder.visit_block(&block.block));
            }
            // Evaluated at compile time.
            Expr::Const(_) | Expr::Repeat(_) => {}
            Expr::Macro(call) => self.macro_arguments(&call.mac),
            Expr::Unary(unary) if inside => self.covered(&unary.expr),
            Expr::Binary(binary) if inside && !condition::is_assignment(&binary.op) => {
                self.covered(&binary.left);
                self.covered(&binary.right);
            }
            Expr::Assign(assign) => {
                self.covered(&assign.left);
                self.loose(&assign.right);
            }
            Expr::Binary(binary) if condition::is_assignment(&binary.op) => {
                self.covered(&binary.left);
                self.loose(&binary.right);
            }
            Expr::Call(call) => {
                self.covered(&call.func);
                call.args.iter().for_each(|argument| self.loose(argument));
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
                    self.loose(argument);
                }
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.loose(part)),
            Expr::Array(array) => array.elems.iter().for_each(|part| self.loose(part)),
            Expr::Struct(built) => {
                for field in &built.fields {
                    // `S { on }` is short for `on: on`.
                    match field.colon_token {
                        Some(_) => self.loose(&field.expr),
                        None => self.covered(&field.expr),
                    }
                }
                built.rest.iter().for_each(|rest| self.visit_expr(rest));
            }
            Expr::Return(syn::ExprReturn { expr: value, .. })
            | Expr::Break(syn::ExprBreak { expr: value, .. }) => {
                value.iter().for_each(|value| self.loose(value));
            }
            // What is borrowed or assigned to is a place, not a value.
            Expr::Reference(reference) if condition::is_place(&reference.expr) => {}
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_macro(&mut self, _: &'ast Macro) {}
}

impl Finder<'_> {
    fn branch(&mut self, branch: &syn::ExprIf, kind: SiteKind) {
        self.scopes.push();
        let first = self.sources.sites.next_key();
        self.condition_or_chain(kind, &branch.cond);
        if exits::panics(&branch.then_branch) {
            self.is_check(first);
        }
        self.block(&branch.then_branch, branch.else_branch.is_none());
        self.scopes.pop();
        match branch.else_branch.as_ref().map(|(_, expr)| &**expr) {
            Some(Expr::If(next)) => self.branch(next, SiteKind::ElseIf),
            Some(other) => self.visit_expr(other),
            None => {}
        }
    }

    fn arm(&mut self, arm: &Arm, later: &[Arm]) {
        self.scopes.push();
        self.scopes.bind_pattern(&arm.pat);
        if let Pat::Guard(guard) = &arm.pat {
            if !has_let(&guard.guard) {
                self.condition(SiteKind::Guard, &guard.guard);
                self.covered(&guard.guard);
            } else {
                self.visit_expr(&guard.guard);
            }
        } else if later.iter().any(|later| is_catch_all(&later.pat)) {
            self.site_after(SiteKind::Arm, &arm.pat, String::new());
        }
        self.loose(&arm.body);
        self.scopes.pop();
    }

    fn closure(&mut self, closure: &syn::ExprClosure) {
        self.scopes.push();
        for input in &closure.inputs {
            self.scopes.bind_pattern(input);
        }
        self.inside_closure(|finder| finder.loose(&closure.body));
        self.scopes.pop();
    }

    /// Visits what neither leaves the function nor a loop around it.
    fn inside_closure(&mut self, visit: impl FnOnce(&mut Self)) {
        let within = std::mem::replace(&mut self.within, Within::CLOSURE);
        let labels = std::mem::take(&mut self.labels);
        visit(self);
        (self.within, self.labels) = (within, labels);
    }
}
