//! Damaged problem files and solvers' answers.

use camino::Utf8Path;
use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{PROBLEM, ProblemFile, fs, judge, problem};

const WORDS: &[&str] = &[
    "name",
    "type",
    "optional",
    "origin",
    "text",
    "value",
    "values",
    "expected",
    "hard",
    "weight",
    "literals",
    "variables",
    "contexts",
    "any_of",
    "check",
    "original",
    "reference",
    "impure",
    "seen_in",
    "i64",
    "u8",
    "i128",
    "f64",
    "char",
    "str",
    "bool",
    "return",
    "x as u8 < y",
    "if a",
    "{",
    "<<",
    "&mut",
    "'a",
    "b'x'",
    "r#\\\"x\\\"#",
    "1..=2",
    "|x|",
    "seen",
    "query",
];

const ANSWERS: &[&[u8]] = &[
    b"(define-fun condition ((|i: i64| Int)) Bool (and (< |i: i64| 7) (not |b: bool|)))",
    b"(let ((a (+ |i: i64| 1))) (or (< a 7) (= a |i: i64|)))",
    b"((define-fun condition () Int (or3 (lt_i64 |i: i64| 7) (let ((y |b: bool|)) (not3 y)))))",
    b"((l_r 24)(l_and 24)(l_and_a 20)(l_and_b 21)(l_cmp1 20)(l_cmp1_a 0)(l_cmp1_b 1)(op_cmp1 2)\
      (l_cmp2 21)(l_cmp2_a 3)(l_cmp2_b 4)(op_cmp2 0)(l_not 22)(l_not_a 20)(l_or 23)(l_or_a 1))",
];

const ANSWER_WORDS: &[&str] = &[
    "define-fun",
    "condition",
    "let",
    "not",
    "and",
    "or3",
    "l_r",
    "l_not_a",
    "op_cmp1",
    "add",
    "sub_usize",
    "distinct",
    "<=",
    "|i: i64|",
    "|v.len(): usize|",
    "|s: str|",
    "|x: f32|",
    "2.5",
];

fn is_problem_or_refused(path: &Utf8Path, bytes: &[u8]) -> TestCaseResult {
    fs::write(path, bytes)?;
    match ProblemFile::read(path) {
        Ok(problem) => {
            let written = problem.to_json();
            let again = ProblemFile::parse(&written, "stem");
            prop_assert_eq!(again, Ok(problem.clone()), "{}", written);
            prop_assert!(problem.to_smtlib().contains("(check-sat)"));
            prop_assert!(problem.to_sygus().contains("(check-synth)"));
        }
        Err(error) => {
            let error = error.to_string();
            let is_named = error.starts_with(&format!("{path}: "))
                || error.starts_with(&format!("cannot read the problem file {path}: "));
            prop_assert!(is_named, "{}", error);
        }
    }
    Ok(())
}

fn files(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("p.json");
    how(&|bytes| is_problem_or_refused(&path, bytes));
}

fn answers(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let problem = problem(PROBLEM);
    how(&|bytes| {
        if let Err(error) = judge(&problem, &String::from_utf8_lossy(bytes)) {
            let is_named = error.starts_with("the answer to p cannot be read: ");
            prop_assert!(is_named, "{}", error);
        }
        Ok(())
    });
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(&[PROBLEM.as_bytes()], WORDS)
}

fn answer_inputs() -> impl Strategy<Value = Input> {
    documents(ANSWERS, ANSWER_WORDS)
}

#[test]
fn a_file_is_a_problem_that_is_written_back_equal_or_refused_by_its_name() {
    files(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many files"]
fn many_files_are_problems_that_are_written_back_equal_or_refused_by_their_names() {
    files(|property| many(inputs(), property));
}

#[test]
fn an_answer_is_a_condition_or_refused_with_the_problems_name() {
    answers(|property| few(answer_inputs(), property));
}

#[test]
#[ignore = "as above, with many answers"]
fn many_answers_are_conditions_or_refused_with_the_problems_name() {
    answers(|property| many(answer_inputs(), property));
}

/// Why a problem is refused if a part of it is replaced.
fn refusal(part: &str, by: &str) -> String {
    let text = PROBLEM.replace(part, by);
    assert_ne!(text, PROBLEM);
    let (at, what) = ProblemFile::parse(&text, "stem").unwrap_err();
    format!("{at}: {what}")
}

#[test]
fn a_part_that_nests_too_deeply_is_refused() {
    let deep = "(".repeat(100_000) + &")".repeat(100_000);
    for (part, at) in [
        ("\"v.len()\"", "variables[1].name"),
        ("\"7\"", "literals[2]"),
        ("\"i\"]", "literals[2]"),
        ("\"i + 1 < 7 && !(b || v.len() != 2)\"", "original"),
    ] {
        let end = if part.ends_with(']') { "]" } else { "" };
        let why = refusal(part, &format!("\"{deep}\"{end}"));
        assert!(why.starts_with(at), "{}", &why[..99]);
        assert!(why.contains("too much"), "{}", &why[..99]);
    }
}

#[test]
fn a_condition_that_nests_without_punctuation_is_refused() {
    for word in [
        "return ",
        "break ",
        "if ",
        "unsafe ",
        "loop ",
        "match ",
        "x as ",
        "async move ",
    ] {
        for times in [
            4000 / word.len(),
            256 / word.split_whitespace().count(),
            128,
        ] {
            let long = word.repeat(times) + "x";
            let why = refusal(
                "\"i + 1 < 7 && !(b || v.len() != 2)\"",
                &format!("\"{long}\""),
            );
            assert!(why.starts_with("original: "), "{why}");
        }
    }
}

#[test]
fn a_model_whose_blocks_double_again_and_again_is_refused() {
    let types = [
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
    ];
    let variables = types
        .map(|ty| format!(r#"{{"name": "{ty}_", "type": "{ty}"}}"#))
        .join(", ");
    let values = types.map(|_| "1").join(", ");
    let large = problem(&format!(
        r#"{{"name": "p", "variables": [{variables}], "contexts": [{{"values": [{values}], "expected": true}}]}}"#
    ));
    // Each block adds the next one to itself, and the last one a variable.
    let blocks = types
        .map(|ty| [format!("plus_{ty}"), format!("minus_{ty}")])
        .concat();
    let mut model = String::from("((l_r 100)");
    for (at, block) in blocks.iter().enumerate() {
        let (here, next) = (100 + at, if at + 1 < blocks.len() { 101 + at } else { 0 });
        model += &format!("(l_{block} {here})(l_{block}_a {next})(l_{block}_b {next})");
    }
    for other in ["cmp1", "cmp2", "not", "and", "or"] {
        model += &format!("(l_{other} 99)");
    }
    let why = judge(&large, &(model + ")")).err().unwrap();
    assert!(why.ends_with("it is too large to be a condition"), "{why}");
}
