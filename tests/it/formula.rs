//! The programs of `fixtures/formula`, each through `faults` and through `mutate`. What is expected was found by trying all
//! mutants of up to two statements with the compiled program.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::common::{Subject, fixtures};

/// What both commands must find in a program.
#[derive(Deserialize)]
struct Expected {
    name: String,
    /// Lines of candidates that must be found.
    faults: Vec<Vec<u64>>,
    /// The lowest level that repairs it.
    level: Option<u8>,
    /// What comes first then.
    intended: Option<String>,
    /// All repairs of level 2.
    repairs: BTreeSet<String>,
}

fn all() -> Vec<Expected> {
    let text = std::fs::read_to_string(fixtures().join("formula/programs.json")).unwrap();
    let all: Vec<Expected> = serde_json::from_str(&text).unwrap();
    assert_eq!(all.len(), 14);
    all
}

impl Expected {
    /// What a command says as JSON.
    fn run(&self, command: &str, options: &[&str]) -> Value {
        let subject = Subject::fixture(&format!("formula/{}", self.name), "subject");
        // The result must not depend on how busy the machine is.
        let mut args = vec![command, "--format", "json", "--time-limit", "600"];
        if self.name.starts_with("c/") {
            args.insert(0, "c");
        }
        args.extend(options);
        let run = subject.nopol(&args);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|_| panic!("{}: {}", self.name, run.stderr))
    }

    fn mutate(&self, level: u8) -> Vec<String> {
        let found = self.run("mutate", &["--level", &level.to_string()]);
        let outcome = if self.level.is_some_and(|needed| needed <= level) {
            "repaired"
        } else {
            "none"
        };
        assert_eq!(found["outcome"], outcome, "{}", self.name);
        let repairs = found["repairs"].as_array().unwrap().iter();
        repairs
            .map(|repair| {
                let edits = repair["edits"].as_array().unwrap().iter();
                let edits = edits.map(|edit| edit["after"].as_str().unwrap());
                edits.collect::<Vec<_>>().join(" & ")
            })
            .collect()
    }
}

#[test]
fn faults_has_the_wrong_lines_among_its_candidates() {
    for expected in all() {
        let found = expected.run("faults", &[]);
        assert_eq!(found["outcome"], "localized", "{}", expected.name);
        let candidates = found["candidates"].as_array().unwrap().iter();
        let lines: Vec<Vec<u64>> = candidates
            .map(|candidate| {
                let places = candidate["places"].as_array().unwrap().iter();
                places
                    .map(|place| place["line"].as_u64().unwrap())
                    .collect()
            })
            .collect();
        for wanted in &expected.faults {
            assert!(lines.contains(wanted), "{}: {lines:?}", expected.name);
        }
    }
}

#[test]
fn mutate_has_the_intended_repair_first_at_the_lowest_level_that_has_it() {
    for expected in all() {
        let below = expected.level.map_or(1, |level| level - 1);
        if below > 0 {
            assert!(expected.mutate(below).is_empty(), "{}", expected.name);
        }
        if let Some(level) = expected.level {
            let first = expected.mutate(level).into_iter().next();
            assert_eq!(first, expected.intended, "{}", expected.name);
        }
    }
}

#[test]
#[ignore = "takes half a minute"]
fn mutate_has_all_minimal_repairs_and_no_others() {
    for expected in all() {
        let found: BTreeSet<String> = expected.mutate(2).into_iter().collect();
        assert_eq!(found, expected.repairs, "{}", expected.name);
    }
}

/// Adds up; `<` should be `<=`.
const SUMS: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int last = atoi(argv[1]), sum = 0;
    for (int i = 1; i < last; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
"#;

fn sums(build: &str, tests: &[(&str, &str)]) -> Subject {
    let mut text = format!("[c]\nsources = [\"sums.c\"]\nbuild = \"{build}\"\n");
    for (number, (command, output)) in tests.iter().enumerate() {
        text += &format!(
            "[[c.test]]\nname = \"sum{number}\"\ncommand = \"{command}\"\nstdout = \"{output}\\n\"\n"
        );
    }
    Subject::new(&[("sums.c", SUMS), ("nopol.toml", &text)])
}

#[test]
fn a_program_that_nothing_makes_is_refused() {
    let tests = [("./sums 3", "6"), ("./nothing 3", "3")];
    let subject = sums("cc -o sums sums.c", &tests);
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&["c", command]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        let wanted =
            "test `sum1`: there is no `./nothing`, and `cc -o sums sums.c` does not make it";
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
    }
    // Neither is another program taken for the one that is read.
    let subject = sums(
        "cc -o sums sums.c",
        &[("./sums 3", "6"), ("/bin/echo 6", "6")],
    );
    let run = subject.nopol(&["c", "faults"]);
    let wanted = "`sum1` is left out: the command is not the program itself";
    assert!(run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
    // Where it is not known what the build makes, its tests count.
    let subject = sums("make CFLAGS=-g sums", &[("./sums 3", "6")]);
    let run = subject.nopol(&["c", "faults"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn nothing_is_neither_followed_nor_shown_and_a_limit_of_steps_is_named() {
    let subject = sums(
        "cc -o sums sums.c",
        &[("./sums 3", "9"), ("./sums 9", "99")],
    );
    let refused: [&[&str]; 5] = [
        &["c", "--fuel", "0"],
        &["c", "mutate", "--top", "0"],
        &["c", "faults", "--top", "0"],
        &["merge", "--top", "0", "a"],
        &["synth", "--top", "0", "a"],
    ];
    for args in refused {
        let run = subject.nopol(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(
            run.stderr.contains(args[args.len() - 2]) || run.stderr.contains("--top"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("invalid value"), "{}", run.stderr);
    }
    let run = subject.nopol(&["c", "--fuel", "1", "--no-formula", "--no-heap"]);
    let wanted = "`sum0` makes more than 1 step (loop iterations and evaluations of conditions), so its runs were stopped there; no forced outcome makes it pass within these steps";
    assert!(run.stderr.contains(wanted), "{}", run.stderr);
    assert!(!run.stderr.contains("does not end"), "{}", run.stderr);
}
