//! Settings as data: merges files, the environment and the command line, and tracks the origin of each value.
//! Knows the structs that contain settings, but not what they are used for.
//!
//! A setting is a field of [`Settings`], [`CargoOptions`] or [`Display`]; its key is the name of the long
//! option. A caller adds the sources in order of increasing precedence and then gets the structs:
//!
//! ```
//! use cargo_nopol::config::Config;
//! use cargo_nopol::repair::settings::Settings;
//!
//! let mut config = Config::default();
//! config.add_text("nopol.toml", "top = 3\ntest-timeout = 2.5\n")?;
//! config.add_environment([("CARGO_NOPOL_TOP".to_owned(), "7".to_owned())])?;
//! let settings: Settings = config.get()?;
//! assert_eq!(settings.top, 7);
//! assert_eq!(settings.test_timeout.as_secs_f64(), 2.5);
//!
//! let error = config.add_text("nopol.toml", "\ntest-timeot = 3").unwrap_err();
//! assert!(error.to_string().starts_with(
//!     "nopol.toml, line 2: unknown key `test-timeot`; did you mean `test-timeout`?"
//! ));
//! # Ok::<(), cargo_nopol::config::ConfigError>(())
//! ```

mod environment;
mod file;
mod inside;
mod keys;
mod print;
pub mod schema;
pub mod seconds;

use std::collections::BTreeMap;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::nearest::nearest;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml_edit::{DocumentMut, Item, Table, Value};

pub use self::environment::PREFIX;
pub use self::file::{File, NAME};
use crate::repair::settings::Settings;
use crate::report::display::Display;
use crate::subject::cargo::options::CargoOptions;

/// An error in a file, a variable or a value, with its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line, from 1, of a file.
    File {
        /// The file.
        path: Utf8PathBuf,
        /// From 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// An option of the command line, with its dashes.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A struct whose fields are settings: its keys, and a check of one value.
#[derive(Clone, Copy, Debug)]
struct Group {
    keys: &'static [&'static str],
    check: fn(DocumentMut) -> Result<(), toml_edit::de::Error>,
}

impl Group {
    fn of<T: DeserializeOwned>() -> Self {
        Self {
            keys: keys::of::<T>(),
            check: |document| toml_edit::de::from_document::<T>(document).map(drop),
        }
    }
}

fn groups() -> [Group; 3] {
    [
        Group::of::<Settings>(),
        Group::of::<CargoOptions>(),
        Group::of::<Display>(),
    ]
}

/// All keys.
pub fn keys() -> impl Iterator<Item = &'static str> {
    groups().into_iter().flat_map(|group| group.keys).copied()
}

/// The settings added so far. A later value replaces an earlier one; lists are replaced as a whole.
#[derive(Clone, Debug, Default)]
pub struct Config {
    entries: BTreeMap<String, (Value, Origin)>,
}

impl Config {
    /// Adds the settings in the text of a file, as [`Config::add_file`] does.
    ///
    /// # Errors
    /// If the text is not TOML, or has an unknown key or a value of the wrong type.
    pub fn add_text(&mut self, path: impl AsRef<Utf8Path>, text: &str) -> Result<(), ConfigError> {
        self.add_file(&File::parse(path.as_ref(), text.to_owned())?, &[])
    }

