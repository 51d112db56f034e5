//! The memory of a run: the values of all variables and fields. [`State`] is what people see of it.

use nopol_program::ir::{Dialect, RecordId};
use typed_index_collections::TiVec;

use super::ir::{Routine, Type, VariableId};
use super::state::{self, NodeId, State, Value};

/// A variable, or a field of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// A variable.
    Variable(VariableId),
    /// A field of a node.
    Field(NodeId, usize),
    /// Whether a node was given back.
    Freed(NodeId),
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its structure.
    pub record: RecordId,
    /// Its fields.
    pub fields: Vec<Value>,
    /// Whether it was given back.
    pub is_freed: bool,
    /// Whether it cannot be given back, because it was not allocated, or is in the middle of what was.
    pub is_fixed: bool,
}

/// Values of variables and nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The variables' values.
    pub variables: TiVec<VariableId, Value>,
    /// The nodes, by their numbers.
    pub nodes: Vec<Node>,
}

impl Memory {
    /// Nothing is known yet, and there are no nodes.
    pub fn new(routine: &Routine) -> Self {
        Self {
            variables: routine.variables.iter().map(|_| Value::Unknown).collect(),
            nodes: Vec::new(),
        }
    }

    /// The value of an entity; unknown if there is no such entity.
    pub fn get(&self, entity: Entity) -> Value {
        let found = match entity {
            Entity::Variable(variable) => self.variables.get(variable).copied(),
            Entity::Field(node, field) => self
                .node(node)
                .and_then(|node| node.fields.get(field).copied()),
            // Of a node without fields nothing is known.
            Entity::Freed(node) => self
                .node(node)
                .filter(|node| !node.fields.is_empty())
                .map(|node| Value::Number(i128::from(node.is_freed))),
        };
        found.unwrap_or(Value::Unknown)
    }

    /// Gives an entity a value, if there is such an entity.
    pub fn set(&mut self, entity: Entity, value: Value) {
        match entity {
            Entity::Variable(variable) => {
                if let Some(held) = self.variables.get_mut(variable) {
                    *held = value;
                }
            }
            Entity::Field(node, field) => {
                let node = self.nodes.get_mut(node.0 as usize);
                if let Some(held) = node.and_then(|node| node.fields.get_mut(field)) {
                    *held = value;
                }
            }
            Entity::Freed(node) => {
                if let Some(node) = self.nodes.get_mut(node.0 as usize) {
                    node.is_freed = value == Value::Number(1);
                }
            }
        }
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// A new node, whose fields have this value.
    pub fn allocate(&mut self, routine: &Routine, record: RecordId, is_zeroed: bool) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let fields = routine
            .records
            .get(record)
            .map_or(0, |record| record.fields.len());
        let fields = (0..fields).map(|field| match routine.field_type(record, field) {
            Some(Type::Pointer(_)) if is_zeroed => Value::Null,
            Some(Type::Number(_)) if is_zeroed => Value::Number(0),
            _ => Value::Unknown,
        });
        let node = Node {
            record,
            fields: fields.collect(),
            is_freed: false,
            is_fixed: false,
        };
        self.nodes.push(node);
        id
    }

    /// All entities that states show.
    pub fn entities(&self, routine: &Routine) -> Vec<Entity> {
        let variables = routine
            .variables
            .iter_enumerated()
            .filter(|(_, variable)| !variable.is_hidden)
            .map(|(id, _)| Entity::Variable(id));
        let nodes = self.nodes.iter().enumerate().flat_map(|(number, node)| {
            let id = NodeId(u32::try_from(number).unwrap_or(u32::MAX));
            let fields = (0..node.fields.len()).map(move |field| Entity::Field(id, field));
            fields.chain([Entity::Freed(id)])
        });
        variables.chain(nodes).collect()
    }

    /// How an entity is shown.
    pub fn name(&self, routine: &Routine, entity: Entity) -> String {
        match entity {
            Entity::Variable(variable) => routine.variables[variable].name.clone(),
            Entity::Field(id, field) => {
                let record = self
                    .node(id)
                    .and_then(|node| routine.records.get(node.record));
                let name = record.and_then(|record| record.fields.get(field));
                let arrow = match routine.dialect {
                    Dialect::C => "->",
                    Dialect::Rust => ".",
                };
                format!("{id}{arrow}{}", name.map_or("?", |field| &*field.name))
            }
            Entity::Freed(id) => format!("whether {id} is freed"),
        }
    }

    /// What people see of it.
    pub fn state(&self, routine: &Routine) -> State {
        let variables = routine.variables.iter_enumerated();
        let variables = variables
            .filter(|(id, variable)| {
                !variable.is_hidden && (variable.is_global || self.variables[*id] != Value::Unknown)
            })
            .map(|(id, variable)| state::Variable::new(&*variable.name, self.variables[id]));
        let nodes = (0_u32..).zip(&self.nodes).map(|(number, node)| {
            let record = &routine.records[node.record];
            let fields = record.fields.iter().zip(&node.fields);
            state::Node {
                id: NodeId(number),
                record: record.name.clone(),
                fields: fields
                    .map(|(field, value)| state::Variable::new(&*field.name, *value))
                    .collect(),
                is_freed: node.is_freed,
                is_fixed: node.is_fixed,
            }
        });
        State {
            variables: variables.collect(),
            nodes: nodes.collect(),
            hidden: 0,
        }
    }

    /// The memory that a state shows. What it does not mention is unknown.
    pub fn from_state(routine: &Routine, state: &State) -> Self {
        let mut memory = Self::new(routine);
        for shown in &state.variables {
            let found = routine
                .variables
                .iter_enumerated()
                .filter(|(_, variable)| !variable.is_hidden && variable.name == shown.name)
                .map(|(id, _)| id)
                .next_back();
            if let Some(id) = found {
                memory.variables[id] = routine.variables[id].ty.fit(shown.value);
            }
        }
        let last = state.nodes.iter().map(|node| node.id.0 + 1).max();
        for number in 0..last.unwrap_or(0) {
            let shown = state.nodes.iter().find(|node| node.id.0 == number);
            let record = shown.and_then(|shown| {
                let found = routine.records.iter_enumerated();
                let mut found = found.filter(|(_, record)| record.name == shown.record);
                found.next().map(|(id, _)| id)
            });
            let Some((shown, record)) = shown.zip(record) else {
                memory.nodes.push(Node {
                    record: RecordId::default(),
                    fields: Vec::new(),
                    is_freed: false,
                    is_fixed: false,
                });
                continue;
            };
            let fields = routine.records[record].fields.iter().enumerate();
            let fields = fields.map(|(number, field)| {
                let held = shown.fields.iter().find(|held| held.name == field.name);
                let held = held.map_or(Value::Unknown, |held| held.value);
                let ty = routine.field_type(record, number);
                ty.map_or(held, |ty| ty.fit(held))
            });
            memory.nodes.push(Node {
                record,
                fields: fields.collect(),
                is_freed: shown.is_freed,
                is_fixed: shown.is_fixed,
            });
        }
        memory
    }
}
