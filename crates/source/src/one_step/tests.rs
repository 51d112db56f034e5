//! The edits that are made of conditions.

use super::parallel::negated;
use super::*;
use crate::Language;
use crate::clauses::Kin;

fn edits(text: &str, literals: &[&str], names: &str) -> Vec<(Step, String)> {
    edits_in(Language::Rust, text, literals, names)
}

fn edits_in(language: Language, text: &str, literals: &[&str], names: &str) -> Vec<(Step, String)> {
    let literals: Vec<String> = literals.iter().map(ToString::to_string).collect();
    let kin = Kin::of_alike([("minor", "patch"), ("v4", "v6")]);
    let nearby = Nearby {
        literals: &literals,
        names,
        around: Around {
            function: names,
            file: names,
            kin: &kin,
            literals: [&literals, &[]],
        },
        pointers: &BTreeSet::from(["p", "end"].map(str::to_owned)),
    };
    let node = language.parse(text).unwrap();
    let edits = one_step_edits(&node, text, Binding::Or, nearby);
    edits
        .into_iter()
        .map(|edit| (edit.step, edit.text))
        .collect()
}

fn texts(text: &str, step: fn(&Step) -> bool) -> Vec<String> {
    let all = edits(text, &[], "");
    let wanted = all.into_iter().filter(|(known, _)| step(known));
    wanted.map(|(_, text)| text).collect()
}

#[test]
fn operands_of_two_connectives_are_regrouped() {
    let regrouped = |text: &str| texts(text, |step| *step == Step::Regrouped);
    for (text, wanted) in [
        ("a || b && c", &["(a || b) && c"][..]),
        ("a && b || c", &["a && (b || c)"]),
        ("a && (b || c)", &["a && b || c"]),
        ("(a || b) && c", &["a || b && c"]),
        (
            "x || a || b && c",
            &["(x || a || b) && c", "x || (a || b) && c"],
        ),
        (
            "x && a && (b || c)",
            &["x && a && b || c", "x && (a && b || c)"],
        ),
        (
            "a || b && c && d",
            &["(a || b) && c && d", "(a || b && c) && d"],
        ),
        (
            "a && (b || c || d)",
            &["a && b || c || d", "a && (b || c) || d"],
        ),
        (
            "a && b && c || d",
            &["a && (b && c || d)", "a && b && (c || d)"],
        ),
        (
            "x && (a || b && c)",
            &["x && a || b && c", "x && (a || b) && c"],
        ),
        ("!(a || b && c)", &["!((a || b) && c)"]),
        (
            "a\n    || b\n        && c",
            &["(a\n    || b)\n        && c"],
        ),
        ("a || b /* why */ && c", &["(a || b) /* why */ && c"]),
        ("a /* why */ || b && c", &[]),
        ("a || b || c", &[]),
        ("f(a || b && c)", &[]),
    ] {
        assert_eq!(regrouped(text), wanted, "{text}");
    }
}

