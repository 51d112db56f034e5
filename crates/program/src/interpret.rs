//! Runs programs: the meaning of [`super::ir`] in the plainest form, which judges the circuits of `nopol_formula`.
//!
//! # Positions
//! A run begins at [`Positions::ROOT`], with the initializers of the globals, and the entry is there, too. A call is in
//! its own position, and so is every iteration of a loop: its condition, its body and its update. A loop that tests
//! first evaluates its condition in one position more than it has bodies; in one that does not, the condition of an
//! iteration comes after its body and update.
//!
//! # Choices where the contract says nothing
//! - An index outside of its array, but within the object, is a fault; if that does not count, the cell there is
//!   read or written.
//! - Pointers into different objects, or null, have no order and no distance: [`FaultKind::OutOfBounds`], false and 0.
//! - The remainder of the smallest number by -1 is 0 and the same fault as the quotient, as in C and Rust.
//! - A parameter of many cells takes one argument for each, or, if there are as many arguments as parameters, the
//!   address of its cells.
//! - `Print` gives the number of bytes, as `printf` does; what is printed after 1 MiB is dropped.
//! - `Builtin::Exit` in an [`Entry::Function`] is a wrong exit, whatever the code.
//! - An angelic value at a place of pointers only suppresses faults, as there are no angelic pointers.

pub mod arithmetic;
mod builtin;
mod choices;
mod entered;
mod expression;
mod format;
mod lvalue;
mod memory;
mod stack;
mod statement;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use foldhash::fast::FixedState;
use nopol_basics::deadline::Deadline;
use typed_index_collections::TiVec;

use super::ir::{
    Dialect, Entry, Expected, FaultKind, Function, FunctionId, Initially, Made, NodeId, Outside,
    Program, Scalar, Span, Test, VariableId,
};
use super::position::{Instance, PositionId, Positions};
pub use entered::{Entered, entries, run_with_entries};
use format::Input;
use memory::Memory;
pub use memory::ObjectId;
use stack::Stack;
pub use value::{Address, Value};

/// How long a run may be, and what counts in it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most iterations of one entry of a loop, and most activations of one function at once.
    pub bound: u32,
    /// Most statements and iterations in all. Each 64 cells or bytes handled at once count as one more.
    pub steps: u64,
    /// Whether faults count that the program does not state; some always do ([`FaultKind::counts`]).
    pub implicit: bool,
    /// When the run is given up.
    pub deadline: Deadline,
}

/// So many steps are taken before the deadline is asked again.
const STEPS_BETWEEN: u64 = 1024;

/// What an evaluation of a place uses instead of what the program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Angelic {
    /// The value, as a number of the expression's type.
    pub value: i128,
    /// The index, if the outermost part of an assignment's target is one.
    pub index: Option<i128>,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The test passes.
    Passed,
    /// The first fault that counts.
    Fault(FaultKind, Span),
    /// The exit code is right, but not the output.
    WrongOutput,
    /// This exit code is wrong.
    WrongExit(i32),
    /// A loop or a call has more iterations or activations than may be.
    Bound(NodeId),
    /// An assumption does not hold: the run does not count.
    Assumption,
    /// The run comes to something that is beyond what is modelled: nothing is known of the rest.
    Outside(Box<Outside>),
    /// The run takes too many steps, too much memory or too deep a recursion.
    Steps,
    /// The deadline came first: nothing is known of the run.
    Late,
}

/// An evaluation of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// Which one.
    pub instance: Instance,
    /// The value that was used.
    pub value: Value,
    /// The index that was used, if the outermost part of an assignment's target is one.
    pub index: Option<i128>,
    /// Whether the value is angelic.
    pub is_angelic: bool,
    /// The value and the index that the program computes there by itself.
    pub original: (Value, Option<i128>),
    /// Whether the program by itself would have had a fault there.
    pub spares_fault: bool,
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The places whose values were used, in order.
    pub evaluated: Vec<Evaluated>,
    /// The places that were being evaluated or assigned when the run ended by something other than an exit, innermost
    /// first. The value of a place whose target faults is in [`Self::evaluated`], too.
    pub unfinished: Vec<Instance>,
    /// The branches, in order: conditions of `If` and `Loop`, whether `Logical` evaluates its second operand, and
    /// conditions of `Conditional`.
    pub branches: Vec<(PositionId, NodeId, bool)>,
    /// Standard output.
    pub output: Vec<u8>,
    /// The choices that, made otherwise, would have given another value somewhere: as long as none of them is, the run
    /// stays the same.
    pub telling: FixedBitSet,
}

