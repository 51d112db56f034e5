//! `cargo nopol faults`: the minimal sets of places where different values make the failing tests pass.

use std::fs;

use camino::Utf8PathBuf;
use nopol_program::front::c;
use serde_json::Value;

use crate::common::{Run, Subject, fixtures};

/// What the command says as JSON.
fn found(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect(&run.stderr)
}

/// The lines of each candidate.
fn lines(found: &Value) -> Vec<Vec<u64>> {
    let candidates = found["candidates"].as_array().unwrap().iter();
    let lines = candidates.map(|candidate| {
        let places = candidate["places"].as_array().unwrap().iter();
        places
            .map(|place| place["line"].as_u64().unwrap())
            .collect()
    });
    lines.collect()
}

#[test]
fn the_wrong_condition_of_a_crate_is_among_the_candidates_and_all_of_them_hold() {
    let subject = Subject::fixture("upward-preferred", "upward-preferred");
    let run = subject.nopol(&["faults", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let found = found(&run);
    assert_eq!(found["outcome"], "localized");
    assert!(lines(&found).contains(&vec![15]), "{}", run.stdout);
    for candidate in found["candidates"].as_array().unwrap() {
        assert_eq!(
            candidate["tests"].as_array().unwrap().len(),
            2,
            "{candidate}"
        );
        assert!(
            !candidate["values"].as_array().unwrap().is_empty(),
            "{candidate}"
        );
    }
}

#[test]
fn the_wrong_condition_of_a_c_program_comes_first_with_the_run_it_leads_to() {
    let subject = Subject::fixture("c/loops-gcd", "loops-gcd");
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout
            .contains("   1  numbers.c:44:12  while (b > 1)\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("│   44 │ while (b > 1)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_whole_formula_has_the_same_candidates() {
    let subject = Subject::fixture("c/advisory-operator", "advisory-operator");
    let by = |formula: &str| {
        let run = subject.nopol(&["c", "faults", "--format=json", "--formula", formula]);
        let mut lines = lines(&found(&run));
        lines.sort();
        lines
    };
    let on_demand = by("on-demand");
    assert!(!on_demand.is_empty());
    assert_eq!(on_demand, by("program"));
}

#[test]
fn what_is_outside_is_named_with_its_line() {
    let subject = Subject::new(&[
        (
            "half.c",
            "int main(void)\n{\n    double x = 1;\n    return x > 2;\n}\n",
        ),
        (
            "nopol.toml",
            "[c]\nsources = [\"half.c\"]\nbuild = \"cc -o half half.c\"\n[[c.test]]\nname = \"one\"\ncommand = \"./half\"\n",
        ),
    ]);
    let run = subject.nopol(&["c", "faults"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    assert!(
        run.stderr.starts_with("error: half.c:3: "),
        "{}",
        run.stderr
    );
}

#[test]
fn an_unknown_test_is_wrong_usage_and_passing_ones_leave_nothing_to_find() {
    let subject = Subject::fixture("c/loops-gcd", "loops-gcd");
    let unknown = subject.nopol(&["c", "faults", "--only", "gcd-of-nothing-known"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("`gcd-of-nothing-known`"),
        "{}",
        unknown.stderr
    );
    let passing =
        Subject::lib("#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n").nopol(&["faults"]);
    assert_eq!(passing.code, 0, "{}", passing.stderr);
    assert!(
        passing.stdout.contains("All tests pass"),
        "{}",
        passing.stdout
    );
}

#[test]
fn the_c_fixtures_are_formulas() {
    // They use bit-fields, files and names in the kernel, functions of the library that formulas do not know, pointers to functions,
    // `goto`, digraphs, or old-style definitions.
    let outside = [
        "alone-file",
        "alone-name",
        "bit-field",
        "case-labels",
        "crash-goto",
        "exit-block",
        "null-caught",
        "null-child",
        "header-spellings",
        "nested-callback",
        "silent-build",
        "spellings-old",
    ];
    for folder in Utf8PathBuf::try_from(fixtures().join("c"))
        .unwrap()
        .read_dir_utf8()
        .unwrap()
    {
        let folder = folder.unwrap();
        let files = folder.path().read_dir_utf8().unwrap();
        let files: Vec<_> = files
            .map(|file| file.unwrap().into_path())
            .filter(|path| matches!(path.extension(), Some("c" | "h")))
            .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
            .collect();
        let program = c::read(&files).ok().filter(|program| {
            let mut functions = program.functions.keys();
            program.unread.is_empty() && functions.all(|id| program.opaque(id).is_none())
        });
        assert_eq!(
            program.is_none(),
            outside.contains(&folder.file_name()),
            "{}",
            folder.path()
        );
        let Some(program) = program else { continue };
        // Where there are other programs that test it, it has no `main`.
        let has_main = c::main_of(&program).is_some();
        assert!(
            has_main != folder.path().join("tests/main.c").exists(),
            "{}",
            folder.path()
        );
        let places = program.places.len();
        assert!(places > 5, "{}: {places} places", folder.path());
    }
}

#[test]
fn arrays_and_memory_have_the_size_that_is_computed() {
    let text = r#"#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n;
    scanf("%d", &n);
    int size = n;
    int row[size], *copy = malloc(n * sizeof *copy);
    for (int i = 0; i <= n; i++)
        row[i] = i * i;
    for (int i = 0; i < n; i++)
        copy[i] = row[i + 1];
    printf("%d\n", copy[n - 1]);
    return 0;
}
"#;
    let test = "name = \"nine\"\ncommand = \"./last\"\nstdin = \"3\"\nstdout = \"9\\n\"\n";
    let toml =
        format!("[c]\nsources = [\"last.c\"]\nbuild = \"cc -o last last.c\"\n[[c.test]]\n{test}");
    let subject = Subject::new(&[("last.c", text), ("nopol.toml", &toml)]);
    let run = subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]);
    let found = found(&run);
    assert!(
        found["failing"][0]["reason"]
            .as_str()
            .unwrap()
            .ends_with("last.c:11"),
        "{}",
        run.stdout
    );
    assert_eq!(lines(&found), [[8]], "{}", run.stdout);
}

#[test]
fn a_script_is_not_taken_for_the_program() {
    let run = Subject::fixture("c/window-wrap", "window").nopol(&["c", "faults"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    assert!(run.stdout.contains("is a script"), "{}", run.stdout);
}

/// A C program, and its tests: arguments, and what it must print.
pub fn program(text: &str, tests: &[(&str, &str)]) -> Subject {
    let mut toml = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n".to_owned();
    for (arguments, output) in tests {
        toml += &format!(
            "[[c.test]]\nname = \"t{arguments}\"\ncommand = \"./p {arguments}\"\nstdout = \"{output}\\n\"\n"
        );
    }
    Subject::new(&[("p.c", text), ("nopol.toml", &toml)])
}

#[test]
fn a_string_ends_where_its_end_was_put() {
    let text = r#"#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char word[16];
    int end;

    strcpy(word, argv[1]);
    end = strlen(word);
    if (end > 4)
        end = 1;
    word[end] = 0;
    puts(word);
    return 0;
}
"#;
    let subject = program(text, &[("abcd", "a"), ("abcde", "a"), ("abc", "abc")]);
    let faults = subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]);
    let lines = lines(&found(&faults));
    for line in [10, 11, 13] {
        assert!(lines.contains(&vec![line]), "{line}: {}", faults.stdout);
    }
    let repairs = subject.nopol(&["c", "mutate", "--size", "1"]);
    assert!(
        repairs.stdout.contains("becomes  end >= 4"),
        "{}",
        repairs.stdout
    );
}

#[test]
fn a_value_that_was_never_set_may_be_moved_but_not_used() {
    let text = r#"#include <stdio.h>
#include <stdlib.h>

struct pair { int a, b; };

int main(int argc, char **argv)
{
    struct pair one, other;
    char from[3], to[3];
    int at = atoi(argv[1]);

    one.a = 1;
    other = one;
    from[0] = 2;
    for (int i = 0; i < 3; i++)
        to[i] = from[i];
    printf("%d\n", other.a + to[at]);
    return 0;
}
"#;
    let subject = program(text, &[("0", "3"), ("2", "1")]);
    let found = found(&subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]));
    let failing = found["failing"].as_array().unwrap();
    assert_eq!(
        (failing.len(), &found["passing"]),
        (1, &Value::from(1)),
        "{found}"
    );
    let reason = failing[0]["reason"].as_str().unwrap();
    assert_eq!(reason, "an uninitialized value is used at p.c:17");
}

#[test]
fn other_values_are_close_to_what_is_there() {
    let text = r#"#include <stdio.h>

int main(void)
{
    int code = -5;
    long far = 100;
    unsigned char low = code;
    printf("%d", low);
    if (far < -7)
        printf(" below");
    printf("\n");
    return 0;
}
"#;
    let subject = program(text, &[("", "250 below")]);
    let run = subject.nopol(&["c", "faults", "--size", "2", "--format", "json"]);
    let found = found(&run);
    let mut values = Vec::new();
    for candidate in found["candidates"].as_array().unwrap() {
        for value in candidate["values"].as_array().unwrap() {
            let place = value["place"].as_u64().unwrap();
            let place = &candidate["places"][usize::try_from(place).unwrap()];
            values.push((
                place["line"].as_u64().unwrap(),
                value["value"].as_str().unwrap(),
            ));
        }
    }
    values.sort_unstable();
    values.dedup();
    let close = [(5, "-6"), (6, "-8"), (7, "250"), (9, "true")];
    assert_eq!(values, close, "{}", run.stdout);
}

#[test]
fn pointers_are_no_candidates_and_it_is_said_where_they_are() {
    let text = r#"#include <stdio.h>

static int one = 1, two = 2;

int main(void)
{
    int *p = &one;
    printf("%d\n", *p);
    return 0;
}
"#;
    let subject = program(text, &[("", "2")]);
    let run = subject.nopol(&["c", "faults"]);
    let note = "note: pointers and references were not examined: p.c:7\n";
    assert!(run.stdout.contains(note), "{}", run.stdout);
}

#[test]
fn the_page_shows_what_the_tool_prints() {
    let page = fs::read_to_string("docs/faults.md").unwrap();
    let command = "$ cargo nopol c faults --size 1\n";
    let (_, shown) = page.split_once(command).unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let run = Subject::fixture("c/loops-gcd", "gcd").nopol_c(&["faults", "--size", "1"]);
    assert_eq!(run.stdout, shown);
}

#[test]
fn the_help_gives_the_exit_codes_of_the_page() {
    for name in ["faults", "mutate"] {
        let page = fs::read_to_string(format!("docs/{name}.md")).unwrap();
        let (_, page) = page.split_once("Exit codes: ").unwrap();
        let is_code = |word: &&str| word.parse::<u8>().is_ok();
        let page = page.split("; ").map(|code| code.split(' ').next().unwrap());
        let page = page.filter(is_code);
        let run = Subject::lib("").nopol(&[name, "--help"]);
        let (_, help) = run.stdout.split_once("Exit codes:\n").unwrap();
        let help = help.lines().map(|line| line.split_whitespace().next());
        let help: Vec<&str> = help.flatten().filter(is_code).collect();
        assert_eq!(help, page.collect::<Vec<_>>(), "{name}");
        assert!(run.stdout.contains("outside what formulas can express"));
    }
}

#[test]
fn a_value_is_named_as_the_source_has_it_and_a_part_of_a_statement_for_itself() {
    let crate_text = "\
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Size {
    Small,
    Large,
}

pub fn size(n: i32) -> Size {
    let is_large = n > 5;
    let size = if is_large { Size::Small } else { Size::Small };
    size
}

pub fn positive(n: i32) -> Option<i32> {
    if n > 100 {
        None
    } else {
        Some(n)
    }
}

pub fn doubled(n: i32) -> Option<i32> {
    Some(n * 3)
}

#[cfg(test)]
mod tests {
    use super::{Size, doubled, positive, size};
    #[test]
    fn two() { assert_eq!(doubled(1), Some(2)); }
    #[test]
    fn large() { assert_eq!(size(9), Size::Large); }
    #[test]
    fn none() { assert_eq!(positive(-1), None); }
}
";
    let subject = Subject::lib(crate_text);
    let run = subject.nopol(&["faults", "--size", "1", "--only", "tests::none"]);
    assert!(
        run.stdout
            .contains("Some(n)\n        would have to be None\n"),
        "{}",
        run.stdout
    );
    let run = subject.nopol(&["faults", "--size", "1", "--only", "tests::two"]);
    assert!(
        run.stdout
            .contains("Some(n * 3)\n        `n * 3` would have to be 2\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("│ `n * 3` in Some(n * 3)\n"),
        "{}",
        run.stdout
    );
    let run = subject.nopol(&["faults", "--only", "larg"]);
    let meant = "no test is named `larg`; did you mean `tests::large`?";
    assert!(run.stderr.contains(meant), "{}", run.stderr);
    let run = subject.nopol(&["faults", "--size", "1", "--only", "tests::large"]);
    assert!(
        run.stdout.contains("would have to be Size::Large\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("true │"), "{}", run.stdout);
    assert!(
        run.stdout.contains("let is_large = n > 5;"),
        "{}",
        run.stdout
    );
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[1]);\n    \
                printf(\"%d\\n\", n * 9);\n    return 0;\n}\n";
    let run = program(text, &[("10", "100")]).nopol(&["c", "faults"]);
    assert!(
        run.stdout
            .contains("n * 9);\n        `n * 9` would have to be 100\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("* 100 │    6 │ `n * 9` in printf"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_formats_for_machines_show_places_and_values_and_offer_no_patch() {
    let subject = Subject::fixture("c/loops-gcd", "loops-gcd");
    let by = |format: &str| {
        let run = subject.nopol(&["c", "faults", "--size", "1", "--format", format]);
        assert_eq!(run.code, 0, "{format}: {}", run.stderr);
        run.stdout
    };
    let sarif: Value = serde_json::from_str(&by("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "nopol/fault");
    assert_eq!(result["fixes"], Value::Null);
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 44);
    assert_eq!(region["startColumn"], 12);
    let message = result["message"]["text"].as_str().unwrap();
    assert!(
        message.contains("`while (b > 1)` at line 44 of numbers.c would have to be true"),
        "{message}"
    );
    assert!(message.contains("neither built nor run"), "{message}");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array();
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules.unwrap()[index]["id"], "nopol/fault");

    let github = by("github");
    let first = "::notice file=numbers.c,line=44,col=12,title=cargo nopol%3A set of places 1::Different values would make ";
    assert!(github.starts_with(first), "{github}");
    assert_eq!(github.lines().count(), 2, "{github}");

    let rdjson: Value = serde_json::from_str(&by("rdjson")).unwrap();
    assert_eq!(rdjson["diagnostics"].as_array().unwrap().len(), 2);
    assert_eq!(by("rdjsonl").lines().count(), 2);
    let gitlab: Value = serde_json::from_str(&by("gitlab")).unwrap();
    let prints: Vec<&Value> = (gitlab.as_array().unwrap().iter())
        .map(|entry| &entry["fingerprint"])
        .collect();
    assert_eq!(prints.len(), 2);
    assert_ne!(prints[0], prints[1]);
    let markdown = by("markdown");
    assert!(
        markdown.contains("| 2 | `numbers.c:49:12` | `return a;` | `1` |"),
        "{markdown}"
    );
    // What needs a patch is not offered.
    for format in ["diff", "github-review", "rustc", "outcome"] {
        let run = subject.nopol(&["c", "faults", "--format", format]);
        assert_eq!(run.code, 2, "{format}: {}", run.stdout);
    }
}

/// Where there is nothing to show, each format says why.
#[test]
fn the_formats_for_machines_say_why_there_is_no_candidate() {
    let subject = Subject::lib("#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n");
    for format in ["sarif", "markdown"] {
        let run = subject.nopol(&["faults", "--format", format]);
        assert_eq!(run.code, 0, "{format}: {}", run.stderr);
        let text = run.stdout.to_lowercase();
        assert!(text.contains("all tests pass"), "{text}");
    }
}

#[test]
fn characters_are_shown_as_the_language_writes_them() {
    let source = "#include <stdio.h>\nstatic char grade(int n)\n{\n    if (n > 5)\n        return 'a';\n    return 'b';\n}\n\
                  int main(int argc, char **argv)\n{\n    char line[4] = \"xy\";\n    line[1] = grade(argc);\n    printf(\"%s\\n\", line);\n    return argv == 0;\n}\n";
    let settings = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n[[c.test]]\nname = \"one\"\ncommand = \"./p 1\"\nstdout = \"xa\\n\"\n";
    let subject = Subject::new(&[("p.c", source), ("nopol.toml", settings)]);
    let run = subject.nopol_c(&["faults", "--size", "1"]);
    assert!(
        run.stdout
            .contains("return 'b';\n        would have to be 'a'\n"),
        "{}",
        run.stdout
    );
    let json = subject
        .nopol_c(&["faults", "--size", "1", "--format", "json"])
        .json();
    let candidates = json["candidates"].as_array().unwrap();
    let mut values = candidates.iter().map(|candidate| &candidate["values"][0]);
    assert!(
        values.any(|value| value["value"] == "97" && value["literal"] == "'a'"),
        "{json:#}"
    );
}

#[test]
fn a_character_that_became_an_int_is_shown_as_one() {
    let source = "#include <stdio.h>\nstatic int value(char c, int d)\n{\n    switch (c) {\n    case '+': return 1;\n    case '-': return d;\n    }\n    return 3;\n}\n\
                  int main(int argc, char **argv)\n{\n    int sign = argc > 2 ? '+' : '*';\n    int copy = argv[1][0];\n    switch (argc + 40) {\n    case '*': printf(\"%d\", value(sign, copy)); return 0;\n    case 'x': return 2;\n    }\n    return 1;\n}\n";
    let settings = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n[[c.test]]\nname = \"one\"\ncommand = \"./p a\"\nstdout = \"1\"\n[[c.test]]\nname = \"two\"\ncommand = \"./p a\"\nexit = 2\n";
    let subject = Subject::new(&[("p.c", source), ("nopol.toml", settings)]);
    let run = subject.nopol_c(&["faults", "--only", "one"]);
    for wanted in [
        "int sign = argc > 2 ? '+' : '*';\n        would have to be '+'\n",
        "switch (c)\n        `c` would have to be '+'\n",
        "'a' │   13 │ int copy = argv[1][0];\n",
    ] {
        assert!(run.stdout.contains(wanted), "{}", run.stdout);
    }
    let run = subject.nopol_c(&["faults", "--only", "two"]);
    let wanted = "switch (argc + 40)\n        `argc + 40` would have to be 'x'\n";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
}

#[test]
fn one_of_several_initializers_is_named() {
    let source = "#include <stdio.h>\nint main(void)\n{\n    int n = 0, m = 0;\n    m = n + m;\n    printf(\"%d\\n\", n - m);\n    return 0;\n}\n";
    let subject = program(source, &[("", "3")]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let wanted = "int n = 0, m = 0;\n        `0` would have to be -3\n";
    assert!(run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_is_printed_is_a_place_also_if_it_is_a_constant_and_characters_are_shown_as_such() {
    let source = "#include <stdio.h>\nint main(int argc, char **argv) {\n    putchar(argc + 'a');\n    printf(\"%d\", 5);\n    fputc('q', stdout);\n    return 0;\n}\n";
    for (output, wanted) in [
        ("d5q", "`argc + 'a'` would have to be 'd'"),
        ("b6q", "`5` would have to be 6"),
        ("b5r", "`'q'` would have to be 'r'"),
    ] {
        let described = format!(
            "[c]\nsources = [\"a.c\"]\nbuild = \"cc -o a a.c\"\n[[c.test]]\nname = \"t\"\ncommand = \"./a\"\nstdout = \"{output}\"\n"
        );
        let subject = Subject::new(&[("a.c", source), ("nopol.toml", &described)]);
        let run = subject.nopol(&["c", "faults"]);
        assert!(run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
    }
}

/// Five numbers, of which this many are set, from the first on.
const TABLE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int t[5] = {1, 2, 3, 4, 5};
    int i, n = argc > 1 ? atoi(argv[1]) : 0;
    for (i = 0; i < n; i++)
        t[i] = 9;
    printf(\"%d%d%d%d%d\\n\", t[0], t[1], t[2], t[3], t[4]);
    return 0;
}
";

#[test]
fn an_element_that_would_have_to_be_set_is_written_as_the_source_does() {
    let subject = program(TABLE, &[("./p 2", "19395"), ("./p 1", "19345")]);
    let run = subject.nopol(&["c", "faults"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout
            .contains("would have to be t[1] = 9, then t[3] = 9"),
        "{}",
        run.stdout
    );
    // An initializer sets its own element only.
    let initial = "`4` would have to be t[1]";
    assert!(!run.stdout.contains(initial), "{}", run.stdout);
    let initial = "`4` would have to be 9 in ";
    assert!(run.stdout.contains(initial), "{}", run.stdout);
}

/// The sum of the arguments, which are numbers.
const SUM: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int sum = 1;
    for (int i = 1; i < argc; i++)
        sum += atoi(argv[i]);
    printf(\"%d\\n\", sum);
    return 0;
}
";

#[test]
fn arguments_may_be_read_as_numbers_one_after_the_other() {
    let subject = program(SUM, &[("3 4 5", "12"), ("7", "7"), ("2 -6", "-4")]);
    let run = subject.nopol(&["c", "faults", "--size=1"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let initial = "p.c:5:15  int sum = 1;\n        would have to be 0\n";
    assert!(run.stdout.contains(initial), "{}", run.stdout);
}

#[test]
fn a_long_table_is_shown_only_around_the_place() {
    let numbers: Vec<String> = (100..160).map(|number| number.to_string()).collect();
    let table = format!("static const int t[] = {{{}}};", numbers.join(", "));
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n{table}\nint main(int argc, char **argv)\n{{\n    \
         printf(\"%d and a long text that makes this statement longer than any line in a report should be\\n\", t[argc + 27]);\n    return 0;\n}}\n"
    );
    let output =
        "131 and a long text that makes this statement longer than any line in a report should be";
    let subject = program(&source, &[("./p 28", output)]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let wanted = "static const int t[] = {100, 101 … 127, 128, 129, 130, 131, 132, 133 …\n        `130` would have to be 131\n";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
    let long = run.stdout.lines().map(|line| line.chars().count()).max();
    assert!(long < Some(150), "{}", run.stdout);
    let run = subject.nopol(&["c", "mutate", "--size", "1"]);
    let wanted = "report should be\\n\", t[argc + 27])\n        becomes  printf(";
    assert!(!run.stdout.contains(wanted), "{}", run.stdout);
    assert!(
        run.stdout.contains("130\n        becomes  131\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_fault_in_a_function_of_the_library_is_where_it_is_called() {
    let text = r#"#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static size_t length(const char *s)
{
    return strlen(s);
}
int main(int argc, char **argv)
{
    char a[4] = "abc";
    int n = atoi(argv[1]);
    if (n == 1)
        strcpy(a, "longer");
    if (n == 2)
        strcat(a, "q");
    if (n == 3)
        n = strchr(a + 5, 'z') != NULL;
    if (n == 4)
        n = length(a + 5);
    if (n == 5)
        n = memcmp(a, "abd", 9) < 0;
    printf("%d\n", n);
    return 0;
}
"#;
    let subject = program(
        text,
        &[("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "1")],
    );
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&["c", command, "--size=1"]);
        for (test, line) in [(1, 13), (2, 15), (3, 17), (4, 6), (5, 21)] {
            let line = format!("`t{test}` fails: an index is out of bounds at p.c:{line}\n");
            assert!(
                run.stdout.contains(&line),
                "{line}{}{}",
                run.stdout,
                run.stderr
            );
        }
    }
}

/// The output is gcc's.
#[test]
fn a_later_initializer_of_an_element_replaces_the_earlier_one_as_a_whole() {
    let text = r#"#include <stdio.h>
struct box { int lo, hi; };
static struct box pool[2] = { { 1, 2 }, [0] = { .hi = 9 } };
int main(void) {
    int t[2][2] = { { 1, 2 }, [0] = { [1] = 7 } };
    int u[2][2] = { [1] = { 1, 2 }, [0] = { 3, 4 }, { 5 } };
    int v[2][2] = { [1] = { 1, 2 }, [0] = { 3, 4 }, 5 };
    char w[2][4] = { "abc", [0] = "x" };
    struct box p = { .lo = 1, .lo = 2 }, q[1] = { { 3, 4 }, [0] = p };
    printf("%d %d %d %d\n", pool[0].lo, pool[0].hi, t[0][0], t[0][1]);
    printf("%d %d %d %d\n", u[1][0], u[1][1], v[1][0], v[1][1]);
    printf("%d %d %d %d\n", w[0][0], w[0][1], w[0][2], p.lo);
    printf("%d %d\n", q[0].lo, q[0].hi);
    return 0;
}
"#;
    let subject = program(text, &[("", "0 9 0 7\\n5 0 5 2\\n120 0 0 2\\n2 0")]);
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&["c", command]);
        assert!(
            run.stdout.contains("All tests pass"),
            "{}{}",
            run.stdout,
            run.stderr
        );
    }
}

#[test]
fn a_call_whose_result_is_replaced_still_needs_its_arguments() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint t[4] = {2, 1, 5, 1};\nint show(int v)\n{\n    printf(\"%d \", v);\n    \
                return v;\n}\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[1]);\n    int a = show(t[n]) + 1;\n    \
                printf(\"%d\\n\", a);\n    return 0;\n}\n";
    let subject = program(text, &[("4", "0 5"), ("2", "5 6")]);
    let run = subject.nopol(&["c", "faults", "--size", "2", "--format", "json"]);
    let lines = lines(&found(&run));
    // `show` is called with `t[4]`, whatever `a` is.
    assert!(!lines.contains(&vec![12]), "{}", run.stdout);
    assert!(lines.contains(&vec![12, 12]), "{}", run.stdout);
}

#[test]
fn in_rust_too_a_call_needs_its_receiver_and_its_arguments() {
    let text = "#[derive(Clone, Copy)]
pub struct Count(i32);

impl Count {
    fn twice(self) -> i32 {
        self.0 * 2
    }
}

fn same(value: i32) -> i32 {
    value
}

pub fn of_slice(t: &[i32], n: usize) -> i32 {
    let a = same(t[n]) + 1;
    a * 2
}

pub fn of_quotient(t: &[i32], n: usize) -> i32 {
    let a = same(t[0]) + same(8 / (n as i32 - 4)) + 1;
    a * 2
}

pub fn of_receiver(t: &[Count], n: usize) -> i32 {
    let a = t[n].twice() + 1;
    a * 2
}

#[test]
fn slice() {
    assert_eq!(of_slice(&[1, 2, 3, 4], 4), 8);
}

#[test]
fn quotient() {
    assert_eq!(of_quotient(&[1, 2, 3, 4], 4), 8);
}

#[test]
fn receiver() {
    assert_eq!(of_receiver(&[Count(1), Count(2)], 2), 8);
}
";
    let subject = Subject::lib(text);
    for (test, line) in [("slice", 15), ("quotient", 20), ("receiver", 25)] {
        let args = ["faults", "--size", "1", "--format", "json", "--", test];
        let report = found(&subject.nopol(&args));
        // An argument can be a place of its own; what the call is a part of cannot do without it.
        for candidate in report["candidates"].as_array().unwrap() {
            let place = &candidate["places"][0];
            let is_whole = place["line"] == line && place["column"] == 13;
            assert!(!is_whole, "{test}: {candidate:#}");
        }
    }
}

#[test]
fn a_structure_is_copied_out_of_an_array_whatever_its_members_are() {
    for member in ["long", "short", "char", "_Bool"] {
        let text = format!(
            "#include <stdio.h>\nstruct row {{ {member} total; }};\nint main(void)\n{{\n    struct row a[3] = {{{{0}}, {{1}}, {{0}}}};\n    \
             for (int i = 1; i < 3; i++) {{\n        struct row x = a[i];\n        int j = i - 1;\n        \
             while (j >= 0 && a[j].total > x.total)\n            j--;\n        a[j + 1] = x;\n    }}\n    \
             printf(\"%d %d %d\\n\", (int)a[0].total, (int)a[1].total, (int)a[2].total);\n    return 0;\n}}\n"
        );
        let subject = program(&text, &[("", "1 1 0")]);
        let run = subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]);
        assert!(lines(&found(&run)).contains(&vec![9]), "{}", run.stdout);
        let run = subject.nopol(&["c", "mutate", "--size", "1"]);
        assert!(
            run.stdout.contains("a[j].total < x.total"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn it_is_said_which_evaluation_has_another_value() {
    let text = "#include <stdio.h>\nint main(void)\n{\n    int n = 0;\n    for (int i = 0; i < 5; i++) {\n        if (i % 2)\n            \
                n++;\n    }\n    return n != 3;\n}\n";
    let config = "[c]\nsources = [\"a.c\"]\nbuild = \"cc -o a a.c\"\n\n[[c.test]]\nname = \"three\"\ncommand = \"./a\"\n";
    let subject = Subject::new(&[("a.c", text), ("nopol.toml", config)]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let row = run.stdout.split_once("if (i % 2)").unwrap().1;
    let row = row.lines().nth(1).unwrap();
    assert!(
        row.contains("would have to be true (evaluation ") && row.ends_with(" of 5)"),
        "{row}"
    );
    let report = found(&subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]));
    let mut candidates = report["candidates"].as_array().unwrap().iter();
    let condition = candidates
        .find(|candidate| candidate["places"][0]["line"] == 6)
        .unwrap();
    assert_eq!(condition["values"][0]["evaluations"], 5);
}

#[test]
fn equal_values_have_their_evaluations_and_what_is_not_needed_is_left_out() {
    // Only the fourth value is used, so it alone must change.
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int t[4] = {1, 1, 1, 1}, sum = 0;\n    \
                int n = atoi(argv[1]);\n    for (int i = 0; i < 4; i++) {\n        int x = t[i];\n        sum = i < 3 ? sum : sum + x;\n    }\n    \
                printf(\"%d\\n\", sum + n);\n    return 0;\n}\n";
    let subject = program(text, &[("5", "20"), ("0", "0")]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let row = run.stdout.split_once("int x = t[i]").unwrap().1;
    let row = row.lines().nth(1).unwrap().trim();
    assert_eq!(
        row,
        "would have to be 15 (evaluation 4 of 4) in `t5`; 0 (evaluation 4 of 4) in `t0`"
    );
    // Each outcome is a binary digit, so no other outcomes work.
    let text = "#include <stdio.h>\nint main(void)\n{\n    int t[4] = {1, 0, 0, 1}, sum = 0;\n    for (int i = 0; i < 4; i++) {\n        \
                sum *= 2;\n        if (t[i] > 0)\n            sum++;\n    }\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let subject = program(text, &[("", "6")]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let row = run.stdout.split_once("if (t[i] > 0)").unwrap().1;
    let row = row.lines().nth(1).unwrap().trim();
    assert_eq!(
        row,
        "would have to be false (evaluation 1 of 4), then true (evaluations 2 and 3), then false (evaluation 4)"
    );
}

#[test]
fn a_formula_of_the_path_alone_claims_nothing_about_other_paths() {
    let subject = Subject::fixture("c/loops-gcd", "loops-gcd");
    for part in ["path", "path-insensitive"] {
        let args = ["c", "faults", "--size", "1", "--formula", part];
        let text = subject.nopol(&args).stdout;
        let is_open = text.contains("(there may be more sets)") || text.contains("also considers");
        assert!(is_open && !text.contains("no other values"), "{text}");
        let report = found(&subject.nopol(&[&args[..], &["--format", "json"]].concat()));
        assert_eq!(report["complete_to"], 0);
    }
}

#[test]
fn the_sets_are_those_within_a_bound_that_is_named() {
    // The loop never ends, so the bound is the smallest.
    let text = "#include <stdio.h>\nint main(void)\n{\n    int i = 0;\n    while (i < 10) {\n        if (i > 3)\n            i -= 2;\n        \
                i++;\n    }\n    printf(\"%d\\n\", i);\n    return 0;\n}\n";
    let subject = program(text, &[("1", "10")]);
    let run = subject.nopol(&["c", "faults", "--size", "1"]);
    let report = found(&subject.nopol(&["c", "faults", "--size", "1", "--format", "json"]));
    let named = format!(", with at most {} iterations of a loop; ", report["bound"]);
    assert!(run.stdout.contains(&named), "{}", run.stdout);
    assert!(!lines(&report).contains(&vec![6]), "{}", run.stdout);
    let more = [
        "c", "faults", "--size", "1", "--bound", "20", "--format", "json",
    ];
    assert!(lines(&found(&subject.nopol(&more))).contains(&vec![6]));
}

#[test]
fn a_main_that_cannot_be_parsed_is_named_with_its_line() {
    let subject = program("int main(void)\n{\n    return 3 +;\n}\n", &[("1", "3")]);
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&["c", command]);
        let said = [run.stdout, run.stderr].concat();
        assert!(said.contains("p.c:3: this cannot be parsed"), "{said}");
    }
}
