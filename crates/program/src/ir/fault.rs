//! What can go wrong in a run.

use std::fmt;

use nopol_scalar::arithmetic;

/// What can go wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An assertion does not hold.
    Assertion,
    /// The program gives up: `panic!`, `unreachable!`.
    Panic,
    /// The same in C: `abort`.
    Abort,
    /// A result does not fit its type.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// A shift by a negative number or by too much; in C also a signed `<<` of a negative number (C11, 6.5.7).
    Shift,
    /// A read or write outside of an object, or an index outside of an array.
    OutOfBounds,
    /// A read or write through null.
    NullPointer,
    /// A number is added to null, or null subtracted from.
    NullOffset,
    /// A function that returns something came to its end, and the value was needed.
    NoResult,
    /// A value is used that was never written.
    Unset,
    /// Memory is read, written or given back after it was given back.
    Freed,
    /// A variable of C is read or written after the block or function that declares it has ended.
    Gone,
    /// A string literal of C is written.
    Constant,
    /// More memory is allocated at once than is modelled.
    TooMuch,
    /// An array of C with a computed length has no elements, or too many.
    Length,
    /// A function such as `isdigit` is called with a number that is no character.
    Character,
    /// Memory is copied to an area that overlaps with it, by a function of C that does not expect that.
    Overlap,
    /// What was never allocated is given back, or a pointer into the middle of what was.
    NotAllocated,
}

impl FaultKind {
    /// Whether the program states it, and not the language.
    pub const fn is_explicit(self) -> bool {
        matches!(self, Self::Assertion | Self::Panic | Self::Abort)
    }

    /// Whether it counts, given whether faults do that the program does not state. What is made of a value that was never
    /// written, or of memory that is no more there, says nothing of any other run, so that these always count.
    pub const fn counts(self, implicit: bool) -> bool {
        implicit
            || self.is_explicit()
            || matches!(
                self,
                Self::Unset
                    | Self::Freed
                    | Self::Gone
                    | Self::Constant
                    | Self::TooMuch
                    | Self::Length
                    | Self::Character
                    | Self::Overlap
                    | Self::NotAllocated
            )
    }
}

impl From<arithmetic::Fault> for FaultKind {
    fn from(fault: arithmetic::Fault) -> Self {
        match fault {
            arithmetic::Fault::Overflow => Self::Overflow,
            arithmetic::Fault::DivisionByZero => Self::DivisionByZero,
            arithmetic::Fault::Shift => Self::Shift,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assertion => "an assertion fails",
            Self::Panic => "the program panics",
            Self::Abort => "the program calls `abort`",
            Self::Overflow => "an arithmetic operation overflows",
            Self::DivisionByZero => "a number is divided by zero",
            Self::Shift => {
                "a number is shifted by too many bits or by a negative number, or in C a negative number is shifted"
            }
            Self::OutOfBounds => "an index is out of bounds",
            Self::NullPointer => "a null pointer is dereferenced",
            Self::NullOffset => {
                "a null pointer is dereferenced with an index, or a number is added to it"
            },
            Self::NoResult => "a function ends without returning a value",
            Self::Unset => "an uninitialized value is used",
            Self::Freed => "freed memory is used",
            Self::Gone => "a variable is used after its block or function has ended",
            Self::Constant => "a string literal is written to",
            Self::TooMuch => "more memory is allocated at once than formulas cover (4 million numbers)",
            Self::Length => "the length of an array is not positive, or more than a million",
            Self::Character => "a function such as `isdigit` gets a number that is no character",
            Self::Overlap => "memory is copied to an area that overlaps with it",
            Self::NotAllocated => "a freed pointer does not point to the start of allocated memory",
        })
    }
}
