//! Every C fixture, by one test: its outcome, its first patch, and its tests after each patch.

mod common;

use common::{Subject, check_fixtures, fixtures, has_first_patch, says, strings};
use serde_json::Value;

#[test]
fn every_c_fixture_has_its_expected_outcome() {
    check_fixtures(&fixtures().join("c"), check);
}

fn check(name: &str) -> Result<(), String> {
    let subject = Subject::fixture(&format!("c/{name}"), name);
    let expected: Value = serde_json::from_str(&subject.read("expected.json")).unwrap();
    let extra = strings(&expected["args"]);
    let mut args = vec!["--format", "json"];
    args.extend(extra.iter().map(String::as_str));

    subject.commit();
    let before = subject.snapshot();
    let run = subject.nopol_c(&args);
    let report = run.json();
    says(&run, "the exit code", &run.code.into(), &expected["exit"])?;
    says(
        &run,
        "the outcome",
        &report["outcome"],
        &expected["outcome"],
    )?;
    says(
        &run,
        "failing_tests",
        &report["failing_tests"],
        &expected["failing_tests"],
    )?;

    // The same again gives the same again.
    let again = subject.nopol_c(&args);
    let same = again.json();
    says(
        &again,
        "a second run's patches",
        &same["patches"],
        &report["patches"],
    )?;
    says(
        &again,
        "a second run's sites",
        &same["sites"],
        &report["sites"],
    )?;
    if subject.snapshot() != before {
        return Err("the subject was changed".to_string());
    }
    if subject.has_working_copy() {
        return Err("a working copy was left behind".to_string());
    }

    for patch in report["patches"].as_array().unwrap() {
        subject.apply(patch)?;
        cures(&subject, &args, patch, &report["failing_tests"])?;
        assert_eq!(subject.git(&["checkout", "-q", "."]).code, 0);
    }
    has_first_patch(&run, &report, &expected["first_patch"])
}

/// Whether the tests that a patch fixes pass with it, and those that passed still do.
fn cures(subject: &Subject, args: &[&str], patch: &Value, failing: &Value) -> Result<(), String> {
    let fixes = strings(&patch["fixes"]);
    let mut args = args.to_vec();
    args.extend(fixes.iter().flat_map(|test| ["--failing", test.as_str()]));
    let run = subject.nopol_c(&args);
    let report = run.json();
    let what = |what: &str| format!("after patch {} {what}", patch["rank"]);
    says(
        &run,
        &what("the outcome"),
        &report["outcome"],
        &"nothing-to-repair".into(),
    )?;
    // Of several faults a patch cures one.
    let left: Vec<String> = strings(failing)
        .into_iter()
        .filter(|test| !fixes.contains(test))
        .collect();
    says(
        &run,
        &what("failing_tests"),
        &report["failing_tests"],
        &left.into(),
    )
}
