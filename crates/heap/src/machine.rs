//! Runs routines on memories: the forward semantics of Wolverine2 (section 3.1, figure "Forward Semantics"), in the plainest
//! form. It judges whatever the solver says.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use nopol_program::interpret::arithmetic::binary;
use nopol_program::ir::{BinaryOp, FaultKind, Overflow, Scalar};

use super::effect::Effects;
use super::ir::{
    Atom, Condition, Filling, Instruction, LoopId, Path, Routine, SlotId, StatementId, Term, fit,
};
use super::memory::{Entity, Memory};
use super::state::{NodeId, Value};

/// A program point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The beginning.
    Start,
    /// Before the condition of a loop is evaluated.
    Head(LoopId),
    /// Before an instruction, by its number.
    At(usize),
    /// The end.
    End,
}

/// Why a run cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A null pointer is dereferenced.
    Null(StatementId),
    /// A pointer is dereferenced that was never set, or that points to a freed node.
    Dangling(StatementId),
    /// Memory is freed that was never allocated, or was freed before.
    Free(StatementId),
    /// A condition depends on a value that was never set.
    Unknown(StatementId),
    /// A division by zero.
    Division(StatementId),
    /// A shift by too many bits.
    Shift(StatementId),
    /// A result that does not fit its type, where that is a failure.
    Overflow(StatementId),
    /// A statement that is not modelled is executed where it was not seen.
    Unseen(StatementId),
    /// The program exits.
    Exit,
    /// The run does not end.
    Endless,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null(_) => "a null pointer is dereferenced",
            Self::Dangling(_) => "an uninitialized or dangling pointer is dereferenced",
            Self::Free(_) => "memory is freed that was freed before or never allocated",
            Self::Unknown(_) => "a condition depends on an uninitialized value",
            Self::Shift(_) => "a number is shifted by too many bits",
            Self::Division(_) => "a number is divided by zero",
            Self::Overflow(_) => "a number overflows its type",
            Self::Unseen(_) => "it executes a statement that is not modelled",
            Self::Exit => "the program exits",
            Self::Endless => "it takes too many steps, or does not end",
        })
    }
}

/// What happened at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The statement; none if it was inserted.
    pub statement: Option<StatementId>,
    /// What it read.
    pub reads: Vec<Entity>,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// An entity was written.
    Wrote {
        /// Which one.
        entity: Entity,
        /// What it held before.
        before: Value,
        /// What it holds now.
        value: Value,
    },
    /// A condition was evaluated.
    Decided(bool),
    /// A number was printed, or a text that is not modelled.
    Printed(Option<Value>),
    /// A fault.
    Faulted,
}

/// A run on its way.
#[derive(Clone, Debug)]
pub struct Machine<'r> {
    routine: &'r Routine,
    /// The memory.
    pub memory: Memory,
    /// The next instruction.
    at: usize,
    /// How many instructions may still be executed.
    steps: u32,
    /// How many heads of loops were passed.
    visited: usize,
    /// What statements that are not modelled do.
    pub effects: Effects,
    reads: Vec<Entity>,
    /// What happened, if that is wanted.
    pub events: Option<Vec<Event>>,
    /// The slots that were passed, if it is wanted what happened.
    pub passed: BTreeSet<SlotId>,
}

/// Most instructions of a run on a few nodes.
const FEW_STEPS: u32 = 20_000;

/// Most instructions of a run.
const MOST_STEPS: u32 = 2_000_000;

/// Most instructions of a run on so many nodes, each of which may be compared with each other one.
fn most_steps(nodes: usize) -> u32 {
    let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
    let pairs = nodes.saturating_mul(nodes).saturating_mul(8);
    FEW_STEPS.saturating_add(pairs).min(MOST_STEPS)
}

impl Routine {
    /// The number of the instruction at a program point.
    pub fn position(&self, point: Point) -> usize {
        let found = match point {
            Point::Start => Some(0),
            Point::At(at) => Some(at),
            Point::Head(id) => self.code.iter().position(
                |instruction| matches!(instruction, Instruction::Head { id: other, .. } if *other == id),
            ),
            Point::End => None,
        };
        found.unwrap_or(self.code.len())
    }

