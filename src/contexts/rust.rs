//! The operands of Rust: what was read is what is written.

use super::operands::Operands;
use crate::spec::{Pool, TermId, Type};

pub struct Rust;

impl Operands for Rust {
    /// In generic code a name may have had several types; then the condition has no one meaning.
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
