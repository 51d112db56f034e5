//! Expressions of a function that may be useful at other sites: arithmetic, elements, casts, calls and comparisons of
//! names. Expressions that bind, branch or assign are excluded.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Macro};

use super::condition::{is_assignment, is_variable, leaf_of};
use super::types::{declared, is_constant_name, macro_name};
use crate::condition::{Leaf, one_line};
use crate::{Harvested, HarvestedKind};

/// The expressions of a body, in source order, without duplicates.
pub fn of_body(body: &Block, text: &str, offset: usize) -> Vec<Harvested> {
    let mut harvest = Harvest {
        text,
        offset,
        is_unsafe: false,
        found: Vec::new(),
    };
    harvest.visit_block(body);
    harvest.found
}

/// The constants that a body uses, as paths, in source order, without duplicates.
pub fn constants_of_body(body: &Block) -> Vec<String> {
    let mut constants = Constants::default();
    constants.visit_block(body);
    constants.0
}

#[derive(Default)]
struct Constants(Vec<String>);

impl<'ast> Visit<'ast> for Constants {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let last = path.path.segments.last().map(|last| last.ident.to_string());
        let text = path_text(&path.path);
        if last.is_some_and(|last| is_constant_name(&last)) && !self.0.contains(&text) {
            self.0.push(text);
        }
    }
}

struct Harvest<'a> {
    text: &'a str,
    offset: usize,
    /// Whether the code is in an `unsafe` block. Its calls cannot be used elsewhere.
    is_unsafe: bool,
    found: Vec<Harvested>,
}

impl<'ast> Visit<'ast> for Harvest<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if let Some(kind) = kind(expr).filter(|_| Small::holds(expr)) {
            let mut reads = Reads::default();
            let is_safe = |call: &String| is_query(call.trim_start_matches('.'));
            if reads.of(expr) && (!self.is_unsafe || reads.calls.iter().all(is_safe)) {
                self.keep(expr, kind, reads);
            }
        }
        if let Expr::Macro(call) = expr {
            arguments(&call.mac)
                .iter()
                .for_each(|argument| self.visit_expr(argument));
            return;
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        let outer = std::mem::replace(&mut self.is_unsafe, true);
        visit::visit_expr_unsafe(self, block);
        self.is_unsafe = outer;
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Harvest<'_> {
    fn keep(&mut self, expr: &Expr, kind: HarvestedKind, reads: Reads) {
        let start = self.offset + expr.span().byte_range().start;
        let end = self.offset + expr.span().byte_range().end;
        let Leaf { text, binding, .. } = leaf_of(expr, &self.text[start..end]);
        if text.len() > LONGEST || self.found.iter().any(|known| known.text == text) {
            return;
        }
        let here = |spans: Vec<Range<usize>>| {
            let spans = spans.into_iter();
            spans
                .filter_map(|span| hole(&self.text[start..end], &text, span, start - self.offset))
                .collect()
        };
        let (holes, getters) = (here(reads.variables), here(reads.getters));
        self.found.push(Harvested {
            text,
            binding,
            kind,
            names: reads.names,
            holes,
            getters,
            calls: reads.calls,
            receiver_methods: reads.receiver_methods,
        });
    }
}

/// The longest expression, in bytes, that keeps a condition readable.
const LONGEST: usize = 80;

/// Counts the parts of an expression, each of which takes at least a character, up to one more than [`LONGEST`]. In a
/// sum with thousands of terms, every partial sum is an expression, and reading each one completely would take
/// quadratic time.
#[derive(Default)]
struct Small(usize);

impl Small {
    /// Whether an expression may be short enough.
    fn holds(expr: &Expr) -> bool {
        let mut parts = Self::default();
        parts.visit_expr(expr);
        parts.0 <= LONGEST
    }
}

impl<'ast> Visit<'ast> for Small {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.0 += 1;
        if self.0 <= LONGEST {
            visit::visit_expr(self, expr);
        }
    }
}

/// The span of a variable in the one-line text of an expression. `None` if it is not there.
fn hole(source: &str, text: &str, span: Range<usize>, start: usize) -> Option<Range<usize>> {
    let span = span.start.checked_sub(start)?..span.end.checked_sub(start)?;
    let name = one_line(source.get(span.clone())?);
    let at = joined(source, text, span.start)?;
    let hole = at..at + name.len();
    (text.get(hole.clone())? == name).then_some(hole)
}

