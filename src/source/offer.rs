//! One guess at what could be evaluated at a site, and what is offered of these.

use crate::spec::{Access, Binding, Origin};

/// An expression that may be a term at a site, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    pub text: String,
    pub binding: Binding,
    pub origin: Origin,
    /// Reading it may panic, but moves nothing: an element.
    pub is_index: bool,
}

/// An expression that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub text: String,
    /// What it reads.
    pub access: Access,
    pub binding: Binding,
    pub origin: Origin,
    /// See [`Guess::is_index`].
    pub is_index: bool,
}
