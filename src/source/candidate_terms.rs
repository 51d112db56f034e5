//! The candidate terms of a site: expressions that could be evaluated there besides the visible variables
//! themselves. They are guesses based on names and declared types; the compiler rejects the wrong ones.

use std::collections::BTreeSet;

use super::{Site, Sources};
use crate::spec::{Access, Binding, Origin};

/// The text of an expression that may be a term at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermText {
    /// The expression.
    pub text: String,
    /// How tightly it binds.
    pub binding: Binding,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it is an element: reading it may panic, but moves nothing.
    pub is_index: bool,
}

/// A candidate term: its text, and the tree of what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateTerm {
    /// The expression.
    pub text: String,
    /// What it reads.
    pub access: Access,
    /// How tightly it binds.
    pub binding: Binding,
    /// Where it comes from.
    pub origin: Origin,
    /// See [`TermText::is_index`].
    pub is_index: bool,
}

/// The candidate terms of a site, nearest first.
pub fn at(sources: &Sources, site: &Site) -> Vec<CandidateTerm> {
    let groups = sources.language.candidate_terms().groups(sources, site);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (group, most) in groups {
        let fresh = group
            .into_iter()
            .filter(|term: &TermText| seen.insert(term.text.clone()));
        let candidate = |term: TermText| CandidateTerm {
            access: sources.language.access(&term.text),
            text: term.text,
            binding: term.binding,
            origin: term.origin,
            is_index: term.is_index,
        };
        all.extend(fresh.take(most).map(candidate));
    }
    all
}
