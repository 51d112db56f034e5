//! The operators on numbers: total, with the fault that each has on the way.

use std::cmp::Ordering;

use super::value::wrap;
use crate::ir::{BinaryOp, FaultKind, Overflow, Scalar, UnaryOp};

/// A result and the fault it came with.
type Total = (i128, Option<FaultKind>);

/// An operator with one operand of this type.
pub fn unary(op: UnaryOp, ty: Scalar, operand: i128) -> Total {
    match op {
        UnaryOp::Neg(overflow) => {
            exact(overflow, ty, operand.checked_neg(), operand.wrapping_neg())
        }
        UnaryOp::BitNot => (wrap(ty, !operand), None),
        UnaryOp::Not => (i128::from(operand == 0), None),
    }
}

/// An operator with two operands that gives a value of this type.
pub fn binary(op: BinaryOp, overflow: Overflow, ty: Scalar, left: i128, right: i128) -> Total {
    let width = i128::from(ty.bits().clamp(1, 64));
    let exact = |checked, wrapped| exact(overflow, ty, checked, wrapped);
    match op {
        BinaryOp::Add => exact(left.checked_add(right), left.wrapping_add(right)),
        BinaryOp::Sub => exact(left.checked_sub(right), left.wrapping_sub(right)),
        BinaryOp::Mul => exact(left.checked_mul(right), left.wrapping_mul(right)),
        BinaryOp::Div if right == 0 => (0, Some(FaultKind::DivisionByZero)),
        BinaryOp::Rem if right == 0 => (left, Some(FaultKind::DivisionByZero)),
        BinaryOp::Div | BinaryOp::Rem => {
            let quotient = left.wrapping_div(right);
            let fault = (wrap(ty, quotient) != quotient).then_some(FaultKind::Overflow);
            let result = if op == BinaryOp::Div {
                quotient
            } else {
                left.wrapping_rem(right)
            };
            (wrap(ty, result), fault)
        }
        BinaryOp::And => (wrap(ty, left & right), None),
        BinaryOp::Or => (wrap(ty, left | right), None),
        BinaryOp::Xor => (wrap(ty, left ^ right), None),
        BinaryOp::Shl | BinaryOp::Shr => {
            let amount = right.rem_euclid(width);
            let fault = (amount != right).then_some(FaultKind::Shift);
            if op == BinaryOp::Shr {
                return (wrap(ty, left >> amount), fault);
            }
            let is_negative = left < 0 && overflow == Overflow::Fault;
            let fault = fault.or(is_negative.then_some(FaultKind::Shift));
            // At most 64 bits by less than 64: exact.
            let (result, overflows) = exact(Some(left << amount), left << amount);
            (result, fault.or(overflows))
        }
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            (i128::from(holds(op, left.cmp(&right))), None)
        }
    }
}

/// Whether a comparison holds of operands in this order.
pub const fn holds(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        BinaryOp::Ge => order.is_ge(),
        _ => false,
    }
}

/// A result that may not fit: its exact value, none if not even 128 bits hold it, and its low bits.
fn exact(overflow: Overflow, ty: Scalar, checked: Option<i128>, wrapped: i128) -> Total {
    let result = wrap(ty, wrapped);
    let overflows = overflow == Overflow::Fault && checked != Some(result);
    (result, overflows.then_some(FaultKind::Overflow))
}
