//! Lists the files in a program's directory, and classifies its C files.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The most files that are listed; hand-written programs have fewer.
const MOST: usize = 20_000;

/// All files below a directory, except for those of version control and of builds.
pub struct Listing {
    /// An absolute path.
    pub dir: Utf8PathBuf,
    /// Relative to the directory, sorted by name.
    pub files: BTreeSet<Utf8PathBuf>,
}

impl Listing {
    pub fn of(dir: &Utf8Path) -> Self {
        let walk = WalkDir::new(dir).sort_by_file_name().into_iter();
        let entries = walk.filter_entry(|entry| entry.depth() == 0 || !is_excluded(entry));
        let below = |entry: DirEntry| {
            let path = entry.file_type().is_file().then(|| entry.into_path())?;
            let path = Utf8PathBuf::from_path_buf(path).ok()?;
            path.strip_prefix(dir).ok().map(Utf8Path::to_owned)
        };
        Self {
            dir: dir.to_owned(),
            files: entries.flatten().filter_map(below).take(MOST).collect(),
        }
    }

    pub fn has(&self, path: &str) -> bool {
        self.files.contains(Utf8Path::new(path))
    }

    /// The first of these files that exists.
    pub fn first(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.has(name))
    }

    pub fn text(&self, path: &Utf8Path) -> String {
        let bytes = std::fs::read(self.dir.join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The C files that are not tests, those nearest to the top first. If all look like tests, all of them.
    pub fn sources(&self) -> Vec<Utf8PathBuf> {
        let (tests, mut sources): (Vec<_>, Vec<_>) = self.c_files().partition(|path| is_test(path));
        if sources.is_empty() {
            sources = tests;
        }
        sources.sort_by_key(|path| path.components().count());
        sources
    }

    /// Whether every C file looks like a test.
    pub fn has_only_tests(&self) -> bool {
        self.c_files().all(|path| is_test(&path))
    }

    /// The headers that define functions and are not tests.
    pub fn headers_with_functions(&self) -> Vec<Utf8PathBuf> {
        let files = self.files.iter();
        let is_header = |path: &&Utf8PathBuf| path.extension() == Some("h") && !is_test(path);
        files
            .filter(is_header)
            .filter(|path| defines_functions(&self.text(path)))
            .cloned()
            .collect()
    }

    /// The C files that are tests.
    pub fn tests(&self) -> Vec<Utf8PathBuf> {
        self.c_files().filter(|path| is_test(path)).collect()
    }

    fn c_files(&self) -> impl Iterator<Item = Utf8PathBuf> {
        let files = self.files.iter();
        files.filter(|path| path.extension() == Some("c")).cloned()
    }

    pub fn has_main(&self, path: &Utf8Path) -> bool {
        defines_main(&self.text(path))
    }
}

/// Whether a directory is hidden or a build directory.
fn is_excluded(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.file_type().is_dir()
        && (name.starts_with('.')
            || name == "CMakeFiles"
            || ["CMakeCache.txt", "CACHEDIR.TAG"]
                .iter()
                .any(|file| entry.path().join(file).is_file()))
}

/// Whether a file is a test, judging by its name and directory.
pub fn is_test(path: &Utf8Path) -> bool {
    let dirs = path.parent().into_iter().flat_map(Utf8Path::components);
    let names = dirs.map(|dir| dir.as_str()).chain(path.file_stem());
    let mut words = names.flat_map(|name| name.split(['-', '_', '.']));
    let is_digit = |char: char| char.is_ascii_digit();
    words.any(|word| {
        matches!(
            word.trim_end_matches(is_digit),
            "test" | "tests" | "unittest" | "unittests" | "testsuite"
        )
    })
}

/// Whether there is the definition of a function `main`: only a type precedes the name in its line, and neither a semicolon
/// nor a comma follows the parameters.
fn defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, name)| {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[line_start..at];
        // Without what else the line has before it.
        let before = before.rsplit("*/").next().unwrap_or_default();
        let before = before.rsplit(['}', ';']).next().unwrap_or_default();
        let after = &text[at + name.len()..];
        let is_type = |word: &str| {
            matches!(word, "int" | "void" | "signed" | "extern")
                || word.starts_with("__attribute__")
        };
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && before.split_whitespace().all(is_type)
            && after.trim_start().starts_with('(')
            && after
                .split_once(')')
                .is_some_and(|(_, rest)| !rest.trim_start().starts_with([';', ',', ')']))
    })
}

/// Whether a header has the body of a function: a parenthesis is closed and a brace opened, with white space between,
/// outside of macros and comments.
fn defines_functions(text: &str) -> bool {
    let mut is_macro = false;
    let code: String = text
        .lines()
        .filter(|line| {
            let is_of_macro = is_macro || line.trim_start().starts_with('#');
            is_macro = is_of_macro && line.trim_end().ends_with('\\');
            !is_of_macro
        })
        .map(|line| {
            line.split("//")
                .next()
                .unwrap_or_default()
                .trim_end()
                .to_owned()
                + "\n"
        })
        .collect();
    let mut pieces = code.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    let uncommented = pieces.fold(first, |text, piece| {
        text + piece.split_once("*/").map_or("", |(_, rest)| rest)
    });
    let mut braces = uncommented.match_indices('{');
    braces.any(|(at, _)| uncommented[..at].trim_end().ends_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_with_a_body_defines_functions() {
        for text in [
            "static inline int twice(int x) { return 2 * x; }\n",
            "int\nf (void) /* nothing */\n{\n}\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nstatic int f(void)\n{ return 1; }\n",
        ] {
            assert!(defines_functions(text), "{text}");
        }
        for text in [
            "int f(void);\nstruct point { int x; };\nenum { A = (1), B };\n",
            "#define DO(x) do { if (x) { y(); } \\\n  else (z) { w(); } \\\n  } while (0)\n",
            "/* int f(void) { return 1; } */\n// void g(void) {}\nint h[] = { 1 };\n",
        ] {
            assert!(!defines_functions(text), "{text}");
        }
    }

    #[test]
    fn tests_are_recognized_by_name_and_directory() {
        for path in [
            "tests/a.c",
            "src/test/a.c",
            "test_a.c",
            "src/a_test.c",
            "test.c",
            "unit-tests/a.c",
            "unittest/t1.c",
            "test-a.c",
            "a_test2.c",
        ] {
            assert!(is_test(Utf8Path::new(path)), "{path}");
        }
        for path in ["a.c", "src/attest.c", "contest/a.c", "testing.c"] {
            assert!(!is_test(Utf8Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_definition_of_main_is_not_a_call() {
        for text in [
            "int main(void)",
            "int\nmain (int argc, char **argv) {",
            "void main() {}",
            "main(){",
            "int main(void) { return 0; } static int x;",
            "/* a test */ int main(int argc,\n    char **argv)\n{",
            "static int add(void) { return 1; } int main(void) { return add(); }",
        ] {
            assert!(defines_main(text), "{text}");
        }
        for text in [
            "int main(void);",
            "    return main(1);",
            "int domain(int x) {",
            "/* main (x) */",
            "// main(x)",
            "int main(void), other(void);",
            "mainly(a)",
        ] {
            assert!(!defines_main(text), "{text}");
        }
    }
}