/// The position of a byte of an expression in its one-line text, which has other white space and fewer commas.
fn joined(source: &str, text: &str, at: usize) -> Option<usize> {
    let mut rest = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut next = rest.next();
    for (start, c) in source.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let (there, own) = next?;
        if start >= at {
            return Some(there);
        }
        match c == own {
            true => next = rest.next(),
            false if c == ',' => {}
            false => return None,
        }
    }
    None
}

/// The kind of a harvested expression. `None` if the expression is captured anyway (variables and literals), has no
/// scalar value, or is decomposed by the synthesizer.
fn kind(expr: &Expr) -> Option<HarvestedKind> {
    match expr {
        Expr::Binary(binary) => match &binary.op {
            BinOp::And(_) | BinOp::Or(_) => None,
            op if is_assignment(op) => None,
            BinOp::Eq(_) | BinOp::Ne(_) => Some(HarvestedKind::Equality),
            BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => None,
            _ => Some(HarvestedKind::Value),
        },
        // A slice is unsized.
        Expr::Index(index) if matches!(*index.index, Expr::Range(_)) => None,
        Expr::Index(_) => Some(HarvestedKind::Index),
        Expr::Cast(cast) if is_scalar(&cast.ty) => Some(HarvestedKind::Value),
        Expr::MethodCall(call) if !is_access(&call.method.to_string()) => Some(HarvestedKind::Call),
        Expr::Call(call) if !is_foreign(call) => Some(HarvestedKind::Call),
        Expr::Macro(call) if asks_for_pattern(&call.mac) => Some(HarvestedKind::Call),
        _ => None,
    }
}

fn is_scalar(ty: &syn::Type) -> bool {
    nopol_expr::Type::from_name(&declared(ty).plain).is_some()
}

/// Whether a method converts or gives access to a value, rather than computing a scalar.
fn is_access(method: &str) -> bool {
    const FORMS: [&str; 30] = [
        "iter",
        "chars",
        "bytes",
        "lines",
        "clone",
        "collect",
        "drain",
        "keys",
        "values",
        "next",
        "char_indices",
        // These make an iterator from another one, …
        "rev",
        "zip",
        "map",
        "filter",
        "filter_map",
        "flat_map",
        "enumerate",
        "skip",
        "skip_while",
        "take_while",
        "step_by",
        "chain",
        "peekable",
        "cloned",
        "copied",
        "by_ref",
        "windows",
        "chunks",
        // … and `take` and `next` change the value that they are called on.
        "take",
    ];
    const PREFIXES: [&str; 4] = ["as_", "to_", "into_", "iter_"];
    FORMS.contains(&method)
        || method.ends_with("_mut")
        || PREFIXES.iter().any(|prefix| method.starts_with(prefix))
}

/// Whether a method with this name is a state query, which is never `unsafe`.
fn is_query(method: &str) -> bool {
    const QUERIES: [&str; 7] = [
        "len", "is_empty", "is_some", "is_none", "is_ok", "is_err", "capacity",
    ];
    QUERIES.contains(&method)
}

/// Whether a function has a long path, or, judging by its name, returns a mutable reference.
fn is_foreign(call: &syn::ExprCall) -> bool {
    match &*call.func {
        Expr::Path(path) => path.path.segments.len() > 2 || path_text(&path.path).ends_with("_mut"),
        _ => true,
    }
}

/// The names that an expression reads, and its calls.
#[derive(Default)]
struct Reads {
    names: Vec<String>,
    /// Bytes of the variables and fields that are receivers or arguments of calls.
    variables: Vec<Range<usize>>,
    /// Bytes of the getters and elements that are receivers or arguments of calls.
    getters: Vec<Range<usize>>,
    calls: Vec<String>,
    /// Methods called on variables, their fields and elements.
    receiver_methods: Vec<String>,
}

