//! How C writes expressions.

use super::{Style, Words};
use crate::source::c::literals;
use crate::source::write;
use crate::spec::{Binding, CmpOp, Expr, IntType, Origin, Reading, TermId, Type, Value};

pub(super) struct C;

impl Words for C {
    /// `p != NULL` is a pointer's truth as somebody wrote it.
    fn idiom(&self, style: &Style, expr: &Expr) -> Option<(String, Binding)> {
        let part = style.spelled(expr).filter(|part| part.is_null_test)?;
        Some((part.text.clone(), Binding::Compare))
    }

    fn term(&self, style: &Style, id: TermId) -> String {
        write::text(&style.pool.terms[id].access)
    }

    /// Compilers warn of `a && b || c` without parentheses.
    fn or(&self, style: &Style, a: &Expr, b: &Expr) -> String {
        let [a, b] = [(a, Binding::Or), (b, Binding::Compare)].map(|(operand, least)| {
            let is_mixed = style.binding(operand) == Binding::And;
            style.text(operand, if is_mixed { Binding::Compare } else { least })
        });
        format!("{a} || {b}")
    }

    fn cmp(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> String {
        let op = op.token();
        match a.ty(style.pool) {
            // Only equality is asked of strings.
            Some(Type::Str) => {
                let [a, b] = [a, b].map(|operand| style.text(operand, Binding::Or));
                format!("strcmp({a}, {b}) {op} 0")
            }
            // What is true may be any number but 0.
            Some(Type::Bool) => {
                let are_terms = [a, b]
                    .iter()
                    .all(|operand| matches!(operand, Expr::Term(_)));
                let [a, b] = [a, b].map(|operand| match are_terms {
                    true => style.text(&operand.clone().not(), Binding::Unary),
                    false => truth(style, operand),
                });
                format!("{a} {op} {b}")
            }
            _ => {
                let [a, b] = [(a, b), (b, a)].map(|(one, other)| beside(style, one, other));
                format!("{a} {op} {b}")
            }
        }
    }
}

/// A truth as 0 or 1, for comparison with another.
fn truth(style: &Style, expr: &Expr) -> String {
    match expr {
        Expr::Term(_) => format!("!{}", style.text(&expr.clone().not(), Binding::Unary)),
        _ => style.text(expr, Binding::Bits),
    }
}

/// An operand of a comparison: a constant is written as the other operand is, as a character or a number.
fn beside(style: &Style, operand: &Expr, other: &Expr) -> String {
    let (Expr::Term(constant), Expr::Term(other)) = (operand, other) else {
        return style.text(operand, Binding::Bits);
    };
    let (constant, other) = (&style.pool.terms[*constant], &style.pool.terms[*other]);
    let text = write::text(&constant.access);
    let is_quoted = text.starts_with('\'');
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let is_named = constant.origin == Origin::Old || !(is_quoted || is_number);
    let value = match &constant.constant {
        Some(Value::Int(_, value)) if !is_named => value.to_i128(),
        _ => None,
    };
    let is_character = other.reading == Reading::Character;
    match value {
        Some(value @ (0 | 9 | 10 | 13 | 32..127)) if is_character && is_number => {
            literals::quoted(value as u8)
        }
        Some(value) if is_quoted && !is_character && other.ty != Type::Int(IntType::I32) => {
            value.to_string()
        }
        _ => style.text(operand, Binding::Bits),
    }
}
