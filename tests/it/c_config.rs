//! `nopol.toml`: keys, files and tests that are not there, and what a test may read.

use std::fs;
use std::os::unix::fs::symlink;

use crate::c_bad_input::{
    BUILD, FAILING, GRADES, config, ends, grades, is_repaired, is_usage_error, program,
};
use crate::common::Subject;

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let config = config().replace("sources =", "source =");
    is_usage_error(
        &config,
        &["nopol.toml", "line 2", "unknown key `source`", "`sources`"],
    );
    let config = config.replace("source =", "sources =") + "stdot = \"yes\"\n";
    let line = format!("line {}", config.lines().count());
    is_usage_error(
        &config,
        &["nopol.toml", &line, "unknown key `stdot`", "`stdout`"],
    );
    is_usage_error("[c\n", &["nopol.toml", "line 1"]);
    is_usage_error("", &["nopol.toml", "missing field `c`"]);
}

#[test]
fn without_nopol_toml_it_is_said_how_to_get_one() {
    let subject = Subject::new(&[("grades.c", GRADES)]);
    let words = ["no nopol.toml here or above", "--init", "--source"];
    ends(&subject, &[], 2, "usage-error", &words);
    let words = ["cannot read", "`elsewhere.toml`", "--config"];
    ends(
        &subject,
        &["--config", "elsewhere.toml"],
        2,
        "usage-error",
        &words,
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn suggested_commands_work_without_nopol_toml() {
    let subject = Subject::new(&[
        ("grades.c", GRADES),
        ("in/more.in", "51 50"),
        ("in/more.out", "yes\n"),
        ("in/much-more.in", "80 70"),
        ("in/much-more.out", "yes\n"),
        ("in/less.in", "49 50"),
        ("in/less.out", "no\n"),
        ("in/enough.in", "50 50"),
        ("in/enough.out", "yes\n"),
    ]);
    let mut run = subject.nopol_c(&[
        "--source",
        "grades.c",
        "--build",
        "cc -std=c99 -g -o grades grades.c",
        "--input",
        "in/*.in",
        "--output",
        "in/*.out",
        "--command",
        "./grades {args-file}",
    ]);
    for command in ["apply", "undo"] {
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
        let start = format!("`cargo nopol c {command}");
        let (_, rest) = run.stdout.split_once(&start).unwrap();
        let words = shlex::split(rest.split('`').next().unwrap()).unwrap();
        let mut args = vec![command];
        args.extend(words.iter().map(String::as_str));
        run = subject.nopol_c(&args);
    }
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert_eq!(subject.read("grades.c"), GRADES);
}

#[test]
fn files_that_are_not_there_are_named() {
    let of_pairs = |more: &str| {
        let table = "[c.tests]\ninput = \"in/*.txt\"\ncommand = \"./grades 1 2\"\n";
        Subject::new(&[
            ("grades.c", GRADES),
            ("nopol.toml", &[BUILD, table, more].concat()),
            ("in/one.txt", "1"),
            ("in/two.txt", "2"),
            ("out/one.txt", "no\n"),
        ])
    };
    let is_usage = |subject: &Subject, words: &[&str]| {
        ends(subject, &[], 2, "usage-error", words);
    };
    let no_output = of_pairs("output = \"out/*.txt\"\n");
    is_usage(
        &no_output,
        &["in/two.txt has no output", "`out/*.txt`", "`two`"],
    );
    let text = no_output
        .read("nopol.toml")
        .replace("in/*.txt", "inn/*.txt");
    fs::write(no_output.root.join("nopol.toml"), text).unwrap();
    is_usage(&no_output, &["no file matches", "inn/*.txt"]);

    let sources = |list: &str| config().replace("[\"grades.c\"]", list);
    is_usage_error(
        &sources("[\"src/*.c\"]"),
        &["no source file matches `src/*.c`"],
    );
    is_usage_error(
        &sources("[\"grades.c\", \"a.c\"]"),
        &["no source file matches `a.c`"],
    );
    is_usage_error(&sources("[]"), &["no source file is named"]);
    is_usage_error(&sources("[\"a[b\"]"), &["`a[b` is not a glob"]);

    is_usage_error(
        &(config() + "stdin-file = \"in.txt\"\n"),
        &["just-enough", "no file in.txt"],
    );
    let expected = config().replace("stdout = \"no\\n\"", "stdout-file = \"no.txt\"");
    is_usage_error(&expected, &["cannot read no.txt"]);
    is_usage_error(
        &(config() + "stdout-file = \"a\"\n"),
        &["both `stdout` and `stdout-file`"],
    );
    let lines: Vec<String> = config().lines().map(str::to_owned).collect();
    let unbuilt = lines.iter().filter(|line| !line.starts_with("build"));
    let unbuilt = unbuilt.map(|line| format!("{line}\n")).collect::<String>();
    is_usage_error(&unbuilt, &["the program has no build command"]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn nothing_but_the_copy_is_written_to_wherever_a_source_is() {
    let subject = grades();
    let inside = subject.root.join("grades.c");
    let outside = subject.beside("outside.c");
    fs::write(&outside, GRADES).unwrap();
    symlink(&outside, subject.root.join("link.c")).unwrap();
    symlink("grades.c", subject.root.join("other.c")).unwrap();
    symlink(&inside, subject.root.join("absolute.c")).unwrap();
    symlink("..", subject.root.join("up")).unwrap();
    for source in [
        inside.to_str().unwrap(),
        "./grades.c",
        "../subject/grades.c",
        "other.c",
    ] {
        let report = is_repaired(&subject, &["--source", source]);
        assert_eq!(report["patches"][0]["edits"][0]["file"], "grades.c");
    }
    let build = "cc -std=c99 -o grades link.c";
    let report = is_repaired(&subject, &["--source", "link.c", "--build", build]);
    assert_eq!(report["patches"][0]["edits"][0]["file"], "link.c");
    assert_eq!(fs::read_to_string(&outside).unwrap(), GRADES);
    for source in [outside.to_str().unwrap(), "../outside.c", "up/outside.c"] {
        let words = ["the source file", source, "is not in", "nopol.toml"];
        ends(&subject, &["--source", source], 2, "usage-error", &words);
        assert_eq!(fs::read_to_string(&outside).unwrap(), GRADES);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_cannot_be_started_is_named() {
    let one = |more: &str| format!("{}\n[[c.test]]\nname = \"odd\"\n{more}\n", config());
    let no_file = one("command = \"./grade 1 2\"");
    is_usage_error(&no_file, &["`odd`", "no `./grade` after `cc -std=c99"]);
    let no_program = one("command = \"gradus 1 2\"");
    is_usage_error(&no_program, &["`odd`", "no `gradus` on the search path"]);
    let not_executable = one("command = \"./grades.c 1 2\"");
    is_usage_error(
        &not_executable,
        &["`odd`", "`./grades.c` cannot be executed"],
    );
    let no_directory = one("command = \"../grades 1 2\"\ncwd = \"nowhere\"");
    is_usage_error(&no_directory, &["`odd`", "`nowhere` is not a directory"]);
    let outside = one("command = \"true\"\ncwd = \"/tmp\"");
    is_usage_error(
        &outside,
        &["`odd`", "`/tmp` is not a directory of the program"],
    );

    let subject = grades();
    let itself = subject.root.join("grades");
    let config = one(&format!("command = \"{} 1 2\"", itself.display()));
    fs::write(subject.root.join("nopol.toml"), config).unwrap();
    ends(
        &subject,
        &[],
        2,
        "usage-error",
        &["`odd`", "is in your own directory"],
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_test_reads_may_be_outside_of_the_program() {
    let subject = program(GRADES, &(config() + "stdin-file = \"../in.txt\"\n"));
    fs::write(subject.beside("in.txt"), "1 2\n").unwrap();
    is_repaired(&subject, &[]);
}

#[test]
fn a_test_with_the_name_of_a_pair_replaces_the_pair() {
    let text = "#include <stdio.h>\nint main(void) { int n; if (scanf(\"%d\", &n) != 1) return 2; puts(n > 3 ? \"large\" : \"small\"); return 0; }\n";
    let toml = "[c]\nsources = [\"a.c\"]\nbuild = \"cc -o a a.c\"\n\
                [c.tests]\ninput = \"t/*.in\"\noutput = \"t/*.out\"\ncommand = \"./a\"\n\
                [[c.test]]\nname = \"word\"\ncommand = \"./a\"\nstdin-file = \"t/word.in\"\nexit = 2\n";
    let subject = Subject::new(&[
        ("a.c", text),
        ("nopol.toml", toml),
        ("t/four.in", "4"),
        ("t/four.out", "large\n"),
        ("t/word.in", "four"),
    ]);
    let run = subject.nopol(&["c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Both tests pass"), "{}", run.stdout);
}

#[test]
fn two_tests_of_one_name_are_a_usage_error() {
    is_usage_error(
        &[&config(), FAILING].concat(),
        &["two tests", "`just-enough-is-enough`"],
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn an_unknown_test_is_a_usage_error() {
    let subject = grades();
    let args = ["--failing", "just-enough-is-enuf"];
    let words = [
        "no test is named `just-enough-is-enuf`",
        "Did you mean `just-enough-is-enough`?",
    ];
    ends(&subject, &args, 2, "usage-error", &words);
    let words = [
        "no test is named `zebra`",
        "all 5 tests",
        "`cargo nopol c list`",
    ];
    ends(&subject, &["--failing", "zebra"], 2, "usage-error", &words);
}

#[test]
fn a_bad_timeout_is_a_usage_error() {
    let timeout = |value: &str| config().replace("timeout = 2", &format!("timeout = {value}"));
    is_usage_error(
        &timeout("0"),
        &["`timeout = 0` is not a positive number of seconds"],
    );
    is_usage_error(&timeout("-1.5"), &["`timeout = -1.5`"]);
    is_usage_error(&timeout("nan"), &["timeout"]);
    is_usage_error(&timeout("\"soon\""), &["nopol.toml", "line 4", "timeout"]);
    let run = grades().nopol_c(&["--test-timeout", "soon"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("not a number of seconds"),
        "{}",
        run.stderr
    );
}