    /// Adds the settings in a table of a file, given by its path of keys; adds nothing if there is no such table.
    /// Paths in it are relative to the file's directory.
    ///
    /// # Errors
    /// If it has an unknown key or a value of the wrong type.
    pub fn add_file(&mut self, file: &File, table: &[&str]) -> Result<(), ConfigError> {
        let Some(entries) = file.table(table) else {
            return Ok(());
        };
        let mut added = Vec::new();
        for (key, item) in entries.iter() {
            // This table describes the program and contains no settings.
            if table.is_empty() && key == file::PROGRAM && item.is_table_like() {
                continue;
            }
            let at = entries.key(key).and_then(toml_edit::Key::span);
            let Some(group) = groups().into_iter().find(|group| group.keys.contains(&key)) else {
                return Err(file.error(at, &unknown("key", key, keys())));
            };
            let checked = (group.check)(document_with(key, item.clone()));
            if let Err(error) = checked {
                let span = error.span().or(at);
                return Err(file.error(span, &format!("`{key}`: {}", error.message().trim_end())));
            }
            let Some(mut value) = item.as_value().cloned() else {
                return Err(file.error(
                    at,
                    &format!("`{key}` is a setting, not a table; write `{key} = …`"),
                ));
            };
            if let Some(why) = Settings::refused_in_files(key, value.as_str()) {
                return Err(file.error(at, why));
            }
            if let Some(path) = value.as_str().filter(|_| Settings::may_be_path(key)) {
                let whole = file.dir().join(path);
                if !inside::is_inside(file.dir(), &whole) {
                    return Err(file.error(at, &outside(key, &whole)));
                }
                if Settings::PATHS.contains(&key) {
                    value = whole.as_str().into();
                }
            }
            let origin = Origin::File {
                path: file.path().to_owned(),
                line: file.line(at.unwrap_or_default().start),
            };
            added.push((key.to_owned(), (value, origin)));
        }
        self.entries.extend(added);
        Ok(())
    }

    /// Adds the variables whose names start with [`PREFIX`], and what cargo's `CARGO_TERM_QUIET` and `CARGO_TERM_VERBOSE` say.
    ///
    /// # Errors
    /// If the rest of a name is not a key in capitals, or a value has the wrong type.
    pub fn add_environment(
        &mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        for (variable, text) in variables {
            if let Some((key, value)) = environment::read(&variable, &text)? {
                let origin = Origin::Environment(variable);
                self.entries.insert(key.to_owned(), (value, origin));
            }
        }
        Ok(())
    }

    /// Adds the command-line options: a struct with a field for each option, which is `None` if the option was
    /// not given.
    ///
    /// # Errors
    /// If it cannot be written as TOML, which does not happen for the options.
    pub fn add_flags(&mut self, options: &impl Serialize) -> Result<(), ConfigError> {
        for (key, value) in values_of(options)? {
            let origin = Origin::Flag(format!("--{key}"));
            self.entries.insert(key, (value, origin));
        }
        Ok(())
    }

    /// The settings of one struct; its `Default` provides the values that no source sets.
    ///
    /// # Errors
    /// If a value has the wrong type, which was checked when it was added.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let mut table = Table::new();
        for key in keys::of::<T>() {
            if let Some((value, _)) = self.entries.get(*key) {
                table.insert(key, Item::Value(value.clone()));
            }
        }
        toml_edit::de::from_document(DocumentMut::from(table))
            .map_err(|error| ConfigError(error.message().to_owned()))
    }

    /// Where the value of a key comes from; `None` for a default.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.entries.get(key).map(|(_, origin)| origin)
    }
}

/// The fields of a struct that have a value, by their keys.
fn values_of(options: &impl Serialize) -> Result<Vec<(String, Value)>, ConfigError> {
    let document = toml_edit::ser::to_document(options)
        .map_err(|error| ConfigError(format!("cannot write the options as TOML: {error}")))?;
    let entries = document.iter();
    Ok(entries
        .filter_map(|(key, item)| Some((key.to_owned(), item.as_value()?.clone())))
        .collect())
}

/// Why a path of a file is refused.
fn outside(key: &str, path: &Utf8Path) -> String {
    let variable = environment::PREFIX.to_owned() + &key.to_uppercase().replace('-', "_");
    format!(
        "`{key}`: {path} leads out of the directory of this file, which may have come with the code that is run; pass `--{key}` \
         or set {variable}"
    )
}

/// A document with a single key.
fn document_with(key: &str, item: Item) -> DocumentMut {
    let mut table = Table::new();
    table.insert(key, item);
    DocumentMut::from(table)
}

/// The message about an unknown name, with a similar known one.
fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> String {
    match nearest(name, known) {
        Some(near) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
        None => format!(
            "unknown {what} `{name}`; keys are named after the long options, and `--print-config` lists them"
        ),
    }
}

#[cfg(test)]
mod tests;
