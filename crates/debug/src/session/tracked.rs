//! The function that is debugged, followed through its run: where control is, what was passed since the last assertion, and
//! which of the states that gdb shows can be trusted.

use std::collections::BTreeSet;
use std::sync::Arc;

use nopol_heap::effect::{Effect, Effects};
use nopol_heap::ir::{Instruction, Routine, VariableId};
use nopol_heap::load::Loaded;
use nopol_heap::machine::Point;
use nopol_heap::memory::{Memory, Node};
use nopol_heap::patch::Change;
use nopol_heap::place::Way;
use nopol_heap::problem::{Control, Visit};
use nopol_heap::state::{self, State, Value};
use nopol_program::front::c::macro_constants;
use nopol_program::ir::VariableId as CellId;

use super::command::Named;
use super::history::{Changed, Checkpoint, History, Saved, Since};
use crate::gdb::{FrameIdentity, Names, Snapshot};

/// The structure of a node for which the debugger has another name: that of a type, or without `struct`.
fn record_of(routine: &Routine, node: &state::Node) -> String {
    let tagged = format!("struct {}", node.record);
    if routine.records.iter().any(|record| record.name == tagged) {
        return tagged;
    }
    let has = |name: &str| node.fields.iter().any(|field| field.name == name);
    let fitting = routine.records.iter().filter(|record| {
        !record.fields.is_empty() && record.fields.iter().all(|field| has(&field.name))
    });
    let best = fitting.max_by_key(|record| record.fields.len());
    best.map_or(tagged, |record| record.name.clone())
}

/// A function that is followed.
#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) loaded: Loaded,
    /// Which activation.
    pub(super) frame: FrameIdentity,
    /// Whether that one was seen to end.
    pub(super) has_ended: bool,
    /// The instruction that comes next; none before the first one.
    pub(super) at: Option<usize>,
    /// The variables that were assigned to.
    assigned: BTreeSet<VariableId>,
    /// The heads of loops that were passed since the last checkpoint; none if control went too fast to see.
    pub(super) visits: Option<Vec<Visit>>,
    /// What statements that are not modelled did since then.
    pub(super) effects: Effects,
    /// The state before such a statement that is being executed, and where it is in the run.
    entry: Option<((usize, usize), Memory)>,
    /// Whether the user decided one of them.
    pub(super) is_forced: bool,
    pub(super) history: History,
    /// Where this call began, and in which state, until something is asserted in it.
    begin: Option<(Point, Memory)>,
    /// Whether the state in which this call began is still to be read.
    pub(super) is_beginning: bool,
    /// The patch.
    pub(super) changes: Vec<Change>,
    /// Why the program does not go on as the patch has it, if it does not.
    pub(super) obstacle: Option<String>,
    /// Whether the heap was too large to be read in this call: nothing can be asserted in it.
    pub(super) is_beyond: bool,
    /// The lines that are right, as the user says.
    pub(super) concrete: BTreeSet<u32>,
    /// The values of macros, which gdb does not know.
    constants: Vec<(CellId, Value)>,
}

impl Tracked {
    pub(super) fn new(loaded: Loaded, frame: FrameIdentity) -> Self {
        let constants = macro_constants(&loaded.program, &loaded.texts);
        let constants = constants
            .into_iter()
            .map(|(cell, value)| (cell, value.map_or(Value::Unknown, Value::Number)));
        Self {
            constants: constants.collect(),
            loaded,
            frame,
            has_ended: false,
            at: None,
            assigned: BTreeSet::new(),
            visits: Some(Vec::new()),
            effects: Effects::new(),
            entry: None,
            is_forced: false,
            history: History::default(),
            begin: None,
            is_beginning: true,
            changes: Vec::new(),
            obstacle: None,
            is_beyond: false,
            concrete: BTreeSet::new(),
        }
    }

    /// The patch in force.
    pub(super) fn in_force(&self) -> &[Change] {
        match self.obstacle {
            None => &self.changes,
            Some(_) => &[],
        }
    }

    /// Whether something is asserted, or was repaired.
    pub(super) const fn is_in_use(&self) -> bool {
        self.history.current.is_some() || !self.changes.is_empty()
    }

    /// The program stopped in this frame, of the same function or another one. Frames of callers have greater numbers.
    pub(super) fn see(&mut self, frame: FrameIdentity, is_same_function: bool) {
        self.has_ended |= frame > self.frame || (frame == self.frame && !is_same_function);
    }

    /// Whether a line of the function is reached in the call that is followed. Another call from the same place has the same
    /// frame.
    pub(super) fn is_in(&self, frame: FrameIdentity, line: u32) -> bool {
        let is_reached = |at| {
            self.loaded.routine.is_within_concrete(at, line)
                || self.loaded.routine.way(Some(at), line).is_some()
                || self.loaded.routine.way(None, line).is_none()
        };
        frame == self.frame && !self.has_ended && self.at.is_none_or(is_reached)
    }

    /// The function is called again: what was asserted and the patch stay.
    pub(super) fn call(&mut self, frame: FrameIdentity) {
        self.frame = frame;
        self.has_ended = false;
        self.at = None;
        self.assigned.clear();
        self.is_beyond = false;
        self.begin = None;
        self.is_beginning = true;
        self.restart();
    }

    /// The call began here, in this state; none if the state could not be read.
    pub(super) fn begin(&mut self, begin: Option<(Point, Memory)>) {
        self.begin = begin;
        self.is_beginning = false;
        self.restart();
    }

    /// What is on the way counts from here on.
    fn restart(&mut self) {
        self.visits = Some(Vec::new());
        self.effects.clear();
        self.entry = None;
        self.is_forced = false;
    }

