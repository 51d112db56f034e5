//! Round trips of problem files, and error messages for malformed ones.

use nopol_expr::{Access, ArithOp, Binding, CmpOp, Int, IntType, Origin, Type, Value};
use nopol_source::{Language, write};
use proptest::prelude::*;

use super::*;

/// A problem that is well-formed.
pub fn problem(text: &str) -> ProblemFile {
    ProblemFile::parse(text, "stem").unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// A file of two variables, with one unknown key.
fn file(extra: &str) -> String {
    format!(
        r#"{{ "variables": [{{"name": "i", "type": "i64"}},
            {{"name": "v.len()", "type": "usize", "optional": true}}],
            "literals": [0, 7],
            "contexts": [{{"values": [1, null], "expected": true}},
                {{"values": [-1, 2], "expected": false, "hard": false, "weight": 0}}]{extra} }}"#
    )
}

#[test]
fn a_file_becomes_a_pool_and_a_spec() {
    let read = problem(&file(
        r#", "original": "i < 0 || v.len() == 3", "any_of": [[0, 1]]"#,
    ));
    assert_eq!(read.name, "stem");
    let terms: Vec<String> = (read.pool.terms.iter())
        .map(|term| {
            format!(
                "{}: {} {:?}",
                write::text(&term.access),
                term.ty.name(),
                term.origin
            )
        })
        .collect();
    assert_eq!(
        terms,
        [
            "i: i64 Old",
            "v.len(): usize Old",
            "0: i64 Old",
            "7: i64 FunctionLiteral",
            "0: usize Constant",
            "7: usize FunctionLiteral",
            "3: usize Old",
        ]
    );
    let old = read.spec.old.as_ref().unwrap();
    let [undefined, soft] = &read.spec.rows[..] else {
        panic!("two rows");
    };
    assert_eq!(old.eval_bool(undefined), None);
    assert_eq!(old.eval_bool(soft), Some(true));
    assert!(undefined.hard && undefined.weight == 1);
    assert!(!soft.constrains());
    assert_eq!(read.spec.any_of, [[0, 1]]);
    assert_eq!(problem(&read.to_json()), read);
}

#[test]
fn a_number_among_the_literals_is_a_float_where_there_are_floats() {
    let text = r#"{"variables": [{"name": "x", "type": "f64"}], "literals": [-1, 2.5, 19],
        "contexts": []}"#;
    let texts: Vec<String> = (problem(text).pool.terms.iter())
        .map(|term| write::text(&term.access))
        .collect();
    assert_eq!(texts, ["x", "-1.0", "2.5", "19.0"]);
}

