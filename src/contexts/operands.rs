//! The language-specific part of turning recorded reads into operands. Each language has a file of its own.

use nopol_expr::{Access, Origin, Pool, Term, TermId, Type};
use nopol_source::condition::Node;
use nopol_source::{Language, Site, Sources};

use super::captures::Captures;
use super::{Recorded, c, rust};

/// How a language turns recorded reads into operands.
pub trait Operands {
    /// Whether an access that was recorded can be written at the site.
    fn is_expressible(&self, _sources: &Sources, _site: &Site, _access: &Access) -> bool {
        true
    }

    /// Whether parts of an offered access are operands, too.
    fn offers_parts(&self, _offered: &Access) -> bool {
        true
    }

    /// The origin of a term, given its origin by its form.
    fn origin(&self, _sources: &Sources, _site: &Site, _access: &Access, origin: Origin) -> Origin {
        origin
    }

    /// Gives a term the type it has as an operand.
    fn promote(&self, _term: &mut Term) {}

    /// The terms whose values follow from those of other terms.
    fn conversions(&self, _at: &Conversions, _pool: &mut Pool) -> Vec<Term> {
        Vec::new()
    }

    /// The term that a leaf of the original condition stands for, among those of its access. `None` if it is
    /// ambiguous.
    fn choose(
        &self,
        pool: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)>;
}

/// The inputs of [`Operands::conversions`].
pub struct Conversions<'a> {
    /// The sources of the subject.
    pub sources: &'a Sources,
    /// The site of the problem.
    pub site: &'a Site,
    /// The original condition.
    pub tree: Option<&'a Node>,
    /// The reads at the site.
    pub captures: &'a Captures,
    /// The contexts recorded at the site.
    pub recorded: &'a Recorded,
}

/// The operands of a language.
pub fn operands(language: Language) -> &'static dyn Operands {
    match language {
        Language::Rust => &rust::Rust,
        Language::C => &c::C,
    }
}
