//! The parts of the instrumentation that the compiler can reject one by one.

use crate::source::condition::{Leaf, LeafKind, Node};
use crate::source::offer::Offer;
use crate::source::{Access, FileIndex, Language, Site, SiteIndex};

/// Something spliced in, as far as it can be left out by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Site(SiteIndex),
    /// The n-th capture of a site.
    Capture(SiteIndex, usize),
    /// The candidate with this number, from 1.
    Candidate(SiteIndex, u32),
    /// The generated impl for a struct or enum.
    Type(usize),
    /// Reading one field, method or variant in it.
    Member(usize, usize),
    /// The n-th loop of a file.
    Loop(FileIndex, usize),
    /// What a file cannot do without.
    File(FileIndex),
}

/// How a capture reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// A variable or a field of one.
    Place,
    /// A place whose reading may panic.
    Index,
    /// Any other expression, evaluated for the capture.
    Value,
    /// Reads nothing: compiles only if the condition is pure.
    Purity,
}

/// Something captured at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub kind: CaptureKind,
    /// Under this it is recorded.
    pub text: String,
    /// What it reads.
    pub access: Access,
}

/// Everything to capture at a site: the visible names, the operands of its condition, and what
/// else is offered. `condition` is the parsed condition, if the site has one.
pub fn captures(
    language: Language,
    site: &Site,
    condition: Option<&Node>,
    offers: &[Offer],
) -> Vec<Capture> {
    let mut captures: Vec<Capture> = site
        .names
        .iter()
        .map(|name| Capture {
            kind: CaptureKind::Place,
            text: name.text.clone(),
            access: language.access(&name.text),
        })
        .collect();
    let leaves = condition.iter().flat_map(|condition| condition.leaves());
    // Where operands cannot be read, the comparison of them still can.
    let comparisons = condition
        .iter()
        .flat_map(|condition| condition.comparisons());
    let comparisons: Vec<Leaf> = comparisons.map(|(whole, _)| whole).collect();
    for leaf in leaves.chain(&comparisons) {
        let kind = match leaf.kind {
            LeafKind::Literal => continue,
            LeafKind::Place => CaptureKind::Place,
            LeafKind::Index => CaptureKind::Index,
            // Where no compiler tells, what may have an effect is not evaluated once more.
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
    for offer in offers {
        let kind = match offer.is_index {
            true => CaptureKind::Index,
            false => CaptureKind::Value,
        };
        if !captures.iter().any(|known| known.text == offer.text) {
            captures.push(Capture {
                kind,
                text: offer.text.clone(),
                access: offer.access.clone(),
            });
        }
    }
    let is_open = site.is_pure.is_none() && !language.is_surely_pure(&site.text);
    if site.kind.has_condition() && is_open {
        captures.push(Capture {
            kind: CaptureKind::Purity,
            text: site.text.clone(),
            access: language.access(&site.text),
        });
    }
    captures
}