    /// The freed node that the statement at an instruction uses in this memory: it reads or writes there, or frees it again.
    pub fn freed_use(&self, memory: Memory, at: usize) -> Option<NodeId> {
        let mut machine = Machine::at(self, memory, Point::At(at));
        let fault = loop {
            if let Err(fault) = machine.step(self.code.get(machine.at)?) {
                break fault;
            }
            if self.line_at(machine.at).is_some() {
                return None;
            }
        };
        let is_use = matches!(fault, Fault::Dangling(_) | Fault::Free(_));
        let pointer = machine.reads.last().filter(|_| is_use)?;
        match machine.memory.get(*pointer) {
            Value::Node(node) if machine.memory.node(node)?.is_freed => Some(node),
            _ => None,
        }
    }
}

impl<'r> Machine<'r> {
    /// At the beginning of the routine.
    pub fn new(routine: &'r Routine, memory: Memory) -> Self {
        Self {
            routine,
            steps: most_steps(memory.nodes.len()),
            memory,
            at: 0,
            visited: 0,
            effects: Effects::new(),
            reads: Vec::new(),
            events: None,
            passed: BTreeSet::new(),
        }
    }

    /// At a program point.
    pub fn at(routine: &'r Routine, memory: Memory, point: Point) -> Self {
        Self {
            at: routine.position(point),
            ..Self::new(routine, memory)
        }
    }

    /// Goes on until a condition of one of the routine's own loops is to be evaluated, or to the end, or to a point in between.
    ///
    /// # Errors
    /// If the run faults.
    pub fn advance(&mut self, to: Option<Point>) -> Result<Point, Fault> {
        let between = match to {
            Some(Point::At(at)) => Some(at),
            _ => None,
        };
        loop {
            if between == Some(self.at) {
                return Ok(Point::At(self.at));
            }
            let Some(instruction) = self.routine.code.get(self.at) else {
                return Ok(Point::End);
            };
            if let Instruction::Head { statement, id, .. } = instruction
                && !self.routine.statements[*statement].is_locked
            {
                return Ok(Point::Head(*id));
            }
            self.step(instruction)?;
        }
    }

    /// Evaluates the condition of the loop where the run pauses, and goes where it says, or where it is told to. Gives what
    /// the condition says.
    ///
    /// # Errors
    /// If the condition faults.
    pub fn decide(&mut self, forced: Option<bool>) -> Result<bool, Fault> {
        let Some(Instruction::Head {
            statement,
            condition,
            body,
            exit,
            ..
        }) = self.routine.code.get(self.at)
        else {
            return Ok(false);
        };
        let holds = self.decided(*statement, condition)?;
        self.visited += 1;
        self.at = if forced.unwrap_or(holds) {
            *body
        } else {
            *exit
        };
        Ok(holds)
    }

