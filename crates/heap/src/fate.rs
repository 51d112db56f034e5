//! The result of a test under a change of one function, as far as it follows from the runs of other changes.
//!
//! A run is a row of calls of the function, with code between them that no change touches. Two changes that leave the same behind
//! in each call of a run share all of it: the first call begins alike, hence so does the second one, and so on. The runs that
//! were made are kept as a tree: at each call the memory in which it begins, and where each effect of the call led. The machine
//! follows it in microseconds; only a change that does something new in some call has to be run with the whole program.

use std::collections::HashMap;

use nopol_program::interpret::End;

use super::ir::{Instruction, Routine};
use super::machine::{EventKind, Fault, Machine, Point};
use super::memory::{Memory, Node};
use super::state::{NodeId, Value};

/// Most calls of a run that are followed. Later calls are not distinguished: they have to be run.
pub const MOST_CALLS: usize = 40;

/// What a call leaves behind that others can see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Whether the program ends in it.
    is_exit: bool,
    /// Globals and the result.
    variables: Vec<Value>,
    /// The nodes that were there before, and those that can be reached, by the order in which they are.
    nodes: Vec<Node>,
    /// What happened, if the function prints: what it printed depends on it.
    events: Vec<EventKind>,
}

/// A call, in a tree of runs.
#[derive(Debug)]
struct Call {
    /// Where it begins. `None` if it is not followed.
    before: Option<Memory>,
    next: HashMap<Effect, Next>,
}

/// What comes after a call.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// Another call.
    Call(usize),
    /// The end of the test: whether it passes.
    End(bool),
}

/// The runs of one test that were made.
#[derive(Debug, Default)]
pub struct Runs {
    calls: Vec<Call>,
    /// Whether it passes, if it does not call the function: no change touches what it does.
    uncalled: Option<bool>,
    /// Whether the machine faulted where the program went on: then it does not know enough.
    is_blind: bool,
}

impl Runs {
    /// Whether the test passes with this routine. `None` if that has to be tried.
    pub fn fate(&self, routine: &Routine) -> Option<bool> {
        if self.uncalled.is_some() {
            return self.uncalled;
        }
        if self.is_blind {
            return None;
        }
        let mut at = 0;
        loop {
            let call = self.calls.get(at)?;
            let Ok(effect) = effect(routine, call.before.as_ref()?) else {
                // It would fault in the program, too.
                return Some(false);
            };
            match call.next.get(&effect)? {
                Next::Call(next) => at = *next,
                Next::End(passes) => return Some(*passes),
            }
        }
    }

    /// Adds a run of the test: the memory at each call of the function, where it is known, and how it ends.
    pub fn add(&mut self, routine: &Routine, entries: &[Option<Memory>], end: &End) {
        if entries.is_empty() {
            self.uncalled = Some(*end == End::Passed);
        }
        let mut from: Option<(usize, Effect)> = None;
        for (number, before) in entries.iter().take(MOST_CALLS).enumerate() {
            let at = self.follow(from.take(), before);
            let Some(before) = before else {
                return;
            };
            match effect(routine, before) {
                Ok(effect) => from = Some((at, effect)),
                Err(_) => {
                    let is_end = matches!(end, End::Fault(..) | End::Bound(_) | End::Steps);
                    self.is_blind |= !is_end || number + 1 < entries.len();
                    return;
                }
            }
        }
        if let Some((at, effect)) = from
            && entries.len() < MOST_CALLS
            && !is_within(routine, end)
        {
            let passes = *end == End::Passed;
            self.calls[at].next.insert(effect, Next::End(passes));
        }
    }

    /// The call that follows an effect of another one.
    fn follow(&mut self, from: Option<(usize, Effect)>, before: &Option<Memory>) -> usize {
        let known = match &from {
            None if self.calls.is_empty() => None,
            None => Some(0),
            Some((at, effect)) => match self.calls[*at].next.get(effect) {
                Some(Next::Call(next)) => Some(*next),
                Some(Next::End(_)) | None => None,
            },
        };
        known.unwrap_or_else(|| {
            let new = self.calls.len();
            self.calls.push(Call {
                before: before.clone(),
                next: HashMap::new(),
            });
            if let Some((at, effect)) = from {
                self.calls[at].next.insert(effect, Next::Call(new));
            }
            new
        })
    }
}

/// Whether a run ended by a fault in the function that the machine does not know, as an overflow: another change with the same effect
/// need not have it.
fn is_within(routine: &Routine, end: &End) -> bool {
    let End::Fault(_, at) = end else {
        return false;
    };
    let mut statements = routine.statements.iter().map(|of| of.whole);
    statements.any(|of| of.file == at.file && of.start <= at.start && at.end <= of.end)
}

/// What a call leaves behind.
///
/// # Errors
/// If it faults.
fn effect(routine: &Routine, before: &Memory) -> Result<Effect, Fault> {
    let prints = |of: &Instruction| matches!(of, Instruction::Print | Instruction::Use(..));
    let mut machine = Machine::new(routine, before.clone());
    machine.events = routine.code.iter().any(prints).then(Vec::new);
    let is_exit = match to_end(&mut machine) {
        Ok(()) => false,
        Err(Fault::Exit) => true,
        Err(fault) => return Err(fault),
    };
    let mut seen = Seen {
        known: before.nodes.len(),
        new: Vec::new(),
    };
    let after = machine.memory;
    let variables = after.variables.iter_enumerated();
    let variables = variables.filter(|(id, _)| {
        // Its exit code may depend on any of them.
        is_exit || routine.variables[*id].is_global || routine.result == Some(*id)
    });
    let variables = variables.map(|(_, value)| seen.value(*value)).collect();
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(id) = seen.node(nodes.len()) {
        let mut node = after.nodes[id].clone();
        for value in &mut node.fields {
            *value = seen.value(*value);
        }
        nodes.push(node);
    }
    let events = machine.events.into_iter().flatten();
    Ok(Effect {
        is_exit,
        variables,
        nodes,
        events: events.map(|event| event.kind).collect(),
    })
}

/// Runs a routine to its end.
///
/// # Errors
/// If it faults.
pub fn to_end(machine: &mut Machine<'_>) -> Result<(), Fault> {
    while let Point::Head(_) = machine.advance(None)? {
        machine.decide(None)?;
    }
    Ok(())
}

/// The nodes that can be reached: those that were there before keep their numbers, new ones get the next.
struct Seen {
    known: usize,
    new: Vec<usize>,
}

impl Seen {
    /// The node with a number.
    fn node(&self, number: usize) -> Option<usize> {
        match number.checked_sub(self.known) {
            None => Some(number),
            Some(new) => self.new.get(new).copied(),
        }
    }

    /// A value with the number of its node.
    fn value(&mut self, value: Value) -> Value {
        let Value::Node(NodeId(id)) = value else {
            return value;
        };
        let id = id as usize;
        if id < self.known {
            return value;
        }
        let at = self.new.iter().position(|other| *other == id);
        let at = at.unwrap_or_else(|| {
            self.new.push(id);
            self.new.len() - 1
        });
        let number = u32::try_from(self.known + at);
        Value::Node(NodeId(number.unwrap_or(u32::MAX)))
    }
}
