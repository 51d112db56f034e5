//! Artificial compiler errors in instrumented files.

use std::collections::{BTreeMap, BTreeSet};

use nopol_source::Sources;
use nopol_source::rust::{CrateRoot, read};
use nopol_source::words::mentions;

use super::*;
use crate::probe::{Capture, CaptureKind, Earlier};

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

pub fn fourth(words: Vec<u32>, other: Vec<u32>) -> Vec<u32> {
    let mut found = words;
    let mut all = Vec::new();
    for k in other {
        if k == 7 {
            all.push(found);
            found = Vec::new();
        }
    }
    found
}

pub fn third(list: Vec<u32>, is_done: bool) -> usize {
    if is_done {
        drop(list);
        return 0;
    }
    list.len()
}

macro_rules! done {
    ($value:expr) => { break $value };
}

pub fn fifth(list: &[u32]) -> Option<u32> {
    let mut at = 0;
    loop {
        if at == list.len() { done!(None); }
        if list[at] > 77 { done!(Some(at as u32)); }
        at += 1;
    }
}

pub fn sixth(rest: Vec<u32>) -> Vec<u32> {
    if rest.len() == 9 {
        return rest;
    }
    let mut all = Vec::new();
    for k in rest {
        all.push(k);
    }
    all.push(91);
    all.push(92);
    all
}
";

/// The sources, in a temporary directory.
struct Fixture {
    dir: tempfile::TempDir,
    sources: Sources,
}

impl Fixture {
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

    /// The instrumentation of these sites, without captures.
    fn conditions(&self, texts: &[&str]) -> Instrumentation<'_> {
        let stage = Stage::Conditions(self.sites(texts));
        Instrumentation::new(&self.sources, stage, Earlier::default())
    }

    /// The instrumentation of one site with captures.
    fn captures(&self, site: &str, captures: &[(CaptureKind, &str)]) -> Instrumentation<'_> {
        let captures = captures.iter().map(|(kind, text)| Capture {
            kind: *kind,
            text: (*text).to_owned(),
            access: self.sources.language.access(text),
        });
        let stage = Stage::Captures(BTreeMap::from([(self.site(site), captures.collect())]));
        Instrumentation::new(&self.sources, stage, Earlier::default())
    }

    /// The parts blamed for an error whose spans are the first occurrences of these texts.
    fn blamed(
        &self,
        instrumentation: &Instrumentation,
        code: &str,
        message: &str,
        spans: &[PointedAt],
    ) -> Vec<Part> {
        let files = instrumentation.files();
        let text = &files[FileIndex::new(0)].1.text;
        let span = |at: &PointedAt| {
            let start = text.find(at.text).unwrap_or_else(|| panic!("{text}"));
            Span {
                file: "src/lib.rs".into(),
                bytes: start..start + at.text.len(),
                is_primary: at.is_primary,
                label: at.label.map(str::to_owned),
            }
        };
        let error = Diagnostic {
            code: code.to_owned(),
            message: message.to_owned(),
            rendered: String::new(),
            spans: spans.iter().map(span).collect(),
        };
        blame(instrumentation, &files, self.root(), &error, false)
    }
}

/// What an error points at.
#[derive(Clone, Copy)]
struct PointedAt<'a> {
    text: &'a str,
    is_primary: bool,
    label: Option<&'a str>,
}

fn primary(text: &str) -> PointedAt<'_> {
    PointedAt {
        text,
        is_primary: true,
        label: None,
    }
}

#[test]
fn a_capture_that_is_pointed_at_is_blamed_instead_of_its_site() {
    let fixture = Fixture::new();
    let captures = [
        (CaptureKind::Variable, "n"),
        (CaptureKind::Value, "n.count()"),
    ];
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let site = fixture.site("n > 3 && n < 9");
    let at = [primary("n.count()")];
    let parts = fixture.blamed(&instrumentation, "E0599", "no method", &at);
    assert_eq!(parts, [Part::Capture(site, 1)]);
}

#[test]
fn all_captures_that_use_a_function_are_blamed_if_the_linker_misses_it() {
    let fixture = Fixture::new();
    let captures = ["far(n)", "n", "1 + far(n)", "farther(n)"];
    let captures = captures.map(|text| (CaptureKind::Value, text));
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let site = fixture.site("n > 3 && n < 9");
    let message = "undefined reference to `far'";
    let parts = fixture.blamed(&instrumentation, "", message, &[]);
    assert_eq!(parts, [Part::Capture(site, 0), Part::Capture(site, 2)]);
}

