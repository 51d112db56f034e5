//! What Rust answers to each concern, from the files beside this one.

use camino::Utf8Path;

use super::layout::Style;
use super::panics::ShouldPanic;
use super::policies::POLICIES;
use super::templates::template;
use super::{CrateRoot, access, condition, literals, offers};
use crate::source::condition::Node;
use crate::source::language::{Concerns, Conversions, Offering, Readable, Syntax};
use crate::source::offer::Guess;
use crate::source::{Site, Sources};
use crate::spec::{Access, Binding, Type, Value};

/// Rust's answers.
pub const CONCERNS: Concerns = Concerns {
    syntax: &Rust,
    conversions: &Rust,
    offering: &Rust,
    layout: &Style,
    panics: &ShouldPanic,
    policies: &POLICIES,
    template,
};

/// The crates that are to be read.
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

    fn constant(&self, text: &str, ty: Type) -> Option<Value> {
        literals::value(text, ty)
    }
}

impl Conversions for Rust {
    fn common_type(&self, _: Type, _: Type) -> Option<Type> {
        None
    }
}

impl Offering for Rust {
    fn groups(&self, sources: &Sources, site: &Site) -> Vec<(Vec<Guess>, usize)> {
        offers::groups(sources, site)
    }
}
