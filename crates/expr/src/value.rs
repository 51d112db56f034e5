//! Typed machine values: the value of a term at one execution of a site.
//!
//! `Option<Value>::None` means *undefined* everywhere in this crate: the value could not be read, because
//! the variable held `None`, the index was out of range, or the call panicked.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use nopol_scalar::{ArithOp, CmpOp, Int, IntType, arithmetic};

/// The type of a term. The operands of an operator have equal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A boolean.
    Bool,
    /// An integer.
    Int(IntType),
    /// `f32`.
    F32,
    /// `f64`, or C's `double`.
    F64,
    /// A Unicode scalar value.
    Char,
    /// Strings and string slices, by value.
    Str,
}

impl Type {
    /// The type's name in Rust (`str` for strings).
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int(int) => int.name(),
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Char => "char",
            Self::Str => "str",
        }
    }

    /// The type with this Rust name, if values of it can be observed.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "char" => Self::Char,
            "str" | "&str" | "String" => Self::Str,
            _ => Self::Int(IntType::from_name(name)?),
        })
    }

    /// Whether `<` is a component for this type. Booleans and strings are compared for equality only,
    /// because conditions do not order them.
    pub fn ordered(self) -> bool {
        !matches!(self, Self::Bool | Self::Str)
    }
}

/// A defined value. `==` of this type compares the bits of floats; [`Value::compare`] is the language's own
/// comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer and its type.
    Int(IntType, Int),
    /// Bits of an `f32`.
    F32(u32),
    /// Bits of an `f64`.
    F64(u64),
    /// A character.
    Char(char),
    /// The contents of a string.
    Str(Arc<str>),
}

impl Value {
    /// The ASCII letter in the other case, for a character or its code.
    pub fn other_case(&self) -> Option<Self> {
        let swap = |letter: char| match letter {
            'a'..='z' => Some(letter.to_ascii_uppercase()),
            'A'..='Z' => Some(letter.to_ascii_lowercase()),
            _ => None,
        };
        match self {
            Self::Char(letter) => swap(*letter).map(Self::Char),
            Self::Int(ty, int) => {
                let number = u8::try_from(int.to_i128()?).ok()?;
                let letter = u32::from(swap(char::from(number))?);
                Some(Self::Int(*ty, Int::from_u128(letter.into())))
            }
            _ => None,
        }
    }

    /// The value's type.
    pub fn ty(&self) -> Type {
        match self {
            Self::Bool(_) => Type::Bool,
            Self::Int(ty, _) => Type::Int(*ty),
            Self::F32(_) => Type::F32,
            Self::F64(_) => Type::F64,
            Self::Char(_) => Type::Char,
            Self::Str(_) => Type::Str,
        }
    }

    /// The value of a boolean; `None` for every other type.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value converted as in C: to a truth value, another integer width, or a floating-point number.
    /// `None` if there is no such conversion or it is undefined.
    pub fn converted(&self, ty: Type) -> Option<Self> {
        match (self, ty) {
            _ if self.ty() == ty => Some(self.clone()),
            (Self::Int(_, value), Type::Bool) => Some(Self::Bool(*value != Int::from_i128(0))),
            (Self::F64(bits), Type::Bool) => Some(Self::Bool(f64::from_bits(*bits) != 0.0)),
            (Self::F32(bits), Type::Bool) => Some(Self::Bool(f32::from_bits(*bits) != 0.0)),
            (Self::Bool(value), Type::Int(int)) => {
                Some(Self::Int(int, Int::from_i128((*value).into())))
            }
            (Self::Int(_, value), Type::Int(int)) => Some(Self::Int(int, value.wrapped(int))),
            (Self::Int(_, value), Type::F64) => {
                // Rounded as the machine does.
                Some(Self::F64((value.to_i128()? as f64).to_bits()))
            }
            (Self::F32(bits), Type::F64) => {
                Some(Self::F64(f64::from(f32::from_bits(*bits)).to_bits()))
            }
            _ => None,
        }
    }

