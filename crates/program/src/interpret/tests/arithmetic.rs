//! Operators: results, also where there is a fault, and faults.

use nopol_scalar::IntKind;

use super::build::{
    BYTE, Build, CHAR, INT, LIMITS, LONG, add, assert_that, binary, equal, expr, fault, int, less,
    null, number, returns,
};
use crate::interpret::{End, Limits, Value};
use crate::ir::{BinaryOp, Expr, ExprKind, FaultKind, LogicalOp, Overflow, Scalar, UnaryOp};

/// What an operation gives if faults do not count, and its fault.
fn total(value: Expr) -> (i128, Option<FaultKind>) {
    let mut of = Build::default();
    let limits = Limits {
        implicit: false,
        ..LIMITS
    };
    let (end, result) = of.value_with(value.clone(), limits);
    assert_eq!(end, End::Passed);
    let fault = match of.value(value).0 {
        End::Fault(kind, _) => Some(kind),
        _ => None,
    };
    (result.map_or(0, Value::number), fault)
}

fn of(op: BinaryOp, ty: Scalar, left: i128, right: i128) -> (i128, Option<FaultKind>) {
    total(binary(op, number(left, ty), number(right, ty), ty))
}

#[test]
fn results_that_do_not_fit_wrap() {
    let overflow = Some(FaultKind::Overflow);
    assert_eq!(
        of(BinaryOp::Add, INT, 0x7fff_ffff, 1),
        (-0x8000_0000, overflow)
    );
    assert_eq!(of(BinaryOp::Add, INT, 0x7fff_ffff, -1), (0x7fff_fffe, None));
    assert_eq!(of(BinaryOp::Sub, BYTE, 0, 1), (255, overflow));
    assert_eq!(
        of(
            BinaryOp::Mul,
            Scalar::SIZE,
            u64::MAX.into(),
            u64::MAX.into()
        ),
        (1, overflow)
    );
    assert_eq!(
        of(BinaryOp::Mul, LONG, i64::MIN.into(), -1),
        (i64::MIN.into(), overflow)
    );
    let wrapping = ExprKind::Binary(
        BinaryOp::Add,
        Overflow::Wraps,
        Box::new(int(i32::MAX.into())),
        Box::new(int(1)),
    );
    assert_eq!(total(expr(wrapping, INT)), (i32::MIN.into(), None));
    let negated = |overflow| {
        let kind = ExprKind::Unary(UnaryOp::Neg(overflow), Box::new(number(-128, CHAR)));
        total(expr(kind, CHAR))
    };
    assert_eq!(negated(Overflow::Fault), (-128, overflow));
    assert_eq!(negated(Overflow::Wraps), (-128, None));
}

#[test]
fn division_rounds_towards_zero_and_has_a_value_by_zero() {
    let by_zero = Some(FaultKind::DivisionByZero);
    assert_eq!(of(BinaryOp::Div, INT, -7, 2), (-3, None));
    assert_eq!(of(BinaryOp::Rem, INT, -7, 2), (-1, None));
    assert_eq!(of(BinaryOp::Div, INT, 7, 0), (0, by_zero));
    assert_eq!(of(BinaryOp::Rem, INT, 7, 0), (7, by_zero));
    assert_eq!(
        of(BinaryOp::Div, CHAR, -128, -1),
        (-128, Some(FaultKind::Overflow))
    );
    assert_eq!(
        of(BinaryOp::Rem, CHAR, -128, -1),
        (0, Some(FaultKind::Overflow))
    );
}

#[test]
fn a_shift_takes_the_amount_modulo_the_width() {
    let shift = Some(FaultKind::Shift);
    assert_eq!(of(BinaryOp::Shl, INT, 1, 30), (1 << 30, None));
    assert_eq!(of(BinaryOp::Shl, INT, -1, 1), (-2, shift));
    let overflow = Some(FaultKind::Overflow);
    assert_eq!(of(BinaryOp::Shl, INT, 1, 31), (i32::MIN.into(), overflow));
    assert_eq!(of(BinaryOp::Shl, BYTE, 0x81, 1), (2, overflow));
    assert_eq!(of(BinaryOp::Shl, INT, 3, 33), (6, shift));
    assert_eq!(of(BinaryOp::Shr, INT, -8, 1), (-4, None));
    assert_eq!(of(BinaryOp::Shr, BYTE, 0xf8, 1), (0x7c, None));
    assert_eq!(of(BinaryOp::Shr, INT, -8, -31), (-4, shift));
    // The width is that of the result, not of the amount.
    let amount = binary(BinaryOp::Shl, number(1, LONG), number(40, BYTE), LONG);
    assert_eq!(total(amount), (1 << 40, None));
}

