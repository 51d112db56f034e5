//! Rust's implementations of the language concerns. Other files in this directory do the work.

use camino::Utf8Path;
use nopol_expr::{Access, Binding, Type, Value};

use super::generated::Properties;
use super::layout::Style;
use super::panics::ShouldPanic;
use super::policies::POLICIES;
use super::templates::template;
use super::{CrateRoot, access, candidate_terms, condition, literals, patterns, printed};
use crate::candidate_terms::TermText;
use crate::condition::Node;
use crate::language::{CandidateTerms, Concerns, Conversions, Listing, Readable, Syntax};
use crate::{File, Site, Sources};

/// Rust's implementation of each concern.
pub const CONCERNS: Concerns = Concerns {
    syntax: &Rust,
    conversions: &Rust,
    candidate_terms: &Rust,
    layout: &Style,
    panics: &ShouldPanic,
    generators: &Properties,
    policies: &POLICIES,
    template,
};

/// The crates whose sources are read.
pub struct Crates(pub Vec<CrateRoot>);

impl Readable for Crates {
    fn read(&self, root: &Utf8Path, wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources {
        super::read(root, &self.0, wanted)
    }
}

struct Rust;

impl Syntax for Rust {
    fn parse(&self, text: &str) -> Option<Node> {
        condition::parse(text)
    }

    fn access(&self, text: &str) -> Access {
        access::access(text)
    }

    fn method(&self, of: Access, name: &str) -> Access {
        access::method(of, name)
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

    fn with_joined_patterns(&self, text: String) -> String {
        patterns::joined(text)
    }

    fn constant(&self, text: &str, ty: Type) -> Option<Value> {
        literals::value(text, ty)
    }

    fn truth(&self, _: &File, value: bool) -> &'static str {
        if value { "true" } else { "false" }
    }

    fn is_only_printed(&self, function: &str, name: &str) -> bool {
        printed::is_only_printed(function, name)
    }
}

impl Conversions for Rust {
    fn common_type(&self, _: Type, _: Type) -> Option<Type> {
        None
    }
}

impl CandidateTerms for Rust {
    fn groups(&self, sources: &Sources, site: &Site) -> Vec<(Vec<TermText>, usize)> {
        candidate_terms::groups(sources, site)
    }

    fn lists(&self, sources: &Sources, site: &Site) -> Vec<Listing> {
        patterns::listings(sources, site)
    }
}
