//! A TOML file with line numbers, so that errors can show the location and suggest the intended name.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::nearest::did_you_mean;
use nopol_basics::stack::on_large;
use serde::de::DeserializeOwned;
use toml_edit::{Document, DocumentMut, Table};

use super::ConfigError;

/// The name of the file with settings.
pub const NAME: &str = "nopol.toml";
/// The directory that may contain it instead, beside the settings of other tools.
const SHARED: &str = ".config";
/// The table in it that describes a C program; it contains no settings.
pub const PROGRAM: &str = "c";

/// The most brackets of a file. The parser can recurse once for each.
const MOST_BRACKETS: usize = 10_000;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct File {
    path: Utf8PathBuf,
    document: Document<String>,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not TOML.
    pub fn read(path: &Utf8Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError(format!("cannot read {path}: {error}")))?;
        Self::parse(path, text)
    }

    /// Parses a text as the contents of the file at this path.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn parse(path: &Utf8Path, text: String) -> Result<Self, ConfigError> {
        let brackets = text.matches(['[', '{']).count();
        if brackets > MOST_BRACKETS {
            let what = format!("{brackets} opening brackets; {MOST_BRACKETS} are read at most");
            return Err(located(path, &text, None, &what));
        }
        // The parser limits how deep brackets nest, but can lose count where some do not match.
        match on_large(|| Document::parse(text.clone())) {
            Ok(document) => Ok(Self {
                path: path.to_owned(),
                document,
            }),
            Err(error) => Err(located(path, &text, error.span(), error.message())),
        }
    }

    /// The file's path.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The directory to which paths in it are relative: as in cargo's configuration, that which contains `.config`.
    pub fn dir(&self) -> &Utf8Path {
        let dir = self.path.parent().unwrap_or(&self.path);
        match (dir.file_name(), dir.parent()) {
            (Some(SHARED), Some(above)) => above,
            _ => dir,
        }
    }

    /// The path of the settings of a directory: `nopol.toml`, or `.config/nopol.toml`.
    ///
    /// # Errors
    /// If both exist.
    pub fn of_dir(dir: &Utf8Path) -> Result<Option<Utf8PathBuf>, ConfigError> {
        let [plain, shared] = [dir.join(NAME), dir.join(SHARED).join(NAME)];
        match (plain.is_file(), shared.is_file()) {
            (true, true) => Err(ConfigError(format!(
                "there are two files with settings, {plain} and {shared}; remove one"
            ))),
            (true, false) => Ok(Some(plain)),
            (false, true) => Ok(Some(shared)),
            (false, false) => Ok(None),
        }
    }

    /// The table at a path of keys; the empty path is the whole file.
    pub fn table(&self, keys: &[&str]) -> Option<Table> {
        let mut item = self.document.as_item();
        for key in keys {
            item = item.get(key)?;
        }
        item.clone().into_table().ok()
    }

    /// A table as a struct; `None` if there is no such table.
    ///
    /// # Errors
    /// If it cannot be deserialized.
    pub fn get<T: DeserializeOwned>(&self, keys: &[&str]) -> Result<Option<T>, ConfigError> {
        let Some(table) = self.table(keys) else {
            return Ok(None);
        };
        let span = table.span();
        match toml_edit::de::from_document(DocumentMut::from(table)) {
            Ok(found) => Ok(Some(found)),
            Err(error) => Err(self.error(error.span().or(span), error.message())),
        }
    }

    /// The line number of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        line(self.document.raw(), byte)
    }

    /// An error at a location in this file.
    pub fn error(&self, span: Option<Range<usize>>, message: &str) -> ConfigError {
        located(&self.path, self.document.raw(), span, message)
    }
}

/// What serde calls a number.
const NUMBERS: [&str; 5] = ["i64", "u32", "u64", "usize", "f64"];

/// An error message with its location, the line itself, and a hint.
fn located(path: &Utf8Path, text: &str, span: Option<Range<usize>>, message: &str) -> ConfigError {
    let start = span.unwrap_or_default().start;
    let number = line(text, start);
    let source = text.lines().nth(number - 1).unwrap_or_default();
    let source = match source.trim().is_empty() {
        true => String::new(),
        false => format!("\n  {number} | {source}"),
    };
    let hint = hint(message);
    // The list of all keys would hide the one that was probably meant.
    let message = match message.split_once(", expected one of ") {
        Some((what, _)) if !hint.is_empty() => what,
        _ => message,
    };
    let message = message.replace("unknown field", "unknown key");
    let message = NUMBERS.iter().fold(message, |message, number| {
        message.replace(&format!("expected {number}"), "expected a number")
    });
    ConfigError(format!("{path}, line {number}: {message}{hint}{source}"))
}

fn line(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// A hint that serde's message lacks: which name was probably intended, how a list is written.
fn hint(message: &str) -> String {
    if message.contains("expected a sequence") {
        return "; a list is written `[\"…\"]`, and each test is a table of its own, `[[c.test]]`"
            .to_owned();
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let is_unknown = ["unknown field", "unknown variant"]
        .iter()
        .any(|start| message.contains(start));
    let name = match message.starts_with('`') {
        // The first name is the key of the value.
        true => names.nth(1),
        false => names.next(),
    };
    match name.filter(|_| is_unknown) {
        Some(name) => did_you_mean(name, names),
        None => String::new(),
    }
}
