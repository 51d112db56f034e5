//! Values of expressions, and how they fit their types.

use super::memory::ObjectId;
use crate::ir::Scalar;

/// A cell of an object, or one before or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The object.
    pub object: ObjectId,
    /// The number of the cell, which the object need not have.
    pub cell: i64,
}

impl Address {
    /// The address so many cells further. What is too far away for 32 bits is one address outside of every object.
    pub fn plus(self, cells: i128) -> Self {
        const FAR: i32 = i32::MIN;
        let cells = i32::try_from(cells).ok().filter(|cells| *cells != FAR);
        let sum = cells.and_then(|cells| i32::try_from(self.cell + i64::from(cells)).ok());
        Self {
            cell: i64::from(sum.unwrap_or(FAR)),
            ..self
        }
    }
}

/// What an expression gives and a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer, or a bool as 0 or 1.
    Number(i128),
    /// An address, or null.
    Pointer(Option<Address>),
}

impl Value {
    /// Zero or null.
    pub const fn zero(ty: Scalar) -> Self {
        match ty {
            Scalar::Pointer => Self::Pointer(None),
            Scalar::Int(_) | Scalar::Bool => Self::Number(0),
        }
    }

    /// A bool.
    pub fn bool(value: bool) -> Self {
        Self::Number(i128::from(value))
    }

    /// The value as one of this type: numbers wrap. A number is not a pointer, nor a pointer a number: they become zero.
    pub fn fit(self, ty: Scalar) -> Self {
        match (self, ty) {
            (Self::Number(value), Scalar::Int(_) | Scalar::Bool) => Self::Number(ty.wrap(value)),
            (Self::Pointer(_), Scalar::Pointer) => self,
            _ => Self::zero(ty),
        }
    }

    /// The number; 0 of a pointer.
    pub const fn number(self) -> i128 {
        match self {
            Self::Number(value) => value,
            Self::Pointer(_) => 0,
        }
    }

    /// The address; none of a number.
    pub const fn address(self) -> Option<Address> {
        match self {
            Self::Number(_) => None,
            Self::Pointer(address) => address,
        }
    }

    /// Whether it is neither zero nor null.
    pub const fn is_true(self) -> bool {
        match self {
            Self::Number(value) => value != 0,
            Self::Pointer(address) => address.is_some(),
        }
    }
}
