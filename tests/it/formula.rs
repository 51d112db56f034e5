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
        // What is found must not depend on how busy the machine is.
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
