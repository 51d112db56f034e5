//! Operands of Rust: the value of a written operand is the recorded value.

use super::operands::Operands;
use crate::spec::{Pool, TermId, Type};

/// The operands of Rust.
/// The operands of Rust.
pub struct Rust;

impl Operands for Rust {
    /// The only term of the expected type. In generic code a name may have several types; the condition then
    /// has no single meaning.
    fn choose(
        &self,
        _: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)> {
        let is_expected =
            |(_, ty): &&(TermId, Type)| expected.is_none_or(|expected| *ty == expected);
        let mut found = found.iter().filter(is_expected);
        let one = found.next()?;
        found.next().is_none().then_some(*one)
    }
}
