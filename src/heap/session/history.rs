//! What the user has asserted: a graph of checkpoints, each with the state that is right there and how control came from the
//! one before (Wolverine2, section 6.2). The specification is the way from the first checkpoint to the current one; to resume
//! another one is to take that one's way instead.

use crate::heap::ir::{Routine, VariableId};
use crate::heap::machine::Point;
use crate::heap::memory::Memory;
use crate::heap::problem::{Control, Triple, Visit};
use crate::heap::state::{State, Value};

/// An asserted state.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The one before.
    pub parent: Option<usize>,
    /// Where it is.
    pub point: Point,
    /// The instruction there.
    pub at: usize,
    /// The line, counted from 1.
    pub line: u32,
    /// The asserted state.
    pub memory: Memory,
    /// The same as it was shown.
    pub state: State,
    /// The local variables that the user did not change: they are asserted only as long as that leads to a repair.
    pub untouched: Vec<VariableId>,
    /// How control came from the one before; unknown if it went too fast to see.
    pub control: Control,
}

/// All checkpoints of an activation of a function.
#[derive(Clone, Debug)]
pub struct History {
    /// The state in which the activation began.
    pub begin: (Point, Memory),
    /// The checkpoints, by their numbers.
    pub checkpoints: Vec<Checkpoint>,
    /// The one that the session is at or after.
    pub current: Option<usize>,
}

impl History {
    /// Nothing is asserted yet.
    pub const fn new(point: Point, memory: Memory) -> Self {
        Self {
            begin: (point, memory),
            checkpoints: Vec::new(),
            current: None,
        }
    }

    /// The numbers of the checkpoints that count, the first one first.
    pub fn chain(&self) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = self.current;
        while let Some(number) = at {
            chain.push(number);
            at = self.checkpoints[number].parent;
        }
        chain.reverse();
        chain
    }

    /// One triple for each checkpoint that counts, and one for what the user forced since. Without the local variables that
    /// the user did not change if `is_loose`.
    pub fn triples(
        &self,
        routine: &Routine,
        since: Option<(Vec<Visit>, Point)>,
        is_loose: bool,
    ) -> Vec<Triple> {
        let (mut from, mut before) = self.begin.clone();
        let mut triples = Vec::new();
        for number in self.chain() {
            let checkpoint = &self.checkpoints[number];
            let mut after = checkpoint.memory.clone();
            for variable in checkpoint.untouched.iter().filter(|_| is_loose) {
                after.variables[*variable] = Value::Unknown;
            }
            triples.push(Triple {
                from,
                before: before.clone(),
                control: checkpoint.control.clone(),
                to: checkpoint.point,
                after,
            });
            from = checkpoint.point;
            before = checkpoint.memory.clone();
        }
        if let Some((visits, to)) = since {
            triples.push(Triple {
                from,
                before,
                control: Control::Along(visits),
                to,
                after: Memory::new(routine),
            });
        }
        triples
    }
}
