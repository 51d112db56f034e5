//! Sites for the unit tests of this module, and forced outcomes as short texts.

use camino::Utf8Path;
use typed_index_collections::TiVec;

use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::Counter;
use nopol_process::run::{How, Sequence, When};
use nopol_source::rust::{CrateRoot, read};
use nopol_source::{Site, SiteIndex, SiteKind};

/// The test with this number.
pub fn test(number: u32) -> TestIndex {
    TestIndex::new(number)
}

/// The tests with these numbers.
pub fn tests(numbers: &[u32]) -> Vec<TestIndex> {
    numbers.iter().copied().map(test).collect()
}

/// The site with this number.
pub fn site(number: u32) -> SiteIndex {
    SiteIndex::new(number)
}

/// The sites of a library that consists of one file.
pub fn sites(text: &str) -> TiVec<SiteIndex, Site> {
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

/// A condition, a statement and an early exit, in this order.
pub fn three_kinds() -> [Site; 3] {
    let sites = sites("pub fn f(mut n: u32) -> u32 { if n > 3 { n += 1; } n }");
    let first = |kind: SiteKind| {
        let mut sites = sites.iter();
        sites.find(|site| site.kind == kind).unwrap().clone()
    };
    [SiteKind::If, SiteKind::Statement, SiteKind::EarlyExit].map(first)
}

/// A counter of evaluations that yielded true and false; the last evaluation may have panicked.
pub fn counter(trues: u64, falses: u64, broke: bool) -> Counter {
    Counter {
        entered: trues + falses + u64::from(broke),
        falses,
        trues,
    }
}

/// The site, the test and the forced outcomes of a trial.
pub fn trial((site, test, sequence): &(SiteIndex, TestIndex, Sequence)) -> String {
    format!("site {site} test {test}: {}", text(sequence))
}

/// `true`, `flip@3`, `false@..2`, `true@4..`; `!` means that the condition is not evaluated.
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

/// The texts of several sequences.
pub fn texts(sequences: &[Sequence]) -> Vec<String> {
    sequences.iter().map(text).collect()
}