impl Reads {
    /// Adds an expression. Returns false if some part of it cannot be evaluated elsewhere.
    fn of(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    let name = name.to_string();
                    // An upper-case name is a constant or a type, and need not be a visible variable.
                    if !name.starts_with(char::is_uppercase) && !self.names.contains(&name) {
                        self.names.push(name);
                    }
                }
                true
            }
            Expr::Paren(inner) => self.of(&inner.expr),
            Expr::Field(field) => self.of(&field.base),
            Expr::Index(index) => self.of(&index.expr) && self.of(&index.index),
            Expr::Range(range) => [&range.start, &range.end]
                .into_iter()
                .flatten()
                .all(|end| self.of(end)),
            Expr::Cast(cast) => self.of(&cast.expr),
            Expr::Unary(unary) => self.of(&unary.expr),
            Expr::Reference(reference) => {
                reference.mutability.is_none() && self.of(&reference.expr)
            }
            Expr::Tuple(tuple) => tuple.elems.iter().all(|part| self.of(part)),
            Expr::Binary(binary) => {
                !is_assignment(&binary.op) && self.of(&binary.left) && self.of(&binary.right)
            }
            Expr::MethodCall(call) => {
                self.calls.push(format!(".{}", call.method));
                if is_variable(&call.receiver) || matches!(*call.receiver, Expr::Index(_)) {
                    self.receiver_methods.push(call.method.to_string());
                }
                self.operand(&call.receiver) && call.args.iter().all(|arg| self.operand(arg))
            }
            Expr::Call(call) => {
                let Expr::Path(function) = &*call.func else {
                    return false;
                };
                let Some(last) = function.path.segments.last() else {
                    return false;
                };
                // An upper-case name constructs a tuple struct or variant.
                if last.ident.to_string().starts_with(char::is_uppercase) {
                    return false;
                }
                self.calls.push(path_text(&function.path));
                call.args.iter().all(|arg| self.operand(arg))
            }
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                arguments(&call.mac).first().is_some_and(|on| self.of(on))
            }
            Expr::Macro(call) if asks_for_pattern(&call.mac) => arguments(&call.mac)
                .first()
                .is_some_and(|on| self.operand(on)),
            Expr::Macro(call) => names_token(&call.mac),
            _ => false,
        }
    }

    /// Adds a receiver or argument. If it is a variable, other variables can replace it.
    fn operand(&mut self, expr: &Expr) -> bool {
        let variable = match expr {
            Expr::Reference(reference) => &reference.expr,
            _ => expr,
        };
        if is_variable(variable) && !is_constant_path(variable) {
            self.variables.push(variable.span().byte_range());
        }
        if is_getter(variable) {
            self.getters.push(variable.span().byte_range());
        }
        self.of(expr)
    }
}

/// Whether an expression calls a method of a variable without arguments, or takes an element of it, possibly in several
/// steps.
fn is_getter(expr: &Expr) -> bool {
    let is_read = |expr: &Expr| is_variable(expr) || is_getter(expr);
    match expr {
        Expr::MethodCall(call) => {
            let is_access = is_access(&call.method.to_string());
            call.args.is_empty() && !is_access && is_read(&call.receiver)
        }
        Expr::Index(index) => is_read(&index.expr) && is_read(&index.index),
        _ => false,
    }
}

/// A path without white space and generic arguments.
pub fn path_text(path: &syn::Path) -> String {
    let names: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    names.join("::")
}

fn is_constant_path(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase)),
        _ => false,
    }
}

/// Whether a macro matches a value against a pattern: `matches!`, or a similar macro of the subject, such as
/// `node_matches!(node, A)` or `dialect_of!(self is A | B)`.
fn asks_for_pattern(mac: &Macro) -> bool {
    let name = macro_name(mac);
    let is_named_so = name == "matches" || name.ends_with("_matches") && !name.contains("assert");
    let second = mac.tokens.clone().into_iter().nth(1);
    is_named_so || second.is_some_and(|token| token.to_string() == "is")
}

/// Whether an expression is a call of a macro that is similar to `matches!`, but not `matches!` itself.
pub fn is_own_pattern_question(text: &str) -> bool {
    let call = syn::parse_str::<syn::ExprMacro>(text);
    call.is_ok_and(|call| !call.mac.path.is_ident("matches") && asks_for_pattern(&call.mac))
}

