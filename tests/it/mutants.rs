//! `cargo nopol c mutate` against the machine: every mutant of random C programs is compiled by the C compiler with
//! sanitizers and run on the tests, and those that pass are what the search finds, however programs are ruled out.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::Subject;

/// Numbers that look random and are the same every time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_of(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }
}

/// A piece of a program.
pub enum Piece {
    Text(String),
    /// An operator or a number, and what may stand in its place.
    Open(String, Vec<String>),
}

/// A program as it is written.
#[derive(Default)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// Adds a text in which `@` stands for a number of one digit and `#` for one that has no sign, `?` for an operator of
    /// arithmetic, `~` for a comparison, `§` for `==` or `!=` and `¦` for `&&` or `||`. Every line is a statement.
    pub fn add(&mut self, random: &mut Random, shape: &str) {
        let mut text = String::new();
        for c in shape.chars() {
            let open = match c {
                '@' | '#' => {
                    let number = i64::try_from(random.below(4)).unwrap();
                    let others = [number + 1, number - 1, -number, 0].into_iter();
                    let fits = |other: &i64| *other != number && (c == '@' || *other >= 0);
                    let others: BTreeSet<String> =
                        others.filter(fits).map(|other| other.to_string()).collect();
                    (number.to_string(), others.into_iter().collect())
                }
                '§' => of(random.one_of(&["==", "!="]), &["==", "!="]),
                '¦' => of(random.one_of(&["&&", "||"]), &["&&", "||"]),
                '?' => of(random.one_of(&["+", "-"]), &["+", "-", "*", "/", "%"]),
                '~' => of(
                    random.one_of(&["<", ">", "<=", ">="]),
                    &["<", ">", "<=", ">="],
                ),
                _ => {
                    text.push(c);
                    continue;
                }
            };
            self.0.push(Piece::Text(std::mem::take(&mut text)));
            self.0.push(Piece::Open(open.0, open.1));
        }
        self.0.push(Piece::Text(text));
    }

    pub fn text(&self, changed: Option<(usize, &str)>) -> String {
        let pieces = self.0.iter().enumerate();
        let texts = pieces.map(|(at, piece)| match (piece, changed) {
            (Piece::Open(..), Some((other, text))) if at == other => text,
            (Piece::Text(text) | Piece::Open(text, ..), _) => text.as_str(),
        });
        texts.collect()
    }

    /// Every change of one operator or number.
    pub fn changes(&self) -> Vec<(usize, &str)> {
        let pieces = self.0.iter().enumerate();
        let changes = pieces.flat_map(|(at, piece)| match piece {
            Piece::Open(_, others) => others.iter().map(|other| (at, other.as_str())).collect(),
            Piece::Text(_) => Vec::new(),
        });
        changes.collect()
    }
}

fn of(own: &str, all: &[&str]) -> (String, Vec<String>) {
    let others = all.iter().filter(|other| **other != own);
    (own.to_owned(), others.map(ToString::to_string).collect())
}

/// What a function of `x` is made of, by topic. In the texts before them `x` is an `int`, and after them `r` is returned.
const STATEMENTS: [&[&str]; 5] = [
    // Initializers.
    &[
        "    int t[] = {@, @, @};\n    r = r ? t[x & 1];\n",
        "    int q[4] = {@, @};\n    r = r ? q[@];\n",
        "    struct pair v = {@, @};\n    r = v.a ? (v.b ? x);\n",
    ],
    // Structures.
    &[
        "    s.a = x ? @;\n    s.b = @;\n    r = r ? (s.a ? s.b);\n",
        "    if (s.a ~ @) {\n        r = r ? @;\n    }\n",
        "    p = &s;\n    p->b = p->a ? @;\n    r = r ? p->b;\n",
    ],
    // Pointers.
    &[
        "    c = row + @;\n    r = r ? *c;\n",
        "    c = row + 3 - @;\n    if (c ~ row + @) {\n        r = r ? *c;\n    }\n",
        "    *(row + 1) = x ? @;\n    r = r ? row[@];\n",
    ],
    // Strings.
    &[
        "    text[@] = 'a' ? x;\n    r = r ? text[@];\n",
        "    r = r ? (text[@] ~ 'c');\n",
        "    memset(text, @, 2);\n    r = r ? text[@];\n",
    ],
    // Macros, branches and comments.
    &[
        "    r = LESS(x, @) ? r ? @;\n",
        "    switch (x) {\n    case @:\n        r = r ? @;\n        break;\n    default:\n        r = r /* and */ ? /* so on */ @;\n    }\n",
        "    while (r ~ 9) {\n        r = r + 2 + @;\n    }\n",
    ],
];