#[test]
fn all_captures_that_use_an_undeclared_variable_are_blamed_with_the_first() {
    let fixture = Fixture::new();
    let captures = ["far > 1", "n.far", "near(far)"];
    let captures = captures.map(|text| (CaptureKind::Value, text));
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let site = fixture.site("n > 3 && n < 9");
    let at = [primary("far > 1")];
    for message in [
        "‘far’ undeclared (first use in this function)",
        "‘far’ undeclared (first use in this function); did you mean ‘for’?",
    ] {
        let parts = fixture.blamed(&instrumentation, "", message, &at);
        assert_eq!(parts, [Part::Capture(site, 0), Part::Capture(site, 2)]);
    }
}

#[test]
fn a_note_that_points_at_a_capture_outweighs_the_error_around_it() {
    let fixture = Fixture::new();
    let captures = [(CaptureKind::Value, "drop(m)")];
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let note = PointedAt {
        is_primary: false,
        ..primary("drop(m)")
    };
    let parts = fixture.blamed(
        &instrumentation,
        "E0502",
        "cannot borrow",
        &[primary("let mut m = 0;"), note],
    );
    let site = fixture.site("n > 3 && n < 9");
    assert_eq!(parts, [Part::Capture(site, 0)]);
}

#[test]
fn a_capture_that_moves_a_value_is_blamed_instead_of_a_capture_that_uses_it() {
    let fixture = Fixture::new();
    let captures = [
        (CaptureKind::Variable, "m"),
        (CaptureKind::Value, "drop(m)"),
    ];
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let moved = PointedAt {
        is_primary: false,
        label: Some("variable moved due to use in closure"),
        ..primary("drop(m)")
    };
    let at = [primary("see!(m)"), moved];
    let message = "borrow of moved value: `m`";
    let parts = fixture.blamed(&instrumentation, "E0382", message, &at);
    let site = fixture.site("n > 3 && n < 9");
    assert_eq!(parts, [Part::Capture(site, 1)]);
}

#[test]
fn an_error_in_a_macro_is_one_of_the_function_that_calls_it() {
    let fixture = Fixture::new();
    let sites = fixture.sources.sites.iter_enumerated();
    let exit = |(index, site): (SiteIndex, &Site)| (site.body == "break;").then_some(index);
    let exits: BTreeSet<SiteIndex> = sites.filter_map(exit).collect();
    let mut all = fixture.sites(&["is_done", "at == list.len()", "list[at] > 77"]);
    let conditions = all.clone();
    all.extend(&exits);
    let stage = Stage::Conditions(all);
    let instrumentation = Instrumentation::new(&fixture.sources, stage, Earlier::default());
    let at = [primary("$value }"), primary("done!(None)")];
    let parts = fixture.blamed(&instrumentation, "E0308", "mismatched types", &at);
    let site = |part: &Part| match part {
        Part::Site(site) => Some(*site),
        _ => None,
    };
    let blamed: BTreeSet<SiteIndex> = parts.iter().filter_map(site).collect();
    let function = |site: &SiteIndex| fixture.sources.sites[*site].function;
    let own = function(&fixture.site("list[at] > 77"));
    let of_it = exits.iter().copied().filter(|site| function(site) == own);
    assert!(exits.len() > blamed.len() && !blamed.is_empty());
    assert_eq!(blamed, of_it.collect());

    let parts = fixture.blamed(&instrumentation, "E0425", "no such name", &at);
    let blamed: BTreeSet<SiteIndex> = parts.iter().filter_map(site).collect();
    assert!(
        conditions
            .difference(&blamed)
            .eq(&fixture.sites(&["is_done"]))
    );
}

#[test]
fn the_enclosing_site_is_blamed_if_no_part_is_pointed_at() {
    let fixture = Fixture::new();
    let instrumentation = fixture.conditions(&["n > 3 && n < 9", "k > 5"]);
    // The span is in the middle of the subject's own condition.
    let parts = fixture.blamed(&instrumentation, "E0308", "mismatched", &[primary("> 3 &")]);
    assert_eq!(parts, [Part::Site(fixture.site("n > 3 && n < 9"))]);
}

