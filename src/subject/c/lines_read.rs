//! Whether a compiler reads the files and lines of a source that formulas read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_program::front::c::counted::{Lines, counted};

use super::as_built::Difference;
use super::calls::{self, Call};
use crate::subject::files;
use crate::subject::paths;
use crate::subject::workspace::Workspace;

/// The lines that a compiler passes on, except empty ones, of each file that it reads. Paths are relative to the root.
type Passed = BTreeMap<Utf8PathBuf, BTreeSet<usize>>;

/// The texts that formulas read: of the sources and of all headers of the subject. A build may make more headers.
pub fn texts(root: &Utf8Path, sources: &[Utf8PathBuf]) -> Vec<(Utf8PathBuf, String)> {
    let headers = files::below(root, "h").into_iter();
    let headers = headers.map(|path| paths::relative(root, &path));
    let paths = sources.iter().cloned().chain(headers);
    let texts = paths.filter_map(|path| {
        let text = files::text(&root.join(&path))?;
        Some((path, text))
    });
    texts.collect()
}

/// A file or a line of a source that only the compiler reads, or only formulas do. The source is named as in the call, and by its
/// path.
///
/// # Errors
/// If the compiler cannot be started, or the run is stopped.
pub fn difference(
    at: &Workspace,
    call: &Call,
    (source, path): (&str, &Utf8Path),
    files: &[(Utf8PathBuf, String)],
) -> Result<Option<Difference>> {
    let Some(own) = counted(files, path) else {
        return Ok(None);
    };
    let passed = with_own_lines(at, files, &own, || passed(at, call, source))?;
    if !passed.contains_key(path) {
        return Ok(None);
    }
    let source = || path.to_owned();
    let of_file = |file: &Utf8PathBuf, is_compiled| Difference::File {
        source: source(),
        file: file.clone(),
        is_compiled,
    };
    for (file, lines) in &passed {
        let Some(own) = own.get(file) else {
            match lines.is_empty() {
                true => continue,
                false => return Ok(Some(of_file(file, true))),
            }
        };
        let only_own = own.counted.difference(lines).next();
        let only_compiled = own.others.intersection(lines).next();
        let is_compiled = only_own.is_none();
        if let Some(line) = only_own.or(only_compiled) {
            return Ok(Some(Difference::Line {
                source: source(),
                file: file.clone(),
                line: *line,
                is_compiled,
            }));
        }
    }
    let only_own = own.keys().find(|file| !passed.contains_key(*file));
    Ok(only_own.map(|file| of_file(file, false)))
}

/// What the compiler of a call passes on of one of its sources.
fn passed(at: &Workspace, call: &Call, source: &str) -> Result<Passed> {
    let mut args = call.args_for(source);
    args.retain(|arg| !arg.starts_with("-g") && !arg.starts_with("-Werror"));
    let (text, errors) = calls::repeated(at, call, args, &["-E", "-fdirectives-only"])?;
    // After an error, what follows is missing. Not every compiler knows the option.
    if errors.contains("error: ") {
        return Ok(Passed::new());
    }
    let files = calls::files(&at.root, &call.dir, &text).into_iter();
    let mut passed: Passed = files.map(|file| (file, BTreeSet::new())).collect();
    calls::each_line(&at.root, &call.dir, &text, |file, number, _| {
        if let Some(lines) = passed.get_mut(file) {
            lines.insert(number);
        }
    });
    Ok(passed)
}

/// Asks the compiler while the files of a translation unit have no directives in the copy that give lines other names.
fn with_own_lines<T>(
    at: &Workspace,
    files: &[(Utf8PathBuf, String)],
    unit: &BTreeMap<Utf8PathBuf, Lines>,
    ask: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let of_unit = files.iter().filter(|(path, _)| unit.contains_key(path));
    let renamed: Vec<(Utf8PathBuf, &str, String)> = of_unit
        .filter_map(|(path, text)| match without_names(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(plain) => Some((at.root.join(path), text.as_str(), plain)),
        })
        .collect();
    for (path, _, plain) in &renamed {
        at.tree.write(path, plain)?;
    }
    let result = ask();
    for (path, text, _) in &renamed {
        at.tree.write(path, text)?;
    }
    result
}

/// The text with empty lines for directives that give lines other names.
fn without_names(text: &str) -> Cow<'_, str> {
    let is_name = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        directive.is_some_and(|it| {
            it.starts_with("line") || it.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    match text.lines().any(is_name) {
        true => {
            let lines = text.split_inclusive('\n');
            let plain = lines.map(|line| if is_name(line) { "\n" } else { line });
            Cow::Owned(plain.collect())
        }
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_that_name_lines_become_empty_lines() {
        let text = "int a;\n#line 3 \"a.y\"\n  # 7\n#define line 1\nint b;";
        assert_eq!(without_names(text), "int a;\n\n\n#define line 1\nint b;");
        assert!(matches!(
            without_names("#include <a.h>\n"),
            Cow::Borrowed(_)
        ));
    }
}