#[test]
fn equality_of_pointers_does_not_become_an_order() {
    let operators = |text: &str| {
        let all = edits_in(Language::C, text, &[], "").into_iter();
        let changed = all.filter(|(step, _)| matches!(step, Step::Operator(..)));
        changed.map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(operators("q->p == end"), ["q->p != end"]);
    assert_eq!(operators("p < end").len(), 5);
    assert_eq!(operators("p->n == end->n").len(), 5);
}

#[test]
fn every_operator_of_a_comparison_is_tried_and_the_spelling_stays() {
    let found = texts("a  <  b.len()", |step| matches!(step, Step::Operator(..)));
    assert_eq!(
        found,
        [
            "a  ==  b.len()",
            "a  !=  b.len()",
            "a  <=  b.len()",
            "a  >  b.len()",
            "a  >=  b.len()"
        ]
    );
    let of_cast = texts("n as u32 <= 7", |step| matches!(step, Step::Operator(..)));
    assert!(
        of_cast.contains(&"(n as u32) < 7".to_owned()),
        "{of_cast:?}"
    );
    let operators = |text: &str| texts(text, |step| matches!(step, Step::Operator(..)));
    assert_eq!(operators("a == b").len(), 5);
    assert_eq!(operators("a == State::Open"), ["a != State::Open"]);
    assert_eq!(operators("a != Some(b)"), ["a == Some(b)"]);
    assert_eq!(operators("c == b'.'"), ["c != b'.'"]);
    assert_eq!(operators("c == b' '").len(), 5);
}

#[test]
fn an_edit_keeps_the_other_parts_together() {
    assert_eq!(
        texts("a && b && c", |step| *step == Step::AndToOr),
        ["a && b || c", "(a || b) && c"]
    );
    assert_eq!(
        texts("a || b || c", |step| *step == Step::OrToAnd),
        ["(a || b) && c", "a && b || c"]
    );
    assert_eq!(
        texts("(a || b) && c", |step| *step == Step::ClauseDropped),
        ["a || b", "c", "a && c", "b && c"]
    );
    assert_eq!(
        texts("a == b || !(c && d == e)", |step| *step
            == Step::ClauseDropped),
        [
            "a == b",
            "!(c && d == e)",
            "a == b || !c",
            "a == b || !(d == e)"
        ]
    );
    assert_eq!(
        texts("!(a || b) && c", |step| *step == Step::NegationRemoved),
        ["(a || b) && c"]
    );
    assert_eq!(
        texts("a || b && c", |step| *step == Step::Negated),
        [
            "!a || b && c",
            "a || !b && c",
            "a || b && !c",
            "a || !(b && c)",
            "!(a || b && c)"
        ]
    );
}

#[test]
fn truth_values_are_joined_by_connectives() {
    let joined = |text| texts(text, |step| *step == Step::ShortCircuit);
    assert_eq!(joined("(a == 0) | (b[i] < c)"), ["(a == 0) || (b[i] < c)"]);
    assert_eq!(joined("c && (a & b)"), ["c && (a && b)"]);
    assert_eq!(joined("f(a | b) || c"), [""; 0]);
}

#[test]
fn the_outcome_where_a_guard_decides_is_turned() {
    let turned = |text| texts(text, |step| *step == Step::GuardTurned);
    assert_eq!(
        turned("i >= word.len() || word[i] != b'.'"),
        ["i < word.len() && word[i] != b'.'"]
    );
    assert_eq!(
        turned("!p.is_empty() && p[0] == 1"),
        ["p.is_empty() || p[0] == 1"]
    );
    assert_eq!(
        turned("c && (i < n && a[i] == 1)"),
        ["c && (i >= n || a[i] == 1)"]
    );
    // No operand guards the other, or several clauses do.
    assert_eq!(turned("a || b"), [""; 0]);
    assert_eq!(turned("a.is_none() || b.is_none()"), [""; 0]);
    assert_eq!(turned("a || a.b() || c"), ["!a && a.b() || c"]);
}

#[test]
fn constants_are_replaced_by_neighbours_and_constants_of_the_function() {
    let found = edits("x.space().len() >= 1", &["1", "64", "\"s\""], "");
    let of = |step: Step| {
        let found = found.iter().filter(move |(known, _)| *known == step);
        found.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(Step::ConstantOffByOne),
        ["x.space().len() >= 2", "x.space().len() >= 0"]
    );
    assert_eq!(of(Step::Constant), ["x.space().len() >= 64"]);
    assert_eq!(number("2u8"), Some((2, "u8")));
    assert_eq!(number("0x1f"), None);
    assert_eq!(number("1.5"), None);
}

#[test]
fn a_name_is_replaced_by_a_known_opposite() {
    let known = "fn f() { self.right_edge }";
    let found = edits("self.left_edge.is_some() && t == \"left\"", &[], known);
    let texts: Vec<&str> = found
        .iter()
        .filter(|(step, _)| *step == Step::Opposite)
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(texts, ["self.right_edge.is_some() && t == \"left\""]);
    // The opposite call is the negation of the whole condition.
    let negated = (
        Step::Negated,
        "self.left_edge.is_none() && t == \"left\"".to_owned(),
    );
    assert!(found.contains(&negated));
    assert!(
        !found
            .iter()
            .any(|(_, text)| text.starts_with('!') && !text.starts_with("!("))
    );
}

#[test]
fn a_function_of_ctype_is_replaced_by_a_related_one() {
    let found = texts("!isalpha(c) && c != '_'", |step| *step == Step::Opposite);
    let related = ["isalnum", "isdigit", "islower", "isupper"];
    let related = related.map(|name| format!("!{name}(c) && c != '_'"));
    assert_eq!(found, related);
}

#[test]
fn arithmetic_is_inverted_dropped_and_exchanged() {
    let found = texts("n < a - b", |step| {
        matches!(
            step,
            Step::ArithmeticOperator | Step::ArithmeticDropped | Step::Exchanged
        )
    });
    assert_eq!(found, ["n < a + b", "n < a", "n < b", "n < b - a"]);
    let off = texts("(n as usize) < v.len()", |step| {
        *step == Step::OperandOffByOne
    });
    assert_eq!(
        off[..2],
        ["(n as usize + 1) < v.len()", "(n as usize - 1) < v.len()"]
    );
}

#[test]
fn a_position_inside_an_operand_is_off_by_one() {
    let found = texts("at == Some(self.end)", |step| {
        *step == Step::OperandOffByOne
    });
    assert_eq!(
        found,
        ["at == Some(self.end - 1)", "at == Some(self.end + 1)"]
    );
    let found = texts("v[i + 1].is_some()", |step| *step == Step::OperandOffByOne);
    assert_eq!(found, ["v[i].is_some()"]);
    let found = texts("s.get(0).is_some() && s.find(x)", |step| {
        *step == Step::OperandOffByOne
    });
    assert_eq!(found, ["s.get(1).is_some() && s.find(x)"]);
}

#[test]
fn a_clause_is_replaced_by_a_similar_one_but_not_by_another_number() {
    let replaced = |text| texts(text, |step| *step == Step::Sibling);
    assert_eq!(replaced("a.v4.is_empty() && b"), ["a.v6.is_empty() && b"]);
    let numbers = edits("n > 1", &["1", "20"], "");
    assert!(numbers.iter().all(|(step, _)| *step != Step::Sibling));
}

#[test]
fn a_truth_value_inside_an_operand_is_changed_outside_strings() {
    let changed = |text| texts(text, |step| *step == Step::Constant);
    assert_eq!(
        changed("o.map_or(false, |it| it.is(\"false\")) && b"),
        ["o.map_or(true, |it| it.is(\"false\")) && b"]
    );
}

#[test]
fn patterns_and_lists_get_one_alternative_more_or_fewer() {
    let changed = |text: &str, function: &str| {
        let all = edits(text, &[], function).into_iter();
        let is_it = |step: &Step| matches!(step, Step::AlternativeAdded | Step::AlternativeRemoved);
        let changed = all.filter(|(step, _)| is_it(step));
        changed.map(|(_, text)| text).collect::<Vec<_>>()
    };
    let function = "match it { Kind::A => 1, Kind::B => 2, Kind::C => 3 }";
    assert_eq!(
        changed("!matches!(it, Kind::A | Kind::B)", function),
        [
            "!matches!(it, Kind::B)",
            "!matches!(it, Kind::A)",
            "!matches!(it, Kind::A | Kind::B | Kind::C)"
        ]
    );
    assert_eq!(
        changed("[Kind::A].contains(&it) || b", function),
        [
            "[Kind::A, Kind::B].contains(&it) || b",
            "[Kind::A, Kind::C].contains(&it) || b"
        ]
    );
}

#[test]
fn a_similar_clause_is_added_by_both_connectives_and_negated() {
    let all = edits("a.minor == b.minor", &[], "");
    let found = all.iter().filter(|(step, _)| *step == Step::Parallel);
    let found: Vec<&str> = found.map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        found,
        [
            "a.minor == b.minor && a.patch == b.patch",
            "a.minor == b.minor || a.patch == b.patch",
            "a.minor == b.minor && a.patch != b.patch",
            "a.minor == b.minor || a.patch != b.patch",
        ]
    );
    let numbers = edits("n > 1", &["1", "20"], "");
    let mut added = numbers.iter().filter(|(step, _)| *step == Step::Parallel);
    assert!(
        added.all(|(_, text)| text.contains("n <= 20")),
        "{numbers:?}"
    );
    assert_eq!(negated("!a.b", Binding::Unary), "a.b");
    assert_eq!(
        negated("s.find(\" < \") < n", Binding::Compare),
        "s.find(\" < \") >= n"
    );
}

