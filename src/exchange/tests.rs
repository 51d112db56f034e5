//! Malformed input: every reader reports what is wrong, and none panics.

mod damaged;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::problem::tests::problem;
use super::*;
use crate::exchange::solve::judge;

const PROBLEM: &str = r#"{"name": "p", "variables": [{"name": "i", "type": "i64"},
        {"name": "v.len()", "type": "usize", "optional": true, "origin": "query"},
        {"name": "b", "type": "bool"}, {"name": "x", "type": "f32"}, {"name": "s", "type": "str"}],
    "literals": [-1, 2.5, {"text": "7", "type": "i64", "seen_in": ["i"]},
        {"text": "N", "type": "usize", "value": 3, "origin": "named"}],
    "original": "i + 1 < 7 && !(b || v.len() != 2)", "reference": "b", "impure": false,
    "contexts": [{"values": [1, 2, true, 0.5, "a"], "expected": true},
        {"values": [-1, null, false, "NaN", ""], "expected": false, "weight": 4294967295},
        {"values": [0, 0, true, "-0.0", "b"], "expected": false, "hard": false}],
    "any_of": [[0, 2]],
    "check": [{"values": [1, 2, false, "inf", "c"], "expected": true}]}"#;

/// The nodes of a JSON text, outermost first.
fn nodes(json: &mut Json) -> usize {
    1 + match json {
        Json::Array(items) => items.iter_mut().map(nodes).sum(),
        Json::Object(members) => members.values_mut().map(nodes).sum(),
        _ => 0,
    }
}

/// Replaces a node by another value.
fn put(json: &mut Json, place: &mut usize, new: &Json) {
    if *place == 0 {
        *json = new.clone();
    }
    *place = place.wrapping_sub(1);
    match json {
        Json::Array(items) => items.iter_mut().for_each(|item| put(item, place, new)),
        Json::Object(members) => members.values_mut().for_each(|item| put(item, place, new)),
        _ => {}
    }
}

fn value() -> impl Strategy<Value = Json> {
    let texts = [
        "",
        "NaN",
        "0xffffffff",
        "i",
        "v.len()",
        "bool",
        "u8",
        "char",
        "f64",
        "seen",
        "1 +",
        "!b",
        "i < 2.5 == b",
        "s == \"\u{e9}\" && b",
        "'\u{1F600}' == i",
        "\u{feff}b",
        "i /*\u{e9}*/ < 7",
        "if b { i } else { 2 } > i\n|| b",
        "b && let Some(_) = s",
        "-v.len() as i64 >= i * i",
    ];
    let numbers = [
        json!(-1),
        json!(3),
        json!(u64::MAX),
        json!(1e308),
        json!(-0.0),
    ];
    prop_oneof![
        4 => prop::sample::select(texts.to_vec()).prop_map(Json::from),
        1 => ".{0,9}".prop_map(Json::from),
        2 => prop::sample::select(numbers.to_vec()),
        1 => any::<bool>().prop_map(Json::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!([[0, 1], [2]])),
        1 => Just(Json::Null),
        1 => Just(json!({"text": "1", "type": "u8", "value": 2})),
    ]
}

/// A problem's file with some of its nodes replaced, and some of its characters lost.
fn file() -> impl Strategy<Value = String> {
    let replaced = prop::collection::vec((any::<prop::sample::Index>(), value()), 0..4);
    let lost = prop::collection::vec(any::<prop::sample::Index>(), 0..2);
    (replaced, lost).prop_map(|(replaced, lost)| {
        let mut json: Json = serde_json::from_str(PROBLEM).unwrap();
        for (place, new) in replaced {
            let mut place = place.index(nodes(&mut json));
            put(&mut json, &mut place, &new);
        }
        let mut text: Vec<char> = json.to_string().chars().collect();
        for place in lost {
            text.remove(place.index(text.len()));
        }
        text.into_iter().collect()
    })
}

/// Texts that resemble solvers' answers.
fn answer() -> impl Strategy<Value = String> {
    let atoms = [
        "|i: i64|",
        "|b: bool|",
        "|v.len(): usize|",
        "|s: str|",
        "|x: f32|",
        "i",
        "7",
        "1",
        "2.5",
        "0",
        "define-fun",
        "condition",
        "let",
        "not",
        "and3",
        "or",
        "<",
        "le_i64",
        "=",
        "distinct",
        "+",
        "sub_usize",
        "-",
        "l_r",
        "l_cmp1",
        "l_cmp1_a",
        "op_cmp1",
        "l_not_a",
        "l_and",
        "12",
        "340282366920938463463374607431768211456",
        "|",
        ";",
        "(",
        ")",
        "\u{e9}",
        "_",
        "||",
    ];
    let atom = prop::sample::select(atoms.to_vec()).prop_map(str::to_owned);
    let list = |parts: Vec<String>| format!("({})", parts.join(" "));
    let tree = atom.prop_recursive(4, 24, 4, move |inner| {
        prop::collection::vec(inner, 0..5).prop_map(list)
    });
    let function = tree
        .clone()
        .prop_map(|body| format!("(define-fun condition () Bool {body})"));
    let model = prop::collection::vec(0..22usize, 60).prop_map(|places| {
        let problem = problem(PROBLEM);
        let text = problem.to_smtlib();
        let names = text
            .lines()
            .filter_map(|line| line.strip_prefix("(declare-const "));
        let names = names.filter_map(|name| name.strip_suffix(" Int)"));
        let pairs = names
            .zip(places)
            .map(|(name, place)| format!("({name} {place})"));
        format!("({})", pairs.collect::<String>())
    });
    prop_oneof![tree, function, model, ".{0,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_is_a_problem_that_can_be_written_or_an_error_that_names_it(text in file()) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("mutant.json");
        fs::write(&path, &text).unwrap();
        match ProblemFile::read(&path) {
            Ok(problem) => {
                prop_assert!(problem.dump(&path.with_extension("dumped")).is_ok());
                let again = ProblemFile::read(&path.with_extension("dumped").join("p.json")).map_err(|error| error.to_string());
                let again = again.map(|again| ProblemFile { name: problem.name.clone(), ..again });
                if problem.name == "p" { prop_assert_eq!(again, Ok(problem)); }
            }
            Err(error) => prop_assert!(error.to_string().starts_with(path.as_str()), "{}", error),
        }
    }

    #[test]
    fn an_answer_is_a_condition_or_an_error_that_names_the_problem(text in answer()) {
        let problem = problem(PROBLEM);
        if let Err(error) = judge(&problem, &text) {
            prop_assert!(error.starts_with("the answer to p cannot be read: "), "{}", error);
        }
    }
}
