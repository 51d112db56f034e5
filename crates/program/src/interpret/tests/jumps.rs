//! Branches, loops, calls, their positions and their bounds.

use super::build::{
    Build, INT, LIMITS, add, assert_that, binary, equal, expr, get, int, less, returns, set,
};
use crate::interpret::{End, Limits, Value};
use crate::ir::{BinaryOp, ExprKind, LogicalOp, Lvalue, PlaceKind, Scalar, Statement};
use nopol_basics::deadline::Deadline;

fn bound(bound: u32) -> Limits {
    Limits { bound, ..LIMITS }
}

#[test]
fn each_iteration_has_its_own_position() {
    let mut of = Build::default();
    let i = of.variable(&[INT]);
    let step = of.assign(Lvalue::Variable(i), add(get(i), int(1)));
    let twice = of.repeat(less(get(i), int(2)), vec![step]);
    let outcome = of.test(vec![twice]);
    let at = |iteration| format!("Iteration(0, {iteration})");
    let expected = vec![
        (1, at(0), 1),
        (0, at(0), 1),
        (1, at(1), 1),
        (0, at(1), 2),
        (1, at(2), 0),
    ];
    assert_eq!(outcome.numbers(), expected);
    let branches: Vec<_> = outcome
        .run
        .branches
        .iter()
        .map(|(_, node, taken)| (node.number(), *taken))
        .collect();
    assert_eq!(branches, [(0, true), (0, true), (0, false)]);
}

#[test]
fn a_loop_that_tests_last_has_its_conditions_after_its_bodies() {
    let mut of = Build::default();
    let i = of.variable(&[INT]);
    let body = of.assign(Lvalue::Variable(i), add(get(i), int(1)));
    let update = of.assign(Lvalue::Variable(i), add(get(i), int(10)));
    let node = of.node();
    let repeat = Statement::Loop {
        node,
        place: Some(of.place(PlaceKind::Condition)),
        condition: less(get(i), int(20)),
        tests_first: false,
        body: vec![body],
        update: vec![update],
    };
    let at = |iteration| format!("Iteration(0, {iteration})");
    let expected = [
        (0, at(0), 1),
        (1, at(0), 11),
        (2, at(0), 1),
        (0, at(1), 12),
        (1, at(1), 22),
        (2, at(1), 0),
    ];
    assert_eq!(of.test(vec![repeat.clone()]).numbers(), expected);
    assert_eq!(
        of.test_with(vec![repeat.clone()], bound(2), &[]).run.end,
        End::Passed
    );
    assert_eq!(
        of.test_with(vec![repeat], bound(1), &[]).run.end,
        End::Bound(node)
    );
}

#[test]
fn a_loop_may_have_as_many_iterations_as_its_bound() {
    let mut of = Build::default();
    let i = of.variable(&[INT]);
    let thrice = of.repeat(less(get(i), int(3)), vec![set(i, add(get(i), int(1)))]);
    let Statement::Loop { node, .. } = thrice else {
        panic!()
    };
    assert_eq!(
        of.test_with(vec![thrice.clone()], bound(3), &[]).run.end,
        End::Passed
    );
    let run = of.test_with(vec![thrice], bound(2), &[]).run;
    assert_eq!(run.end, End::Bound(node));
    assert_eq!(run.branches.len(), 3);
}

#[test]
fn calls_have_their_own_positions() {
    let mut of = Build::default();
    let (x, y) = (of.variable(&[INT]), of.variable(&[INT]));
    let place = of.place(PlaceKind::Return);
    let body = vec![Statement::Return {
        place: Some(place),
        value: Some(add(get(x), int(1))),
    }];
    let callee = of.function(&[x], Some(INT), body);
    let inner = of.call_of(callee, vec![int(5)], INT);
    let outer = of.call_of(callee, vec![inner], INT);
    let body = of.assign(Lvalue::Variable(y), outer);
    let outcome = of.test(vec![body]);
    let expected = [
        (0, "Call(0)".to_owned(), 6),
        (0, "Call(1)".to_owned(), 7),
        (1, String::new(), 7),
    ];
    assert_eq!(outcome.numbers(), expected);
}

#[test]
fn recursion_has_a_bound_and_each_activation_its_variables() {
    let mut of = Build::default();
    let n = of.variable(&[INT]);
    // f(n) = n ? f(n - 1) + n : 0
    let callee = crate::ir::FunctionId::new(0);
    let again = of.call_of(callee, vec![add(get(n), int(-1))], INT);
    let ExprKind::Call(node, ..) = again.kind else {
        panic!()
    };
    let is_more = of.when(
        less(int(0), get(n)),
        vec![returns(Some(add(again, get(n))))],
    );
    of.function(&[n], Some(INT), vec![is_more, returns(Some(int(0)))]);
    let call = |of: &mut Build, n| of.call_of(callee, vec![int(n)], INT);
    let four = call(&mut of, 4);
    assert_eq!(
        of.value_with(four.clone(), bound(5)),
        (End::Passed, Some(Value::Number(10)))
    );
    assert_eq!(of.value_with(four, bound(4)).0, End::Bound(node));
    let limits = Limits {
        bound: u32::MAX,
        steps: u64::MAX,
        ..LIMITS
    };
    let deep = call(&mut of, 1000);
    assert_eq!(of.value_with(deep, limits).1, Some(Value::Number(500_500)));
    // Too deep for any stack.
    let deeper = call(&mut of, 50_000_000);
    assert_eq!(of.value_with(deeper, limits).0, End::Steps);
}

