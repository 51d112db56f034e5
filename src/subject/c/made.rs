//! Whether a build can make the program that a test starts, without building.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::command::{Case, Command};
use walkdir::{DirEntry, WalkDir};

use super::build::MADE;
use crate::subject::SubjectError;

/// How compilers of C are called.
const COMPILERS: [&str; 5] = ["cc", "gcc", "clang", "c89", "c99"];

/// The program that the linker makes where no name is given.
const UNNAMED: &str = "a.out";

/// The most bytes of a file that is searched for the name of a program.
const MOST_BYTES: u64 = 1 << 20;

/// Refuses a test where neither the tree has the program that it starts, nor the build can make it. Where that is not
/// certain, the test is accepted.
///
/// # Errors
/// [`SubjectError::Usage`], which names the test and the program.
pub fn check(
    root: &Utf8Path,
    build: &str,
    sources: &[Utf8PathBuf],
    case: &Case,
) -> Result<(), SubjectError> {
    let Command::Words(words) = &case.command else {
        return Ok(());
    };
    let Some(started) = words.first().filter(|started| started.contains('/')) else {
        return Ok(());
    };
    let path = root.join(&case.cwd).join(started);
    let is_made = path.is_file()
        || path
            .file_name()
            .is_some_and(|name| may_make(root, build, sources, name));
    if is_made {
        return Ok(());
    }
    Err(SubjectError::Usage(format!(
        "test `{}`: there is no `{started}`, and `{}` does not make it; {MADE}",
        case.name,
        build.lines().next().unwrap_or_default()
    )))
}

/// Whether the build may make a file with this name.
fn may_make(root: &Utf8Path, build: &str, sources: &[Utf8PathBuf], name: &str) -> bool {
    if is_plain(build) {
        let quoted = shlex::split(build).unwrap_or_default();
        let quoted = quoted.iter().flat_map(|word| file_names(word, |_| false));
        let mut names = names(build).chain(quoted);
        return names.any(|word| word == name) || name == UNNAMED && !build.contains(" -o");
    }
    // The extension, or a version, may be added elsewhere.
    let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
    let stem = name.split(is_other).next().unwrap_or(name);
    let is_source = |path: &Utf8PathBuf| path.file_stem() == Some(stem);
    build.contains(stem) || sources.iter().any(is_source) || is_mentioned(root, stem)
}

/// Whether a build is calls of compilers and nothing else, so that it says what it makes.
fn is_plain(build: &str) -> bool {
    let commands = build.split(['\n', ';', '&']).map(str::trim);
    let mut commands = commands.filter(|command| !command.is_empty());
    let is_compiler = |command: &str| {
        let program = command.split_whitespace().next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        COMPILERS.contains(&name) || COMPILERS.contains(&program)
    };
    !build.contains(['$', '`', '*', '|', '@', '\\']) && commands.all(is_compiler)
}

/// The words of a command, without what leads to a file's name.
fn names(build: &str) -> impl Iterator<Item = &str> {
    file_names(build, |c| c.is_whitespace() || "\"'=;&()".contains(c))
}

/// The file names in a text that is split at these characters.
fn file_names(text: &str, separates: fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(separates).map(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.strip_prefix("-o").unwrap_or(name)
    })
}

/// Whether a text of the tree that is not C has this in it: a makefile or a script may make it.
fn is_mentioned(root: &Utf8Path, stem: &str) -> bool {
    let is_shown =
        |file: &DirEntry| file.depth() == 0 || !file.file_name().to_string_lossy().starts_with('.');
    let files = WalkDir::new(root).into_iter().filter_entry(is_shown);
    let files = files.flatten().filter(|file| {
        let is_c = matches!(
            file.path()
                .extension()
                .and_then(|extension| extension.to_str()),
            Some("c" | "h")
        );
        // The description of the tests has the name of each program that they start.
        let is_description = file.path() == root.join("nopol.toml");
        file.file_type().is_file() && !is_c && !is_description
    });
    let mut small = files.filter(|file| file.metadata().is_ok_and(|of| of.len() <= MOST_BYTES));
    small.any(|file| {
        let text = fs::read(file.path()).unwrap_or_default();
        String::from_utf8_lossy(&text).contains(stem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_of_compilers_makes_what_it_names_and_other_builds_what_the_tree_mentions() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let may = |build: &str, name: &str| may_make(root, build, &["main.c".into()], name);
        for (build, name) in [
            ("cc -o p a.c", "p"),
            ("gcc-12 -op a.c", "p"),
            ("clang -c a.c && clang a.o -o bin/p", "p"),
            ("cc -o 'my p' a.c", "my p"),
            ("cc a.c", "a.out"),
            ("make", "main"),
            ("for f in *.c; do cc -o ${f%.c} $f; done", "main"),
            ("make p", "p"),
        ] {
            assert!(may(build, name), "{build}");
        }
        for (build, name) in [
            ("cc -o p a.c", "q"),
            ("cc -o p a.c", "a.out"),
            ("cc -o prog prog.c", "pro"),
            ("cc a.c", "a"),
            ("make", "p"),
        ] {
            assert!(!may(build, name), "{build}");
        }
        fs::write(root.join("Makefile"), "NAME = p\nall: $(NAME)\n").unwrap();
        assert!(may("make", "p"));
        assert!(may("make", "p-1.2"));
        assert!(!may("make", "q"));
    }
}
