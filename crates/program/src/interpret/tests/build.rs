//! Small programs for tests.

use nopol_basics::deadline::Deadline;
use std::collections::HashMap;

use crate::interpret::{Angelic, End, Limits, Run, Value, call, run};
use crate::ir::{
    BinaryOp, Builtin, Entry, Expr, ExprKind, FaultKind, Function, FunctionId, Lvalue, NodeId,
    Overflow, Place, PlaceId, PlaceKind, Program, Scalar, Shape, Span, Statement, Test, Variable,
    VariableId,
};
use crate::position::{Instance, PositionId, Positions};

pub const INT: Scalar = Scalar::INT;
pub const LONG: Scalar = Scalar::LONG;
pub const BYTE: Scalar = Scalar::BYTE;
pub const CHAR: Scalar = Scalar::CHAR;

pub const LIMITS: Limits = Limits {
    bound: 10,
    steps: 100_000,
    implicit: true,
    deadline: Deadline::Never,
};

/// A program that grows.
#[derive(Default)]
pub struct Build {
    pub program: Program,
}

impl Build {
    pub fn variable(&mut self, cells: &[Scalar]) -> VariableId {
        let number = self.program.variables.len();
        self.program.variables.push_and_get_key(Variable {
            name: format!("v{number}"),
            cells: cells.to_vec(),
            shape: Shape::Other,
            access: Default::default(),
            is_global: false,
            home: None,
            within: None,
            initially: Default::default(),
            is_constant: false,
            is_row: false,
        })
    }

    pub fn global(&mut self, cells: &[Scalar]) -> VariableId {
        let variable = self.variable(cells);
        self.program.variables[variable].is_global = true;
        variable
    }

    pub fn node(&mut self) -> NodeId {
        self.program.nodes += 1;
        NodeId::new(self.program.nodes - 1)
    }

    pub fn place(&mut self, kind: PlaceKind) -> PlaceId {
        self.program.places.push_and_get_key(Place {
            kind,
            function: None,
            span: Span::default(),
            target: None,
            line: 1,
            column: 1,
            text: String::new(),
            offset: 0,
            names: Vec::new(),
            is_character: false,
        })
    }

    pub fn function(
        &mut self,
        parameters: &[VariableId],
        result: Option<Scalar>,
        body: Vec<Statement>,
    ) -> FunctionId {
        let number = self.program.functions.len();
        self.program.functions.push_and_get_key(Function {
            name: format!("f{number}"),
            parameters: parameters.to_vec(),
            result,
            result_points_to: None,
            body,
        })
    }

    pub fn builtin(&mut self, builtin: Builtin, arguments: Vec<Expr>, ty: Scalar) -> Expr {
        let node = self.node();
        expr(ExprKind::Builtin(node, builtin, arguments), ty)
    }

    pub fn call_of(&mut self, function: FunctionId, arguments: Vec<Expr>, ty: Scalar) -> Expr {
        let node = self.node();
        expr(ExprKind::Call(node, function, arguments), ty)
    }

    /// `if (condition) then`
    pub fn when(&mut self, condition: Expr, then: Vec<Statement>) -> Statement {
        Statement::If {
            node: self.node(),
            place: None,
            condition,
            then,
            otherwise: vec![],
        }
    }

    /// `while (condition) body`, with a place for the condition.
    pub fn repeat(&mut self, condition: Expr, body: Vec<Statement>) -> Statement {
        Statement::Loop {
            node: self.node(),
            place: Some(self.place(PlaceKind::Condition)),
            condition,
            tests_first: true,
            body,
            update: vec![],
        }
    }

    /// An assignment with a place.
    pub fn assign(&mut self, target: Lvalue, value: Expr) -> Statement {
        Statement::Assign {
            place: Some(self.place(PlaceKind::Value)),
            target,
            value,
        }
    }

    /// Runs these statements as a test.
    pub fn test(&mut self, body: Vec<Statement>) -> TestRun {
        self.test_with(body, LIMITS, &[])
    }

