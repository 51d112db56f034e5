//! `cargo nopol c --init`, and a repair with what it writes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::common::{Run, Subject};
use crate::review::typed;

/// Says 1 of 0: `>=` should be `>`.
const SIGN: &str = r#"#include <stdio.h>

static int sign(int x)
{
    if (x >= 0)
        return 1;
    if (x < 0)
        return -1;
    return 0;
}

int main(void)
{
    int x;

    while (scanf("%d", &x) == 1)
        printf("%d\n", sign(x));
    return 0;
}
"#;

fn nopol(subject: &Subject, args: &[&str]) -> Run {
    let mut command: Command = subject.command(args);
    command.env("XDG_CACHE_HOME", subject.root.with_file_name("cache"));
    command.output().unwrap().into()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_program_is_repaired_with_the_file_that_is_written() {
    let subject = Subject::new(&[
        ("sign.c", SIGN),
        ("tests/nothing.in", "0\n"),
        ("tests/nothing.out", "0\n"),
        ("tests/more.in", "1\n7\n"),
        ("tests/more.out", "1\n1\n"),
        ("tests/less.in", "-1\n-9\n"),
        ("tests/less.out", "-1\n-1\n"),
    ]);
    let run = nopol(&subject, &["c"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr.contains("cargo nopol c --init"),
        "{}",
        run.stderr
    );

    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in ["cc -g -o sign sign.c", "3 pairs", "`tests/*.in`"] {
        assert!(
            run.stdout.contains(words),
            "`{words}` is not in:\n{}",
            run.stdout
        );
    }

    let run = nopol(&subject, &["c", "--format", "json"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(report["outcome"], "patched");
    assert_eq!(report["patches"][0]["edits"][0]["file"], "sign.c");
    let diff = report["patches"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+    if (x > 0)"), "{diff}");

    let written = subject.read("nopol.toml");
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("nopol.toml already exists"),
        "{}",
        run.stderr
    );
    assert_eq!(subject.read("nopol.toml"), written);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_makefile_of_which_the_first_target_runs_the_tests_is_built_without_them() {
    let makefile = "all: check\nsign: sign.o\n\t$(CC) -o $@ sign.o\n\
                    check: sign\n\ttest \"$$(echo 0 | ./sign)\" = 0\n";
    let subject = Subject::new(&[
        ("sign.c", SIGN),
        ("Makefile", makefile),
        ("tests/nothing.in", "0\n"),
        ("tests/nothing.out", "0\n"),
        ("tests/more.in", "1\n7\n"),
        ("tests/more.out", "1\n1\n"),
        ("tests/less.in", "-1\n-9\n"),
        ("tests/less.out", "-1\n-1\n"),
    ]);
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let told = "plain `make` also builds the target `check`, whose failure would end the build";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    let run = nopol(&subject, &["c", "--format", "json"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let diff = run.json()["patches"][0]["diff"].to_string();
    assert!(diff.contains("+    if (x > 0)"), "{diff}");
}

/// The summary and the text of the file that `--init` writes beside these files.
fn written(files: &[(&str, &str)]) -> (String, String) {
    let subject = Subject::new(files);
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    (run.stdout, subject.read("nopol.toml"))
}

const MAIN: &str = "int main(void) { return 0; }\n";

#[test]
fn make_says_what_it_links_and_how_it_tests() {
    let makefile = "NAME = $(shell echo calc)\nall: out/$(NAME) sub\nout/$(NAME): a.o\n\tmkdir -p out && $(CC) -o $@ a.o\n\
        ifeq ($(OS),Windows_NT)\nall: other\nother: a.o\n\t$(CC) -o $@ a.o\nendif\n\
        sub:\n\t$(MAKE) -C below\ntest: all\n\t@./test.sh seven && ./out/$(NAME)\n.PHONY: all sub test\n";
    let (summary, text) = written(&[
        ("Makefile", makefile),
        ("a.c", MAIN),
        ("below/Makefile", "q: q.o\n"),
        ("below/q.c", MAIN),
        (
            "test.sh",
            "#!/bin/sh\ncase $1 in\nseven) ./out/calc 7 ;;\nesac\n",
        ),
        ("t/x.args", "1 2\n"),
        ("t/x.out", "3\n"),
    ]);
    assert!(text.contains("\nbuild = \"make\"\n"), "{text}");
    assert!(
        text.contains("command = \"out/calc {args-file}\"\n"),
        "{text}"
    );
    assert!(
        text.contains("#     ./test.sh seven && ./out/calc\n"),
        "{text}"
    );
    assert!(summary.contains("target `test` of Makefile"), "{summary}");
    let todo = "it runs out/calc, and the build also makes below/q";
    assert!(summary.contains(todo), "{summary}");
}

#[test]
fn a_target_that_links_and_runs_is_taken_apart() {
    let files = |makefile: &'static str| {
        let main =
            "void one(void) {}\nvoid two(void) {}\nint main(void) { one(); two(); return 0; }\n";
        let more = ("sum.c", "int sum(int a, int b) { return a + b; }\n");
        [
            ("Makefile", makefile),
            ("test_sum.c", main),
            ("check.c", MAIN),
            more,
        ]
    };
    let (_, text) = written(&files(
        "sum.o: sum.c\n\t$(CC) -c -o $@ sum.c\ntest: test_sum.c sum.o\n\t$(CC) -o test_sum test_sum.c sum.o\n\t./test_sum\n",
    ));
    assert!(
        text.contains("\nbuild = \"make && cc -o test_sum test_sum.c sum.o\"\n"),
        "{text}"
    );
    assert!(text.contains("\ncommand = \"./test_sum\"\n"), "{text}");
    let (_, text) = written(&files(
        "all: check\ncheck: check.c\n\t$(CC) -o it check.c && ./it\n",
    ));
    assert!(text.contains("\nbuild = \"cc -o it check.c\"\n"), "{text}");
    assert!(text.contains("\ncommand = \"./it\"\n"), "{text}");
    let (summary, text) = written(&files(
        "all: test test_again cpp\n.PHONY: all test test_again cpp\nsum.o: sum.c\n\t$(CC) -c -o $@ sum.c\n\
         test: sum.o\n\t$(CC) -o $@ test_sum.c sum.o\n\t./$@\n\
         test_again: sum.o\n\t$(CC) -o $@ check.c sum.o\n\t./$@\n\
         cpp: sum.o\n\tc++ -o $@ test_sum.c sum.o\n\t./$@\n",
    ));
    let build = "make sum.o && cc -o test test_sum.c sum.o && cc -o test_again check.c sum.o";
    assert!(text.contains(&format!("\nbuild = \"{build}\"\n")), "{text}");
    assert!(text.contains("\ncommand = \"./test\"\n"), "{text}");
    assert!(text.contains("\ncommand = \"./test_again\"\n"), "{text}");
    assert!(!text.contains("./cpp"), "{text}");
    assert!(
        summary.contains("whose failure would end the build, so"),
        "{summary}"
    );
}

#[test]
fn generated_files_and_test_frameworks_are_no_sources() {
    let makefile =
        "p: p.c parser.c tinytest/tinytest.c\n\t$(CC) -o $@ p.c parser.c tinytest/tinytest.c\n";
    let (summary, text) = written(&[
        ("Makefile", makefile),
        ("p.c", MAIN),
        (
            "parser.c",
            "/* A Bison parser, made by GNU Bison 3.8. */\nint x;\n",
        ),
        ("tinytest/tinytest.c", "int y;\n"),
    ]);
    assert!(text.contains("sources = [\n    \"p.c\",\n]"), "{text}");
    let left_out = "without 1 generated file and 1 file of a test framework";
    assert!(summary.contains(left_out), "{summary}");
}

#[test]
fn a_makefile_that_make_cannot_read_is_no_reason_to_write_nothing() {
    let (summary, text) = written(&[("Makefile", "all: none.c\n"), ("a.c", MAIN)]);
    assert!(text.contains("\nbuild = \"make\"\n"), "{text}");
    let reason = "fails: make: *** No rule to make target 'none.c', needed by 'all'.  Stop.";
    assert!(summary.contains(reason), "{summary}");
}

#[test]
#[ignore = "make test-full: it needs cmake"]
fn cmake_says_which_programs_and_tests_there_are() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(Calc C)\nadd_executable(${PROJECT_NAME} a.c)\n\
        enable_testing()\nadd_subdirectory(t)\nadd_test(NAME two COMMAND Calc 1 \"1 +\")\n\
        if(WIN32)\nadd_test(NAME win COMMAND Calc)\nendif()\n\
        foreach(one 7 8)\nadd_test(NAME n${one} COMMAND Calc ${one} ${CMAKE_SOURCE_DIR}/in)\nendforeach()\n\
        add_test(NAME bad COMMAND Calc)\nset_tests_properties(bad PROPERTIES WILL_FAIL TRUE)\n\
        add_test(NAME worse COMMAND Calc)\nset_property(TEST worse PROPERTY PASS_REGULAR_EXPRESSION x)\n";
    let below = "add_executable(test_a a.c)\nadd_test(a test_a)\n\
        add_test(NAME in COMMAND $<TARGET_FILE:test_a> x WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/t)\n";
    let subject = Subject::new(&[
        ("CMakeLists.txt", lists),
        ("t/CMakeLists.txt", below),
        ("a.c", MAIN),
        ("t/a.c", MAIN),
        ("windows.c", "#error"),
    ]);
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (summary, text) = (run.stdout, subject.read("nopol.toml"));
    let build = "cmake -S . -B nopol-build -DCMAKE_BUILD_TYPE=Debug && cmake --build nopol-build --parallel 4";
    assert!(text.contains(build), "{text}");
    for (name, command, cwd) in [
        ("a", "./test_a", "nopol-build/t"),
        ("in", "../nopol-build/t/test_a x", "t"),
        ("two", "./Calc 1 '1 +'", "nopol-build"),
        ("n7", "./Calc 7 ../in", "nopol-build"),
        ("n8", "./Calc 8 ../in", "nopol-build"),
    ] {
        let table =
            format!("[[c.test]]\nname = \"{name}\"\ncommand = \"{command}\"\ncwd = \"{cwd}\"\n");
        assert!(text.contains(&table), "{text}");
    }
    assert!(!text.contains("\"win\""), "{text}");
    assert!(
        text.contains("sources = [\n    \"a.c\",\n    \"t/a.c\",\n]"),
        "{text}"
    );
    assert!(summary.contains("left out: bad, worse"), "{summary}");
    // The directory is as it was, and the file can be used.
    let names = std::fs::read_dir(&subject.root).unwrap();
    assert_eq!(names.count(), 5);
    let run = nopol(&subject, &["c", "list"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it needs cmake"]
fn tests_that_cannot_be_described_are_left_to_the_user() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nenable_testing()\n\
        add_executable(x a.c)\nadd_test(NAME 1 COMMAND x)\nadd_subdirectory(below)\n";
    let (summary, text) = written(&[
        ("a.c", MAIN),
        ("CMakeLists.txt", lists),
        ("below/CMakeLists.txt", "add_test(NAME 1 COMMAND x)\n"),
    ]);
    assert!(!text.contains("\n[[c.test]]"), "{text}");
    assert!(summary.contains("two tests have the name `1`"), "{summary}");
    let (summary, _) = written(&[("a.c", MAIN), ("CMakeLists.txt", "nonsense(\n")]);
    assert!(
        summary.contains("so CMakeLists.txt was not read"),
        "{summary}"
    );
}

/// Without a description, the tool offers to write one and then searches; it asks nobody who is not there.
#[test]
fn a_program_without_a_description_is_offered_one() {
    let subject = Subject::fixture("c/sorted-list", "sorted-list");
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();
    let question = "Write one for the program in this directory, and search? [y/N] ";
    let (code, shown) = typed(subject.c_command(&["--quick"]), &[(question, "n")], |_| {});
    assert_eq!(code, Some(2), "{shown}");
    assert!(
        shown.contains("write one with `cargo nopol c --init`"),
        "{shown}"
    );
    assert!(!subject.root.join("nopol.toml").exists());
    let unasked = subject.nopol_c(&["--quick"]);
    assert!(
        !unasked.stdout.contains(question) && unasked.code == 2,
        "{}",
        unasked.stdout
    );
    let (code, shown) = typed(subject.c_command(&["--quick"]), &[(question, "y")], |_| {});
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("Wrote nopol.toml") && shown.contains("low <= high"),
        "{shown}"
    );
}

#[test]
fn each_function_of_a_test_program_is_a_test() {
    let subject = Subject::fixture("c/test-functions", "test-functions");
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let words = "tests: 1 command, from the target `check` of Makefile; each of its test functions is a test";
    assert!(run.stdout.contains(words), "{}", run.stdout);
    let run = nopol(&subject, &["c", "localize", "--top", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let first = run.stdout.lines().find(|line| line.contains("ring.c:"));
    assert!(
        first.is_some_and(|line| line.contains("ring.c:14")),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("5 pass, 1 fail"), "{}", run.stderr);
}

/// `test_more` needs what `test_first` leaves behind.
const DEPENDENT: &str = r#"#include <assert.h>
int sign(int x);
static int seen;
static void test_first(void) { seen = 1; assert(sign(-1) == -1); }
static void test_more(void) { assert(seen == 1); assert(sign(7) == 1); }
static void test_null(void) { assert(sign(0) == 0); }
int main(void) { test_first(); test_more(); return 0; }
"#;

#[test]
fn functions_that_depend_on_one_another_are_one_test() {
    let toml = "[c]\nsources = [\"sign.c\"]\nbuild = \"cc -DLIBRARY -o t sign.c t.c\"\n\
        [[c.test]]\nname = \"all\"\ncommand = \"./t\"\nfunctions = [\"t.c\"]\n";
    let sign = SIGN
        .replace("int main(void)", "int unused(void)")
        .replace("static int sign", "int sign");
    let subject = Subject::new(&[("sign.c", &sign), ("t.c", DEPENDENT), ("nopol.toml", toml)]);
    let run = nopol(&subject, &["c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let words =
        "`all` counts as one test: the program passes, but 1 of its 2 test functions fails alone";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    let one = "int main(void) { return 0; }\n";
    fs::write(subject.root.join("t.c"), one).unwrap();
    let run = nopol(&subject, &["c"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr.contains("fewer than two test functions"),
        "{}",
        run.stderr
    );
}

/// Whether or not CMake is installed: its file adds no test.
#[test]
fn a_makefile_may_know_the_tests_where_cmake_has_none() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(x sign.c)\n";
    let makefile =
        "x: sign.c\n\tcc -o x sign.c\ntest: x\n\tfor n in 1 2; do ./x $$n; done\n\t./x -v\n";
    let (summary, text) = written(&[
        ("sign.c", SIGN),
        ("CMakeLists.txt", lists),
        ("Makefile", makefile),
    ]);
    let words = "tests: 3 commands, from the target `test` of Makefile";
    assert!(summary.contains(words), "{summary}");
    for command in ["./x 1", "./x 2", "./x -v"] {
        let line = format!("command = \"{command}\"\n");
        assert!(text.contains(&line), "{text}");
    }
    assert!(text.contains("build = \"make\"\n"), "{text}");
}

/// What `--init` writes for a program whose `configure` script makes the makefile.
fn configured(makefile: &str, more: &[(&str, &str)]) -> (String, String) {
    let files = [
        (
            "configure",
            "#!/bin/sh\nsed s/@LIB@/sum.c/ Makefile.in > Makefile\n",
        ),
        ("Makefile.in", makefile),
        ("sum.c", "int sum(int a, int b)\n{\n    return a + b;\n}\n"),
        (
            "one.c",
            "int sum(int, int);\nint main(void)\n{\n    return sum(1, 1) != 2;\n}\n",
        ),
    ];
    let subject = Subject::new(&[&files[..], more].concat());
    let script = subject.root.join("configure");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let run = nopol(&subject, &["c", "--init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!subject.root.join("Makefile").exists());
    (run.stdout, subject.read("nopol.toml"))
}

#[test]
fn a_configure_script_is_run_in_a_copy_and_its_makefile_read() {
    let makefile =
        "all: sum.o\ncheck: one\n\t./one\none: one.c @LIB@\n\t$(CC) -o one one.c @LIB@\n";
    let (summary, file) = configured(makefile, &[]);
    let words = "tests: 1 command, from the target `check` of Makefile";
    assert!(summary.contains(words), "{summary}");
    assert!(
        file.contains(r#"build = "./configure && make && make one""#),
        "{file}"
    );
    assert!(file.contains(r#"command = "./one""#), "{file}");
}

#[test]
fn automake_says_which_tests_there_are() {
    // What counts of what automake writes.
    let makefile = "# Makefile.in generated by automake 1.16.5 from Makefile.am.\n\
        check_PROGRAMS = one\nTESTS = one two.sh\nTEST_EXTENSIONS = .sh\nSOURCES = @LIB@ one.c\n\
        SH_LOG_COMPILER = sh\none_SOURCES = one.c\nall:\n\
        one: one.c @LIB@\n\t$(CC) -o one one.c @LIB@\n";
    let (summary, file) = configured(makefile, &[("Makefile.am", ""), ("two.sh", "./one\n")]);
    let words = "tests: 2 commands, from the Makefile.am files";
    assert!(summary.contains(words), "{summary}");
    assert!(
        file.contains(r#"build = "./configure && make -j4 && make -j4 one""#),
        "{file}"
    );
    assert!(file.contains(r#"command = "./one""#), "{file}");
    assert!(file.contains("sh ./two.sh || test $? -eq 77"), "{file}");
}
