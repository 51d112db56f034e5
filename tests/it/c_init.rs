//! `cargo nopol c --init`, and a repair with what it writes.

use std::process::Command;

use crate::common::{Run, Subject};

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
