//! How long objects last, as circuits: memory that a program gives back, and variables of C that end with their block or function.

use std::collections::HashMap;

use nopol_program::ir::{FaultKind, Scalar, VariableId};

use super::memory::{ObjectId, Target, Value};
use super::{Bit, Encoder, index_word};

impl Encoder<'_> {
    /// Gives back the objects where a pointer may lead.
    pub(super) fn give_back(&mut self, targets: &[Target]) {
        for target in targets {
            if let Some((object, cell)) = &target.address {
                let is_first = !self.circuit.nonzero(cell);
                let is_allocated = Bit::constant(self.memory.objects[*object].is_allocated);
                let fits = self.circuit.and(is_first, is_allocated);
                let wrong = self.circuit.and(target.when, !fits);
                self.fault(FaultKind::NotAllocated, wrong);
                let before = self.was_freed(*object);
                let twice = self.circuit.and(target.when, before);
                self.fault(FaultKind::Freed, twice);
                let now = self.circuit.or(before, target.when);
                self.state.freed.insert(*object, now);
            }
        }
    }

    /// The variables of an activation are no more there.
    pub(super) fn end(&mut self, objects: &HashMap<VariableId, ObjectId>) {
        for (variable, object) in objects {
            self.end_object(*variable, *object);
        }
    }

    /// The variables of the blocks around are no more there, but for as many of the outermost.
    pub(super) fn end_inner(&mut self, stay: usize) {
        let frame = self.frame();
        let ended = frame.ending.iter().skip(stay);
        let ended = ended.filter_map(|variable| Some((*variable, *frame.objects.get(variable)?)));
        for (variable, object) in ended.collect::<Vec<_>>() {
            self.end_object(variable, object);
        }
    }

    /// The object of a variable is no more there, nor is the array that belongs to it.
    pub(super) fn end_object(&mut self, variable: VariableId, object: ObjectId) {
        if self.program.variables[variable].is_row {
            let contents = *self.contents(object);
            let first = index_word(0);
            let ty = Scalar::Pointer;
            let read = self.memory.read(self.circuit, object, contents, &first, ty);
            if let (Value::Pointer(targets), _) = read {
                for target in targets.iter() {
                    if let Some((row, _)) = target.address {
                        let before = self.was_freed(row);
                        let now = self.circuit.or(before, target.when);
                        self.state.freed.insert(row, now);
                    }
                }
            }
        }
        if self.addressed.contains(&variable) {
            self.state.freed.insert(object, Bit::TRUE);
        }
    }

    /// When an object was given back.
    pub(super) fn was_freed(&self, object: ObjectId) -> Bit {
        self.state.freed.get(&object).copied().unwrap_or(Bit::FALSE)
    }
}
