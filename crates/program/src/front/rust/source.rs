//! The files of the crate: their syntax trees, and where spans are in their text.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::skip::is_marked_skip;
use syn::spanned::Spanned;

use super::cfg::Features;
use crate::ir::{Outside, Span};

/// A parsed file.
pub(super) struct Source {
    pub path: Utf8PathBuf,
    pub file: syn::File,
    text: String,
    features: Option<Rc<Features>>,
}

impl Source {
    /// Parses all files of a crate, of which these features are active, if that is known.
    pub fn all(
        files: &[(Utf8PathBuf, String)],
        features: Option<&Features>,
    ) -> Result<Vec<Self>, Outside> {
        let features = features.cloned().map(Rc::new);
        let parsed = files.iter().map(|(path, text)| {
            Ok(Self {
                features: features.clone(),
                ..Self::parse(path, text)?
            })
        });
        parsed.collect()
    }

    /// The features that are active, if that is known.
    pub fn features(&self) -> Option<&Features> {
        self.features.as_deref()
    }

    pub fn parse(path: &Utf8Path, text: &str) -> Result<Self, Outside> {
        let file = syn::parse_file(&blanked(text)).map_err(|error| Outside {
            file: path.to_owned(),
            line: number(error.span().start().line),
            reason: match error.to_string().as_str() {
                // The parser has no words for a token that it cannot read.
                "cannot parse string into token stream" => "syntax error".to_owned(),
                what => format!("syntax error: {what}"),
            },
        })?;
        Ok(Self {
            path: path.to_owned(),
            file,
            text: text.to_owned(),
            features: None,
        })
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: u32) -> u32 {
        let before = &self.text.as_bytes()[..at as usize];
        number(before.iter().filter(|&&byte| byte == b'\n').count() + 1)
    }

    /// The column of a byte, in characters, counted from 1.
    pub fn column(&self, at: u32) -> u32 {
        let before = &self.text[..at as usize];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        number(before[line_start..].chars().count() + 1)
    }

    /// The text between two bytes, on one line.
    pub fn on_one_line(&self, start: u32, end: u32) -> String {
        let text = &self.text[start as usize..end as usize];
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether the whole file is for tests: an integration test, a benchmark or an example.
    pub fn is_for_tests(&self) -> bool {
        let mut parts: Vec<_> = self.path.components().map(|part| part.as_str()).collect();
        parts.pop();
        !parts.contains(&"src")
            && parts
                .iter()
                .any(|part| ["tests", "benches", "examples"].contains(part))
    }

    /// Whether some of its code is compiled only, or differs, without `cfg(test)`.
    pub fn has_code_without_test(&self) -> bool {
        let text: String = self.text.split_whitespace().collect();
        let mut conditions = text.split("cfg(").skip(1);
        let is_negative = |condition: &str| {
            let attribute = condition.split(']').next().unwrap_or_default();
            attribute.contains("not(test)")
        };
        text.contains("cfg!(test)")
            || text.contains("cfg!(not(test))")
            || conditions.any(is_negative)
    }

    /// Whether the comment `// nopol: skip` marks an item that begins here, and whose own text ends where its body begins.
    pub fn is_marked_skip(&self, item: &impl Spanned, head: &impl Spanned) -> bool {
        let (start, end) = (
            item.span().byte_range().start,
            head.span().byte_range().start,
        );
        is_marked_skip(&self.text, start, end)
    }

    /// The path of the module that the file is, within its crate.
    pub fn module(&self) -> Vec<String> {
        let parts: Vec<_> = self.path.components().map(|part| part.as_str()).collect();
        let source = parts.iter().rposition(|part| *part == "src");
        let others = ["tests", "benches", "examples"];
        let root = source.or_else(|| parts.iter().position(|part| others.contains(part)));
        let mut inside = parts[root.map_or(0, |root| root + 1)..].to_vec();
        // An integration test is a crate of its own, and so is a program.
        let is_own = source.is_none() && root.is_some() || inside.len() > 1 && inside[0] == "bin";
        if is_own {
            let skipped = 1 + usize::from(inside[0] == "bin");
            inside.drain(..skipped.min(inside.len()));
        }
        let mut module: Vec<String> = inside
            .into_iter()
            .map(|part| part.trim_end_matches(".rs").to_owned())
            .collect();
        if module
            .last()
            .is_some_and(|last| ["mod", "lib", "main"].contains(&&**last))
        {
            module.pop();
        }
        module
    }
}

/// The text with what the parser drops replaced by blanks, so that all offsets stay.
fn blanked(text: &str) -> String {
    let mut text = text.replacen('\u{feff}', "   ", usize::from(text.starts_with('\u{feff}')));
    let start = text.len() - text.trim_start_matches(' ').len();
    if text[start..].starts_with("#!") && !text[start + 2..].trim_start().starts_with('[') {
        text.replace_range(start..start + 2, "//");
    }
    text
}

/// Where a syntax tree is in its file.
pub(super) fn span_of(file: usize, node: &impl Spanned) -> Span {
    let range = node.span().byte_range();
    Span {
        file: number(file),
        start: number(range.start),
        end: number(range.end),
    }
}

/// A number that counts something in a source file.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
