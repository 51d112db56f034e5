//! What a statement did that is not modelled: the difference between the states before and after it (`concrete` of Wolverine2,
//! section 3.1 and "specification refinement", section 6.1).
//!
//! The paper asserts the whole state after such a statement. Here only what changed is taken, so that a repair of what comes
//! before may still change the rest.

use std::collections::BTreeMap;

use super::ir::Routine;
use super::memory::{Entity, Memory, Node};
use super::state::Value;

/// Effects, by how many heads of loops were passed before, and the instruction.
pub type Effects = BTreeMap<(usize, usize), Effect>;

/// What a statement did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What it wrote.
    pub values: Vec<(Entity, Value)>,
    /// The nodes that it made.
    pub nodes: Vec<Node>,
    /// How many nodes there were before.
    pub known: usize,
}

impl Effect {
    /// The difference between two states of a routine.
    pub fn between(routine: &Routine, before: &Memory, after: &Memory) -> Self {
        let known = before.nodes.len();
        let is_new = |entity: &Entity| match entity {
            Entity::Variable(_) => false,
            Entity::Field(node, _) | Entity::Freed(node) => node.0 as usize >= known,
        };
        let entities = after.entities(routine).into_iter();
        let values = entities
            .filter(|entity| !is_new(entity) && before.get(*entity) != after.get(*entity))
            .map(|entity| (entity, after.get(entity)));
        Self {
            values: values.collect(),
            nodes: after.nodes.get(known..).unwrap_or_default().to_vec(),
            known,
        }
    }
}
