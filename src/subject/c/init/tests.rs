//! The files generated for programs of each kind.

mod damaged;

use std::fs;

use camino::Utf8PathBuf;

use super::tools::Answer;
use super::*;
use crate::subject::c::Program;

/// A machine without build tools.
struct NoTools(Utf8PathBuf);

impl Tools for NoTools {
    fn root(&mut self) -> Result<&Utf8Path> {
        Ok(&self.0)
    }

    fn ask(&mut self, _: &Utf8Path, _: &[&str]) -> Result<Answer> {
        Ok(Answer {
            stdout: String::new(),
            failure: Some("is not installed".to_owned()),
        })
    }
}

const MAIN: &str = "#include <stdio.h>\nint main(void)\n{\n    return 0;\n}\n";

struct Dir(tempfile::TempDir);

impl Dir {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.0.path()).unwrap()
    }

    /// Writes the file where no build tool is installed.
    fn written(&self) -> Result<String> {
        let root = self.path().canonicalize_utf8().unwrap();
        write(&root, &mut NoTools(root.clone()))
    }

    /// The summary, the text of the file, and the program that it describes.
    fn init(&self) -> (String, String, Program) {
        let summary = self.written().unwrap();
        let path = self.path().join(NAME);
        let text = fs::read_to_string(&path).unwrap();
        let options = super::super::options::COptions {
            config: Some(path),
            ..Default::default()
        };
        (summary, text, config::load(&options).unwrap().1)
    }
}

fn cases(program: &Program) -> Vec<String> {
    let told = program.cases.iter().map(|case| {
        let (start, words) = case.command.start();
        format!("{}: {start} {}", case.name, words.join(" "))
    });
    told.map(|case| case.trim_end().to_owned()).collect()
}

#[test]
fn what_is_there_is_never_overwritten() {
    let dir = Dir::new(&[("a.c", MAIN), (NAME, "mine")]);
    let error = dir.written().unwrap_err().to_string();
    assert!(error.contains("nopol.toml already exists"), "{error}");
    assert_eq!(fs::read_to_string(dir.path().join(NAME)).unwrap(), "mine");
    let error = Dir::new(&[("a.py", "")]).written().unwrap_err().to_string();
    assert!(error.contains("no C file"), "{error}");
}

#[test]
fn files_alone_are_one_program() {
    let dir = Dir::new(&[
        ("area.c", MAIN),
        (
            "round.c",
            "#include <math.h>\ndouble up(double x) { return ceil(x); }\n",
        ),
        ("test_round.c", MAIN),
        ("input-1", "1\n"),
        ("output-1", "2"),
    ]);
    let (summary, text, program) = dir.init();
    assert_eq!(program.build, "cc -g -o area round.c area.c -lm");
    assert_eq!(program.sources, ["area.c", "round.c"]);
    assert_eq!(cases(&program), ["1: ./area"]);
    assert!(text.contains("\nmatch = \"space\""), "{text}");
    assert!(
        summary.contains("1 pair, `input-*` (taken as standard input of `./area`)"),
        "{summary}"
    );
}

#[test]
fn an_input_without_an_output_is_a_test_of_the_exit_code() {
    let dir = Dir::new(&[
        ("a.c", MAIN),
        ("t/one.in", "1"),
        ("t/one.out", "1\n"),
        ("t/two.in", "2"),
        ("t/two.out", "2\n"),
        ("t/crash.in", "3"),
    ]);
    let (summary, _, program) = dir.init();
    assert_eq!(cases(&program), ["crash: ./a", "one: ./a", "two: ./a"]);
    let outputs = program.cases.iter().map(|case| case.stdout.as_deref());
    assert_eq!(
        outputs.collect::<Vec<_>>(),
        [None, Some("1\n"), Some("2\n")]
    );
    assert!(summary.contains("say what `crash` must print"), "{summary}");
    let dir = Dir::new(&[("a.c", MAIN), ("crash.args", "3 4\n"), ("Makefile.in", "")]);
    let (summary, _, program) = dir.init();
    assert_eq!(cases(&program), ["crash: ./a 3 4"]);
    assert!(summary.contains("1 input, `*.args`"), "{summary}");
}

#[test]
fn a_library_has_its_test_programs_as_tests() {
    let dir = Dir::new(&[
        ("src/a.c", "int a;\n"),
        ("tests/a_test.c", MAIN),
        ("include/a.h", ""),
    ]);
    let (_, _, program) = dir.init();
    assert_eq!(
        program.build,
        "cc -g -Iinclude -o a_test src/a.c tests/a_test.c"
    );
    assert_eq!(cases(&program), ["a_test: ./a_test"]);
}

