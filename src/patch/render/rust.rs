//! How Rust writes expressions.

use super::{Style, Words};
use crate::source::write;
use crate::spec::access::{Payload, Reach};
use crate::spec::{Access, Binding, CmpOp, Expr, Query, TermId, Type};

pub(super) struct Rust;

impl Words for Rust {
    /// `f.is_some() && f.unwrap() == 1` for a field is `f == Some(1)`, and
    /// `f.is_none() || f.unwrap() != 1` is `f != Some(1)`. (What a local variable holds may be a
    /// reference, which compares with neither.)
    fn idiom(&self, style: &Style, expr: &Expr) -> Option<(String, Binding)> {
        let (Expr::And(before, cmp) | Expr::Or(before, cmp)) = expr else {
            return None;
        };
        let is_and = matches!(expr, Expr::And(..));
        let wanted = if is_and { CmpOp::Eq } else { CmpOp::Ne };
        let Expr::Cmp(op, value, constant) = &**cmp else {
            return None;
        };
        let (Expr::Term(value), Expr::Term(constant)) = (&**value, &**constant) else {
            return None;
        };
        let (value, term) = (&style.pool.terms[*value], &style.pool.terms[*constant]);
        let Access::Payload(option, Payload::Moved) = value.access.plain() else {
            return None;
        };
        let is_field = matches!(option.plain(), Access::Field(_, Reach::Direct, _));
        let is_plain = matches!(value.ty, Type::Int(_) | Type::Char);
        if *op != wanted || !is_field || !is_plain || term.constant.is_none() {
            return None;
        }
        let asks = |term: TermId, query: Query| {
            style.pool.terms[term].access.as_query() == Some((option, query))
        };
        let is_there = |expr: &Expr| match expr {
            Expr::Term(id) => asks(*id, if is_and { Query::IsSome } else { Query::IsNone }),
            Expr::Not(a) => match &**a {
                Expr::Term(id) => !is_and && asks(*id, Query::IsSome),
                _ => false,
            },
            _ => false,
        };
        let (op, constant) = (op.token(), self.term(style, *constant));
        let text = format!("{} {op} Some({constant})", write::text(option));
        match (&**before, is_and) {
            (before, _) if is_there(before) => Some((text, Binding::Compare)),
            (Expr::And(others, last), true) if is_there(last) => {
                let others = style.text(others, Binding::And);
                Some((format!("{others} && {text}"), Binding::And))
            }
            (Expr::Or(others, last), false) if is_there(last) => {
                let others = style.text(others, Binding::Or);
                Some((format!("{others} || {text}"), Binding::Or))
            }
            _ => None,
        }
    }

    fn term(&self, style: &Style, id: TermId) -> String {
        let term = &style.pool.terms[id];
        let text = write::text(&term.access);
        let number = matches!(term.ty, Type::Int(_) | Type::F32 | Type::F64);
        let bare = text.ends_with(|last: char| last.is_ascii_digit() || last == '_')
            && !text.contains(['x', 'i', 'u', 'f']);
        match style.suffixed && term.constant.is_some() && number && bare {
            true => format!("{text}_{}", term.ty.name()),
            false => text,
        }
    }

    fn or(&self, style: &Style, a: &Expr, b: &Expr) -> String {
        format!(
            "{} || {}",
            style.text(a, Binding::Or),
            style.text(b, Binding::And)
        )
    }

    fn cmp(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> String {
        // `x as usize < y` would read `usize<y` as generic arguments.
        let least = match op {
            CmpOp::Lt | CmpOp::Le if ends_in_cast(style, a) => Binding::Atom,
            _ => Binding::Bits,
        };
        format!(
            "{} {} {}",
            style.text(a, least),
            op.token(),
            style.text(b, Binding::Bits)
        )
    }
}

fn ends_in_cast(style: &Style, expr: &Expr) -> bool {
    match expr {
        Expr::Term(id) => style.pool.terms[*id].binding == Binding::Cast,
        Expr::Arith(_, _, b) => ends_in_cast(style, b),
        _ => false,
    }
}
