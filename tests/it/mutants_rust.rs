//! `cargo nopol mutate` against the machine: every mutant of random Rust functions is compiled by rustc and run on the tests,
//! and those that pass are what the search finds, however programs are ruled out.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::Subject;
use crate::mutants::{Pieces, Random, outcomes, plain, repaired};

/// What a function of `x` is made of, by topic. In the texts before them `x` is an `i32`, and after them `r` is returned.
const STATEMENTS: [&[&str]; 5] = [
    // Structures.
    &[
        "    let p = Pair { a: x ? @, b: @ };\n    r = r ? (p.a ? p.b);\n",
        "    s.b = s.a ? @;\n    if s.b ~ @ {\n        r = r ? @;\n    }\n",
        "    let q = Pair { a: @, ..s };\n    r = (r ? q.a) ? q.b;\n",
        "    r = r ? s.sum(x ? @);\n",
    ],
    // Arrays and loops.
    &[
        "    row[#] = x ? @;\n    r = r ? row[#];\n",
        "    let t = [@, @, @];\n    r = r ? t[(x & 1) as usize];\n",
        "    for i in 0..# {\n        r = r ? row[i];\n    }\n",
        "    for v in row.iter() {\n        if *v ~ @ {\n            r = r ? *v;\n        }\n    }\n",
        "    while (r ~ 9) && (rounds < 20) {\n        rounds = rounds + 1;\n        r = r + (2 + @);\n    }\n",
    ],
    // Options.
    &[
        "    let o = if x ~ @ { Some(x ? @) } else { None };\n    r = r ? o.unwrap_or(@);\n",
        "    if let Some(v) = find(&row, x ? @) {\n        r = r ? v;\n    }\n",
        "    match find(&row, @) {\n        Some(v) => r = v ? @,\n        None => r = r ? @,\n    }\n",
        "    r = r ? at(&row, #).unwrap_or(x);\n",
    ],
    // References.
    &[
        "    let c = &mut row[#];\n    *c = *c ? @;\n    r = r ? row[#];\n",
        "    let c = &row[1..];\n    r = r ? c[#];\n",
        "    let c = &mut s;\n    c.a = c.b ? @;\n    r = r ? s.a;\n",
        "    let c = if x ~ @ { &row[0] } else { &row[3] };\n    r = r ? *c;\n",
    ],
    // Integers and branches.
    &[
        "    let y = (x ? @) as u8;\n    r = r ? (y as i32);\n",
        "    let y: u32 = # ? 2;\n    r = r ? (y as i32);\n",
        "    if (x ~ @) ¦ (r § @) {\n        r = r ? @;\n    }\n",
        "    r = match x {\n        @ => r ? @,\n        _ => r ? @,\n    };\n",
        "    r = r.wrapping_mul(@) ? x;\n",
        "    r += @;\n    r = r ? (x / (@ + 5));\n",
    ],
];

const HEAD: &str = "\
#[derive(Clone, Copy)]
pub struct Pair {
    pub a: i32,
    pub b: i32,
}

impl Pair {
    fn sum(&self, more: i32) -> i32 {
        self.a + self.b + more
    }
}

