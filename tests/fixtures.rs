//! Every fixture, by one test: its outcome, its first patch, and the suite after that patch.

mod common;

use common::{Subject, check_fixtures, fixtures, has_first_patch, strings};
use serde_json::Value;

#[test]
fn every_fixture_has_its_expected_outcome() {
    check_fixtures(&fixtures(), check);
}

fn check(name: &str) -> Result<(), String> {
    let subject = Subject::fixture(name, name);
    let expected: Value = serde_json::from_str(&subject.read("expected.json")).unwrap();
    // For cargo, and for this tool alone.
    let extra = strings(&expected["args"]);
    let options = strings(&expected["options"]);
    let mut args = vec!["--format", "json"];
    args.extend(extra.iter().chain(&options).map(String::as_str));

    subject.commit();
    let before = subject.snapshot();
    let run = subject.nopol(&args);
    let report = run.json();
    let says = |what: &str, got: &Value, wanted: &Value| common::says(&run, what, got, wanted);
    says("the exit code", &run.code.into(), &expected["exit"])?;
    says("the outcome", &report["outcome"], &expected["outcome"])?;
    let failing: Vec<String> = strings(&report["failing_tests"])
        .iter()
        .map(|test| test.splitn(3, "::").nth(2).unwrap().to_string())
        .collect();
    let listed = failing.clone().into();
    says("failing_tests", &listed, &expected["failing_tests"])?;
    if subject.snapshot() != before {
        return Err("the subject was changed".to_string());
    }
    if subject.has_working_copy() {
        return Err("a working copy was left behind".to_string());
    }

    // The same again gives the same again.
    let again = subject.nopol(&args).json();
    says(
        "a second run's patches",
        &again["patches"],
        &report["patches"],
    )?;
    says("a second run's sites", &again["sites"], &report["sites"])?;

    has_first_patch(&run, &report, &expected["first_patch"])?;
    for patch in report["patches"].as_array().unwrap() {
        subject.apply(patch)?;
        let mut targets: Vec<&str> = extra.iter().map(String::as_str).collect();
        // Of several faults a patch cures one.
        let fixes = strings(&patch["fixes"]);
        let is_left = |test: &&String| !fixes.iter().any(|fix| fix.ends_with(&format!("::{test}")));
        let left: Vec<&String> = failing.iter().filter(is_left).collect();
        if !left.is_empty() {
            targets.extend(["--", "--exact"]);
            targets.extend(left.iter().flat_map(|test| ["--skip", test.as_str()]));
        }
        let tested = subject.cargo_test(&targets);
        if tested.code != 0 {
            return Err(format!(
                "after patch {}: {}{}",
                patch["rank"], tested.stdout, tested.stderr
            ));
        }
        assert_eq!(subject.git(&["checkout", "-q", "."]).code, 0);
    }
    Ok(())
}
