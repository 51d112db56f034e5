//! What differs between the languages in how what was read becomes an operand. Each has a file of its own.

use super::captures::Captures;
use super::{Recorded, c, rust};
use crate::source::condition::Node;
use crate::source::{Language, Site, Sources};
use crate::spec::{Access, Origin, Pool, Term, TermId, Type};

/// How operands of a language come about.
pub trait Operands {
    /// Whether what the runtime read can be said at the site.
    fn can_be_said(&self, _sources: &Sources, _site: &Site, _access: &Access) -> bool {
        true
    }

    /// Whether anybody asks for parts of what is offered.
    fn has_parts(&self, _offered: &Access) -> bool {
        true
    }

    /// Where a term comes from, all told.
    fn origin(&self, _sources: &Sources, _site: &Site, _access: &Access, origin: Origin) -> Origin {
        origin
    }

    /// Gives a term the type it has as an operand.
    fn promote(&self, _term: &mut Term) {}

    /// The terms that are others converted.
    fn conversions(&self, _at: &Conversions, _pool: &mut Pool) -> Vec<Term> {
        Vec::new()
    }

    /// Which of the terms of one text, by type, a leaf of the old condition stands for.
    fn choose(
        &self,
        pool: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)>;
}

/// What is known where terms are converted.
pub struct Conversions<'a> {
    pub sources: &'a Sources,
    pub site: &'a Site,
    pub tree: Option<&'a Node>,
    pub captures: &'a Captures,
    pub recorded: &'a Recorded,
}

/// The operands of a language.
pub fn operands(language: Language) -> &'static dyn Operands {
    match language {
        Language::Rust => &rust::Rust,
        Language::C => &c::C,
    }
}
