//! Finds the headers that a file includes: beside it, in the root, or in a directory that only the build knows.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The headers of a program.
#[derive(Debug)]
pub struct Headers<'r> {
    root: &'r Utf8Path,
    /// The paths of all headers under the root, by file name. Looked up only if a header is in none of the usual places.
    by_name: OnceCell<BTreeMap<String, Vec<Utf8PathBuf>>>,
}

impl<'r> Headers<'r> {
    /// The headers under this root.
    pub fn new(root: &'r Utf8Path) -> Self {
        Self {
            root,
            by_name: OnceCell::new(),
        }
    }

    /// The path, relative to the root, of the header that `file` includes by this name. `None` for a header from
    /// elsewhere, such as one of the system. Of several, it is the one that has most directories in common with `file`.
    pub fn find(&self, file: &Utf8Path, include: &Include) -> Option<Utf8PathBuf> {
        let name = include.name;
        let beside = file.parent().unwrap_or(Utf8Path::new("")).join(name);
        let usual = [beside, name.into()].into_iter();
        let mut usual = usual.filter(|path| include.is_quoted && self.root.join(path).is_file());
        usual.next().or_else(|| {
            let last = Utf8Path::new(name).file_name()?;
            let all = self.by_name.get_or_init(|| all(self.root)).get(last)?;
            let fitting = all.iter().filter(|path| path.ends_with(name));
            let common = |path: &Utf8Path| {
                let pairs = path.components().zip(file.components());
                pairs.take_while(|(a, b)| a == b).count()
            };
            // The first of the best.
            fitting.rev().max_by_key(|path| common(path)).cloned()
        })
    }
}

/// The name in an `#include`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Include<'t> {
    pub name: &'t str,
    /// In quotes, and not in angle brackets.
    pub is_quoted: bool,
}

impl<'t> Include<'t> {
    /// Reads what follows the word `include`.
    pub fn of(rest: &'t str) -> Option<Self> {
        let rest = rest.trim_start();
        let (rest, end, is_quoted) = match rest.strip_prefix('"') {
            Some(rest) => (rest, '"', true),
            None => (rest.strip_prefix('<')?, '>', false),
        };
        let (name, _) = rest.split_once(end)?;
        (!name.is_empty()).then_some(Self { name, is_quoted })
    }
}

fn all(root: &Utf8Path) -> BTreeMap<String, Vec<Utf8PathBuf>> {
    let is_shown = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let entries = WalkDir::new(root).into_iter().filter_entry(is_shown);
    let files = entries
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    let mut all: BTreeMap<String, BTreeSet<Utf8PathBuf>> = BTreeMap::new();
    for path in files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()) {
        let is_header = matches!(path.extension(), Some("h" | "H" | "hh" | "inc"));
        if let (true, Some(name), Ok(path)) = (is_header, path.file_name(), path.strip_prefix(root))
        {
            all.entry(name.to_owned())
                .or_default()
                .insert(path.to_owned());
        }
    }
    let sorted = all.into_iter();
    sorted
        .map(|(name, paths)| (name, paths.into_iter().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_found_beside_the_file_or_nearest_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        for path in ["src/a.h", "include/lib/b.h", "x/c.h", "y/c.h", ".git/d.h"] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "").unwrap();
        }
        let headers = Headers::new(root);
        for (file, include, expected) in [
            ("src/a.c", "\"a.h\"", Some("src/a.h")),
            ("src/a.c", " \"include/lib/b.h\"", Some("include/lib/b.h")),
            ("src/a.c", " <lib/b.h>", Some("include/lib/b.h")),
            ("y/z/a.c", "<c.h>", Some("y/c.h")),
            ("a.c", "<c.h>", Some("x/c.h")),
            ("a.c", "<d.h>", None),
            ("a.c", "<stdio.h>", None),
        ] {
            let found = headers.find(file.into(), &Include::of(include).unwrap());
            assert_eq!(found.as_deref(), expected.map(Utf8Path::new), "{include}");
        }
    }
}
