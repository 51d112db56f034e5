//! Patches on the way to people: applied and taken back, walked through, written to files, posted to a pull request.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::common::{GRADES, Run, Subject};
use crate::github;

fn answered(subject: &Subject, args: &[&str], answers: &str) -> Run {
    let mut command = subject.command(&["review"]);
    command.args(args).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(answers.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap().into()
}

#[test]
fn on_a_terminal_a_key_is_an_answer() {
    let subject = Subject::lib(GRADES);
    assert_eq!(subject.nopol(&["--quick", "-q"]).code, 0);
    let before = subject.read("src/lib.rs");
    // No Enter follows a key.
    let answers = [
        ("e[d]it, [q]uit, [?] ", "?"),
        ("[q]uit, [?] ", "a"),
        ("[u]ndo, [q]uit, [?] ", "u"),
        ("[q]uit, [?] ", "q"),
    ];
    let command = subject.command(&["review", "--quick"]);
    let (code, shown) = typed(command, &answers, |key| {
        if key == "u" {
            assert_ne!(subject.read("src/lib.rs"), before);
        }
    });
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(subject.read("src/lib.rs"), before, "{shown}");
}

/// Runs a command on a terminal of its own. Each answer is typed once its question stands there and `before` has seen the
/// answer. The exit code, and what was shown.
pub fn typed(
    mut command: Command,
    answers: &[(&str, &str)],
    before: impl Fn(&str),
) -> (Option<i32>, String) {
    let terminal = nix::pty::openpty(None, None).unwrap();
    let slave = || Stdio::from(terminal.slave.try_clone().unwrap());
    command.stdin(slave()).stdout(slave()).stderr(slave());
    let mut child = command.spawn().unwrap();
    drop(command);
    drop(terminal.slave);
    let mut master = fs::File::from(terminal.master);
    let (mut shown, mut seen) = (String::new(), 0);
    let read = |master: &mut fs::File, shown: &mut String| {
        let mut bytes = [0; 4096];
        // Where the other side is closed, reading fails.
        let length = master.read(&mut bytes).unwrap_or(0);
        *shown += &String::from_utf8_lossy(&bytes[..length]);
        length
    };
    for (question, answer) in answers {
        while !shown[seen..].contains(question) {
            assert_ne!(read(&mut master, &mut shown), 0, "{shown}");
        }
        seen = shown.len();
        before(answer);
        // Until then, the terminal is not in raw mode.
        std::thread::sleep(Duration::from_millis(200));
        master.write_all(answer.as_bytes()).unwrap();
    }
    while read(&mut master, &mut shown) > 0 {}
    (child.wait().unwrap().code(), shown)
}

#[test]
fn a_patch_is_viewed_side_by_side_and_the_failure_is_remembered() {
    let subject = Subject::lib(GRADES);
    let reviewed = answered(&subject, &["--quick"], "v\na\nt\nu\nq\n");
    let beside = "    4 -     if score > needed {";
    let line = reviewed
        .stdout
        .lines()
        .find(|line| line.starts_with(beside));
    let line = line.unwrap_or_else(|| panic!("{}", reviewed.stdout));
    assert!(
        line.ends_with(" |     4 +     if score >= needed {"),
        "{line}"
    );
    let before = "Without the patch, `tests::just_enough_is_enough` panics at src/lib.rs:28:9: assertion failed: passes(50, 50)\n";
    let (_, after) = reviewed.stdout.split_once(before).unwrap();
    assert!(after.contains("Your tests pass."), "{after}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn patches_of_two_causes_are_applied_one_after_the_other() {
    let subject = Subject::fixture("two-causes", "two-causes");
    assert_ne!(subject.cargo_test(&[]).code, 0);
    subject.commit();
    let before = subject.read("src/lib.rs");
    let report = subject.nopol(&["--format", "json"]).json();
    let groups = report["groups"].as_array().unwrap();
    let ranks = [&groups[0], &groups[1]].map(|group| {
        let id = group["patches"][0].as_str().unwrap();
        let patches = report["patches"].as_array().unwrap();
        let patch = patches.iter().find(|patch| patch["id"] == id).unwrap();
        patch["rank"].to_string()
    });
    let first = subject.nopol(&["apply", &ranks[0]]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let second = subject.nopol(&["apply", &ranks[1]]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    let said = format!(
        "It was checked without patch {}, which is also applied",
        ranks[0]
    );
    assert!(second.stdout.contains(&said), "{}", second.stdout);
    let tested = subject.cargo_test(&[]);
    assert_eq!(tested.code, 0, "{}", tested.stdout);
    // What is not known needs no other search, although the file has changed since.
    let unknown = subject.nopol(&["explain", "zebra"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(!unknown.stderr.contains("building"), "{}", unknown.stderr);

    for rank in [&ranks[1], &ranks[0]] {
        let undone = subject.nopol(&["undo"]);
        let said = format!("Reverted patch {rank} in src/lib.rs.\n");
        assert_eq!(undone.stdout, said);
    }
    assert_eq!(subject.read("src/lib.rs"), before);

    let reviewed = answered(&subject, &[], "a\nn\na\nn\nt\n");
    assert_eq!(reviewed.code, 0, "{}", reviewed.stderr);
    for said in ["There is no other cause with a patch.", "Your tests pass."] {
        assert!(reviewed.stdout.contains(said), "{}", reviewed.stdout);
    }
}

#[test]
fn patches_are_applied_and_taken_back() {
    let subject = Subject::lib(GRADES);
    // It writes a Cargo.lock.
    assert_ne!(subject.cargo_test(&[]).code, 0);
    subject.commit();
    let nothing = subject.nopol(&["apply"]);
    assert_eq!(nothing.code, 2);
    assert!(
        nothing.stderr.contains(
            "no search result is saved here. `cargo nopol` searches; it saves nothing if"
        ),
        "{}",
        nothing.stderr
    );

    let before = subject.snapshot();
    let report = subject.nopol(&["--format", "json"]);
    let applied = subject.nopol(&["apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(subject.cargo_test(&[]).code, 0);
    let again = subject.nopol(&["apply", "--allow-dirty"]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.contains("is already applied and fixes `"),
        "{}",
        again.stderr
    );
    assert_eq!(subject.nopol(&["undo"]).code, 0);
    assert_eq!(subject.snapshot(), before);
    assert_eq!(subject.nopol(&["undo"]).code, 2);

    // Of a report in a file: the same, as long as the source is what it was.
    let file = subject.beside("report.json");
    fs::write(&file, &report.stdout).unwrap();
    let file = file.to_str().unwrap();
    let id = report.json()["patches"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(subject.nopol(&["apply", file, &id, "--yes"]).code, 0);
    assert_eq!(subject.cargo_test(&[]).code, 0);
    // What was edited since is not overwritten.
    let path = subject.root.join("src/lib.rs");
    let edited = subject.read("src/lib.rs") + "// mine\n";
    fs::write(&path, &edited).unwrap();
    assert_eq!(subject.nopol(&["undo"]).code, 2);
    assert_eq!(subject.read("src/lib.rs"), edited);
    let refused = subject.nopol(&["apply", file, "--allow-dirty", "--yes"]);
    assert_eq!(refused.code, 2);
    assert_eq!(subject.read("src/lib.rs"), edited);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_report_that_names_a_file_of_others_is_refused() {
    let subject = Subject::lib(GRADES);
    let report = subject.nopol(&["--format", "json", "--top", "1"]).stdout;
    let mine = subject.beside("mine.rs");
    fs::write(&mine, subject.read("src/lib.rs")).unwrap();
    let file = subject.beside("report.json");
    fs::write(&file, report.replace("\"src/lib.rs\"", "\"../mine.rs\"")).unwrap();
    let run = subject.nopol(&["apply", file.to_str().unwrap()]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("is not a file that a patch can change"),
        "{}",
        run.stderr
    );
    assert_eq!(
        fs::read_to_string(mine).unwrap(),
        subject.read("src/lib.rs")
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_review_explains_applies_and_takes_back() {
    let subject = Subject::lib(GRADES);
    // It writes a Cargo.lock.
    assert_ne!(subject.cargo_test(&[]).code, 0);
    subject.commit();
    let before = subject.snapshot();
    let run = answered(&subject, &["--top", "1"], "?\ne\na\nt\nu\nq\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    for said in [
        "aN applies it",
        "Clause `",
        "Applied patch 1 to src/lib.rs.",
        "Your tests pass.",
        "Reverted",
    ] {
        assert!(run.stdout.contains(said), "{said}:\n{}", run.stdout);
    }
    assert_eq!(subject.snapshot(), before);
    // Another condition, and the end of the input is the end.
    let run = answered(
        &subject,
        &["--top", "1"],
        "a9\nd\nscore >= blah(\nd\nscore > 48\na\nd\nscore + 1 > needed\na\n",
    );
    assert!(run.stdout.contains("no alternative 9"), "{}", run.stdout);
    assert!(
        run.stdout.contains("That is not a condition"),
        "{}",
        run.stdout
    );
    let edited = "a different condition here, edited by hand";
    assert!(run.stdout.contains(edited), "{}", run.stdout);
    let untrue = "meets the specification";
    assert!(!run.stdout.contains(untrue), "{}", run.stdout);
    // What was edited is built and tested, too.
    assert!(run.stderr.contains("was rejected"), "{}", run.stderr);
    assert!(
        run.stdout.contains("It was built and tested: "),
        "{}",
        run.stdout
    );
    assert!(subject.read("src/lib.rs").contains("score + 1 > needed"));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_review_compares_alternatives_as_the_report_does() {
    let subject = Subject::fixture("percentile", "percentile");
    let run = answered(&subject, &["--top", "1"], "q\n");
    let alternative =
        "1 alternative, not built on its own; no test distinguishes it from this patch:";
    assert!(run.stdout.contains(alternative), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn reports_go_to_files_and_the_exit_code_is_chosen() {
    let subject = Subject::lib(GRADES);
    let (page, summary) = (subject.beside("page.html"), subject.beside("summary.md"));
    let files = [
        "--html",
        page.to_str().unwrap(),
        "--summary",
        summary.to_str().unwrap(),
    ];
    let run = subject.nopol(&[&files[..], &["--fail-on", "patched", "--top", "1"]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "it needs nothing else"
    );
    let summary = fs::read_to_string(summary).unwrap();
    assert!(
        summary.starts_with("## cargo nopol: 1 plausible patch\n"),
        "{summary}"
    );
    assert_eq!(subject.nopol(&["--fail-on", "never", "--top", "1"]).code, 0);
    let mut command = subject.command(&["--top", "1"]);
    let run: Run = command
        .env("GITHUB_ACTIONS", "true")
        .output()
        .unwrap()
        .into();
    assert!(
        run.stdout.contains("\n::warning file=src/lib.rs,line="),
        "{}",
        run.stdout
    );
}

/// A pull request that breaks a test.
pub fn pull_request() -> (Subject, String) {
    let subject = Subject::lib(&GRADES.replace("score > needed", "score >= needed"));
    subject.commit();
    assert_eq!(subject.cargo_test(&[]).code, 0);
    let base = subject.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    fs::write(subject.root.join("src/lib.rs"), GRADES).unwrap();
    assert_eq!(subject.git(&["commit", "-qam", "break it"]).code, 0);
    (subject, base)
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_review_has_suggestions_only_for_lines_of_the_diff() {
    let (subject, base) = pull_request();
    let args = ["--format", "github-review", "--top", "1"];
    let run = subject.nopol(&[&args[..], &["--diff-base", &base]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let review = run.json();
    github::check(&review, &github::diff(&subject, &base)).unwrap();
    assert_eq!(review["comments"].as_array().unwrap().len(), 1);

    // Of a diff of something else, everything is in the text.
    let diff = subject.beside("diff");
    fs::write(&diff, "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    let run = subject.nopol(&[&args[..], &["--diff-base", diff.to_str().unwrap()]].concat());
    let review = run.json();
    assert_eq!(review["comments"], Value::Array(Vec::new()));
    assert!(
        review["body"].as_str().unwrap().contains("```diff\n"),
        "{review}"
    );
    assert!(
        run.stderr.contains("::warning file=src/lib.rs"),
        "{}",
        run.stderr
    );

    let run = subject.nopol(&[&args[..], &["--diff-base", "no-such-branch"]].concat());
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("--diff-base: `no-such-branch`"),
        "{}",
        run.stderr
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_change_of_a_source_starts_another_search() {
    let subject = Subject::lib(GRADES);
    let mut command = subject.command(&["--watch", "--top", "1"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    // If it says nothing more, its end is the end of what it says.
    let child = Arc::new(Mutex::new(child));
    let late = Arc::clone(&child);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(120));
        late.lock().unwrap().kill()
    });
    let mut until = |text: &str| {
        let found = said
            .by_ref()
            .map(Result::unwrap)
            .any(|line| line.contains(text));
        assert!(found, "it never said `{text}`");
    };
    until("watching ");
    let right = GRADES.replace("score > needed", "score >= needed");
    fs::write(subject.root.join("src/lib.rs"), right).unwrap();
    until("lib.rs has changed");
    until("3 pass, 0 fail");
    until("watching ");
    let mut child = child.lock().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn completions_and_manual_pages_are_of_every_command() {
    let subject = Subject::lib("");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = subject.nopol(&["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            run.stdout.contains("explain") && run.stdout.contains("fail-on"),
            "{shell}"
        );
    }
    let script = subject.beside("completions.bash");
    fs::write(&script, subject.nopol(&["completions", "bash"]).stdout).unwrap();
    let checked = Command::new("bash")
        .arg("-n")
        .arg(&script)
        .status()
        .unwrap();
    assert!(checked.success());
    let dir = subject.beside("man");
    fs::create_dir(&dir).unwrap();
    assert_eq!(subject.nopol(&["man", dir.to_str().unwrap()]).code, 0);
    for page in [
        "cargo-nopol.1",
        "cargo-nopol-review.1",
        "cargo-nopol-c-explain.1",
    ] {
        assert!(dir.join(page).exists(), "{page}");
    }
}
