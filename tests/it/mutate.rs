//! `cargo nopol mutate`: all minimal repairs by mutations, or that there is none.

use std::fs;

use serde_json::Value;

use crate::common::{Run, Subject, fixtures};

const SUM: &str = "\
int sum(int n)
{
    int sum = 0;
    int i;

    __CPROVER_assume(n >= 1 && n < 5);
    for (i = 0; i < n; i++)
        sum = sum + i;
    return sum;
}

int wanted(int n)
{
    return n * (n + 1) / 2;
}

int main(void)
{
    return sum(3) != 6;
}
";

const MANIFEST: &str = "\
[c]
sources = [\"sum.c\"]
build = \"cc -o sum sum.c\"

[[c.test]]
name = \"three\"
command = \"./sum\"
";

fn sum() -> Subject {
    Subject::new(&[("sum.c", SUM), ("nopol.toml", MANIFEST)])
}

fn found(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect(&run.stderr)
}

/// What each repair makes of the conditions and values that it changes.
fn repairs(found: &Value) -> Vec<String> {
    let repairs = found["repairs"].as_array().unwrap().iter();
    let texts = repairs.map(|repair| {
        let edits = repair["edits"].as_array().unwrap().iter();
        let edits = edits.map(|edit| edit["after"].as_str().unwrap());
        edits.collect::<Vec<_>>().join(" & ")
    });
    texts.collect()
}

#[test]
fn a_function_is_made_equal_to_another_one_for_all_arguments() {
    let options = [
        "--function",
        "sum",
        "--reference",
        "wanted",
        "--format",
        "json",
    ];
    let run = sum().nopol(&[&["c", "mutate"], &options[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let found = found(&run);
    assert_eq!(found["outcome"], "repaired");
    assert!(
        repairs(&found).contains(&"i <= n".to_owned()),
        "{}",
        run.stdout
    );
    for repair in found["repairs"].as_array().unwrap() {
        // Of the arguments that are assumed no run comes to the bound.
        assert_eq!(repair["proved"], "all", "{repair}");
    }
}

#[test]
fn a_bound_that_no_wrong_run_stays_within_is_said_to_be() {
    let text = SUM.replace("n >= 1", "n >= 3");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let options = ["--function", "sum", "--reference", "wanted", "--bound", "2"];
    let run = subject.nopol(&[&["c", "mutate"], &options[..]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let bounded = "no run within the bound of 2 violates the specification; there are longer runs, which were not judged (--bound)\n";
    assert!(run.stdout.ends_with(bounded), "{}", run.stdout);
}

#[test]
fn a_repair_is_written_and_taken_back() {
    let subject = sum();
    let run = subject.nopol(&["c", "mutate", "--level", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("i < n\n        becomes  i <= n\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("`cargo nopol c apply` writes repair 1"),
        "{}",
        run.stdout
    );
    assert_eq!(subject.read("sum.c"), SUM, "nothing is written unasked");
    let applied = subject.nopol(&["c", "apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(subject.read("sum.c"), SUM.replace("i < n;", "i <= n;"));
    let undone = subject.nopol(&["c", "undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(subject.read("sum.c"), SUM);
}

#[test]
fn all_ways_of_ruling_out_find_the_same() {
    let subject = sum();
    let by = |prune: &str| {
        let run = subject.nopol(&["c", "mutate", "--format=json", "--prune", prune]);
        repairs(&found(&run))
    };
    let all = by("run");
    assert!(!all.is_empty());
    for prune in ["core", "slice", "none"] {
        assert_eq!(by(prune), all, "{prune}");
    }
}

#[test]
fn a_function_of_a_crate_whose_assertion_fails_is_repaired_for_all_arguments() {
    let subject = Subject::lib(
        "pub fn clamp(n: i16, low: i16, high: i16) -> i16 {\n    if n < low {\n        low\n    } else if n >= high {\n        high + 1\n    } else {\n        n\n    }\n}\n\n\
         pub fn check(n: i16) {\n    let clamped = clamp(n, -10, 10);\n    assert!(clamped >= -10 && clamped <= 10);\n}\n",
    );
    let run = subject.nopol(&["mutate", "--function", "check", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let found = found(&run);
    assert!(
        repairs(&found).contains(&"high - 1".to_owned()),
        "{}",
        run.stdout
    );
    assert!(
        repairs(&found).contains(&"high + 0".to_owned()),
        "{}",
        run.stdout
    );
}

#[test]
fn what_cannot_be_asked_is_wrong_usage() {
    let subject = sum();
    for (options, said) in [
        (&["--function", "mean"][..], "there is no function `mean`"),
        (&["--reference", "wanted"], "--function"),
        (
            &["--function", "sum", "--reference", "main"],
            "the same parameters",
        ),
        (&["--only", "four"], "there is no test `four`"),
        (
            &["--function", "sum", "--only", "three"],
            "cannot be used with",
        ),
    ] {
        let run = subject.nopol(&[&["c", "mutate"], options].concat());
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn assumptions_that_contradict_each_other_leave_nothing_to_repair() {
    let text = SUM.replace("n >= 1 && n < 5", "n >= 1 && n < 1");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let run = subject.nopol(&["c", "mutate", "--function", "sum", "--reference", "wanted"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let said = "no arguments meet the assumptions, so nothing constrains `sum`\n";
    assert!(run.stdout.ends_with(said), "{}", run.stdout);
}

#[test]
fn repairs_of_an_earlier_search_are_not_applied_after_one_that_found_none() {
    let subject = sum();
    let found = subject.nopol(&["c", "mutate", "--level", "1"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    let none = subject.nopol(&["c", "mutate", "--level", "1", "--bound", "1"]);
    assert_eq!(none.code, 1, "{}{}", none.stdout, none.stderr);
    let applied = subject.nopol(&["c", "apply"]);
    assert_eq!(applied.code, 2, "{}{}", applied.stdout, applied.stderr);
}

#[test]
fn a_test_that_does_not_end_is_named() {
    let text = SUM.replace("i++", "i--");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let run = subject.nopol(&["c", "mutate", "--level", "1", "--bound", "9"]);
    assert!(
        run.stdout
            .starts_with("three fails: a loop or recursion goes round more than 9 times\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_page_shows_what_the_tool_prints() {
    let page = fs::read_to_string(fixtures().with_file_name("docs/mutate.md")).unwrap();
    let (_, shown) = page.split_once("$ cargo nopol c mutate\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let run = Subject::fixture("formula/c/bridge", "bridge").nopol(&["c", "mutate"]);
    assert_eq!(run.stdout, shown);
}

/// A subject of one C file that has a `main` and these functions, and a test that passes.
fn functions(text: &str) -> Subject {
    let text = format!("#include <stdlib.h>\n{text}\nint main(void)\n{{\n    return 0;\n}}\n");
    let toml = "[c]\nsources = [\"f.c\"]\nbuild = \"cc -o f f.c\"\n[[c.test]]\nname = \"none\"\ncommand = \"./f\"\n";
    Subject::new(&[("f.c", &text), ("nopol.toml", toml)])
}

#[test]
fn what_was_never_set_proves_nothing() {
    let bodies = [
        ("int s; if (x > 1) s = 1; return s;", false),
        ("int s = 0; if (x > 1) s = 1; return s;", true),
        ("int s, t; if (x > 1) s = 1; t = s; return t;", false),
        (
            "int t[2]; t[1] = 2; if (x > 1) t[0] = 1; return t[0];",
            false,
        ),
        (
            "int t[2] = {5}; t[0] = 0; if (x > 1) t[1] = 1; return t[1];",
            true,
        ),
        (
            "struct { int a, b; } p, q; p.b = 2; if (x > 1) p.a = 1; q = p; return q.a;",
            false,
        ),
        (
            "int *m = malloc(sizeof *m); if (x > 1) *m = 1; return *m;",
            false,
        ),
        (
            "int *m = calloc(1, sizeof *m); if (x > 1) *m = 1; return *m;",
            true,
        ),
        ("static int s; s = s & 0; if (x > 1) s = 1; return s;", true),
    ];
    for (body, is_set) in bodies {
        let subject = functions(&format!(
            "int wanted(int x) {{ return x > 0 ? 1 : 0; }}\nint f(int x) {{ {body} }}"
        ));
        for implicit in ["--implicit", "--implicit=false"] {
            let ask = [
                "c",
                "mutate",
                "--function=f",
                "--reference=wanted",
                "--level=1",
                implicit,
            ];
            let run = subject.nopol(&[&ask[..], &["--size=1", "--format=json"]].concat());
            let found = found(&run);
            let proved = repairs(&found);
            assert_eq!(
                !proved.is_empty(),
                is_set,
                "{body} {implicit}: {}",
                run.stdout
            );
            assert_eq!(run.code, i32::from(!is_set), "{body}: {}", run.stderr);
        }
    }
}

#[test]
fn a_shift_overflows_in_c_and_not_in_rust() {
    let subject = functions("int f(unsigned char n) { return 1 << (n & 31); }");
    let run = subject.nopol(&["c", "mutate", "--function", "f", "--format", "json"]);
    assert_eq!(found(&run)["failing"][0]["name"], "f(31)", "{}", run.stdout);
    let subject = functions("int f(signed char n) { if (n > 3) n = 3; return n << 2; }");
    let run = subject.nopol(&["c", "mutate", "--function", "f"]);
    assert!(run.stdout.contains(") fails: "), "{}", run.stdout);
    let subject = functions("unsigned f(unsigned char n) { return 1u << (n & 31); }");
    let run = subject.nopol(&["c", "mutate", "--function", "f"]);
    assert!(run.stdout.contains("nothing to repair"), "{}", run.stdout);
    let subject = Subject::lib("pub fn f(n: u8) -> i32 {\n    1 << (n & 31)\n}\n");
    let run = subject.nopol(&["mutate", "--function", "f"]);
    assert!(run.stdout.contains("nothing to repair"), "{}", run.stdout);
}

/// Says whether a word is long: `>` should be `>=`.
const LONG: &str = r#"#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    if (argc > 1 && strlen(argv[1]) > 3)
        puts("long");
    else
        puts("short");
    return 0;
}
"#;

/// The program, with tests: command and output.
fn long(tests: &[(&str, &str)]) -> Subject {
    let mut config = "[c]\nsources = [\"long.c\"]\nbuild = \"cc -o long long.c\"\n".to_owned();
    for (number, (command, stdout)) in tests.iter().enumerate() {
        config += &format!(
            "\n[[c.test]]\nname = \"test{number}\"\ncommand = {command:?}\nstdout = {stdout:?}\n"
        );
    }
    Subject::new(&[("long.c", LONG), ("nopol.toml", &config)])
}

#[test]
fn what_is_quoted_needs_no_shell() {
    let subject = long(&[
        ("./long '[*]'", "long\n"),
        ("./long \"a=b\"", "long\n"),
        ("./long 'a $b;'", "long\n"),
        ("./long '$;'", "short\n"),
    ]);
    let run = subject.nopol(&["c", "mutate", "--format", "json"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let found = found(&run);
    assert_eq!(
        found["left_out"].as_array().map(Vec::len),
        Some(0),
        "{found}"
    );
    assert!(
        repairs(&found).iter().any(|after| after.contains(">= 3")),
        "{found}"
    );
}

#[test]
fn where_a_test_is_left_out_nobody_says_that_nothing_is_to_be_repaired() {
    let subject = long(&[
        ("./long abcde", "long\n"),
        ("./long abc | cat", "long\n"),
        ("./long a*", "short\n"),
    ]);
    for command in ["mutate", "faults"] {
        let run = subject.nopol(&["c", command]);
        assert_eq!(run.code, 4, "{}\n{}", run.stdout, run.stderr);
        let text = run.stdout + &run.stderr;
        for words in [
            "`test1` and `test2` are left out",
            "needs a shell",
            "all tests that are not left out pass",
        ] {
            assert!(
                text.contains(words),
                "{command}: `{words}` is not in:\n{text}"
            );
        }
        assert!(!text.contains("nothing to"), "{text}");
    }
}
