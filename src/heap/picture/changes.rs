//! What is different between two memory graphs, entity by entity.
//!
//! Nodes are compared by their numbers and variables by their names (the second variable of a name with the second).
//! How a change is shown is left to the modules that draw.

use std::collections::BTreeMap;

use super::super::state::{Node, NodeId, State, Value, Variable};

/// The changes of one node.
#[derive(Clone, Debug, Default)]
struct NodeChanges {
    /// Whether the node itself is new, or was freed or got back.
    is_changed: bool,
    /// For each field, whether it has another value.
    fields: Vec<bool>,
}

/// The changes from an older state to a newer one.
pub struct Changes {
    variables: Vec<bool>,
    nodes: Vec<NodeChanges>,
    gone: Vec<String>,
}

impl Changes {
    /// Compares a state with the one before. Without one before, nothing is changed.
    pub fn new(state: &State, before: Option<&State>) -> Self {
        let Some(before) = before else {
            let nodes = state.nodes.iter().map(|node| NodeChanges {
                is_changed: false,
                fields: vec![false; node.fields.len()],
            });
            return Self {
                variables: vec![false; state.variables.len()],
                nodes: nodes.collect(),
                gone: Vec::new(),
            };
        };
        let old = numbered(&before.variables);
        let new = numbered(&state.variables);
        let variables = new
            .iter()
            .map(|(key, value)| old_value(&old, *key) != Some(*value))
            .collect();

        let (old_nodes, new_nodes) = (numbered_nodes(&before.nodes), numbered_nodes(&state.nodes));
        let nodes = new_nodes
            .iter()
            .map(|(key, node)| node_changes(node, old_node(&old_nodes, *key)))
            .collect();

        let mut gone: Vec<String> = Vec::new();
        for (key, _) in &old {
            if old_value(&new, *key).is_none() {
                gone.push(key.0.to_string());
            }
        }
        for (key, node) in &old_nodes {
            if old_node(&new_nodes, *key).is_none() {
                gone.push(node.id.to_string());
            }
        }
        Self {
            variables,
            nodes,
            gone,
        }
    }

    /// Whether the variable at this place is new or has another value.
    pub fn variable(&self, place: usize) -> bool {
        self.variables.get(place).copied().unwrap_or_default()
    }

    /// Whether the node at this place is new, or was freed.
    pub fn node(&self, place: usize) -> bool {
        self.nodes.get(place).is_some_and(|node| node.is_changed)
    }

    /// Whether a field of the node at this place has another value. The fields of a new node have not.
    pub fn field(&self, place: usize, field: usize) -> bool {
        self.nodes
            .get(place)
            .and_then(|node| node.fields.get(field))
            .copied()
            .unwrap_or_default()
    }

    /// The names of the variables and nodes that are no longer there.
    pub fn gone(&self) -> &[String] {
        &self.gone
    }
}

/// A name, and how many variables of the same name come before.
type Key<'a> = (&'a str, usize);

/// Gives each variable a key of its own.
fn numbered(variables: &[Variable]) -> Vec<(Key<'_>, Value)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    variables
        .iter()
        .map(|variable| {
            let count = seen.entry(&variable.name).or_default();
            let key = (variable.name.as_str(), *count);
            *count += 1;
            (key, variable.value)
        })
        .collect()
}

/// The value of the variable with this key.
fn old_value(variables: &[(Key<'_>, Value)], key: Key<'_>) -> Option<Value> {
    variables
        .iter()
        .find(|(other, _)| *other == key)
        .map(|(_, value)| *value)
}

/// Gives each node a key of its own, should two have the same number.
fn numbered_nodes(nodes: &[Node]) -> Vec<((NodeId, usize), &Node)> {
    let mut seen: BTreeMap<NodeId, usize> = BTreeMap::new();
    nodes
        .iter()
        .map(|node| {
            let count = seen.entry(node.id).or_default();
            let key = (node.id, *count);
            *count += 1;
            (key, node)
        })
        .collect()
}

/// The node with this key.
fn old_node<'a>(nodes: &[((NodeId, usize), &'a Node)], key: (NodeId, usize)) -> Option<&'a Node> {
    nodes
        .iter()
        .find(|(other, _)| *other == key)
        .map(|(_, node)| *node)
}

/// Compares a node with what it was.
fn node_changes(node: &Node, old: Option<&Node>) -> NodeChanges {
    let Some(old) = old else {
        return NodeChanges {
            is_changed: true,
            fields: vec![false; node.fields.len()],
        };
    };
    let (old_fields, fields) = (numbered(&old.fields), numbered(&node.fields));
    NodeChanges {
        is_changed: node.is_freed != old.is_freed || node.record != old.record,
        fields: fields
            .iter()
            .map(|(key, value)| old_value(&old_fields, *key) != Some(*value))
            .collect(),
    }
}
