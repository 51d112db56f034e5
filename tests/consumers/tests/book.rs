//! The book, as mdBook builds it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use mdbook_driver::MDBook;
use scraper::{Html, Selector};
use walkdir::WalkDir;

/// A page: the anchors that it has, and what it refers to.
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

impl Page {
    fn new(text: &str) -> Self {
        let html = Html::parse_document(text);
        let values = |selector: &str, attribute: &str| -> Vec<String> {
            let selector = Selector::parse(selector).unwrap();
            let found = html.select(&selector);
            let found = found.filter_map(|element| element.attr(attribute));
            found.map(str::to_owned).collect()
        };
        Self {
            anchors: values("[id]", "id").into_iter().collect(),
            links: [
                values("main a[href]", "href"),
                values("main img[src]", "src"),
            ]
            .concat(),
        }
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn the_book_builds_and_its_links_lead_somewhere() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let docs = docs.canonicalize().unwrap();
    let built = tempfile::tempdir().unwrap();
    let mut book = MDBook::load(&docs).unwrap();
    book.config.build.build_dir = built.path().to_owned();
    book.build().unwrap();

    let files = WalkDir::new(built.path()).into_iter().map(Result::unwrap);
    let mut pages = BTreeMap::new();
    for file in files.filter(|file| file.path().extension().is_some_and(|it| it == "html")) {
        let path = file.path().strip_prefix(built.path()).unwrap().to_owned();
        pages.insert(path, Page::new(&fs::read_to_string(file.path()).unwrap()));
    }
    // Every page that the summary names is there.
    assert!(pages.len() > 20, "{:?}", pages.keys());

    let mut broken = Vec::new();
    for (path, page) in &pages {
        // All pages once more, for printing.
        if path == Path::new("print.html") {
            continue;
        }
        for link in &page.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (to, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = match to {
                "" => path.clone(),
                to => path.parent().unwrap().join(to),
            };
            let is_there = match pages.get(&plain(&to)) {
                Some(page) => anchor.is_empty() || page.anchors.contains(anchor),
                None => built.path().join(plain(&to)).is_file(),
            };
            if !is_there {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
