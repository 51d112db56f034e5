//! What differs between the languages that subjects are written in, as far as the texts of
//! expressions go.

use super::c::{self, conversions};
use super::condition::Node;
use super::rust::{self, condition, literals};
use crate::spec::{Access, Binding, Type, Value};

/// What a subject is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Rust,
    C,
}

impl Language {
    /// Parses a condition; `None` if it is not an expression on its own.
    pub fn parse(self, text: &str) -> Option<Node> {
        match self {
            Self::Rust => condition::parse(text),
            Self::C => c::condition::parse(text),
        }
    }

    /// What an expression reads, as a tree.
    pub fn access(self, text: &str) -> Access {
        match self {
            Self::Rust => rust::access::access(text),
            Self::C => c::access::access(text),
        }
    }

    /// What a method without arguments reads of a value.
    pub fn method(self, of: Access, name: &str) -> Access {
        match self {
            Self::Rust => rust::access::method(of, name),
            Self::C => Access::Method(Box::new(of), name.to_owned(), Vec::new()),
        }
    }

    /// Whether evaluating a condition surely has no effect, as far as its syntax tells.
    pub fn is_surely_pure(self, text: &str) -> bool {
        match self {
            Self::Rust => condition::is_surely_pure(text),
            Self::C => c::condition::is_surely_pure(text),
        }
    }

    /// How tightly a whole condition's text holds together.
    pub fn binding_of(self, text: &str) -> Binding {
        match self {
            Self::Rust => condition::binding_of(text),
            Self::C => c::condition::binding_of(text),
        }
    }

    /// The text of a comparison with the opposite operator; `None` for anything else and for orders,
    /// which NaN or an order of one's own may upset.
    pub fn opposite(self, text: &str) -> Option<String> {
        match self {
            Self::Rust => condition::opposite(text),
            Self::C => c::condition::opposite(text),
        }
    }

    /// The type that operands of two types are converted to; `None` where they are not.
    pub fn common_type(self, a: Type, b: Type) -> Option<Type> {
        match self {
            Self::Rust => None,
            Self::C => conversions::common(a, b),
        }
    }

    /// The value of a literal as a constant of the given type, if it can be one. `text` may start
    /// with a minus sign.
    pub fn constant(self, text: &str, ty: Type) -> Option<Value> {
        match self {
            Self::Rust => literals::value(text, ty),
            Self::C => c::literals::value(text, ty),
        }
    }
}
