//! What a repair by `cargo nopol mutate` is proved for: values that were never set, globals, bounds.

use crate::common::Subject;
use crate::mutate::{found, functions, repairs};

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
                "--reference-function=wanted",
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
fn a_call_that_goes_wrong_is_said_to_for_its_own_reason() {
    for (body, reason) in [
        ("return 8 / x > 0;", "a number is divided by zero"),
        (
            "int s; if (x > 9) s = 1; return s;",
            "an uninitialized value is used",
        ),
        ("return x > 1;", "it does not return"),
    ] {
        let subject = functions(&format!(
            "int wanted(int x) {{ return x > 0; }}\nint f(int x) {{ {body} }}"
        ));
        let run = subject.nopol(&["c", "mutate", "--function=f", "--reference-function=wanted"]);
        let line = run.stdout.lines().next().unwrap_or_default();
        assert!(
            line.contains(")` fails: ") && line.contains(reason),
            "{line}"
        );
    }
}

#[test]
fn a_run_that_ends_the_program_does_not_return() {
    let reference = "int wanted(int x) { if (x > 5) exit(1); return x; }";
    for (text, asked, fails, repairs) in [
        // The reference returns.
        (
            "int f(int x) { if (x > 4) exit(2); return x; }",
            true,
            "`f(5)` fails: it does not return 5",
            &["x > 5"][..],
        ),
        // Where the reference exits, nothing is asked for.
        (
            "int f(int x) { if (x > 5) exit(3); return x + 1; }",
            true,
            "`f(0)` fails: it does not return 0",
            &["x + 0", "x * 1", "x / 1"],
        ),
        // Without a reference a function may exit where it does not return.
        (
            "void f(int x) { if (x > 3) exit(1); assert(x < 3); }",
            false,
            "`f(3)` fails: an assertion fails",
            &["x >= 3", "x > 2"],
        ),
        ("void f(int x) { if (x > 3) exit(1); }", false, "", &[]),
    ] {
        let subject = functions(&format!("#include <assert.h>\n{reference}\n{text}"));
        let mut ask = vec!["c", "mutate", "--function=f", "--size=1", "--top=9"];
        if asked {
            ask.push("--reference-function=wanted");
        }
        let run = subject.nopol(&ask);
        assert_eq!(run.code, 0, "{text}: {}{}", run.stdout, run.stderr);
        let line = run.stdout.lines().next().unwrap_or_default();
        match fails {
            "" => assert!(line.ends_with("there is nothing to repair."), "{line}"),
            fails => assert_eq!(line, fails),
        }
        let found = run
            .stdout
            .lines()
            .filter_map(|line| line.trim().strip_prefix("becomes  "));
        let mut found: Vec<_> = found.collect();
        let mut repairs = repairs.to_vec();
        found.sort_unstable();
        repairs.sort_unstable();
        assert_eq!(found, repairs, "{text}");
    }
}

#[test]
fn a_proof_says_that_globals_have_their_initial_values() {
    let reference = "int wanted(int x) { return x > 0 ? 1 : 0; }";
    for (text, has_globals) in [
        (
            "static int most = 1;\nint f(int x) { return x > most ? 1 : 0; }",
            true,
        ),
        ("int f(int x) { return x > 1 ? 1 : 0; }", false),
        (
            "#define MOST 1\nint f(int x) { return x > MOST ? 1 : 0; }",
            false,
        ),
    ] {
        let subject = functions(&format!("{reference}\n{text}"));
        let run = subject.nopol(&["c", "mutate", "--function=f", "--reference-function=wanted"]);
        assert!(
            run.stdout.contains("Proved for all arguments"),
            "{}",
            run.stdout
        );
        let what = "Proved for all arguments, with the global and static variables (";
        assert_eq!(run.stdout.contains(what), has_globals, "{}", run.stdout);
    }
}

