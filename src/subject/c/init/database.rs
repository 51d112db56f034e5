//! Reads `compile_commands.json`: the files that a build compiled, and the options that their text needs.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::listing::{Listing, is_test};
use crate::subject::paths;

/// Where a build may have left its compilation database.
const DATABASES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

/// Options of the preprocessor with a value, in the same word or in the next one; `true` if that is a path.
const WITH_VALUE: [(&str, bool); 7] = [
    ("-D", false),
    ("-U", false),
    ("-isystem", true),
    ("-iquote", true),
    ("-idirafter", true),
    ("-include", true),
    ("-I", true),
];

/// A compiled file.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// What a compilation database has.
#[derive(Debug)]
pub struct Compiled {
    /// The sources, without tests.
    pub sources: Vec<Utf8PathBuf>,
    /// The options that say how their text is read.
    pub options: Vec<String>,
    /// Whether each of them has all these options.
    pub is_uniform: bool,
    /// The name of the database.
    pub name: &'static str,
}

/// Reads the compilation database, if there is one with sources.
pub fn compiled(listing: &Listing) -> Option<Compiled> {
    DATABASES.into_iter().find_map(|name| {
        // A database in `build` is not part of the listing.
        let text = std::fs::read_to_string(listing.dir.join(name)).ok()?;
        let entries: Vec<Entry> = serde_json::from_str(&text).ok()?;
        let below = |entry: &Entry| {
            let path = paths::normal(&listing.dir.join(&entry.directory).join(&entry.file));
            let path = path.strip_prefix(&listing.dir).ok()?.to_owned();
            let is_source = path.extension() == Some("c") && !is_test(&path);
            (is_source && listing.files.contains(&path)).then_some(path)
        };
        let entries = entries
            .iter()
            .filter_map(|entry| Some((below(entry)?, entry)));
        let mut seen = BTreeSet::new();
        let mut of_each = Vec::new();
        let mut sources = Vec::new();
        for (path, entry) in entries {
            if seen.insert(path.clone()) {
                sources.push(path);
                of_each.push(entry.options(&listing.dir));
            }
        }
        let mut options: Vec<String> = Vec::new();
        for option in of_each.iter().flatten() {
            if !options.contains(option) {
                options.push(option.clone());
            }
        }
        let has_all = |of: &Vec<String>| options.iter().all(|option| of.contains(option));
        let is_uniform = of_each.iter().all(has_all);
        (!sources.is_empty()).then_some(Compiled {
            sources,
            options,
            is_uniform,
            name,
        })
    })
}

impl Entry {
    /// The options that say how the text of the file is read: macros, where headers are, and the language. Paths are
    /// relative to the program's directory if they are in it.
    fn options(&self, dir: &Utf8Path) -> Vec<String> {
        let words = match self.arguments.is_empty() {
            true => shlex::split(&self.command).unwrap_or_default(),
            false => self.arguments.clone(),
        };
        let path = |text: &str| {
            let path = paths::normal(&dir.join(&self.directory).join(text));
            match path.strip_prefix(dir) {
                Ok(inner) if inner.as_str().is_empty() => ".".to_owned(),
                Ok(inner) => inner.to_string(),
                Err(_) => path.to_string(),
            }
        };
        let mut options = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let is_language = word.starts_with("-std=")
                || matches!(
                    &**word,
                    "-ansi" | "-fsigned-char" | "-funsigned-char" | "-fwrapv"
                );
            let with_value = WITH_VALUE
                .iter()
                .find_map(|(name, is_path)| Some((*name, *is_path, word.strip_prefix(name)?)));
            match with_value {
                Some((name, is_path, value)) => {
                    let value = match (value, words.as_slice()) {
                        ("", []) => break,
                        ("", [next, ..]) => {
                            words.next();
                            next.as_str()
                        }
                        (value, _) => value,
                    };
                    let value = match is_path {
                        true => path(value),
                        false => value.to_owned(),
                    };
                    options.push(format!("{name}{value}"));
                }
                None if is_language => options.push(word.clone()),
                None => {}
            }
        }
        options
    }
}
