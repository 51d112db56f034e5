//! The functions of a test program as tests of their own. In working copies each of them begins with a guard that leaves it
//! at once unless the variable [`CASE`] names it or is not set.

use camino::Utf8Path;
use nopol_process::run::command::{CASE, Case, Part};
use nopol_source::c::test_functions::test_functions;

use super::config;
use crate::subject::{AddedFile, SubjectError};

/// What is made of a test that is a program with test functions.
pub struct Split {
    /// A test for each function.
    pub cases: Vec<Case>,
    /// The files with their guards.
    pub files: Vec<AddedFile>,
}

/// The parts of the test `whole`; globs name the files with its test functions.
///
/// # Errors
/// [`SubjectError::Usage`] if there are no such files, or they have no test functions.
pub fn split(root: &Utf8Path, whole: &Case, globs: &[String]) -> Result<Split, SubjectError> {
    let test = &whole.name;
    let mut files = Vec::new();
    for glob in globs {
        let found = config::files(root, glob)?;
        if found.is_empty() {
            return Err(SubjectError::Usage(format!(
                "test `{test}`: no file matches `{glob}` in {root}"
            )));
        }
        for (path, _) in found {
            let path = config::below(root, &path)?;
            let bytes = std::fs::read(root.join(&path));
            let bytes = bytes
                .map_err(|error| SubjectError::Usage(format!("cannot read {path}: {error}")))?;
            // What is not UTF-8 stays as it is.
            if let Ok(text) = String::from_utf8(bytes)
                && !files.iter().any(|file: &AddedFile| file.path == path)
            {
                files.push(AddedFile { path, text });
            }
        }
    }
    let texts: Vec<&str> = files.iter().map(|file| &*file.text).collect();
    let functions = test_functions(&texts);
    if functions.is_empty() {
        return Err(SubjectError::Usage(format!(
            "test `{test}`: the files that `functions` names have fewer than two test functions; remove `functions`, or name the files that have them"
        )));
    }
    let cases = functions.iter().map(|function| Case {
        name: format!("{test}::{}", function.name),
        // Only the whole program prints all of it.
        stdout: None,
        part: Some(Part {
            of: test.clone(),
            function: function.name.clone(),
        }),
        ..whole.clone()
    });
    let cases = cases.collect();
    let mut functions = functions;
    functions.sort_by_key(|function| std::cmp::Reverse(function.start));
    for function in &functions {
        let text = &mut files[function.file].text;
        text.insert_str(function.start, &guard(&function.name, &function.exit));
    }
    Ok(Split { cases, files })
}

/// A declaration, so that others may follow it in C89, on the line of the brace, so that the lines in messages stay right. It
/// gives `getenv` a name that no header declares otherwise.
fn guard(name: &str, exit: &str) -> String {
    let prefix = if cfg!(target_os = "macos") { "_" } else { "" };
    format!(
        " __extension__ extern char *nopol_variable(const char *) __asm__(\"{prefix}getenv\"); \
         int nopol_is_other __attribute__((__unused__)) = __extension__ ({{ \
         char *nopol_case = nopol_variable(\"{CASE}\"); \
         if (nopol_case && __builtin_strcmp(nopol_case, \"{name}\")) {{ {exit} }} 0; }});"
    )
}