#[test]
fn every_edit_can_be_parsed() {
    let conditions = [
        "a && (b || !c) && x[i + 1] - 2 > y % 3",
        "!matches!(v.get(i), Some(&'a')) || s.starts_with(\"//\") == t.is_empty()",
        "(self.len as u64) < n << 2 && !self.done /* && */ && other",
    ];
    for text in conditions {
        let found = edits(text, &["2", "7"], "");
        assert!(found.len() > 5, "{text}");
        for (step, edit) in found {
            assert!(Language::Rust.parse(&edit).is_some(), "{step}: {edit}");
        }
    }
}

#[test]
fn the_end_of_a_range_is_off_by_one() {
    let moved = |text: &str| texts(text, |step| *step == Step::ConstantOffByOne);
    for (text, wanted) in [
        (
            "(0..=24).contains(&h)",
            &[
                "(1..=24).contains(&h)",
                "(0..=25).contains(&h)",
                "(0..=23).contains(&h)",
            ][..],
        ),
        (
            "matches!(c, 0xFE00..=0xFE0F)",
            &[
                "matches!(c, 0xFE01..=0xFE0F)",
                "matches!(c, 0xFDFF..=0xFE0F)",
                "matches!(c, 0xFE00..=0xFE10)",
                "matches!(c, 0xFE00..=0xFE0E)",
            ],
        ),
        ("v[..n].contains(\"1..2\")", &[]),
    ] {
        assert_eq!(moved(text), wanted, "{text}");
    }
    let shifted = moved("n >= 1 << 32");
    assert!(shifted.contains(&"n >= 1 << 31".to_owned()), "{shifted:?}");
}
