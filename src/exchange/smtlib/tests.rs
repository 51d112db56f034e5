//! The text of problems, and models read back. `tests/it/synth.rs` tests that solvers agree.

use super::*;
use crate::exchange::problem::tests::problem;

const GUARD: &str = r#"{"variables": [{"name": "i", "type": "i64"}, {"name": "b", "type": "bool"},
        {"name": "s", "type": "str", "optional": true}],
    "literals": [1, {"text": "\"a\"", "type": "str"}],
    "contexts": [{"values": [1, true, "a"], "expected": true},
        {"values": [1, false, null], "expected": false}]}"#;

#[test]
fn the_legend_maps_locations_to_terms() {
    let text = problem(GUARD).to_smtlib();
    for line in [
        ";   0  b: bool",
        ";   1  i: i64",
        ";   2  1: i64",
        ";   3  s: str",
        ";   5 to 11  the outputs l_BLOCK",
        "(define-fun is_bool ((l Int)) Bool (or false (<= 0 l 0) (<= 7 l 11)))",
        "(define-fun defined_1 ((l Int)) Bool (and true (distinct l 3) ",
        "(and (is_str l_cmp1_a) (is_str l_cmp1_b) (>= op_cmp1 2))",
        "(assert holds_1)\n(check-sat)",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn a_model_is_read_by_backward_traversal() {
    let problem = problem(GUARD);
    let model = |rest: &str| {
        let text = format!("sat\n((l_r 9) (l_and 9) (l_and_a 0) (l_and_b 7) (l_not 10) {rest})");
        read(&Sexpr::parse(&text).unwrap(), &problem)
    };
    let [b, i, one] = [1, 0, 3].map(|term| Expr::Term(TermId::new(term)));
    assert_eq!(
        model("(l_cmp1 7) (l_cmp1_a 1) (l_cmp1_b 2) (op_cmp1 3)"),
        Ok(b.and(i.cmp(CmpOp::Ne, one)))
    );
    let error = model("(l_cmp1 7) (l_cmp1_a 1) (op_cmp1 3)").unwrap_err();
    assert!(error.contains("`l_cmp1_b`"), "{error}");
    let error = model("(l_cmp1 8)").unwrap_err();
    assert!(error.contains("nothing is at location 7"), "{error}");
}
