//! The evaluator against the machine: random expressions, written as patches are, compiled by rustc or
//! by the C compiler and run on random contexts, yield what [`Expr::eval_bool`] says, panics and what is
//! undefined included.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use cargo_nopol::patch::render::Style;
use nopol_expr::{
    Access, ArithOp, Binding, CmpOp, Expr, Int, IntType, Origin, Pool, Reading, Row, Term, TermId,
    Type, Value,
};
use nopol_source::{Language, write};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use typed_index_collections::TiVec;

const EXPRESSIONS: usize = 400;
const CONTEXTS: usize = 24;

/// Two variables of each type, and an element of an array.
fn pool() -> Pool {
    let mut terms = TiVec::new();
    let mut add = |text: String, ty: Type, constant: Option<Value>| {
        let binding = match text.starts_with('-') {
            true => Binding::Unary,
            false => Binding::Atom,
        };
        terms.push(Term {
            binding,
            constant,
            ..Term::new(Language::Rust.access(&text), ty, Origin::Variable)
        });
    };
    for ty in types() {
        for name in ["a", "b"] {
            add(format!("{name}_{}", ty.name()), ty, None);
        }
        if let Type::Int(int) = ty {
            for number in [-1, 0, 1, 3].map(Int::from_i128) {
                if number.fits(int) {
                    add(number.to_string(), ty, Some(Value::Int(int, number)));
                }
            }
        }
    }
    add("v[i]".to_owned(), Type::Int(IntType::I64), None);
    Pool { terms }
}

fn types() -> Vec<Type> {
    let ints = IntType::ALL
        .into_iter()
        .filter(|int| !int.wraps())
        .map(Type::Int);
    let others = [Type::Bool, Type::F32, Type::F64, Type::Char, Type::Str];
    ints.into_iter().chain(others).collect()
}

fn value(ty: Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Int(int) => {
            let bits = int.bits();
            let (low, high) = match int.signed() {
                true => (
                    Int::from_i128(-(i128::MAX >> (128 - bits)) - 1),
                    Int::from_i128(i128::MAX >> (128 - bits)),
                ),
                false => (Int::from_u128(0), Int::from_u128(u128::MAX >> (128 - bits))),
            };
            let small = (-3..=3i128)
                .map(Int::from_i128)
                .filter(move |number| number.fits(int));
            let all: Vec<Int> = small.chain([low, high]).collect();
            prop::sample::select(all)
                .prop_map(move |number| Value::Int(int, number))
                .boxed()
        }
        Type::F32 => prop::sample::select(vec![0.0f32, -0.0, 1.5, -2.0, f32::NAN, f32::INFINITY])
            .prop_map(|x| Value::F32(x.to_bits()))
            .boxed(),
        Type::F64 => prop::sample::select(vec![0.0f64, -0.0, 1.5, -2.0, f64::NAN, f64::MAX])
            .prop_map(|x| Value::F64(x.to_bits()))
            .boxed(),
        Type::Char => prop::sample::select(vec!['a', 'b', '\'', '\u{7f}', '\u{10ffff}'])
            .prop_map(Value::Char)
            .boxed(),
        Type::Str => prop::sample::select(vec!["", "a", "b\"\n", "ä"])
            .prop_map(|text| Value::Str(text.into()))
            .boxed(),
    }
}

fn terms_of(pool: &Pool, ty: Type) -> Vec<Expr> {
    let terms = pool.terms.iter_enumerated();
    let fitting = terms.filter(|(_, term)| term.ty == ty);
    fitting.map(|(id, _)| Expr::Term(id)).collect()
}

/// A term, or sums, products and so on of terms.
fn operand(pool: &Pool, ty: Type) -> BoxedStrategy<Expr> {
    let leaf = prop::sample::select(terms_of(pool, ty)).boxed();
    let ops = vec![
        ArithOp::Add,
        ArithOp::Sub,
        ArithOp::Mul,
        ArithOp::Div,
        ArithOp::Rem,
    ];
    match ty {
        Type::Int(_) | Type::F32 | Type::F64 => leaf
            .prop_recursive(2, 4, 2, move |inner| {
                (inner.clone(), prop::sample::select(ops.clone()), inner)
                    .prop_map(|(a, op, b)| a.arith(op, b))
            })
            .boxed(),
        _ => leaf,
    }
}