#[test]
fn without_an_enclosing_site_the_sites_of_the_function_are_blamed() {
    let fixture = Fixture::new();
    let instrumentation = fixture.conditions(&["n > 3 && n < 9", "is_open", "k > 5"]);
    let at = [primary("last = m")];
    let parts = fixture.blamed(&instrumentation, "E0596", "cannot borrow", &at);
    let own = fixture.sites(&["n > 3 && n < 9", "is_open"]);
    assert_eq!(parts, own.into_iter().map(Part::Site).collect::<Vec<_>>());
}

#[test]
fn a_use_after_a_move_is_blamed_on_all_exits_behind_it_that_use_the_variable() {
    let fixture = Fixture::new();
    let sites = fixture.sources.sites.keys().collect();
    let stage = Stage::Conditions(sites);
    let instrumentation = Instrumentation::new(&fixture.sources, stage, Earlier::default());
    let exits_at = |statement: &str| {
        let at = TEXT.find(statement).unwrap();
        let sites = fixture.sources.sites.iter_enumerated();
        let returning = sites.filter(|(_, site)| site.body == "return rest;");
        let here = returning.filter(move |(_, site)| site.span.start == at);
        here.map(|(index, _)| Part::Site(index)).collect::<Vec<_>>()
    };
    let (first, second) = (exits_at("all.push(91)"), exits_at("all.push(92)"));
    assert_eq!(
        [
            &*first,
            &*second,
            &*exits_at("let mut all = Vec::new();\n    for k in rest")
        ]
        .map(<[Part]>::len),
        [1; 3]
    );
    let error = Diagnostic {
        code: "E0382".to_owned(),
        message: "use of moved value: `rest`".to_owned(),
        ..Diagnostic::default()
    };
    let moved = (FileIndex::new(0), TEXT.find("rest {").unwrap());
    let others = super::flow::exits_that_use(&instrumentation, &error, &second, &[moved]);
    assert!(others.contains(&first[0]), "{others:?}");
    assert!(!others.contains(&second[0]));
    let before = exits_at("let mut all = Vec::new();\n    for k in rest");
    assert!(!others.contains(&before[0]));
}

#[test]
fn a_possibly_uninitialized_variable_is_blamed_on_skippable_assignments() {
    let fixture = Fixture::new();
    let instrumentation = fixture.conditions(&["last = m;", "m += last;", "is_open"]);
    let message = "used binding `last` is possibly-uninitialized";
    let parts = fixture.blamed(&instrumentation, "E0381", message, &[primary("+= last")]);
    assert_eq!(parts, [Part::Site(fixture.site("last = m;"))]);
}

#[test]
fn a_move_is_blamed_on_the_exit_behind_it_that_can_be_skipped() {
    let fixture = Fixture::new();
    let instrumentation = fixture.conditions(&["is_done", "drop(list);", "return 0;"]);
    let note = PointedAt {
        is_primary: false,
        ..primary("list); }")
    };
    let at = [primary("list.len()"), note];
    let message = "borrow of moved value: `list`";
    let parts = fixture.blamed(&instrumentation, "E0382", message, &at);
    assert_eq!(parts, [Part::Site(fixture.site("return 0;"))]);
}

#[test]
fn a_use_after_a_move_is_blamed_on_jumps_inserted_behind_the_move() {
    let fixture = Fixture::new();
    let is_jump = |site: &&Site| {
        site.kind.is_early_exit() && site.body.starts_with(['b', 'c']) && site.line > 10
    };
    let jumps = fixture.sources.sites.iter().filter(is_jump);
    let behind: Vec<&Site> = jumps
        .filter(|site| TEXT[site.span.start..].starts_with("found = Vec"))
        .collect();
    assert_eq!(behind.len(), 2, "{behind:?}");
    let sites = fixture.sources.sites.keys().collect();
    let stage = Stage::Conditions(sites);
    let instrumentation = Instrumentation::new(&fixture.sources, stage, Earlier::default());
    let moved = PointedAt {
        is_primary: false,
        label: Some("value moved here"),
        ..primary("found)); }")
    };
    let at = [primary("for k in other"), moved];
    let message = "use of moved value: `found`";
    let parts = fixture.blamed(&instrumentation, "E0382", message, &at);
    let bodies = parts.iter().map(|part| match part {
        Part::Site(site) => {
            let site = &fixture.sources.sites[*site];
            (site.body.as_str(), &TEXT[site.span.start..][..5])
        }
        _ => ("", ""),
    });
    let bodies: BTreeSet<_> = bodies.collect();
    let wanted = [("break;", "found"), ("continue;", "found")];
    assert!(
        wanted.iter().all(|jump| bodies.contains(jump)),
        "{bodies:?}"
    );
    assert!(!bodies.contains(&("continue;", "all.p")), "{bodies:?}");
}

