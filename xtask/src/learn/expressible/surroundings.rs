//! The other files of a workspace that an edited file reads from: those that declare types which it names. A search has all
//! files of the crate; reading all of them for each edit would take hours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;

use anyhow::{Context, Result};
use nopol_source::words::words;

use crate::learn::edits::Other;
use crate::learn::mine::{Mined, Objects};

/// Other files that are read with an edited one, at most.
const MOST_FILES: usize = 12;
/// Larger ones are generated.
const MOST_BYTES: usize = 200_000;

/// What is known of the files of one repository.
pub struct Surroundings {
    objects: Objects,
    /// By object: its text and the names of its types.
    files: BTreeMap<String, Rc<File>>,
}

#[derive(Default)]
struct File {
    text: String,
    types: BTreeSet<String>,
}

impl Surroundings {
    /// # Errors
    /// If git cannot be started.
    pub fn of(repository: &Path) -> Result<Self> {
        Ok(Self {
            objects: Objects::of(repository)?,
            files: BTreeMap::new(),
        })
    }

    /// The text of an object; `None` if it is not there or not UTF-8.
    ///
    /// # Errors
    /// If git ends.
    pub fn text(&mut self, blob: &str) -> Result<Option<String>> {
        self.objects.text(blob)
    }

    /// The texts of the files that declare what a file names, those with the most of what the function names first.
    ///
    /// # Errors
    /// If git cannot be started, or ends.
    pub fn of_file(&mut self, mined: &Mined, text: &str, function: &str) -> Result<Vec<String>> {
        let Mined {
            repository,
            commit,
            path,
            ..
        } = mined;
        let names = |text: &str| -> BTreeSet<String> {
            let all = words(text).into_iter().map(|range| text[range].to_owned());
            all.filter(|name| name.starts_with(char::is_uppercase))
                .collect()
        };
        let (in_file, in_function) = (names(text), names(function));
        let mut found: Vec<([usize; 3], Rc<File>)> = Vec::new();
        for (other, blob) in listing(repository, commit, ".rs")? {
            let is_test = ["tests/", "benches/", "examples/", "fixtures/"]
                .iter()
                .any(|part| other.starts_with(part) || other.contains(&format!("/{part}")));
            if other == *path || is_test {
                continue;
            }
            let file = self.file(&blob)?;
            let shared = |names: &BTreeSet<String>| file.types.intersection(names).count();
            let common = other.split('/').zip(path.split('/'));
            let common = common.take_while(|(a, b)| a == b).count();
            let order = [shared(&in_function), shared(&in_file), common];
            if order[1] > 0 {
                found.push((order, file));
            }
        }
        found.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
        found.truncate(MOST_FILES);
        Ok(found
            .into_iter()
            .map(|(_, file)| file.text.clone())
            .collect())
    }

    /// The headers of the repository that a file in C includes, and those that they include, by the paths with which they are
    /// included.
    ///
    /// # Errors
    /// If git cannot be started, or ends.
    pub fn headers(&mut self, mined: &Mined, text: &str) -> Result<Vec<Other>> {
        let all = listing(&mined.repository, &mined.commit, ".h")?;
        let mut found: Vec<Other> = Vec::new();
        let mut waiting = included(text);
        while let Some(name) = waiting.pop() {
            let is_known = found.iter().any(|(known, _)| *known == name);
            if is_known || name.contains("..") || name.starts_with('/') || found.len() == MOST_FILES
            {
                continue;
            }
            let common = |path: &str| {
                let parts = path.split('/').zip(mined.path.split('/'));
                parts.take_while(|(a, b)| a == b).count()
            };
            let is_it = |path: &str| path == name || path.ends_with(&format!("/{name}"));
            let here = all.iter().filter(|(path, _)| is_it(path));
            let Some((_, blob)) = here.max_by_key(|(path, _)| common(path)) else {
                continue;
            };
            let text = self.objects.text(blob)?.unwrap_or_default();
            if text.len() <= MOST_BYTES {
                waiting.extend(included(&text));
                found.push((name, text));
            }
        }
        Ok(found)
    }

    fn file(&mut self, blob: &str) -> Result<Rc<File>> {
        if let Some(known) = self.files.get(blob) {
            return Ok(Rc::clone(known));
        }
        let text = self.objects.text(blob)?.unwrap_or_default();
        let file = Rc::new(match text.len() > MOST_BYTES {
            true => File::default(),
            false => File {
                types: declared(&text),
                text,
            },
        });
        self.files.insert(blob.to_owned(), Rc::clone(&file));
        Ok(file)
    }
}

/// What a file in C includes by a path in quotes, the last first.
fn included(text: &str) -> Vec<String> {
    let directives = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#'));
    let includes = directives.filter_map(|line| line.trim_start().strip_prefix("include"));
    let names = includes.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
    let mut names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
    names.reverse();
    names
}

/// The files with this ending before a commit, by path, each with its object.
fn listing(repository: &Path, commit: &str, end: &str) -> Result<Vec<(String, String)>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["ls-tree", "-r", &format!("{commit}^")])
        .stderr(Stdio::null())
        .output()
        .context("cannot start git")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let files = text.lines().filter(|line| line.ends_with(end));
    let files = files.filter_map(|line| {
        let (head, path) = line.split_once('\t')?;
        Some((path.to_owned(), head.rsplit(' ').next()?.to_owned()))
    });
    Ok(files.collect())
}

/// The names of the types that a file declares or implements something for.
fn declared(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("pub").map_or(line, |rest| {
            match rest.starts_with('(') {
                true => rest.split_once(')').map_or(rest, |(_, rest)| rest),
                false => rest,
            }
            .trim_start()
        });
        let declares = ["struct ", "enum ", "trait ", "type ", "impl"];
        let Some(rest) = declares.iter().find_map(|word| line.strip_prefix(word)) else {
            continue;
        };
        let names = words(rest).into_iter().map(|range| &rest[range]);
        let names = names.filter(|name| name.starts_with(char::is_uppercase));
        found.extend(names.map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn types_are_known_by_their_declarations() {
        let text = "pub(crate) enum Kind {\nimpl<T> Shape for Round<T> {\n    pub struct A;\nfn f(b: B) {}\n";
        let names: Vec<String> = declared(text).into_iter().collect();
        assert_eq!(names, ["A", "Kind", "Round", "Shape", "T"]);
    }
}
