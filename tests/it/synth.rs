//! `cargo nopol synth`: problems from files, their JSON lines, and what is written for other
//! solvers.

use std::fs;

use crate::common::{Run, Subject};
use serde_json::Value;

/// `b && i < e`, where `e` is undefined unless `b`.
const GUARD: &str = r#"{"name": "guard",
    "variables": [{"name": "i", "type": "i64"}, {"name": "b", "type": "bool"},
        {"name": "e", "type": "i64", "optional": true}],
    "literals": [0, 1],
    "contexts": [{"values": [1, true, 2], "expected": true},
        {"values": [1, false, null], "expected": false},
        {"values": [3, true, 2], "expected": false},
        {"values": [3, true, 9], "expected": true},
        {"values": [4, true, 4], "expected": false},
        {"values": [3, false, 9], "expected": false}],
    "check": [{"values": [5, true, 6], "expected": true},
        {"values": [6, true, 5], "expected": false},
        {"values": [6, false, null], "expected": true}]}"#;

/// One context, both outcomes.
const CONTRADICTION: &str = r#"{"name": "contradiction",
    "variables": [{"name": "i", "type": "i64"}],
    "contexts": [{"values": [1], "expected": true}, {"values": [1], "expected": false}]}"#;

fn directory() -> Subject {
    Subject::new(&[
        ("guard.json", GUARD),
        ("contradiction.json", CONTRADICTION),
        ("bad.json", &GUARD.replace("[4, true, 4]", "[4, true]")),
    ])
}

