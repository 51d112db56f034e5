//! One guess at what could be evaluated at a site.

use crate::spec::{Binding, Origin};

/// An expression that may be a term at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub text: String,
    pub binding: Binding,
    pub origin: Origin,
    /// Reading it may panic, but moves nothing: an element.
    pub is_index: bool,
}
