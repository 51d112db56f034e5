//! Sites for the unit tests of this room, and forced outcomes as short texts.

use camino::Utf8Path;

use crate::run::trace::Counter;
use crate::run::{How, Sequence, When};
use crate::source::rust::{CrateRoot, read};
use crate::source::{Site, SiteIndex, SiteKind};

/// The sites of a library of one file.
pub fn sites(text: &str) -> Vec<Site> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("lib.rs"), text).unwrap();
    let crates = [CrateRoot {
        path: "lib.rs".into(),
        is_test: false,
        edition_2015: false,
        has_chains: true,
    }];
    let root = Utf8Path::from_path(dir.path()).unwrap();
    read(root, &crates, &|_| true).sites
}

/// A condition, a statement and a way out, in this order.
pub fn three_kinds() -> [Site; 3] {
    let sites = sites("pub fn f(mut n: u32) -> u32 { if n > 3 { n += 1; } n }");
    let first = |kind: SiteKind| {
        let mut sites = sites.iter();
        sites.find(|site| site.kind == kind).unwrap().clone()
    };
    [SiteKind::If, SiteKind::Statement, SiteKind::EarlyExit].map(first)
}

/// So many evaluations that ended true and false; the last one may have panicked.
pub fn counter(trues: u64, falses: u64, broke: bool) -> Counter {
    Counter {
        entered: trues + falses + u64::from(broke),
        falses,
        trues,
    }
}

/// Where and in which test what was forced.
pub fn trial((site, test, sequence): &(SiteIndex, usize, Sequence)) -> String {
    format!("site {site} test {test}: {}", text(sequence))
}

/// `true`, `flip@3`, `false@..2`, `true@4..`; with `!` where the condition is not evaluated.
pub fn text(sequence: &Sequence) -> String {
    let each = sequence.iter().map(|forced| {
        let how = match forced.how {
            How::Set(value) => value.to_string(),
            How::Flip => "flip".to_owned(),
        };
        let when = match forced.when {
            When::Always => String::new(),
            When::At(at) => format!("@{at}"),
            When::Until(at) => format!("@..{at}"),
            When::From(at) => format!("@{at}.."),
        };
        let blind = if forced.blind { "!" } else { "" };
        format!("{how}{blind}{when}")
    });
    each.collect::<Vec<_>>().join(" ")
}

/// Each of them as text.
pub fn texts(sequences: &[Sequence]) -> Vec<String> {
    sequences.iter().map(text).collect()
}
