//! Whatever is wrong with a C program gets a sentence, the documented exit code, and nothing is lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Run, Subject, strings};

/// A bug, tests around it, and room for more: `>` should be `>=`.
pub const GRADES: &str = r#"#include <stdio.h>
#include <stdlib.h>

/* Whether a score is enough. */
static int passes(int score, int needed)
{
    if (score > needed)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    puts(passes(atoi(argv[1]), atoi(argv[2])) ? "yes" : "no");
    return 0;
}
"#;

pub const BUILD: &str = r#"[c]
sources = ["grades.c"]
build = "cc -std=c99 -g -o grades grades.c"
timeout = 2
"#;

const PASSING: &str = r#"
[[c.test]]
name = "more-is-enough"
command = "./grades 51 50"
stdout = "yes\n"

[[c.test]]
name = "much-more-is-enough"
command = "./grades 80 70"
stdout = "yes\n"

[[c.test]]
name = "less-is-not"
command = "./grades 49 50"
stdout = "no\n"

[[c.test]]
name = "much-less-is-not"
command = "./grades 60 70"
stdout = "no\n"
"#;

pub const FAILING: &str = r#"
[[c.test]]
name = "just-enough-is-enough"
command = "./grades 50 50"
stdout = "yes\n"
"#;

/// All of `nopol.toml`.
pub fn config() -> String {
    [BUILD, PASSING, FAILING].concat()
}

/// The program with its tests.
pub fn grades() -> Subject {
    program(GRADES, &config())
}

pub fn program(source: &str, config: &str) -> Subject {
    Subject::new(&[("grades.c", source), ("nopol.toml", config)])
}

/// The report of a run that ends so, and says so in all of these words.
pub fn report(run: &Run, code: i32, outcome: &str, words: &[&str]) -> Value {
    assert_eq!(run.code, code, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(report["outcome"], outcome, "{}", run.stderr);
    let message = report["message"].as_str().unwrap_or_default();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
    // Whoever has no JSON reads errors where errors are.
    let is_error = code > 1 && outcome != "time-limit";
    assert_eq!(
        run.stderr.contains(&format!("error: {message}")),
        is_error,
        "{}",
        run.stderr
    );
    report
}

/// The outcome of a run on a subject as JSON, held against what it should be.
pub fn ends(subject: &Subject, args: &[&str], code: i32, outcome: &str, words: &[&str]) -> Value {
    let before = subject.snapshot();
    let mut all = vec!["--format", "json"];
    all.extend(args);
    let report = report(&subject.nopol_c(&all), code, outcome, words);
    assert!(subject.snapshot() == before, "the subject was changed");
    assert!(!subject.has_working_copy(), "a working copy was left");
    report
}

pub fn is_usage_error(config: &str, words: &[&str]) {
    ends(&program(GRADES, config), &[], 2, "usage-error", words);
}

/// The one right patch is first.
pub fn is_repaired(subject: &Subject, args: &[&str]) -> Value {
    let report = ends(subject, args, 0, "patched", &[]);
    let edit = &report["patches"][0]["edits"][0];
    assert_eq!(edit["condition"], "score >= needed", "{edit}");
    report
}

pub fn warns(report: &Value, words: &[&str]) {
    let warnings = strings(&report["warnings"]).join("\n");
    for word in words {
        assert!(warnings.contains(word), "`{word}` is not in:\n{warnings}");
    }
}

#[test]
fn without_a_compiler_the_program_cannot_be_built() {
    let subject = grades();
    let path = subject.beside("bin");
    fs::create_dir(&path).unwrap();
    for name in ["sh", "cat", "cp", "ls", "mkdir", "rm"] {
        let there = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(name));
        let there = there.iter().find(|there| there.exists()).unwrap();
        symlink(there, path.join(name)).unwrap();
    }
    let mut command = subject.c_command(&["--format", "json"]);
    let run: Run = command.env("PATH", &path).output().unwrap().into();
    let words = ["does not build", "cc: ", "not found", "`cc -std=c99"];
    report(&run, 3, "cannot-build", &words);
    assert!(!subject.has_working_copy());
}