fn condition(pool: &Pool, types: Vec<Type>) -> BoxedStrategy<Expr> {
    let comparison = prop::sample::select(types).prop_flat_map({
        let pool = pool.clone();
        move |ty| {
            let ops = CmpOp::ALL
                .into_iter()
                .filter(|op| ty.ordered() || !op.orders());
            let ops = prop::sample::select(ops.collect::<Vec<_>>());
            (operand(&pool, ty), ops, operand(&pool, ty)).prop_map(|(a, op, b)| a.cmp(op, b))
        }
    });
    let leaf = prop_oneof![prop::sample::select(terms_of(pool, Type::Bool)), comparison];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Expr::not),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.cmp(CmpOp::Ne, b)),
        ]
    })
    .boxed()
}

/// Whether rustc would refuse to compile the expression, for it sees the panic coming.
fn is_refused(expr: &Expr, pool: &Pool) -> bool {
    let constants_only = expr
        .terms()
        .iter()
        .all(|term| pool.terms[*term].constant.is_some());
    let own = match expr {
        Expr::Arith(op, a, b) => {
            let zero = matches!(op, ArithOp::Div | ArithOp::Rem)
                && b.terms()
                    .iter()
                    .all(|term| pool.terms[*term].constant.is_some());
            let _ = a;
            zero || constants_only
        }
        _ => false,
    };
    own || expr.children().any(|child| is_refused(child, pool))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Int(ty, number) => format!("{number}{}", ty.name()),
        Value::F32(bits) => format!("f32::from_bits({bits})"),
        Value::F64(bits) => format!("f64::from_bits({bits})"),
        other => other.to_string(),
    }
}

#[test]
fn compiled_rust_yields_what_the_evaluator_says() {
    let pool = pool();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut expressions = Vec::new();
    let strategy = condition(&pool, types());
    while expressions.len() < EXPRESSIONS {
        let expr = strategy.new_tree(&mut runner).unwrap().current();
        if !is_refused(&expr, &pool) {
            expressions.push(expr);
        }
    }
    let variables = pool.terms.iter_enumerated();
    let variables = variables.filter(|(_, term)| term.constant.is_none());
    let mut variables: Vec<TermId> = variables.map(|(id, _)| id).collect();
    // The last one is the element of the array.
    variables.pop();
    let mut rows = Vec::new();
    let mut program = String::from("#![allow(warnings)]\n#[derive(Clone, Copy)] struct C {");
    for id in &variables {
        let term = &pool.terms[*id];
        let ty = match term.ty {
            Type::Str => "&'static str",
            ty => ty.name(),
        };
        write!(program, " {}: {ty},", write::text(&term.access)).unwrap();
    }
    program += " v: [i64; 3], i: usize }\n";
    let contexts = (0..CONTEXTS).map(|nth| {
        let mut text = String::from("C {");
        let mut values: TiVec<TermId, Option<Value>> = pool
            .terms
            .iter()
            .map(|term| term.constant.clone())
            .collect();
        for id in &variables {
            let term = &pool.terms[*id];
            let value = value(term.ty).new_tree(&mut runner).unwrap().current();
            write!(text, " {}: {},", write::text(&term.access), literal(&value)).unwrap();
            values[*id] = Some(value);
        }
        let index = nth % 5;
        let elements = [5, -1, i64::MAX];
        let element = elements.get(index).map(|n| Int::from_i128((*n).into()));
        *values.last_mut().unwrap() = element.map(|n| Value::Int(IntType::I64, n));
        rows.push(Row {
            values: values.into(),
            expected: true,
            hard: true,
            weight: 1,
        });
        format!("{text} v: [5, -1, i64::MAX], i: {index} }}")
    });
    let contexts: Vec<String> = contexts.collect();
    writeln!(
        program,
        "static CONTEXTS: [C; {CONTEXTS}] = [{}];",
        contexts.join(",\n")
    )
    .unwrap();
    let names: Vec<String> = variables
        .iter()
        .map(|id| write::text(&pool.terms[*id].access))
        .collect();
    let mut texts = Vec::new();
    for (nth, expr) in expressions.iter().enumerate() {
        let style = Style {
            language: Language::Rust,
            pool: &pool,
            old: &[],
            suffixed: true,
        };
        let text = style.text(expr, Binding::Or);
        let names = names.join(", ");
        writeln!(
            program,
            "fn e{nth}(c: &C) -> bool {{ let C {{ {names}, v, i }} = *c; {text} }}"
        )
        .unwrap();
        texts.push(text);
    }
    program += "fn main() { std::panic::set_hook(Box::new(|_| {}));\n";
    program += "let all: &[fn(&C) -> bool] = &[";
    (0..EXPRESSIONS).for_each(|nth| write!(program, "e{nth}, ").unwrap());
    program += "];\nfor e in all { let line: String = CONTEXTS.iter().map(|c| match \
                std::panic::catch_unwind(|| e(c)) { Ok(true) => 'T', Ok(false) => 'F', Err(_) => '-' })\
                .collect(); println!(\"{line}\"); } }\n";

    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("semantics.rs");
    let binary = dir.path().join("semantics");
    std::fs::write(&source, &program).unwrap();
    let rustc = Command::new("rustc")
        .args([
            "--edition",
            "2021",
            "-C",
            "overflow-checks=on",
            "-C",
            "opt-level=0",
            "-o",
        ])
        .args([&binary, &source])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&rustc.stderr);
    assert!(rustc.status.success(), "{said}");
    let output = Command::new(&binary)
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    compare(&expressions, &texts, &rows, &lines);
}

