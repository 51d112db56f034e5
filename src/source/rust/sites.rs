//! Finds the sites of one file: conditions, guards, let-chain operands and statements, with the
//! names visible there (papers/nopol.txt §3.2).

use std::collections::BTreeMap;
use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, FnArg, Item, Macro, Pat, ReturnType, Signature, Stmt,
};

use super::effects::{self, Effects};
use super::modules::{Ast, is_marked_skip, is_test_code, module_is_skipped};
use super::scope::Scopes;
use super::{harvest, literals, types};
use crate::hash;
use crate::source::{Constant, DeclaredType, Function, Site, SiteKind, Sources};

/// How often each site description was seen, for stable ids.
pub type Ids = BTreeMap<String, u32>;

/// The functions found, by name, with what they may do.
pub type Known = Vec<(String, Effects)>;

/// Adds the sites, functions and declarations of a file to `sources`.
pub fn find(sources: &mut Sources, file: usize, ast: &Ast, ids: &mut Ids, known: &mut Known) {
    let text = sources.files[file].text.clone();
    let mut finder = Finder {
        sources,
        file,
        ast,
        text: &text,
        ids,
        known,
        scopes: Scopes::default(),
        path: Vec::new(),
        owner: None,
        function: None,
    };
    finder.items(&ast.file.items);
}

struct Finder<'a> {
    sources: &'a mut Sources,
    file: usize,
    ast: &'a Ast,
    text: &'a str,
    ids: &'a mut Ids,
    known: &'a mut Known,
    scopes: Scopes,
    /// Names of the enclosing modules, types and functions.
    path: Vec<String>,
    /// The type or trait whose functions are visited.
    owner: Option<String>,
    function: Option<usize>,
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
        let head = self.range(&sig.fn_token).start;
        if is_test_code(attrs) || is_marked_skip(self.text, item.start, head) {
            return;
        }
        let of_body = effects::of_function(sig, body);
        self.known.push((sig.ident.to_string(), of_body));
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
        self.block(body, returns_unit);
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
        let Some(function) = self.function else {
            return;
        };
        let text = self.text[span.clone()].to_string();
        let description = format!(
            "{}|{}|{kind:?}|{text}",
            self.sources.files[self.file].path, self.sources.functions[function].name
        );
        let nth = self.ids.entry(description.clone()).or_default();
        *nth += 1;
        self.sources.sites.push(Site {
            id: hash::short(&format!("{description}|{nth}")),
            kind,
            file: self.file,
            span,
            line: at.line,
            column: at.column + 1,
            text,
            function,
            names: self.scopes.visible(),
        });
    }

    fn condition(&mut self, kind: SiteKind, condition: &Expr) {
        self.site(kind, self.range(condition), condition.span().start());
    }

    /// The condition of an `if` or `while`; names bound by its `let`s are visible afterwards, in
    /// the scope the caller has pushed.
    fn condition_or_chain(&mut self, kind: SiteKind, condition: &Expr) {
        if !has_let(condition) {
            self.condition(kind, condition);
            self.visit_expr(condition);
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
                self.visit_expr(operand);
            }
        }
        if let Some((span, at)) = run {
            self.site(SiteKind::LetOperand, span, at);
        }
    }

    fn loop_body(&mut self, body: &Block) {
        if self.function.is_some() {
            let open = self.range(&body.brace_token.span.open());
            self.sources.files[self.file].loops.push(open.end);
        }
        self.block(body, true);
    }

    /// A block; `is_unit` if its last expression is known to be a statement.
    fn block(&mut self, block: &Block, is_unit: bool) {
        self.scopes.push();
        for (at, statement) in block.stmts.iter().enumerate() {
            let is_last = at + 1 == block.stmts.len();
            if self.is_skippable(statement, is_last, is_unit) {
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
                    self.visit_expr(&init.expr);
                    if let Some((_, diverge)) = &init.diverge {
                        self.visit_expr(diverge);
                    }
                }
                self.scopes.bind_pattern(&local.pat);
            }
            Stmt::Item(item) => self.visit_item(item),
            Stmt::Expr(expr, _) => self.visit_expr(expr),
            Stmt::Macro(_) => {}
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
        match expr {
            Expr::If(branch) => self.branch(branch, SiteKind::If),
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
                self.visit_expr(&choice.expr);
                choice.arms.iter().for_each(|arm| self.arm(arm));
            }
            Expr::Closure(closure) => {
                self.scopes.push();
                closure
                    .inputs
                    .iter()
                    .for_each(|input| self.scopes.bind_pattern(input));
                self.visit_expr(&closure.body);
                self.scopes.pop();
            }
            // Evaluated at compile time.
            Expr::Const(_) | Expr::Repeat(_) => {}
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
        self.condition_or_chain(kind, &branch.cond);
        self.block(&branch.then_branch, branch.else_branch.is_none());
        self.scopes.pop();
        match branch.else_branch.as_ref().map(|(_, expr)| &**expr) {
            Some(Expr::If(next)) => self.branch(next, SiteKind::ElseIf),
            Some(other) => self.visit_expr(other),
            None => {}
        }
    }

    fn arm(&mut self, arm: &Arm) {
        self.scopes.push();
        self.scopes.bind_pattern(&arm.pat);
        if let Pat::Guard(guard) = &arm.pat {
            if !has_let(&guard.guard) {
                self.condition(SiteKind::Guard, &guard.guard);
            }
            self.visit_expr(&guard.guard);
        }
        self.visit_expr(&arm.body);
        self.scopes.pop();
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

fn macro_name(mac: &Macro) -> String {
    mac.path
        .segments
        .last()
        .map_or_else(String::new, |last| last.ident.to_string())
}
