//! Options of the build with which the program is another one than its text says. Formulas are made of the text alone.

use std::collections::BTreeSet;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::subject::files;

/// Files that say how a program is built, in the root and beside sources, after the tool that reads them.
const BUILD_FILES: [(&str, &str); 5] = [
    ("make", "Makefile"),
    ("make", "makefile"),
    ("make", "GNUmakefile"),
    ("cmake", "CMakeLists.txt"),
    ("meson", "meson.build"),
];

/// Extensions of other files with options, after the tool that reads them.
const PARTS: [(&str, &str); 2] = [("make", "mk"), ("cmake", "cmake")];

/// Variables that makefiles and configure scripts read.
const VARIABLES: [&str; 2] = ["CFLAGS", "CPPFLAGS"];

/// The macros whose meaning depends on the version of C.
const OF_VERSIONS: [&str; 5] = [
    "__STDC_VERSION__",
    "__STRICT_ANSI__",
    "linux",
    "unix",
    "i386",
];

/// What formulas assume where the version of C matters.
const OF_DEFAULT: &str = "formulas assume the version of C that gcc has without it";

/// Build types of CMake that define `NDEBUG`.
const WITHOUT_ASSERTIONS: [&str; 3] = ["release", "relwithdebinfo", "minsizerel"];

/// An option that formulas do not follow.
#[derive(Debug, PartialEq, Eq)]
pub struct OtherProgram {
    /// Where it is.
    place: String,
    option: String,
    why: &'static str,
}

impl fmt::Display for OtherProgram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} has `{}`: {}, so they would describe another program",
            self.place, self.option, self.why
        )
    }
}

/// The first option that formulas do not follow: in the build command, in the scripts that it names, in build files or in
/// the environment. A macro matters only if the program's text has its name.
pub fn find(
    build: &str,
    root: &Utf8Path,
    sources: &[(Utf8PathBuf, String)],
) -> Option<OtherProgram> {
    let names = Names::of(sources);
    let dirs = sources
        .iter()
        .flat_map(|(path, _)| path.ancestors().skip(1));
    first(build, root, dirs.collect(), |text| of(text, &names))
}

/// The first option for integers and pointers of other sizes.
pub fn other_sizes(build: &str, root: &Utf8Path) -> Option<OtherProgram> {
    first(build, root, BTreeSet::new(), |text| {
        let mut words = words(text).into_iter();
        words.find_map(|word| Some((word.to_owned(), size(word)?)))
    })
}

/// The first option that `of` finds in a text, for build files in the root and in these directories.
fn first(
    build: &str,
    root: &Utf8Path,
    mut dirs: BTreeSet<&Utf8Path>,
    of: impl Fn(&str) -> Option<(String, &'static str)>,
) -> Option<OtherProgram> {
    dirs.insert(Utf8Path::new(""));
    let words = build.split_whitespace();
    let scripts = words.filter(|word| !word.starts_with(['/', '-']) && !word.ends_with(".c"));
    let mut paths: Vec<Utf8PathBuf> = scripts.map(|word| root.join(word)).collect();
    // What a script calls is not known.
    let has_script = paths.iter().any(|path| path.is_file());
    let is_used = |(tool, _): &&(&str, &str)| has_script || build.contains(tool);
    for (_, name) in BUILD_FILES.iter().filter(is_used) {
        paths.extend(dirs.iter().map(|dir| root.join(dir).join(name)));
    }
    for (_, extension) in PARTS.iter().filter(is_used) {
        paths.extend(files::below(root, extension));
    }
    let files = paths.into_iter().filter_map(|path| {
        let text = files::text(&path)?;
        let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
        Some((path.into_string(), text))
    });
    let variables = VARIABLES.iter().filter_map(|name| {
        let value = std::env::var(name).ok()?;
        Some((format!("the variable {name}"), value))
    });
    let command = [("the build command".to_owned(), build.to_owned())];
    let mut texts = command.into_iter().chain(files).chain(variables);
    texts.find_map(|(place, text)| {
        let lines = text.lines();
        let lines = lines.filter(|line| !line.trim_start().starts_with('#'));
        let (option, why) = of(&lines.collect::<Vec<&str>>().join("\n"))?;
        Some(OtherProgram { place, option, why })
    })
}

/// The identifiers of a program.
pub(super) struct Names<'t> {
    all: BTreeSet<&'t str>,
    /// Those in directives of the preprocessor.
    in_directives: BTreeSet<&'t str>,
}

