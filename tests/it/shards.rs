//! A search on several machines: shards, and what joins them.

use std::fs;

use serde_json::Value;

use crate::common::{GRADES, Run, Subject};

/// The ids of the patches.
fn ids(report: &Value) -> Vec<&str> {
    let patches = report["patches"].as_array().unwrap().iter();
    patches.map(|patch| patch["id"].as_str().unwrap()).collect()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn all_shards_together_find_what_one_search_finds() {
    let subject = Subject::lib(GRADES);
    let whole = subject.nopol(&["--format", "json"]).json();
    let mut codes = Vec::new();
    for number in 1..=3 {
        let shard = format!("--shard={number}/3");
        let run = subject.nopol(&[&shard, "--format", "outcome"]);
        codes.push(run.code);
        std::fs::write(subject.root.join(format!("{number}.json")), run.stdout).unwrap();
    }
    assert!(codes.iter().all(|code| [0, 1].contains(code)), "{codes:?}");
    let merge = |args: &[&str]| -> Run { subject.nopol(&[&["merge"], args].concat()) };
    let merged = merge(&["--format=json", "1.json", "2.json", "3.json"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    let merged = merged.json();
    assert_eq!(ids(&merged)[0], ids(&whole)[0]);
    assert_eq!(merged["failing_tests"], whole["failing_tests"]);
    for id in ids(&whole) {
        assert!(ids(&merged).contains(&id), "{id} is not in {merged}");
    }
    // Whatever the order of the shards.
    let turned = merge(&["--format=json", "3.json", "1.json", "2.json"]).json();
    assert_eq!(ids(&turned), ids(&merged));
    let human = merge(&["1.json", "2.json", "3.json", "--top", "1"]);
    let warning = "warning: each shard of the search ranked its own patches";
    assert!(human.stderr.contains(warning), "{}", human.stderr);
    assert_eq!(
        human.stdout.matches("\npatch ").count(),
        1,
        "{}",
        human.stdout
    );
}

#[test]
fn what_is_no_shard_is_refused_with_a_sentence() {
    let subject = Subject::lib(GRADES);
    let says = |run: &Run, what: &str| {
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
    };
    says(
        &subject.nopol(&["--shard", "3/2"]),
        "write K/N with K from 1 to N",
    );
    says(
        &subject.nopol(&["merge", "nowhere.json"]),
        "cannot read nowhere.json",
    );
    says(
        &subject.nopol(&["merge", "Cargo.toml"]),
        "this is not a report from `cargo nopol --format outcome`",
    );
}

/// The outcomes of all shards of a search, written beside the subject; their paths.
fn shards(subject: &Subject, all: usize) -> Vec<String> {
    let shard = |number: usize| {
        let shard = format!("--shard={number}/{all}");
        let run = subject.nopol(&[&shard, "--format", "outcome"]);
        assert!([0, 1].contains(&run.code), "{}", run.stderr);
        let path = subject.beside(&format!("{number}-of-{all}.json"));
        fs::write(&path, run.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    };
    (1..=all).map(shard).collect()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn apply_means_the_patches_that_merge_showed() {
    let subject = Subject::lib(GRADES);
    let shards = shards(&subject, 3);
    let merge = |format: &str| -> Run {
        let mut args = vec!["merge", "--format", format];
        args.extend(shards.iter().map(String::as_str));
        subject.nopol(&args)
    };
    let shown = merge("human");
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(!shown.stdout.contains("--shard"), "{}", shown.stdout);
    assert!(
        !shown.stdout.contains("cargo nopol review"),
        "{}",
        shown.stdout
    );
    let report = merge("json").json();
    let patches = report["patches"].as_array().unwrap();
    assert!(patches.len() > 1, "{report}");
    for patch in patches {
        let rank = patch["rank"].to_string();
        let explained = subject.nopol(&["explain", &rank]);
        let id = patch["id"].as_str().unwrap();
        assert!(
            explained.stdout.contains(&format!("id {id}")),
            "{}",
            explained.stdout
        );
        let wanted = patch["edits"][0]["after"].as_str().unwrap();
        let applied = subject.nopol(&["apply", &rank]);
        assert_eq!(applied.code, 0, "{}", applied.stderr);
        let text = subject.read("src/lib.rs");
        let at = usize::try_from(patch["edits"][0]["span"]["start"].as_u64().unwrap()).unwrap();
        assert_eq!(text.get(at..at + wanted.len()), Some(wanted), "{text}");
        assert_eq!(subject.nopol(&["undo"]).code, 0);
    }
    // Of a subject that is not as the shards had it nothing is kept, and that is said.
    fs::write(
        subject.root.join("src/lib.rs"),
        format!("// mine\n{GRADES}"),
    )
    .unwrap();
    let elsewhere = merge("human");
    assert_eq!(elsewhere.code, 0, "{}", elsewhere.stderr);
    assert!(
        elsewhere.stderr.contains("these patches are not kept here"),
        "{}",
        elsewhere.stderr
    );
    for advice in ["nopol apply", "explain"] {
        assert!(!elsewhere.stdout.contains(advice), "{}", elsewhere.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_shard_that_is_missing_given_twice_or_of_another_search_is_refused() {
    let subject = Subject::lib(GRADES);
    let (of_two, of_three) = (shards(&subject, 2), shards(&subject, 3));
    let refused = |files: &[&String], what: &str| {
        let mut args = vec!["merge"];
        args.extend(files.iter().map(|file| file.as_str()));
        let run = subject.nopol(&args);
        assert_eq!(run.code, 2, "{what}: {}", run.stdout);
        assert!(run.stderr.contains(what), "{what}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    };
    refused(
        &[&of_three[0], &of_three[2]],
        "shard 2/3 is missing; all 3 shards are needed",
    );
    refused(
        &[&of_three[0], &of_three[1], &of_three[1]],
        "shard 2/3 is given twice, and shard 3/3 is missing; give the outcome of each shard once",
    );
    refused(
        &[&of_two[0], &of_two[1], &of_two[0]],
        "shard 1/2 is given twice",
    );
    refused(
        &[&of_two[0], &of_three[1], &of_three[2]],
        "one file is a shard of 2, another a shard of 3",
    );
    // The same tests fail, but a file is not the same.
    fs::write(
        subject.root.join("src/lib.rs"),
        format!("// mine\n{GRADES}"),
    )
    .unwrap();
    let later = subject.beside("later.json");
    let run = subject.nopol(&["--shard", "2/2", "--format", "outcome"]);
    fs::write(&later, run.stdout).unwrap();
    let later = later.to_str().unwrap().to_owned();
    refused(&[&of_two[0], &later], "src/lib.rs differs between them");
}
