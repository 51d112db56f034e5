//! Every fixture, by one test: its outcome, its first patch, and the suite after that patch.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Subject, fixtures, strings};
use serde_json::Value;

#[test]
fn every_fixture_has_its_expected_outcome() {
    let mut names: Vec<String> = std::fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 8, "fixtures are missing: {names:?}");
    // Several at a time: most of what one takes is a compiler that uses one processor.
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = check(name) {
                        failures.lock().unwrap().push(format!("{name}: {error}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
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
    let says = |what: &str, got: &Value, wanted: &Value| match got == wanted {
        true => Ok(()),
        false => Err(format!(
            "{what} is {got}, expected {wanted}\n{}",
            run.stderr
        )),
    };
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

    let wanted = &expected["first_patch"];
    let patches = report["patches"].as_array().unwrap();
    let Some(first) = patches.first() else {
        explains_itself(&report)?;
        return says("the first patch", &Value::Null, wanted);
    };
    let edit = &first["edits"][0];
    says("the patched file", &edit["file"], &wanted["file"])?;
    says("the patch's kind", &first["kind"], &wanted["kind"])?;
    for (edit, good) in [(edit, "after"), (&first["edits"][1], "and_after")] {
        let good = match &wanted[good] {
            Value::String(one) => vec![one.clone()],
            several => strings(several),
        };
        let condition = edit["condition"].as_str();
        if condition.is_some() == good.is_empty()
            || condition.is_some_and(|condition| !good.iter().any(|good| good == condition))
        {
            return Err(format!(
                "the first patch has {condition:?}, expected one of {good:?}"
            ));
        }
    }

    // What a way out or a branch does, whatever its condition.
    let bodies = strings(&wanted["body"]);
    let text = edit["after"].as_str().unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !bodies.is_empty() && !bodies.iter().any(|body| text.contains(body)) {
        return Err(format!(
            "the first patch is `{text}`, expected one of {bodies:?} in it"
        ));
    }

    for patch in patches {
        let diff = subject.root.join("target/patch.diff");
        std::fs::write(&diff, patch["diff"].as_str().unwrap()).unwrap();
        let applied = subject.git(&["apply", "target/patch.diff"]);
        if applied.code != 0 {
            return Err(format!("git apply: {}", applied.stderr));
        }
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

/// Without a patch every angelic site says why, or there is none.
fn explains_itself(report: &Value) -> Result<(), String> {
    for site in report["sites"].as_array().unwrap() {
        let angelic = !site["angelic"].as_array().unwrap().is_empty();
        if angelic && site["reason"].as_str().is_none() {
            return Err(format!("no reason for {site}"));
        }
    }
    Ok(())
}
