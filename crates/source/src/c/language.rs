//! C's implementations of the language concerns. Other files in this directory do the work.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_expr::{Access, Binding, Type, Value};

use super::branches::TakenLines;
use super::layout::Style;
use super::policies::POLICIES;
use super::templates::template;
use super::{access, candidate_terms, condition, conversions, literals, null_guards, strange};
use crate::candidate_terms::TermText;
use crate::condition::Node;
use crate::language::{
    CandidateTerms, Concerns, Conversions, Counterexample, Generators, Listing, Panics, Prevented,
    Readable, Syntax, Writing,
};
use crate::{File, FunctionIndex, Site, Sources};

/// C's implementation of each concern.
pub const CONCERNS: Concerns = Concerns {
    syntax: &C,
    conversions: &C,
    candidate_terms: &C,
    layout: &Style,
    panics: &C,
    generators: &C,
    policies: &POLICIES,
    template,
};

/// The files to read.
pub struct Files {
    /// Paths relative to the root.
    pub paths: Vec<Utf8PathBuf>,
    /// The lines that the compiler sees. `None` if it was not asked.
    pub taken: Option<TakenLines>,
}

impl Files {
    /// Files without information from the compiler.
    pub fn new(paths: Vec<Utf8PathBuf>) -> Self {
        Self { paths, taken: None }
    }
}

impl Readable for Files {
    fn read(&self, root: &Utf8Path, wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
        super::read(root, self, wanted)
    }
}

struct C;

impl Syntax for C {
    fn parse(&self, text: &str) -> Option<Node> {
        condition::parse(text)
    }

    fn access(&self, text: &str) -> Access {
        access::access(text)
    }

    fn method(&self, of: Access, name: &str) -> Access {
        Access::Method(Box::new(of), name.to_owned(), Vec::new())
    }

    fn is_surely_pure(&self, text: &str) -> bool {
        condition::is_surely_pure(text)
    }

    fn binding_of(&self, text: &str) -> Binding {
        condition::binding_of(text)
    }

    fn opposite(&self, text: &str) -> Option<String> {
        condition::opposite(text)
    }

    fn constant(&self, text: &str, ty: Type) -> Option<Value> {
        literals::value(text, ty)
    }

    fn truth(&self, file: &File, value: bool) -> &'static str {
        literals::truth(file.has_truth_names, value)
    }

    fn is_only_printed(&self, _: &str, _: &str) -> bool {
        false
    }

    fn strange_comparisons(&self, sources: &Sources, site: &Site, tree: &Node) -> usize {
        strange::comparisons(sources, site, tree)
    }
}

/// C tests never expect a panic.
impl Panics for C {
    fn silent(&self, _: &str) -> Option<String> {
        None
    }

    fn place(&self, _: &Utf8Path, _: &str) -> Option<String> {
        None
    }

    fn is_missing(&self, _: &str) -> bool {
        false
    }

    fn complaint(&self, _: &str) -> Option<String> {
        None
    }

    fn may_be_caught(&self, _: &str) -> bool {
        false
    }

    fn message(&self, _: &Utf8Path, _: &str) -> Option<String> {
        None
    }

    fn prevented(&self, _: &str, _: usize, _: usize, _: &str) -> Vec<Prevented> {
        Vec::new()
    }

    fn null_pointers(
        &self,
        sources: &Sources,
        crashed: FunctionIndex,
    ) -> BTreeSet<(FunctionIndex, String)> {
        null_guards::null_guards(sources, crashed)
    }
}

impl Generators for C {
    fn counterexample(&self, _: &str) -> Option<Counterexample> {
        None
    }

    fn replaying(
        &self,
        _: &str,
        _: &str,
        _: &[Counterexample],
        _: &str,
        _: &Writing,
    ) -> Option<String> {
        None
    }

    fn variants(&self, _: &str) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl Conversions for C {
    fn common_type(&self, a: Type, b: Type) -> Option<Type> {
        conversions::common(a, b)
    }
}

impl CandidateTerms for C {
    fn groups(&self, sources: &Sources, site: &Site) -> Vec<(Vec<TermText>, usize)> {
        candidate_terms::groups(sources, site)
    }

    fn lists(&self, _: &Sources, _: &Site) -> Vec<Listing> {
        Vec::new()
    }
}
