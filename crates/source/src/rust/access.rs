//! Parses Rust expressions into trees of what they read.

use nopol_expr::access::{Access, Infix, Payload, Prefix, Query, Reach};
use syn::spanned::Spanned;
use syn::{BinOp, Expr as Syn, Lit, Member, UnOp};

use super::condition::{connective, operator};
use crate::write::{as_written, opaque};

/// The access of an expression.
pub fn access(text: &str) -> Access {
    match syn::parse_str::<Syn>(text) {
        Ok(expr) => as_written(tree(&expr, text), text),
        Err(_) => opaque(text),
    }
}

/// The access of a call of a method without arguments on a value.
pub fn method(of: Access, name: &str) -> Access {
    let query = match name {
        "len" => Query::Len,
        "is_empty" => Query::IsEmpty,
        "is_some" => Query::IsSome,
        "is_none" => Query::IsNone,
        "is_ok" => Query::IsOk,
        "is_err" => Query::IsErr,
        "capacity" => Query::Capacity,
        "unwrap" => return payload(of),
        _ => return Access::Method(Box::new(of), name.to_owned(), Vec::new()),
    };
    of.query(query)
}

fn payload(of: Access) -> Access {
    match of {
        Access::Method(of, name, arguments) if arguments.is_empty() && name == "as_ref" => {
            Access::Payload(of, Payload::Borrowed)
        }
        Access::Method(of, name, arguments) if arguments.is_empty() && name == "as_mut" => {
            Access::Payload(of, Payload::BorrowedMutably)
        }
        of => Access::Payload(Box::new(of), Payload::Moved),
    }
}

/// The tree of an expression in `text`, as written there.
fn tree(expr: &Syn, text: &str) -> Access {
    let own = &text[expr.span().byte_range()];
    let tree = |expr: &Syn| tree(expr, text);
    let all = |parts: &syn::punctuated::Punctuated<Syn, syn::Token![,]>| -> Vec<Access> {
        parts.iter().map(tree).collect()
    };
    let access = match expr {
        Syn::Path(path) if path.attrs.is_empty() => Access::variable(own),
        Syn::Lit(literal) => of_literal(&literal.lit, own),
        Syn::Paren(inner) => Access::Group(Box::new(tree(&inner.expr))),
        Syn::Field(field) => {
            let name = match &field.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Access::Field(Box::new(tree(&field.base)), Reach::Direct, name)
        }
        Syn::MethodCall(call) => {
            let (of, name) = (tree(&call.receiver), call.method.to_string());
            match call.args.is_empty() {
                true => method(of, &name),
                false => Access::Method(Box::new(of), name, all(&call.args)),
            }
        }
        Syn::Call(call) => Access::Call(Box::new(tree(&call.func)), all(&call.args)),
        Syn::Index(index) => {
            Access::Index(Box::new(tree(&index.expr)), Box::new(tree(&index.index)))
        }
        Syn::Cast(cast) => {
            let ty = &text[cast.ty.span().byte_range()];
            Access::Cast(Box::new(tree(&cast.expr)), ty.to_owned())
        }
        Syn::Unary(unary) => {
            let prefix = match unary.op {
                UnOp::Deref(_) => Prefix::Deref,
                UnOp::Not(_) => Prefix::Not,
                _ => Prefix::Minus,
            };
            match (&*unary.expr, prefix) {
                (Syn::Lit(literal), Prefix::Minus) => of_literal(&literal.lit, own),
                (of, _) => tree(of).prefixed(prefix),
            }
        }
        Syn::Reference(reference) if reference.mutability.is_none() => {
            tree(&reference.expr).prefixed(Prefix::Reference)
        }
        Syn::Binary(binary) => match infix(&binary.op) {
            Some(op) => tree(&binary.left).infix(op, tree(&binary.right)),
            None => opaque(own),
        },
        Syn::Macro(call) if call.mac.path.is_ident("matches") => variant(own),
        _ => opaque(own),
    };
    as_written(access, own)
}

fn infix(op: &BinOp) -> Option<Infix> {
    let connective = connective(op).map(Infix::from);
    connective.or_else(|| operator(op).map(Infix::from))
}

/// `matches!(value, pattern)`.
fn variant(own: &str) -> Access {
    let inside = own.strip_prefix("matches!(");
    let inside = inside.and_then(|inside| inside.strip_suffix(')'));
    let inside = inside.unwrap_or_default();
    let mut parts = inside
        .match_indices(", ")
        .map(|(at, comma)| (&inside[..at], &inside[at + comma.len()..]));
    match parts.find(|(value, _)| syn::parse_str::<Syn>(value).is_ok()) {
        Some((value, pattern)) => Access::Variant(Box::new(access(value)), pattern.to_owned()),
        None => opaque(own),
    }
}

fn of_literal(literal: &Lit, own: &str) -> Access {
    match literal {
        Lit::Verbatim(_) => opaque(own),
        _ => Access::literal(own),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::Outline;

    use super::*;
    use crate::write;

    #[test]
    fn a_tree_is_written_back_verbatim() {
        for text in [
            "self.items.len()",
            "*o.as_ref().unwrap().p.as_ref().unwrap()",
            "v[i+1].is_empty()",
            "self\u{20}.items .len()",
            "matches!(*x, State::Open(..))",
            "x == State::Open",
            "-1",
            "- 1",
            "b'x'",
            "1_000",
            "f::<u8>(a, &b.c)",
            "x.parse::<u8>().unwrap()",
            "(a + b) as u64 << 3",
            "v[1..n].iter().any(|x| *x == 0)",
            "a.0.1",
            "r#type.len()",
            "&mut x",
            "if a { b } else { c }",
            "not an expression",
            "",
            "!x",
            "vec![1]",
            "\"a  b\"",
            "f(a,)",
            "x.0",
            "1.0",
        ] {
            let read = access(text);
            assert_eq!(write::text(&read), text);
            let outline = Outline::of_text(text);
            assert_eq!(read.outline(), outline, "{text}: {read:?}");
            assert_eq!(read.steps(), outline.steps(), "{text}");
        }
    }

    #[test]
    fn queries_casts_and_payloads_are_recognized() {
        let variable = Access::variable;
        let items = variable("self").field("items");
        assert_eq!(access("self.items.is_empty()"), items.query(Query::IsEmpty));
        let payload = Access::Payload(Box::new(variable("o")), Payload::Borrowed);
        assert_eq!(access("o.as_ref().unwrap()"), payload);
        assert_eq!(access("n as u32").as_cast(), Some((&variable("n"), "u32")));
        let spaced = access("v [i] .len()");
        assert_eq!(spaced.as_query().map(|(_, query)| query), Some(Query::Len));
    }
}