/// Whether a macro names a token of a language, as `Token![!]` and `T![fn]` do: it reads no variable.
pub fn names_token(mac: &Macro) -> bool {
    let is_keyword =
        |ident: &proc_macro2::Ident| syn::parse_str::<syn::Ident>(&ident.to_string()).is_err();
    !mac.tokens.is_empty()
        && mac.tokens.clone().into_iter().all(|token| match token {
            TokenTree::Punct(_) | TokenTree::Literal(_) => true,
            TokenTree::Ident(ident) => is_keyword(&ident),
            TokenTree::Group(_) => false,
        })
}

/// Macros that do not evaluate arguments that look like expressions.
const READ_TOKENS: [&str; 16] = [
    "asm",
    "cfg",
    "compile_error",
    "concat",
    "env",
    "include",
    "include_bytes",
    "include_str",
    "json",
    "option_env",
    "parse_quote",
    "quote",
    "quote_spanned",
    "stringify",
    "thread_local",
    "tokens",
];

/// The arguments of a macro call, if all of them look like expressions. The compiler has the last word.
pub fn arguments(mac: &Macro) -> Vec<Expr> {
    let name = macro_name(mac);
    if asks_for_pattern(mac) {
        let first = |tokens: syn::parse::ParseStream| {
            let on: Expr = tokens.parse()?;
            let _: TokenStream = tokens.parse()?;
            Ok(vec![on])
        };
        return first.parse2(mac.tokens.clone()).unwrap_or_default();
    }
    let is_call = !matches!(mac.delimiter, syn::MacroDelimiter::Brace(_));
    if !is_call || READ_TOKENS.contains(&name.as_str()) {
        return Vec::new();
    }
    let list = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
    list.parse2(mac.tokens.clone())
        .map(|arguments| arguments.into_iter().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<String> {
        let block: Block = syn::parse_str(body).unwrap();
        of_body(&block, body, 0)
            .into_iter()
            .map(|found| found.text)
            .collect()
    }

    #[test]
    fn expressions_over_names_are_harvested() {
        let body =
            "{ let n = a.end - a.start; if v[n + 1] == x && s.contains(&n) { s.insert(n); } }";
        assert_eq!(
            texts(body),
            [
                "a.end - a.start",
                "v[n + 1] == x",
                "v[n + 1]",
                "n + 1",
                "s.contains(&n)",
                "s.insert(n)"
            ]
        );
    }

    #[test]
    fn expressions_that_bind_branch_or_assign_are_not_harvested() {
        assert_eq!(
            texts("{ f(|x| x + y, { 1 }); a += 1; g(&mut b)?; }"),
            ["x + y"]
        );
        assert_eq!(texts("{ Some(x); Point(1, 2); }"), [""; 0]);
    }

    #[test]
    fn a_harvested_call_has_names_and_holes() {
        let body = "{ seen.contains(&key) }";
        let block: Block = syn::parse_str(body).unwrap();
        let found = &of_body(&block, body, 0)[0];
        assert_eq!(found.names, ["seen", "key"]);
        assert_eq!(found.calls, [".contains"]);
        let holes: Vec<&str> = found
            .holes
            .iter()
            .map(|hole| &found.text[hole.clone()])
            .collect();
        assert_eq!(holes, ["seen", "key"]);
    }

    #[test]
    fn a_call_of_several_lines_has_holes() {
        let body = "{ if data\n    .root\n    .is_ignored(\n        path,\n        &kind,\n    ) { f() } }";
        let block: Block = syn::parse_str(body).unwrap();
        let found = &of_body(&block, body, 0)[0];
        assert_eq!(found.text, "data.root.is_ignored(path, &kind)");
        let holes: Vec<&str> = found
            .holes
            .iter()
            .map(|hole| &found.text[hole.clone()])
            .collect();
        assert_eq!(holes, ["data.root", "path", "kind"]);
    }

    #[test]
    fn getters_in_a_call_are_found() {
        let body = "{ repo.view().has(&commit.id(), v.iter()) }";
        let block: Block = syn::parse_str(body).unwrap();
        let found = &of_body(&block, body, 0)[0];
        let getters: Vec<&str> = found
            .getters
            .iter()
            .map(|getter| &found.text[getter.clone()])
            .collect();
        assert_eq!(getters, ["repo.view()", "commit.id()"]);
    }
}
