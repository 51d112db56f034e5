//! Random well-typed programs for property tests: numbers of several widths, arrays, branches, short loops, calls and,
//! if wanted, pointers. Every assignment, condition and returned value has a place, also in the tests.
//!
//! A program is read off a list of numbers, each of which chooses between alternatives. The first alternative is always
//! the simplest one, and so is every choice after the end of the list: programs shrink as lists do.

mod expressions;
mod statements;
mod tests;

use nopol_basics::deadline::Deadline;
use nopol_scalar::IntKind;

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use nopol_program::interpret::{Limits, Value, run};
use nopol_program::ir::{
    Entry, Expr, ExprKind, FaultKind, Function, FunctionId, Lvalue, NodeId, Place, PlaceId,
    PlaceKind, Program, Scalar, Span, Statement, Test, Variable, VariableId,
};
use nopol_program::position::Positions;

/// Programs without pointers, each with some tests. About half of the tests pass, unless there is a fault on the way.
pub fn programs() -> impl Strategy<Value = (Program, Vec<Test>)> {
    programs_of(false)
}

/// Programs with pointers, too.
pub fn programs_with_pointers() -> impl Strategy<Value = (Program, Vec<Test>)> {
    programs_of(true)
}

/// The bound that the programs keep to: no loop has more iterations and no function more activations, unless angelic
/// values change that.
pub const BOUND: u32 = 4;

fn programs_of(has_pointers: bool) -> impl Strategy<Value = (Program, Vec<Test>)> {
    vec(any::<u16>(), 0..600)
        .prop_map(move |choices| Generator::new(choices, has_pointers).program())
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Number(Scalar),
    /// A number that only loops change.
    Counter,
    /// So many numbers.
    Array(Scalar, u32),
    /// A pointer to an `int`.
    Pointer,
}

/// A program on its way.
struct Generator {
    choices: std::vec::IntoIter<u16>,
    has_pointers: bool,
    program: Program,
    /// The variables that can be used here.
    scope: Vec<(VariableId, Shape)>,
    /// The functions that can be called here: not the current one and later ones.
    callees: Vec<FunctionId>,
    /// What the current function returns.
    result: Scalar,
    /// The loops around, innermost last.
    loops: Vec<NodeId>,
}

impl Generator {
    fn new(choices: Vec<u16>, has_pointers: bool) -> Self {
        Self {
            choices: choices.into_iter(),
            has_pointers,
            program: Program::default(),
            scope: Vec::new(),
            callees: Vec::new(),
            result: Scalar::INT,
            loops: Vec::new(),
        }
    }

    fn program(mut self) -> (Program, Vec<Test>) {
        for _ in 0..1 + self.pick(3) {
            let shape = self.shape();
            let global = self.variable(shape, true);
            if let (Shape::Number(ty), 0) = (shape, self.pick(2)) {
                let value = self.constant(ty);
                let set = self.assign(Lvalue::Variable(global), value);
                self.program.globals.push(set);
            }
        }
        for _ in 0..1 + self.pick(3) {
            let function = self.function();
            self.callees.push(function);
        }
        let tests = (0..2).map(|number| self.test(number)).collect();
        (self.program, tests)
    }

    /// A function with up to three parameters.
    fn function(&mut self) -> FunctionId {
        let outer = self.scope.len();
        let parameters: Vec<_> = (0..self.pick(4))
            .map(|_| {
                let ty = self.number();
                self.variable(Shape::Number(ty), false)
            })
            .collect();
        self.result = self.number();
        let mut body = self.locals();
        let recursion = self.recursion(&parameters);
        body.extend(recursion);
        body.extend(self.statements(2, 3));
        let value = self.expr(self.result, 3);
        body.push(self.returns(value));
        self.scope.truncate(outer);
        self.program.functions.push_and_get_key(Function {
            name: format!("f{}", self.program.functions.len()),
            parameters,
            result: Some(self.result),
            result_points_to: None,
            body,
        })
    }

    /// Declares some local variables. Pointers point to something at first.
    fn locals(&mut self) -> Vec<Statement> {
        let mut body = Vec::new();
        for _ in 0..self.pick(4) {
            let shape = self.shape();
            body.push(Statement::Declare(self.variable(shape, false)));
        }
        if self.has_pointers {
            let array = self.variable(Shape::Array(Scalar::INT, 3), false);
            let value = self.expr(Scalar::Pointer, 1);
            let pointer = self.variable(Shape::Pointer, false);
            body.extend([array, pointer].map(Statement::Declare));
            body.push(self.assign(Lvalue::Variable(pointer), value));
        }
        body
    }

