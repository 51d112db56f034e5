//! The function that is debugged, followed through its run: where control is, what was passed since the last assertion, and
//! which states gdb shows are to be believed.

use std::collections::BTreeSet;

use super::command::Named;
use super::history::{Checkpoint, History};
use super::place::Way;
use crate::heap::gdb::FrameIdentity;
use crate::heap::ir::VariableId;
use crate::heap::load::Loaded;
use crate::heap::memory::{Memory, Node};
use crate::heap::patch::Change;
use crate::heap::problem::{Control, Visit};
use crate::heap::state::{State, Value};

/// A function that is followed.
#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) loaded: Loaded,
    /// Which activation.
    pub(super) frame: FrameIdentity,
    /// The instruction that comes next; none before the first one.
    pub(super) at: Option<usize>,
    /// The variables that were assigned to.
    assigned: BTreeSet<VariableId>,
    /// The heads of loops that were passed since the last checkpoint; none if control went too fast to see.
    pub(super) visits: Option<Vec<Visit>>,
    /// Whether the user decided one of them.
    pub(super) is_forced: bool,
    pub(super) history: Option<History>,
    /// The patch in force.
    pub(super) changes: Vec<Change>,
    /// The lines that are right, as the user says.
    pub(super) concrete: BTreeSet<u32>,
}

impl Tracked {
    pub(super) const fn new(loaded: Loaded, frame: FrameIdentity) -> Self {
        Self {
            loaded,
            frame,
            at: None,
            assigned: BTreeSet::new(),
            visits: Some(Vec::new()),
            is_forced: false,
            history: None,
            changes: Vec::new(),
            concrete: BTreeSet::new(),
        }
    }

    /// Control came to this line. What is on the way.
    pub(super) fn arrive(&mut self, line: u32) -> Option<Way> {
        let way = self.loaded.routine.way(self.at, line);
        match &way {
            Some(way) => {
                self.assigned.extend(&way.assigned);
                if let Some(visits) = &mut self.visits {
                    visits.extend(&way.visits);
                }
                self.at = Some(way.to);
            }
            None => self.visits = None,
        }
        way
    }

    /// The locals that were never assigned to.
    pub(super) fn unset(&self) -> Vec<String> {
        let routine = &self.loaded.routine;
        let locals = routine.variables.iter_enumerated();
        let unset = locals.filter(|(id, variable)| {
            !variable.is_hidden
                && !variable.is_global
                && !routine.parameters.contains(id)
                && !self.assigned.contains(id)
        });
        unset.map(|(_, variable)| variable.name.clone()).collect()
    }

    /// What a shown state says of the routine's memory: locals that were never assigned to hold nothing.
    pub(super) fn memory(&self, state: &State, nodes: u32) -> Memory {
        let routine = &self.loaded.routine;
        let mut state = state.clone();
        for node in &mut state.nodes {
            let is_known = routine
                .records
                .iter()
                .any(|record| record.name == node.record);
            if !is_known {
                node.record = format!("struct {}", node.record);
            }
        }
        let mut memory = Memory::from_state(routine, &state);
        for (id, variable) in routine.variables.iter_enumerated() {
            let is_set = variable.is_global
                || routine.parameters.contains(&id)
                || self.assigned.contains(&id);
            if !is_set {
                memory.variables[id] = Value::Unknown;
            }
        }
        // New nodes get numbers that nobody had yet.
        while memory.nodes.len() < nodes as usize {
            memory.nodes.push(Node {
                record: Default::default(),
                fields: Vec::new(),
                is_freed: false,
            });
        }
        memory
    }

    /// The state is right here: a checkpoint more. Its number.
    pub(super) fn assert(
        &mut self,
        state: &State,
        nodes: u32,
        line: u32,
        changed: &[Named],
    ) -> Option<usize> {
        let at = self.at?;
        let memory = self.memory(state, nodes);
        let point = self.loaded.routine.point(at);
        let visits = self.visits.replace(Vec::new());
        self.is_forced = false;
        let routine = &self.loaded.routine;
        let locals = routine.variables.iter_enumerated();
        let untouched = locals.filter(|(_, variable)| {
            let named = Named::Variable(variable.name.clone());
            !variable.is_global && !changed.contains(&named)
        });
        let untouched = untouched.map(|(id, _)| id).collect();
        let history = self.history.as_mut()?;
        history.checkpoints.push(Checkpoint {
            untouched,
            parent: history.current,
            point,
            at,
            line,
            memory,
            state: state.clone(),
            control: visits.map_or(Control::Free, Control::Along),
        });
        let number = history.checkpoints.len() - 1;
        history.current = Some(number);
        Some(number)
    }

    /// Goes back to a checkpoint.
    pub(super) fn resume(&mut self, number: usize) -> Option<Checkpoint> {
        let history = self.history.as_mut()?;
        let checkpoint = history.checkpoints.get(number)?.clone();
        history.current = Some(number);
        self.at = Some(checkpoint.at);
        self.visits = Some(Vec::new());
        self.is_forced = false;
        Some(checkpoint)
    }
}