const BEFORE: &str = "\
    int r = x;
    int row[4] = {2, 3, 5, 7};
    int *c = row;
    char text[4] = \"abc\";
    struct pair s = {1, 2};
    struct pair *p = &s;
";

const HEAD: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LESS(a, b) ((a) < (b))
struct pair { int a; int b; };
";

const INPUTS: [i32; 4] = [-1, 0, 1, 3];

/// A function of this name.
fn function(name: &str, body: &str) -> String {
    format!("static int {name}(int x)\n{{\n{BEFORE}{body}    return r;\n}}\n")
}

/// What each function of `x` returns for each input; `None` if that is undefined or does not end.
fn run(bodies: &[String]) -> Vec<Vec<Option<i32>>> {
    let folder = tempfile::tempdir().unwrap();
    let mut text = HEAD.to_owned();
    text.push_str("#include <sys/wait.h>\n#include <unistd.h>\n");
    for (number, body) in bodies.iter().enumerate() {
        text.push_str(&function(&format!("f{number}"), body));
    }
    text.push_str("typedef int (*of)(int);\nstatic of all[] = {");
    (0..bodies.len()).for_each(|number| write!(text, "f{number}, ").unwrap());
    let inputs: Vec<String> = INPUTS.iter().map(ToString::to_string).collect();
    write!(
        text,
        "}};\nstatic int inputs[] = {{{}}};\n",
        inputs.join(", ")
    )
    .unwrap();
    text.push_str(
        "int main(void)\n{\n    for (size_t i = 0; i < sizeof all / sizeof *all; i++)\n        for (size_t j = 0; j < sizeof inputs / sizeof *inputs; j++) {\n            fflush(stdout);\n            if (fork() == 0) {\n                alarm(1);\n                int r = all[i](inputs[j]);\n                printf(\"%d\\n\", r);\n                fflush(stdout);\n                _exit(0);\n            }\n            int status;\n            wait(&status);\n            if (status != 0)\n                printf(\"-\\n\");\n        }\n    return 0;\n}\n",
    );
    let source = folder.path().join("all.c");
    fs::write(&source, text).unwrap();
    let sanitizers = [
        "-w",
        "-fsanitize=undefined,address",
        "-fno-sanitize-recover=all",
        "-fno-sanitize=pointer-overflow",
    ];
    let mut compiler = Command::new("cc");
    compiler.args(sanitizers);
    outcomes(compiler, &source, bodies.len(), INPUTS.len())
}

/// Compiles a source whose program prints a line for each body and input, and runs it: the numbers, or nothing where a run went
/// wrong.
pub fn outcomes(
    mut compiler: Command,
    source: &Path,
    bodies: usize,
    inputs: usize,
) -> Vec<Vec<Option<i32>>> {
    let program = source.with_extension("");
    let built = compiler.arg("-o").arg(&program).arg(source).output();
    let built = built.unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let output = Command::new(&program).output().unwrap().stdout;
    let lines: Vec<Option<i32>> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| line.parse().ok())
        .collect();
    assert_eq!(lines.len(), bodies * inputs);
    lines.chunks(inputs).map(<[_]>::to_vec).collect()
}

/// What the repairs of a report make of a body that starts at this byte of its file.
pub fn repaired(found: &Value, body: &str, start: usize) -> BTreeSet<String> {
    let repairs = found["repairs"].as_array().unwrap().iter();
    let bodies = repairs.filter_map(|repair| {
        let edit = &repair["edits"][0];
        let at = |end: &str| usize::try_from(edit["span"][end].as_u64().unwrap()).unwrap();
        let (from, to) = (at("start"), at("end"));
        let is_inside = from >= start && to <= start + body.len();
        let text = edit["text"].as_str().unwrap();
        is_inside.then(|| [&body[..from - start], text, &body[to - start..]].concat())
    });
    bodies.collect()
}

