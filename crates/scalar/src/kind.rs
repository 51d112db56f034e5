//! Machine integer types by width and sign.

use super::arithmetic::Number;

/// A machine integer type: how many bits it has, 1 to 128, and whether the highest one is a sign, in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntKind {
    /// The width.
    pub bits: u8,
    /// Whether it has a sign.
    pub signed: bool,
}

impl IntKind {
    /// 8 bits with a sign: also `char` of C.
    pub const I8: Self = Self::new(8, true);
    /// 32 bits with a sign: also `int` of C.
    pub const I32: Self = Self::new(32, true);
    /// 64 bits with a sign: also `long` of C.
    pub const I64: Self = Self::new(64, true);
    /// 8 bits without a sign.
    pub const U8: Self = Self::new(8, false);
    /// 32 bits without a sign.
    pub const U32: Self = Self::new(32, false);
    /// 64 bits without a sign: also `size_t` of C.
    pub const U64: Self = Self::new(64, false);

    /// The type of this width and sign.
    pub const fn new(bits: u8, signed: bool) -> Self {
        Self { bits, signed }
    }

    /// The same width without a sign.
    pub const fn unsigned(self) -> Self {
        Self::new(self.bits, false)
    }

    /// How many high bits of 128 it does not have. Widths that no type has count as the nearest one.
    const fn spare(self) -> u32 {
        match self.bits {
            0 => 127,
            bits @ 1..=128 => 128 - bits as u32,
            129.. => 0,
        }
    }

    /// The low bits of a number in two's complement as a value of this type, in two's complement of 128 bits.
    #[inline]
    pub(super) const fn extended(self, low: u128) -> u128 {
        let high = low << self.spare();
        match self.signed {
            true => (high.cast_signed() >> self.spare()).cast_unsigned(),
            false => high >> self.spare(),
        }
    }

    /// A number modulo two to the width, in the range of the type: what C's conversions and wrapping arithmetic give. Not for
    /// unsigned types of 128 bits, whose values an `i128` does not hold: see [`Int::wrapped`].
    #[inline]
    pub const fn wrap(self, number: i128) -> i128 {
        self.extended(number.cast_unsigned()).cast_signed()
    }

    /// The least value.
    pub fn least<N: Number>(self) -> N {
        match self.signed {
            true => N::held(1 << (127 - self.spare()), self),
            false => N::natural(0),
        }
    }

    /// The greatest value.
    pub fn greatest<N: Number>(self) -> N {
        N::natural(u128::MAX >> (self.spare() + u32::from(self.signed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Int;

    #[test]
    fn bounds_are_those_of_the_machine() {
        let bounds =
            |kind: IntKind| [kind.least::<Int>(), kind.greatest()].map(|int| int.to_string());
        assert_eq!(bounds(IntKind::I8), ["-128", "127"]);
        assert_eq!(bounds(IntKind::U64), ["0", "18446744073709551615"]);
        assert_eq!(bounds(IntKind::new(1, false)), ["0", "1"]);
        let widest = bounds(IntKind::new(128, true));
        assert_eq!(widest, [i128::MIN.to_string(), i128::MAX.to_string()]);
        let widest = bounds(IntKind::new(128, false));
        assert_eq!(widest, ["0".to_owned(), u128::MAX.to_string()]);
    }

    #[test]
    fn numbers_wrap_into_the_range() {
        assert_eq!(IntKind::U8.wrap(-1), 255);
        assert_eq!(IntKind::I8.wrap(255), -1);
        assert_eq!(IntKind::U64.wrap(-1), u64::MAX.into());
        assert_eq!(IntKind::I64.wrap(1 << 63), i64::MIN.into());
        assert_eq!(IntKind::new(1, false).wrap(2), 0);
    }
}
