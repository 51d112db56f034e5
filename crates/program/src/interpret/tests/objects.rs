//! Objects, addresses, reads and writes.

use super::build::{
    Build, CHAR, INT, LIMITS, LONG, address, assert_that, binary, element, equal, expr, fault, get,
    int, load, null, number, put, returns, set,
};
use crate::interpret::{End, Limits, Value};
use crate::ir::{
    BinaryOp, Builtin, ExprKind, FaultKind, Lvalue, Scalar, Span, Statement, VariableId,
};

const LENIENT: Limits = Limits {
    implicit: false,
    ..LIMITS
};

fn array(of: &mut Build, length: usize) -> VariableId {
    of.variable(&vec![INT; length])
}

fn at(array: VariableId, index: i128) -> Lvalue {
    element(Lvalue::Variable(array), int(index), Some(3))
}

#[test]
fn an_index_is_checked_where_it_is_read_and_written() {
    let mut of = Build::default();
    let a = array(&mut of, 3);
    let ok = vec![
        put(at(a, 2), int(7)),
        assert_that(equal(load(at(a, 2), INT), int(7))),
    ];
    assert_eq!(of.test(ok).run.end, End::Passed);
    let out = fault(FaultKind::OutOfBounds);
    assert_eq!(of.test(vec![put(at(a, 3), int(7))]).run.end, out);
    assert_eq!(
        of.test(vec![Statement::Eval(load(at(a, -1), INT))]).run.end,
        out
    );
    // Only the address is made.
    let past = address(at(a, 3));
    let distance = ExprKind::Distance(Box::new(past), Box::new(address(at(a, 1))), 1);
    assert_eq!(
        of.value(expr(distance, LONG)),
        (End::Passed, Some(Value::Number(2)))
    );
    // Faults that do not count: nothing is written, and zero is read.
    let outside = vec![
        put(at(a, 3), int(7)),
        assert_that(equal(load(at(a, 3), INT), int(0))),
    ];
    assert_eq!(of.test_with(outside, LENIENT, &[]).run.end, End::Passed);
}

#[test]
fn an_inner_array_ends_before_its_object() {
    let mut of = Build::default();
    let a = array(&mut of, 6);
    let row = |index| Lvalue::Index {
        array: Box::new(Lvalue::Variable(a)),
        index: int(index),
        length: Some(2),
        stride: 3,
    };
    let cell = |r, c, length| element(row(r), int(c), length);
    let write = put(cell(1, 0, Some(3)), int(9));
    let reads = |lvalue| vec![write.clone(), assert_that(equal(load(lvalue, INT), int(9)))];
    assert_eq!(of.test(reads(cell(0, 3, None))).run.end, End::Passed);
    assert_eq!(
        of.test(reads(cell(0, 3, Some(3)))).run.end,
        fault(FaultKind::OutOfBounds)
    );
    assert_eq!(
        of.test_with(reads(cell(0, 3, Some(3))), LENIENT, &[])
            .run
            .end,
        End::Passed
    );
}

#[test]
fn null_cannot_be_followed() {
    let mut of = Build::default();
    let through = Lvalue::Field(Box::new(Lvalue::Deref(null())), 2);
    let fault = fault(FaultKind::NullPointer);
    assert_eq!(of.value(load(through.clone(), INT)).0, fault);
    assert_eq!(of.test(vec![put(through.clone(), int(1))]).run.end, fault);
    assert_eq!(
        of.value_with(load(through.clone(), INT), LENIENT),
        (End::Passed, Some(Value::Number(0)))
    );
    assert_eq!(of.value(address(through.clone())).0, fault);
    assert_eq!(
        of.value_with(address(through), LENIENT),
        (End::Passed, Some(Value::Pointer(None)))
    );
    let moved = expr(
        ExprKind::Offset(Box::new(null()), Box::new(number(1, LONG)), 1),
        Scalar::Pointer,
    );
    assert_eq!(
        of.value(moved).0,
        super::build::fault(FaultKind::NullOffset)
    );
}

#[test]
fn pointers_are_ordered_within_an_object_only() {
    let mut of = Build::default();
    let (a, b) = (array(&mut of, 3), array(&mut of, 3));
    let compare = |op, left, right| binary(op, left, right, Scalar::Bool);
    let [first, last, other] = [at(a, 0), at(a, 2), at(b, 0)].map(address);
    let holds = Some(Value::Number(1));
    let out = fault(FaultKind::OutOfBounds);
    assert_eq!(
        of.value(compare(BinaryOp::Lt, first.clone(), last.clone())),
        (End::Passed, holds)
    );
    assert_eq!(
        of.value(compare(BinaryOp::Ne, first.clone(), other.clone())),
        (End::Passed, holds)
    );
    assert_eq!(
        of.value(compare(BinaryOp::Le, first.clone(), other.clone()))
            .0,
        out
    );
    let distance = expr(
        ExprKind::Distance(Box::new(first), Box::new(other), 1),
        LONG,
    );
    assert_eq!(of.value(distance.clone()).0, out);
    assert_eq!(of.value_with(distance, LENIENT).1, Some(Value::Number(0)));
    // A pointer moves by elements.
    let moved = expr(
        ExprKind::Offset(Box::new(last.clone()), Box::new(number(-2, LONG)), 1),
        Scalar::Pointer,
    );
    assert_eq!(
        of.value(compare(BinaryOp::Eq, moved, address(at(a, 0)))),
        (End::Passed, holds)
    );
}

