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
    /// Where it leads.
    pub part: Part,
}

/// The part of an object that a pointer leads to: cells of it in a row, or all that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The first cell.
    start: i32,
    /// The cell after the last one.
    end: i32,
}

impl Part {
    /// The whole object.
    const ALL: Self = Self {
        start: i32::MIN,
        end: i32::MAX,
    };

    /// A part that does not exist.
    const NONE: Self = Self { start: 0, end: 0 };
}

impl Address {
    /// A cell of an object.
    pub const fn new(object: ObjectId, cell: i64) -> Self {
        let part = Part::ALL;
        Self { object, cell, part }
    }

    /// The same cell, as the first one of a part of so many cells, which must be within the part that this address leads to.
    pub fn narrowed(self, cells: u32, is_outside: bool) -> Self {
        let part = match (i32::try_from(self.cell), i32::try_from(cells)) {
            (Ok(start), Ok(cells)) if !is_outside => {
                let end = start.saturating_add(cells);
                let is_within = start >= self.part.start && end <= self.part.end;
                if is_within {
                    Part { start, end }
                } else {
                    Part::NONE
                }
            }
            _ => Part::NONE,
        };
        Self { part, ..self }
    }

    /// Whether it is within the part of the object that it leads to.
    pub fn is_within(self) -> bool {
        (i64::from(self.part.start)..i64::from(self.part.end)).contains(&self.cell)
    }

    /// Whether it is the same cell, whatever part each leads to.
    pub fn is_same(self, other: Self) -> bool {
        (self.object, self.cell) == (other.object, other.cell)
    }

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
