//! The parts of the instrumentation. The compiler can reject each one separately.

use nopol_source::candidate_terms::CandidateTerm;
use nopol_source::condition::{Leaf, LeafKind, Node};
use nopol_source::{Access, FileIndex, FunctionIndex, Language, Site, SiteIndex};

/// A piece of spliced text that can be left out separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// All that is spliced in at a site.
    Site(SiteIndex),
    /// The n-th capture of a site.
    Capture(SiteIndex, usize),
    /// The candidate with this number, from 1.
    Candidate(SiteIndex, u32),
    /// The generated impl for a struct or enum.
    Type(usize),
    /// The code in that impl that reads one field, method or variant.
    Member(usize, usize),
    /// The n-th loop of a file.
    Loop(FileIndex, usize),
    /// Treats a `const fn` as a usual function, so that its body can be instrumented.
    Constness(FunctionIndex),
    /// The text at the start of a file that all other parts need.
    File(FileIndex),
}

/// What a capture reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// A variable or a field of one.
    Variable,
    /// An element, which may panic when read.
    Index,
    /// Any other expression; the capture evaluates it.
    Value,
    /// Nothing: it compiles only if the condition is pure.
    Purity,
}

/// An expression whose value is recorded at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// How it is read.
    pub kind: CaptureKind,
    /// The name of the recorded value.
    pub text: String,
    /// The tree of what it reads.
    pub access: Access,
}

/// Everything to capture at a site: the visible names, the operands of its condition, and the candidate
/// terms. `condition` is the parsed condition, if the site has one.
pub fn captures(
    language: Language,
    site: &Site,
    condition: Option<&Node>,
    terms: &[CandidateTerm],
) -> Vec<Capture> {
    let mut captures: Vec<Capture> = site
        .names
        .iter()
        .map(|name| Capture {
            kind: CaptureKind::Variable,
            text: name.text.clone(),
            access: language.access(&name.text),
        })
        .collect();
    let leaves = condition.iter().flat_map(|condition| condition.leaves());
    // If the operands cannot be read, the comparison as a whole may still be.
    let comparisons = condition
        .iter()
        .flat_map(|condition| condition.comparisons());
    let comparisons: Vec<Leaf> = comparisons.map(|(whole, _)| whole).collect();
    for leaf in leaves.chain(&comparisons) {
        let kind = match leaf.kind {
            LeafKind::Literal => continue,
            LeafKind::Variable => CaptureKind::Variable,
            LeafKind::Index => CaptureKind::Index,
            // In C, where the compiler does not check purity, an expression that may have side effects is not
            // evaluated again.
            LeafKind::Value
                if site.is_pure == Some(false) && !language.is_surely_pure(&leaf.text) =>
            {
                continue;
            }
            LeafKind::Value => CaptureKind::Value,
        };
        let capture = Capture {
            kind,
            text: leaf.text.clone(),
            access: leaf.access.clone(),
        };
        if !captures.contains(&capture) {
            captures.push(capture);
        }
    }
    for term in terms {
        let kind = match term.is_index {
            true => CaptureKind::Index,
            false => CaptureKind::Value,
        };
        if !captures.iter().any(|known| known.text == term.text) {
            captures.push(Capture {
                kind,
                text: term.text.clone(),
                access: term.access.clone(),
            });
        }
    }
    let may_be_impure = site.is_pure.is_none() && !language.is_surely_pure(&site.text);
    if site.kind.has_condition() && may_be_impure {
        captures.push(Capture {
            kind: CaptureKind::Purity,
            text: site.text.clone(),
            access: language.access(&site.text),
        });
    }
    captures
}