/// The bodies that the search finds for a body and what it should return; `None` if it says that it is incomplete.
fn found(body: &str, wanted: &[(i32, i32)], prune: &str) -> Option<BTreeSet<String>> {
    let program = format!(
        "{HEAD}{}int main(int argc, char **argv)\n{{\n    printf(\"%d\\n\", f(atoi(argv[1])));\n    return 0;\n}}\n",
        function("f", body)
    );
    let mut manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -w -o p p.c\"\n".to_owned();
    for (input, output) in wanted {
        write!(manifest, "\n[[c.test]]\nname = \"of {input}\"\ncommand = \"./p {input}\"\nstdout = \"{output}\\n\"\n")
            .unwrap();
    }
    let subject = Subject::new(&[("p.c", &program), ("nopol.toml", &manifest)]);
    let options = [
        "--size",
        "1",
        "--format",
        "json",
        "--time-limit",
        "100",
        "--bound",
        "40",
        "--prune",
        prune,
    ];
    let run = subject.nopol(&[&["c", "mutate"], &options[..]].concat());
    let found: Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    assert_ne!(found["outcome"], "outside", "{}\n{program}", run.stdout);
    let start = HEAD.len() + program[HEAD.len()..].find(body).unwrap();
    let bodies = repaired(&found, body, start);
    let untried = found["untried"].as_array().unwrap();
    let is_inside = |of: &Value| of["line"].as_u64().unwrap() > 13 && of["text"] != "4";
    (found["outcome"] != "limit" && !untried.iter().any(is_inside)).then_some(bodies)
}

/// Without blanks, and without the parentheses that one way to write a change needs and another one does not.
pub fn plain(body: &str) -> String {
    body.chars()
        .filter(|c| !c.is_whitespace() && !"()".contains(*c))
        .collect()
}

/// What is wrong with a program of this number; whether it could be asked.
fn check(number: u64, prunes: &[&str]) -> bool {
    let random = &mut Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut pieces = Pieces::default();
    for _ in 0..2 {
        let topic = STATEMENTS[random.below(STATEMENTS.len())];
        let shape = topic[random.below(topic.len())];
        pieces.add(random, shape);
    }
    let body = pieces.text(None);
    let is_twice = |name| body.matches(name).count() > 1;
    if ["int t[", "int q[", "pair v"].into_iter().any(is_twice) {
        return false;
    }
    let changes = pieces.changes();
    let all: Vec<String> = changes
        .iter()
        .map(|change| pieces.text(Some(*change)))
        .collect();
    let results = run(&all);
    // One of the mutants is the right program, if it always ends well and the original is not like it.
    let original = run(&[pieces.text(None)]).remove(0);
    let is_right =
        |result: &Vec<Option<i32>>| result.iter().all(Option::is_some) && *result != original;
    let right = results
        .iter()
        .filter(|result| is_right(result))
        .collect::<Vec<_>>();
    let Some(right) = right.get(random.below(right.len().max(1))) else {
        return false;
    };
    let wanted: Vec<(i32, i32)> = INPUTS
        .into_iter()
        .zip(right.iter().copied().flatten())
        .collect();
    let by_machine = all
        .iter()
        .zip(&results)
        .filter(|(_, result)| result == right);
    let by_machine: BTreeSet<String> = by_machine.map(|(body, _)| plain(body)).collect();
    let body = pieces.text(None);
    for prune in prunes {
        let Some(found) = found(&body, &wanted, prune) else {
            continue;
        };
        let known: BTreeSet<String> = all.iter().map(|body| plain(body)).collect();
        let found: BTreeSet<String> = found.iter().map(|body| plain(body)).collect();
        let found: BTreeSet<String> = found.intersection(&known).cloned().collect();
        assert_eq!(
            found, by_machine,
            "program {number}, --prune {prune}\n{body}\n{wanted:?}"
        );
    }
    true
}

#[test]
fn what_passes_when_it_is_compiled_is_what_is_found() {
    let asked = (0..4)
        .filter(|number| check(*number, &["slice", "run"]))
        .count();
    assert!(asked > 1, "{asked}");
}

#[test]
#[ignore = "takes minutes"]
fn what_passes_when_it_is_compiled_is_what_is_found_of_more_programs() {
    let asked = (4..80)
        .filter(|number| check(*number, &["none", "slice", "run"]))
        .count();
    assert!(asked > 20, "{asked}");
}
