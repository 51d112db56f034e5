//! Formats patches: a file that was formatted before the patch is formatted after it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use crate::patch::edit::Edit;

/// Editions to try; the first in which rustfmt leaves the file unchanged is used.
const EDITIONS: [&str; 4] = ["2024", "2021", "2018", "2015"];

/// Formats patched files, if rustfmt is available.
#[derive(Debug, Default)]
pub struct Formatter {
    /// For each file, the edition in which it is formatted; `None` if it is not formatted.
    editions: Mutex<BTreeMap<Utf8PathBuf, Option<&'static str>>>,
}

impl Formatter {
    /// The edit that leads to the formatted patched file, if the original file is formatted; otherwise the
    /// edit as it is. Files are relative to `root`; `text` is the original file.
    pub fn formatted(&self, root: &Utf8Path, text: &str, edit: Edit) -> Edit {
        let home = root.join(edit.file.parent().unwrap_or(Utf8Path::new("")));
        let mut editions = self.editions.lock().unwrap_or_else(PoisonError::into_inner);
        let edition = *editions.entry(edit.file.clone()).or_insert_with(|| {
            let is_stable =
                |edition: &&&str| rustfmt(&home, edition, text).as_deref() == Some(text);
            EDITIONS.iter().find(is_stable).copied()
        });
        drop(editions);
        let patched = edit.apply(text);
        let formatted = edition.and_then(|edition| rustfmt(&home, edition, &patched));
        match formatted.filter(|formatted| *formatted != patched) {
            Some(formatted) => between(text, &formatted, edit),
            None => edit,
        }
    }
}

/// The shortest edit that turns one text into the other and covers `edit`, which is where readers look for it.
fn between(text: &str, other: &str, edit: Edit) -> Edit {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        let same = a.zip(b).take_while(|(a, b)| a == b);
        same.map(|(a, _)| a.len_utf8()).sum()
    };
    let start = common(&mut text.chars(), &mut other.chars()).min(edit.span.start);
    let (rest, other_rest) = (&text[start..], &other[start..]);
    let end = common(&mut rest.chars().rev(), &mut other_rest.chars().rev());
    let end = end.min(text.len() - edit.span.end);
    let span = start..text.len() - end;
    Edit {
        file: edit.file,
        line: edit.line,
        column: edit.column,
        mark: (span != edit.span).then_some(edit.span),
        before: text[span.clone()].to_owned(),
        after: other[start..other.len() - end].to_owned(),
        span,
    }
}

/// The rustfmt next to the cargo that started this process, or the one on the search path.
fn program() -> PathBuf {
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let beside = cargo.and_then(|cargo| Some(cargo.parent()?.join("rustfmt")));
    let beside = beside.filter(|rustfmt| rustfmt.is_file());
    beside.unwrap_or_else(|| PathBuf::from("rustfmt"))
}

/// The text formatted by rustfmt; `None` if rustfmt is not available or fails.
fn rustfmt(dir: &Utf8Path, edition: &str, text: &str) -> Option<String> {
    let mut child = Command::new(program())
        .args(["--quiet", "--edition", edition])
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let text = text.to_owned();
    // A separate thread writes, because a long text fills the pipe before rustfmt has read it all.
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let written = writer.join().is_ok_and(|result| result.is_ok());
    (written && output.status.success())
        .then(|| String::from_utf8(output.stdout).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, before: &str, after: &str) -> Edit {
        let start = text.find(before).unwrap();
        Edit {
            file: "lib.rs".into(),
            line: 1,
            column: 1,
            span: start..start + before.len(),
            mark: None,
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    #[test]
    fn a_long_condition_is_broken_into_lines_if_the_file_was_formatted() {
        let dir = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = "fn f(alpha: bool) {\n    if alpha {\n        g();\n    }\n}\n";
        let long = format!("alpha && {}", ["beta_and_gamma"; 8].join(" && "));
        let formatted =
            Formatter::default().formatted(dir, text, edit(text, "alpha {", &format!("{long} {{")));
        let patched = formatted.apply(text);
        assert!(
            patched.contains("if alpha\n        && beta_and_gamma\n"),
            "{patched}"
        );
        assert_eq!(
            text.get(formatted.span.clone()),
            Some(formatted.before.as_str())
        );
        // Readers look for the change at the condition.
        assert!(formatted.before.starts_with("alpha"), "{formatted:?}");
        assert_eq!((formatted.line, formatted.column), (1, 1));

        let unformatted = text.replace("    if", "  if");
        let long = edit(&unformatted, "alpha {", &format!("{long} {{"));
        let kept = Formatter::default().formatted(dir, &unformatted, long.clone());
        assert_eq!(kept, long);
    }
}
