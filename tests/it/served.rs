//! Runs that are children of a fork server are like processes of their own.

use crate::common::Subject;

/// A test that cures only where everything around it is fresh. What it leaves behind is unwelcome in the next run.
const PARTICULAR: &str = r#"
    pub fn passes(score: u32) -> bool {
        if score > 50 { return true; }
        false
    }

    #[cfg(test)]
    mod tests {
        use super::passes;
        use std::io::Read;
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};

        fn is_fresh() {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).unwrap();
            assert_eq!(text, "");
            assert!(std::env::var_os("NOPOL_SERVE").is_none());
            let args: Vec<String> = std::env::args().collect();
            assert_eq!(args[1..3], ["--exact", "tests::just_enough"]);
            // Where a server keeps its connection.
            assert!(!std::path::Path::new("/proc/self/fd/200").exists());
            let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
            let group = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2).unwrap();
            assert_eq!(group, std::process::id().to_string());
            for place in [std::env::var("HOME").unwrap(), std::env::var("TMPDIR").unwrap()] {
                let mark = std::path::Path::new(&place).join("mark");
                assert!(!mark.exists());
                std::fs::write(mark, "").unwrap();
            }
        }

        #[test] fn just_enough() {
            is_fresh();
            // One in the group of the test, and one that has left it.
            for left in [false, true] {
                let mut sleep = Command::new("sleep");
                sleep.arg(env!("NOPOL_TEST_SLEEP"));
                sleep.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                if left { sleep.process_group(0); }
                sleep.spawn().unwrap();
            }
            assert!(passes(50));
        }
        #[test] fn above() { assert!(passes(51)); }
        #[test] fn below() { assert!(!passes(49)); }
    }
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn every_run_finds_what_the_first_one_found_and_nothing_of_it_is_left() {
    let subject = Subject::lib(PARTICULAR);
    // A time nobody else sleeps.
    let seconds = format!("27{:05}", std::process::id() % 100_000);
    let mut command = subject.command(&["--format", "json", "--jobs", "2"]);
    let run: crate::common::Run = command
        .env("NOPOL_TEST_SLEEP", &seconds)
        .output()
        .unwrap()
        .into();
    let json = run.json();
    assert_eq!(json["outcome"], "patched", "{}", run.stderr);
    let first = json["patches"][0]["diff"].as_str().unwrap();
    assert!(first.contains("+        if score >= 50 {"), "{first}");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let sleeping = processes.filter(|process| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        words == format!("sleep\0{seconds}\0").into_bytes()
    });
    assert_eq!(sleeping.count(), 0);
}

/// A test that, forced, kills whoever started it.
const WILD: &str = r#"
    pub fn passes(score: u32) -> bool {
        if score > 50 { return true; }
        false
    }

    #[cfg(test)]
    mod tests {
        use super::passes;

        #[test] fn just_enough() {
            if passes(10) {
                let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
                let parent = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap();
                std::process::Command::new("kill").args(["-9", parent]).status().unwrap();
            }
            assert!(passes(50));
        }
        #[test] fn above() { assert!(passes(51)); }
        #[test] fn below() { assert!(!passes(49)); }
    }
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_run_that_kills_its_server_costs_only_that_run() {
    let subject = Subject::lib(WILD);
    let run = subject.nopol(&["--format", "json"]);
    let json = run.json();
    assert_eq!(json["outcome"], "patched", "{}", run.stderr);
    let diff = json["patches"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+        if score >= 50 {"), "{diff}");
}

/// A program that says so where it is not what a new process would be.
const PARTICULAR_C: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int passes(int score)
{
    if (score > 50)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    char line[64] = "", mark[4096];
    int score = 0, i;
    if (getenv("LD_PRELOAD") || getenv("NOPOL_SERVE") || strcmp(argv[0], "./prog") || argv[argc])
        return 3;
    snprintf(mark, sizeof mark, "%s/mark", getenv("TMPDIR"));
    if (access(mark, F_OK) == 0 || access("/proc/self/fd/200", F_OK) == 0)
        return 4;
    fclose(fopen(mark, "w"));
    for (i = 1; i < argc; i++)
        score += atoi(argv[i]);
    if (fgets(line, sizeof line, stdin))
        score += atoi(line);
    puts(passes(score) ? "passes" : "fails");
    return 0;
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn runs_of_a_c_program_get_their_own_arguments_and_input() {
    let cases = [
        ("just-enough", "./prog 20 30", "", "passes"),
        ("above", "./prog 51", "", "passes"),
        ("below", "./prog", "49\\n", "fails"),
        ("far-above", "./prog 10 10 10", "60\\n", "passes"),
    ];
    assert_score_is_mended(PARTICULAR_C, &cases);
}

/// Repairs a C program, given the name, command, input and output of each test.
fn assert_score_is_mended(source: &str, cases: &[(&str, &str, &str, &str)]) {
    let mut text = "[c]\nsources = [\"prog.c\"]\nbuild = \"cc -w -o prog prog.c\"\n".to_owned();
    for (name, command, stdin, stdout) in cases {
        text += &format!(
            "\n[[c.test]]\nname = \"{name}\"\ncommand = \"{command}\"\nstdin = \"{stdin}\"\nstdout = \"{stdout}\\n\"\n"
        );
    }
    let subject = Subject::new(&[("prog.c", source), ("nopol.toml", &text)]);
    let run = subject.nopol(&["c", "--format", "json"]);
    let json = run.json();
    assert_eq!(json["outcome"], "patched", "{}", run.stderr);
    let diff = json["patches"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+    if (score >= 50)"), "{diff}");
}

/// A program with functions that are named like those of libc and that hold conditions.
const NAMESAKES: &str = r#"
#include <stdio.h>
#include <stdlib.h>

int close(int bracket)
{
    if (bracket == ')')
        return 1;
    return 0;
}

unsigned long strlen(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}

static int passes(int score)
{
    if (score > 50)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && close(argv[2][0]) && strlen(argv[2]) == 1)
        puts("bracket");
    puts(passes(atoi(argv[1])) ? "passes" : "fails");
    return 0;
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_program_with_functions_named_like_those_of_libc_is_repaired() {
    let cases = [
        ("just-enough", "./prog 50", "", "passes"),
        ("above", "./prog 51 x", "", "passes"),
        ("below", "./prog 49", "", "fails"),
    ];
    assert_score_is_mended(NAMESAKES, &cases);
}