/// Holds what was printed, a line for each expression and a sign for each context, against the evaluator.
fn compare(expressions: &[Expr], texts: &[String], rows: &[Row], lines: &str) {
    let mut outcomes = [0; 3];
    for ((expr, text), line) in expressions.iter().zip(texts).zip(lines.lines()) {
        for (row, seen) in rows.iter().zip(line.chars()) {
            let ours = match expr.eval_bool(row) {
                Some(true) => 'T',
                Some(false) => 'F',
                None => '-',
            };
            outcomes["TF-".find(seen).unwrap()] += 1;
            assert_eq!(ours, seen, "{text}\nin {:?}", row.values);
        }
    }
    assert_eq!(outcomes.iter().sum::<usize>(), EXPRESSIONS * CONTEXTS);
    assert!(
        outcomes.iter().all(|count| *count > EXPRESSIONS),
        "{outcomes:?}"
    );
}

/// A type of C as the runtime reads it, and the type that its promotion makes of it.
const OF_C: [(&str, &str, IntType, IntType); 9] = [
    ("signed char", "sc", IntType::I8, IntType::I32),
    ("unsigned char", "uc", IntType::U8, IntType::I32),
    ("short", "s", IntType::I16, IntType::I32),
    ("unsigned short", "us", IntType::U16, IntType::I32),
    ("int", "i", IntType::I32, IntType::I32),
    ("unsigned", "u", IntType::U32, IntType::CUint),
    ("long", "l", IntType::I64, IntType::I64),
    ("unsigned long", "ul", IntType::U64, IntType::CUlong),
    ("long long", "ll", IntType::I64, IntType::I64),
];

/// The operands' types, the least first: each converts to all that follow it (6.3.1.8).
const RANKS: [Type; 5] = [
    Type::Int(IntType::I32),
    Type::Int(IntType::CUint),
    Type::Int(IntType::I64),
    Type::Int(IntType::CUlong),
    Type::F64,
];

fn rank(ty: Type) -> Option<usize> {
    RANKS.iter().position(|known| *known == ty)
}

