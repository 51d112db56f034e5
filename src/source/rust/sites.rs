//! Finds the sites of one file: conditions, guards, let-chain operands, boolean expressions,
//! statements and the places for something new, with the names visible there
//! (papers/nopol.txt §3.2).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, FnArg, Item, Macro, Pat, ReturnType, Signature, Stmt,
};

use super::effects::{self, Effects};
use super::exits::{self, Constructor, Place};
use super::modules::{Ast, is_marked_skip, is_test_code, module_is_skipped};
use super::scope::Scopes;
use super::types::macro_name;
use super::values::{self, Booleans};
use super::{condition, harvest, literals, types};
use crate::hash;
use crate::source::{Constant, DeclaredType, Function, Name, Site, SiteKind, Sources};
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
pub fn find(sources: &mut Sources, file: usize, ast: &Ast, has_chains: bool, all: &mut Gathered) {
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

struct Finder<'a> {
    sources: &'a mut Sources,
    file: usize,
    ast: &'a Ast,
    text: &'a str,
    has_chains: bool,
    all: &'a mut Gathered,
    scopes: Scopes,
    /// Names of the enclosing modules, types and functions.
    path: Vec<String>,
    /// The type or trait whose functions are visited.
    owner: Option<String>,
    function: Option<usize>,
    /// Where expressions stand that are boolean because of what they are the value of.
    yields: BTreeSet<(usize, usize)>,
    within: Within,
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

    /// Visits a function's body, unless it is test code, marked, or evaluated at compile time.
    fn function(&mut self, attrs: &[Attribute], item: Range<usize>, sig: &Signature, body: &Block) {
        if sig.inputs.is_empty()
            && let (Some(owner), Some(returns)) = (&self.owner, returned(sig))
            && (returns == "Self" || returns.split('<').next() == Some(owner))
        {
            self.all.constructors.push(Constructor {
                owner: owner.clone(),
                name: sig.ident.to_string(),
            });
        }
        let head = self.range(&sig.fn_token).start;
        if is_test_code(attrs) || is_marked_skip(self.text, item.start, head) {
            return;
        }
        let of_body = effects::of_function(sig, body);
        self.all.known.push((sig.ident.to_string(), of_body));
        let owner = self.owner.as_ref();
        self.sources
            .callables
            .extend(types::callable(sig, owner, self.file));
        if sig.constness.is_some() {
            return;
        }
        let outer_scopes = std::mem::take(&mut self.scopes);
        let outer_function = self.function;
        self.path.push(sig.ident.to_string());
        self.function = Some(self.sources.functions.len());
        self.sources.functions.push(Function {
            name: self.path.join("::"),
            file: self.file,
            owner: self.owner.clone(),
            returns: returned(sig),
            exits: exits::values(body, self.text, self.ast.offset),
            runs: exits::runs(body, self.text, self.ast.offset),
            parameters: Vec::new(),
            literals: literals::of_tokens(body.to_token_stream()),
            constants: harvest::constants_of_body(body),
            expressions: harvest::of_body(body, self.text, self.ast.offset),
        });

        self.scopes.push();
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    let ty = self.owner.clone().map(|plain| DeclaredType {
                        plain,
                        is_reference: matches!(receiver.kind, syn::ReceiverKind::Reference(..)),
                    });
                    self.scopes.bind("self".to_string(), ty);
                }
                FnArg::Typed(typed) => match &*typed.pat {
                    Pat::Ident(ident) => {
                        self.scopes.bind_typed(&ident.ident.to_string(), &typed.ty);
                    }
                    pattern => self.scopes.bind_pattern(pattern),
                },
            }
        }
        let returns_unit = matches!(&sig.output, ReturnType::Default);
        if let Some(function) = self.function {
            self.sources.functions[function].parameters = self.scopes.visible().to_vec();
        }
        if values::returns_bool(sig) {
            self.mark(values::yielded(body));
        }
        let outer = std::mem::take(&mut self.within);
        self.within.a_closure = sig.asyncness.is_some();
        self.block(body, returns_unit);
        self.within = outer;
        self.scopes.pop();

        self.path.pop();
        self.function = outer_function;
        self.scopes = outer_scopes;
    }

    /// Visits what belongs to a type or trait.
    fn of_owner(&mut self, owner: String, path: String, visit: impl FnOnce(&mut Self)) {
        let outer = self.owner.replace(owner);
        self.within(path, visit);
        self.owner = outer;
    }

    fn constant(&mut self, name: &syn::Ident) {
        self.sources.constants.push(Constant {
            file: self.file,
            name: name.to_string(),
            owner: self.owner.clone(),
        });
    }

    fn site(&mut self, kind: SiteKind, span: Range<usize>, at: proc_macro2::LineColumn) {
        let least = match kind {
            // A run of operands stands between `&&`s.
            SiteKind::LetOperand => Binding::And,
            _ => Binding::Or,
        };
        self.site_with(kind, span, at, String::new(), least);
    }

    fn site_with(
        &mut self,
        kind: SiteKind,
        span: Range<usize>,
        at: proc_macro2::LineColumn,
        body: String,
        least: Binding,
    ) {
        let Some(function) = self.function else {
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
            far: 0,
            least,
            function,
            names: self.scopes.visible(),
        });
    }

    /// The sites from that one on decide whether the program panics on purpose.
    fn is_check(&mut self, first: usize) {
        for site in &mut self.sources.sites[first..] {
            site.far += OF_CHECK;
        }
    }

    /// A place right after a node where something new can stand.
    fn site_after(&mut self, kind: SiteKind, node: &impl Spanned, body: String) {
        let at = self.range(node).end;
        let least = match kind {
            SiteKind::Pattern => Binding::And,
            _ => Binding::Or,
        };
        self.site_with(kind, at..at, node.span().end(), body, least);
    }

    /// A place before a statement where the function or loop can be left.
    fn place(&mut self, statement: &Stmt) {
        let Some(function) = self.function else {
            return;
        };
        let range = self.range(statement);
        let at = statement.span().start();
        self.all.places.push(Place {
            file: self.file,
            function,
            at: range.start,
            line: at.line,
            column: at.column + 1,
            before: self.text[range].to_owned(),
            names: self.scopes.visible(),
            in_loop: self.within.a_loop,
            in_closure: self.within.a_closure,
            is_before_check: exits::is_check(statement),
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
        let visible = self.scopes.visible();
        let is_bool = |name: &str| {
            let named = |known: &&Name| known.text == name;
            let known = visible.iter().rev().find(named);
            let ty = known.and_then(|known| known.ty.as_ref());
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

    fn loop_body(&mut self, body: &Block) {
        if self.function.is_some() {
            let open = self.range(&body.brace_token.span.open());
            self.sources.files[self.file].loops.push(open.end);
        }
        let outer = self.within.a_loop;
        self.within.a_loop = true;
        self.block(body, true);
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
            if self.is_skippable(statement, is_last, is_unit) {
                let start = statement.span().start();
                self.site(SiteKind::Statement, self.range(statement), start);
            }
            self.statement(statement);
        }
        self.scopes.pop();
    }

    /// The longest run of statements that starts here and can be skipped together.
    fn run(&mut self, block: &Block, at: usize, is_unit: bool) {
        let skippable = |nth: usize| {
            let is_last = nth + 1 == block.stmts.len();
            self.is_skippable(&block.stmts[nth], is_last, is_unit)
        };
        let starts = skippable(at) && (at == 0 || !skippable(at - 1));
        let length = (at..block.stmts.len())
            .take_while(|nth| skippable(*nth))
            .count();
        if starts && length > 1 {
            let (first, last) = (&block.stmts[at], &block.stmts[at + length - 1]);
            let span = self.range(first).start..self.range(last).end;
            self.site(SiteKind::Run, span, first.span().start());
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

    /// The arguments of a macro of std.
    fn macro_arguments(&mut self, mac: &Macro) {
        let first = self.sources.sites.len();
        for argument in &harvest::arguments(mac) {
            self.loose(argument);
        }
        if macro_name(mac).contains("assert") {
            self.is_check(first);
        }
    }

    /// Whether `if keep { STATEMENT }` can be put around a statement without changing a type.
    fn is_skippable(&self, statement: &Stmt, is_last: bool, is_unit: bool) -> bool {
        match statement {
            Stmt::Expr(expr, Some(_)) => !diverges(expr),
            Stmt::Expr(expr, None) => match expr {
                Expr::ForLoop(_) => true,
                // Where the condition is a site, forcing it false skips the statement already.
                Expr::While(repeat) => has_let(&repeat.cond),
                Expr::If(branch) => match branch.else_branch {
                    None => has_let(&branch.cond),
                    Some(_) => !is_last || is_unit,
                },
                Expr::Match(_) | Expr::Block(_) | Expr::Unsafe(_) => !is_last,
                Expr::Loop(_) => !is_last,
                _ => false,
            },
            // Other macros may declare names or diverge.
            Stmt::Macro(statement) => {
                statement.semi_token.is_some()
                    && matches!(macro_name(&statement.mac).as_str(), "write" | "writeln")
            }
            Stmt::Local(_) | Stmt::Item(_) => false,
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) => {
                self.function(
                    &function.attrs,
                    self.range(function),
                    &function.sig,
                    &function.block,
                );
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content
                    && !is_test_code(&module.attrs)
                    && !module_is_skipped(self.ast, module, self.text)
                {
                    self.within(module.ident.to_string(), |finder| finder.items(items));
                }
            }
            Item::Impl(block) if !is_test_code(&block.attrs) => {
                let name = block.self_ty.to_token_stream().to_string().replace(' ', "");
                let path = match &block.trait_ {
                    Some((path, _)) => {
                        format!(
                            "<{name} as {}>",
                            path.to_token_stream().to_string().replace(' ', "")
                        )
                    }
                    None => name.clone(),
                };
                let name = name.split('<').next().unwrap_or_default().to_owned();
                self.of_owner(name, path, |finder| {
                    for item in &block.items {
                        match item {
                            syn::ImplItem::Fn(function) => {
                                let span = finder.range(function);
                                finder.function(
                                    &function.attrs,
                                    span,
                                    &function.sig,
                                    &function.block,
                                );
                            }
                            syn::ImplItem::Const(item) => finder.constant(&item.ident),
                            _ => {}
                        }
                    }
                });
            }
            Item::Trait(item) if !is_test_code(&item.attrs) => {
                let name = item.ident.to_string();
                self.of_owner(name.clone(), name, |finder| {
                    for item in &item.items {
                        match item {
                            syn::TraitItem::Fn(function) => match &function.default {
                                Some(body) => {
                                    let span = finder.range(function);
                                    finder.function(&function.attrs, span, &function.sig, body);
                                }
                                // Its effects are those of the functions that implement it.
                                None => {
                                    let (owner, file) = (finder.owner.as_ref(), finder.file);
                                    let callable = types::callable(&function.sig, owner, file);
                                    finder.sources.callables.extend(callable);
                                }
                            },
                            syn::TraitItem::Const(item) => finder.constant(&item.ident),
                            _ => {}
                        }
                    }
                });
            }
            Item::Struct(syn::ItemStruct { attrs, .. })
            | Item::Enum(syn::ItemEnum { attrs, .. })
                if self.function.is_none() && !is_test_code(attrs) =>
            {
                let data_type = types::data_type(item, self.file, self.range(item).end);
                self.sources.types.extend(data_type);
            }
            Item::Const(item) if self.function.is_none() && !is_test_code(&item.attrs) => {
                self.constant(&item.ident);
            }
            Item::Use(item) if self.function.is_none() && !is_test_code(&item.attrs) => {
                let imported = &mut self.sources.files[self.file].imported;
                types::imported_constants(&item.tree, imported);
            }
            // Constants and statics are evaluated at compile time; the rest has no code.
            _ => {}
        }
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
            self.site_with(SiteKind::Value, span, at, String::new(), least);
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
                self.loop_body(&repeat.body);
                self.scopes.pop();
            }
            Expr::ForLoop(repeat) => {
                self.visit_expr(&repeat.expr);
                self.scopes.push();
                self.scopes.bind_pattern(&repeat.pat);
                self.loop_body(&repeat.body);
                self.scopes.pop();
            }
            Expr::Loop(repeat) => self.loop_body(&repeat.body),
            Expr::Match(choice) => {
                self.loose(&choice.expr);
                for (at, arm) in choice.arms.iter().enumerate() {
                    self.arm(arm, &choice.arms[at + 1..]);
                }
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Async(block) => {
                let outer = std::mem::replace(
                    &mut self.within,
                    Within {
                        a_loop: false,
                        a_closure: true,
                    },
                );
                self.visit_block(&block.block);
                self.within = outer;
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
        let first = self.sources.sites.len();
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
        let outer = std::mem::replace(
            &mut self.within,
            Within {
                a_loop: false,
                a_closure: true,
            },
        );
        self.scopes.push();
        for input in &closure.inputs {
            self.scopes.bind_pattern(input);
        }
        self.loose(&closure.body);
        self.scopes.pop();
        self.within = outer;
    }

    /// Places for a further branch in a chain of `if`s, each with the body of another branch.
    fn copies(&mut self, root: &syn::ExprIf) {
        let mut blocks = vec![&root.then_branch];
        let mut last = root;
        while let Some((_, next)) = &last.else_branch {
            match &**next {
                Expr::If(next) => {
                    blocks.push(&next.then_branch);
                    last = next;
                }
                Expr::Block(block) => {
                    blocks.push(&block.block);
                    break;
                }
                _ => break,
            }
        }
        let has_else = last.else_branch.is_some();
        // Without an `else` there is a place behind the last branch as well.
        let places = if has_else {
            blocks.len() - 1
        } else {
            blocks.len()
        };
        for at in 0..places {
            let others = blocks.iter().enumerate().filter(|(nth, _)| *nth != at);
            let mut bodies: Vec<String> = Vec::new();
            for (_, block) in others.take(MOST_COPIES) {
                let range = self.range(&block.brace_token.span.open()).end
                    ..self.range(&block.brace_token.span.close()).start;
                let body = self.text[range].trim();
                if !body.is_empty() && body.len() <= LONGEST_COPY && !body.contains("//") {
                    bodies.push(body.to_owned());
                }
            }
            bodies.dedup();
            for body in bodies {
                self.site_after(SiteKind::Branch, &blocks[at].brace_token.span.close(), body);
            }
        }
    }
}

/// What it costs more to change what an assertion says: whoever wrote that meant it.
const OF_CHECK: u32 = 10;
/// Branches of a chain whose bodies are copied.
const MOST_COPIES: usize = 3;
/// Longer bodies are too much to repeat.
const LONGEST_COPY: usize = 160;

/// Whether a pattern matches everything that is left.
fn is_catch_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(ident) => {
            ident.subpat.is_none()
                && ident
                    .ident
                    .to_string()
                    .starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        _ => false,
    }
}

/// The type a function returns as it is written, without white space.
fn returned(signature: &Signature) -> Option<String> {
    match &signature.output {
        ReturnType::Type(_, ty) => Some(ty.to_token_stream().to_string().replace(' ', "")),
        ReturnType::Default => None,
    }
}

fn has_let(condition: &Expr) -> bool {
    let mut operands = Vec::new();
    chain_operands(condition, &mut operands);
    operands
        .iter()
        .any(|operand| matches!(operand, Expr::Let(_)))
}

/// The operands of the top-level `&&`s, left to right.
fn chain_operands<'a>(condition: &'a Expr, operands: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            chain_operands(&binary.left, operands);
            chain_operands(&binary.right, operands);
        }
        _ => operands.push(condition),
    }
}

/// Whether a statement surely leaves the block, as far as its form tells; forcing the branch it
/// is in does the same as skipping it.
fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Let(_) | Expr::Verbatim(_) => {
            true
        }
        Expr::Macro(call) => !matches!(macro_name(&call.mac).as_str(), "write" | "writeln"),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "exit" || last.ident == "abort"),
            _ => false,
        },
        _ => false,
    }
}
