//! Errors that are made up, in files that are really instrumented.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::probe::Capture;
use crate::source::Sources;
use crate::source::rust::{CrateRoot, read};

const TEXT: &str = r"
pub fn first(n: u32, is_open: bool) -> u32 {
    let mut m = 0;
    let last;
    if n > 3 && n < 9 { m = n; }
    last = m;
    if is_open { m += last; }
    m
}

pub fn second(k: u32) -> u32 {
    if k > 5 { 1 } else { 0 }
}
";

/// The sources, in a directory of their own.
struct House {
    dir: tempfile::TempDir,
    sources: Sources,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("src")).unwrap();
        std::fs::write(dir.path().join("src/lib.rs"), TEXT).unwrap();
        let crates = [CrateRoot {
            path: "src/lib.rs".into(),
            is_test: false,
            edition_2015: false,
            has_chains: true,
        }];
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let sources = read(root, &crates, &|_| true);
        Self { dir, sources }
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.dir.path()).unwrap()
    }

    fn site(&self, text: &str) -> SiteIndex {
        let mut sites = self.sources.sites.iter_enumerated();
        let found = sites.find(|(_, site)| site.text == text && !site.span.is_empty());
        found.unwrap_or_else(|| panic!("no site `{text}`")).0
    }

    fn sites(&self, texts: &[&str]) -> BTreeSet<SiteIndex> {
        texts.iter().map(|text| self.site(text)).collect()
    }

    /// These sites, without anything captured.
    fn conditions(&self, texts: &[&str]) -> Instrumentation<'_> {
        let stage = Stage::Conditions(self.sites(texts));
        Instrumentation::new(&self.sources, stage, BTreeSet::new(), BTreeSet::new())
    }

    /// One site with captures.
    fn captures(&self, site: &str, captures: &[(CaptureKind, &str)]) -> Instrumentation<'_> {
        let captures = captures.iter().map(|(kind, text)| Capture {
            kind: *kind,
            text: (*text).to_owned(),
            access: self.sources.language.access(text),
        });
        let stage = Stage::Captures(BTreeMap::from([(self.site(site), captures.collect())]));
        Instrumentation::new(&self.sources, stage, BTreeSet::new(), BTreeSet::new())
    }

    /// Whom an error is due to that points at these texts, each the first of its kind after `instrumentation`.
    fn blamed(
        &self,
        instrumentation: &Instrumentation,
        code: &str,
        message: &str,
        places: &[Place],
    ) -> Vec<Part> {
        let files = instrumentation.files();
        let text = &files[FileIndex::new(0)].1.text;
        let span = |place: &Place| {
            let start = text.find(place.text).unwrap_or_else(|| panic!("{text}"));
            Span {
                file: "src/lib.rs".into(),
                bytes: start..start + place.text.len(),
                is_primary: place.is_primary,
                label: place.label.map(str::to_owned),
            }
        };
        let error = Diagnostic {
            code: code.to_owned(),
            message: message.to_owned(),
            rendered: String::new(),
            spans: places.iter().map(span).collect(),
        };
        blame(instrumentation, &files, self.root(), &error, false)
    }
}

/// What an error points at.
#[derive(Clone, Copy)]
struct Place<'a> {
    text: &'a str,
    is_primary: bool,
    label: Option<&'a str>,
}

fn primary(text: &str) -> Place<'_> {
    Place {
        text,
        is_primary: true,
        label: None,
    }
}

#[test]
fn a_capture_that_is_pointed_at_is_to_blame_and_not_its_site() {
    let house = House::new();
    let captures = [(CaptureKind::Place, "n"), (CaptureKind::Value, "n.count()")];
    let instrumentation = house.captures("n > 3 && n < 9", &captures);
    let site = house.site("n > 3 && n < 9");
    let at = [primary("n.count()")];
    let parts = house.blamed(&instrumentation, "E0599", "no method", &at);
    assert_eq!(parts, [Part::Capture(site, 1)]);
}

#[test]
fn a_note_that_points_at_a_capture_tells_more_than_the_error_around_it() {
    let house = House::new();
    let captures = [(CaptureKind::Value, "drop(m)")];
    let instrumentation = house.captures("n > 3 && n < 9", &captures);
    let note = Place {
        is_primary: false,
        ..primary("drop(m)")
    };
    let parts = house.blamed(
        &instrumentation,
        "E0502",
        "cannot borrow",
        &[primary("let mut m = 0;"), note],
    );
    let site = house.site("n > 3 && n < 9");
    assert_eq!(parts, [Part::Capture(site, 0)]);
}

#[test]
fn the_site_around_the_place_is_to_blame_where_nothing_is_pointed_at() {
    let house = House::new();
    let instrumentation = house.conditions(&["n > 3 && n < 9", "k > 5"]);
    // In the middle of the condition, which is not spliced in but the subject's own.
    let parts = house.blamed(&instrumentation, "E0308", "mismatched", &[primary("> 3 &")]);
    assert_eq!(parts, [Part::Site(house.site("n > 3 && n < 9"))]);
}

#[test]
fn the_functions_sites_are_to_blame_where_none_is_around_and_those_of_others_are_not() {
    let house = House::new();
    let instrumentation = house.conditions(&["n > 3 && n < 9", "is_open", "k > 5"]);
    let at = [primary("last = m")];
    let parts = house.blamed(&instrumentation, "E0596", "cannot borrow", &at);
    let own = house.sites(&["n > 3 && n < 9", "is_open"]);
    assert_eq!(parts, own.into_iter().map(Part::Site).collect::<Vec<_>>());
}

#[test]
fn a_variable_that_may_have_no_value_is_due_to_the_skipped_statements_that_give_it_one() {
    let house = House::new();
    let instrumentation = house.conditions(&["last = m;", "m += last;", "is_open"]);
    let message = "used binding `last` is possibly-uninitialized";
    let parts = house.blamed(&instrumentation, "E0381", message, &[primary("+= last")]);
    assert_eq!(parts, [Part::Site(house.site("last = m;"))]);
}

#[test]
fn another_inferred_type_is_due_to_what_is_captured_of_the_variable_beyond_its_value() {
    let house = House::new();
    let captures = [
        (CaptureKind::Place, "m"),
        (CaptureKind::Value, "m == n"),
        (CaptureKind::Value, "n + 1"),
    ];
    let instrumentation = house.captures("n > 3 && n < 9", &captures);
    let at = Place {
        label: Some("here the type of `m` is inferred to be `usize`"),
        ..primary("last = m")
    };
    let parts = house.blamed(&instrumentation, "E0308", "mismatched types", &[at]);
    assert_eq!(parts, [Part::Capture(house.site("n > 3 && n < 9"), 1)]);
}

#[test]
fn what_was_dropped_already_is_not_blamed_again() {
    let house = House::new();
    let mut instrumentation = house.conditions(&["n > 3 && n < 9"]);
    let site = Part::Site(house.site("n > 3 && n < 9"));
    instrumentation.dropped.insert(site);
    let parts = house.blamed(&instrumentation, "E0308", "mismatched", &[primary("n > 3")]);
    assert_eq!(parts, []);
}

#[test]
fn places_lead_to_their_variables() {
    assert_eq!(root("*v.f[0]"), "v");
    assert_eq!(root("v"), "v");
    assert!(mentions("a + b.len()", "b"));
    assert!(!mentions("a + bc.len()", "b"));
}