/// Runs a test, with other values at these places.
pub fn run(
    program: &Program,
    test: &Test,
    limits: &Limits,
    positions: &mut Positions,
    angelic: &HashMap<Instance, Angelic>,
) -> Run {
    stack::on_large_stack(|stack| {
        let mut interpreter = Interpreter::new(program, *limits, positions, angelic, stack);
        let end = interpreter.test(&test.entry);
        let is_enough = !interpreter.is_too_deep;
        (interpreter.finish(end), is_enough)
    })
}

/// Like [`run`], but calls one function with these numbers, one for each cell of its parameters. Gives its result, too,
/// if it returns one.
pub fn call(
    program: &Program,
    function: FunctionId,
    arguments: &[i128],
    limits: &Limits,
    positions: &mut Positions,
    angelic: &HashMap<Instance, Angelic>,
) -> (Run, Option<Value>) {
    stack::on_large_stack(|stack| {
        let mut interpreter = Interpreter::new(program, *limits, positions, angelic, stack);
        let (end, result) = interpreter.called(function, arguments);
        let is_enough = !interpreter.is_too_deep;
        ((interpreter.finish(end), result), is_enough)
    })
}

/// Like [`run`], without angelic values, but with choices made.
pub fn run_mutant(
    program: &Program,
    test: &Test,
    limits: &Limits,
    positions: &mut Positions,
    made: &Made,
) -> Run {
    let none = HashMap::new();
    stack::on_large_stack(|stack| {
        let mut interpreter = Interpreter::new(program, *limits, positions, &none, stack);
        interpreter.made = Cow::Borrowed(made);
        let end = interpreter.test(&test.entry);
        let is_enough = !interpreter.is_too_deep;
        (interpreter.finish(end), is_enough)
    })
}

/// Like [`call`], without angelic values, but with choices made.
pub fn call_mutant(
    program: &Program,
    function: FunctionId,
    arguments: &[i128],
    limits: &Limits,
    positions: &mut Positions,
    made: &Made,
) -> (Run, Option<Value>) {
    let none = HashMap::new();
    stack::on_large_stack(|stack| {
        let mut interpreter = Interpreter::new(program, *limits, positions, &none, stack);
        interpreter.made = Cow::Borrowed(made);
        let (end, result) = interpreter.called(function, arguments);
        let is_enough = !interpreter.is_too_deep;
        ((interpreter.finish(end), result), is_enough)
    })
}

/// What leaves an expression or statement before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Jump {
    Break(NodeId),
    Continue(NodeId),
    /// The value is in [`Interpreter::result`].
    Return,
    Exit(i128),
    End(End),
}

/// The result of a part of a run.
type Flow<T> = Result<T, Jump>;

/// The local variables of an activation.
type Frame = HashMap<VariableId, ObjectId, FixedState>;

/// A run on its way.
struct Interpreter<'p, 'a> {
    program: &'p Program,
    limits: Limits,
    angelic: &'a HashMap<Instance, Angelic>,
    positions: &'a mut Positions,
    position: PositionId,
    stack: Stack,
    /// Whether the stack ended before the run.
    is_too_deep: bool,
    steps: u64,
    memory: Memory<'p>,
    globals: Frame,
    /// Whether the globals have their first values. Those that are all zero are made when they are used.
    are_globals_set: bool,
    frame: Frame,
    /// How often each function is active.
    active: TiVec<FunctionId, u32>,
    /// What the function that is being left returns.
    result: Option<Value>,
    /// Whether faults do not count: within the expression of an angelic place.
    is_suppressed: bool,
    /// Number of faults that did not count because of that.
    spared: Cell<u32>,
    input: Input<'p>,
    output: Vec<u8>,
    evaluated: Vec<Evaluated>,
    unfinished: Vec<Instance>,
    branches: Vec<(PositionId, NodeId, bool)>,
    /// The choices that are made.
    made: Cow<'a, Made>,
    telling: FixedBitSet,
    /// The function whose entries are noted.
    watched: Option<FunctionId>,
    entered: Vec<Entered<'p>>,
}

/// What may be moved without being used: a value, and whether it was ever set.
type Carried = (Value, bool);

impl<'p, 'a> Interpreter<'p, 'a> {
    fn new(
        program: &'p Program,
        limits: Limits,
        positions: &'a mut Positions,
        angelic: &'a HashMap<Instance, Angelic>,
        stack: Stack,
    ) -> Self {
        Self {
            program,
            limits,
            angelic,
            positions,
            position: Positions::ROOT,
            stack,
            is_too_deep: false,
            steps: 0,
            memory: Memory::default(),
            globals: Frame::default(),
            are_globals_set: false,
            frame: Frame::default(),
            active: program.functions.iter().map(|_| 0).collect(),
            result: None,
            is_suppressed: false,
            spared: Cell::default(),
            input: Input::default(),
            output: Vec::new(),
            evaluated: Vec::new(),
            unfinished: Vec::new(),
            branches: Vec::new(),
            made: Cow::Owned(Made::new()),
            telling: FixedBitSet::new(),
            watched: None,
            entered: Vec::new(),
        }
    }