    /// The order of two values of one type as in Rust: the inner `None` means unordered (a NaN), and −0.0
    /// equals 0.0. The outer `None` means that the types differ.
    pub fn order(&self, other: &Self) -> Option<Option<Ordering>> {
        Some(match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            (Self::Int(s, a), Self::Int(t, b)) if s == t => Some(a.cmp(b)),
            (Self::F32(a), Self::F32(b)) => f32::from_bits(*a).partial_cmp(&f32::from_bits(*b)),
            (Self::F64(a), Self::F64(b)) => f64::from_bits(*a).partial_cmp(&f64::from_bits(*b)),
            (Self::Char(a), Self::Char(b)) => Some(a.cmp(b)),
            (Self::Str(a), Self::Str(b)) => Some(a.cmp(b)),
            _ => return None,
        })
    }

    /// `self op other` as in Rust; `None` if the types differ.
    pub fn compare(&self, op: CmpOp, other: &Self) -> Option<bool> {
        self.order(other).map(|ordering| op.holds(ordering))
    }

    /// `self op other` in the operands' type; `None` (undefined) on overflow, division by zero, or unless
    /// both operands are numbers of one type.
    pub fn arith(&self, op: ArithOp, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(s, a), Self::Int(t, b)) if s == t => {
                let (kind, overflow) = (s.kind(), s.overflow());
                match arithmetic::binary(op.binary(), overflow, kind, *a, *b) {
                    (result, None) => Some(Self::Int(*s, result)),
                    (_, Some(_)) => None,
                }
            }
            (Self::F32(a), Self::F32(b)) => {
                let result = arithmetic::floats(op, f32::from_bits(*a), f32::from_bits(*b));
                Some(Self::F32(result.to_bits()))
            }
            (Self::F64(a), Self::F64(b)) => {
                let result = arithmetic::floats(op, f64::from_bits(*a), f64::from_bits(*b));
                Some(Self::F64(result.to_bits()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(_, value) => write!(f, "{value}"),
            Self::F32(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Self::F64(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Char(value) => write!(f, "{value:?}"),
            Self::Str(value) => write!(f, "{value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(ty: IntType, value: i128) -> Value {
        Value::Int(ty, Int::from_i128(value))
    }

    #[test]
    fn integers_of_every_width_overflow_where_the_machine_does() {
        let max = Value::Int(IntType::U128, Int::from_u128(u128::MAX));
        let one = Value::Int(IntType::U128, Int::from_u128(1));
        assert_eq!(max.arith(ArithOp::Add, &one), None);
        assert_eq!(one.arith(ArithOp::Sub, &max), None);
        assert_eq!(
            int(IntType::I8, -128).arith(ArithOp::Rem, &int(IntType::I8, -1)),
            None
        );
        assert_eq!(
            int(IntType::I8, -7).arith(ArithOp::Rem, &int(IntType::I8, 3)),
            Some(int(IntType::I8, -1))
        );
        assert_eq!(
            int(IntType::I32, 1).arith(ArithOp::Div, &int(IntType::I32, 0)),
            None
        );
        assert_eq!(
            int(IntType::I128, i128::MIN).arith(ArithOp::Sub, &int(IntType::I128, 1)),
            None
        );
    }

    #[test]
    fn unsigned_numbers_of_c_wrap() {
        let uint = |value| int(IntType::CUint, value);
        assert_eq!(
            uint(0).arith(ArithOp::Sub, &uint(1)),
            Some(uint(4_294_967_295))
        );
        assert_eq!(
            uint(65_536).arith(ArithOp::Mul, &uint(65_536)),
            Some(uint(0))
        );
        assert_eq!(uint(1).arith(ArithOp::Div, &uint(0)), None);
        assert_eq!(
            Int::from_i128(-1).wrapped(IntType::CUlong),
            Int::from_u128(u64::MAX.into())
        );
        assert_eq!(Int::from_u128(255).wrapped(IntType::I8), Int::from_i128(-1));
    }

    #[test]
    fn nan_is_unequal_to_itself_and_zeros_are_equal() {
        let nan = Value::F64(f64::NAN.to_bits());
        assert_eq!(nan.compare(CmpOp::Eq, &nan), Some(false));
        assert_eq!(nan.compare(CmpOp::Ne, &nan), Some(true));
        assert_eq!(nan.compare(CmpOp::Ge, &nan), Some(false));
        let zero = Value::F64(0.0f64.to_bits());
        let minus = Value::F64((-0.0f64).to_bits());
        assert_eq!(zero.compare(CmpOp::Eq, &minus), Some(true));
    }

    #[test]
    fn values_of_different_types_do_not_compare() {
        assert_eq!(
            int(IntType::I32, 1).compare(CmpOp::Eq, &int(IntType::I64, 1)),
            None
        );
    }
}
