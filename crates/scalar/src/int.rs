//! Machine integer types, and integers of any width.

use std::cmp::Ordering;
use std::fmt;

use super::arithmetic::{Number, Overflow};
use super::kind::IntKind;
use super::operator::ArithOp;

/// A machine integer type. Widths of `isize`/`usize` are those of a 64-bit target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntType {
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `i128`.
    I128,
    /// `isize`.
    Isize,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `u128`.
    U128,
    /// `usize`.
    Usize,
    /// C's `unsigned int`, which wraps. C's signed types map to Rust's, since their overflow is undefined.
    CUint,
    /// C's `unsigned long` and `size_t`.
    CUlong,
}

impl IntType {
    /// Every integer type, in the order of the tags of a trace.
    pub const ALL: [Self; 14] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::I128,
        Self::Isize,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::U128,
        Self::Usize,
        Self::CUint,
        Self::CUlong,
    ];

    /// The type's name in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::Usize => "usize",
            Self::CUint => "c_uint",
            Self::CUlong => "c_ulong",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|int| int.name() == name)
    }

    /// Whether arithmetic is modulo a power of two.
    pub fn wraps(self) -> bool {
        matches!(self, Self::CUint | Self::CUlong)
    }

    /// Whether a result that does not fit is undefined.
    pub fn overflow(self) -> Overflow {
        match self.wraps() {
            true => Overflow::Wraps,
            false => Overflow::Fault,
        }
    }

    /// Its width and sign.
    pub const fn kind(self) -> IntKind {
        let (bits, signed) = match self {
            Self::I8 => (8, true),
            Self::I16 => (16, true),
            Self::I32 => (32, true),
            Self::I64 | Self::Isize => (64, true),
            Self::I128 => (128, true),
            Self::U8 => (8, false),
            Self::U16 => (16, false),
            Self::U32 | Self::CUint => (32, false),
            Self::U64 | Self::Usize | Self::CUlong => (64, false),
            Self::U128 => (128, false),
        };
        IntKind::new(bits, signed)
    }

    /// The type of the same width without a sign.
    pub const fn unsigned(self) -> Self {
        match self {
            Self::I8 => Self::U8,
            Self::I16 => Self::U16,
            Self::I32 => Self::U32,
            Self::I64 => Self::U64,
            Self::I128 => Self::U128,
            Self::Isize => Self::Usize,
            _ => self,
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        self.kind().bits.into()
    }

    /// Whether negative values exist.
    pub const fn signed(self) -> bool {
        self.kind().signed
    }

    /// The least and the greatest value.
    pub fn bounds(self) -> [Int; 2] {
        [self.kind().least(), self.kind().greatest()]
    }
}

/// An integer of any width, as sign and magnitude, so that both `u128` and `i128` fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Int {
    /// Never set for zero.
    negative: bool,
    /// A `u128` as bytes, which need no alignment: values are kept by the million, and take half the memory.
    magnitude: [u8; 16],
}

impl Int {
    fn new(negative: bool, magnitude: u128) -> Self {
        Self {
            negative: negative && magnitude != 0,
            magnitude: magnitude.to_ne_bytes(),
        }
    }

    fn magnitude(self) -> u128 {
        u128::from_ne_bytes(self.magnitude)
    }

    /// The integer `value`.
    pub fn from_i128(value: i128) -> Self {
        Self::new(value < 0, value.unsigned_abs())
    }

    /// The integer `value`.
    pub fn from_u128(value: u128) -> Self {
        Self::new(false, value)
    }

    /// Parses decimal digits with an optional minus sign.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        Some(Self::new(negative, digits.parse().ok()?))
    }

    /// Whether the value fits the type.
    pub fn fits(self, ty: IntType) -> bool {
        let [least, greatest] = ty.bounds();
        (least..=greatest).contains(&self)
    }

    /// The low 128 bits in two's complement.
    pub(super) fn low_bits(self) -> u128 {
        match self.negative {
            true => self.magnitude().wrapping_neg(),
            false => self.magnitude(),
        }
    }

    /// The value modulo 2 to the type's width, in the type's range: the result of C's integer conversions
    /// and unsigned arithmetic.
    pub fn wrapped(self, ty: IntType) -> Self {
        Self::held(self.low_bits(), ty.kind())
    }

    /// Number of bits of the magnitude.
    pub fn bits(self) -> u32 {
        u128::BITS - self.magnitude().leading_zeros()
    }

    /// The value as `i128`, if it fits.
    pub fn to_i128(self) -> Option<i128> {
        match self.negative {
            true => 0i128.checked_sub_unsigned(self.magnitude()),
            false => self.magnitude().try_into().ok(),
        }
    }

    /// `self op other` without wrapping; `None` if the magnitude exceeds 128 bits, or on division by zero.
    pub fn checked(self, op: ArithOp, other: Self) -> Option<Self> {
        let (left, right) = (self.magnitude(), other.magnitude());
        match op {
            ArithOp::Add if self.negative == other.negative => {
                Some(Self::new(self.negative, left.checked_add(right)?))
            }
            ArithOp::Add => Some(match left >= right {
                true => Self::new(self.negative, left - right),
                false => Self::new(other.negative, right - left),
            }),
            ArithOp::Sub => self.checked(ArithOp::Add, Self::new(!other.negative, right)),
            ArithOp::Mul => Some(Self::new(
                self.negative != other.negative,
                left.checked_mul(right)?,
            )),
            ArithOp::Div => Some(Self::new(
                self.negative != other.negative,
                left.checked_div(right)?,
            )),
            ArithOp::Rem => Some(Self::new(self.negative, left.checked_rem(right)?)),
        }
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.magnitude().cmp(&other.magnitude()),
            (true, true) => other.magnitude().cmp(&self.magnitude()),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", self.magnitude())
    }
}
