//! Damaged descriptions of programs: each describes a program, or is refused with a reason.

use std::collections::BTreeSet;
use std::fs;

use camino::Utf8Path;
use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{COptions, Command, NAME, arguments, files, load};
use crate::config::seconds;
use crate::subject::SubjectError;

const VALID: &[&[u8]] = &[
    br#"top = 3
[c]
sources = ["*.c"]
build = "make -j 2"
timeout = 2.5
serial = true
sanitize = false
[[c.test]]
name = "one"
command = "./a 1"
stdout = "1\n"
exit = 0
match = "space"
[[c.test]]
name = "two"
command = "./a | sort"
stdin-file = "tests/1.in"
stdout-file = "tests/1.out"
cwd = "tests"
"#,
    br#"[c]
sources = ["a.c", "b*.c"]
build = "cc a.c"
[c.tests]
input = "tests/*.in"
output = "tests/*.out"
command = "./a {args-file}"
exit = 3
[c.script]
command = "sh run {name}"
names = ["one", "two"]
"#,
];

const WORDS: &[&str] = &[
    "sources",
    "build",
    "timeout",
    "test",
    "tests",
    "script",
    "input",
    "output",
    "names",
    "name",
    "stdin",
    "stdout",
    "stdin-file",
    "stdout-file",
    "cwd",
    "exit",
    "space",
    "/dev/zero",
    "pipe",
    "tests/*.*",
    "**/*",
    "[a-z]*",
    "{a,b}*",
    "{{a,b},c}",
    "[!a",
    "../*",
    ".",
    "/",
    "*",
];

/// A directory with a program, and with a file that nobody ever writes to.
fn program() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("tests")).unwrap();
    for name in [
        "a.c",
        "b.c",
        "b2.c",
        "tests/1.in",
        "tests/1.out",
        "tests/2.in",
        "tests/2.out",
    ] {
        fs::write(at(name), "1 \"2\"\n").unwrap();
    }
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    dir
}

fn is_program_or_refused(root: &Utf8Path, bytes: &[u8]) -> TestCaseResult {
    let path = root.join(NAME);
    fs::write(&path, bytes)?;
    let options = COptions {
        config: Some(path),
        ..COptions::default()
    };
    match load(&options) {
        Ok((dir, program)) => {
            prop_assert!(!program.sources.is_empty());
            prop_assert!(program.sources.iter().all(|path| dir.join(path).is_file()));
            let names: BTreeSet<&str> = program.cases.iter().map(|case| &*case.name).collect();
            prop_assert_eq!(names.len(), program.cases.len());
            for limit in program.cases.iter().filter_map(|case| case.timeout) {
                prop_assert!(!limit.is_zero() && limit <= seconds::LONGEST);
            }
        }
        Err(SubjectError::Usage(why)) => prop_assert!(!why.is_empty()),
        Err(error) => prop_assert!(error.to_string().contains(NAME), "{}", error),
    }
    Ok(())
}

fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = program();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    how(&|bytes| is_program_or_refused(root, bytes));
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(VALID, WORDS)
}

#[test]
fn a_description_is_a_program_or_refused_with_a_reason() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many descriptions"]
fn many_descriptions_are_programs_or_refused_with_a_reason() {
    run(|property| many(inputs(), property));
}

/// Why the program is refused if this is in its table.
fn refusal(extra: &str) -> String {
    let dir = program();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let text = format!("[c]\nbuild = \"make\"\n{extra}");
    let program = super::parse(root, Utf8Path::new(NAME), &text);
    program.unwrap_err().to_string()
}

#[test]
fn a_glob_that_is_too_large_is_refused() {
    let dir = program();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let why = files(root, &"[a-z]".repeat(200_000)).unwrap_err();
    assert!(why.to_string().contains("is not a glob"), "{why}");
}

#[test]
fn an_expected_output_is_a_file_that_ends() {
    for path in ["/dev/zero", "pipe", "tests"] {
        let why = refusal(&format!(
            "sources = [\"a.c\"]\n[[c.test]]\nname = \"t\"\ncommand = \"./a\"\nstdout-file = \"{path}\""
        ));
        assert_eq!(
            why,
            format!("cannot read {path}: it is not a file; name a text file")
        );
    }
}

#[test]
fn a_time_limit_beyond_all_time_is_refused() {
    let why = refusal("sources = [\"a.c\"]\ntimeout = 1e18");
    assert!(why.contains("is not a positive number of seconds"), "{why}");
}

#[test]
fn the_words_of_a_file_are_arguments_and_nothing_else() {
    for (text, words) in [
        ("a b\nc d\r\n", &["a", "b", "c", "d"][..]),
        ("1 \"2 3\"\n", &["1", "2 3"]),
        (
            "x\ntouch $HOME; ls > y",
            &["x", "touch", "$HOME;", "ls", ">", "y"],
        ),
        ("it's 5", &["it's", "5"]),
        ("\"#1\" #2", &["\"#1\"", "#2"]),
        ("", &[]),
    ] {
        let command = format!("./p {}", arguments(text));
        match Command::parse(&command) {
            Command::Words(parsed) => assert_eq!(parsed[1..], *words, "{command}"),
            other => panic!("{command}: {other:?}"),
        }
    }
}

#[test]
fn a_glob_matches_links_to_files_of_the_program() {
    let dir = program();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::create_dir_all(root.join("linked")).unwrap();
    std::os::unix::fs::symlink("../a.c", root.join("linked/b.c")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("linked/c.c")).unwrap();
    let found = files(root, "linked/*.c").unwrap();
    assert_eq!(found, [("linked/b.c".into(), "b".to_owned())]);
}
