//! Reports claim no more of a patch than was checked. `apply` builds and tests a patch that was not built and tested before.
//! Options have one name in all commands.

use serde_json::Value;

use crate::common::Subject;

/// Two faults of one kind: a repair of `small` by `--only` may be any number from 3 up, of which `large` takes none.
const LIMIT: &str = "\
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int given = atoi(argv[1]);

    if (given < 3)
        puts(\"small\");
    else
        puts(\"large\");
    return 0;
}
";

const LIMIT_TESTS: &str = "\
[c]
sources = [\"limit.c\"]
build = \"cc -o limit limit.c\"

[[c.test]]
name = \"three\"
command = \"./limit 3\"
stdout = \"small\\n\"

[[c.test]]
name = \"four\"
command = \"./limit 4\"
stdout = \"large\\n\"
";

fn limit() -> Subject {
    Subject::new(&[("limit.c", LIMIT), ("nopol.toml", LIMIT_TESTS)])
}

/// What is known of the kept patches.
fn evidence(subject: &Subject) -> Vec<(bool, String)> {
    let run = subject.nopol_c(&["explain", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    let patches = report["patches"].as_array().unwrap().iter();
    let known = patches.map(|patch| {
        let evidence = patch["evidence"].as_str().unwrap().to_owned();
        (patch["checked"].as_bool().unwrap(), evidence)
    });
    known.collect()
}

#[test]
fn a_repair_that_was_only_interpreted_is_built_and_tested_before_it_is_written() {
    let subject = limit();
    let found = subject.nopol_c(&["mutate", "--only", "three", "--top", "99"]);
    assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
    let all = evidence(&subject);
    assert!(
        all.iter()
            .all(|known| *known == (false, "interpreted".to_owned())),
        "{all:?}"
    );
    let before = subject.snapshot();
    let (mut written, mut refused) = (0, 0);
    for rank in 1..=all.len() {
        let run = subject.nopol_c(&["apply", &rank.to_string()]);
        match run.code {
            0 => {
                written += 1;
                assert!(
                    run.stdout
                        .contains("built and tested: `three` passes now, and the test that passed"),
                    "{}",
                    run.stdout
                );
                assert_eq!(subject.nopol_c(&["undo"]).code, 0);
            }
            1 => {
                refused += 1;
                assert!(
                    run.stderr.contains("was rejected: `")
                        && run.stderr.contains("` passed before and fails with it")
                        && run.stderr.contains("nothing was written"),
                    "{}",
                    run.stderr
                );
            }
            code => panic!("{code}: {}", run.stderr),
        }
        assert_eq!(subject.snapshot(), before);
    }
    assert!(written > 0 && refused > 0, "{written} and {refused}");
}

#[test]
fn a_format_says_of_a_repair_only_what_was_done_with_it() {
    let subject = limit();
    assert_eq!(subject.nopol_c(&["mutate"]).code, 0);
    for format in [
        "html",
        "markdown",
        "sarif",
        "rustc",
        "rdjson",
        "rdjsonl",
        "github",
        "github-review",
        "gitlab",
    ] {
        let run = subject.nopol_c(&["explain", "--format", format]);
        let said = run.stdout;
        // Only as what the interpreter found.
        let claims = said.matches("breaks no other").count();
        let interpreted = said.matches("in the tool's interpreter, ").count();
        assert_eq!(claims, interpreted, "{format}: {said}");
        for confidence in ["(0%)", "under 1%"] {
            assert!(!said.contains(confidence), "{format}: {said}");
        }
    }
    let run = subject.nopol_c(&["explain"]);
    assert!(
        run.stdout
            .contains("did not build the program with the patch"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_patch_of_a_program_that_cannot_be_built_is_not_written() {
    let subject = Subject::new(&[
        ("limit.c", LIMIT),
        (
            "nopol.toml",
            &LIMIT_TESTS.replace("cc -o limit", "cc -DX=limit -o limit missing.c"),
        ),
    ]);
    assert_eq!(subject.nopol_c(&["mutate"]).code, 0);
    let before = subject.snapshot();
    let run = subject.nopol_c(&["apply"]);
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    let words = "the program does not build even without it. Nothing was written; make the program build first";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert_eq!(subject.snapshot(), before);
}

const LIST: &str = "\
#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *next; };
static struct node *head;

static void push(int key)
{
    struct node *new = malloc(sizeof *new);
    new->key = key;
    new->next = NULL;
    head = new;
}

int main(int argc, char **argv)
{
    struct node *at;
    int i;
    for (i = 1; i < argc; i++)
        push(atoi(argv[i]));
    for (at = head; at != NULL; at = at->next)
        printf(\"%d\", at->key);
    return 0;
}
";

#[test]
fn what_was_asserted_is_not_written_if_a_test_fails_with_it() {
    let manifest = "[c]\nsources = [\"list.c\"]\nbuild = \"cc -o list list.c\"\n\n\
        [[c.test]]\nname = \"two\"\ncommand = \"./list 1 2\"\nstdout = \"2\"\n";
    let subject = Subject::new(&[("list.c", LIST), ("nopol.toml", manifest)]);
    let before = subject.snapshot();
    // The states say that the list is kept, and the test that it is not.
    let run = subject.nopol_c(&[
        "heap",
        "--function",
        "push",
        "--pre",
        "head = n1; n1.key = 1; n1.next = null; key = 2",
        "--post",
        "head = n2; n2.key = 2; n2.next = n1; n1.key = 1; n1.next = null",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(evidence(&subject), [(false, "asserted".to_owned())]);
    let run = subject.nopol_c(&["apply"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("nothing was written"), "{}", run.stderr);
    assert_eq!(subject.snapshot(), before);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn an_alternative_is_built_and_tested_before_it_is_written() {
    let subject = Subject::fixture("percentile", "percentile");
    let before = subject.snapshot();
    let report = subject.nopol(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let with_others = patches
        .iter()
        .find(|patch| !patch["alternatives"].as_array().unwrap().is_empty())
        .unwrap();
    let choice = format!("{}.1", with_others["rank"]);
    let run = subject.nopol(&["apply", &choice]);
    match run.code {
        0 => {
            assert!(
                run.stdout.contains("It was built and tested: "),
                "{}",
                run.stdout
            );
            assert_eq!(subject.cargo_test(&[]).code, 0);
        }
        code => {
            assert_eq!(code, 1, "{}", run.stderr);
            assert_eq!(subject.snapshot(), before);
        }
    }
}

/// An option or a command that was renamed is still accepted, and a note names its new spelling.
#[test]
fn an_old_spelling_works_and_a_note_names_the_new_one() {
    let subject = limit();
    let cases: [(&[&str], i32, &[&str]); 6] = [
        (
            &["c", "faults", "--failing", "three", "--timeout=60"],
            0,
            &[
                "`--failing` is now `--only`",
                "`--timeout` is now `--time-limit`",
            ],
        ),
        (
            &["c", "mutate", "--only", "three", "--timeout", "60"],
            0,
            &["`--timeout` is now `--time-limit`"],
        ),
        (
            &["c", "mutate", "--function", "main", "--reference", "none"],
            2,
            &["`--reference` is now `--reference-function`"],
        ),
        (
            &[
                "c",
                "heap",
                "--function=none",
                "--reference=none",
                "--timeout=1",
            ],
            2,
            &[
                "`--reference` is now `--reference-function`",
                "`--timeout` is now `--time-limit`",
            ],
        ),
        (
            &[
                "debug", "--test", "none", "--script", "/none", "--limit", "1",
            ],
            2,
            &[
                "`cargo nopol debug` is now `cargo nopol c debug`",
                "`--test` is now `--only`",
                "`--script` is now `--replay`",
                "`--limit` is now `--command-timeout`",
            ],
        ),
        (
            &["c", "--fresh", "--print-config"],
            0,
            &["`--fresh` is now `--no-cache`"],
        ),
    ];
    for (args, code, notes) in cases {
        let run = subject.nopol(args);
        assert_eq!(run.code, code, "{args:?}: {}{}", run.stdout, run.stderr);
        for note in notes {
            let note = format!("note: {note}\n");
            assert!(run.stderr.contains(&note), "{args:?}: {}", run.stderr);
        }
        assert!(
            !run.stderr.contains("unexpected argument"),
            "{}",
            run.stderr
        );
    }
    let help = subject.nopol(&["c", "faults", "--help"]).stdout;
    assert!(!help.contains("--timeout"), "{help}");
}

/// Builds keep what they compile in a directory next to the subject. Whatever is reported as applied is among it.
#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_that_is_reported_as_applied_was_built_as_it_is_written() {
    let mut applied = 0;
    // Wrong conditions on one number, of which `given >= 3` is right, and tests that tell some of them apart.
    let wrong = [
        "given > 3",
        "given >= 4",
        "given == 3",
        "given >= 3 && given < 5",
    ];
    for (condition, told) in wrong
        .iter()
        .zip([&[2, 3, 9][..], &[2, 3], &[1, 3, 4], &[0, 4, 6]])
    {
        let subject = Subject::new(&[(
            "limit.c",
            &LIMIT.replace("given < 3", &format!("!({condition})")),
        )]);
        let seen = subject.beside("seen");
        std::fs::create_dir(&seen).unwrap();
        let kept = format!("{}/$(cksum < limit.c | tr -d ' ')", seen.display());
        let mut settings = format!(
            "[c]\nsources = [\"limit.c\"]\nbuild = \"cc -o limit limit.c && cp limit.c {kept}\"\n"
        );
        for given in told {
            let printed = if *given >= 3 { "large" } else { "small" };
            settings += &format!(
                "\n[[c.test]]\nname = \"t{given}\"\ncommand = \"./limit {given}\"\nstdout = \"{printed}\\n\"\n"
            );
        }
        std::fs::write(subject.root.join("nopol.toml"), settings).unwrap();
        let args = [
            "--apply",
            "--format",
            "json",
            "--sandbox",
            "off",
            "--top",
            "2",
        ];
        let report = subject.nopol_c(&args).json();
        let now = subject.read("limit.c");
        let is_built = std::fs::read_dir(&seen)
            .unwrap()
            .any(|file| std::fs::read_to_string(file.unwrap().path()).unwrap() == now);
        if let Some(rank) = report["applied"].as_u64() {
            applied += 1;
            let patches = report["patches"].as_array().unwrap();
            let patch = patches.iter().find(|patch| patch["rank"] == rank).unwrap();
            assert_eq!(patch["evidence"], "tested", "{patch:#}");
            assert!(
                now.contains(patch["edits"][0]["after"].as_str().unwrap()),
                "{now}"
            );
            assert!(is_built, "{now}");
        }
    }
    assert!(applied >= 3, "{applied}");
}
