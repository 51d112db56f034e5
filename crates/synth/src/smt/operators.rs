//! The operators of machine types on bit-vectors: comparisons of every type, integer arithmetic and its
//! definedness, and the order of floats.

use nopol_expr::{ArithOp, CmpOp, Int, IntType, Type};
use z3::ast::{BV, Bool};

use super::{all, any};

/// A value of one of the kinds of types.
#[derive(Clone)]
pub(super) enum Datum {
    Truth(Bool),
    /// Integers, characters and strings, in their order.
    Bits(BV, Sign),
    /// The bits of a float, where there is only one NaN.
    Float(BV),
}

/// The interpretation of an integer's bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The highest bit is a sign.
    Signed,
    Unsigned,
    /// Unsigned, and arithmetic wraps around.
    Wrapping,
}

impl Sign {
    pub fn of(ty: IntType) -> Self {
        match (ty.signed(), ty.wraps()) {
            (true, _) => Self::Signed,
            (_, true) => Self::Wrapping,
            _ => Self::Unsigned,
        }
    }
}

/// `a op b`; `None` if there is no such comparison.
pub(super) fn compare(op: CmpOp, a: &Datum, b: &Datum) -> Option<Bool> {
    let (equal, less, greater) = match (a, b) {
        (Datum::Truth(a), Datum::Truth(b)) => (
            a.iff(b),
            all([a.not(), b.clone()]),
            all([a.clone(), b.not()]),
        ),
        (Datum::Bits(a, Sign::Signed), Datum::Bits(b, _)) => (a.eq(b), a.bvslt(b), a.bvsgt(b)),
        (Datum::Bits(a, _), Datum::Bits(b, _)) => (a.eq(b), a.bvult(b), a.bvugt(b)),
        (Datum::Float(a), Datum::Float(b)) => {
            let known = all([is_nan(a).not(), is_nan(b).not()]);
            let (a, b) = (float_key(a), float_key(b));
            (
                all([known.clone(), a.eq(&b)]),
                all([known.clone(), a.bvult(&b)]),
                all([known, a.bvugt(&b)]),
            )
        }
        _ => return None,
    };
    Some(match op {
        CmpOp::Eq => equal,
        CmpOp::Ne => equal.not(),
        CmpOp::Lt => less,
        CmpOp::Le => any([less, equal]),
        CmpOp::Gt => greater,
        CmpOp::Ge => any([greater, equal]),
    })
}

/// `a op b`, and whether that is defined. It is computed in a larger width because z3 4.8.12's overflow predicates
/// treat -1 * -1 as an overflow.
pub(super) fn arith(op: ArithOp, a: &BV, b: &BV, sign: Sign) -> (BV, Bool) {
    let signed = sign == Sign::Signed;
    let width = a.get_size();
    let number = |value: i64| BV::from_i64(value, width);
    let wide = |bits: &BV| match signed {
        true => bits.sign_ext(1),
        false => bits.zero_ext(1),
    };
    let narrowed = |sum: BV| {
        let low = sum.extract(width - 1, 0);
        let fits = wide(&low).eq(sum);
        (low, fits)
    };
    // `MIN / -1` and `MIN % -1`.
    let quotient = || {
        let lowest = number(1).bvshl(number(i64::from(width) - 1));
        let fits = any([a.eq(lowest).not(), b.eq(number(-1)).not()]);
        let fits = if signed { fits } else { Bool::from_bool(true) };
        all([b.eq(number(0)).not(), fits])
    };
    if sign == Sign::Wrapping {
        let wrapped = match op {
            ArithOp::Add => Some(a.bvadd(b)),
            ArithOp::Sub => Some(a.bvsub(b)),
            ArithOp::Mul => Some(a.bvmul(b)),
            ArithOp::Div | ArithOp::Rem => None,
        };
        if let Some(value) = wrapped {
            return (value, Bool::from_bool(true));
        }
    }
    match (op, signed) {
        (ArithOp::Add, _) => narrowed(wide(a).bvadd(wide(b))),
        (ArithOp::Sub, _) => narrowed(wide(a).bvsub(wide(b))),
        (ArithOp::Mul, _) => product(a, b, signed),
        (ArithOp::Div, true) => (a.bvsdiv(b), quotient()),
        (ArithOp::Div, false) => (a.bvudiv(b), quotient()),
        (ArithOp::Rem, true) => (a.bvsrem(b), quotient()),
        (ArithOp::Rem, false) => (a.bvurem(b), quotient()),
    }
}

/// `a * b` by magnitudes in twice the width, and whether it fits.
fn product(a: &BV, b: &BV, signed: bool) -> (BV, Bool) {
    let width = a.get_size();
    let negative = |bits: &BV| match signed {
        true => bits.bvslt(BV::from_u64(0, width)),
        false => Bool::from_bool(false),
    };
    let magnitude = |bits: &BV| negative(bits).ite(&bits.bvneg(), bits).zero_ext(width);
    let product = magnitude(a).bvmul(magnitude(b));
    let (high, low) = (
        product.extract(2 * width - 1, width),
        product.extract(width - 1, 0),
    );
    let opposed = negative(a).xor(negative(b));
    let value = opposed.ite(&low.bvneg(), &low);
    // Below zero the value is negative or zero, else it is not negative.
    let zero = BV::from_u64(0, width);
    let sign = any([negative(&value).iff(&opposed), low.eq(&zero)]);
    let fits = all([high.eq(zero), sign]);
    (value, fits)
}

/// Bits of the exponent.
fn exponent(width: u32) -> u32 {
    if width == 32 { 8 } else { 11 }
}

/// All bits of the exponent set, and some of the mantissa.
pub(super) fn is_nan(float: &BV) -> Bool {
    let width = float.get_size();
    let mantissa = width - 1 - exponent(width);
    let (high, low) = (
        float.extract(width - 2, mantissa),
        float.extract(mantissa - 1, 0),
    );
    let ones = BV::from_i64(-1, high.get_size());
    let zero = BV::from_u64(0, low.get_size());
    all([high.eq(ones), low.eq(zero).not()])
}

/// An unsigned number with the order of the float, NaN aside; the two zeros have the same.
fn float_key(float: &BV) -> BV {
    let width = float.get_size();
    let sign = BV::from_u64(1, width).bvshl(BV::from_u64(u64::from(width) - 1, width));
    let negative = float.bvslt(BV::from_u64(0, width));
    negative.ite(&float.bvneg(), &float.bvor(sign))
}

pub(super) fn canonical_nan(ty: Type) -> Int {
    Int::from_u128(match ty {
        Type::F32 => u128::from(f32::NAN.to_bits()),
        _ => u128::from(f64::NAN.to_bits()),
    })
}
