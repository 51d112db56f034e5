//! Every fixture is a test, `NAME::again`: its outcome and its first patch; with all patches shown, the suite is run with
//! each of them, and the tool a second time, with another `--jobs`. `make test` runs this for a few fixtures that stand for
//! the rest, and some others as `NAME`, once and with one patch; `make test-full` runs what is left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::process::ExitCode;

use common::{Run, Subject, fixtures, has_first_patch, says, strings};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Checked thoroughly by `make test`: a search without a patch, a precondition, and a C program.
const STAND_INS: [&str; 3] = ["hopeless", "whole-run", "c/lists-remove"];

/// Run once by `make test`: quick ones of each kind of site, search and subject.
const ONCE: [&str; 13] = [
    "account-fee",
    "arm-guard",
    "boolean-tail",
    "constructor-exit",
    "extract-folder",
    "gcd",
    "guard-at-the-start",
    "macro-argument",
    "two-at-once",
    "c/arithmetic-subscript",
    "c/loops-gcd",
    "c/macro-argument",
    "c/pointers-zero",
];

fn main() -> ExitCode {
    let mut names = names("");
    names.extend(self::names("c/"));
    for name in STAND_INS.iter().chain(&ONCE) {
        assert!(
            names.iter().any(|known| known == *name),
            "no fixture {name}"
        );
    }
    let mut trials = Vec::new();
    for name in names {
        let stands_in = STAND_INS.contains(&&*name);
        let (once, again) = (name.clone(), name.clone());
        if ONCE.contains(&&*name) {
            trials.push(Trial::test(name.clone(), move || check(&once, false)));
        }
        let thorough = Trial::test(name + "::again", move || check(&again, true));
        trials.push(thorough.with_ignored_flag(!stands_in));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The fixtures of a directory, which is part of their names.
fn names(dir: &str) -> Vec<String> {
    let entries = std::fs::read_dir(fixtures().join(dir)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .map(|path| format!("{dir}{}", path.file_name().unwrap().display()))
        .collect();
    names.sort();
    assert!(names.len() >= 8, "fixtures are missing: {names:?}");
    names
}

/// A fixture's copy, and how the tool is run on it.
struct Fixture {
    subject: Subject,
    expected: Value,
    is_c: bool,
    /// For cargo as well as for the tool.
    args: Vec<String>,
}

impl Fixture {
    fn new(name: &str) -> Self {
        let (is_c, dir) = match name.strip_prefix("c/") {
            Some(dir) => (true, dir),
            None => (false, name),
        };
        let subject = Subject::fixture(name, dir);
        let expected: Value = serde_json::from_str(&subject.read("expected.json")).unwrap();
        let args = strings(&expected["args"]);
        subject.commit();
        Self {
            subject,
            expected,
            is_c,
            args,
        }
    }

    fn nopol(&self, more: &[&str]) -> Run {
        let options = strings(&self.expected["options"]);
        let mut args = vec!["--format", "json"];
        args.extend(self.args.iter().chain(&options).map(String::as_str));
        args.extend(more);
        match self.is_c {
            true => self.subject.nopol_c(&args),
            false => self.subject.nopol(&args),
        }
    }

    /// The failing tests of a report, as the fixture names them.
    fn failing(&self, report: &Value) -> Vec<String> {
        let name = |test: &String| match self.is_c {
            true => test.clone(),
            false => test.splitn(3, "::").nth(2).unwrap().to_owned(),
        };
        strings(&report["failing_tests"]).iter().map(name).collect()
    }

    /// Whether the tests that a patch, which is applied, fixes pass with it, and those that passed still do.
    fn is_cured_by(&self, patch: &Value, failing: &[String]) -> Result<(), String> {
        let fixes = strings(&patch["fixes"]);
        let is_fixed = |test: &str| {
            let end = format!("::{test}");
            fixes.iter().any(|fix| fix == test || fix.ends_with(&end))
        };
        // Of several faults a patch cures one.
        let left = failing.iter().map(String::as_str);
        let left: Vec<&str> = left.filter(|test| !is_fixed(test)).collect();
        let cured = match self.is_c {
            true => self.is_cured_c(&fixes, &left),
            false => self.is_cured(&left),
        };
        cured.map_err(|error| format!("after patch {}: {error}", patch["rank"]))
    }

    fn is_cured(&self, left: &[&str]) -> Result<(), String> {
        let mut args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        if !self.has_doctests() {
            args.extend(["--lib", "--bins", "--tests"]);
        }
        if !left.is_empty() {
            args.extend(["--", "--exact"]);
            args.extend(left.iter().flat_map(|test| ["--skip", *test]));
        }
        let tested = self.subject.cargo_test(&args);
        match tested.code {
            0 => Ok(()),
            _ => Err(format!("{}{}", tested.stdout, tested.stderr)),
        }
    }

    /// Whether there is an example for rustdoc to compile. It takes as long as the tests where there is none.
    fn has_doctests(&self) -> bool {
        let files = self.subject.snapshot();
        files
            .iter()
            .any(|(path, text)| path.extension().is_some_and(|end| end == "rs") && has_fence(text))
    }

    /// Without the tests that are left, nothing is to be repaired.
    fn is_cured_c(&self, fixes: &[String], left: &[&str]) -> Result<(), String> {
        let chosen = fixes.iter().flat_map(|test| ["--failing", test]);
        let run = self.nopol(&chosen.collect::<Vec<_>>());
        let report = run.json();
        let outcome = "nothing-to-repair".into();
        says(&run, "the outcome", &report["outcome"], &outcome)?;
        says(
            &run,
            "failing_tests",
            &report["failing_tests"],
            &left.into(),
        )
    }
}

/// Whether no patch is surer than one above it for the same tests, and each was built and tested.
fn is_in_order(report: &Value) -> Result<(), Failed> {
    for group in report["groups"].as_array().unwrap() {
        let ids = strings(&group["patches"]);
        let patches = report["patches"].as_array().unwrap().iter();
        let patches = patches.filter(|patch| ids.iter().any(|id| patch["id"] == **id));
        let mut least = f64::INFINITY;
        for patch in patches {
            let confidence = patch["confidence"].as_f64().unwrap();
            if confidence > least || patch["evidence"] != "tested" {
                return Err(format!("after {least}: {patch:#}").into());
            }
            least = confidence;
        }
    }
    Ok(())
}

fn has_fence(text: &[u8]) -> bool {
    text.windows(3).any(|bytes| bytes == b"```")
}

fn check(name: &str, is_thorough: bool) -> Result<(), Failed> {
    let fixture = Fixture::new(name);
    let (subject, expected) = (&fixture.subject, &fixture.expected);
    let before = subject.snapshot();
    // The last check of each patch that is shown takes a build.
    let run = fixture.nopol(if is_thorough { &[] } else { &["--top", "1"] });
    let report = run.json();
    let says = |what: &str, got: &Value, wanted: &Value| says(&run, what, got, wanted);
    says("the exit code", &run.code.into(), &expected["exit"])?;
    says("the outcome", &report["outcome"], &expected["outcome"])?;
    let failing = fixture.failing(&report);
    let listed = failing.clone().into();
    says("failing_tests", &listed, &expected["failing_tests"])?;
    has_first_patch(&run, &report, &expected["first_patch"])?;
    is_in_order(&report)?;
    if is_thorough {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if processors == 1 { "2" } else { "1" };
        let again = fixture.nopol(&["--jobs", jobs]).json();
        let patches = &report["patches"];
        says("a second run's patches", &again["patches"], patches)?;
        says("a second run's sites", &again["sites"], &report["sites"])?;
    }
    if subject.snapshot() != before {
        return Err("the subject was changed".into());
    }
    if subject.has_working_copy() {
        return Err("a working copy was left behind".into());
    }
    if !is_thorough {
        return Ok(());
    }
    for patch in report["patches"].as_array().unwrap() {
        subject.apply(patch)?;
        fixture.is_cured_by(patch, &failing)?;
        assert_eq!(subject.git(&["checkout", "-q", "."]).code, 0);
    }
    Ok(())
}
