//! C's integer promotions and usual arithmetic conversions (C17 6.3.1.1 and 6.3.1.8), with the type widths
//! of 64-bit Unix.

use nopol_expr::{IntType, Type};

/// The type of an operand after promotion.
pub fn promoted(ty: Type) -> Type {
    match ty {
        Type::Int(IntType::I8 | IntType::U8 | IntType::I16 | IntType::U16) => {
            Type::Int(IntType::I32)
        }
        // `float` arithmetic stays `float`, but comparing its results as `double` is exact.
        Type::F32 => Type::F64,
        other => other,
    }
}

/// The common type of two operands; `None` unless both are numbers.
pub fn common(a: Type, b: Type) -> Option<Type> {
    let number = |ty| match ty {
        Type::Bool => Some(Type::Int(IntType::I32)),
        Type::Int(_) | Type::F64 => Some(ty),
        Type::F32 => Some(Type::F64),
        Type::Char | Type::Str => None,
    };
    let (a, b) = (number(promoted(a))?, number(promoted(b))?);
    let rank = |ty| match ty {
        Type::F64 => 4,
        Type::Int(IntType::CUlong) => 3,
        Type::Int(IntType::I64) => 2,
        Type::Int(IntType::CUint) => 1,
        _ => 0,
    };
    Some(if rank(a) >= rank(b) { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_converted_to_their_common_type() {
        let int = Type::Int(IntType::I32);
        let (long, uint) = (Type::Int(IntType::I64), Type::Int(IntType::CUint));
        assert_eq!(
            common(Type::Int(IntType::I8), Type::Int(IntType::U16)),
            Some(int)
        );
        assert_eq!(common(int, uint), Some(uint));
        assert_eq!(common(uint, long), Some(long));
        assert_eq!(
            common(long, Type::Int(IntType::CUlong)),
            Some(Type::Int(IntType::CUlong))
        );
        assert_eq!(common(int, Type::F32), Some(Type::F64));
        assert_eq!(common(int, Type::Str), None);
    }
}
