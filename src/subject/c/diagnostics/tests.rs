//! Compilers' output, real and damaged: what is read of it points into files, or at least nowhere else.

use std::fs;

use camino::Utf8Path;
use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{read, shim};

const TEXT: &str =
    "#include <nopol.h>\n#line 1\nint a;\n\n#line 1000000\nSEE(x)\n#line 2\nint b = X(nix);\n";

const JSON: &str = r#"[{"kind":"warning","message":"w","locations":[]},{"kind":"error","message":"'nix' undeclared","children":[{"kind":"note","message":"n","locations":[{"caret":{"file":"a.c","line":1,"byte-column":5,"column":5}}]}],"option":"-Werror=x","locations":[{"caret":{"file":"a.c","line":2,"display-column":11,"byte-column":11,"column":11},"finish":{"file":"a.c","line":2,"byte-column":13,"column":13}}]}]"#;

const PLAIN: &str = "a.c:2:11: error: use of undeclared identifier 'nix'";

const WORDS: &[&str] = &[
    "kind",
    "error",
    "fatal error",
    "message",
    "locations",
    "children",
    "caret",
    "start",
    "finish",
    "file",
    "line",
    "column",
    "byte-column",
    "a.c",
    "d.c",
    "lines.c",
    "/dev/zero",
    "pipe",
    "..",
];

/// A directory with the source, the directory `sub`, and a file that nobody ever writes to.
fn sources() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.c"), TEXT).unwrap();
    fs::write(
        at("lines.c"),
        format!("#line {}\nint a;\nint b;\n", usize::MAX),
    )
    .unwrap();
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    dir
}

fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = sources();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    how(&|bytes| point_somewhere(root, bytes));
}

fn point_somewhere(root: &Utf8Path, bytes: &[u8]) -> TestCaseResult {
    let printed = String::from_utf8_lossy(bytes);
    for error in read(root, &printed) {
        for span in error.spans {
            prop_assert!(span.bytes.start < span.bytes.end, "{:?}", span);
            prop_assert!(span.file.is_file(), "{:?}", span);
        }
    }
    Ok(())
}

fn inputs() -> impl Strategy<Value = Input> {
    let both = format!("make: *** [a]\n{}.\n{JSON}\n{PLAIN}\n", shim::DIRECTORY);
    documents(&[JSON.as_bytes(), PLAIN.as_bytes(), both.as_bytes()], WORDS)
}

#[test]
fn whatever_compilers_print_is_read() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many outputs"]
fn many_things_that_compilers_could_print_are_read() {
    run(|property| many(inputs(), property));
}

#[test]
fn errors_are_found_in_the_text_that_was_compiled() {
    let dir = sources();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    for printed in [JSON, PLAIN] {
        let errors = read(root, &format!("make: nothing\n{printed}\n"));
        assert_eq!(errors.len(), 1, "{errors:?}");
        let span = &errors[0].spans[0];
        assert!(TEXT[span.bytes.start..].starts_with("nix"), "{span:?}");
        assert!(errors[0].rendered.contains("a.c:2:11: error: "));
    }
}

#[test]
fn an_error_in_what_is_no_file_points_nowhere() {
    let dir = sources();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    for file in ["/dev/zero", "pipe", "", "nowhere.c"] {
        let errors = read(root, &format!("{file}:1:1: error: e"));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].spans.is_empty(), "{errors:?}");
    }
}

#[test]
fn lines_are_counted_from_the_largest_number_on() {
    let dir = sources();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let errors = read(root, &format!("lines.c:{}:5: error: e", usize::MAX));
    assert_eq!(errors[0].spans.len(), 1, "{errors:?}");
}

#[test]
fn a_linker_names_an_undefined_function() {
    let dir = sources();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let printed = "/usr/bin/ld: x.a(a.o): in function `f':\n/usr/bin/ld: a.c:2: undefined reference to `g'\n\
                   /usr/bin/ld: a.c:(.text+0x1): undefined reference to `g'\n";
    let errors = read(root, printed);
    let spans: Vec<usize> = errors.iter().map(|error| error.spans.len()).collect();
    assert_eq!(spans, [1, 0], "{errors:?}");
    assert_eq!(errors[1].message, "undefined reference to `g'");
}
