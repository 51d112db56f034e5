//! Methods of integers that shift and rotate. The amount is a `u32`, whatever the integer is.

use nopol_scalar::IntType;

use super::body::Body;
use super::build::{Value, cast, compare, constant, wrapping};
use super::types::Type;
use crate::ir::{BinaryOp, Expr, Scalar, Span};

/// A method that shifts.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    op: BinaryOp,
    kind: Kind,
}

/// What becomes of bits that are shifted out, and of an amount that is not less than the width.
#[derive(Clone, Copy)]
enum Kind {
    Rotates,
    Wraps,
    Checked,
    Overflows,
}

impl Shift {
    /// The method with this name, if it shifts.
    pub fn of(name: &str) -> Option<Self> {
        let (prefix, direction) = name.split_once('_')?;
        let kind = match prefix {
            "rotate" => Kind::Rotates,
            "wrapping" => Kind::Wraps,
            "checked" => Kind::Checked,
            "overflowing" => Kind::Overflows,
            _ => return None,
        };
        let op = match (kind, direction) {
            (Kind::Rotates, "left") => BinaryOp::Shl,
            (Kind::Rotates, "right") => BinaryOp::Shr,
            (Kind::Rotates, _) => return None,
            (_, "shl") => BinaryOp::Shl,
            (_, "shr") => BinaryOp::Shr,
            _ => return None,
        };
        Some(Self { op, kind })
    }
}

impl Body<'_, '_> {
    /// An integer shifted by an amount; both can be written several times.
    pub fn shifted(
        &mut self,
        shift: Shift,
        (a, by): (Expr, Expr),
        ty: &Type,
        int: IntType,
        span: Span,
    ) -> Value {
        let number = |value: u32| constant(value.into(), Scalar::UINT, span);
        let masked = |by| wrapping(BinaryOp::And, by, number(int.bits() - 1));
        let is_less = compare(BinaryOp::Lt, by.clone(), number(int.bits()));
        let plain = |a| wrapping(shift.op, a, masked(by.clone()));
        match shift.kind {
            Kind::Wraps => Value::scalar(ty.clone(), plain(a)),
            Kind::Checked => self.option(ty, is_less, plain(a)),
            Kind::Overflows => self.with_flag(ty, plain(a), super::build::not(is_less)),
            Kind::Rotates => {
                let a = cast(a, int.unsigned().into());
                let other = match shift.op {
                    BinaryOp::Shl => BinaryOp::Shr,
                    _ => BinaryOp::Shl,
                };
                // Rotated by 0, both halves are the number itself.
                let rest = masked(wrapping(BinaryOp::Sub, number(0), by.clone()));
                let back = wrapping(other, a.clone(), rest);
                let rotated = wrapping(BinaryOp::Or, plain(a), back);
                Value::scalar(ty.clone(), cast(rotated, int.into()))
            }
        }
    }
}