#[test]
fn a_program_that_does_not_compile_shows_the_compilers_own_message() {
    let source = GRADES.replace("return 1;", "return enough;");
    let words = ["grades.c:8:", "enough", "undeclared", "Make `cc -std=c99"];
    ends(&program(&source, &config()), &[], 3, "cannot-build", &words);
}

#[test]
fn a_build_command_that_says_nothing_is_named() {
    let silent = config().replace("cc -std=c99 -g -o grades grades.c", "exit 7");
    let words = ["`exit 7` fails without a message"];
    ends(&program(GRADES, &silent), &[], 3, "cannot-build", &words);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn warnings_that_are_made_errors_are_in_nobodys_way() {
    let source = GRADES.replace("return 1;", "return 1; else;");
    let denied = config().replace("cc ", "cc -Wextra -Werror ");
    let report = is_repaired(&program(&source, &denied), &[]);
    warns(&report, &["warnings are switched off"]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_function_that_only_the_compiler_can_parse_is_named_and_the_others_are_repaired() {
    let odd = "#define BEGIN {\n#define END }\nint twice(int x) BEGIN if (x > 0) return 2 * x; return 0; END\n";
    let source = format!("{GRADES}\n{odd}");
    let report = is_repaired(&program(&source, &config()), &[]);
    let line = source.lines().position(|line| line.contains("twice"));
    let words = format!(
        "grades.c: line {}: what begins with `int twice(int x) BEGIN",
        line.unwrap() + 1
    );
    warns(&report, &[&words, "this line is not searched"]);
    assert_eq!(strings(&report["warnings"]).len(), 1, "{report}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_function_that_cannot_be_parsed_is_named_with_its_lines() {
    let odd = "#define TRY(x) if (x) {\n#define OR } else {\nint more(int x)\n{\n    TRY(x > 4)\n        return 1;\n    OR\n        return 0;\n    }\n}\n";
    let old = "int old(a, b)\nint a;\nstruct none *b;\n{\n    return a > 2;\n}\n";
    let source = format!("{odd}\n{GRADES}\nstruct none;\n{old}");
    let report = is_repaired(&program(&source, &config()), &[]);
    let warnings = strings(&report["warnings"]).join("\n");
    let named = "`more`, lines 3 to 10, cannot be parsed; this function is not searched";
    assert!(warnings.contains(named), "{warnings}");
    assert!(!warnings.contains("this file"), "{warnings}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn definitions_of_macros_are_no_damage() {
    let odd = "enum kind { ONE,\n#define OPEN {\n#define CLOSE }\n    TWO };\n\
               #define BRANCH(x) if (x) { /* of two\n    lines */\n\
               int squares[] = { 1,\n#define FOUR (2 * \\ \n    2)\n    4 };\n";
    let source = GRADES.replace("\n/* Whether", &format!("{odd}\n/* Whether"));
    assert!(source.contains("BRANCH"));
    let report = is_repaired(&program(&source, &config()), &[]);
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
}

/// A candidate that does not compile, or has another type, changes no other one.
#[test]
fn a_floating_point_number_nearby_is_in_no_candidates_way() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    double d = 0.5;\n    \
                  int n = atoi(argv[1]) - 1;\n    printf(\"%d\\n\", argc - 2);\n    printf(\"%d %.1f\\n\", n, d);\n    return 0;\n}\n";
    let config = "[c]\nsources = [\"grades.c\"]\nbuild = \"cc -o grades grades.c\"\n\
                  [[c.test]]\nname = \"t\"\ncommand = \"./grades 3\"\nstdout = \"0\\n3 0.5\\n\"\n\
                  [[c.test]]\nname = \"u\"\ncommand = \"./grades 4 x\"\nstdout = \"1\\n4 0.5\\n\"\n";
    let options = ["--kind", "arithmetic"];
    let report = ends(&program(source, config), &options, 0, "patched", &[]);
    let patches = report["patches"].as_array().unwrap();
    let conditions = patches.iter().map(|patch| &patch["edits"][0]["after"]);
    let conditions: Vec<&str> = conditions.filter_map(Value::as_str).collect();
    assert!(conditions.contains(&"atoi(argv[1])"), "{conditions:?}");
}

/// The places of a program, as `list` shows them, without ids.
fn places(source: &str, header: &str) -> (Vec<String>, String) {
    let subject = program(source, &config());
    fs::write(subject.root.join("heads.h"), header).unwrap();
    let run = subject.nopol(&["c", "list"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let sites = run.stdout.lines().filter(|line| line.contains("grades.c:"));
    let sites = sites.map(|line| {
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        words.join(" ")
    });
    (sites.collect(), run.stderr)
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_macro_that_is_a_head_costs_only_what_it_covers() {
    let body = "\nstatic int among(const char *all)\n{\n    int n = 0;\n    HEAD {\n        if (*all > 'b')\n            n++;\n    TAIL\n    return n > 2;\n}\n\nint main";
    let source = GRADES.replace("\nint main", body);
    let source = source.replace("argc != 3", "argc > 4 && among(argv[1])");
    let (expected, _) = places(
        &source
            .replace("HEAD", "for (; *all; all++)")
            .replace("TAIL", "}"),
        "",
    );
    let expected: Vec<String> = expected
        .into_iter()
        .filter(|site| site != "condition *all")
        .collect();
    for (definition, head, tail) in [
        ("#define EACH(p) for (; *p; p++)", "EACH(all) {", "}"),
        (
            "#define EACH(p) \\\n    for (; *p; p++) // all",
            "EACH(all) {",
            "}",
        ),
        ("#define E(p) for (; *p; p++)", "E(all) {", "}"),
        ("#define EACH for (; *all; all++)", "EACH {", "}"),
        (
            "#define for_each(p, n) for (; *p; p++)",
            "for_each(all,\n        n)\n    {",
            "}",
        ),
        (
            "#define BEGIN_EACH(p) for (; *p; p++) {\n#define END }",
            "BEGIN_EACH(all)",
            "END",
        ),
        (
            "#define LOOP(c) while (c)\n#define EACH(p) LOOP(*p++)",
            "EACH(all) {",
            "}",
        ),
    ] {
        let used = source.replace("HEAD {", head).replace("TAIL", tail);
        let with =
            |definition: &str| used.replacen("#include", &format!("{definition}\n#include"), 1);
        for (used, header) in [
            (with(definition), ""),
            (with("#include \"heads.h\""), definition),
        ] {
            // Without a guess by what follows: it is on one line with the head.
            let used = used.replace("{\n        if (*all", "{ if (*all");
            let (found, warnings) = places(&used, header);
            assert_eq!(found, expected, "{definition}");
            assert!(!warnings.contains("cannot be parsed"), "{warnings}");
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_source_that_is_not_utf8_is_named_and_left_as_it_is() {
    let subject = grades();
    let text = GRADES.replace("Whether a score", "Ob eine Pr\u{fc}fung");
    // As editors before UTF-8 wrote it.
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    fs::write(subject.root.join("grades.c"), latin).unwrap();
    let report = ends(&subject, &[], 1, "no-patch", &[]);
    warns(&report, &["grades.c: is not UTF-8"]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn lines_that_end_as_on_windows_stay_so() {
    let subject = program(&GRADES.replace('\n', "\r\n"), &config());
    subject.commit();
    let report = is_repaired(&subject, &[]);
    subject.apply(&report["patches"][0]).unwrap();
    let fixed = GRADES.replace("score > needed", "score >= needed");
    assert_eq!(subject.read("grades.c"), fixed.replace('\n', "\r\n"));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn paths_with_spaces_and_letters_beyond_ascii_are_fine() {
    let config = config().replace("grades.c", "die noten/prüfung.c");
    let config = config.replace("grades die noten/prüfung.c", "grades 'die noten/prüfung.c'");
    let subject = Subject::named(
        "mein schönes Ding",
        &[("die noten/prüfung.c", GRADES), ("nopol.toml", &config)],
    );
    subject.commit();
    let report = is_repaired(&subject, &[]);
    assert_eq!(
        report["patches"][0]["edits"][0]["file"],
        "die noten/prüfung.c"
    );
    subject.apply(&report["patches"][0]).unwrap();
    ends(&subject, &[], 0, "nothing-to-repair", &[]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn tests_that_hang_or_crash_are_failing_tests_and_do_not_stop_the_repair() {
    let branches = r"
    if (argc == 2)
        switch (argv[1][0]) {
        case 'l': for (volatile unsigned n = 0;; n++) ;
        case 's': for (;;) sleep(3600);
        case 'a': abort();
        case 'n': return *(volatile int *)0;
        case 'e': exit(9);
        }
    if (argc != 3)";
    let source = GRADES.replace("\n    if (argc != 3)", branches);
    let source = source.replace(
        "#include",
        "#define _GNU_SOURCE\n#include <unistd.h>\n#include",
    );
    let mut config = config().replace("timeout = 2", "timeout = 0.5");
    for (name, argument) in [
        ("loops", "l"),
        ("sleeps", "s"),
        ("aborts", "a"),
        ("dereferences-null", "n"),
        ("exits", "e"),
    ] {
        config += &format!("\n[[c.test]]\nname = \"{name}\"\ncommand = \"./grades {argument}\"\n");
    }
    let subject = program(&source, &config);
    let report = is_repaired(&subject, &["--failing", "just-enough-is-enough"]);
    let failing = strings(&report["failing_tests"]);
    let all = [
        "loops",
        "sleeps",
        "aborts",
        "dereferences-null",
        "exits",
        "just-enough-is-enough",
    ];
    for name in all {
        assert!(failing.contains(&name.to_string()), "{failing:?}");
    }
    assert_eq!(failing.len(), all.len(), "{failing:?}");
    warns(
        &report,
        &[
            "`loops` does not end",
            "`sleeps` does not end",
            "`aborts` crashes (SIGABRT)",
            "`dereferences-null` crashes (SIGSEGV)",
        ],
    );
}

#[test]
fn passing_tests_leave_nothing_to_repair() {
    let subject = program(GRADES, &[BUILD, PASSING].concat());
    ends(
        &subject,
        &[],
        0,
        "nothing-to-repair",
        &["All 4 tests pass."],
    );
    let subject = grades();
    let words = ["`less-is-not` passes, but `just-enough-is-enough` fails."];
    let args = ["--failing", "less-is-not"];
    ends(&subject, &args, 0, "nothing-to-repair", &words);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn when_every_test_fails_a_warning_says_what_follows() {
    let subject = program(GRADES, &[BUILD, FAILING].concat());
    let run = subject.nopol_c(&["--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let words = "no test passes, so nothing shows whether a patch breaks working code";
    warns(&run.json(), &[words]);
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_program_without_tests_is_an_unusable_baseline() {
    let subject = program(GRADES, BUILD);
    let words = ["there are no tests", "`[[c.test]]`", "nopol.toml"];
    ends(&subject, &[], 4, "unusable-baseline", &words);
}

/// Fails in its first run and passes in the next: it leaves a mark where nothing is put back.
fn flaky(subject: &Subject) -> String {
    let mark = subject.beside("mark");
    let mark = mark.display();
    format!(
        "\n[[c.test]]\nname = \"flaky\"\ncommand = \"test -e '{mark}' || {{ touch '{mark}'; exit 1; }}\"\n"
    )
}

#[test]
#[ignore = "make test-full: it takes long"]
fn flaky_tests_are_set_aside_and_named() {
    let tests = |config: String| {
        let subject = program(GRADES, &config);
        let config = config + &flaky(&subject);
        fs::write(subject.root.join("nopol.toml"), config).unwrap();
        subject
    };
    let report = is_repaired(&tests(config()), &["--sandbox", "off"]);
    assert_eq!(strings(&report["flaky_tests"]), ["flaky"]);
    warns(&report, &["it is flaky"]);
    let subject = tests([BUILD, PASSING].concat());
    let args = ["--sandbox", "off"];
    ends(&subject, &args, 4, "unusable-baseline", &["flaky"]);
}

#[test]
fn the_time_limit_ends_the_run_with_its_own_code() {
    let slow = "\n[[c.test]]\nname = \"slow\"\ncommand = \"sleep 60\"\n";
    let config = config().replace("timeout = 2", "timeout = 100") + slow;
    let start = Instant::now();
    let args = ["--time-limit", "2"];
    ends(
        &program(GRADES, &config),
        &args,
        5,
        "time-limit",
        &["time limit"],
    );
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_diff_goes_from_standard_output_to_git_apply() {
    let subject = grades();
    subject.commit();
    let run = subject.nopol_c(&["--format", "diff"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let diff = subject.beside("patch.diff");
    fs::write(&diff, &run.stdout).unwrap();
    let applied = subject.git(&["apply", diff.to_str().unwrap()]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(
        subject.read("grades.c"),
        GRADES.replace("score > needed", "score >= needed")
    );
    let run = subject.nopol_c(&["--format", "diff"]);
    assert_eq!((run.code, &*run.stdout), (0, ""), "{}", run.stderr);
    assert!(run.stderr.contains("Nothing to repair"), "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn apply_refuses_a_dirty_file_and_writes_a_clean_one() {
    let subject = grades();
    subject.commit();
    let edited = format!("{GRADES}/* a change of my own */\n");
    fs::write(subject.root.join("grades.c"), &edited).unwrap();
    let run = subject.nopol_c(&["--apply"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    for word in ["has uncommitted changes", "--allow-dirty"] {
        assert!(run.stderr.contains(word), "{}", run.stderr);
    }
    assert!(
        run.stdout.contains("  if (score >= needed)"),
        "the patch is still shown"
    );
    assert_eq!(subject.read("grades.c"), edited);

    let run = subject.nopol_c(&["--apply=99", "--allow-dirty"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr.contains("there is no patch 99"),
        "{}",
        run.stderr
    );

    assert_eq!(subject.git(&["commit", "-qam", "mine"]).code, 0);
    let run = subject.nopol_c(&["--apply", "--format", "json"]);
    let report = report(&run, 0, "patched", &[]);
    assert_eq!(report["applied"], 1);
    assert_eq!(
        subject.read("grades.c"),
        edited.replace("score > needed", "score >= needed")
    );
    ends(&subject, &[], 0, "nothing-to-repair", &[]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_was_built_before_a_change_is_built_again() {
    // The object file comes after its source wherever files are copied by name.
    let makefile =
        "grades: grades.o\n\tcc -o grades grades.o\n\ngrades.o: grades.c\n\tcc -g -c grades.c\n";
    let config = config().replace("cc -std=c99 -g -o grades grades.c", "make");
    let subject = Subject::new(&[
        ("grades.c", GRADES),
        ("nopol.toml", &config),
        ("Makefile", makefile),
    ]);
    let make = |subject: &Subject| {
        let mut command = std::process::Command::new("make");
        assert!(
            command
                .current_dir(&subject.root)
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    make(&subject);
    is_repaired(&subject, &[]);
    // What may be patched is compiled anyway, as it was asked for.
    is_repaired(&subject, &["--sanitize"]);
    std::thread::sleep(Duration::from_millis(20));
    let fixed = GRADES.replace("score > needed", "score >= needed");
    fs::write(subject.root.join("grades.c"), fixed).unwrap();
    ends(&subject, &[], 0, "nothing-to-repair", &[]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_is_wrong_with_a_test_that_no_patch_cures_is_told() {
    let hopeless = "\n[[c.test]]\nname = \"shouts\"\ncommand = \"./grades 50 50\"\nstdout = \"YES\\n\"\n\
                    \n[[c.test]]\nname = \"no-newline\"\ncommand = \"./grades 49 50\"\nstdout = \"no\"\n\
                    \n[[c.test]]\nname = \"code\"\ncommand = \"./grades 80 70\"\nexit = 7\n";
    let subject = program(GRADES, &[BUILD, PASSING, hopeless].concat());
    let run = subject.nopol_c(&[]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    for told in [
        "`shouts` prints `no` instead of `YES` on line 1",
        "`no-newline` prints the expected output except for newlines at its end",
        "`code` exits with 0 instead of 7",
    ] {
        assert!(run.stdout.contains(told), "{told}\n{}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_function_marked_to_be_skipped_has_no_sites() {
    let marked = GRADES.replace(
        "/* Whether a score is enough. */",
        "/* Whether a score is enough. */\n// nopol: skip",
    );
    let subject = program(&marked, &config());
    let list = subject.nopol_c(&["list", "--format", "json"]).json();
    let sites = list["sites"].as_array().unwrap();
    assert!(!sites.is_empty());
    let is_marked = |site: &Value| site["line"].as_u64().is_some_and(|line| line < 12);
    assert!(!sites.iter().any(is_marked), "{sites:?}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn lines_that_differ_in_how_they_end_are_told_apart() {
    let failing =
        "\n[[c.test]]\nname = \"windows\"\ncommand = \"./grades 49 50\"\nstdout = \"no\\r\\n\"\n";
    let subject = program(GRADES, &[BUILD, PASSING, failing].concat());
    let run = subject.nopol_c(&[]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    let told = "`windows` prints `no` instead of `no\\r` on line 1";
    assert!(run.stdout.contains(told), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_compiler_rejects_in_a_subdirectory_is_traced_to_its_capture() {
    let subject = Subject::fixture("c/loops-last", "numbers");
    let src = subject.root.join("src");
    fs::create_dir(&src).unwrap();
    fs::rename(subject.root.join("numbers.c"), src.join("numbers.c")).unwrap();
    let rule = "../numbers: numbers.c\n\tcc -std=c99 -o ../numbers numbers.c\n";
    fs::write(src.join("Makefile"), rule).unwrap();
    let config = subject.read("nopol.toml");
    let lines = config.lines().map(|line| match line.split(' ').next() {
        Some("sources") => "sources = [\"src/numbers.c\"]",
        Some("build") => "build = \"make -C src\"",
        _ => line,
    });
    let config = lines.collect::<Vec<_>>().join("\n");
    fs::write(subject.root.join("nopol.toml"), config).unwrap();
    let args = ["--verbose", "--format", "json", "--top", "1"];
    let run = subject.nopol_c(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // Something was rejected, or this would say nothing.
    assert!(run.stderr.contains("2 attempts"), "{}", run.stderr);
    assert_eq!(run.json()["outcome"], "patched");
}

#[test]
fn without_a_manifest_c_files_lead_to_the_command_for_c() {
    let subject = Subject::new(&[("a.c", "int main(void) { return 0; }\n")]);
    let run = subject.nopol(&[]);
    assert!(
        run.stderr.contains("`cargo nopol c --init`"),
        "{}",
        run.stderr
    );
    let subject = Subject::new(&[("a.txt", "text\n")]);
    let run = subject.nopol(&[]);
    assert!(!run.stderr.contains("cargo nopol c"), "{}", run.stderr);
}