    fn finish(self, end: End) -> Run {
        Run {
            end,
            evaluated: self.evaluated,
            unfinished: self.unfinished,
            branches: self.branches,
            output: self.output,
            telling: self.telling,
        }
    }

    /// Calls a function in a run of its own. The caller uses its result.
    fn called(&mut self, function: FunctionId, arguments: &[i128]) -> (End, Option<Value>) {
        let arguments: Vec<_> = arguments.iter().copied().map(Value::Number).collect();
        let done = self
            .globals()
            .and_then(|()| self.enter(function, &arguments))
            .and_then(|result| {
                let is_due = (self.function(function)).is_some_and(|of| of.result.is_some());
                if is_due && result.is_none() {
                    self.fault(FaultKind::NoResult, Span::default())?;
                }
                Ok(result)
            });
        match done {
            Ok(result) => (End::Passed, result),
            Err(Jump::End(end)) => (end, None),
            Err(Jump::Exit(code)) => (End::WrongExit(as_shell_sees(code)), None),
            Err(Jump::Break(_) | Jump::Continue(_) | Jump::Return) => (End::Passed, None),
        }
    }

    /// Runs a test and judges it.
    fn test(&mut self, entry: &'p Entry) -> End {
        let done = match self.globals() {
            Ok(()) => self.entry(entry),
            Err(jump) => Err(jump),
        };
        match (done, entry) {
            (Err(Jump::End(end)), _) => end,
            (Err(Jump::Exit(code)), Entry::Main { exit, output, .. }) => {
                self.judge(code, *exit, output.as_ref())
            }
            (Err(Jump::Exit(code)), Entry::Function(_)) => End::WrongExit(as_shell_sees(code)),
            (done, Entry::Main { exit, output, .. }) => {
                let code = done.ok().flatten().map_or(0, Value::number);
                self.judge(code, *exit, output.as_ref())
            }
            (_, Entry::Function(_)) => End::Passed,
        }
    }

    fn judge(&self, code: i128, exit: i32, output: Option<&Expected>) -> End {
        let code = as_shell_sees(code);
        if code != exit {
            End::WrongExit(code)
        } else if output.is_none_or(|output| format::is_expected(&self.output, output)) {
            End::Passed
        } else {
            End::WrongOutput
        }
    }

    /// Initializes the globals.
    fn globals(&mut self) -> Flow<()> {
        if let Err(jump @ (Jump::Exit(_) | Jump::End(_))) = self.block(&self.program.globals) {
            return Err(jump);
        }
        for (variable, object) in &self.globals {
            if self.is_constant(*variable) {
                self.memory.make_constant(*object);
            }
        }
        self.are_globals_set = true;
        Ok(())
    }

    /// Runs what a test runs; gives what it returns.
    fn entry(&mut self, entry: &'p Entry) -> Flow<Option<Value>> {
        match entry {
            Entry::Function(function) => self.enter(*function, &[]),
            Entry::Main {
                main,
                arguments,
                input,
                ..
            } => {
                self.input = Input::new(input);
                let argc = Value::Number(i128::try_from(arguments.len()).unwrap_or(0));
                let argv = self.strings(arguments)?;
                self.enter(*main, &[argc, Value::Pointer(Some(argv))])
            }
        }
    }

    /// An array of pointers to strings, and null at its end.
    fn strings(&mut self, strings: &[Vec<u8>]) -> Flow<Address> {
        let pointers = vec![Scalar::Pointer; strings.len() + 1];
        let array = self.new_object(Cow::Owned(pointers), Initially::Zero)?;
        for (at, bytes) in (0_i128..).zip(strings) {
            let characters = vec![Scalar::CHAR; bytes.len() + 1];
            let string = self.new_object(Cow::Owned(characters), Initially::Zero)?;
            self.write_string(Some(string), bytes, Span::default())?;
            self.write_at(
                Some(array),
                at,
                Value::Pointer(Some(string)),
                Span::default(),
            )?;
        }
        Ok(array)
    }

