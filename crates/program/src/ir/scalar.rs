//! What cells hold.

use nopol_scalar::{IntKind, IntType};

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// A machine integer of 8, 16, 32 or 64 bits.
    Int(IntKind),
    /// True or false.
    Bool,
    /// An object and the number of a cell, or null.
    Pointer,
}

impl Scalar {
    /// C's `int`, Rust's `i32`.
    pub const INT: Self = Self::Int(IntKind::I32);
    /// C's `unsigned`, Rust's `u32` and the number of its `char`.
    pub const UINT: Self = Self::Int(IntKind::U32);
    /// C's `char`.
    pub const CHAR: Self = Self::Int(IntKind::I8);
    /// A byte: C's `unsigned char`, Rust's `u8`.
    pub const BYTE: Self = Self::Int(IntKind::U8);
    /// C's `long`, Rust's `i64`: also the distance of two pointers.
    pub const LONG: Self = Self::Int(IntKind::I64);
    /// C's `size_t`, Rust's `usize`.
    pub const SIZE: Self = Self::Int(IntKind::U64);

    /// The integers that values are: 0 and 1 of a bool. Pointers have none, and count as bools.
    pub const fn kind(self) -> IntKind {
        match self {
            Self::Int(kind) => kind,
            Self::Bool | Self::Pointer => IntKind::new(1, false),
        }
    }

    /// How many bits the values have: one for a bool. Pointers have none.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Int(kind) => kind.bits,
            Self::Bool => 1,
            Self::Pointer => 0,
        }
    }

    /// Whether the values are signed.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Int(IntKind { signed: true, .. }))
    }

    /// The value of these low bits.
    pub fn value(self, bits: u64) -> i128 {
        self.wrap(bits.into())
    }

    /// The value modulo the width.
    pub const fn wrap(self, value: i128) -> i128 {
        self.kind().wrap(value)
    }
}

impl From<IntType> for Scalar {
    fn from(ty: IntType) -> Self {
        Self::Int(ty.kind())
    }
}
