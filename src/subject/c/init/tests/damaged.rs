//! Damaged build files: each yields a description that can be read, or a message that says what is wrong.

use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{Dir, MAIN, NAME, fs, init};

const MAKE: &[u8] = b"CC ?= gcc
SRC = a.c $(wildcard b*.c) \\
  b.c
OBJ := $(SRC:.c=.o)
OBJ += c.o # more
export X = 1
all: a
ifeq ($(X),1)
a: ${OBJ} | dir
\t$(CC) -o $@ $^ $$HOME
endif
%.o: %.c
\t$(CC) -c $<
test check: a
\t./a < tests/1.in
";

const CMAKE: &[u8] = b"cmake_minimum_required(VERSION 3.10)
project(p C) # one
set(NAME \"${PROJECT_NAME}_x\")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(${NAME} a.c b.c)
add_subdirectory(sub)
enable_testing()
add_test(NAME one COMMAND $<TARGET_FILE:${NAME}> 1 WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(one PROPERTIES WILL_FAIL TRUE)
";

const DATABASE: &[u8] = br#"[{"directory": "/p", "command": "cc -c a.c -o a.o", "file": "a.c"},
{"directory": ".", "arguments": ["cc", "-c", "b.c"], "file": "b.c", "output": "b.o"}]"#;

const WORDS: &[&str] = &[
    "$(A)",
    "${A}",
    "A",
    "SRC",
    "OBJ",
    "+=",
    ":=",
    "a.c",
    "../a.c",
    "test",
    "check",
    "set",
    "add_test",
    "add_subdirectory",
    "NAME",
    "COMMAND",
    "PROPERTIES",
    "${NAME}${NAME}",
    "sub",
    "..",
    ".",
    "file",
    "arguments",
    "directory",
    "'",
    "\"",
    "(",
    ")",
];

fn is_described_or_refused(dir: &Dir, bytes: &[u8]) -> TestCaseResult {
    let name = match bytes.first() {
        Some(b'[') => "compile_commands.json",
        Some(b'c') => "CMakeLists.txt",
        _ => "Makefile",
    };
    let (build_file, path) = (dir.path().join(name), dir.path().join(NAME));
    fs::write(&build_file, bytes)?;
    let written = init(dir.path());
    // What is written was read once.
    prop_assert_eq!(written.is_ok(), path.exists());
    if path.exists() {
        fs::remove_file(&path)?;
    }
    fs::remove_file(&build_file)?;
    Ok(())
}

/// Runs the property for build files beside two sources.
fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = Dir::new(&[
        ("a.c", MAIN),
        ("b.c", "int b;\n"),
        ("sub/CMakeLists.txt", "set(A b)\n"),
    ]);
    how(&|bytes| is_described_or_refused(&dir, bytes));
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(&[MAKE, CMAKE, DATABASE], WORDS)
}

#[test]
fn any_build_file_is_described_or_refused() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many files"]
fn many_build_files_are_described_or_refused() {
    run(|property| many(inputs(), property));
}

#[test]
fn directories_that_contain_each_other_are_read_once() {
    let lists = "add_subdirectory(.)\nadd_subdirectory(sub/..)\nadd_executable(p a.c)\n";
    let dir = Dir::new(&[
        ("a.c", MAIN),
        ("sub/b.c", "int b;\n"),
        ("CMakeLists.txt", lists),
    ]);
    let (_, text, _) = dir.init();
    assert!(text.contains("cmake"), "{text}");
}

#[test]
fn a_variable_that_multiplies_is_not_followed_to_the_end() {
    let lists = "set(A a)\n".to_owned() + &"set(A \"${A}${A}${A}${A}\")\n".repeat(40);
    let dir = Dir::new(&[
        ("a.c", MAIN),
        ("CMakeLists.txt", &(lists + "add_executable(p a.c)\n")),
    ]);
    let (_, text, _) = dir.init();
    assert!(text.contains("cmake"), "{text}");
}