#[test]
fn casts_keep_low_bits_and_extend_by_the_source() {
    let cast =
        |value: i128, from, to| total(expr(ExprKind::Cast(Box::new(number(value, from))), to)).0;
    assert_eq!(cast(300, INT, BYTE), 44);
    assert_eq!(cast(200, INT, CHAR), -56);
    assert_eq!(cast(-1, CHAR, Scalar::SIZE), u64::MAX.into());
    assert_eq!(cast(255, BYTE, LONG), 255);
    assert_eq!(cast(256, INT, Scalar::Bool), 1);
    assert_eq!(cast(1, Scalar::Bool, LONG), 1);
}

#[test]
fn a_second_operand_is_evaluated_only_if_it_decides() {
    let logical = |op, first: bool| {
        let mut of = Build::default();
        let wrong = equal(binary(BinaryOp::Div, int(1), int(0), INT), int(0));
        let node = of.node();
        let first = number(first.into(), Scalar::Bool);
        let condition = expr(
            ExprKind::Logical(op, node, Box::new(first), Box::new(wrong)),
            Scalar::Bool,
        );
        let run = of.test(vec![assert_that(condition)]).run;
        (run.end, run.branches[0].2)
    };
    let division = fault(FaultKind::DivisionByZero);
    assert_eq!(
        logical(LogicalOp::And, false),
        (fault(FaultKind::Assertion), false)
    );
    assert_eq!(logical(LogicalOp::And, true), (division.clone(), true));
    assert_eq!(logical(LogicalOp::Or, true), (End::Passed, false));
    assert_eq!(logical(LogicalOp::Or, false), (division, true));
}

#[test]
fn only_one_of_two_alternatives_is_evaluated() {
    let mut of = Build::default();
    let wrong = binary(BinaryOp::Div, int(1), int(0), INT);
    let kind = |node, holds| {
        let [condition, then, otherwise] =
            [less(int(0), int(holds)), int(5), wrong.clone()].map(Box::new);
        expr(ExprKind::Conditional(node, condition, then, otherwise), INT)
    };
    let node = of.node();
    assert_eq!(
        of.value(kind(node, 1)),
        (End::Passed, Some(Value::Number(5)))
    );
    assert_eq!(of.value(kind(node, 0)).0, fault(FaultKind::DivisionByZero));
}

#[test]
fn a_missing_result_is_a_fault_where_it_is_used() {
    let mut of = Build::default();
    let callee = of.function(&[], Some(INT), vec![]);
    let used = of.call_of(callee, vec![], INT);
    let unused = crate::ir::Statement::Eval(used.clone());
    assert_eq!(of.test(vec![unused]).run.end, End::Passed);
    assert_eq!(of.value(used.clone()).0, fault(FaultKind::NoResult));
    let limits = Limits {
        implicit: false,
        ..LIMITS
    };
    assert_eq!(
        of.value_with(add(used, int(1)), limits),
        (End::Passed, Some(Value::Number(1)))
    );
}

#[test]
fn ill_typed_programs_do_not_panic() {
    let mut of = Build::default();
    let odd = Scalar::Int(IntKind::new(200, true));
    let none = Scalar::Int(IntKind::new(0, true));
    let missing = of.call_of(crate::ir::FunctionId::new(77), vec![int(1)], INT);
    let variable = super::build::get(crate::ir::VariableId::new(99));
    for value in [
        binary(
            BinaryOp::Shl,
            number(i128::MAX, odd),
            number(i128::MIN, odd),
            odd,
        ),
        binary(BinaryOp::Shr, number(3, none), number(3, none), none),
        binary(BinaryOp::Div, number(i128::MIN, odd), number(-1, odd), odd),
        binary(BinaryOp::Mul, null(), int(3), INT),
        binary(BinaryOp::Lt, null(), int(3), Scalar::Bool),
        binary(BinaryOp::Add, null(), null(), Scalar::Pointer),
        missing,
        variable,
    ] {
        of.value(value);
    }
    let jump = crate::ir::Statement::Break(crate::ir::NodeId::new(5));
    assert_eq!(
        of.test(vec![jump, returns(Some(null()))]).run.end,
        End::Passed
    );
}
