//! A TOML file that knows its lines, so that what is wrong in it is said with the place and the name that
//! was meant.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use serde::de::DeserializeOwned;
use toml_edit::{Document, DocumentMut, Table};

use super::{ConfigError, nearest};

/// The name of the file with settings.
pub const NAME: &str = "nopol.toml";
/// The table in it that tells of a C program, and not of settings.
pub const PROGRAM: &str = "c";

/// A file that was read.
#[derive(Clone, Debug)]
pub struct File {
    path: Utf8PathBuf,
    document: Document<String>,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no TOML.
    pub fn read(path: &Utf8Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError(format!("cannot read {path}: {error}")))?;
        Self::parse(path, text)
    }

    /// Takes a text for that of the file at this path.
    ///
    /// # Errors
    /// If it is no TOML.
    pub fn parse(path: &Utf8Path, text: String) -> Result<Self, ConfigError> {
        match Document::parse(text.clone()) {
            Ok(document) => Ok(Self {
                path: path.to_owned(),
                document,
            }),
            Err(error) => Err(told(path, &text, error.span(), error.message())),
        }
    }

    /// The file's path.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The directory that paths in it are relative to.
    pub fn dir(&self) -> &Utf8Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// The table that some keys lead to; none leads to the whole file.
    pub fn table(&self, keys: &[&str]) -> Option<Table> {
        let mut item = self.document.as_item();
        for key in keys {
            item = item.get(key)?;
        }
        item.clone().into_table().ok()
    }

    /// A table as a struct; `None` if it is not there.
    ///
    /// # Errors
    /// If it is not as the struct wants it.
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

    /// The line, from 1, that a byte is in.
    pub fn line(&self, byte: usize) -> usize {
        line(self.document.raw(), byte)
    }

    /// What is wrong at a place of this file.
    pub fn error(&self, span: Option<Range<usize>>, message: &str) -> ConfigError {
        told(&self.path, self.document.raw(), span, message)
    }
}

/// A message with the place, the line itself, and what else helps.
fn told(path: &Utf8Path, text: &str, span: Option<Range<usize>>, message: &str) -> ConfigError {
    let start = span.unwrap_or_default().start;
    let number = line(text, start);
    let source = text.lines().nth(number - 1).unwrap_or_default();
    let source = match source.trim().is_empty() {
        true => String::new(),
        false => format!("\n  {number} | {source}"),
    };
    ConfigError(format!(
        "{path}, line {number}: {message}{}{source}",
        hint(message)
    ))
}

fn line(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// What serde's messages leave unsaid: which name was meant, how a list is written.
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
        // After the key whose value it is.
        true => names.nth(1),
        false => names.next(),
    };
    match name.filter(|_| is_unknown) {
        Some(name) => match nearest(name, names) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        },
        None => String::new(),
    }
}
