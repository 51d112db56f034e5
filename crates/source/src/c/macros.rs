//! The macros that a program defines in its files and headers, as written.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::headers::{Headers, Include};
use super::masks::is_part;

/// A definition of a macro.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Its parameters, if it has a list of them.
    pub parameters: Option<Vec<String>>,
    /// What it stands for, on one line and without comments.
    pub body: String,
}

/// All definitions in these files and in the headers that they include.
pub fn defined(root: &Utf8Path, files: &[Utf8PathBuf], headers: &Headers) -> Vec<Macro> {
    let mut macros = Vec::new();
    let mut seen: BTreeSet<Utf8PathBuf> = files.iter().cloned().collect();
    let mut waiting: Vec<Utf8PathBuf> = files.to_vec();
    while let Some(path) = waiting.pop() {
        let bytes = std::fs::read(root.join(&path)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        macros.extend(of(&text));
        for directive in directives(&text) {
            let include = directive.strip_prefix("include").and_then(Include::of);
            let found = include.and_then(|include| headers.find(&path, &include));
            waiting.extend(found.filter(|path| seen.insert(path.clone())));
        }
    }
    macros
}

/// The definitions in a text.
pub fn of(text: &str) -> Vec<Macro> {
    let directives = directives(text);
    directives
        .iter()
        .filter_map(|line| definition(line))
        .collect()
}

/// The text after the `#` of each directive. Lines joined by a backslash count as one.
fn directives(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        let mut directive = directive.trim_start().to_owned();
        while directive.ends_with('\\') {
            directive.pop();
            directive.push(' ');
            directive += lines.next().unwrap_or_default();
        }
        found.push(directive);
    }
    found
}

fn definition(directive: &str) -> Option<Macro> {
    let rest = directive.strip_prefix("define")?.trim_start();
    let (name, rest) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
    // A macro has parameters only if a parenthesis directly follows its name.
    let (parameters, body) = match rest.strip_prefix('(') {
        Some(rest) => {
            let (list, body) = rest.split_once(')')?;
            let parameters = list.split(',').map(|name| name.trim().to_owned());
            (Some(parameters.collect()), body)
        }
        None => (None, rest),
    };
    (!name.is_empty()).then(|| Macro {
        name: name.to_owned(),
        parameters,
        body: without_comments(body).trim().to_owned(),
    })
}

fn without_comments(body: &str) -> String {
    let mut rest = body.split("//").next().unwrap_or_default();
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        kept += before;
        kept.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_any_number_of_lines_are_found_in_files_and_headers() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        std::fs::create_dir(root.join("inc")).unwrap();
        let source = "#include \"inc/a.h\"\n#define ONE\\\n  1 /* one */ // so\nint a;\n";
        std::fs::write(root.join("a.c"), source).unwrap();
        std::fs::write(
            root.join("inc/a.h"),
            "# define F(a, b) /* both */ \\\r\n  a b\n",
        )
        .unwrap();
        let macros = defined(root, &["a.c".into()], &Headers::new(root)).into_iter();
        let macros: Vec<_> = macros.map(|of| (of.name, of.parameters, of.body)).collect();
        let both = vec!["a".to_owned(), "b".to_owned()];
        let expected = [("ONE", None, "1"), ("F", Some(both), "a b")];
        let expected = expected.map(|(name, of, body)| (name.to_owned(), of, body.to_owned()));
        assert_eq!(macros, expected);
    }
}
