//! The operators on the numbers of cells, as [`nopol_scalar::arithmetic`] has them.

use nopol_scalar::arithmetic::{self, Number};

use crate::ir::{BinaryOp, FaultKind, Overflow, Scalar, UnaryOp};

/// A result and the fault it came with.
type Total = (i128, Option<FaultKind>);

/// An operator with one operand of this type.
pub fn unary(op: UnaryOp, ty: Scalar, operand: i128) -> Total {
    match op {
        UnaryOp::Neg(overflow) => named(arithmetic::negated(overflow, ty.kind(), operand)),
        UnaryOp::BitNot => (ty.wrap(!operand), None),
        UnaryOp::Not => (i128::from(operand == 0), None),
    }
}

/// An operator with two operands that gives a value of this type.
pub fn binary(op: BinaryOp, overflow: Overflow, ty: Scalar, left: i128, right: i128) -> Total {
    named(arithmetic::binary(op, overflow, ty.kind(), left, right))
}

fn named<N: Number>((result, fault): arithmetic::Total<N>) -> (N, Option<FaultKind>) {
    (result, fault.map(FaultKind::from))
}