    /// Sets up constants, calls a function and compares what it returns: in half of the cases with what it does return.
    fn test(&mut self, number: usize) -> Test {
        let name = format!("test {number}");
        let mut body = Vec::new();
        for (variable, shape) in self.scope.clone() {
            if let (Shape::Number(ty), 0) = (shape, self.pick(2)) {
                let value = self.constant(ty);
                body.push(self.assign(Lvalue::Variable(variable), value));
            }
        }
        let from_last = self.pick(self.callees.len());
        let callee = self.callees[self.callees.len() - 1 - from_last];
        let types = self.parameter_types(callee);
        let arguments = types.iter().map(|ty| self.constant(*ty)).collect();
        let call = self.call(callee, arguments);
        let ty = call.ty;
        let result = self.variable(Shape::Number(ty), false);
        self.scope.pop();
        body.push(Statement::Declare(result));
        let place = self.program.places.next_key();
        body.push(self.assign(Lvalue::Variable(result), call));

        let is_right = self.pick(2) == 0;
        let function = self.program.functions.push_and_get_key(Function {
            name: name.clone(),
            parameters: vec![],
            result: None,
            result_points_to: None,
            body,
        });
        let test = Test {
            name,
            entry: Entry::Function(function),
        };
        let actual = returned(&self.program, &test, place);
        let expected = constant(ty, if is_right { actual } else { actual ^ 1 });
        let equal = self.equal(load(Lvalue::Variable(result), ty), expected);
        let assertion = Statement::Assert(equal, FaultKind::Assertion);
        self.program.functions[function].body.push(assertion);
        test
    }

    /// One of this many alternatives.
    fn pick(&mut self, alternatives: usize) -> usize {
        usize::from(self.choices.next().unwrap_or(0)) % alternatives.max(1)
    }

    /// One of these, if there is any.
    fn one_of<T: Copy>(&mut self, alternatives: &[T]) -> Option<T> {
        let at = self.pick(alternatives.len());
        alternatives.get(at).copied()
    }

    /// A type of numbers.
    fn number(&mut self) -> Scalar {
        let (bits, signed) = [
            (32, true),
            (8, false),
            (8, true),
            (16, true),
            (32, false),
            (64, true),
            (16, false),
            (64, false),
        ][self.pick(8)];
        match self.pick(6) {
            5 => Scalar::Bool,
            _ => Scalar::Int(IntKind::new(bits, signed)),
        }
    }

    fn shape(&mut self) -> Shape {
        let ty = self.number();
        match self.pick(3) {
            0 | 1 => Shape::Number(ty),
            _ => Shape::Array(ty, 2 + u32::from(self.pick(2) == 1)),
        }
    }

    /// A new variable, which can be used from now on.
    fn variable(&mut self, shape: Shape, is_global: bool) -> VariableId {
        let cells = match shape {
            Shape::Number(ty) => vec![ty],
            Shape::Counter => vec![Scalar::INT],
            Shape::Array(ty, length) => vec![ty; length as usize],
            Shape::Pointer => vec![Scalar::Pointer],
        };
        let variable = self.program.variables.push_and_get_key(Variable {
            name: format!("v{}", self.program.variables.len()),
            cells,
            shape: nopol_program::ir::Shape::Other,
            access: Default::default(),
            is_global,
            home: None,
            within: None,
            initially: Default::default(),
            is_constant: false,
            is_row: false,
        });
        self.scope.push((variable, shape));
        variable
    }

    fn node(&mut self) -> NodeId {
        self.program.nodes += 1;
        NodeId::new(self.program.nodes - 1)
    }

    fn place(&mut self, kind: PlaceKind) -> PlaceId {
        let number = u32::try_from(self.program.places.len()).unwrap_or(0);
        self.program.places.push_and_get_key(Place {
            kind,
            function: Some(self.program.functions.next_key()),
            span: Span::default(),
            target: None,
            line: number + 1,
            column: 1,
            text: format!("{kind:?} {number}"),
            offset: 0,
            names: Vec::new(),
            is_character: false,
        })
    }

    fn parameter_types(&self, function: FunctionId) -> Vec<Scalar> {
        let parameters = self.program.functions[function].parameters.iter();
        parameters
            .map(|parameter| self.program.variables[*parameter].cells[0])
            .collect()
    }
}

/// What a test's call gave, if it came that far.
fn returned(program: &Program, test: &Test, place: PlaceId) -> i128 {
    let limits = Limits {
        bound: BOUND,
        steps: 10_000,
        implicit: false,
        deadline: Deadline::Never,
    };
    let run = run(
        program,
        test,
        &limits,
        &mut Positions::default(),
        &HashMap::new(),
    );
    let evaluated = run
        .evaluated
        .iter()
        .find(|evaluated| evaluated.instance.place == place);
    match evaluated.map(|evaluated| evaluated.value) {
        Some(Value::Number(value)) => value,
        _ => 0,
    }
}

fn expr(kind: ExprKind, ty: Scalar) -> Expr {
    // As if it was written.
    let span = Span {
        end: 1,
        ..Span::default()
    };
    Expr { kind, ty, span }
}

fn load(lvalue: Lvalue, ty: Scalar) -> Expr {
    expr(ExprKind::Load(Box::new(lvalue)), ty)
}

fn constant(ty: Scalar, value: i128) -> Expr {
    expr(ExprKind::Constant(ty.wrap(value)), ty)
}
