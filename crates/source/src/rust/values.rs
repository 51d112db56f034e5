//! Which expressions are boolean, judging by their syntax and the names declared in the subject. The compiler has the
//! last word.

use std::ops::Range;

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ReturnType, Signature, Stmt, UnOp};

use super::by_type::ByType;
use super::types::{declared, macro_name};

/// Methods of std that return `bool` and change nothing.
const QUERIES: [&str; 9] = [
    "contains",
    "contains_key",
    "starts_with",
    "ends_with",
    "any",
    "all",
    "eq_ignore_ascii_case",
    "eq",
    "ne",
];

/// Methods of std whose closure returns `bool`.
const PREDICATES: [&str; 18] = [
    "filter",
    "any",
    "all",
    "position",
    "rposition",
    "find",
    "take_while",
    "skip_while",
    "partition",
    "retain",
    "is_some_and",
    "is_none_or",
    "is_ok_and",
    "dedup_by",
    "partition_point",
    "split",
    "map_while",
    "trim_matches",
];

/// The functions and fields that the subject declares, by name.
#[derive(Debug)]
pub struct Booleans(ByType);

impl Default for Booleans {
    fn default() -> Self {
        Self(ByType::new(is_bool_type))
    }
}

impl Booleans {
    /// Adds the declarations of a file.
    pub fn add(&mut self, file: &syn::File) {
        self.0.add(file);
    }

    /// Whether an expression is boolean. `is_bool` decides for variables.
    pub fn has(&self, expr: &Expr, is_bool: &dyn Fn(&str) -> bool) -> bool {
        match expr {
            Expr::Paren(inner) => self.has(&inner.expr, is_bool),
            Expr::Unary(unary) => {
                matches!(unary.op, UnOp::Not(_)) && self.has(&unary.expr, is_bool)
            }
            Expr::Binary(binary) => match &binary.op {
                BinOp::And(_) | BinOp::Or(_) => true,
                BinOp::Eq(_) | BinOp::Ne(_) => true,
                BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => true,
                BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => {
                    self.has(&binary.left, is_bool) && self.has(&binary.right, is_bool)
                }
                _ => false,
            },
            Expr::MethodCall(call) => {
                self.returns_bool(&call.method.to_string(), is_self(&call.receiver))
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => path
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| self.returns_bool(&last.ident.to_string(), false)),
                _ => false,
            },
            Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => {
                    let (some, others) = self.0.of_field(&name.to_string());
                    some && (is_self(&field.base) || !others)
                }
                syn::Member::Unnamed(_) => false,
            },
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| is_bool(&name.to_string())),
            Expr::Macro(call) => macro_name(&call.mac) == "matches",
            _ => false,
        }
    }

    /// Whether a function or method with this name returns `bool`. If only some of them do, a method called on `self`
    /// counts as one.
    fn returns_bool(&self, name: &str, of_self: bool) -> bool {
        let is_query = name.starts_with("is_") || QUERIES.contains(&name);
        let (some, others) = self.0.of_call(name);
        match others {
            true => of_self && some,
            false => is_query || some,
        }
    }
}

fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self"))
}

fn is_bool_type(ty: &syn::Type) -> bool {
    let declared = declared(ty);
    declared.plain == "bool" && !declared.is_reference
}

/// Whether a function returns `bool`.
pub fn returns_bool(signature: &Signature) -> bool {
    matches!(&signature.output, ReturnType::Type(_, ty) if is_bool_type(ty))
}

/// Whether a method takes a predicate closure.
pub fn takes_predicate(method: &str) -> bool {
    PREDICATES.contains(&method)
}

/// The tail expressions of a block, in source order. There are several if each has a `cfg`.
pub fn ends<'a>(block: &'a Block, found: &mut Vec<&'a Expr>) {
    let Some(last) = block.stmts.len().checked_sub(1) else {
        return;
    };
    let certain = block.stmts.iter().rposition(|it| !is_conditional(it));
    let first = certain.map_or(0, |at| last.min(at + 1));
    for statement in &block.stmts[first..] {
        if let Stmt::Expr(expr, None) = statement {
            ends_of(expr, found);
        }
    }
}

