//! Edits that are not a condition of their own: the same condition written otherwise, or one that needs a name that the rest
//! of the commit brings. No tool could propose the second before the commit, and nobody needs the first.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use anyhow::Result;
use nopol_source::Sources;
use nopol_source::words::words;

use crate::learn::edits::What;
use crate::learn::mine::Mined;

/// The reasons, as they stand in the table.
pub const REASONS: [&str; 2] = ["respelled", "elsewhere"];

/// Why an edit does not count; `None` if it does.
///
/// # Errors
/// If git cannot be started.
pub fn reason(sources: &Sources, mined: &Mined) -> Result<Option<&'static str>> {
    if let What::Condition { old, new, .. } = &mined.what
        && plain(old) == plain(new)
    {
        return Ok(Some("respelled"));
    }
    let texts = match &mined.what {
        What::Condition { new, .. } => [new.as_str(), ""],
        What::Guard {
            condition, body, ..
        }
        | What::Branch {
            condition, body, ..
        } => [condition.as_str(), body.as_str()],
        What::Wrap { condition, .. } | What::Narrow { condition, .. } => [condition.as_str(), ""],
    };
    let known: BTreeSet<&str> = sources
        .files
        .iter()
        .flat_map(|file| names(&file.text))
        .collect();
    for name in texts.iter().flat_map(|text| names(text)) {
        if !known.contains(name) && is_unknown(mined, name)? {
            return Ok(Some("elsewhere"));
        }
    }
    Ok(None)
}

/// The names in a text, without those in strings, and without those of the standard library that are always there.
fn names(text: &str) -> impl Iterator<Item = &str> {
    words(text)
        .into_iter()
        .map(|range| &text[range])
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether no source file before the commit has a name, and the standard library has no method of that name.
fn is_unknown(mined: &Mined, name: &str) -> Result<bool> {
    const STANDARD: [&str; 24] = [
        "is_some_and",
        "is_none_or",
        "is_ok_and",
        "is_empty",
        "len",
        "is_some",
        "is_none",
        "contains",
        "starts_with",
        "ends_with",
        "any",
        "all",
        "get",
        "first",
        "last",
        "matches",
        "is_ascii_digit",
        "is_char_boundary",
        "checked_sub",
        "saturating_sub",
        "is_alphanumeric",
        "is_nan",
        "eq_ignore_ascii_case",
        "is_err",
    ];
    if STANDARD.contains(&name) {
        return Ok(false);
    }
    let status = Command::new("git")
        .arg("-C")
        .arg(&mined.repository)
        .args(["grep", "-q", "-w", "-F", name])
        .arg(format!("{}^", mined.commit))
        .args(["--", "*.rs"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(status.code() == Some(1))
}

/// A condition without what changes its spelling and not its meaning.
fn plain(text: &str) -> String {
    let mut text: String = text.split_whitespace().collect();
    for (from, to) in [
        (".map_or(false,", ".is_some_and("),
        (".map_or(true,", ".is_none_or("),
        (".is_ok_and(", ".is_some_and("),
        ("std::", ""),
        ("core::", ""),
        (".into()", ""),
        (".as_ref()", ""),
        (".as_str()", ""),
        (".as_deref()", ""),
        (".clone()", ""),
        (".borrow()", ""),
        (".iter()", ""),
        ("ref", ""),
        ("git_", "gix_"),
        (",)", ")"),
        ("\"", "'"),
    ] {
        text = text.replace(from, to);
    }
    text = without_modules(&text);
    text.retain(|c| !matches!(c, '&' | '*' | '(' | ')' | '{' | '}'));
    text
}

/// A text with `Kind::Open` for `crate::shapes::Kind::Open`.
fn without_modules(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((head, after)) = rest.split_once("::") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = head.trim_end_matches(is_name).len();
        let is_module = head[start..].starts_with(char::is_lowercase);
        let is_of_type = after.starts_with(|c: char| c.is_alphabetic());
        kept += match is_module && is_of_type {
            true => &head[..start],
            false => &rest[..head.len() + 2],
        };
        rest = after;
    }
    kept + rest
}

/// Whether the first line of a commit's message speaks of a mistake.
pub fn is_fix(subject: &str) -> bool {
    let subject = subject.to_lowercase();
    [
        "fix",
        "bug",
        "panic",
        "overflow",
        "underflow",
        "crash",
        "incorrect",
        "wrong",
        "correct",
        "prevent",
        "avoid",
        "handle",
        "edge case",
        "off-by-one",
        "off by one",
        "regression",
        "reject",
        "don't",
        "do not",
        "ensure",
        "should",
        "allow",
        "disallow",
        "only",
        "unless",
        "respect",
        "ignore",
        "infinite",
        "missing",
    ]
    .iter()
    .any(|word| subject.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_condition_is_known_in_other_words() {
        for (old, new) in [
            ("x.map_or(false, |x| x > 1)", "x.is_some_and(|x| x > 1)"),
            ("a == &b[..]", "*a == b[..]"),
            ("s.ends_with(\"x\")", "s.ends_with('x')"),
            ("a == Kind::Open", "a == crate::shapes::Kind::Open"),
        ] {
            assert_eq!(plain(old), plain(new), "{old}");
        }
        assert_ne!(plain("a < b"), plain("a <= b"));
        assert!(is_fix("Fix a panic") && !is_fix("Update dependencies"));
    }
}
