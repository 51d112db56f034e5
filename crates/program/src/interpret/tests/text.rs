//! Reading and writing text.

use std::collections::HashMap;

use super::build::{BYTE, Build, CHAR, INT, LIMITS, LONG, address, fault, int, load, null, put};
use crate::interpret::{End, Run, run};
use crate::ir::{
    Builtin, Conversion, Entry, Expr, FaultKind, Lvalue, Scalar, Statement, Test, VariableId,
};
use crate::position::Positions;

fn decimal(ty: Scalar) -> Conversion {
    padded(ty, 0, false, false)
}

fn padded(ty: Scalar, width: u8, zeros: bool, left: bool) -> Conversion {
    Conversion::Int {
        ty,
        width,
        zeros,
        left,
    }
}

fn text(text: &str) -> Conversion {
    Conversion::Text(text.as_bytes().to_vec())
}

/// Runs statements as a program with this input.
fn with_input(of: &mut Build, body: Vec<Statement>, input: &str) -> Run {
    let main = of.function(&[], None, body);
    let test = Test {
        name: "test".to_owned(),
        entry: Entry::Main {
            main,
            arguments: vec![],
            input: input.as_bytes().to_vec(),
            output: None,
            exit: 0,
        },
    };
    run(
        &of.program,
        &test,
        &LIMITS,
        &mut Positions::default(),
        &HashMap::new(),
    )
}

fn print(of: &mut Build, conversions: Vec<Conversion>, values: Vec<Expr>) -> Statement {
    Statement::Eval(of.builtin(Builtin::Print(conversions), values, INT))
}

/// Scans into an `int`, a `char`, and a string, and prints them after what the scan gave.
fn scanned(conversions: Vec<Conversion>, targets: &[usize], input: &str) -> String {
    let mut of = Build::default();
    let variables = [
        of.variable(&[INT]),
        of.variable(&[CHAR]),
        of.variable(&[CHAR; 8]),
    ];
    let targets = targets
        .iter()
        .map(|at| address(Lvalue::Variable(variables[*at])));
    let count = of.variable(&[INT]);
    let scan = of.builtin(Builtin::Scan(conversions), targets.collect(), INT);
    let get = |variable: VariableId, ty| load(Lvalue::Variable(variable), ty);
    let pieces = vec![
        decimal(INT),
        text(" "),
        decimal(INT),
        text(" "),
        decimal(CHAR),
        text(" "),
        Conversion::Str,
    ];
    let string = address(Lvalue::Variable(variables[2]));
    let values = vec![
        get(count, INT),
        get(variables[0], INT),
        get(variables[1], CHAR),
        string,
    ];
    let body = vec![
        put(Lvalue::Variable(count), scan),
        print(&mut of, pieces, values),
    ];
    let run = with_input(&mut of, body, input);
    match run.end {
        End::Passed => String::from_utf8(run.output).unwrap(),
        end => format!("{end:?}"),
    }
}

#[test]
fn scan_reads_numbers_words_and_bytes() {
    let all = || vec![decimal(INT), Conversion::Char, Conversion::Str];
    assert_eq!(
        scanned(all(), &[0, 1, 2], " \n-12x\tabc def"),
        "3 -12 120 abc"
    );
    assert_eq!(scanned(all(), &[0, 1, 2], "+7"), "1 7 0 ");
    assert_eq!(scanned(all(), &[0, 1, 2], "1  "), "2 1 32 ");
    assert_eq!(scanned(vec![decimal(INT)], &[0], "4294967297"), "1 1 0 ");
    assert_eq!(
        scanned(vec![Conversion::Str], &[2], "much too long"),
        "1 0 0 much"
    );
    assert!(scanned(vec![Conversion::Str], &[2], "12345678").contains("OutOfBounds"));
}

#[test]
fn scan_gives_the_end_of_the_input_only_before_the_first_conversion() {
    let two = || vec![decimal(INT), decimal(INT)];
    assert_eq!(scanned(two(), &[0, 0], " \n"), "-1 0 0 ");
    assert_eq!(scanned(two(), &[0, 0], "x"), "0 0 0 ");
    assert_eq!(scanned(two(), &[0, 0], "-"), "0 0 0 ");
    assert_eq!(scanned(two(), &[0, 0], "5 "), "1 5 0 ");
    assert_eq!(scanned(vec![Conversion::Char], &[1], ""), "-1 0 0 ");
    assert_eq!(scanned(vec![Conversion::Str], &[2], "  "), "-1 0 0 ");
    assert_eq!(scanned(vec![text("a"), decimal(INT)], &[0], ""), "-1 0 0 ");
}

