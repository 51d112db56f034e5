//! A search on several machines: shares, and what joins them.

use serde_json::Value;

use crate::common::{GRADES, Run, Subject};

/// The ids of the patches.
fn ids(report: &Value) -> Vec<&str> {
    let patches = report["patches"].as_array().unwrap().iter();
    patches.map(|patch| patch["id"].as_str().unwrap()).collect()
}

#[test]
fn all_shares_together_find_what_one_search_finds() {
    let subject = Subject::lib(GRADES);
    let whole = subject.nopol(&["--format", "json"]).json();
    let mut codes = Vec::new();
    for share in 1..=3 {
        let shard = format!("--shard={share}/3");
        let run = subject.nopol(&[&shard, "--format", "outcome"]);
        codes.push(run.code);
        std::fs::write(subject.root.join(format!("{share}.json")), run.stdout).unwrap();
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
    // Whatever the order of the shares.
    let turned = merge(&["--format=json", "3.json", "1.json", "2.json"]).json();
    assert_eq!(ids(&turned), ids(&merged));
    let human = merge(&["1.json", "2.json", "3.json", "--top", "1"]);
    assert_eq!(
        human.stdout.matches("\npatch ").count(),
        1,
        "{}",
        human.stdout
    );
}

#[test]
fn what_is_no_share_is_refused_with_a_sentence() {
    let subject = Subject::lib(GRADES);
    let says = |run: &Run, what: &str| {
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
    };
    says(&subject.nopol(&["--shard", "3/2"]), "write K/N for share K");
    says(
        &subject.nopol(&["merge", "nowhere.json"]),
        "cannot read nowhere.json",
    );
    says(
        &subject.nopol(&["merge", "Cargo.toml"]),
        "this is not what `cargo nopol --format outcome` prints",
    );
}