/// Two variables of each type of C, each once as what its promotion makes of it, once in each wider type
/// and once as a truth, and some constants; with the type that each was read in.
fn pool_of_c() -> (Pool, Vec<Type>) {
    let mut terms = TiVec::new();
    let mut read_in = Vec::new();
    let mut add = |text: String, ty: Type, read: Type, reading: Reading, number: Option<i128>| {
        let constant = number.map(|number| Value::Int(IntType::I32, Int::from_i128(number)));
        terms.push(Term {
            binding: match text.starts_with('-') {
                true => Binding::Unary,
                false => Binding::Atom,
            },
            constant: constant.and_then(|value| value.converted(ty)),
            reading,
            ..Term::new(Language::C.access(&text), ty, Origin::Variable)
        });
        read_in.push(read);
    };
    let ints = OF_C
        .iter()
        .map(|(_, name, read, operand)| (*name, Type::Int(*read), Type::Int(*operand)));
    for (name, read, operand) in
        ints.chain([("f", Type::F32, Type::F64), ("d", Type::F64, Type::F64)])
    {
        for name in [format!("{name}1"), format!("{name}2")] {
            let reading = match read == operand {
                true => Reading::Exact,
                false => Reading::Promoted,
            };
            add(name.clone(), operand, read, reading, None);
            let wider = RANKS.iter().skip(rank(operand).unwrap() + 1);
            for ty in wider.chain(&[Type::Bool]) {
                add(name.clone(), *ty, read, Reading::Converted, None);
            }
        }
    }
    for number in [-1, 0, 1, 3] {
        for ty in RANKS {
            let reading = match ty {
                Type::Int(IntType::I32) => Reading::Exact,
                _ => Reading::Converted,
            };
            add(
                number.to_string(),
                ty,
                Type::Int(IntType::I32),
                reading,
                Some(number),
            );
        }
    }
    (Pool { terms }, read_in)
}

/// The type that C computes an expression in, less the truth of comparisons; `None` where an operand does
/// not have the type it is said to have.
fn type_in_c(expr: &Expr, pool: &Pool) -> Option<Type> {
    match expr {
        Expr::Term(term) => {
            let term = &pool.terms[*term];
            let narrowest = |other: &&Term| other.access == term.access && other.ty != Type::Bool;
            let own = pool.terms.iter().find(narrowest)?;
            Some(if term.ty == Type::Bool {
                Type::Bool
            } else {
                own.ty
            })
        }
        Expr::Not(a) => type_in_c(a, pool).map(|_| Type::Bool),
        Expr::And(a, b) | Expr::Or(a, b) => {
            type_in_c(a, pool)?;
            type_in_c(b, pool).map(|_| Type::Bool)
        }
        Expr::Arith(_, a, b) | Expr::Cmp(_, a, b) => {
            let (of_a, of_b) = (type_in_c(a, pool)?, type_in_c(b, pool)?);
            let claimed = a.ty(pool)?;
            let own = match (rank(of_a), rank(of_b)) {
                (Some(a), Some(b)) => RANKS[a.max(b)],
                _ => Type::Bool,
            };
            let result = if matches!(expr, Expr::Cmp(..)) {
                Type::Bool
            } else {
                own
            };
            (own == claimed).then_some(result)
        }
    }
}

fn literal_of_c(value: &Value) -> String {
    match value {
        Value::Int(IntType::I64, number) if number.to_i128() == Some(i64::MIN.into()) => {
            "(-9223372036854775807L - 1)".to_owned()
        }
        Value::Int(IntType::I32, number) if number.to_i128() == Some(i32::MIN.into()) => {
            "(-2147483647 - 1)".to_owned()
        }
        Value::Int(IntType::U64, number) => format!("{number}UL"),
        Value::Int(IntType::U32, number) => format!("{number}U"),
        Value::Int(_, number) => number.to_string(),
        Value::F32(bits) => literal_of_c(&Value::F64(f64::from(f32::from_bits(*bits)).to_bits())),
        Value::F64(bits) => match f64::from_bits(*bits) {
            x if x.is_nan() => "__builtin_nan(\"\")".to_owned(),
            x if x.is_infinite() => "__builtin_inf()".to_owned(),
            x => format!("{x:e}"),
        },
        other => other.to_string(),
    }
}