    /// What the user forced since the last checkpoint; nothing if all went as the program has it.
    pub(super) fn since(&self) -> Option<Since> {
        Some(Since {
            begin: self.begin.clone(),
            visits: self.visits.clone().filter(|_| self.is_forced)?,
            effects: self.effects.clone(),
            to: self.loaded.routine.point(self.at?),
        })
    }

    /// The current checkpoint does not count any more; it is removed if none comes after it. Its number, and what had been changed
    /// before it.
    pub(super) fn take_back(&mut self) -> Option<(usize, Vec<Changed>)> {
        let last = self.history.current?;
        let checkpoint = match self.history.after(last).is_empty() {
            true => self.history.checkpoints.remove(&last)?,
            false => self.history.checkpoints.get(&last)?.clone(),
        };
        self.history.current = checkpoint.parent;
        self.begin = checkpoint.begin.or(self.begin.take());
        // What came before it is on the way again.
        self.visits = match (&checkpoint.control, self.visits.take()) {
            (Control::Along(before), Some(since)) => {
                let effects = std::mem::take(&mut self.effects).into_iter();
                let effects =
                    effects.map(|((visited, at), effect)| ((visited + before.len(), at), effect));
                self.effects = checkpoint.effects;
                self.effects.extend(effects);
                Some([before.as_slice(), &since].concat())
            }
            _ => None,
        };
        Some((last, checkpoint.changed))
    }

    /// Control came to this line. What is on the way.
    pub(super) fn arrive(&mut self, line: u32) -> Option<Way> {
        if let Some(at) = self.at
            && self.loaded.routine.is_within_concrete(at, line)
        {
            return Some(Way {
                to: at,
                ..Way::default()
            });
        }
        let way = self.loaded.routine.way(self.at, line);
        match &way {
            Some(way) => {
                self.assigned.extend(&way.assigned);
                if way.is_open {
                    self.visits = None;
                } else if let Some(visits) = &mut self.visits {
                    visits.extend(&way.visits);
                }
                self.at = Some(way.to);
            }
            None => self.visits = None,
        }
        way
    }

    /// Whether a statement that is not modelled comes next, and its state before is not known yet.
    pub(super) fn is_entering(&self) -> bool {
        let next = self.at.and_then(|at| self.loaded.routine.code.get(at));
        matches!(next, Some(Instruction::Concrete(_))) && self.entry.is_none() && !self.is_beyond
    }

    /// A statement that is not modelled is about to be executed in this state.
    pub(super) fn enter(&mut self, before: Memory) {
        if let (Some(visits), Some(at)) = (&self.visits, self.at) {
            self.entry = Some(((visits.len(), at), before));
        }
    }

    /// Whether the statement that is not modelled, and was being executed, is done.
    pub(super) fn is_leaving(&self) -> bool {
        let entry = self.entry.as_ref();
        entry.is_some_and(|((_, at), _)| self.at != Some(*at))
    }

    /// It was done, and this is the state now, if it could be read.
    pub(super) fn leave(&mut self, after: Option<&Memory>) {
        if let Some(((place, before), after)) = self.entry.take().zip(after) {
            let effect = Effect::between(&self.loaded.routine, &before, after);
            self.effects.insert(place, effect);
        }
    }

    /// Whether it was not observed how control came to this place, to which it comes again and again. Where the call began,
    /// or after a checkpoint that is outside of loops, it is the first time.
    pub(super) fn is_lost(&self) -> bool {
        self.visits.is_none()
            && self
                .at
                .is_some_and(|at| self.loaded.routine.is_repeated(at))
    }

    /// Whether a statement that is not modelled is half done.
    pub(super) const fn is_halfway(&self) -> bool {
        self.entry.is_some()
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
                node.record = record_of(routine, node);
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
            let constants = self.constants.iter();
            let mut constants = constants.filter(|(cell, _)| variable.origin == Some((*cell, 0)));
            if let Some((_, value)) = constants.next() {
                memory.variables[id] = *value;
            }
        }
        // New nodes get numbers that were never used.
        while memory.nodes.len() < nodes as usize {
            memory.nodes.push(Node {
                record: Default::default(),
                fields: Vec::new(),
                is_freed: false,
                is_fixed: false,
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
        changed: Vec<Changed>,
        (program, names): (Result<Snapshot, String>, &Names),
    ) -> Option<usize> {
        let at = self.at?;
        let memory = self.memory(state, nodes);
        let point = self.loaded.routine.point(at);
        let visits = self.visits.replace(Vec::new());
        let effects = std::mem::take(&mut self.effects);
        self.is_forced = false;
        let routine = &self.loaded.routine;
        let locals = routine.variables.iter_enumerated();
        let untouched = locals.filter(|(_, variable)| {
            let named = Named::Variable(variable.name.clone());
            !variable.is_global && !changed.iter().any(|changed| changed.named == named)
        });
        let untouched = untouched.map(|(id, _)| id).collect();
        let checkpoint = Checkpoint {
            untouched,
            changed,
            parent: self.history.current,
            begin: self.begin.take(),
            point,
            at,
            line,
            memory,
            state: state.clone(),
            control: visits.map_or(Control::Free, Control::Along),
            effects,
            kept: Arc::new(Saved {
                program,
                names: names.clone(),
                frame: self.frame,
                assigned: self.assigned.clone(),
            }),
        };
        Some(self.history.push(checkpoint))
    }

    /// The program went back to a checkpoint.
    pub(super) fn resume(&mut self, number: usize) {
        let Some(checkpoint) = self.history.checkpoints.get(&number) else {
            return;
        };
        self.history.current = Some(number);
        self.at = Some(checkpoint.at);
        self.frame = checkpoint.kept.frame;
        self.has_ended = false;
        self.assigned.clone_from(&checkpoint.kept.assigned);
        self.begin = None;
        self.is_beginning = false;
        self.restart();
    }
}