#[test]
fn a_verdict_says_that_standard_input_is_empty_if_it_is_read() {
    let subject = functions(
        "#include <assert.h>\n#include <stdio.h>\n\
         static int rest(void) { int n = 0; while (getchar() != EOF) n++; return n; }\n\
         int f(int x) { int n = rest(); assert(n < 3); return x + n; }\n\
         int wanted(int x) { return x; }\n\
         int k(int x) { return x + 1 + rest(); }\n",
    );
    let run = subject.nopol(&["c", "mutate", "--function=f", "--size=1"]);
    let right = "no run violates the specification, with an empty standard input: there is nothing to repair";
    assert!(run.stdout.to_lowercase().contains(right), "{}", run.stdout);
    let run = subject.nopol(&["c", "mutate", "--function=k", "--reference-function=wanted"]);
    let proved = "Proved for all arguments, with an empty standard input";
    assert!(run.stdout.contains(proved), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_repair_returns_for_small_arguments_also_where_the_program_did_not() {
    let subject = functions(
        "int wanted(int n) { __CPROVER_assume(n >= 0 && n < 256); int s = 0; while (n) { s = s + 1; n = n / 16; } return s; }\n\
         int f(int n) { __CPROVER_assume(n >= 0 && n < 256); int s = 0; while (n) { s = s + 1; n = n % 16; } return s + 1; }",
    );
    let ask = ["c", "mutate", "--function=f", "--reference-function=wanted"];
    let run = subject.nopol(&[&ask[..], &["--format=json"]].concat());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // Changing the sum alone makes only 0 right: with any other number the loop has no end.
    let repairs = repairs(&found(&run));
    let ends = |repair: &String| repair.contains("n / 16");
    assert!(
        !repairs.is_empty() && repairs.iter().all(ends),
        "{repairs:?}"
    );
}

#[test]
fn a_repair_returns_what_it_should_for_small_arguments_beyond_the_bound() {
    let subject = functions(
        "int wanted(int n) { __CPROVER_assume(n >= 0 && n < 16); return n < 11 ? n + 1 : 5; }\n\
         int f(int n) { __CPROVER_assume(n >= 0 && n < 16); int i = 0; while (i < n) i = i + 1; return i + 2; }",
    );
    let ask = ["c", "mutate", "--function=f", "--reference-function=wanted"];
    let run = subject.nopol(&[&ask[..], &["--format=json", "--size=1"]].concat());
    let found = found(&run);
    // Within the bound of 8 iterations `i + 1` is right.
    assert!(repairs(&found).is_empty(), "{}", run.stdout);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
}

#[test]
fn functions_that_multiply_in_other_ways_are_compared() {
    let subject = functions(
        "int wanted(int x) { if (x < 0) return -2 * x; return 2 * x; }\n\
         int twice_abs(int x) { int y = x; if (x < -1) y = -x; return 2 * y; }",
    );
    let ask = [
        "c",
        "mutate",
        "--function=twice_abs",
        "--reference-function=wanted",
        "--time-limit=30",
    ];
    let run = subject.nopol(&ask);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let first = "`twice_abs(-1)` fails: it does not return 2\n";
    assert!(run.stdout.starts_with(first), "{}", run.stdout);
    assert!(run.stdout.contains("becomes  x < 0"), "{}", run.stdout);
}

#[test]
fn characters_stay_characters() {
    let subject = functions(
        "char wanted(char c) { if (c == 'm') return 'q'; return 'c'; }\n\
         char grade(char c) { if (c == 'x') return 'q'; return 'c'; }",
    );
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function=grade",
        "--reference-function=wanted",
        "--level=3",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    for part in [
        "`grade('x')` fails: it does not return 'c'\n",
        "c == 'x'\n        becomes  c == 'm'\n",
        "+char grade(char c) { if (c == 'm') return 'q'; return 'c'; }\n",
    ] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
}

#[test]
fn a_negative_number_after_a_sign_has_parentheses() {
    let subject =
        functions("int wanted(int x) { return x + 5000; }\nint more(int x) { return x -1; }");
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function=more",
        "--reference-function=wanted",
        "--level=3",
        "--size=1",
    ]);
    assert!(
        run.stdout
            .contains("+int more(int x) { return x -(-5000); }"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_reference_that_goes_wrong_for_all_arguments_judges_nothing() {
    let rust = Subject::lib(
        "pub fn twice(x: u8) -> u8 { x.wrapping_mul(3) }\npub fn wanted(x: u8) -> u8 { let zero = x - x; x / zero }\n",
    );
    let c = functions(
        "int wanted(int x) { int none[1]; return none[1 + x % 1]; }\nint twice(int x) { return 3; }",
    );
    for (subject, command) in [(rust, &["mutate"][..]), (c, &["c", "mutate"])] {
        let ask = ["--function=twice", "--reference-function=wanted"];
        let run = subject.nopol(&[command, &ask].concat());
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        let judged = "No run of `twice` was judged, because `wanted` goes wrong for all arguments that meet the assumptions.\n";
        assert!(run.stdout.ends_with(judged), "{}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn reports_of_a_function_say_what_was_proved_and_by_which_command() {
    let subject = Subject::lib(
        "static MOST: u8 = 100;\npub fn most(x: u8) -> u8 { if x < MOST { MOST } else { x } }\n\
         pub fn wanted(x: u8) -> u8 { if x > 100 { 100 } else { x } }\n\
         pub fn count(n: u8) -> u8 { let mut c = 0; while c + 1 < n { c += 1; } c }\npub fn same(n: u8) -> u8 { n }\n",
    );
    let ask = |function: &str, reference: &str, format: &str| {
        let run = subject.nopol(&[
            "mutate",
            "--function",
            function,
            "--reference-function",
            reference,
            "--format",
            format,
        ]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        run.stdout
    };
    let page = ask("most", "wanted", "html");
    for said in [
        ", proved for all arguments",
        "<code>cargo nopol mutate --function most --reference-function wanted</code>",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // A constant has no other value.
    for wrong in ["0 tests", "Fixes .", "your tests", "initial values"] {
        assert!(!page.contains(wrong), "{wrong}: {page}");
    }
    let text = ask("most", "wanted", "markdown");
    assert!(text.contains("proved for all arguments"), "{text}");
    assert!(!text.contains("your tests"), "{text}");
    let text = ask("count", "same", "gitlab");
    let bounded = "proved for all arguments, as long as no loop iterates more than 8 times";
    assert!(text.contains(bounded), "{text}");
}

#[test]
fn what_is_merged_is_offered_only_where_there_are_shares() {
    let subject = functions("int f(int x) { return x; }");
    for command in ["mutate", "heap", "faults"] {
        let run = subject.nopol(&["c", command, "--format", "outcome"]);
        assert_eq!(run.code, 2, "{command}: {}", run.stdout);
        let said = "invalid value 'outcome' for '--format <FORMAT>'";
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

/// A caller may use the result for any argument.
#[test]
fn a_function_that_may_end_without_a_result_does_not_satisfy_its_specification() {
    for body in [
        "if (x == 0) return 1;",
        "switch (x) { case 0: return 1; case 1: return 2; }",
    ] {
        let subject = functions(&format!("int f(unsigned char x) {{ {body} }}"));
        let run = subject.nopol(&["c", "mutate", "--function=f", "--level=1", "--size=1"]);
        let ends = "fails: a function ends without returning a value";
        assert!(run.stdout.contains(ends), "{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, 1, "{}", run.stderr);
    }
}