#[test]
fn a_test_is_no_source_where_a_header_has_the_functions() {
    const TEST: &str =
        "#include \"../inc/ring.h\"\nint main(void) { return next(1) != 2; } /* ends */\n";
    const RING: &str = "static inline int next(int at) { return at + 1; }\n";
    let make = (
        "Makefile",
        "ring: t/test_ring.c\n\tcc -o ring t/test_ring.c\n",
    );
    let dir = Dir::new(&[make, ("t/test_ring.c", TEST), ("inc/ring.h", RING)]);
    let (summary, _, program) = dir.init();
    assert_eq!(program.sources, ["inc/ring.h"]);
    assert!(!summary.contains("do not look like tests"), "{summary}");
    let dir = Dir::new(&[("test_ring.c", TEST), ("ring.h", RING)]);
    let (_, _, program) = dir.init();
    assert_eq!(program.sources, ["ring.h"]);
    assert_eq!(program.build, "cc -g -o test_ring test_ring.c");
    let dir = Dir::new(&[make, ("t/test_ring.c", TEST)]);
    let (summary, _, program) = dir.init();
    assert_eq!(program.sources, ["t/test_ring.c"]);
    assert!(
        summary.contains("all C files, which look like tests"),
        "{summary}"
    );
}

#[test]
fn headers_with_functions_are_sources() {
    let dir = Dir::new(&[
        ("a.c", MAIN),
        ("half.h", "static int half(int x) { return x / 2; }\n"),
        ("whole.h", "int whole(int x);\n"),
        ("tests/check.h", "static void check(void) {}\n"),
    ]);
    let (summary, _, program) = dir.init();
    assert_eq!(program.sources, ["a.c", "half.h"]);
    assert_eq!(program.build, "cc -g -o a a.c");
    assert!(
        summary.contains(", and headers with functions"),
        "{summary}"
    );
}

#[test]
fn of_several_programs_one_is_chosen() {
    let dir = Dir::new(&[("main.c", MAIN), ("aside.c", MAIN), ("main/x", "")]);
    let (summary, text, program) = dir.init();
    assert_eq!(program.build, "cc -g -o main.out main.c");
    assert_eq!(program.sources, ["main.c"]);
    assert!(summary.contains("aside.c also has a `main`"), "{summary}");
    assert!(summary.contains("add tests. None were found"), "{summary}");
    // The example is valid once it is uncommented.
    let example = text
        .split_once("# [[c.test]]")
        .unwrap()
        .1
        .replace("\n# ", "\n");
    let whole = format!("{text}[[c.test]]{example}");
    let program = config::parse(dir.path(), Utf8Path::new(NAME), &whole).unwrap();
    assert_eq!(cases(&program), ["name of the test: ./main.out"]);
}

#[test]
fn a_compilation_database_tells_the_sources() {
    let dir = Dir::new(&[
        ("CMakeLists.txt", "add_executable(x a.c)"),
        ("a.c", MAIN),
        ("b.c", ""),
        ("tests/t.c", ""),
    ]);
    let root = dir.path().canonicalize_utf8().unwrap();
    let entry = |file: String| {
        format!(r#"{{"directory": "{root}/build", "command": "cc", "file": "{file}"}}"#)
    };
    let entries = [
        entry(format!("{root}/a.c")),
        entry("../tests/t.c".to_owned()),
        entry("../a.c".to_owned()),
    ];
    fs::create_dir(root.join("build")).unwrap();
    fs::write(
        root.join("build/compile_commands.json"),
        format!("[{}]", entries.join(",")),
    )
    .unwrap();
    fs::write(root.join("build/CMakeCache.txt"), "").unwrap();
    let (summary, _, program) = dir.init();
    assert_eq!(program.sources, ["a.c"]);
    // CMake refuses a cache that was created in another directory.
    assert!(
        program.build.starts_with("cmake -S . -B nopol-build "),
        "{}",
        program.build
    );
    assert!(
        summary.contains("sources: a.c, listed in build/compile_commands.json"),
        "{summary}"
    );
}

#[test]
fn a_compilation_database_gives_the_options_that_the_text_needs() {
    let dir = Dir::new(&[("src/a.c", MAIN), ("src/b.c", ""), ("inc/k.h", "")]);
    let root = dir.path().canonicalize_utf8().unwrap();
    let entries = format!(
        r#"[{{"directory": "{root}/out", "file": "../src/a.c",
             "command": "/usr/bin/gcc -O2 -Wall -I../inc -isystem /opt/x -DNAME='\"a b\"' -std=c99 -o a.o -c ../src/a.c"}},
            {{"directory": "{root}", "file": "src/b.c",
             "arguments": ["gcc", "-D", "ONLY=1", "-I", "inc", "-MD", "-MF", "b.d", "-c", "src/b.c"]}}]"#
    );
    fs::write(root.join("compile_commands.json"), entries).unwrap();
    let (summary, _, program) = dir.init();
    let options = r#"-Iinc -isystem/opt/x '-DNAME="a b"' '-std=c99' '-DONLY=1'"#;
    assert_eq!(
        program.build,
        format!("cc -g {options} -o a src/b.c src/a.c")
    );
    let todo = "check `build`: compile_commands.json compiles each file with its own options";
    assert!(summary.contains(todo), "{summary}");
}