    fn step(&mut self, instruction: &'r Instruction) -> Result<(), Fault> {
        self.steps = self.steps.checked_sub(1).ok_or(Fault::Endless)?;
        self.reads.clear();
        self.at += 1;
        match instruction {
            Instruction::Declare(variable) => self.memory.variables[*variable] = Value::Unknown,
            Instruction::Assign(statement, term) => {
                let value = self.term(*statement, term);
                let done = value.and_then(|value| {
                    let Atom::Read(path) = &self.routine.statements[*statement].leaves[0].atom
                    else {
                        return Ok(());
                    };
                    self.write(Some(*statement), path, value)
                });
                self.note_fault(*statement, done)?;
            }
            Instruction::Clear(statement, leaf) => {
                let of = &self.routine.statements[*statement];
                if let Atom::Read(path) = &of.leaves[*leaf].atom {
                    let done = self.write(Some(*statement), path, Value::Null);
                    self.note_fault(*statement, done)?;
                }
            }
            Instruction::Test(statement, condition, otherwise) => {
                if !self.decided(*statement, condition)? {
                    self.at = *otherwise;
                }
            }
            Instruction::Head {
                statement,
                condition,
                body,
                exit,
                ..
            } => {
                self.at = match self.decided(*statement, condition)? {
                    true => *body,
                    false => *exit,
                };
            }
            Instruction::Jump(to) | Instruction::Back(to) => self.at = *to,
            Instruction::Free(statement, term) => {
                let done = self.free(*statement, term);
                self.note_fault(*statement, done)?;
            }
            Instruction::Use(statement, term) => {
                let done = self.term(*statement, term);
                let value = self.note_fault(*statement, done)?;
                self.printed(Some(value));
            }
            Instruction::Print => self.printed(None),
            Instruction::Concrete(statement) => {
                let done = self.concrete(*statement);
                self.note_fault(*statement, done)?;
            }
            Instruction::Halt => return Err(Fault::Exit),
            Instruction::Slot(slot) => {
                if self.events.is_some() {
                    self.passed.insert(*slot);
                }
                for insertion in &self.routine.insertions {
                    if insertion.slot == *slot {
                        self.reads.clear();
                        let nobody = StatementId::new(u32::MAX);
                        let value = self.atom(nobody, &insertion.value)?;
                        self.write(None, &insertion.target, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes that something is printed, which nothing in the memory depends on.
    fn printed(&mut self, value: Option<Value>) {
        if let Some(events) = &mut self.events {
            events.push(Event {
                statement: None,
                reads: Vec::new(),
                kind: EventKind::Printed(value),
            });
        }
    }

    /// Does what was seen.
    fn concrete(&mut self, statement: StatementId) -> Result<(), Fault> {
        let seen = self.effects.get(&(self.visited, self.at - 1)).cloned();
        let effect = seen.ok_or(Fault::Unseen(statement))?;
        if !effect.nodes.is_empty() && effect.known != self.memory.nodes.len() {
            return Err(Fault::Unseen(statement));
        }
        self.memory.nodes.extend(effect.nodes);
        for (entity, value) in effect.values {
            self.wrote(Some(statement), entity, value);
        }
        Ok(())
    }

    fn free(&mut self, statement: StatementId, term: &'r Term) -> Result<(), Fault> {
        match self.term(statement, term)? {
            Value::Node(node)
                if self
                    .memory
                    .node(node)
                    .is_some_and(|node| !node.is_freed && !node.is_fixed) =>
            {
                self.wrote(Some(statement), Entity::Freed(node), Value::Number(1));
                Ok(())
            }
            Value::Null => Ok(()),
            Value::Node(_) => Err(Fault::Free(statement)),
            _ => Err(Fault::Dangling(statement)),
        }
    }

    fn decided(&mut self, statement: StatementId, condition: &'r Condition) -> Result<bool, Fault> {
        self.reads.clear();
        let holds = self.condition(statement, condition);
        let holds = self.note_fault(statement, holds)?;
        if let Some(events) = &mut self.events {
            events.push(Event {
                statement: Some(statement),
                reads: self.reads.clone(),
                kind: EventKind::Decided(holds),
            });
        }
        Ok(holds)
    }

    fn note_fault<T>(
        &mut self,
        statement: StatementId,
        done: Result<T, Fault>,
    ) -> Result<T, Fault> {
        if done.is_err()
            && let Some(events) = &mut self.events
        {
            events.push(Event {
                statement: Some(statement),
                reads: self.reads.clone(),
                kind: EventKind::Faulted,
            });
        }
        done
    }

    fn condition(
        &mut self,
        statement: StatementId,
        condition: &'r Condition,
    ) -> Result<bool, Fault> {
        Ok(match condition {
            Condition::Constant(holds) => *holds,
            Condition::Not(inner) => !self.condition(statement, inner)?,
            Condition::And(first, second) => {
                self.condition(statement, first)? && self.condition(statement, second)?
            }
            Condition::Or(first, second) => {
                self.condition(statement, first)? || self.condition(statement, second)?
            }
            Condition::Compare {
                number,
                left,
                right,
            } => {
                let left = self.term(statement, left)?;
                let right = self.term(statement, right)?;
                if left == Value::Unknown || right == Value::Unknown {
                    return Err(Fault::Unknown(statement));
                }
                let ordering = match (left, right) {
                    (Value::Number(left), Value::Number(right)) => left.cmp(&right),
                    (left, right) => left.cmp(&right),
                };
                self.routine.statements[statement].comparisons[*number]
                    .comparison
                    .holds(Some(ordering))
            }
        })
    }

    fn term(&mut self, statement: StatementId, term: &'r Term) -> Result<Value, Fault> {
        Ok(match term {
            Term::Leaf(leaf) => {
                let leaf = &self.routine.statements[statement].leaves[*leaf];
                let value = self.atom(statement, &leaf.atom)?;
                leaf.ty.fit(value)
            }
            Term::Implied(atom) => self.atom(statement, atom)?,
            Term::Fresh(record, filling) => {
                let is_zeroed = *filling == Filling::Zero;
                Value::Node(self.memory.allocate(self.routine, *record, is_zeroed))
            }
            Term::Arithmetic(op, overflow, scalar, left, right) => {
                let left = self.term(statement, left)?;
                let right = self.term(statement, right)?;
                arithmetic((*op, *overflow), *scalar, left, right)
                    .map_err(|fault| fault.at(statement))?
            }
            Term::Convert(scalar, inner) => converted(*scalar, self.term(statement, inner)?),
            Term::Choose(condition, then, otherwise) => {
                match self.condition(statement, condition)? {
                    true => self.term(statement, then)?,
                    false => self.term(statement, otherwise)?,
                }
            }
        })
    }

    fn atom(&mut self, statement: StatementId, atom: &Atom) -> Result<Value, Fault> {
        Ok(match atom {
            Atom::Null => Value::Null,
            Atom::Number(number) => Value::Number(*number),
            Atom::Read(path) => {
                let entity = self.locate(statement, path)?;
                self.reads.push(entity);
                self.memory.get(entity)
            }
        })
    }

    /// What a path leads to.
    fn locate(&mut self, statement: StatementId, path: &Path) -> Result<Entity, Fault> {
        let mut entity = Entity::Variable(path.base);
        for field in &path.fields {
            self.reads.push(entity);
            entity = match self.memory.get(entity) {
                Value::Node(node) if self.memory.node(node).is_some_and(|node| !node.is_freed) => {
                    Entity::Field(node, *field)
                }
                Value::Null => return Err(Fault::Null(statement)),
                _ => return Err(Fault::Dangling(statement)),
            };
        }
        Ok(entity)
    }

    fn write(
        &mut self,
        statement: Option<StatementId>,
        path: &Path,
        value: Value,
    ) -> Result<(), Fault> {
        let nobody = StatementId::new(u32::MAX);
        let entity = self.locate(statement.unwrap_or(nobody), path)?;
        let ty = self.routine.type_of(path);
        let value = ty.map_or(value, |ty| ty.fit(value));
        self.wrote(statement, entity, value);
        Ok(())
    }

    fn wrote(&mut self, statement: Option<StatementId>, entity: Entity, value: Value) {
        if let Some(events) = &mut self.events {
            events.push(Event {
                statement,
                reads: self.reads.clone(),
                kind: EventKind::Wrote {
                    entity,
                    before: self.memory.get(entity),
                    value,
                },
            });
        }
        self.memory.set(entity, value);
    }
}

/// Why an operator between numbers has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoResult {
    /// A division by zero.
    Division,
    /// A shift by too many bits.
    Shift,
    /// It does not fit its type.
    Overflow,
}

impl NoResult {
    const fn at(self, statement: StatementId) -> Fault {
        match self {
            Self::Division => Fault::Division(statement),
            Self::Shift => Fault::Shift(statement),
            Self::Overflow => Fault::Overflow(statement),
        }
    }
}

/// The result of an operator between numbers, as a formula's interpreter has it.
pub(super) fn arithmetic(
    (op, overflow): (BinaryOp, Overflow),
    scalar: Scalar,
    left: Value,
    right: Value,
) -> Result<Value, NoResult> {
    let (Value::Number(left), Value::Number(right)) = (left, right) else {
        return Ok(Value::Unknown);
    };
    match binary(op, overflow, scalar, left, right) {
        (_, Some(FaultKind::DivisionByZero)) => Err(NoResult::Division),
        (_, Some(FaultKind::Shift)) => Err(NoResult::Shift),
        (_, Some(FaultKind::Overflow)) => Err(NoResult::Overflow),
        (result, _) => Ok(Value::Number(result)),
    }
}

/// A value as another type of numbers has it.
pub(super) fn converted(scalar: Scalar, value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(fit(scalar, number)),
        Value::Null | Value::Node(_) | Value::Unknown => value,
    }
}
