//! Reads `compile_commands.json`: the files that a build compiled.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use serde::Deserialize;

use super::listing::{Listing, is_test};
use crate::subject::paths;

/// Where a build may have left its compilation database.
const DATABASES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

/// A compiled file.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
}

/// The sources in a compilation database, without tests, and the name of the database.
pub fn compiled(listing: &Listing) -> Option<(Vec<Utf8PathBuf>, &'static str)> {
    DATABASES.into_iter().find_map(|name| {
        // A database in `build` is not part of the listing.
        let text = std::fs::read_to_string(listing.dir.join(name)).ok()?;
        let entries: Vec<Entry> = serde_json::from_str(&text).ok()?;
        let below = |entry: Entry| {
            let path = paths::normal(&listing.dir.join(&entry.directory).join(&entry.file));
            let path = path.strip_prefix(&listing.dir).ok()?.to_owned();
            let is_source = path.extension() == Some("c") && !is_test(&path);
            (is_source && listing.files.contains(&path)).then_some(path)
        };
        let mut sources: Vec<_> = entries.into_iter().filter_map(below).collect();
        let mut seen = BTreeSet::new();
        sources.retain(|path| seen.insert(path.clone()));
        (!sources.is_empty()).then_some((sources, name))
    })
}
