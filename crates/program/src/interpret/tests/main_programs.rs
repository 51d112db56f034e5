//! Tests that run `main`.

use std::collections::HashMap;

use super::build::{Build, INT, LIMITS, LONG, add, element, expr, get, int, load, number, returns};
use crate::interpret::{End, run};
use crate::ir::{
    Builtin, Conversion, Entry, Expected, ExprKind, FunctionId, Lvalue, Scalar, Statement, Test,
};
use crate::position::Positions;

fn end(
    of: &Build,
    main: FunctionId,
    arguments: &[&str],
    output: Option<(&str, bool)>,
    exit: i32,
) -> End {
    let test = Test {
        name: "test".to_owned(),
        entry: Entry::Main {
            main,
            arguments: arguments
                .iter()
                .map(|argument| argument.as_bytes().to_vec())
                .collect(),
            input: vec![],
            output: output.map(|(text, words)| Expected {
                bytes: text.as_bytes().to_vec(),
                words,
            }),
            exit,
        },
    };
    run(
        &of.program,
        &test,
        &LIMITS,
        &mut Positions::default(),
        &HashMap::new(),
    )
    .end
}

fn print(of: &mut Build, text: &str) -> Statement {
    Statement::Eval(of.builtin(
        Builtin::Print(vec![Conversion::Text(text.as_bytes().to_vec())]),
        vec![],
        INT,
    ))
}

#[test]
fn main_gets_its_arguments() {
    let mut of = Build::default();
    let (argc, argv) = (of.variable(&[INT]), of.variable(&[Scalar::Pointer]));
    let pointer = || Lvalue::Deref(load(Lvalue::Variable(argv), Scalar::Pointer));
    let string = load(element(pointer(), int(1), None), Scalar::Pointer);
    let parsed = of.builtin(Builtin::ParseInt, vec![string], INT);
    let last = load(element(pointer(), get(argc), None), Scalar::Pointer);
    let is_null = super::build::binary(
        crate::ir::BinaryOp::Eq,
        last,
        super::build::null(),
        Scalar::Bool,
    );
    let body = vec![
        super::build::assert_that(is_null),
        returns(Some(add(parsed, get(argc)))),
    ];
    let main = of.function(&[argc, argv], Some(INT), body);
    assert_eq!(end(&of, main, &["name", "40"], None, 42), End::Passed);
    assert_eq!(end(&of, main, &["name", "-3"], None, 255), End::Passed);
    assert_eq!(end(&of, main, &["name", "1"], None, 0), End::WrongExit(3));
}

#[test]
fn main_without_a_value_succeeds() {
    let mut of = Build::default();
    let main = of.function(&[], Some(INT), vec![]);
    assert_eq!(end(&of, main, &[], None, 0), End::Passed);
}

#[test]
fn exit_ends_the_program_from_everywhere() {
    let mut of = Build::default();
    let leave = of.builtin(Builtin::Exit, vec![int(256 + 7)], INT);
    let deep = of.function(&[], Some(INT), vec![Statement::Eval(leave)]);
    let call = of.call_of(deep, vec![], INT);
    let wrong = super::build::binary(crate::ir::BinaryOp::Div, int(1), int(0), INT);
    let main = of.function(&[], Some(INT), vec![returns(Some(add(call, wrong)))]);
    assert_eq!(end(&of, main, &[], None, 7), End::Passed);
    assert_eq!(end(&of, main, &[], None, 0), End::WrongExit(7));
}

#[test]
fn output_is_compared_exactly_or_by_words() {
    let mut of = Build::default();
    let body = vec![print(&mut of, "one "), print(&mut of, " two\n")];
    let main = of.function(&[], Some(INT), body);
    assert_eq!(
        end(&of, main, &[], Some(("one  two\n", false)), 0),
        End::Passed
    );
    assert_eq!(
        end(&of, main, &[], Some(("one two", false)), 0),
        End::WrongOutput
    );
    assert_eq!(
        end(&of, main, &[], Some(("\none\ttwo", true)), 0),
        End::Passed
    );
    assert_eq!(
        end(&of, main, &[], Some(("onetwo", true)), 0),
        End::WrongOutput
    );
    assert_eq!(
        end(&of, main, &[], Some(("one", true)), 0),
        End::WrongOutput
    );
}

#[test]
fn wrong_output_matters_only_at_the_end() {
    let mut of = Build::default();
    let first = print(&mut of, "wrong");
    let moved = expr(
        ExprKind::Offset(Box::new(super::build::null()), Box::new(number(1, LONG)), 1),
        Scalar::Pointer,
    );
    let main = of.function(&[], Some(INT), vec![first, Statement::Eval(moved)]);
    let null = super::build::fault(crate::ir::FaultKind::NullOffset);
    assert_eq!(end(&of, main, &[], Some(("right", false)), 0), null);
}
