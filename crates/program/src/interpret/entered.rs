//! The memory at the moments when a function is entered, for those who go on from there by other means.

use std::collections::HashMap;

use super::memory::Memory;
use super::{Address, End, Frame, Interpreter, Limits, Value, stack};
use crate::ir::{FunctionId, Program, Test, VariableId};
use crate::position::Positions;

/// Most moments of a run that are kept.
const MOST: usize = 256;

/// The memory when a function was entered, with its arguments.
#[derive(Clone, Debug)]
pub struct Entered<'p> {
    memory: Memory<'p>,
    globals: Frame,
    frame: Frame,
}

impl Entered<'_> {
    /// What is in a cell of a global variable or a parameter.
    pub fn variable(&self, variable: VariableId, cell: u32) -> Option<Value> {
        let object = self
            .frame
            .get(&variable)
            .or_else(|| self.globals.get(&variable))?;
        self.read(Address::new(*object, i64::from(cell)))
    }

    /// Whether the run wrote into an existing cell.
    pub fn is_set(&self, address: Address) -> bool {
        self.memory.is_set(address)
    }

    /// Whether the run gave the object of a cell back.
    pub fn is_freed(&self, address: Address) -> bool {
        self.memory.is_freed(address.object)
    }

    /// Whether a cell is the first one of an object that the run allocated.
    pub fn is_allocated(&self, address: Address) -> bool {
        self.memory.is_allocated(address)
    }

    /// What is in a cell.
    pub fn read(&self, address: Address) -> Option<Value> {
        self.memory.read(address)
    }
}

/// The memory whenever a test's run enters a function.
pub fn entries<'p>(
    program: &'p Program,
    test: &'p Test,
    limits: &Limits,
    function: FunctionId,
) -> Vec<Entered<'p>> {
    run_with_entries(program, test, limits, function).0
}

/// The same, and how the run ends.
pub fn run_with_entries<'p>(
    program: &'p Program,
    test: &'p Test,
    limits: &Limits,
    function: FunctionId,
) -> (Vec<Entered<'p>>, End) {
    let none = HashMap::new();
    let mut positions = Positions::default();
    stack::on_large_stack(|stack| {
        let mut interpreter = Interpreter::new(program, *limits, &mut positions, &none, stack);
        interpreter.watched = Some(function);
        let end = interpreter.test(&test.entry);
        let is_enough = !interpreter.is_too_deep;
        ((interpreter.entered, end), is_enough)
    })
}

impl Interpreter<'_, '_> {
    /// Notes the memory if this is the function that is watched.
    pub(super) fn note_entry(&mut self, function: FunctionId) {
        if self.watched == Some(function) && self.entered.len() < MOST {
            self.entered.push(Entered {
                memory: self.memory.clone(),
                globals: self.globals.clone(),
                frame: self.frame.clone(),
            });
        }
    }
}
