//! Options of the build with which the program is another one than its text says. Formulas are made of the text alone.

use std::collections::BTreeSet;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::subject::files;

/// Files that say how a program is built, in the root and beside sources.
const BUILD_FILES: [&str; 5] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "meson.build",
];

/// Extensions of other files with options.
const PARTS: [&str; 2] = ["mk", "cmake"];

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
    let names: BTreeSet<&str> = sources.iter().flat_map(|(_, text)| names(text)).collect();
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
    let of_dirs = dirs
        .iter()
        .flat_map(|dir| BUILD_FILES.iter().map(|name| dir.join(name)));
    let scripts = build.split_whitespace();
    let scripts = scripts.filter(|word| !word.starts_with(['/', '-']) && !word.ends_with(".c"));
    let parts = PARTS
        .iter()
        .flat_map(|extension| files::below(root, extension));
    let files = of_dirs.chain(scripts.map(Utf8PathBuf::from));
    let files = files.map(|path| root.join(path)).chain(parts);
    let files = files.filter_map(|path| {
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
        let (option, why) = of(&text)?;
        Some(OtherProgram { place, option, why })
    })
}

/// The identifiers of a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
}

/// The words of a build file or command, without comments.
fn words(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let is_end = |char: char| char.is_whitespace() || "\"'`(),;[]".contains(char);
    let words = lines.flat_map(|line| line.split(is_end));
    words.filter(|word| !word.is_empty()).collect()
}

/// What formulas assume instead of an option for other sizes.
fn size(word: &str) -> Option<&'static str> {
    let is_it = matches!(word, "-m32" | "-mx32" | "-m16");
    is_it.then_some("formulas assume that `long` and pointers have 64 bits")
}

/// The first such option in a text, and what formulas assume instead.
fn of(text: &str, names: &BTreeSet<&str>) -> Option<(String, &'static str)> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let is_end = |char: char| char.is_whitespace() || "\"'`(),;[]".contains(char);
    let words = lines.flat_map(|line| line.split(is_end));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // CMake names macros without `-D`, up to the end of the command; what comes after it is harmless.
    let mut of_cmake = false;
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let separate = |option: &str| (*word == option).then_some(next);
        let macro_of = word.strip_prefix("-D").or(word.strip_prefix("-U"));
        let macro_of = macro_of.filter(|name| !name.is_empty());
        let defined = macro_of
            .or_else(|| separate("-D"))
            .or_else(|| separate("-U"));
        let defined = defined.or(Some(*word).filter(|_| of_cmake));
        if word.ends_with("compile_definitions") {
            of_cmake = true;
        } else if word.starts_with("add_") || word.starts_with("target_") || word.starts_with("set")
        {
            of_cmake = false;
        }
        let name = defined.and_then(|text| text.split('=').next());
        if let Some(name) = name
            && (names.contains(name) || name == "NDEBUG" && names.contains("assert"))
        {
            let option = match *word {
                "-D" | "-U" => format!("{word} {next}"),
                _ => (*word).to_owned(),
            };
            return Some((
                option,
                "formulas do not know the macros that a build defines",
            ));
        }
        let (kind, value) = word.split_once('=').unwrap_or((word, next));
        let is_release = WITHOUT_ASSERTIONS.contains(&value.to_ascii_lowercase().as_str());
        if kind.ends_with("CMAKE_BUILD_TYPE") && is_release && names.contains("assert") {
            let option = format!("{} {value}", kind.trim_start_matches("-D"));
            return Some((option, "formulas do not know that it leaves out assertions"));
        }
        let why = match *word {
            "-funsigned-char" => "formulas assume that `char` is signed",
            "-include" | "-imacros" => "formulas do not know the files that a build includes",
            _ if (word.starts_with("-std=") || *word == "-ansi")
                && OF_VERSIONS.iter().any(|name| names.contains(name)) =>
            {
                "formulas assume the version of C that gcc has without it"
            }
            _ => match size(word) {
                Some(why) => why,
                None => continue,
            },
        };
        return Some(((*word).to_owned(), why));
    }
    None
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
            ("cmake -DCMAKE_BUILD_TYPE=Debug .", vec![], asserts),
        ] {
            assert_eq!(found(build, &files, source), None, "{build}");
        }
    }
}
