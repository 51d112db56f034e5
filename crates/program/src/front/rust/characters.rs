//! Methods of characters and bytes: those that are about ASCII.

use nopol_scalar::IntType;
use syn::{Expr as Syntax, Lit};

use super::body::Body;
use super::build::{Value, both, compare, constant, either, wrapping};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, Span};

impl Body<'_, '_> {
    pub fn character_method(
        &mut self,
        name: &str,
        (expr, ty): (&Expr, &Type),
        arguments: &[&Syntax],
        span: Span,
    ) -> Option<Value> {
        let scalar = expr.ty;
        if !matches!(ty, Type::Char) && *ty != Type::Int(IntType::U8) {
            return None;
        }
        let letter = |byte: u8| constant(i128::from(byte), scalar, span);
        let within = |expr: &Expr, first, last| {
            let above = compare(BinaryOp::Ge, expr.clone(), letter(first));
            both(above, compare(BinaryOp::Le, expr.clone(), letter(last)))
        };
        if let ("to_digit", Type::Char, [radix]) = (name, ty, arguments) {
            let is_ten = match bare(radix) {
                Syntax::Lit(of) => matches!(&of.lit, Lit::Int(int) if int.base10_digits() == "10"),
                _ => false,
            };
            if !is_ten {
                return None;
            }
            let expr = self.repeatable(expr.clone());
            let digit = wrapping(BinaryOp::Sub, expr.clone(), letter(b'0'));
            let is_some = within(&expr, b'0', b'9');
            return Some(self.option(&Type::Int(IntType::U32), is_some, digit));
        }
        if !arguments.is_empty() || !name.contains("ascii") {
            return None;
        }
        let expr = self.repeatable(expr.clone());
        let upper = within(&expr, b'A', b'Z');
        let lower = within(&expr, b'a', b'z');
        let digit = within(&expr, b'0', b'9');
        let is_one_of = |letters: &[u8]| {
            let mut all = letters
                .iter()
                .map(|byte| compare(BinaryOp::Eq, expr.clone(), letter(*byte)));
            let first = all.next();
            all.fold(first, |all, next| all.map(|all| either(all, next)))
        };
        let truth = match name {
            "is_ascii_uppercase" => Some(upper),
            "is_ascii_lowercase" => Some(lower),
            "is_ascii_digit" => Some(digit),
            "is_ascii_alphabetic" => Some(either(upper, lower)),
            "is_ascii_alphanumeric" => Some(either(either(upper, lower), digit)),
            "is_ascii_whitespace" => is_one_of(b" \t\n\x0c\r"),
            "is_ascii_hexdigit" => {
                let letters = either(within(&expr, b'a', b'f'), within(&expr, b'A', b'F'));
                Some(either(letters, digit))
            }
            "is_ascii" => Some(compare(BinaryOp::Lt, expr.clone(), letter(128))),
            "to_ascii_uppercase" | "to_ascii_lowercase" => {
                let (is_other, op) = match name {
                    "to_ascii_uppercase" => (lower, BinaryOp::Sub),
                    _ => (upper, BinaryOp::Add),
                };
                let other = wrapping(op, expr.clone(), letter(b'a' - b'A'));
                let result = self.choose(is_other, other, expr);
                return Some(Value::scalar(ty.clone(), result));
            }
            _ => None,
        };
        truth.map(|truth| Value::scalar(Type::Bool, truth))
    }
}