#[test]
fn compiled_c_yields_what_the_evaluator_says() {
    let (pool, read_in) = pool_of_c();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = condition(&pool, RANKS.to_vec());
    let mut expressions = Vec::new();
    while expressions.len() < EXPRESSIONS {
        let expr = strategy.new_tree(&mut runner).unwrap().current();
        let has_remainder_of_float = format!("{expr:?}").contains("Rem")
            && expr
                .terms()
                .iter()
                .any(|term| pool.terms[*term].ty == Type::F64);
        if !has_remainder_of_float && type_in_c(&expr, &pool).is_some() {
            expressions.push(expr);
        }
    }

    let mut program =
        String::from("#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n");
    let of_c = OF_C.iter().map(|(ty, name, ..)| (*ty, *name));
    for (ty, name) in of_c.chain([("float", "f"), ("double", "d")]) {
        writeln!(program, "static {ty} {name}1, {name}2;").unwrap();
    }
    let mut rows = Vec::new();
    for nth in 0..CONTEXTS {
        write!(program, "static void set{nth}(void) {{").unwrap();
        let mut seen: BTreeMap<&Access, Value> = BTreeMap::new();
        let mut values = TiVec::new();
        for (term, read) in pool.terms.iter().zip(&read_in) {
            if term.constant.is_some() {
                values.push(term.constant.clone());
                continue;
            }
            let value = seen.entry(&term.access).or_insert_with(|| {
                let value = value(*read).new_tree(&mut runner).unwrap().current();
                write!(
                    program,
                    " {} = {};",
                    write::text(&term.access),
                    literal_of_c(&value)
                )
                .unwrap();
                value
            });
            values.push(value.converted(term.ty));
        }
        program += " }\n";
        rows.push(Row {
            values: values.into(),
            expected: true,
            hard: true,
            weight: 1,
        });
    }
    let mut texts = Vec::new();
    for (nth, expr) in expressions.iter().enumerate() {
        let style = Style {
            language: Language::C,
            pool: &pool,
            old: &[],
            suffixed: false,
        };
        let text = style.text(expr, Binding::Or);
        writeln!(
            program,
            "static int e{nth}(void) {{ return ({text}) ? 1 : 0; }}"
        )
        .unwrap();
        texts.push(text);
    }
    let list = |name: &str, most: usize| {
        let names: Vec<String> = (0..most).map(|nth| format!("{name}{nth}")).collect();
        names.join(", ")
    };
    let (all, sets) = (list("e", EXPRESSIONS), list("set", CONTEXTS));
    writeln!(
        program,
        "static sigjmp_buf out;\n\
         static void trapped(int signal) {{ (void)signal; siglongjmp(out, 1); }}\n\
         int main(void) {{\n\
         int (*all[])(void) = {{ {all} }};\n\
         void (*sets[])(void) = {{ {sets} }};\n\
         signal(SIGILL, trapped); signal(SIGFPE, trapped); signal(SIGTRAP, trapped);\n\
         for (int e = 0; e < {EXPRESSIONS}; e++) {{\n\
         for (int c = 0; c < {CONTEXTS}; c++) {{ sets[c](); \
         if (sigsetjmp(out, 1)) putchar('-'); else putchar(all[e]() ? 'T' : 'F'); }}\n\
         putchar('\\n'); }}\n\
         return 0; }}"
    )
    .unwrap();

    let dir = tempfile::tempdir().unwrap();
    let (source, binary) = (dir.path().join("semantics.c"), dir.path().join("semantics"));
    std::fs::write(&source, &program).unwrap();
    let compiler = Command::new("gcc")
        .args(["-std=gnu11", "-O0", "-Wparentheses", "-Werror=parentheses"])
        .arg("-fsanitize=signed-integer-overflow,integer-divide-by-zero")
        .arg("-fsanitize-undefined-trap-on-error")
        .arg("-o")
        .args([&binary, &source])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiler.stderr);
    assert!(compiler.status.success(), "{said}");
    let output = Command::new(&binary).output().unwrap();
    compare(
        &expressions,
        &texts,
        &rows,
        &String::from_utf8(output.stdout).unwrap(),
    );
}
