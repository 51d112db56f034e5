//! Reports given to `apply` as files: they may be of somebody else, and every hash in them can be forged.

use std::fs;

use serde_json::{Value, json};

use crate::common::{GRADES, Run, Subject};

/// FNV-1a, as in reports.
fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// An edit that replaces the first `before` in a file by `after`.
fn edit(subject: &Subject, file: &str, before: &str, after: &str) -> Value {
    let text = fs::read_to_string(subject.root.join(file)).unwrap_or_default();
    let at = text.find(before).unwrap_or_default();
    json!({
        "file": file,
        "line": 1,
        "column": 1,
        "span": {"start": at, "end": at + before.len()},
        "before": before,
        "after": after,
        "condition": after,
        "file_hash": hash(&text),
    })
}

/// Applies a report with a patch of these edits.
fn apply(subject: &Subject, edits: &[Value]) -> Run {
    let patch = json!({"id": "0123-4567", "rank": 1, "checked": true, "edits": edits});
    let report = json!({"version": 1, "patches": [patch]});
    let file = subject.beside("report.json");
    fs::write(&file, report.to_string()).unwrap();
    subject.nopol(&["apply", file.to_str().unwrap(), "--yes"])
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_of_somebody_else_is_shown_before_it_is_built_run_or_written() {
    let subject = crate_with_everything();
    let ran = subject.beside("ran");
    // It may be any code.
    let after = format!(
        "{{ std::fs::write({:?}, \"\").ok(); score >= needed }}",
        ran.to_str().unwrap()
    );
    let edits = [edit(&subject, "src/lib.rs", "score > needed", &after)];
    let file = subject.beside("report.json");
    let patch = json!({"id": "0123-4567", "rank": 1, "checked": true, "edits": edits});
    fs::write(&file, json!({"version": 1, "patches": [patch]}).to_string()).unwrap();
    let before = subject.snapshot();
    for more in [&[][..], &["1"], &["1", "--with-test"]] {
        let args = [&["apply", file.to_str().unwrap()], more].concat();
        let run = subject.nopol(&args);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("+    if { std::fs::write("),
            "{}",
            run.stdout
        );
        assert!(
            !run.stdout.contains("Applied") && !run.stderr.contains("building"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("give --yes to apply it"),
            "{}",
            run.stderr
        );
        assert_eq!(subject.snapshot(), before);
        assert!(!ran.exists());
    }
}

/// A crate with all that a forged report could be after.
fn crate_with_everything() -> Subject {
    let manifest =
        "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    let script =
        "fn main() {\n    let a = 1;\n    if a > 2 {\n        println!(\"x\");\n    }\n}\n";
    let test =
        "#[test]\nfn outside() {\n    if subject::passes(1, 2) {\n        panic!();\n    }\n}\n";
    let subject = Subject::new(&[
        ("Cargo.toml", manifest),
        ("src/lib.rs", &format!("{GRADES}\n// if a > b\n")),
        ("src/unused.rs", GRADES),
        ("build.rs", script),
        ("tests/outside.rs", test),
        (".cargo/config.toml", "[build]\njobs = 2\n"),
        ("notes.txt", "if a > b {}\n"),
    ]);
    assert_ne!(subject.cargo_test(&[]).code, 0);
    subject.commit();
    subject
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_report_has_a_say_only_where_a_search_could_have_put_a_patch() {
    let subject = crate_with_everything();
    let mine = subject.beside("mine.rs");
    fs::write(&mine, GRADES).unwrap();
    let absolute = subject.root.join("src/lib.rs");
    let before = subject.snapshot();
    let good = edit(&subject, "src/lib.rs", "score > needed", "score >= needed");
    for bad in [
        edit(
            &subject,
            "Cargo.toml",
            "[workspace]",
            "[workspace]\n[dependencies]\nevil = \"1\"",
        ),
        edit(&subject, "build.rs", "a > 2", "a > 0"),
        edit(
            &subject,
            ".cargo/config.toml",
            "jobs = 2",
            "rustc-wrapper = \"./evil\"",
        ),
        edit(
            &subject,
            ".git/config",
            "[core]",
            "[core]\n\tfsmonitor = ./evil",
        ),
        edit(
            &subject,
            "tests/outside.rs",
            "subject::passes(1, 2)",
            "false",
        ),
        edit(
            &subject,
            "src/unused.rs",
            "score > needed",
            "score >= needed",
        ),
        edit(&subject, "notes.txt", "a > b", "a >= b"),
        edit(&subject, "../mine.rs", "score > needed", "score >= needed"),
        edit(
            &subject,
            "src/../src/lib.rs",
            "score > needed",
            "score >= needed",
        ),
        edit(
            &subject,
            "./src/lib.rs",
            "score > needed",
            "score >= needed",
        ),
        edit(
            &subject,
            absolute.to_str().unwrap(),
            "score > needed",
            "score >= needed",
        ),
        // Of a file with sites: no site, a test, a comment, the head of a function.
        edit(&subject, "src/lib.rs", "#[cfg(test)]", ""),
        edit(&subject, "src/lib.rs", "passes(50, 50)", "true"),
        edit(&subject, "src/lib.rs", "// if a > b", "fn evil() {}"),
        edit(&subject, "src/lib.rs", "needed: u32", "needed: u64"),
        edit(
            &subject,
            "src/lib.rs",
            "score > needed {\n        return true;\n    }\n    false\n}",
            "true } {",
        ),
        // What a diff would not show as it is.
        edit(
            &subject,
            "src/lib.rs",
            "score > needed",
            "score >= needed /*\u{202e}*/",
        ),
        edit(
            &subject,
            "src/lib.rs",
            "score > needed",
            "score >= needed /*\u{1b}[1A*/",
        ),
    ] {
        for edits in [&[bad.clone()][..], &[good.clone(), bad.clone()]] {
            let run = apply(&subject, edits);
            assert_eq!(run.code, 2, "{bad}: {}", run.stdout);
            assert_eq!(run.stdout, "", "{bad}");
            assert!(run.stderr.starts_with("error: "), "{bad}: {}", run.stderr);
            assert_eq!(subject.snapshot(), before, "{bad}");
        }
    }
    assert_eq!(fs::read_to_string(&mine).unwrap(), GRADES);
    // Two edits of the same place.
    let run = apply(&subject, &[good.clone(), good]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert_eq!(subject.snapshot(), before);
}

#[test]
fn a_link_out_of_the_subject_is_no_file_of_it() {
    let subject = Subject::lib(GRADES);
    let mine = subject.beside("mine.rs");
    fs::write(&mine, GRADES).unwrap();
    fs::remove_file(subject.root.join("src/lib.rs")).unwrap();
    std::os::unix::fs::symlink(&mine, subject.root.join("src/lib.rs")).unwrap();
    let run = apply(
        &subject,
        &[edit(
            &subject,
            "src/lib.rs",
            "score > needed",
            "score >= needed",
        )],
    );
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("is not below"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&mine).unwrap(), GRADES);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_is_applied_from_a_report_is_shown_as_a_diff() {
    let subject = crate_with_everything();
    let edits = [
        edit(&subject, "src/lib.rs", "score > needed", "score >= needed"),
        edit(&subject, "src/lib.rs", "    false\n", "    score > 99\n"),
    ];
    let run = apply(&subject, &edits);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for line in [
        "--- a/src/lib.rs",
        "-    if score > needed {",
        "+    if score >= needed {",
        "-    false",
        "+    score > 99",
        "Applied patch 1 to src/lib.rs. `cargo nopol undo` reverts it.",
    ] {
        let mut lines = run.stdout.lines();
        assert!(lines.any(|shown| shown == line), "{line}: {}", run.stdout);
    }
    assert_eq!(subject.nopol(&["undo"]).code, 0);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn every_patch_of_a_report_can_be_applied_from_it() {
    let subject = Subject::fixture("two-causes", "two-causes");
    assert_ne!(subject.cargo_test(&[]).code, 0);
    subject.commit();
    let report = subject.nopol(&["--format", "json"]);
    let file = subject.beside("report.json");
    fs::write(&file, &report.stdout).unwrap();
    let report = report.json();
    for patch in report["patches"].as_array().unwrap() {
        let rank = patch["rank"].to_string();
        let none = Vec::new();
        let alternatives = patch["alternatives"].as_array().unwrap_or(&none);
        let others = alternatives
            .iter()
            .map(|other| other["rank"].as_str().unwrap());
        for rank in std::iter::once(&*rank).chain(others) {
            let run = subject.nopol(&["apply", file.to_str().unwrap(), rank, "--yes"]);
            assert_eq!(run.code, 0, "{rank}: {}", run.stderr);
            // The tests have short names, as in reports.
            assert!(run.stdout.contains("`tests::"), "{}", run.stdout);
            assert!(!run.stdout.contains("two_causes::"), "{}", run.stdout);
            assert_eq!(subject.nopol(&["undo"]).code, 0);
        }
        let shown = subject
            .nopol(&["apply", file.to_str().unwrap(), &rank, "--yes"])
            .stdout;
        assert!(
            shown.starts_with(patch["diff"].as_str().unwrap()),
            "{shown}"
        );
        assert_eq!(subject.nopol(&["undo"]).code, 0);
    }
}
