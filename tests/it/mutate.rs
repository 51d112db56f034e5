//! `cargo nopol mutate`: all minimal repairs by mutation, or the result that there are none.

use std::fs;

use serde_json::Value;

use crate::common::{Run, Subject, fixtures};
use crate::mutate_tried::long;

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

pub fn sum() -> Subject {
    Subject::new(&[("sum.c", SUM), ("nopol.toml", MANIFEST)])
}

pub fn found(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect(&run.stderr)
}

/// What each repair makes of the conditions and values that it changes.
pub fn repairs(found: &Value) -> Vec<String> {
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
        "--reference-function",
        "wanted",
        "--format",
        "json",
        // Other tests run beside it.
        "--time-limit",
        "300",
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
fn a_bound_that_no_run_stays_within_judges_nothing() {
    let text = SUM.replace("n >= 1", "n >= 3");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let options = [
        "--function",
        "sum",
        "--reference-function",
        "wanted",
        "--bound",
        "2",
    ];
    let run = subject.nopol(&[&["c", "mutate"], &options[..]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let bounded = "No run of `sum` was judged, because there are no arguments that meet the assumptions and for which both `sum` and `wanted` return within the bound of 2: a larger --bound follows longer runs.\n";
    assert!(run.stdout.ends_with(bounded), "{}", run.stdout);
}

#[test]
fn a_function_that_is_right_within_the_bound_is_not_said_to_have_no_repair() {
    let text = SUM.replace("i < n", "i <= n");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let options = ["--function", "sum", "--reference-function", "wanted"];
    let ask = |more: &[&str]| subject.nopol(&[&["c", "mutate"], &options[..], more].concat());
    let run = ask(&["--bound", "3"]);
    let words = "No run violates the specification, as long as no loop iterates more than 3 times; longer runs were not examined: \
                 a larger --bound examines them.\n";
    assert_eq!((run.code, &*run.stdout), (1, words), "{}", run.stderr);
    assert_eq!(
        ask(&["--bound", "3", "--format", "json"]).json()["outcome"],
        "unjudged"
    );
}

#[test]
fn a_repair_that_needs_longer_runs_is_not_said_not_to_exist() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    unsigned x = argc > 1 ? atoi(argv[1]) : 0, n = 0;\n    \
                  while (x) {\n        n += x & 1;\n        x >>= 2;\n    }\n    printf(\"%u\", n);\n    return 0;\n}\n";
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n[[c.test]]\nname = \"many\"\ncommand = \"./p 1048575\"\nstdout = \"20\"\n[[c.test]]\nname = \"one\"\ncommand = \"./p 1\"\nstdout = \"1\"\n";
    let subject = Subject::new(&[("p.c", source), ("nopol.toml", manifest)]);
    let ask = |more: &[&str]| subject.nopol(&[&["c", "mutate", "--size=1"], more].concat());
    let none = "No patch found. Tried: all level-2 changes of a single statement, with at most 13 iterations of a loop. ";
    let longer = " or --bound (longer runs).\n";
    let run = ask(&[]);
    assert!(
        run.stdout.contains(none) && run.stdout.ends_with(longer),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let run = ask(&["--bound=30"]);
    let some = "level 2 has no others that change a single statement, with at most 30 iterations of a loop:\n";
    assert!(run.stdout.contains(some), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("becomes  x >>= 1\n"), "{}", run.stdout);
}

#[test]
fn repairs_are_reported_in_every_format() {
    let subject = sum();
    let report = |format: &str| {
        let run = subject.nopol(&["c", "mutate", "--level", "1", "--format", format]);
        assert_eq!(run.code, 0, "{format}: {}", run.stderr);
        run.stdout
    };
    let diff = report("diff");
    subject.apply(&serde_json::json!({ "diff": diff })).unwrap();
    assert_eq!(subject.read("sum.c"), SUM.replace("i < n;", "i <= n;"));
    fs::write(subject.root.join("sum.c"), SUM).unwrap();
    let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "sum.c");
    assert_eq!(place["region"]["startLine"], 7);
    let markdown = report("markdown");
    assert!(
        markdown.contains("i <= n") && markdown.contains("the search did not build the program"),
        "{markdown}"
    );
}

#[test]
fn a_repair_is_written_and_taken_back() {
    // A compiler knows nothing of assumptions.
    let text = SUM.replace("    __CPROVER_assume(n >= 1 && n < 5);\n", "");
    let subject = Subject::new(&[("sum.c", &text), ("nopol.toml", MANIFEST)]);
    let run = subject.nopol(&["c", "mutate", "--level", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("i < n\n        becomes  i <= n\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("`cargo nopol c apply` writes patch 1"),
        "{}",
        run.stdout
    );
    assert_eq!(subject.read("sum.c"), text, "nothing is written unasked");
    let applied = subject.nopol(&["c", "apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(subject.read("sum.c"), text.replace("i < n;", "i <= n;"));
    let undone = subject.nopol(&["c", "undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(subject.read("sum.c"), text);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn all_ways_of_ruling_out_find_the_same() {
    let subject = sum();
    let by = |prune: &str| {
        let options = ["--format=json", "--time-limit=600", "--prune", prune];
        let run = subject.nopol(&[&["c", "mutate"], &options[..]].concat());
        repairs(&found(&run))
    };
    let all = by("run");
    assert!(!all.is_empty());
    for prune in ["core", "slice", "none"] {
        assert_eq!(by(prune), all, "{prune}");
    }
}

/// `docs/benchmarks.md` has the times.
#[test]
fn the_fastest_way_of_ruling_out_is_the_default_of_its_level() {
    let subject = sum();
    let examined = |level: &str, prune: &[&str]| {
        let options = ["c", "mutate", "--format=json", "--size=1", "--level", level];
        let run = subject.nopol(&[&options[..], prune].concat());
        found(&run)["examined"].as_u64().unwrap()
    };
    for (level, usual, other) in [("2", "slice", "run"), ("3", "run", "slice")] {
        let by_default = examined(level, &[]);
        assert_eq!(by_default, examined(level, &["--prune", usual]), "{level}");
        assert_ne!(by_default, examined(level, &["--prune", other]), "{level}");
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
        (&["--reference-function", "wanted"], "--function"),
        (
            &["--function", "sum", "--reference-function", "main"],
            "the same parameters",
        ),
        (&["--only", "four"], "no test is named `four`"),
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
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function",
        "sum",
        "--reference-function",
        "wanted",
    ]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let said = "No arguments meet the assumptions, so nothing constrains `sum`.\n";
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
            .contains("`three` may not end: a loop or recursion repeats more than 9 times\n"),
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
pub fn functions(text: &str) -> Subject {
    let text = format!("#include <stdlib.h>\n{text}\nint main(void)\n{{\n    return 0;\n}}\n");
    let toml = "[c]\nsources = [\"f.c\"]\nbuild = \"cc -o f f.c\"\n[[c.test]]\nname = \"none\"\ncommand = \"./f\"\n";
    Subject::new(&[("f.c", &text), ("nopol.toml", toml)])
}

/// A crate of which one test fails, another one fails and is ignored, and an example in the documentation fails.
fn documented(tests: &str) -> Subject {
    let library = "/// Half of it.\n///\n/// ```\n/// assert_eq!(halves::half(5), 2);\n/// ```\npub fn half(n: u32) -> u32 {\n    n / 2 + n % 2\n}\n\n";
    let manifest = "[package]\nname = \"halves\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let text = format!("{library}#[cfg(test)]\nmod tests {{\n    use super::half;\n{tests}}}\n");
    Subject::new(&[("src/lib.rs", &text), ("Cargo.toml", manifest)])
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_arguments_after_two_dashes_choose_tests() {
    let subject = documented(
        "    #[test]\n    fn of_four() { assert_eq!(half(4), 2); }\n    #[test]\n    fn of_seven() { assert_eq!(half(7), 3); }\n    \
         #[test]\n    #[ignore]\n    fn of_nine() { assert_eq!(half(9), 4); }\n",
    );
    for command in ["mutate", "faults"] {
        let said = |arguments: &[&str]| {
            let run = subject.nopol(&[&[command], arguments].concat());
            (run.code, run.stdout + &run.stderr)
        };
        let (code, all) = said(&[]);
        assert_eq!(code, 0, "{all}");
        assert!(all.contains("`tests::of_seven` fails"), "{all}");
        assert!(!all.contains("of_nine"), "{all}");
        // Where the chosen ones pass, nothing fails; where none is chosen, there is nothing to look at.
        let (code, chosen) = said(&["--", "of_four"]);
        assert_eq!(code, 4, "{chosen}");
        assert!(
            chosen.contains(
                "All `#[test]`s selected by the arguments after `--` pass, and doctests are not examined"
            ),
            "{chosen}"
        );
        let (code, none) = said(&["--", "of_five", "--nocapture"]);
        assert_eq!(code, 4, "{none}");
        let sentence = "no test matches the arguments after `--` (of_five --nocapture)";
        assert!(none.contains(sentence), "{none}");
        let (code, unknown) = said(&["--", "--nosuch"]);
        assert_eq!(code, 2, "{unknown}");
        assert!(
            unknown.contains("`--nosuch` is not allowed after `--`"),
            "{unknown}"
        );
        let (_, ignored) = said(&["--", "--ignored"]);
        assert!(ignored.contains("`tests::of_nine` fails"), "{ignored}");
        assert!(!ignored.contains("of_seven"), "{ignored}");
        let option = if command == "mutate" {
            "--only"
        } else {
            "--failing"
        };
        let (_, left_out) = said(&[option, "tests::of_nine"]);
        assert!(
            left_out.contains("`tests::of_nine` is left out: it is marked `#[ignore]`"),
            "{left_out}"
        );
    }
    let run = subject.nopol(&["mutate", "--", "of_seven"]);
    assert!(
        run.stdout
            .contains("only the tests selected by the arguments after `--`"),
        "{}",
        run.stdout
    );
}

#[test]
fn nothing_is_said_of_tests_that_were_not_chosen() {
    let subject = Subject::lib(
        "pub fn half(n: u32) -> u32 {\n    n / 2 + n % 2\n}\n\
         #[test]\nfn of_four() { assert_eq!(half(4), 2); }\n\
         #[test]\nfn of_seven() { assert_eq!(half(7), 3); }\n\
         #[test]\nfn of_floats() { assert!(1.5 > 2.5); }\n",
    );
    for (command, work) in [("mutate", "repair"), ("faults", "localize")] {
        for (arguments, code, said) in [
            (
                ["--", "of_four"],
                0,
                format!(
                    "All tests selected by the arguments after `--` pass: there is nothing to {work}"
                ),
            ),
            (
                ["--", "of_floats"],
                4,
                "No test selected by the arguments after `--` can be expressed as a formula"
                    .to_owned(),
            ),
            (
                ["--only", "of_floats"],
                4,
                "No test named by `--only` can be expressed as a formula".to_owned(),
            ),
        ] {
            let run = subject.nopol(&[&[command], &arguments[..]].concat());
            assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains(&said), "{}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn a_program_without_tests_is_not_called_right() {
    for command in ["mutate", "faults"] {
        let run = Subject::lib("pub fn half(x: u8) -> u8 { x / 2 }\n").nopol(&[command]);
        assert_eq!(run.code, 4, "{}", run.stdout);
        let text = run.stdout + &run.stderr;
        let none = "There are no tests: nothing says what the code should do";
        assert!(text.contains(none), "{command}: {text}");
    }
}

#[test]
fn examples_in_the_documentation_are_not_forgotten() {
    for (tests, sentence) in [
        ("", "There are no `#[test]`s, and doctests are not examined"),
        (
            "    #[test]\n    fn of_four() { assert_eq!(half(4), 2); }\n",
            "All `#[test]`s pass, and doctests are not examined",
        ),
    ] {
        for command in ["mutate", "faults"] {
            let run = documented(tests).nopol(&[command]);
            assert_eq!(run.code, 4, "{}", run.stdout);
            let text = run.stdout + &run.stderr;
            assert!(text.contains(sentence), "{command}: {text}");
            assert!(!text.contains("nothing to"), "{text}");
        }
    }
}

#[test]
fn a_repair_after_which_small_arguments_run_on_without_end_is_none() {
    let program = "\
int len(int n) { int s = 3; while (n > 0) { n = n / 2; s++; } return s - 5; }
int ref(int n) { int s = 0; while (n > 0) { n = n / 2; s++; } return s; }
int main(void) { return len(1) != 1; }
";
    let manifest = MANIFEST.replace("sum", "p");
    let subject = Subject::new(&[("p.c", program), ("nopol.toml", &manifest)]);
    let options = [
        "--function",
        "len",
        "--reference-function",
        "ref",
        "--bound",
        "40",
        "--format",
        "json",
    ];
    let run = subject.nopol(&[&["c", "mutate"], &options[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    // The sum of both numbers must be 0. A loop that goes on where `n` is 0 never ends.
    let repairs = repairs(&found(&run));
    assert_eq!(repairs.len(), 2, "{repairs:?}");
    assert!(
        repairs.iter().all(|repair| !repair.contains("n ")),
        "{repairs:?}"
    );
}

#[test]
fn what_only_a_build_can_follow_is_refused() {
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
        ),
        (
            "src/lib.rs",
            "/** Adds one. */\npub fn more(n: i32) -> i32 { n + 1 }\n\
          #[cfg(test)]\nmod tests { #[test] fn adds() { assert_eq!(super::more(1), 2); } }\n",
        ),
    ];
    let subject = Subject::new(&files);
    for command in ["faults", "mutate", "heap"] {
        let mut arguments = vec![command, "--lib"];
        arguments.extend(
            (command == "heap")
                .then_some(["--function", "more"])
                .into_iter()
                .flatten(),
        );
        let run = subject.nopol(&arguments);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains("does not support --lib"),
            "{}",
            run.stderr
        );
    }
    // The only package is all there is, and its documentation has no example.
    let run = subject.nopol(&["mutate", "--package", "one"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout
            .contains("All tests pass: there is nothing to repair"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_passing_test_with_a_long_loop_does_not_speak_against_repairs() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[argc - 1]), sum = 0;\n    \
                  for (int i = 0; i < n; i++)\n        sum = sum + 1;\n    if (sum > 5)\n        sum = sum + 1;\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let tests = [(5000, 5001), (5, 6), (4, 4)].map(|(given, printed)| {
        format!("[[c.test]]\nname = \"t{given}\"\ncommand = \"./p {given}\"\nstdout = \"{printed}\\n\"\n")
    });
    let settings =
        "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n".to_owned() + &tests.concat();
    let subject = Subject::new(&[("p.c", source), ("nopol.toml", &settings)]);
    let run = subject.nopol_c(&["mutate", "--size", "1"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("becomes  sum >= 5"), "{}", run.stdout);
}

#[test]
fn a_reference_beyond_the_bound_judges_nothing() {
    let subject = functions(
        "unsigned f(unsigned char x) { return x > 3; }\n\
         unsigned g(unsigned char x) { unsigned c = 0; for (int i = 0; i < 32; i++) c += x >> 1; return c; }",
    );
    let run = subject.nopol(&["c", "mutate", "--function=f", "--reference-function=g"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("No run of `f` was judged"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_verdict_that_all_is_right_names_the_variables_with_initial_values() {
    let subject = functions(
        "int mode = 3;\nint f(int x) { static int n = 0; n++; if (n > 1 || mode != 3) return 0; return x; }\n\
         int g(int x) { return x; }",
    );
    let run = subject.nopol(&["c", "mutate", "--function=f", "--reference-function=g"]);
    let verdict = "No run violates the specification, with the global and static variables (`mode`, `n`) at their initial values: \
                   there is nothing to repair";
    assert!(run.stdout.contains(verdict), "{}{}", run.stdout, run.stderr);
}

#[test]
fn of_functions_with_one_name_the_user_chooses() {
    let one = "static int pick(int x) { return x > 2; }\nint other(int);\nint main(void) { return pick(1) + other(1) - 1; }\n";
    let two = "static int pick(int x) { return 8 / (x - 7); }\nint other(int x) { return pick(x) * 0 + 1; }\n";
    let toml = "[c]\nsources = [\"a.c\", \"b.c\"]\nbuild = \"cc -o p a.c b.c\"\n[[c.test]]\nname = \"none\"\ncommand = \"./p\"\n";
    let subject = Subject::new(&[("a.c", one), ("b.c", two), ("nopol.toml", toml)]);
    let run = subject.nopol(&["c", "mutate", "--function=pick"]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    let places = "several functions have the name `pick`, with statements at a.c:1 and b.c:1";
    assert!(run.stderr.contains(places), "{}", run.stderr);
    let run = subject.nopol(&["c", "mutate", "--function=a.c:pick"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = subject.nopol(&["c", "mutate", "--function=b.c:pick"]);
    assert!(
        run.stdout.contains(")` fails: "),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_test_that_is_asked_about_and_passes_says_nothing_of_the_others() {
    let subject = long(&[("./long", "short\n"), ("./long abc", "long\n")]);
    for command in ["mutate", "faults"] {
        let run = subject.nopol(&["c", command, "--only", "test0"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout
                .starts_with("`test0` passes: there is nothing to"),
            "{}",
            run.stdout
        );
        let run = subject.nopol(&["c", command, "--time-limit", "0"]);
        assert_eq!(run.code, 5, "{}{}", run.stdout, run.stderr);
        let said = "The time limit of 0 s (--time-limit sets another) ended the reading of the program, before any test was run.\n";
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
}

#[test]
fn each_repair_says_what_it_is_proved_for() {
    let subject = functions(
        "unsigned f(unsigned char n) { unsigned c = 1; while (n > 0) { c = c + 1; n = n - 1; } return c; }\n\
         unsigned g(unsigned char n) { return n; }",
    );
    let ask = ["c", "mutate", "--function=f", "--reference-function=g"];
    let run = subject.nopol(&[&ask[..], &["--size=1"]].concat());
    let bounded = run
        .stdout
        .contains("proved for runs in which no loop iterates more than 8 times");
    assert!(bounded, "{}{}", run.stdout, run.stderr);
}

#[test]
fn the_junit_report_has_the_tests_that_pass() {
    let subject = long(&[("./long abc", "long\n"), ("./long", "short\n")]);
    let run = subject.nopol(&["c", "mutate", "--format", "junit"]);
    for test in ["test0", "test1"] {
        let case = format!("<testcase name=\"{test}\"");
        assert!(run.stdout.contains(&case), "{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_value_of_an_enumeration_is_shown_by_its_name() {
    let gear = "enum gear { PARK, LOW = 3, HIGH };\nstruct car { enum gear gear; };\n";
    let subject = functions(&format!(
        "{gear}enum gear up(enum gear g) {{ return g == LOW ? PARK : LOW; }}\n\
         enum gear wanted(enum gear g) {{ return g == LOW ? HIGH : LOW; }}"
    ));
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function=up",
        "--reference-function=wanted",
    ]);
    let said = "`up(LOW)` fails: it does not return HIGH";
    assert!(run.stdout.contains(said), "{}{}", run.stdout, run.stderr);
    let source = format!(
        "#include <stdio.h>\n{gear}int main(void)\n{{\n    struct car car = {{ PARK }};\n    int other = LOW;\n    \
         car.gear = LOW;\n    car.gear = car.gear + 9;\n    printf(\"%d\\n\", car.gear == HIGH);\n    return 0;\n}}\n"
    );
    let toml = "[c]\nsources = [\"f.c\"]\nbuild = \"cc -o f f.c\"\n[[c.test]]\nname = \"high\"\ncommand = \"./f\"\nstdout = \"1\\n\"\n";
    let subject = Subject::new(&[("f.c", &source), ("nopol.toml", toml)]);
    let run = subject.nopol(&["c", "faults"]);
    for line in [
        "PARK │    6 │ `PARK` in struct car car = { PARK };",
        // This is an `int`.
        " 3 │    7 │ int other = LOW;",
        "would have to be HIGH",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
    let run = subject.nopol(&["c", "faults", "--format=json"]);
    for field in ["\"value\": \"4\"", "\"literal\": \"HIGH\""] {
        assert!(run.stdout.contains(field), "{}", run.stdout);
    }
}