impl<'t> Names<'t> {
    pub(super) fn of(sources: &'t [(Utf8PathBuf, String)]) -> Self {
        let lines = || sources.iter().flat_map(|(_, text)| text.lines());
        let directives = lines().filter(|line| line.trim_start().starts_with('#'));
        Self {
            all: lines().flat_map(identifiers).collect(),
            in_directives: directives.flat_map(identifiers).collect(),
        }
    }

    /// Whether the program is another one if this macro is defined.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_for_headers_of_the_system = name.starts_with('_') && name.ends_with("_SOURCE");
        !is_for_headers_of_the_system && self.all.contains(name)
            || name == "NDEBUG" && self.has_assertions()
    }

    fn has_assertions(&self) -> bool {
        self.all.contains("assert")
    }

    fn depends_on_version(&self) -> bool {
        let mut names = OF_VERSIONS.iter();
        names.any(|name| self.in_directives.contains(name))
    }
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
}

/// The words of a build file or command. An option that is assigned, as in `CFLAGS=-m32`, is also a word of its own.
fn words(text: &str) -> Vec<&str> {
    let is_end = |char: char| char.is_whitespace() || "\"'`(),;[]".contains(char);
    let words = text.split(is_end).filter(|word| !word.is_empty());
    let with_assigned = words.flat_map(|word| {
        let assigned = word.find("=-").map(|at| &word[at + 1..]);
        [word].into_iter().chain(assigned)
    });
    with_assigned.collect()
}

/// What formulas assume instead of an option for other sizes.
fn size(word: &str) -> Option<&'static str> {
    let is_it = matches!(word, "-m32" | "-mx32" | "-m16");
    is_it.then_some("formulas assume that `long` and pointers have 64 bits")
}

/// The first option in a text that formulas do not follow, and what they assume instead.
fn of(text: &str, names: &Names<'_>) -> Option<(String, &'static str)> {
    const UNKNOWN_MACROS: &str = "formulas do not know the macros that a build defines";
    let words = words(text);
    let mut pairs = words.iter().zip(words.iter().skip(1).chain([&""]));
    let of_word = pairs.find_map(|(word, next)| {
        let (macro_of, option) = match *word {
            "-D" | "-U" => (Some(*next), format!("{word} {next}")),
            _ => (
                word.strip_prefix("-D").or(word.strip_prefix("-U")),
                (*word).to_owned(),
            ),
        };
        let name = macro_of.and_then(|text| text.split('=').next());
        if name.is_some_and(|name| names.has(name)) {
            return Some((option, UNKNOWN_MACROS));
        }
        let (kind, value) = word.split_once('=').unwrap_or((word, next));
        let is_release = WITHOUT_ASSERTIONS.contains(&value.to_ascii_lowercase().as_str());
        if kind.ends_with("CMAKE_BUILD_TYPE") && is_release && names.has_assertions() {
            let option = format!("CMAKE_BUILD_TYPE {value}");
            return Some((option, "formulas do not know that it leaves out assertions"));
        }
        let why = match *word {
            "-funsigned-char" => "formulas assume that `char` is signed",
            "-include" | "-imacros" => "formulas do not know the files that a build includes",
            "-ansi" if names.depends_on_version() => OF_DEFAULT,
            _ if word.starts_with("-std=") && names.depends_on_version() => OF_DEFAULT,
            _ => size(word)?,
        };
        Some((option, why))
    });
    let mut of_cmake = cmake_definitions(text).into_iter();
    of_word.or_else(|| {
        let found = of_cmake.find(|word| word.split('=').next().is_some_and(|it| names.has(it)));
        found.map(|word| (word.to_owned(), UNKNOWN_MACROS))
    })
}