/// Whether a statement has a `cfg` attribute.
pub fn is_conditional(statement: &Stmt) -> bool {
    let mut tokens = statement.to_token_stream().into_iter();
    loop {
        match (tokens.next(), tokens.next()) {
            (Some(TokenTree::Punct(mark)), Some(TokenTree::Group(attribute)))
                if mark.as_char() == '#' =>
            {
                let name = attribute.stream().into_iter().next();
                if name.is_some_and(|name| name.to_string() == "cfg") {
                    return true;
                }
            }
            _ => return false,
        }
    }
}

/// The tail expressions of all branches of an expression.
pub fn ends_of<'a>(expr: &'a Expr, found: &mut Vec<&'a Expr>) {
    match expr {
        Expr::If(branch) => {
            ends(&branch.then_branch, found);
            if let Some((_, other)) = &branch.else_branch {
                ends_of(other, found);
            }
        }
        Expr::Match(choice) => choice.arms.iter().for_each(|arm| ends_of(&arm.body, found)),
        Expr::Block(block) => ends(&block.block, found),
        Expr::Unsafe(block) => ends(&block.block, found),
        Expr::Paren(inner) => ends_of(&inner.expr, found),
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Loop(_) => {}
        Expr::ForLoop(_) | Expr::While(_) => {}
        _ => found.push(expr),
    }
}

/// The bytes of the values of a function or closure: its tail expressions and the operands of `return`.
pub fn yielded(body: &Block) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    ends(body, &mut found);
    let mut returns = Returns::default();
    returns.visit_block(body);
    found.extend(returns.0);
    spans(&found)
}

/// The bytes of the values that an expression may have.
pub fn yielded_by(expr: &Expr) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    ends_of(expr, &mut found);
    spans(&found)
}

fn spans(exprs: &[&Expr]) -> Vec<Range<usize>> {
    exprs.iter().map(|expr| expr.span().byte_range()).collect()
}

/// The values of the `return`s of a function, excluding nested closures and functions.
#[derive(Default)]
pub struct Returns<'a>(pub Vec<&'a Expr>);

impl<'ast> Visit<'ast> for Returns<'ast> {
    fn visit_expr_return(&mut self, expr: &'ast syn::ExprReturn) {
        if let Some(value) = &expr.expr {
            ends_of(value, &mut self.0);
        }
        visit::visit_expr_return(self, expr);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(expr: &str) -> bool {
        let mut booleans = Booleans::default();
        let file = "struct S { on: bool, n: u8 } impl S { fn ready(&self) -> bool { true } \
                    fn is_odd(&self) -> u8 { 0 } }";
        booleans.add(&syn::parse_file(file).unwrap());
        booleans.has(&syn::parse_str(expr).unwrap(), &|name| name == "flag")
    }

    #[test]
    fn operators_queries_and_declared_names_are_boolean() {
        for expr in [
            "a < b",
            "!flag",
            "x.is_empty()",
            "s.ready()",
            "s.on",
            "matches!(x, 1)",
        ] {
            assert!(has(expr), "{expr}");
        }
        for expr in ["a + b", "!mask", "x.len()", "s.is_odd()", "s.n", "other"] {
            assert!(!has(expr), "{expr}");
        }
    }

    #[test]
    fn a_statement_is_conditional_if_it_has_a_cfg() {
        let is = |text: &str| is_conditional(&syn::parse_str(text).unwrap());
        assert!(is("#[cfg(unix)] { a() }") && is("#[allow(unused)] #[cfg(unix)] a();"));
        assert!(!is("#[allow(unused)] a();") && !is("{ #[cfg(unix)] a(); }") && !is("a();"));
        let block: Block =
            syn::parse_str("{ a(); #[cfg(unix)] { b } #[cfg(windows)] { c } }").unwrap();
        let mut found = Vec::new();
        ends(&block, &mut found);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn the_values_of_a_function_are_its_tail_and_return_expressions() {
        let text =
            "{ if a { return b; } x.map(|y| { return y; }); match c { 1 => d, _ => { e } } }";
        let block: Block = syn::parse_str(text).unwrap();
        let mut texts: Vec<&str> = yielded(&block).into_iter().map(|at| &text[at]).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["b", "d", "e"]);
    }
}
