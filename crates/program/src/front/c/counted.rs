//! Which lines of its files count in a translation unit, to be compared with what a compiler passes on.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::{lex, preprocess};

/// The lines of a file, numbered from 1, on which something is written outside of directives, or a definition of a macro begins.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Those that count.
    pub counted: BTreeSet<usize>,
    /// Those that do not, because of an `#if`.
    pub others: BTreeSet<usize>,
}

/// The lines of all files that the translation unit of a source reads. `files` are the program's files with their texts.
/// `None` if that is none of them, or a directive is not supported.
pub fn counted(
    files: &[(Utf8PathBuf, String)],
    source: &Utf8Path,
) -> Option<BTreeMap<Utf8PathBuf, Lines>> {
    let file = files.iter().position(|(path, _)| path == source)?;
    let counted = preprocess::counted(files, file).ok()?;
    let of_file = counted.into_iter().map(|(file, spans)| {
        let (path, text) = &files[file];
        let lines = Starts::of(text);
        let counted: BTreeSet<usize> = spans
            .into_iter()
            .map(|span| lines.line(span.start as usize))
            .collect();
        let written = preprocess::countable(&lex::tokens(text, 0));
        let written = written
            .into_iter()
            .map(|span| lines.line(span.start as usize));
        let others = written.filter(|line| !counted.contains(line)).collect();
        (path.clone(), Lines { counted, others })
    });
    Some(of_file.collect())
}

/// Where the lines of a text start.
struct Starts(Vec<usize>);

impl Starts {
    fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self([0].into_iter().chain(ends).collect())
    }

    /// The number of the line that a byte is on.
    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_as_directives_say() {
        let source = "#include <config.h>\n#include <stdio.h>\n#ifdef WIDE\nint a;\n#else\nint b,\n    c;\n#endif\n/* int d; */\n#ifdef WIDE\n#define X \\\n  1\n#else\n#undef Y\n#endif\nint e;\n";
        let files = [
            (Utf8PathBuf::from("a.c"), source.to_owned()),
            ("build/config.h".into(), "#define WIDE 1\n".to_owned()),
        ];
        let found = counted(&files, "a.c".into()).unwrap();
        let names: Vec<&str> = found.keys().map(|path| path.as_str()).collect();
        assert_eq!(names, ["a.c", "build/config.h"]);
        assert_eq!(found[Utf8Path::new("a.c")].counted, [4, 11, 16].into());
        assert_eq!(found[Utf8Path::new("a.c")].others, [6, 7, 14].into());
        assert_eq!(found[Utf8Path::new("build/config.h")].counted, [1].into());
        assert_eq!(counted(&files, "b.c".into()), None);
    }
}
