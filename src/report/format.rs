//! The report formats. To add one, write a file with a [`Render`] and add a line to [`FORMATS`]; options, help and
//! configuration files follow from that.

mod diff;
mod github;
mod github_review;
mod gitlab;
mod html;
pub mod human;
pub mod json;
mod junit;
mod markdown;
mod reviewdog;
mod rustc;
mod sarif;
mod shown;
pub mod whole;

use std::fmt;

use anyhow::Result;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Outcome, TestNames};

pub use github::annotations;

/// Every format; the first one is the default.
pub const FORMATS: &[Format] = &[
    Format(&human::Human),
    Format(&json::Json),
    Format(&diff::Diff),
    Format(&rustc::Rustc),
    Format(&sarif::Sarif),
    Format(&reviewdog::RdJson),
    Format(&reviewdog::RdJsonl),
    Format(&github::Annotations),
    Format(&github_review::Review),
    Format(&gitlab::CodeQuality),
    Format(&junit::JUnit),
    Format(&markdown::Markdown),
    Format(&html::Html),
    Format(&whole::WholeFormat),
];

/// A way to show an outcome.
pub trait Render: Sync {
    /// Its name in options.
    fn name(&self) -> &'static str;

    /// What it shows, for `--help`: capitalized, without a full stop.
    fn help(&self) -> &'static str;

    /// Whether it can show tests and places without patches, which `list` and `localize` find.
    fn shows_places(&self) -> bool {
        false
    }

    /// Whether it can show places with other values, which `faults` finds.
    fn shows_faults(&self) -> bool {
        false
    }

    /// Whether it can show the patches of `mutate` and `heap`, whose searches have no shards.
    fn shows_reasoned(&self) -> bool {
        true
    }

    /// Whether it gets all texts unchanged, because programs need them exactly. Otherwise hidden characters are made
    /// visible first.
    fn is_exact(&self) -> bool {
        false
    }

    /// Whether its test names are whole, because programs compare them with those of other reports.
    fn has_whole_names(&self) -> bool {
        false
    }

    /// Whether people read its lines directly, or in a log.
    fn is_for_people(&self) -> bool {
        false
    }

    /// Whether it needs to know the lines that a pull request changes.
    fn needs_base(&self) -> bool {
        false
    }

    /// The report.
    ///
    /// # Errors
    /// If the outcome cannot be written in this format.
    fn render(&self, outcome: &Outcome) -> Result<Rendered>;
}

/// A report as text. Styles are ANSI codes, which are stripped unless the reader is a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// For standard output.
    pub report: String,
    /// For standard error: text that must not reach a program that reads the report.
    pub remark: String,
}

impl From<String> for Rendered {
    fn from(report: String) -> Self {
        Self {
            report,
            remark: String::new(),
        }
    }
}

/// The page for a browser.
pub const HTML: Format = Format(&html::Html);
/// The summary.
pub const MARKDOWN: Format = Format(&markdown::Markdown);

/// One of [`FORMATS`].
#[derive(Clone, Copy)]
pub struct Format(&'static dyn Render);

impl Format {
    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().copied().find(|format| format.name() == name)
    }

    /// See [`Render::name`].
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// See [`Render::help`].
    pub fn help(self) -> &'static str {
        self.0.help()
    }

    /// See [`Render::render`].
    ///
    /// # Errors
    /// If the outcome cannot be written in this format.
    pub fn render(self, outcome: &Outcome) -> Result<Rendered> {
        match (self.0.is_exact(), self.0.has_whole_names()) {
            (true, _) => self.0.render(outcome),
            (false, true) => self.0.render(&outcome.shown_with(&TestNames::default())),
            (false, false) => self.0.render(&outcome.shown()),
        }
    }

    /// See [`Render::is_for_people`].
    pub fn is_for_people(self) -> bool {
        self.0.is_for_people()
    }

    /// See [`Render::shows_places`].
    pub fn shows_places(self) -> bool {
        self.0.shows_places()
    }

    /// See [`Render::shows_faults`].
    pub fn shows_faults(self) -> bool {
        self.0.shows_faults()
    }

    /// See [`Render::shows_reasoned`].
    pub fn shows_reasoned(self) -> bool {
        self.0.shows_reasoned()
    }

    /// See [`Render::needs_base`].
    pub fn needs_base(self) -> bool {
        self.0.needs_base()
    }

    /// Whether it is the default format, for people rather than programs.
    pub fn is_default(self) -> bool {
        self == Self::default()
    }
}

impl Default for Format {
    fn default() -> Self {
        FORMATS[0]
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        let unknown = || {
            let expected = names.join("`, `");
            D::Error::custom(format!(
                "unknown variant `{name}`, expected one of `{expected}`"
            ))
        };
        Self::named(&name).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_unique_names_and_render_an_empty_outcome() {
        for (nth, format) in FORMATS.iter().enumerate() {
            assert_eq!(Format::named(format.name()), Some(*format));
            let others = &FORMATS[nth + 1..];
            assert!(!others.contains(format), "{format:?} is there twice");
            assert!(format.render(&Outcome::default()).is_ok(), "{format:?}");
        }
        assert_eq!(Format::named("no-such-format"), None);
    }
}