    /// With these limits and angelic values.
    pub fn test_with(
        &mut self,
        body: Vec<Statement>,
        limits: Limits,
        angelic: &[(Instance, Angelic)],
    ) -> TestRun {
        let function = self.function(&[], None, body);
        let test = Test {
            name: "test".to_owned(),
            entry: Entry::Function(function),
        };
        let mut positions = Positions::default();
        let angelic: HashMap<_, _> = angelic.iter().copied().collect();
        let run = run(&self.program, &test, &limits, &mut positions, &angelic);
        TestRun { run, positions }
    }

    /// The value of an expression of this program, computed by a function that returns it.
    pub fn value(&mut self, value: Expr) -> (End, Option<Value>) {
        self.value_with(value, LIMITS)
    }

    pub fn value_with(&mut self, value: Expr, limits: Limits) -> (End, Option<Value>) {
        let ty = value.ty;
        let function = self.function(&[], Some(ty), vec![returns(Some(value))]);
        let (run, value) = call(
            &self.program,
            function,
            &[],
            &limits,
            &mut Positions::default(),
            &HashMap::new(),
        );
        (run.end, value)
    }
}

/// A run and the positions in it.
pub struct TestRun {
    pub run: Run,
    pub positions: Positions,
}

impl TestRun {
    /// Each evaluated number: its place, the calls and iterations that lead there, and the number.
    pub fn numbers(&self) -> Vec<(u32, String, i128)> {
        let numbers = self.run.evaluated.iter().map(|evaluated| {
            let Value::Number(number) = evaluated.value else {
                panic!("{evaluated:?} is no number")
            };
            (
                evaluated.instance.place.number(),
                self.steps(evaluated.instance.position),
                number,
            )
        });
        numbers.collect()
    }

    pub fn steps(&self, position: PositionId) -> String {
        let steps = self.positions.steps(position);
        steps
            .iter()
            .map(|step| format!("{step:?} "))
            .collect::<String>()
            .trim()
            .to_owned()
    }
}

pub fn expr(kind: ExprKind, ty: Scalar) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub fn number(value: i128, ty: Scalar) -> Expr {
    expr(ExprKind::Constant(value), ty)
}

pub fn int(value: i128) -> Expr {
    number(value, INT)
}

pub fn null() -> Expr {
    expr(ExprKind::Null, Scalar::Pointer)
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Scalar) -> Expr {
    expr(
        ExprKind::Binary(op, Overflow::Fault, Box::new(left), Box::new(right)),
        ty,
    )
}

pub fn add(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Add, left, right, INT)
}

pub fn less(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Lt, left, right, Scalar::Bool)
}

pub fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Eq, left, right, Scalar::Bool)
}

pub fn load(lvalue: Lvalue, ty: Scalar) -> Expr {
    expr(ExprKind::Load(Box::new(lvalue)), ty)
}

/// An `int` variable's value.
pub fn get(variable: VariableId) -> Expr {
    load(Lvalue::Variable(variable), INT)
}

pub fn address(lvalue: Lvalue) -> Expr {
    expr(ExprKind::Address(Box::new(lvalue), None), Scalar::Pointer)
}

pub fn element(array: Lvalue, index: Expr, length: Option<u32>) -> Lvalue {
    Lvalue::Index {
        array: Box::new(array),
        index,
        length,
        stride: 1,
    }
}

/// An assignment without a place.
pub fn set(variable: VariableId, value: Expr) -> Statement {
    put(Lvalue::Variable(variable), value)
}

/// An assignment without a place.
pub fn put(target: Lvalue, value: Expr) -> Statement {
    Statement::Assign {
        place: None,
        target,
        value,
    }
}

pub fn returns(value: Option<Expr>) -> Statement {
    Statement::Return { place: None, value }
}

pub fn assert_that(condition: Expr) -> Statement {
    Statement::Assert(condition, FaultKind::Assertion)
}

/// The end of a run with this fault, none of which has a place in a source.
pub fn fault(kind: FaultKind) -> End {
    End::Fault(kind, Span::default())
}
