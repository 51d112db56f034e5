//! Other values at places, and which faults they suppress.

use super::build::{
    BYTE, Build, INT, LIMITS, add, assert_that, binary, element, equal, fault, get, int, less,
    load, number, put, returns, set,
};
use crate::interpret::{Angelic, End, Limits};
use crate::ir::{
    BinaryOp, Expr, ExprKind, FaultKind, Lvalue, NodeId, PlaceId, PlaceKind, Span, Statement,
};
use crate::position::{Instance, Positions, Step};

/// This value at the first evaluation of a place outside of calls and loops.
fn at_root(place: u32, value: i128, index: Option<i128>) -> (Instance, Angelic) {
    let instance = Instance {
        place: PlaceId::new(place),
        position: Positions::ROOT,
    };
    (instance, Angelic { value, index })
}

fn by_zero() -> Expr {
    binary(BinaryOp::Div, int(1), int(0), INT)
}

#[test]
fn an_angelic_value_replaces_an_assigned_one_and_its_faults() {
    let mut of = Build::default();
    let x = of.variable(&[INT]);
    let wrong = of.assign(Lvalue::Variable(x), by_zero());
    let body = vec![wrong, assert_that(equal(get(x), int(7)))];
    let outcome = of.test_with(body.clone(), LIMITS, &[at_root(0, 7, None)]);
    assert_eq!(outcome.run.end, End::Passed);
    assert!(outcome.run.evaluated[0].is_angelic);
    assert_eq!(outcome.numbers(), [(0, String::new(), 7)]);
    let run = of.test(body).run;
    assert_eq!(run.end, fault(FaultKind::DivisionByZero));
    // The run ended in the place, which therefore has no value.
    assert_eq!(
        (run.evaluated.len(), run.unfinished[0].place),
        (0, PlaceId::new(0))
    );
}

#[test]
fn an_angelic_value_has_the_type_of_the_expression() {
    let mut of = Build::default();
    let x = of.variable(&[BYTE]);
    let set = of.assign(Lvalue::Variable(x), number(1, BYTE));
    assert_eq!(
        of.test_with(vec![set], LIMITS, &[at_root(0, 257 + 255, None)])
            .numbers(),
        [(0, String::new(), 0)]
    );
}

#[test]
fn what_an_angelic_place_calls_still_happens_and_faults() {
    let mut of = Build::default();
    let (x, g, d) = (of.variable(&[INT]), of.global(&[INT]), of.variable(&[INT]));
    let body = vec![
        set(g, int(1)),
        returns(Some(binary(BinaryOp::Div, int(1), get(d), INT))),
    ];
    let callee = of.function(&[d], Some(INT), body);
    let calls = |of: &mut Build, argument| {
        let call = of.call_of(callee, vec![argument], INT);
        let assign = of.assign(Lvalue::Variable(x), add(by_zero(), call));
        let place = u32::try_from(of.program.places.len()).unwrap() - 1;
        let body = vec![assign, assert_that(equal(get(g), int(1)))];
        of.test_with(body, LIMITS, &[at_root(place, 0, None)])
            .run
            .end
    };
    assert_eq!(calls(&mut of, int(1)), End::Passed);
    assert_eq!(calls(&mut of, int(0)), fault(FaultKind::DivisionByZero));
    // Without its argument the function cannot be called.
    assert_eq!(calls(&mut of, by_zero()), fault(FaultKind::DivisionByZero));
}

#[test]
fn statements_within_an_angelic_expression_are_suppressed_too() {
    let mut of = Build::default();
    let x = of.variable(&[INT]);
    let panics = Statement::Assert(less(int(1), int(0)), FaultKind::Panic);
    let block = super::build::expr(ExprKind::Block(vec![panics], Box::new(int(1))), INT);
    let assign = of.assign(Lvalue::Variable(x), block);
    let after = vec![assign, assert_that(less(int(1), int(0)))];
    let run = of.test_with(after, LIMITS, &[at_root(0, 2, None)]).run;
    assert_eq!(run.end, fault(FaultKind::Assertion));
}

