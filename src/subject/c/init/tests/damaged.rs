//! Damaged compilation databases: each yields a description that can be read, or a message that says what is wrong.

use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{Dir, MAIN, NAME, fs};

const DATABASE: &[u8] = br#"[{"directory": "/p", "command": "cc -c a.c -o a.o", "file": "a.c"},
{"directory": ".", "arguments": ["cc", "-c", "b.c"], "file": "b.c", "output": "b.o"}]"#;

const WORDS: &[&str] = &[
    "a.c",
    "../a.c",
    "..",
    ".",
    "file",
    "arguments",
    "directory",
    "command",
    "'",
    "\"",
    "-I",
    "-D",
];

fn is_described_or_refused(dir: &Dir, bytes: &[u8]) -> TestCaseResult {
    let build_file = dir.path().join("compile_commands.json");
    let path = dir.path().join(NAME);
    fs::write(&build_file, bytes)?;
    let written = dir.written();
    // What is written was read once.
    prop_assert_eq!(written.is_ok(), path.exists());
    if path.exists() {
        fs::remove_file(&path)?;
    }
    fs::remove_file(&build_file)?;
    Ok(())
}

/// Runs the property for databases beside two sources.
fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = Dir::new(&[("a.c", MAIN), ("b.c", "int b;\n")]);
    how(&|bytes| is_described_or_refused(&dir, bytes));
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(&[DATABASE], WORDS)
}

#[test]
fn any_database_is_described_or_refused() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many files"]
fn many_databases_are_described_or_refused() {
    run(|property| many(inputs(), property));
}
