//! The outcome of the last search: a second call reads it while it holds, and searches again when it does not;
//! `explain` and `apply` mean what was found last.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{GRADES, Run, Subject};

/// The search did not take place, and it is said which one speaks.
fn is_known(run: &Run) {
    let said = &run.stderr;
    assert!(
        said.contains("note: these results are from a search "),
        "{said}"
    );
    assert!(!said.contains("building"), "{said}");
}

fn has_searched(run: &Run, why: &str) {
    let said = &run.stderr;
    assert!(said.contains("building"), "{said}");
    assert!(said.contains(why), "`{why}` is not in:\n{said}");
    assert!(
        !said.contains("note: these results are from a search "),
        "{said}"
    );
}

fn kept(subject: &Subject) -> PathBuf {
    subject.root.join("target/nopol/last.json")
}

#[test]
fn what_does_not_change_the_patches_needs_no_other_search() {
    let subject = Subject::lib(GRADES);
    subject.commit();
    let args = ["--quick", "--format", "github-review"];
    assert_eq!(subject.nopol(&["--quick"]).code, 0);
    // As `cargo test` makes it.
    assert!(!subject.root.join("Cargo.lock").exists());
    assert_ne!(subject.cargo_test(&[]).code, 0);
    assert!(subject.root.join("Cargo.lock").exists());
    let posted = subject.nopol(&[&args[..], &["--diff-base", "HEAD"]].concat());
    is_known(&posted);
    let wrong = subject.nopol(&[&args[..], &["--diff-base", "no-such-branch"]].concat());
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    // Another lock file may bring other dependencies.
    fs::write(subject.root.join("Cargo.lock"), "version = 3\n").unwrap();
    has_searched(&subject.nopol(&["--quick"]), "Cargo.lock");
}

/// Builds a C program where it is, as `make` does it.
fn make(subject: &Subject) {
    let made = Command::new("make").current_dir(&subject.root).output();
    let made: Run = made.unwrap().into();
    assert_eq!(made.code, 0, "{}", made.stderr);
}

#[test]
fn what_a_build_of_the_user_leaves_behind_is_no_change() {
    let grade = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int passes = 0;
    if (argc > 2 && atoi(argv[1]) > atoi(argv[2]))
        passes = 1;
    return printf("%d\n", passes) < 0;
}
"#;
    let config = r#"[c]