#[test]
fn an_angelic_index_replaces_the_outermost_one() {
    let mut of = Build::default();
    let a = of.variable(&[INT; 3]);
    let at = |index| element(Lvalue::Variable(a), index, Some(3));
    let written = Expr {
        span: Span {
            end: 1,
            ..Span::default()
        },
        ..by_zero()
    };
    let assign = of.assign(at(written), int(5));
    let unwritten = of.assign(at(int(1)), int(5));
    let run = |of: &mut Build, assign: &Statement, index| {
        let body = vec![
            assign.clone(),
            assert_that(equal(load(at(int(2)), INT), int(6))),
        ];
        of.test_with(body, LIMITS, &[at_root(0, 6, index), at_root(1, 6, index)])
            .run
    };
    let right = run(&mut of, &assign, Some(2));
    assert_eq!(
        (right.end, right.evaluated[0].index),
        (End::Passed, Some(2))
    );
    let outside = run(&mut of, &assign, Some(3)).end;
    assert!(matches!(outside, End::Fault(FaultKind::OutOfBounds, _)));
    // Only a replaced index cannot fault.
    let fixed = run(&mut of, &assign, None).end;
    assert!(matches!(fixed, End::Fault(FaultKind::DivisionByZero, _)));
    // The numbers of an initializer's elements are not written, and stay.
    let initial = run(&mut of, &unwritten, Some(2));
    assert_eq!(initial.evaluated[0].index, Some(1));
    assert_ne!(initial.end, End::Passed);
}

#[test]
fn an_index_that_is_not_outermost_stays() {
    let mut of = Build::default();
    let a = of.variable(&[INT; 4]);
    let pair = |index| Lvalue::Index {
        array: Box::new(Lvalue::Variable(a)),
        index,
        length: Some(2),
        stride: 2,
    };
    let second = |index| Lvalue::Field(Box::new(pair(index)), 1);
    let assign = of.assign(second(int(1)), int(5));
    let body = vec![
        assign,
        assert_that(equal(load(second(int(1)), INT), int(6))),
    ];
    let run = of.test_with(body, LIMITS, &[at_root(0, 6, Some(0))]).run;
    assert_eq!((run.end, run.evaluated[0].index), (End::Passed, None));
}

#[test]
fn conditions_and_results_can_be_angelic() {
    let mut of = Build::default();
    let place = Some(of.place(PlaceKind::Condition));
    let branch = Statement::If {
        node: of.node(),
        place,
        condition: equal(by_zero(), int(0)),
        then: vec![returns(None)],
        otherwise: vec![],
    };
    let run = of
        .test_with(
            vec![branch, assert_that(less(int(1), int(0)))],
            LIMITS,
            &[at_root(0, 1, None)],
        )
        .run;
    assert_eq!(run.end, End::Passed);
    assert!(run.branches[0].2);

    let place = Some(of.place(PlaceKind::Return));
    let body = Statement::Return {
        place,
        value: Some(int(1)),
    };
    let callee = of.function(&[], Some(INT), vec![body]);
    let call = of.call_of(callee, vec![], INT);
    let ExprKind::Call(node, ..) = call.kind else {
        panic!()
    };
    let mut positions = Positions::default();
    let instance = Instance {
        place: PlaceId::new(1),
        position: positions.child(Positions::ROOT, Step::Call(node)),
    };
    let angelic = (
        instance,
        Angelic {
            value: 9,
            index: None,
        },
    );
    // The same steps get the same position, as the first that a run meets.
    let run = of
        .test_with(vec![assert_that(equal(call, int(9)))], LIMITS, &[angelic])
        .run;
    assert_eq!(run.end, End::Passed);
}

#[test]
fn one_iteration_of_a_condition_can_be_angelic() {
    let mut of = Build::default();
    let i = of.variable(&[INT]);
    let forever = of.repeat(
        equal(int(0), int(0)),
        vec![put(Lvalue::Variable(i), add(get(i), int(1)))],
    );
    let mut positions = Positions::default();
    let third = (0..3)
        .map(|i| positions.child(Positions::ROOT, Step::Iteration(NodeId::new(0), i)))
        .last()
        .unwrap();
    let instance = Instance {
        place: PlaceId::new(0),
        position: third,
    };
    let stop = (
        instance,
        Angelic {
            value: 0,
            index: None,
        },
    );
    let body = vec![forever, assert_that(equal(get(i), int(2)))];
    assert_eq!(of.test_with(body, LIMITS, &[stop]).run.end, End::Passed);
}

#[test]
fn faults_that_the_program_does_not_state_may_not_count() {
    let mut of = Build::default();
    let x = of.variable(&[INT]);
    let body = vec![set(x, by_zero()), assert_that(equal(get(x), int(1)))];
    let limits = Limits {
        implicit: false,
        ..LIMITS
    };
    assert_eq!(
        of.test_with(body.clone(), limits, &[]).run.end,
        fault(FaultKind::Assertion)
    );
    assert_eq!(of.test(body).run.end, fault(FaultKind::DivisionByZero));
}
