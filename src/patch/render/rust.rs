//! Rust's notation of expressions.

use nopol_expr::access::{Payload, Reach};
use nopol_expr::{Access, Binding, CmpOp, Expr, Query, TermId, Type};
use nopol_source::write;

use super::{Notation, Style};

pub(super) struct Rust;

impl Notation for Rust {
    /// For a field `f`, `f.is_some() && f.unwrap() == n` is written as `f == Some(n)`, and
    /// `f.is_none() || f.unwrap() != n` as `f != Some(n)`. Local variables are excluded: the option of a local
    /// variable may contain a reference, which cannot be compared with a number.
    fn idiom(&self, style: &Style, expr: &Expr) -> Option<(String, Binding)> {
        let (Expr::And(before, cmp) | Expr::Or(before, cmp)) = expr else {
            return None;
        };
        let is_and = matches!(expr, Expr::And(..));
        let wanted = if is_and { CmpOp::Eq } else { CmpOp::Ne };
        let Expr::Cmp(op, left, right) = &**cmp else {
            return None;
        };
        let (option, other) = match (unwrapped(style, left), unwrapped(style, right)) {
            (Some(option), _) => (option, right),
            (None, option) => (option?, left),
        };
        // Any other operand might not be evaluable, and `==` would evaluate it even if the field is `None`.
        if *op != wanted || !is_plain(style, other) {
            return None;
        }
        let is_query = |term: TermId, query: Query| {
            style.pool.terms[term].access.as_query() == Some((option, query))
        };
        let is_presence_test = |expr: &Expr| match expr {
            Expr::Term(id) => is_query(*id, if is_and { Query::IsSome } else { Query::IsNone }),
            Expr::Not(a) => match &**a {
                Expr::Term(id) => !is_and && is_query(*id, Query::IsSome),
                _ => false,
            },
            _ => false,
        };
        let (op, other) = (op.token(), style.text(other, Binding::Or));
        let text = format!("{} {op} Some({other})", write::text(option));
        match (&**before, is_and) {
            (before, _) if is_presence_test(before) => Some((text, Binding::Compare)),
            (Expr::And(others, last), true) if is_presence_test(last) => {
                let others = style.text(others, Binding::And);
                Some((format!("{others} && {text}"), Binding::And))
            }
            (Expr::Or(others, last), false) if is_presence_test(last) => {
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
        let has_no_suffix = text.ends_with(|last: char| last.is_ascii_digit() || last == '_')
            && !text.contains(['x', 'i', 'u', 'f']);
        match style.suffixed && term.constant.is_some() && number && has_no_suffix {
            true => format!("{text}_{}", term.ty.name()),
            false => text,
        }
    }

    fn bindings_of_or(&self, _: &Style, _: &Expr, _: &Expr) -> [Binding; 2] {
        [Binding::Or, Binding::And]
    }

    fn compared(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> Option<[String; 2]> {
        let mut left = style.text(a, Binding::Bits);
        // The parser would read `x as usize < y` as generic arguments, `usize<y`.
        if op == CmpOp::Lt && ends_in_cast(style, a) && !left.ends_with(')') {
            left = format!("({left})");
        }
        Some([left, style.text(b, Binding::Bits)])
    }

    fn cmp(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> String {
        let [a, b] = [a, b].map(|operand| style.text(operand, Binding::Bits));
        format!("{a} {} {b}", op.token())
    }
}

/// Whether an expression is a literal, a variable, a field or a length, which can always be evaluated.
fn is_plain(style: &Style, expr: &Expr) -> bool {
    let Expr::Term(id) = expr else {
        return false;
    };
    let term = &style.pool.terms[*id];
    let is_step = |step: &Access| match step.plain() {
        Access::Variable(_) => true,
        Access::Field(_, reach, _) => *reach == Reach::Direct,
        Access::Query(_, query) => *query == Query::Len,
        _ => false,
    };
    term.constant.is_some() || term.access.spine().all(is_step)
}

/// The field whose number or character an expression unwraps.
fn unwrapped<'s>(style: &'s Style, expr: &Expr) -> Option<&'s Access> {
    let Expr::Term(value) = expr else {
        return None;
    };
    let value = &style.pool.terms[*value];
    let Access::Payload(option, Payload::Moved) = value.access.plain() else {
        return None;
    };
    let is_field = matches!(option.plain(), Access::Field(_, Reach::Direct, _));
    (is_field && matches!(value.ty, Type::Int(_) | Type::Char)).then_some(option)
}

fn ends_in_cast(style: &Style, expr: &Expr) -> bool {
    match expr {
        Expr::Term(id) => style.pool.terms[*id].binding == Binding::Cast,
        Expr::Arith(_, _, b) => ends_in_cast(style, b),
        _ => false,
    }
}
