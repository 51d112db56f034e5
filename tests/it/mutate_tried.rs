//! Which operators and constants `cargo nopol mutate` tries, and what it says of those that it does not try.

use crate::common::Subject;
use crate::faults::program;
use crate::mutate::{found, functions, repairs};

#[test]
fn a_shift_overflows_in_c_and_not_in_rust() {
    let subject = functions("int f(unsigned char n) { return 1 << (n & 31); }");
    let run = subject.nopol(&["c", "mutate", "--function", "f", "--format", "json"]);
    assert_eq!(found(&run)["failing"][0]["name"], "f(31)", "{}", run.stdout);
    let subject = functions("int f(signed char n) { if (n > 3) n = 3; return n << 2; }");
    let run = subject.nopol(&["c", "mutate", "--function", "f"]);
    assert!(run.stdout.contains(")` fails: "), "{}", run.stdout);
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
pub fn long(tests: &[(&str, &str)]) -> Subject {
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
            "All examined tests pass",
        ] {
            assert!(
                text.contains(words),
                "{command}: `{words}` is not in:\n{text}"
            );
        }
        assert!(!text.contains("nothing to"), "{text}");
    }
}

/// A program that prints `right`, with a text in it by which it differs from `program`: the one change of one statement that
/// makes that of it is found.
fn assert_is_found(program: &str, from: &str, to: &str, right: &str) {
    let manifest = format!(
        "[c]\nsources = [\"p.c\"]\nbuild = \"cc -w -o p p.c\"\n\n[[c.test]]\nname = \"prints\"\ncommand = \"./p 3\"\nstdout = \"{right}\\n\"\n"
    );
    let subject = Subject::new(&[("p.c", program), ("nopol.toml", &manifest)]);
    let run = subject.nopol(&["c", "mutate", "--size", "1", "--format", "json"]);
    let found = found(&run);
    let wanted = program.replacen(from, to, 1);
    assert_ne!(wanted, program, "`{from}` is not in it");
    let repairs = found["repairs"].as_array().unwrap().iter();
    let written = repairs.map(|repair| {
        let edit = &repair["edits"][0];
        let at = |end: &str| usize::try_from(edit["span"][end].as_u64().unwrap()).unwrap();
        let text = edit["text"].as_str().unwrap();
        [&program[..at("start")], text, &program[at("end")..]].concat()
    });
    let written: Vec<String> = written.collect();
    assert!(written.contains(&wanted), "{to}: {}", run.stdout);
    assert_eq!(
        found["untried"].as_array().unwrap().len(),
        0,
        "{}",
        run.stdout
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn strings_are_in_arrays_that_take_their_length_from_them() {
    let program = |array: &str, name: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n{array}\nint main(int argc, char **argv)\n{{\n    \
             int n = atoi(argv[1]);\n    puts(n >= 3 ? \"many\" : {name});\n    return n >= 4;\n}}\n"
        )
    };
    for (array, name) in [
        (
            "static const char *names[] = { \"zero\", \"one\", \"two\", \"three\" };",
            "names[n]",
        ),
        (
            "struct named { int n; const char *name; };\nstatic struct named all[] = { { 0, \"zero\" }, { 1, \"one\" }, { 2, \"two\" }, { 3, \"three\" } };",
            "all[n].name",
        ),
    ] {
        assert_is_found(&program(array, name), "n >= 3", "n > 3", "three");
    }
}

/// A program with operators and constants where a search by the operands' text does not see them.
const CORNERS: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TWICE(x) ((x) + (x))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
enum size { SMALL = 2, MEDIUM, LARGE = 010 };

static int size_of(int n)
{
    switch (n) {
    case 3:
        return MEDIUM;
    case 1 + 3:
        return LARGE;
    default:
        return 1;
    }
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int table[] = {0, 1, 7};
    int zeros[] = {4, 4};
    int *last = table + n - 1;
    unsigned char limit = 200;

    memset(zeros, 0, sizeof zeros);
    n = n /* the number */ + /* of all */ 2;
    n++;
    printf(\"%d %d %d\\n\", n, table[1], *last);
    printf(\"%d %d %d %d\\n\", TWICE(n), LARGER(n, 4), size_of(n - 3), size_of(4));
    printf(\"%d %d %d\\n\", zeros[0], limit, 'a');
    return 0;
}
";

/// What [`CORNERS`] prints.
const PRINTED: &str = "6 1 7\\n12 6 3 8\\n0 200 97";

#[test]
#[ignore = "make test-full: it takes long"]
fn every_operator_and_constant_of_a_c_program_is_tried() {
    let changes = [
        (
            "/ + /* of all */ 2",
            "/ - /* of all */ 2",
            "2 1 7\\n4 4 1 8\\n0 200 97",
        ),
        ("n - 1;", "n - 2;", "6 1 1\\n12 6 3 8\\n0 200 97"),
        ("case 3:", "case 2:", "6 1 7\\n12 6 1 8\\n0 200 97"),
        ("case 1 + 3:", "case 1 + 4:", "6 1 7\\n12 6 3 1\\n0 200 97"),
        ("'a'", "'b'", "6 1 7\\n12 6 3 8\\n0 200 98"),
        ("010", "011", "6 1 7\\n12 6 3 9\\n0 200 97"),
        ("SMALL = 2", "SMALL = 3", "6 1 7\\n12 6 4 8\\n0 200 97"),
        ("((x) + (x))", "((x) - (x))", "6 1 7\\n0 6 3 8\\n0 200 97"),
        ("(a) > (b)", "(a) < (b)", "6 1 7\\n12 4 3 8\\n0 200 97"),
        (
            "memset(zeros, 0",
            "memset(zeros, 1",
            "6 1 7\\n12 6 3 8\\n16843009 200 97",
        ),
        ("n++;", "n += 2;", "7 1 7\\n14 7 8 8\\n0 200 97"),
        ("{0, 1, 7}", "{0, 2, 7}", "6 2 7\\n12 6 3 8\\n0 200 97"),
        ("limit = 200", "limit = 201", "6 1 7\\n12 6 3 8\\n0 201 97"),
    ];
    for (from, to, right) in changes {
        assert_ne!(right, PRINTED);
        assert_is_found(CORNERS, from, to, right);
    }
}

#[test]
fn what_is_not_tried_is_counted_and_nothing_is_said_of_others() {
    let program = "\
#include <stdio.h>
int main(void)
{
    int row[3] = {1, 2, 4};

    printf(\"%d\\n\", row[0] + row[1]);
    return 0;
}
";
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n\n[[c.test]]\nname = \"sum\"\ncommand = \"./p\"\nstdout = \"5\\n\"\n";
    let subject = Subject::new(&[("p.c", program), ("nopol.toml", manifest)]);
    let run = subject.nopol(&["c", "mutate"]);
    let note = "note: 1 operator or constant was not tried: p.c:4:13 `3`\n";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    assert!(!run.stdout.contains("no others"), "{}", run.stdout);
    // At level 1 no constant changes, so that all was tried.
    let run = subject.nopol(&["c", "mutate", "--level", "1"]);
    assert!(!run.stdout.contains("not tried"), "{}", run.stdout);
}

#[test]
fn level_three_has_all_numbers_only_by_the_run() {
    let program = "\
#include <stdio.h>
int main(void)
{
    int far = 5;

    printf(\"%d\\n\", far);
    return 0;
}
";
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n\n[[c.test]]\nname = \"far\"\ncommand = \"./p\"\nstdout = \"77\\n\"\n";
    let subject = Subject::new(&[("p.c", program), ("nopol.toml", manifest)]);
    let run = subject.nopol(&["c", "mutate", "--level", "3"]);
    assert!(run.stdout.contains("becomes  77\n"), "{}", run.stdout);
    let run = subject.nopol(&["c", "mutate", "--level", "3", "--prune", "slice"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    let note = "note: of the numbers that a constant N may become, only N + 1, N - 1, -N and 0 were tried: --prune run tries all\n";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    assert!(run.stdout.contains("Tried: some "), "{}", run.stdout);
}

#[test]
fn a_number_that_others_could_stand_for_is_not_the_only_one() {
    // 256, 512 and so on are 0 as an `unsigned char`, too.
    let subject = functions(
        "unsigned char f(int x) { if (x > 10) return 1; return 7; }\n\
         unsigned char g(int x) { if (x > 10) return 0; return 7; }",
    );
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function",
        "f",
        "--reference-function",
        "g",
        "--level",
        "3",
    ]);
    assert!(run.stdout.contains("becomes  0\n"), "{}", run.stdout);
    let head =
        "1 minimal patch (where many numbers would work, one is shown); level 3 has no others";
    assert!(run.stdout.contains(head), "{}", run.stdout);
}

const RUST_CORNERS: &str = "\
const STEPS: [i32; 3] = [0, 1, 7];

pub fn second(row: &[i32]) -> Option<i32> {
    let first = *row.get(1)?;
    let table = [0, 1, 5];
    let rest = &row[1..];
    let last = &row[3];
    let mut one = 0;
    one = (row[2] + one);
    let other = if first != 4 { 1 as i64 } else { 2 };
    Some(first + table[1] + STEPS[1] + rest[0] + one + other as i32 + *last)
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::second(&[10, 200, 3000, 40000]), Some(RIGHT));
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn every_operator_and_constant_of_rust_code_is_tried() {
    // As it is: 200 + 1 + 1 + 200 + 3000 + 1 + 40000.
    let changes = [
        ("get(1)", "get(2)", "46203"),
        ("[0, 1, 5]", "[0, 2, 5]", "43404"),
        ("[0, 1, 7]", "[0, 0, 7]", "43402"),
        ("[1..]", "[2..]", "46203"),
        ("row[2]", "row[3]", "80403"),
        ("&row[3]", "&row[2]", "6403"),
        ("[2] + one", "[2] * one", "40403"),
        ("first != 4", "first == 4", "43404"),
        ("1 as i64", "2 as i64", "43404"),
    ];
    for (from, to, right) in changes {
        let program = RUST_CORNERS.replace("RIGHT", right);
        let manifest = "[package]\nname = \"second\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        let subject = Subject::new(&[("src/lib.rs", &program), ("Cargo.toml", manifest)]);
        let run = subject.nopol(&["mutate", "--size", "1", "--format", "json"]);
        let found = found(&run);
        let repairs = found["repairs"].as_array().unwrap().iter();
        let written: Vec<String> = repairs
            .map(|repair| {
                let edit = &repair["edits"][0];
                let at = |end: &str| usize::try_from(edit["span"][end].as_u64().unwrap()).unwrap();
                let text = edit["text"].as_str().unwrap();
                [&program[..at("start")], text, &program[at("end")..]].concat()
            })
            .collect();
        let wanted = program.replacen(from, to, 1);
        assert!(written.contains(&wanted), "{to}: {}", run.stdout);
    }
}

#[test]
fn an_index_and_a_range_that_are_out_of_bounds_are_repaired() {
    let text = "\
pub fn last(row: &[i32], nth: usize) -> i32 {
    let least = nth;
    let all = &row[9..];
    let most: usize = 1;
    if least < 5 { all[7] } else { 0 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn of_four() { assert_eq!(super::last(&[1, 2, 3, 4], 0), 1); }
}
";
    let manifest = "[package]\nname = \"last\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let subject = |text: &str| Subject::new(&[("src/lib.rs", text), ("Cargo.toml", manifest)]);
    let repairs_of = |text: &str, level: &str| {
        let options = ["--level", level, "--size", "2", "--format", "json"];
        let run = subject(text).nopol(&[&["mutate"], &options[..]].concat());
        repairs(&found(&run))
    };
    assert_eq!(repairs_of(text, "2"), ["let all = &row[0..]; & all[0]"]);
    // A name at level 3, too.
    let named = text
        .replace("row[9..]", "row[0..]")
        .replace("all[7]", "all[nth]")
        .replace("4], 0), 1)", "4], 4), 2)");
    let found = repairs_of(&named, "3");
    assert!(found.contains(&"all[most]".to_owned()), "{found:?}");
}

/// Exchanging pointers, and constants of functions that nothing calls.
const POINTERS: &str = "\
#include <stdio.h>
#include <stdlib.h>
static int twice[3] = {7, 8, 9};
int unrelated(int n)
{
    int rows[5] = {1, 2, 3, 4, 5};

    return rows[n % 5] + twice[0];
}

int smaller(int a, int b)
{
    int *p = &a;
    int *q = &b;

    return *p < *q ? *q : *q;
}

int wanted(int a, int b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    printf(\"%d\\n\", smaller(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
";

#[test]
fn pointers_are_not_exchanged_and_counted_and_what_nothing_calls_is_neither() {
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n\n[[c.test]]\nname = \"one\"\ncommand = \"./p 1 2\"\nstdout = \"1\\n\"\n";
    let subject = Subject::new(&[("p.c", POINTERS), ("nopol.toml", manifest)]);
    let function = ["--function", "smaller", "--reference-function", "wanted"];
    for specification in [&function[..], &[]] {
        let run = subject.nopol(
            &[
                &["c", "mutate", "--level", "3", "--size", "1"],
                specification,
            ]
            .concat(),
        );
        let note = "note: 4 pointers and references were not tried: p.c:16:13 `p`, p.c:16:18 `q`, p.c:16:23 `q`, p.c:16:28 `q`\n";
        assert!(run.stdout.contains(note), "{}", run.stdout);
        assert!(!run.stdout.contains("no others"), "{}", run.stdout);
        // Neither the length of `rows` nor anything else of what is not called counts.
        let run = subject.nopol(&[&["c", "mutate", "--size", "1"], specification].concat());
        assert!(!run.stdout.contains("not tried"), "{}", run.stdout);
    }
}

/// Only tests name the enumeration and the structure, and only a field of a structure has the type.
const DECLARED: &str = r"
const BASE: isize = 7;
#[derive(Clone, Copy)]
pub enum Level { Low = 1, Mid, High = BASE }
pub struct Task { pub level: Level }
pub fn weight(t: &Task) -> u32 { t.level as u32 }
pub struct Row { pub cells: [u8; 2] }
pub fn width(r: &Row) -> usize { r.cells.len() }

#[cfg(test)]
mod tests {
    use super::*;
    enum Mine { One = 4 }
    #[test] fn mid() { assert_eq!(weight(&Task { level: Level::Mid }), 3); }
    #[test] fn wide() { assert_eq!(width(&Row { cells: [1, 2] }), 3); }
    #[test] fn own() { assert_eq!(Mine::One as u32, weight(&Task { level: Level::Low })); }
}
";

#[test]
fn discriminants_and_lengths_in_declarations_count_as_untried() {
    let subject = Subject::lib(DECLARED);
    let levels = [(2, 21), (4, 24)];
    for (test, places) in [
        ("tests::mid", &levels[..]),
        ("tests::wide", &[(7, 34)]),
        ("tests::own", &levels),
    ] {
        let ask = ["mutate", "--only", test];
        let run = subject.nopol(&[&ask[..], &["--format", "json"]].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let found = found(&run);
        let untried = found["untried"].as_array().unwrap().iter();
        let untried =
            untried.map(|of| (of["line"].as_u64().unwrap(), of["column"].as_u64().unwrap()));
        assert_eq!(
            untried.collect::<Vec<_>>(),
            places,
            "{test}: {}",
            run.stdout
        );
        assert_eq!(found["is_complete"], false, "{}", run.stdout);
        let run = subject.nopol(&ask);
        let said = "Tried: some ";
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
}

#[test]
fn a_length_counts_as_untried_wherever_it_is_written() {
    for (declared, places) in [
        ("static int of[3] = {7};", &["p.c:2:15 `3`"][..]),
        ("static int of[2][3];", &["p.c:2:15 `2`", "p.c:2:18 `3`"]),
        ("struct all { int of[3]; } all;", &["p.c:2:21 `3`"]),
        ("typedef int row[3]; row of;", &["p.c:2:17 `3`"]),
        ("enum { MOST = 3 }; static int of[MOST];", &["p.c:2:15 `3`"]),
        (
            "#define HALF 2\n#define MOST (HALF + 1)\nstatic int of[MOST];",
            &["p.c:2:14 `2`", "p.c:3:20 `+`", "p.c:3:22 `1`"],
        ),
    ] {
        let of = match declared.contains("struct") {
            true => "all.of",
            false => "of",
        };
        let program = format!(
            "#include <stdio.h>\n{declared}\nint main(void) {{ printf(\"%d\\n\", (int)(sizeof {of} / sizeof {of}[0])); return 0; }}\n"
        );
        let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n\n[[c.test]]\nname = \"length\"\ncommand = \"./p\"\nstdout = \"5\\n\"\n";
        let subject = Subject::new(&[("p.c", &program), ("nopol.toml", manifest)]);
        let run = subject.nopol(&["c", "mutate", "--size=1"]);
        let note = format!("not tried: {}\n", places.join(", "));
        assert!(
            run.stdout.contains(&note),
            "{declared}: {}{}",
            run.stdout,
            run.stderr
        );
        assert!(run.stdout.contains("Tried: some "), "{}", run.stdout);
    }
}

#[test]
fn a_bool_that_c_tests_by_its_name_alone_may_be_negated() {
    for (bad, good) in [
        (
            "if (up) return 1; return n & 3;",
            "if (!up) return 1; return n & 3;",
        ),
        ("return up && n ? 5 : 2;", "return !up && n ? 5 : 2;"),
        ("return up ? 5 : n & 1;", "return !up ? 5 : n & 1;"),
        (
            "while (up) return 4; return 2;",
            "while (!up) return 4; return 2;",
        ),
    ] {
        let text = format!(
            "#include <stdbool.h>\nint f(bool up, unsigned n) {{\n    {bad}\n}}\nint g(bool up, unsigned n) {{ {good} }}"
        );
        let subject = functions(&text);
        let run = subject.nopol(&[
            "c",
            "mutate",
            "--function",
            "f",
            "--reference-function",
            "g",
            "--level",
            "2",
        ]);
        assert!(
            run.stdout.contains(&format!("+    {good}")),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn a_verdict_without_a_repair_names_the_globals() {
    let subject = functions(
        "static int limit = 9;\nint f(int n) { if (n > limit) return 0; return n & 3; }\nint g(int n) { return (n & 3) * 7; }",
    );
    let run = subject.nopol(&[
        "c",
        "mutate",
        "--function",
        "f",
        "--reference-function",
        "g",
        "--level",
        "1",
    ]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    let words =
        "Every call starts with the global and static variables (`limit`) at their initial values.";
    assert!(run.stdout.contains(words), "{}", run.stdout);
}

#[test]
fn a_number_in_parentheses_is_tried_with_its_sign() {
    let text = "#include <stdio.h>\nint main(int argc, char **argv)\n{\n    printf(\"%d\\n\", argc > 1 ? -(6) : 0);\n    return 0;\n}\n";
    for (wanted, repair) in [("-7", "-(7)"), ("6", "-(-6)")] {
        let subject = program(text, &[("x", wanted)]);
        let run = subject.nopol(&["c", "mutate", "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stdout);
        let found = found(&run);
        assert_eq!(found["untried"].as_array().map(Vec::len), Some(0));
        let written = |it: &String| it.replace(' ', "").contains(repair);
        assert!(repairs(&found).iter().any(written), "{}", run.stdout);
    }
}

#[test]
fn a_cast_to_bool_is_a_comparison_with_zero() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int other(int x) { return (_Bool)(x - 2) + (_Bool)x; }\n\
                int main(int argc, char **argv)\n{\n    printf(\"%d\\n\", other(atoi(argv[1])));\n    return 0;\n}\n";
    let subject = program(text, &[("3", "1"), ("2", "2"), ("256", "2")]);
    let run = subject.nopol(&["c", "mutate", "--format", "json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let repairs = repairs(&found(&run));
    assert!(repairs.iter().any(|it| it.contains('3')), "{repairs:?}");
}

#[test]
fn nothing_is_complete_where_no_change_was_tried() {
    for (body, outcome) in [
        ("format!(\"{n:?}\").len() as i32", "outside"),
        ("n + 1", "correct"),
    ] {
        let subject = Subject::lib(&format!(
            "pub fn f(n: i32) -> i32 {{ {body} }}\n#[test] fn one() {{ assert_eq!(f(1), 2); }}\n"
        ));
        let run = subject.nopol(&["mutate", "--format", "json"]);
        let found = found(&run);
        assert_eq!(found["outcome"], outcome, "{}", run.stdout);
        assert_eq!(found["complete_to"], 0, "{}", run.stdout);
        assert_eq!(found["is_complete"], false, "{}", run.stdout);
    }
}

#[test]
fn nothing_else_stands_in_for_the_zero_that_a_result_is_compared_with() {
    let subject = functions(
        "#include <ctype.h>\nint f(unsigned char c) { return isdigit(c) != 0; }\n\
         int right(unsigned char c) { return c < '0' || '9' < c; }",
    );
    for level in ["2", "3"] {
        let run = subject.nopol(&[
            "c",
            "mutate",
            "--function",
            "f",
            "--reference-function",
            "right",
            "--level",
            level,
        ]);
        assert!(
            run.stdout.contains("becomes  isdigit(c) == 0"),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("1 minimal patch;"), "{}", run.stdout);
        assert!(!run.stdout.contains("not tried"), "{}", run.stdout);
        assert!(!run.stderr.contains("discarded"), "{}", run.stderr);
    }
}