#[test]
fn another_inferred_type_is_blamed_on_captures_of_larger_expressions() {
    let fixture = Fixture::new();
    let captures = [
        (CaptureKind::Variable, "m"),
        (CaptureKind::Value, "m == n"),
        (CaptureKind::Value, "n + 1"),
    ];
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let at = PointedAt {
        label: Some("here the type of `m` is inferred to be `usize`"),
        ..primary("last = m")
    };
    let parts = fixture.blamed(&instrumentation, "E0308", "mismatched types", &[at]);
    assert_eq!(parts, [Part::Capture(fixture.site("n > 3 && n < 9"), 1)]);
}

#[test]
fn a_type_that_does_not_fit_is_blamed_on_captures_that_use_its_variables_as_operands() {
    let fixture = Fixture::new();
    let captures = [
        (CaptureKind::Variable, "last"),
        (CaptureKind::Value, "n == last"),
        (CaptureKind::Value, "last.is_power_of_two()"),
        (CaptureKind::Value, "first(last, true)"),
        (CaptureKind::Value, "n + 1"),
    ];
    let site = fixture.site("n > 3 && n < 9");
    let instrumentation = fixture.captures("n > 3 && n < 9", &captures);
    let message = "mismatched types";
    let parts = fixture.blamed(&instrumentation, "E0308", message, &[primary("+= last")]);
    assert_eq!(parts, [Part::Capture(site, 1), Part::Capture(site, 3)]);
}

#[test]
fn dropped_parts_are_not_blamed_again() {
    let fixture = Fixture::new();
    let mut instrumentation = fixture.conditions(&["n > 3 && n < 9"]);
    let site = Part::Site(fixture.site("n > 3 && n < 9"));
    instrumentation.dropped.insert(site);
    let parts = fixture.blamed(&instrumentation, "E0308", "mismatched", &[primary("n > 3")]);
    assert_eq!(parts, []);
}

#[test]
fn a_place_expression_has_a_root_variable() {
    assert_eq!(root("*v.f[0]"), "v");
    assert_eq!(root("v"), "v");
    assert!(mentions("a + b.len()", "b"));
    assert!(!mentions("a + bc.len()", "b"));
}

#[test]
fn what_surrounds_an_error_is_its_function_then_its_file_then_everything() {
    let fixture = Fixture::new();
    let all = ["n > 3 && n < 9", "is_open"];
    let instrumentation = fixture.conditions(&all);
    let files = instrumentation.files();
    let text = &files[FileIndex::new(0)].1.text;
    let at = |file: &str, text_at: &str| Diagnostic {
        spans: vec![Span {
            file: file.into(),
            bytes: text.find(text_at).map_or(0..1, |start| start..start + 1),
            is_primary: true,
            label: None,
        }],
        ..Diagnostic::default()
    };
    let around = |error: Diagnostic, scope| {
        around(&instrumentation, &files, fixture.root(), &[error], scope)
    };
    let of_function = around(at("src/lib.rs", "last = m;"), Around::Functions);
    let sites: Vec<Part> = all.map(|text| Part::Site(fixture.site(text))).to_vec();
    assert_eq!(of_function, sites);
    let of_file = around(at("src/lib.rs", "pub fn second"), Around::Files);
    assert!(
        sites.iter().all(|site| of_file.contains(site)),
        "{of_file:?}"
    );
    // An error elsewhere, or nowhere, is near nothing.
    assert_eq!(around(at("src/other.rs", "m"), Around::Files), []);
    assert_eq!(around(Diagnostic::default(), Around::Functions), []);
}

#[test]
fn the_name_of_a_function_has_no_generic_arguments() {
    for (path, wanted) in [
        ("scaled::<u8::MAX, 31>", "scaled::"),
        ("List::<Vec<T>>::cap", "List::::cap"),
        ("<A as B>::c", "::c"),
    ] {
        assert_eq!(without_arguments(path), wanted);
    }
}