#[test]
fn text_in_a_scan_must_match() {
    let date = || {
        vec![
            decimal(INT),
            text("->"),
            Conversion::Space,
            Conversion::Char,
        ]
    };
    assert_eq!(scanned(date(), &[0, 1], "5->  A"), "2 5 65 ");
    assert_eq!(scanned(date(), &[0, 1], "5-A"), "1 5 0 ");
    // What matched was read, and what did not is still there.
    let mut of = Build::default();
    let skip = of.builtin(Builtin::Scan(vec![text("ab")]), vec![], INT);
    let next = of.builtin(Builtin::ReadByte, vec![], INT);
    let body = vec![
        Statement::Eval(skip),
        print(&mut of, vec![Conversion::Char], vec![next]),
    ];
    assert_eq!(with_input(&mut of, body, "acd").output, b"c");
}

#[test]
fn bytes_and_lines_are_read_until_the_end() {
    let mut of = Build::default();
    let buffer = of.variable(&[CHAR; 4]);
    let mut body = vec![];
    for _ in 0..4 {
        let line = of.builtin(
            Builtin::ReadLine,
            vec![address(Lvalue::Variable(buffer)), int(4)],
            Scalar::Bool,
        );
        let string = address(Lvalue::Variable(buffer));
        let pieces = vec![decimal(Scalar::Bool), Conversion::Str, text("|")];
        body.push(print(&mut of, pieces, vec![line, string]));
    }
    let byte = of.builtin(Builtin::ReadByte, vec![], INT);
    body.push(print(&mut of, vec![decimal(INT)], vec![byte]));
    assert_eq!(
        String::from_utf8(with_input(&mut of, body, "a\nbcde").output).unwrap(),
        "1a\n|1bcd|1e|0e|-1"
    );
    let small = of.variable(&[CHAR; 2]);
    let line = of.builtin(
        Builtin::ReadLine,
        vec![address(Lvalue::Variable(small)), int(4)],
        Scalar::Bool,
    );
    assert_eq!(
        with_input(&mut of, vec![Statement::Eval(line)], "abc").end,
        fault(FaultKind::OutOfBounds)
    );
}

#[test]
fn numbers_are_printed_as_wide_as_the_format_says() {
    let mut of = Build::default();
    let pieces = vec![
        padded(INT, 4, false, false),
        padded(INT, 4, true, false),
        padded(INT, 4, false, true),
        text("|"),
        padded(INT, 1, true, false),
        decimal(BYTE),
        Conversion::Char,
    ];
    let values = [-5, -5, -5, 123, 255, 65].map(int).to_vec();
    let body = vec![print(&mut of, pieces, values)];
    assert_eq!(
        String::from_utf8(with_input(&mut of, body, "").output).unwrap(),
        "  -5-005-5  |123255A"
    );
}

#[test]
fn numbers_in_strings_are_read_as_atoi_does() {
    let parse = |input: &str| {
        let mut of = Build::default();
        let buffer = of.variable(&[CHAR; 8]);
        let pointer = || address(Lvalue::Variable(buffer));
        let line = of.builtin(Builtin::ReadLine, vec![pointer(), int(8)], Scalar::Bool);
        let number = of.builtin(Builtin::ParseInt, vec![pointer()], INT);
        let body = vec![
            Statement::Eval(line),
            print(&mut of, vec![decimal(INT)], vec![number]),
        ];
        String::from_utf8(with_input(&mut of, body, input).output).unwrap()
    };
    assert_eq!(
        ["12", " -3x", "+4", "x", "", "- 1"].map(parse),
        ["12", "-3", "4", "0", "0", "0"]
    );
}

#[test]
fn strings_must_end_within_their_object() {
    let mut of = Build::default();
    let open = of.variable(&[CHAR; 1]);
    let fill = put(Lvalue::Variable(open), super::build::number(49, CHAR));
    let string = || address(Lvalue::Variable(open));
    let body = vec![
        fill.clone(),
        print(&mut of, vec![Conversion::Str], vec![string()]),
    ];
    assert_eq!(
        with_input(&mut of, body, "").end,
        fault(FaultKind::OutOfBounds)
    );
    let parse = of.builtin(Builtin::ParseInt, vec![string()], LONG);
    assert_eq!(
        with_input(&mut of, vec![fill, Statement::Eval(parse)], "").end,
        fault(FaultKind::OutOfBounds)
    );
    let body = vec![print(&mut of, vec![Conversion::Str], vec![null()])];
    assert_eq!(
        with_input(&mut of, body, "").end,
        fault(FaultKind::NullPointer)
    );
}
