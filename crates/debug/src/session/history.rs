//! What the user has asserted: a graph of checkpoints, each with the state that is right there and how control came from the
//! one before (Wolverine2, section 6.2). The specification is the way from the first checkpoint to the current one; to resume
//! another one is to take that one's way instead.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nopol_heap::effect::Effects;
use nopol_heap::ir::{Routine, VariableId};
use nopol_heap::machine::Point;
use nopol_heap::memory::Memory;
use nopol_heap::problem::{Control, Triple, Visit};
use nopol_heap::state::{State, Value};

use super::command::Named;
use crate::gdb::{FrameIdentity, Names, Snapshot};

/// What `change` changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// What has another value since then.
    pub named: Named,
    /// The value before.
    pub before: Value,
    /// How often the program had gone on, or back: it can be taken back only where the program still is.
    pub moves: usize,
}

/// An asserted state.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The one before.
    pub parent: Option<usize>,
    /// Where its call of the function began, and in which state, if it is the first one of that call.
    pub begin: Option<(Point, Memory)>,
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
    /// What the user changed since the one before.
    pub changed: Vec<Changed>,
    /// How control came from the one before; unknown if it went too fast to see.
    pub control: Control,
    /// What statements that are not modelled did on the way.
    pub effects: Effects,
    /// What it takes to go back there.
    pub kept: Arc<Saved>,
}

/// What it takes to go back to a checkpoint.
#[derive(Debug)]
pub struct Saved {
    /// The program; or why it cannot go back.
    pub program: Result<Snapshot, String>,
    /// The numbers of its nodes.
    pub names: Names,
    /// The activation of the function.
    pub frame: FrameIdentity,
    /// The variables that were assigned to.
    pub assigned: BTreeSet<VariableId>,
}

impl Checkpoint {
    /// The asserted state without what the user did not look at.
    fn asserted(&self, routine: &Routine, before: &Memory, trust: Trust) -> Memory {
        let mut memory = self.memory.clone();
        if trust == Trust::All {
            return memory;
        }
        for variable in &self.untouched {
            memory.variables[*variable] = Value::Unknown;
        }
        if trust == Trust::Variables {
            return memory;
        }
        let is_new = |number: usize| {
            let known = before.nodes.get(number);
            known.is_none_or(|node| node.fields.is_empty())
        };
        let nodes = (0_u32..).zip(&mut memory.nodes);
        for (number, node) in nodes.filter(|(number, _)| is_new(*number as usize)) {
            for (value, field) in node
                .fields
                .iter_mut()
                .zip(&routine.records[node.record].fields)
            {
                let is_it = |changed: &Changed| matches!(&changed.named, Named::Field(id, name) if id.0 == number && *name == field.name);
                if !self.changed.iter().any(is_it) {
                    *value = Value::Unknown;
                }
            }
        }
        memory
    }
}

/// How much of a state counts that the user did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// All of it.
    All,
    /// All but the local variables.
    Variables,
    /// Neither those, nor the fields of nodes that were made since the state before: who makes a node may leave in it what lay
    /// there.
    NewNodes,
}

/// The way from a state to where the session is.
#[derive(Clone, Debug)]
pub struct Since {
    /// Where the call began, if there was no checkpoint in it.
    pub begin: Option<(Point, Memory)>,
    /// The heads of loops that were passed.
    pub visits: Vec<Visit>,
    /// What statements that are not modelled did.
    pub effects: Effects,
    /// Where the session is.
    pub to: Point,
}

/// All checkpoints of a function.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The checkpoints, by their numbers.
    pub checkpoints: BTreeMap<usize, Checkpoint>,
    /// The one that the session is at or after.
    pub current: Option<usize>,
}

impl History {
    /// A checkpoint more, after the current one. Its number.
    pub fn push(&mut self, checkpoint: Checkpoint) -> usize {
        let last = self.checkpoints.last_key_value();
        let number = last.map_or(0, |(last, _)| last + 1);
        self.checkpoints.insert(number, checkpoint);
        self.current = Some(number);
        number
    }

    /// The checkpoints that come next after this one.
    pub fn after(&self, number: usize) -> Vec<usize> {
        let all = self.checkpoints.iter();
        let after = all.filter(|(_, checkpoint)| checkpoint.parent == Some(number));
        after.map(|(number, _)| *number).collect()
    }

    /// The numbers of the checkpoints that count, the first one first.
    pub fn chain(&self) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = self.current;
        while let Some(number) = at {
            chain.push(number);
            at = self.checkpoints[&number].parent;
        }
        chain.reverse();
        chain
    }

    /// One triple for each checkpoint that counts, and one for what the user forced since.
    pub fn triples(&self, routine: &Routine, since: Option<Since>, trust: Trust) -> Vec<Triple> {
        let mut last: Option<(Point, Memory)> = None;
        let mut triples = Vec::new();
        for number in self.chain() {
            let checkpoint = &self.checkpoints[&number];
            let Some((from, before)) = checkpoint.begin.clone().or(last.take()) else {
                break;
            };
            let after = checkpoint.asserted(routine, &before, trust);
            triples.push(Triple {
                from,
                before,
                control: checkpoint.control.clone(),
                to: checkpoint.point,
                after,
                effects: checkpoint.effects.clone(),
            });
            last = Some((checkpoint.point, checkpoint.memory.clone()));
        }
        if let Some(since) = since
            && let Some((from, before)) = since.begin.or(last)
        {
            triples.push(Triple {
                from,
                before,
                control: Control::Along(since.visits),
                to: since.to,
                after: Memory::new(routine),
                effects: since.effects,
            });
        }
        triples
    }
}