#[test]
fn jumps_leave_what_they_name() {
    let mut of = Build::default();
    let (i, n) = (of.variable(&[INT]), of.variable(&[INT]));
    let (outer, inner, block) = (of.node(), of.node(), of.node());
    let count = |by| set(n, add(get(n), int(by)));
    let skip = of.when(equal(get(i), int(1)), vec![Statement::Continue(outer)]);
    let stop = of.when(equal(get(i), int(3)), vec![Statement::Break(outer)]);
    let forever = |node, body, update| Statement::Loop {
        node,
        place: None,
        condition: equal(int(0), int(0)),
        tests_first: true,
        body,
        update,
    };
    let leave = Statement::Breakable(block, vec![Statement::Break(block), count(1000)]);
    // i = 0 and 2 count 1; i = 1 counts nothing; i = 3 ends both loops.
    let body = vec![forever(
        inner,
        vec![skip, stop, leave, count(1), Statement::Break(inner)],
        vec![],
    )];
    let all = forever(outer, body, vec![set(i, add(get(i), int(1)))]);
    let end = vec![
        all,
        assert_that(equal(get(n), int(2))),
        assert_that(equal(get(i), int(3))),
    ];
    assert_eq!(of.test(end).run.end, End::Passed);
}

#[test]
fn a_block_in_an_expression_can_return() {
    let mut of = Build::default();
    let early = expr(
        ExprKind::Block(vec![returns(Some(int(3)))], Box::new(int(4))),
        INT,
    );
    let callee = of.function(&[], Some(INT), vec![returns(Some(add(early, int(10))))]);
    let call = of.call_of(callee, vec![], INT);
    assert_eq!(of.value(call).1, Some(Value::Number(3)));
}

#[test]
fn an_assumption_that_does_not_hold_ends_the_run() {
    let mut of = Build::default();
    let body = vec![
        Statement::Assume(less(int(1), int(0))),
        assert_that(less(int(1), int(0))),
    ];
    assert_eq!(of.test(body).run.end, End::Assumption);
}

#[test]
fn steps_end_long_runs() {
    let mut of = Build::default();
    let forever = of.repeat(equal(int(0), int(0)), vec![]);
    let limits = Limits {
        bound: u32::MAX,
        ..LIMITS
    };
    assert_eq!(of.test_with(vec![forever], limits, &[]).run.end, End::Steps);
}

#[test]
fn branches_within_a_call_are_at_its_position() {
    let mut of = Build::default();
    let node = of.node();
    let first = Box::new(binary(BinaryOp::Eq, int(1), int(1), Scalar::Bool));
    let value = expr(
        ExprKind::Logical(LogicalOp::Or, node, first.clone(), first),
        Scalar::Bool,
    );
    let callee = of.function(&[], Some(Scalar::Bool), vec![returns(Some(value))]);
    let call = of.call_of(callee, vec![], Scalar::Bool);
    let outcome = of.test(vec![assert_that(call)]);
    let [(position, at, evaluated)] = outcome.run.branches[..] else {
        panic!()
    };
    assert_eq!(
        (outcome.steps(position).as_str(), at, evaluated),
        ("Call(1)", node, false)
    );
}

#[test]
fn a_function_can_be_called_with_numbers() {
    let mut of = Build::default();
    let (x, y) = (of.variable(&[super::build::CHAR]), of.variable(&[INT]));
    let x_value = expr(
        ExprKind::Cast(Box::new(super::build::load(
            Lvalue::Variable(x),
            super::build::CHAR,
        ))),
        INT,
    );
    let function = of.function(
        &[x, y],
        Some(INT),
        vec![returns(Some(add(x_value, get(y))))],
    );
    let mut positions = crate::position::Positions::default();
    let arguments = [255, 10];
    let (run, value) = crate::interpret::call(
        &of.program,
        function,
        &arguments,
        &LIMITS,
        &mut positions,
        &Default::default(),
    );
    assert_eq!((run.end, value), (End::Passed, Some(Value::Number(9))));
}

#[test]
fn a_deadline_ends_a_run_within_so_many_steps() {
    let mut of = Build::default();
    let forever = of.repeat(equal(int(0), int(0)), vec![]);
    let limits = Limits {
        bound: u32::MAX,
        steps: 5_000_000,
        deadline: Deadline::after_questions(2),
        ..LIMITS
    };
    let run = of.test_with(vec![forever], limits, &[]).run;
    assert_eq!(run.end, End::Late);
    assert!(run.branches.len() < 4000, "{}", run.branches.len());
}