#[test]
fn what_is_malformed_is_said_with_where_and_what_to_do() {
    let says = |text: &str, at: &str, what: &str| {
        let (found, sentence) = ProblemFile::parse(text, "stem").unwrap_err();
        assert_eq!(found, at, "{sentence}");
        assert!(sentence.contains(what), "{sentence}");
    };
    says("{", "not valid JSON", "EOF");
    says("[]", "", "docs/reference.md");
    says(
        &file("").replace("[1, null]", "[1]"),
        "contexts[0].values",
        "give one for each",
    );
    says(
        &file("").replace("[1,", "[1.5,"),
        "contexts[0].values[0]",
        "write an integer",
    );
    says(
        &file("").replace("-1, 2]", "null, 2]"),
        "contexts[1].values[0]",
        "\"optional\": true",
    );
    says(
        &file("").replace("usize", "Vec<u8>"),
        "variables[1].type",
        "write an integer or float",
    );
    says(
        &file("").replace("true}", "\"yes\"}"),
        "variables[1].optional",
        "expected a boolean",
    );
    says(
        &file("").replace("v.len()", "i").replace("usize", "i64"),
        "variables[1]",
        "is listed twice",
    );
    says(
        &file("").replace("7]", "true]"),
        "literals[1]",
        "`text` and `type`",
    );
    says(
        &file(r#", "any_of": [[2]]"#),
        "any_of[0]",
        "there is no context 2",
    );
    says(&file(r#", "any_of": [[]]"#), "any_of[0]", "remove it");
    says(
        &file(r#", "original": "i <""#),
        "original",
        "is not a Rust expression",
    );
    says(
        &file(r#", "original": "i < j""#),
        "original",
        "`j` is not a variable",
    );
    says(
        &file(r#", "original": "i + 1""#),
        "original",
        "the type its place asks for",
    );
}

#[test]
fn dumped_literals_stand_behind_the_variables_and_the_old_condition_still_means_the_same() {
    let read = problem(&file(r#", "original": "!(i < 0)""#));
    let mut order: TiVec<TermId, TermId> = read.pool.terms.keys().collect();
    order.reverse();
    let pool = Pool {
        terms: order
            .iter()
            .map(|at| read.pool.terms[*at].clone())
            .collect(),
    };
    let mut spec = read.spec.clone();
    for row in &mut spec.rows {
        row.values_mut().reverse();
    }
    spec.old = spec.old.map(|old| terms::renumbered(&old, &order));
    let written = ProblemFile::new("p", &spec, &pool);
    assert_eq!(written.original.as_deref(), Some("!(i < 0)"));
    assert_eq!(write::text(&written.pool.terms[TermId::new(1)].access), "i");
    let again = problem(&written.to_json());
    assert_eq!(again, written);
    let values = |problem: &ProblemFile| {
        let old = problem.spec.old.clone().unwrap();
        problem
            .spec
            .rows
            .iter()
            .map(|row| old.eval_bool(row))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&again), values(&read));
}

fn types() -> Vec<Type> {
    let integers = IntType::ALL.into_iter().map(Type::Int);
    let others = [Type::Bool, Type::F32, Type::F64, Type::Char, Type::Str];
    others.into_iter().chain(integers).collect()
}

fn value(ty: Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Int(int) => any::<i128>()
            .prop_map(move |bits| {
                // Cut to the width, so that every value of the type can come up.
                let shift = 128 - int.bits();
                let cut = match int.signed() {
                    true => Int::from_i128((bits << shift) >> shift),
                    false => Int::from_u128(((bits as u128) << shift) >> shift),
                };
                Value::Int(int, cut)
            })
            .boxed(),
        Type::F32 => any::<u32>().prop_map(Value::F32).boxed(),
        Type::F64 => any::<u64>().prop_map(Value::F64).boxed(),
        Type::Char => any::<char>().prop_map(Value::Char).boxed(),
        Type::Str => ".{0,6}"
            .prop_map(|text: String| Value::Str(text.into()))
            .boxed(),
    }
}

/// The term's text is chosen so that both signs of a literal, calls and operators occur.
fn term(index: usize, ty: Type) -> BoxedStrategy<Term> {
    let names = ["x", "self.x", "x.len()", "*x", "x as T"];
    let variable = (0..names.len()).prop_map(move |name| {
        let text = names[name].replace('x', &format!("x{index}"));
        let origin = [Origin::Variable, Origin::Field, Origin::Query, Origin::Old][name % 4];
        (text, origin, None)
    });
    let literal = value(ty).prop_filter_map("no literal", move |value| {
        let text = value.to_string();
        let is_plain = nopol_source::rust::literals::value(&text, ty) == Some(value.clone());
        is_plain.then_some((text, Origin::FileLiteral, Some(value)))
    });
    prop_oneof![3 => variable.boxed(), 1 => literal.boxed()]
        .prop_map(move |(text, origin, constant)| Term {
            binding: nopol_source::rust::condition::binding_of(&text),
            constant,
            ..Term::new(Language::Rust.access(&text), ty, origin)
        })
        .boxed()
}

/// Some condition over the pool, the seed deciding.
fn condition(pool: &Pool, seed: &mut impl Iterator<Item = usize>, depth: usize) -> Option<Expr> {
    let mut pick = |below: usize| seed.next().map_or(0, |number| number % below.max(1));
    let all = || pool.terms.iter_enumerated();
    let variables = all().filter(|(_, term)| term.constant.is_none());
    let variables: Vec<TermId> = variables.map(|(id, _)| id).collect();
    match (depth, pick(4)) {
        (0, _) | (_, 0) => {
            let left = *variables.get(pick(variables.len()))?;
            let same = all().filter(|(_, term)| term.ty == pool.terms[left].ty);
            let same: Vec<TermId> = same.map(|(id, _)| id).collect();
            let right = same[pick(same.len())];
            let op = CmpOp::ALL[pick(6)];
            let ops = [ArithOp::Add, ArithOp::Sub, ArithOp::Mul, ArithOp::Rem];
            let sum = Expr::Term(left).arith(ops[pick(4)], Expr::Term(right));
            Some(match sum.ty(pool).filter(|_| pick(2) == 0) {
                Some(_) => Expr::Term(right).cmp(op, sum),
                None => Expr::Term(left).cmp(op, Expr::Term(right)),
            })
        }
        (_, 1) => Some(condition(pool, seed, depth - 1)?.not()),
        (_, kind) => {
            let left = condition(pool, seed, depth - 1)?;
            let right = condition(pool, seed, depth - 1)?;
            Some(if kind == 2 {
                left.and(right)
            } else {
                left.or(right)
            })
        }
    }
}

fn problems() -> impl Strategy<Value = ProblemFile> {
    let terms = prop::collection::vec(prop::sample::select(types()), 1..8).prop_flat_map(|types| {
        let terms: Vec<_> = types
            .iter()
            .enumerate()
            .map(|(at, ty)| term(at, *ty))
            .collect();
        let values: Vec<_> = types
            .iter()
            .map(|ty| prop::option::of(value(*ty)))
            .collect();
        let row = (values, any::<bool>(), any::<bool>(), 0..4u32);
        let rows = prop::collection::vec(row, 1..6);
        (terms, rows, prop::collection::vec(any::<usize>(), 40))
    });
    terms.prop_map(|(mut terms, rows, seed)| {
        let mut seen = Vec::new();
        terms.iter_mut().for_each(|term| {
            let key = (term.access.clone(), term.ty);
            if seen.contains(&key) {
                // A literal that came up twice becomes a variable.
                term.access = Access::variable(format!("y{}", seen.len()));
                term.binding = Binding::Atom;
                term.constant = None;
            }
            seen.push((term.access.clone(), term.ty));
        });
        let row = |(values, expected, hard, weight): (Vec<Option<Value>>, _, _, _)| Row {
            values: (values.into_iter().zip(&terms))
                .map(|(value, term)| term.constant.clone().or(value))
                .collect::<nopol_expr::Values>()
                .into(),
            expected,
            hard,
            weight,
        };
        let rows: Vec<Row> = rows.into_iter().map(row).collect();
        let pool = Pool {
            terms: terms.into(),
        };
        let spec = Spec {
            any_of: vec![vec![0, rows.len() - 1]],
            old: condition(&pool, &mut seed.into_iter(), 3),
            old_is_impure: false,
            rows,
        };
        ProblemFile::new("generated", &spec, &pool)
    })
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(written in problems()) {
        let json = written.to_json();
        let read = ProblemFile::parse(&json, "stem");
        prop_assert_eq!(read, Ok(written), "{}", json);
    }
}