/// What CMake's `add_compile_definitions` and `target_compile_definitions` define, without `-D`.
fn cmake_definitions(text: &str) -> Vec<&str> {
    const COMMAND: &str = "compile_definitions";
    let lower = text.to_ascii_lowercase();
    let calls = lower.match_indices(COMMAND).filter_map(|(at, _)| {
        let arguments = text[at + COMMAND.len()..].trim_start().strip_prefix('(')?;
        let words = words(arguments.split(')').next()?);
        let is_of_target = lower[..at].ends_with("target_");
        Some(words.into_iter().skip(usize::from(is_of_target)))
    });
    calls.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(build: &str, files: &[(&str, &str)], source: &str) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        let sources = [("src/p.c".into(), source.to_owned())];
        let found = find(build, root, &sources)?;
        Some(format!("{}: {}", found.place, found.option))
    }

    #[test]
    fn options_for_other_sizes_are_found_as_words() {
        assert_eq!(found("gcc -O2 p-m32.c -m32x", &[], ""), None);
        let at = |build, files: &[_]| found(build, files, "int x;");
        assert_eq!(
            at("gcc \"-m32\" -o p p.c", &[]).unwrap(),
            "the build command: -m32"
        );
        let makefile = ("Makefile", "CFLAGS = -g -mx32\n");
        assert_eq!(at("make", &[makefile]).unwrap(), "Makefile: -mx32");
        let makefile = ("Makefile", "CFLAGS=-m32\nx: x.c\n");
        assert_eq!(at("make", &[makefile]).unwrap(), "Makefile: -m32");
    }

    #[test]
    fn a_macro_of_the_build_matters_if_the_program_has_its_name() {
        let sized = "#ifndef N\n#define N 3\n#endif\n";
        let asserts = "#include <assert.h>\nvoid f(int x) { assert(x); }\n";
        for (build, files, source, wanted) in [
            (
                "gcc -DN=5 -o p p.c",
                vec![],
                sized,
                "the build command: -DN=5",
            ),
            ("gcc -D N p.c", vec![], sized, "the build command: -D N"),
            (
                "cc -DNDEBUG p.c",
                vec![],
                asserts,
                "the build command: -DNDEBUG",
            ),
            (
                "make",
                vec![("src/Makefile", "CFLAGS+=-g -DN=8\n")],
                sized,
                "src/Makefile: -DN=8",
            ),
            (
                "make",
                vec![("flags.mk", "F = '-UN'\n")],
                sized,
                "flags.mk: -UN",
            ),
            (
                "sh build.sh",
                vec![("build.sh", "cc -DN=1 p.c")],
                sized,
                "build.sh: -DN=1",
            ),
            (
                "cmake . && make",
                vec![(
                    "CMakeLists.txt",
                    "target_compile_definitions(p PRIVATE N=4)\n",
                )],
                sized,
                "CMakeLists.txt: N=4",
            ),
            (
                "cmake -DCMAKE_BUILD_TYPE=Release . && make",
                vec![],
                asserts,
                "the build command: CMAKE_BUILD_TYPE Release",
            ),
            (
                "gcc -std=c89 p.c",
                vec![],
                "#ifdef unix\n#endif\n",
                "the build command: -std=c89",
            ),
            (
                "gcc -funsigned-char p.c",
                vec![],
                "",
                "the build command: -funsigned-char",
            ),
        ] {
            assert_eq!(
                found(build, &files, source).as_deref(),
                Some(wanted),
                "{build}"
            );
        }
        for (build, files, source) in [
            ("gcc -DM=5 -std=c99 p.c", vec![], sized),
            ("gcc -DNDEBUG p.c", vec![], sized),
            ("make", vec![("Makefile", "# CFLAGS = -DN=8\n")], sized),
            (
                "cmake . && make",
                vec![(
                    "CMakeLists.txt",
                    "target_compile_definitions(N PRIVATE M=4)\nproject(N)\n",
                )],
                sized,
            ),
            (
                "gcc p.c",
                vec![("CMakeLists.txt", "add_definitions(-DN=4)\n")],
                sized,
            ),
            ("gcc -D_GNU_SOURCE p.c", vec![], "#define _GNU_SOURCE\n"),
            ("gcc -std=c99 p.c", vec![], "/* unix */\n"),
            ("cmake -DCMAKE_BUILD_TYPE=Debug .", vec![], asserts),
        ] {
            assert_eq!(found(build, &files, source), None, "{build}");
        }
    }
}
