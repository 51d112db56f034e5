//! What operators compute: total, with the fault that each has on the way.
//!
//! Overflow wraps, `x / 0` is 0, `x % 0` is `x`, and a shift by the width or more takes the amount modulo the width.

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::int::Int;
use super::kind::IntKind;
use super::operator::{ArithOp, BinaryOp};

/// Whether a result that does not fit is a fault. Division by zero, the quotient of the smallest number by -1, and a shift
/// by a negative number or by the width or more always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is.
    Fault,
    /// It wraps.
    Wraps,
}

/// What can go wrong in an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The result does not fit its type.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// A shift by a negative number or by too much; where overflow is a fault also a `<<` of a negative number (C11, 6.5.7).
    Shift,
}

/// A result, and the fault that it came with.
pub type Total<N> = (N, Option<Fault>);

/// How the values of integer types are kept: as [`Int`], which holds all of them, or as `i128`, which is faster and holds all
/// but those of unsigned types of 128 bits.
pub trait Number: Copy + Ord {
    /// A number without a sign.
    fn natural(number: u128) -> Self;

    /// The low 128 bits in two's complement.
    fn low(self) -> u128;

    /// The value that these low bits have in a type.
    fn held(low: u128, ty: IntKind) -> Self;

    /// The exact result; `None` if it cannot be kept, which does not fit any type then, or on division by zero.
    fn exact(self, op: ArithOp, other: Self) -> Option<Self>;
}

impl Number for i128 {
    #[inline]
    fn natural(number: u128) -> Self {
        number.cast_signed()
    }

    #[inline]
    fn low(self) -> u128 {
        self.cast_unsigned()
    }

    #[inline]
    fn held(low: u128, ty: IntKind) -> Self {
        ty.extended(low).cast_signed()
    }

    #[inline]
    fn exact(self, op: ArithOp, other: Self) -> Option<Self> {
        match op {
            ArithOp::Add => self.checked_add(other),
            ArithOp::Sub => self.checked_sub(other),
            ArithOp::Mul => self.checked_mul(other),
            ArithOp::Div => self.checked_div(other),
            ArithOp::Rem => self.checked_rem(other),
        }
    }
}

impl Number for Int {
    fn natural(number: u128) -> Self {
        Self::from_u128(number)
    }

    fn low(self) -> u128 {
        self.low_bits()
    }

    fn held(low: u128, ty: IntKind) -> Self {
        let low = ty.extended(low);
        match ty.signed {
            true => Self::from_i128(low.cast_signed()),
            false => Self::from_u128(low),
        }
    }

    fn exact(self, op: ArithOp, other: Self) -> Option<Self> {
        self.checked(op, other)
    }
}

/// `-operand` in a type.
pub fn negated<N: Number>(overflow: Overflow, ty: IntKind, operand: N) -> Total<N> {
    binary(BinaryOp::Sub, overflow, ty, N::natural(0), operand)
}

/// `left op right`, which has a value of this type. Of arithmetic, the operands are of this type; a shift amount may have
/// another one. Of a comparison they are of one type, and the result is 0 or 1.
pub fn binary<N: Number>(
    op: BinaryOp,
    overflow: Overflow,
    ty: IntKind,
    left: N,
    right: N,
) -> Total<N> {
    let zero = N::natural(0);
    let (a, b) = (left.low(), right.low());
    let held = |low: u128| N::held(low, ty);
    // A result that may not fit: its exact value, if it can be kept, and its low bits.
    let fitted = |exact: Option<N>, low: u128| {
        let result = held(low);
        let overflows = overflow == Overflow::Fault && exact != Some(result);
        (result, overflows.then_some(Fault::Overflow))
    };
    match op {
        BinaryOp::Add => fitted(left.exact(ArithOp::Add, right), a.wrapping_add(b)),
        BinaryOp::Sub => fitted(left.exact(ArithOp::Sub, right), a.wrapping_sub(b)),
        BinaryOp::Mul => fitted(left.exact(ArithOp::Mul, right), a.wrapping_mul(b)),
        BinaryOp::Div if right == zero => (zero, Some(Fault::DivisionByZero)),
        BinaryOp::Rem if right == zero => (left, Some(Fault::DivisionByZero)),
        BinaryOp::Div | BinaryOp::Rem => {
            // The one quotient that cannot be kept is that of the smallest number by -1, which wraps to the number itself.
            let quotient = left.exact(ArithOp::Div, right);
            let wrapped = held(quotient.map_or(a, N::low));
            let fault = (quotient != Some(wrapped)).then_some(Fault::Overflow);
            let result = match op {
                BinaryOp::Div => wrapped,
                _ => left
                    .exact(ArithOp::Rem, right)
                    .map_or(zero, |rest| held(rest.low())),
            };
            (result, fault)
        }
        BinaryOp::And => (held(a & b), None),
        BinaryOp::Or => (held(a | b), None),
        BinaryOp::Xor => (held(a ^ b), None),
        BinaryOp::Shl | BinaryOp::Shr => {
            let (amount, fault) = shift_amount(ty, right);
            if op == BinaryOp::Shr {
                let shifted = match left < zero {
                    true => (a.cast_signed() >> amount).cast_unsigned(),
                    false => a >> amount,
                };
                return (held(shifted), fault);
            }
            let is_negative = left < zero && overflow == Overflow::Fault;
            let fault = fault.or(is_negative.then_some(Fault::Shift));
            let exact = left.exact(ArithOp::Mul, N::natural(1 << amount));
            let (result, overflows) = fitted(exact, a << amount);
            (result, fault.or(overflows))
        }
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            let holds = op
                .comparison()
                .is_some_and(|op| op.holds(Some(left.cmp(&right))));
            (N::natural(holds.into()), None)
        }
    }
}