    /// Runs a function at the current position, with an argument for each cell of its parameters.
    fn enter(&mut self, callee: FunctionId, arguments: &[Value]) -> Flow<Option<Value>> {
        let Some(function) = self.function(callee) else {
            return Ok(None);
        };
        self.active[callee] += 1;
        let caller = std::mem::take(&mut self.frame);
        let mut arguments = arguments.iter();
        for parameter in &function.parameters {
            let address = self.declare(*parameter)?;
            for (cell, value) in (0..self.cells(*parameter).len()).zip(arguments.by_ref()) {
                let cell = i128::try_from(cell).unwrap_or(0);
                self.memory.write(address.plus(cell), *value);
            }
        }
        self.note_entry(callee);
        let done = self.block(&function.body);
        let frame = std::mem::replace(&mut self.frame, caller);
        for (variable, object) in frame {
            match self.program.dialect {
                Dialect::C => self.end_object(variable, object),
                Dialect::Rust => self.memory.release(object),
            }
        }
        self.active[callee] -= 1;
        let result = self.result.take();
        match done {
            Err(Jump::Return) => Ok(result.zip(function.result).map(|(value, ty)| value.fit(ty))),
            Err(jump @ (Jump::Exit(_) | Jump::End(_))) => Err(jump),
            Ok(()) | Err(Jump::Break(_) | Jump::Continue(_)) => Ok(None),
        }
    }

    /// Makes a new object for a variable.
    fn declare(&mut self, variable: VariableId) -> Flow<Address> {
        let cells = self.cells(variable);
        let declared = self.program.variables.get(variable);
        let initially = declared.map_or(Initially::Zero, |variable| variable.initially);
        self.spend(u64::try_from(cells.len() / 64).unwrap_or(u64::MAX))?;
        if let Some(before) = self.scope(variable).remove(&variable) {
            self.memory.release(before);
        }
        let object = self
            .memory
            .allocate(Cow::Borrowed(cells), initially)
            .ok_or(Jump::End(End::Steps))?;
        self.scope(variable).insert(variable, object);
        Ok(Address::new(object, 0))
    }

    /// A variable of C is no more there, if it ever was.
    fn end(&mut self, variable: VariableId) {
        if let Some(object) = self.frame.remove(&variable) {
            self.end_object(variable, object);
        }
    }

    /// The object of a variable of C is no more there, nor is the array that belongs to it.
    fn end_object(&mut self, variable: VariableId, object: ObjectId) {
        let declared = self.program.variables.get(variable);
        if declared.is_some_and(|declared| declared.is_row)
            && let Some(row) = (self.memory.read(Address::new(object, 0))).and_then(Value::address)
        {
            self.memory.end(row.object);
        }
        self.memory.end(object);
    }

    /// The first cell of a variable, which is made if it was not declared: globals are not.
    fn variable(&mut self, variable: VariableId) -> Flow<Address> {
        match self.scope(variable).get(&variable) {
            Some(object) => Ok(Address::new(*object, 0)),
            None => {
                let address = self.declare(variable)?;
                if self.are_globals_set && self.is_constant(variable) {
                    self.memory.make_constant(address.object);
                }
                Ok(address)
            }
        }
    }

    /// Whether nothing may write to a variable once the globals are initialized.
    fn is_constant(&self, variable: VariableId) -> bool {
        let declared = self.program.variables.get(variable);
        declared.is_some_and(|declared| declared.is_constant)
    }

    /// Where a variable's object is noted.
    fn scope(&mut self, variable: VariableId) -> &mut Frame {
        match self.program.variables.get(variable) {
            Some(variable) if variable.is_global => &mut self.globals,
            _ => &mut self.frame,
        }
    }

    /// The cells of a variable.
    fn cells(&self, variable: VariableId) -> &'p [Scalar] {
        self.program
            .variables
            .get(variable)
            .map_or(&[], |variable| &variable.cells)
    }

    fn function(&self, function: FunctionId) -> Option<&'p Function> {
        self.program.functions.get(function)
    }

    /// Ends the run if this fault counts.
    fn fault(&self, kind: FaultKind, span: Span) -> Flow<()> {
        if !kind.counts(self.limits.implicit) {
            return Ok(());
        }
        if self.is_suppressed {
            self.spared.set(self.spared.get().saturating_add(1));
            return Ok(());
        }
        Err(Jump::End(End::Fault(kind, span)))
    }

    /// Takes steps.
    fn spend(&mut self, steps: u64) -> Flow<()> {
        let before = self.steps;
        self.steps = self.steps.saturating_add(steps);
        if before / STEPS_BETWEEN != self.steps / STEPS_BETWEEN && self.limits.deadline.is_over() {
            return Err(Jump::End(End::Late));
        }
        if self.steps > self.limits.steps {
            return Err(Jump::End(End::Steps));
        }
        Ok(())
    }

    /// Ends a run that is too deep.
    fn check_stack(&mut self) -> Flow<()> {
        if self.stack.is_full() {
            self.is_too_deep = true;
            return Err(Jump::End(End::Steps));
        }
        Ok(())
    }
}

/// An exit code's low 8 bits.
fn as_shell_sees(code: i128) -> i32 {
    i32::try_from(code & 0xff).unwrap_or(0)
}