sources = ["grade.c"]
build = "make"
[[c.test]]
name = "enough"
command = "./grade 50 50"
stdout = "1\n"
[[c.test]]
name = "less"
command = "./grade 40 50"
stdout = "0\n"
"#;
    let subject = Subject::new(&[
        (
            "Makefile",
            "grade: grade.o\n\t$(CC) -o $@ grade.o\n\techo built > log\n",
        ),
        ("grade.c", grade),
        ("nopol.toml", config),
    ]);
    assert_eq!(subject.nopol_c(&[]).code, 0);
    assert!(!subject.root.join("grade.o").exists());
    make(&subject);
    assert!(subject.root.join("grade.o").exists());
    is_known(&subject.nopol_c(&["explain"]));
    // No build makes this one.
    fs::write(subject.root.join("local.mk"), "").unwrap();
    has_searched(&subject.nopol_c(&[]), "local.mk is new");
    // It is there now, so a build that changes it counts.
    make(&subject);
    fs::write(subject.root.join("log"), "by hand\n").unwrap();
    has_searched(&subject.nopol_c(&[]), "log has changed");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn explain_and_apply_after_a_search_do_not_search_again() {
    let subject = Subject::lib(GRADES);
    subject.commit();
    let before = subject.snapshot();
    let report = subject.nopol(&["--top", "1", "--format", "json"]).json();
    let id = report["patches"][0]["id"].as_str().unwrap();

    let explained = subject.nopol(&["explain", id, "--top", "1"]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    is_known(&explained);
    assert_eq!(subject.snapshot(), before);
    let unknown = subject.nopol(&["explain", "zebra", "--top", "1"]);
    is_known(&unknown);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    // What does not decide what is found may differ.
    let json = subject.nopol(&["explain", id, "--top=1", "--format=json", "--jobs", "1"]);
    is_known(&json);
    assert_eq!(json.json(), report);

    let second = subject.nopol(&["--top", "1", "--format", "json"]);
    is_known(&second);
    assert_eq!(second.json(), report);

    let fresh = subject.nopol(&["explain", id, "--top", "1", "--no-cache"]);
    has_searched(&fresh, "");
    assert_eq!(fresh.stdout, explained.stdout);

    let refused = subject.nopol(&["--apply=7", "--top", "1"]);
    is_known(&refused);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert_eq!(subject.snapshot(), before);
    let applied = subject.nopol(&["--apply", "--top", "1", "--format", "json"]);
    is_known(&applied);
    assert_eq!(applied.json()["applied"], 1);
    assert!(subject.read("src/lib.rs").contains("score >= needed"));
    assert_ne!(subject.snapshot(), before);

    // Now it is another crate.
    let again = subject.nopol(&["--apply", "--top", "1"]);
    has_searched(&again, "src/lib.rs has changed");
    assert!(
        again.stdout.contains("Nothing to repair."),
        "{}",
        again.stdout
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn other_settings_and_damaged_files_are_searched_for_again() {
    let subject = Subject::lib(GRADES);
    // Neither a look around is kept nor a run that was stopped before it found a patch.
    subject.nopol(&["list"]);
    let stopped = subject.nopol(&["--time-limit", "0.01"]);
    assert_eq!(stopped.code, 5, "{}", stopped.stderr);
    assert!(!kept(&subject).exists());

    let first = subject.nopol(&["explain", "1", "--top", "1"]);
    has_searched(&first, "");
    // The patch that the user has seen, whatever the options; no patch of that search is one of another.
    let other = subject.nopol(&["explain", "1"]);
    assert!(
        other.stderr.contains("the settings have changed since"),
        "{}",
        other.stderr
    );
    assert_eq!(other.stdout, first.stdout);
    let refused = subject.nopol(&["explain", "2", "--top", "2"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("the last search found 1 patch"),
        "{}",
        refused.stderr
    );
    has_searched(&subject.nopol(&["--top", "2"]), "the settings have changed");
    is_known(&subject.nopol(&["explain", "1", "--top", "2"]));
    let quiet = subject.nopol(&["explain", "1", "--top", "2", "--quiet"]);
    assert_eq!(quiet.stderr, "");

    let whole = fs::read_to_string(kept(&subject)).unwrap();
    for damaged in [&whole[..whole.len() / 2], "{}"] {
        fs::write(kept(&subject), damaged).unwrap();
        let run = subject.nopol(&["explain", "1", "--top", "2"]);
        has_searched(&run, "");
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    is_known(&subject.nopol(&["explain", "1", "--top", "2"]));

    // A file that is as it was has not changed, whenever it was written.
    let path = subject.root.join("src/lib.rs");
    fs::write(&path, GRADES).unwrap();
    is_known(&subject.nopol(&["explain", "1", "--top", "2"]));
    fs::write(&path, GRADES.replace("(80, 70)", "(80, 71)")).unwrap();
    let changed = subject.nopol(&["explain", "1", "--top", "2"]);
    assert!(
        changed.stderr.contains("src/lib.rs has changed since"),
        "{}",
        changed.stderr
    );
    has_searched(&subject.nopol(&["--top", "2"]), "src/lib.rs has changed");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn reports_are_no_change_and_other_files_do_not_keep_a_patch_from_being_applied() {
    let subject = Subject::lib(GRADES);
    let first = subject.nopol(&["--top", "1", "--html", "report.html", "--summary", "s.md"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(subject.read("report.html").contains("<html"));
    is_known(&subject.nopol(&["--top", "1"]));
    is_known(&subject.nopol(&["--top", "1", "--html", "again.html"]));

    fs::write(subject.root.join("notes.txt"), "mine").unwrap();
    let applied = subject.nopol(&["apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert!(
        applied.stderr.contains("notes.txt is new since"),
        "{}",
        applied.stderr
    );
    assert!(
        applied.stdout.contains("Applied patch 1 to src/lib.rs."),
        "{}",
        applied.stdout
    );
    assert!(subject.read("src/lib.rs").contains("score >= needed"));
    let again = subject.nopol(&["apply"]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("is already applied and fixes `"),
        "{}",
        again.stderr
    );
    // What it changes is not as it was.
    let with_patch = subject.read("src/lib.rs");
    let path = subject.root.join("src/lib.rs");
    fs::write(&path, format!("{with_patch}\n// mine\n")).unwrap();
    let changed = subject.nopol(&["apply"]);
    assert_eq!(changed.code, 2, "{}", changed.stderr);
    assert!(
        changed.stderr.contains("src/lib.rs has changed since"),
        "{}",
        changed.stderr
    );
    fs::write(&path, with_patch).unwrap();
    let undone = subject.nopol(&["undo"]);
    assert_eq!(undone.stdout, "Reverted patch 1 in src/lib.rs.\n");
    assert_eq!(subject.read("src/lib.rs"), GRADES);
}

#[test]
fn a_link_in_place_of_a_report_is_replaced_and_not_followed() {
    let subject = Subject::lib(GRADES);
    let elsewhere = tempfile::tempdir().unwrap();
    let precious = elsewhere.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    std::os::unix::fs::symlink(&precious, subject.root.join("report.html")).unwrap();
    let run = subject.nopol(&["--quick", "--html", "report.html"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert!(subject.read("report.html").contains("<html"));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_c_program_is_searched_once_and_keeps_nothing_in_its_directory() {
    let source = "#include <stdlib.h>\n\nint passes(int score, int needed) {\n    if (score > needed)\n        return 1;\n    return 0;\n}\n\n\
                  int main(int argc, char **argv) {\n    return !passes(atoi(argv[1]), atoi(argv[2]));\n}\n";
    let test = |name: &str, line: &str, exit: i32| {
        format!("[[c.test]]\nname = \"{name}\"\ncommand = \"./grades {line}\"\nexit = {exit}\n\n")
    };
    let config = [
        "top = 1\n\n[c]\nsources = [\"grades.c\"]\nbuild = \"cc -o grades grades.c\"\n\n"
            .to_owned(),
        test("more", "51 50", 0),
        test("less", "49 50", 1),
        test("equal", "50 50", 0),
    ];
    let subject = Subject::new(&[("grades.c", source), ("nopol.toml", &config.concat())]);
    let before = subject.snapshot();
    let first = subject.nopol_c(&[]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    is_known(&subject.nopol_c(&["explain", "1"]));
    assert_eq!(subject.snapshot(), before);

    let applied = subject.nopol_c(&["--apply"]);
    is_known(&applied);
    assert!(
        subject.read("grades.c").contains(">= needed"),
        "{}",
        applied.stdout
    );
    has_searched(&subject.nopol_c(&[]), "grades.c has changed");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_work_directory_in_the_subject_is_used_again() {
    let subject = Subject::lib(GRADES);
    let args = ["--work-dir", "work", "--top", "1"];
    let first = subject.nopol(&args);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(subject.root.join("work/last.json").is_file());
    is_known(&subject.nopol(&["explain", "1", "--work-dir", "work", "--top", "1"]));
    let second = subject.nopol(&args);
    assert_eq!(second.code, 0, "{}", second.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_run_without_a_patch_leaves_those_of_another_command() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstruct n { int v; struct n *next; };\n\
         int worth(struct n *n) {\n    int sum = 0;\n    while (n != NULL) {\n        sum = n->v;\n        n = n->next;\n    }\n    return sum + 1;\n}\n\
         int main(int argc, char **argv) {\n    struct n *n = NULL;\n    for (int i = 1; i < argc; i++) {\n\
         \x20       struct n *one = malloc(sizeof *one);\n        one->v = atoi(argv[i]);\n        one->next = n;\n        n = one;\n    }\n\
         \x20   printf(\"%d\\n\", worth(n));\n    return 0;\n}\n";
    let manifest = "[c]\nsources = [\"a.c\"]\nbuild = \"cc -g -O0 -o a a.c\"\n\
         [[c.test]]\nname = \"one\"\ncommand = \"./a 4\"\nstdout = \"4\\n\"\n\
         [[c.test]]\nname = \"two\"\ncommand = \"./a 7\"\nstdout = \"7\\n\"\n";
    let subject = Subject::new(&[("a.c", source), ("nopol.toml", manifest)]);
    let finds_nothing = || {
        let ended = subject.nopol_c(&["heap", "--failing", "one", "--time-limit", "0"]);
        assert_eq!(ended.code, 5, "{}{}", ended.stdout, ended.stderr);
    };
    finds_nothing();
    let before = subject.snapshot();
    let refused = subject.nopol_c(&["apply"]);
    assert_eq!(refused.code, 2, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains(
            "there is no patch to apply: the last result is that of `cargo nopol c heap`, which found no patch"
        ),
        "{}",
        refused.stderr
    );
    assert_eq!(subject.snapshot(), before);
    let found = subject.nopol_c(&["mutate", "--level", "2"]);
    assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
    finds_nothing();
    let explained = subject.nopol_c(&["explain"]);
    assert!(
        explained
            .stderr
            .contains("note: this patch is from the last `cargo nopol c mutate`, which ended"),
        "{}",
        explained.stderr
    );
    assert!(
        explained.stdout.contains("Change: `"),
        "{}",
        explained.stdout
    );
    let applied = subject.nopol_c(&["apply"]);
    assert_eq!(applied.code, 0, "{}{}", applied.stdout, applied.stderr);
    assert!(
        applied
            .stderr
            .contains("note: this is patch 1 of the `cargo nopol c mutate` run that ended"),
        "{}",
        applied.stderr
    );
}