#[test]
fn cells_keep_values_of_their_type() {
    let mut of = Build::default();
    let c = of.variable(&[CHAR]);
    let target = Lvalue::Variable(c);
    let body = vec![
        put(target.clone(), number(200, CHAR)),
        returns(Some(load(target, CHAR))),
    ];
    let function = of.function(&[], Some(CHAR), body);
    let call = of.call_of(function, vec![], CHAR);
    assert_eq!(of.value(call).1, Some(Value::Number(-56)));
}

#[test]
fn a_copy_reads_all_before_it_writes() {
    let mut of = Build::default();
    let a = array(&mut of, 3);
    let copy = |target, source, cells| Statement::Copy {
        target: at(a, target),
        source: at(a, source),
        cells: vec![INT; cells],
        span: Span::default(),
    };
    let fill = || {
        (0..3)
            .map(|i| put(at(a, i), int(i + 1)))
            .collect::<Vec<_>>()
    };
    let body = [
        fill(),
        vec![
            copy(1, 0, 2),
            assert_that(equal(load(at(a, 2), INT), int(2))),
        ],
    ]
    .concat();
    assert_eq!(of.test(body).run.end, End::Passed);
    let too_far = [fill(), vec![copy(1, 0, 3)]].concat();
    assert_eq!(of.test(too_far).run.end, fault(FaultKind::OutOfBounds));
}

#[test]
fn each_declaration_makes_a_new_object() {
    let mut of = Build::default();
    let (x, p, i) = (
        of.variable(&[INT]),
        of.global(&[Scalar::Pointer]),
        of.variable(&[INT]),
    );
    let old = || load(Lvalue::Variable(p), Scalar::Pointer);
    let is_first = binary(BinaryOp::Eq, old(), null(), Scalar::Bool);
    let keep = of.when(
        is_first,
        vec![
            put(Lvalue::Variable(p), address(Lvalue::Variable(x))),
            set(x, int(7)),
        ],
    );
    let body = vec![
        Statement::Declare(x),
        assert_that(equal(get(x), int(0))),
        keep,
        set(i, super::build::add(get(i), int(1))),
    ];
    let twice = of.repeat(super::build::less(get(i), int(2)), body);
    let kept = assert_that(equal(load(Lvalue::Deref(old()), INT), int(7)));
    assert_eq!(
        of.test(vec![twice, kept, assert_that(equal(get(x), int(0)))])
            .run
            .end,
        End::Passed
    );
}

#[test]
fn allocated_objects_are_zeroed_and_outlive_their_function() {
    let mut of = Build::default();
    let new = of.builtin(
        Builtin::Allocate(vec![INT, Scalar::Pointer], Default::default()),
        vec![],
        Scalar::Pointer,
    );
    let maker = of.function(&[], Some(Scalar::Pointer), vec![returns(Some(new))]);
    let made = of.call_of(maker, vec![], Scalar::Pointer);
    let p = of.variable(&[Scalar::Pointer]);
    let cell = |at| {
        Lvalue::Field(
            Box::new(Lvalue::Deref(load(Lvalue::Variable(p), Scalar::Pointer))),
            at,
        )
    };
    let body = vec![
        put(Lvalue::Variable(p), made),
        assert_that(equal(load(cell(0), INT), int(0))),
        assert_that(binary(
            BinaryOp::Eq,
            load(cell(1), Scalar::Pointer),
            null(),
            Scalar::Bool,
        )),
        put(cell(2), int(1)),
    ];
    assert_eq!(of.test(body).run.end, fault(FaultKind::OutOfBounds));
}

#[test]
fn globals_are_initialized_before_each_test() {
    let mut of = Build::default();
    let (g, zero) = (of.global(&[INT]), of.global(&[INT]));
    of.program.globals = vec![set(g, int(5))];
    let mut body = vec![
        assert_that(equal(get(g), int(5))),
        assert_that(equal(get(zero), int(0))),
    ];
    body.extend([set(g, int(6)), set(zero, int(6))]);
    assert_eq!(of.test(body.clone()).run.end, End::Passed);
    assert_eq!(of.test(body).run.end, End::Passed);
}

#[test]
fn structures_are_passed_by_value() {
    let mut of = Build::default();
    let (pair, last) = (of.variable(&[INT, INT]), of.variable(&[INT]));
    let second = Lvalue::Field(Box::new(Lvalue::Variable(pair)), 1);
    let body = vec![
        set(pair, int(0)),
        returns(Some(binary(
            BinaryOp::Mul,
            load(second, INT),
            get(last),
            INT,
        ))),
    ];
    let callee = of.function(&[pair, last], Some(INT), body);
    let each = of.call_of(callee, vec![int(1), int(2), int(3)], INT);
    assert_eq!(of.value(each), (End::Passed, Some(Value::Number(6))));
    let own = of.variable(&[INT, INT]);
    let whole = of.call_of(callee, vec![address(Lvalue::Variable(own)), int(3)], INT);
    let second = Lvalue::Field(Box::new(Lvalue::Variable(own)), 1);
    let body = vec![
        set(own, int(4)),
        put(second, int(5)),
        assert_that(equal(whole, int(15))),
        assert_that(equal(get(own), int(4))),
    ];
    assert_eq!(of.test(body).run.end, End::Passed);
}