/// The amount of a shift modulo the width; a fault if it is another one.
fn shift_amount<N: Number>(ty: IntKind, amount: N) -> (u32, Option<Fault>) {
    let width = u128::from(ty.bits.clamp(1, 128));
    let rest = amount.exact(ArithOp::Rem, N::natural(width));
    // The remainder has the sign of the amount.
    let low = rest.map_or(0, |rest| rest.low().wrapping_add(width) % width);
    let fault = (amount != N::natural(low)).then_some(Fault::Shift);
    (u32::try_from(low).unwrap_or(0), fault)
}

/// `left op right` of floats, as the machine rounds.
pub fn floats<F>(op: ArithOp, left: F, right: F) -> F
where
    F: Add<Output = F> + Sub<Output = F> + Mul<Output = F> + Div<Output = F> + Rem<Output = F>,
{
    match op {
        ArithOp::Add => left + right,
        ArithOp::Sub => left - right,
        ArithOp::Mul => left * right,
        ArithOp::Div => left / right,
        ArithOp::Rem => left % right,
    }
}

#[cfg(test)]
mod tests {
    use super::BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    use super::*;

    fn fault(op: BinaryOp, ty: IntKind, left: i128, right: i128) -> Total<i128> {
        let as_int = binary(
            op,
            Overflow::Fault,
            ty,
            Int::from_i128(left),
            Int::from_i128(right),
        );
        let result = binary(op, Overflow::Fault, ty, left, right);
        assert_eq!((as_int.0.to_i128(), as_int.1), (Some(result.0), result.1));
        result
    }

    #[test]
    fn the_smallest_number_has_no_opposite() {
        let overflow = Some(Fault::Overflow);
        assert_eq!(fault(Div, IntKind::I8, -128, -1), (-128, overflow));
        assert_eq!(fault(Rem, IntKind::I8, -128, -1), (0, overflow));
        assert_eq!(fault(Mul, IntKind::I8, -128, -1), (-128, overflow));
        assert_eq!(
            negated(Overflow::Fault, IntKind::I8, -128_i128),
            (-128, overflow)
        );
        let widest = IntKind::new(128, true);
        assert_eq!(fault(Div, widest, i128::MIN, -1), (i128::MIN, overflow));
        assert_eq!(fault(Rem, widest, i128::MIN, -1), (0, overflow));
        assert_eq!(fault(Sub, widest, i128::MIN, 1), (i128::MAX, overflow));
    }

    #[test]
    fn shifts_take_the_amount_modulo_the_width() {
        let shift = Some(Fault::Shift);
        assert_eq!(fault(Shl, IntKind::U8, 3, 9), (6, shift));
        assert_eq!(fault(Shr, IntKind::I32, -8, -31), (-4, shift));
        assert_eq!(fault(Shr, IntKind::I32, -8, 1), (-4, None));
        assert_eq!(fault(Shl, IntKind::I32, -1, 1), (-2, shift));
        assert_eq!(fault(Shl, IntKind::U8, 128, 1), (0, Some(Fault::Overflow)));
    }

    #[test]
    fn products_wider_than_their_type_wrap() {
        let most = u64::MAX.into();
        let wraps = |left, right| binary::<i128>(Mul, Overflow::Wraps, IntKind::U64, left, right);
        assert_eq!(wraps(most, most), (1, None));
        let widest = IntKind::new(128, false);
        let most = Int::from_u128(u128::MAX);
        let sum = binary(Add, Overflow::Fault, widest, most, Int::from_u128(2));
        assert_eq!(sum, (Int::from_u128(1), Some(Fault::Overflow)));
    }
}
