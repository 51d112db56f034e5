//! The candidate terms of a site: expressions that could be evaluated there, besides the visible variables themselves.
//! They are guesses based on names and declared types. The compiler rejects the wrong ones.

use std::collections::BTreeSet;

use nopol_expr::{Access, Binding, Origin};

use super::{Site, Sources, write};

/// The text of an expression that may be a term at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermText {
    /// The expression.
    pub text: String,
    /// How tightly the expression binds.
    pub binding: Binding,
    /// Where the expression comes from.
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
    /// How tightly the expression binds.
    pub binding: Binding,
    /// Where the expression comes from.
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
        let function = &sources.functions[site.function].name;
        let ends = fresh
            .map(candidate)
            .filter(|term| !recurses(function, &term.access));
        all.extend(ends.take(most));
    }
    all
}

/// Whether evaluating an access, in the function with this path, calls the function itself. Such a condition hardly
/// ever ends, and recording it may take forever.
pub fn recurses(function: &str, access: &Access) -> bool {
    let last = |path: &str| path.rsplit("::").next().map(str::to_owned);
    let Some(name) = last(function) else {
        return false;
    };
    let is_own = |step: &Access| match step.plain() {
        Access::Call(called, _) => match called.plain() {
            Access::Variable(path) => last(path).as_ref() == Some(&name),
            _ => false,
        },
        Access::Method(of, method, _) => {
            *method == name && matches!(of.without_derefs(), Access::Variable(_))
        }
        Access::Query(of, _) => {
            of.root() == Some("self") && write::text(step) == format!("self.{name}()")
        }
        _ => false,
    };
    access.spine().any(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn a_call_of_the_function_itself_recurses_and_a_delegating_call_does_not() {
        for (name, text, wanted) in [
            ("passes", "passes(score)", true),
            ("Grade::passes", "Self::passes(score)", true),
            ("passes", "self.passes(score)", true),
            ("passes", "other.passes(score) == 3", true),
            ("is_empty", "self.is_empty()", true),
            ("is_empty", "self.items.is_empty()", false),
            ("contains", "self.items.contains(item)", false),
            ("passes", "passes_all(score)", false),
        ] {
            let access = Language::Rust.access(text);
            assert_eq!(recurses(name, &access), wanted, "{text} in {name}");
        }
    }
}