fn find(row: &[i32], wanted: i32) -> Option<i32> {
    let mut at = 0;
    for v in row.iter() {
        if *v == wanted {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn at(row: &[i32], nth: usize) -> Option<i32> {
    if nth < row.len() { Some(row[nth]) } else { None }
}

";

const BEFORE: &str = "    let mut r = x;
    let mut row = [2, 3, 5, 7];
    let mut s = Pair { a: 1, b: 2 };
    let mut rounds = 0;
";

const INPUTS: [i32; 4] = [-1, 0, 1, 3];

fn function(body: &str) -> String {
    format!("pub fn f(x: i32) -> i32 {{\n{BEFORE}{body}    r\n}}\n")
}

/// What each function of `x` returns for each input; `None` if it panics. All are compiled at once.
fn run(bodies: &[String]) -> Vec<Vec<Option<i32>>> {
    let folder = tempfile::tempdir().unwrap();
    let mut text = format!("#![allow(warnings)]\n{HEAD}");
    for (number, body) in bodies.iter().enumerate() {
        write!(
            text,
            "mod m{number} {{\nuse super::*;\n{}}}\n",
            function(body)
        )
        .unwrap();
    }
    text.push_str("fn main() {\n    std::panic::set_hook(Box::new(|_| {}));\n    let all: &[fn(i32) -> i32] = &[");
    (0..bodies.len()).for_each(|number| write!(text, "m{number}::f, ").unwrap());
    write!(
        text,
        "];\n    for f in all {{\n        for x in {INPUTS:?} {{\n            match std::panic::catch_unwind(|| f(x)) {{\n                \
         Ok(r) => println!(\"{{r}}\"),\n                Err(_) => println!(\"-\"),\n            }}\n        }}\n    }}\n}}\n"
    )
    .unwrap();
    let source = folder.path().join("all.rs");
    fs::write(&source, text).unwrap();
    // What certainly panics is compiled, too.
    let lints = [
        "arithmetic_overflow",
        "unconditional_panic",
        "overflowing_literals",
    ];
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition", "2021", "-C", "debug-assertions=on"]);
    compiler.args(lints.iter().flat_map(|lint| ["-A", lint]));
    outcomes(compiler, &source, bodies.len(), INPUTS.len())
}

/// The bodies that the search finds for a body and what it should return, and whether it says that these are all.
fn found(body: &str, wanted: &[(i32, i32)], prune: &str) -> (BTreeSet<String>, bool) {
    let code = function(body);
    let mut program = format!("{HEAD}{code}\n#[cfg(test)]\nmod tests {{\n");
    for (number, (input, output)) in wanted.iter().enumerate() {
        write!(
            program,
            "    #[test]\n    fn t{number}() {{\n        assert_eq!(super::f({input}), {output});\n    }}\n"
        )
        .unwrap();
    }
    program.push_str("}\n");
    let manifest = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let subject = Subject::new(&[("src/lib.rs", &program), ("Cargo.toml", manifest)]);
    let options = [
        "--size",
        "1",
        "--format",
        "json",
        "--time-limit",
        "100",
        "--prune",
        prune,
    ];
    let run = subject.nopol(&[&["mutate"], &options[..]].concat());
    let found: Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    assert_ne!(found["outcome"], "outside", "{}\n{program}", run.stdout);
    let left_out = found["left_out"].as_array().unwrap();
    assert!(left_out.is_empty(), "{left_out:?}\n{program}");
    let start = HEAD.len() + program[HEAD.len()..].find(body).unwrap();
    let first = program[..start].matches('\n').count() as u64;
    let untried = found["untried"].as_array().unwrap();
    let is_inside = |of: &Value| of["line"].as_u64().unwrap() > first;
    let is_complete = found["outcome"] != "limit" && !untried.iter().any(is_inside);
    (repaired(&found, body, start), is_complete)
}

/// Holds a program of this number against the machine; whether it could be asked.
fn check(number: u64, prunes: &[&str]) -> bool {
    let random = &mut Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut pieces = Pieces::default();
    for _ in 0..2 {
        let topic = STATEMENTS[random.below(STATEMENTS.len())];
        let shape = topic[random.below(topic.len())];
        pieces.add(random, shape);
    }
    let body = pieces.text(None);
    let changes = pieces.changes();
    let mut all: Vec<String> = changes
        .iter()
        .map(|change| pieces.text(Some(*change)))
        .collect();
    all.push(body.clone());
    let mut results = run(&all);
    let original = results.pop();
    all.pop();
    // One of the mutants is the right program, if it never panics and the original is not like it.
    let is_right = |result: &&Vec<Option<i32>>| {
        result.iter().all(Option::is_some) && Some(*result) != original.as_ref()
    };
    let right: Vec<_> = results.iter().filter(is_right).collect();
    let Some(right) = right.get(random.below(right.len().max(1))) else {
        return false;
    };
    let outputs = right.iter().copied().flatten();
    let wanted: Vec<(i32, i32)> = INPUTS.into_iter().zip(outputs).collect();
    let by_machine = all.iter().zip(&results);
    let by_machine = by_machine.filter(|(_, result)| result == right);
    let by_machine: BTreeSet<String> = by_machine.map(|(body, _)| plain(body)).collect();
    let known: BTreeSet<String> = all.iter().map(|body| plain(body)).collect();
    for prune in prunes {
        let (found, is_complete) = found(&body, &wanted, prune);
        let found: BTreeSet<String> = found.iter().map(|body| plain(body)).collect();
        let found: BTreeSet<String> = found.intersection(&known).cloned().collect();
        let what = format!("program {number}, --prune {prune}\n{body}\n{wanted:?}");
        assert!(found.is_subset(&by_machine), "{found:#?}\n{what}");
        if is_complete {
            assert_eq!(found, by_machine, "{what}");
        }
    }
    true
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_passes_when_rustc_compiles_it_is_what_is_found() {
    let asked = (0..6)
        .filter(|number| check(*number, &["slice", "run"]))
        .count();
    assert!(asked > 2, "{asked}");
}

#[test]
#[ignore = "takes minutes"]
fn what_passes_when_rustc_compiles_it_is_what_is_found_of_more_programs() {
    let asked = (6..70)
        .filter(|number| check(*number, &["none", "slice", "run"]))
        .count();
    assert!(asked > 20, "{asked}");
}