fn lines(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn synth_prints_one_json_line_for_each_problem() {
    let run = directory().nopol(&["synth", "guard.json", "contradiction.json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let [guard, contradiction] = &lines(&run)[..] else {
        panic!("two lines: {}", run.stdout);
    };
    assert_eq!(guard["name"], "guard");
    assert_eq!(guard["engine"], "portfolio");
    assert!(guard["seconds"].as_f64().unwrap() < 10.0);
    let first = &guard["candidates"][0];
    assert_eq!(first["text"], "b && e > i");
    assert_eq!(first["explains"], true);
    assert!((first["check"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    assert!(first["cost"].is_u64() && first["why"].is_string());
    assert_eq!(contradiction["candidates"].as_array().unwrap().len(), 0);
    assert!(
        contradiction["reason"]
            .as_str()
            .unwrap()
            .contains("cannot tell apart")
    );
}

#[test]
fn synth_complains_of_a_bad_file_and_solves_the_others() {
    let run = directory().nopol(&["synth", "bad.json", "nowhere.json", "guard.json"]);
    assert_eq!(run.code, 2);
    assert_eq!(lines(&run).len(), 1);
    for words in [
        "bad.json: contexts[4].values: 2 values for 3 variables",
        "nowhere.json",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

/// A file of a boolean and a float, with these contexts and one key more.
fn spec(contexts: &str, extra: &str) -> String {
    format!(
        r#"{{"variables": [{{"name": "b", "type": "bool"}}, {{"name": "x", "type": "f64"}}],
            "contexts": [{contexts}]{extra}}}"#
    )
}

#[test]
fn synth_says_why_a_spec_has_no_answer() {
    let context = |b: bool, x: &str, rest: &str| format!(r#"{{"values": [{b}, {x}], {rest}}}"#);
    let both = |rest: &str| {
        let (yes, no) = (r#""expected": true"#, r#""expected": false"#);
        [(true, yes), (false, no)].map(|(b, outcome)| context(b, "1", &format!("{outcome}{rest}")))
    };
    let (sound, idle) = (both(""), both(r#", "hard": false, "weight": 0"#));
    let [nan, other_nan] = [(r#""NaN""#, true), (r#""0x7ff8000000000001""#, false)]
        .map(|(nan, expected)| context(true, nan, &format!(r#""expected": {expected}"#)));
    let bad = [
        (spec("", ""), "no evaluation was recorded"),
        (spec(&idle.join(", "), ""), "no evaluation was recorded"),
        (spec(&sound[0], ""), "only the constant `true`"),
        (spec(&sound[1], ""), "only the constant `false`"),
        (spec(&[nan, other_nan].join(", "), ""), "no condition"),
        (
            spec(&sound.join(", "), r#", "impure": true"#),
            "what it yields is unknown",
        ),
    ];
    for (text, words) in bad {
        let directory = Subject::new(&[("bad.json", &text)]);
        for engine in ["smt", "enumerate", "portfolio"] {
            let run = directory.nopol(&["synth", "bad.json", "--engine", engine]);
            assert_eq!(run.code, 1, "{text}\n{}", run.stderr);
            let line = &lines(&run)[0];
            assert_eq!(line["candidates"].as_array().unwrap().len(), 0);
            assert!(line["reason"].as_str().unwrap().contains(words), "{line}");
        }
    }
}

#[test]
fn synth_says_where_a_file_is_no_problem() {
    let context = r#"{"values": [true, 1], "expected": true}"#;
    let heavy = context.replace('}', r#", "weight": 4294967296}"#);
    let deep = format!(r#", "original": "{}b""#, "!".repeat(100_000));
    let bad = [
        (
            spec(&context.replace('1', "\"1 \""), ""),
            "contexts[0].values[1]",
        ),
        (spec(&heavy, ""), "contexts[0].weight"),
        (spec(context, r#", "any_of": [[0], []]"#), "any_of[1]"),
        (spec(context, r#", "any_of": [[1]]"#), "any_of[0]"),
        (spec(context, r#", "original": "x""#), "original"),
        (spec(context, r#", "original": "b < x""#), "original"),
        (spec(context, &deep), "original"),
    ];
    for (text, at) in bad {
        let directory = Subject::new(&[("bad.json", &text)]);
        let run = directory.nopol(&["synth", "bad.json"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{at}");
        assert!(
            run.stderr.contains(&format!("bad.json: {at}: ")),
            "{}",
            run.stderr
        );
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn synth_weighs_a_hundred_thousand_contexts() {
    let context = |at: u32| {
        let (b, x) = (at.is_multiple_of(3), at % 1009);
        format!(
            r#"{{"values": [{b}, {x}], "expected": {}, "hard": false}}"#,
            b && x > 0
        )
    };
    let contexts: Vec<String> = (0..100_000).map(context).collect();
    let text = spec(&contexts.join(","), r#", "literals": [0]"#);
    let run = Subject::new(&[("big.json", &text)]).nopol(&["synth", "big.json", "--top", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lines(&run)[0]["candidates"][0]["text"], "b && x > 0.0");
}

#[test]
fn synth_takes_engine_and_top() {
    let directory = directory();
    let run = directory.nopol(&["synth", "guard.json", "--engine", "enumerate", "--top", "1"]);
    let line = &lines(&run)[0];
    assert_eq!(line["engine"], "enumerate");
    assert_eq!(line["candidates"].as_array().unwrap().len(), 1);
    let run = directory.nopol(&["synth", "guard.json", "--engine", "oracle"]);
    assert_eq!(run.code, 2);
}

#[test]
fn synth_dumps_every_format_and_the_json_gives_the_same_answer() {
    let directory = directory();
    let run = directory.nopol(&["synth", "guard.json", "--dump", "out/deep"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let again = directory.nopol(&["synth", "out/deep/guard.json"]);
    assert_eq!(lines(&again)[0]["candidates"], lines(&run)[0]["candidates"]);
    assert!(
        directory
            .read("out/deep/guard.sl")
            .contains("(check-synth)")
    );
    assert!(
        directory
            .read("out/deep/guard.smt2")
            .contains("(check-sat)")
    );
    fs::write(directory.root.join("file"), "").unwrap();
    let run = directory.nopol(&["synth", "guard.json", "--dump", "file"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot write file"), "{}", run.stderr);
}

#[test]
fn synth_judges_an_answer_of_another_solver() {
    let directory = directory();
    let judge = |body: &str| {
        let answer = format!("(define-fun condition ((|i: i64| Int)) Int {body})");
        fs::write(directory.root.join("answer"), answer).unwrap();
        directory.nopol(&["synth", "guard.json", "--answer", "answer"])
    };
    let run = judge("(and3 |b: bool| (lt_i64 |i: i64| |e: i64|))");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lines(&run)[0]["candidates"][0]["text"], "b && i < e");
    // Without its guard before it, `e` is undefined.
    let run = judge("(and3 (lt_i64 |i: i64| |e: i64|) |b: bool|)");
    assert_eq!(run.code, 1);
    assert_eq!(lines(&run)[0]["candidates"][0]["explains"], false);
    let run = judge("(lt_i64 |i: i64| 7)");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("`7` is no i64 of this problem"),
        "{}",
        run.stderr
    );
}

#[cfg(feature = "z3")]
#[test]
#[ignore = "make test-full: it takes long"]
fn z3_takes_the_smtlib_text_and_its_model_is_an_answer() {
    use z3::ast::Int;
    use z3::{SatResult, Solver};

    let directory = directory();
    directory.nopol(&[
        "synth",
        "guard.json",
        "contradiction.json",
        "--dump",
        "dumped",
    ]);
    let solver = Solver::new();
    solver.from_string(directory.read("dumped/contradiction.smt2"));
    assert_eq!(solver.check(), SatResult::Unsat);

    let text = directory.read("dumped/guard.smt2");
    let solver = Solver::new();
    solver.from_string(text.as_str());
    assert_eq!(solver.check(), SatResult::Sat);
    let model = solver.get_model().unwrap();
    let mut answer = String::from("(");
    for line in text.lines() {
        let name = line.strip_prefix("(declare-const ").unwrap_or_default();
        if let Some(name) = name
            .strip_suffix(" Int)")
            .filter(|name| !name.starts_with("v_"))
        {
            let value = model.eval(&Int::new_const(name), true).unwrap();
            answer += &format!("({name} {value}) ");
        }
    }
    fs::write(directory.root.join("model"), answer + ")").unwrap();
    let run = directory.nopol(&["synth", "guard.json", "--answer", "model"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}
