//! What is different between two memory graphs, entity by entity.
//!
//! Nodes are compared by their numbers and variables by their names (the second variable of a name with the second).
//! The elements of an array are compared one by one, and its row is changed when one of them is.
//! How a change is shown is left to the modules that draw.

use std::collections::BTreeMap;

use nopol_heap::state::{Node, NodeId, State, Value, Variable};

use super::arrays::{Row, node_rows, variable_rows};

/// The changes of one node.
#[derive(Clone, Debug, Default)]
struct NodeChanges {
    /// Whether the node itself is new, or was freed or got back.
    is_changed: bool,
    /// For each row, whether a field has another value.
    rows: Vec<bool>,
}

/// The changes from an older state to a newer one.
pub struct Changes {
    variables: Vec<bool>,
    nodes: Vec<NodeChanges>,
    gone: Vec<String>,
    unreached: Vec<String>,
}

impl Changes {
    /// Compares a state with the one before. Without one before, nothing is changed.
    pub fn new(state: &State, before: Option<&State>) -> Self {
        let Some(before) = before else {
            return Self {
                variables: Vec::new(),
                nodes: Vec::new(),
                gone: Vec::new(),
                unreached: Vec::new(),
            };
        };
        let variables = changed_rows(&before.variables, &state.variables, &variable_rows(state));

        let (old_nodes, new_nodes) = (numbered_nodes(&before.nodes), numbered_nodes(&state.nodes));
        let nodes = new_nodes
            .iter()
            .zip(node_rows(state))
            .map(|((key, node), rows)| {
                let old = old_node(&old_nodes, *key);
                // One that was not shown need not be new.
                let changes = node_changes(node, old, &rows);
                NodeChanges {
                    is_changed: changes.is_changed && (old.is_some() || before.hidden == 0),
                    ..changes
                }
            })
            .collect();

        let mut gone = gone_rows(&before.variables, &state.variables, &variable_rows(before));
        let mut unreached = Vec::new();
        for (key, node) in &old_nodes {
            // One that is missing may be among those that are not shown.
            if state.hidden == 0 && old_node(&new_nodes, *key).is_none() {
                match node.is_freed {
                    true => gone.push(node.id.to_string()),
                    false => unreached.push(node.id.to_string()),
                }
            }
        }
        Self {
            variables,
            nodes,
            gone,
            unreached,
        }
    }

    /// Whether a variable in this row is new or has another value.
    pub fn variable(&self, place: usize) -> bool {
        self.variables.get(place).copied().unwrap_or_default()
    }

    /// Whether the node at this place is new, or was freed.
    pub fn node(&self, place: usize) -> bool {
        self.nodes.get(place).is_some_and(|node| node.is_changed)
    }

    /// Whether a field in a row of the node at this place has another value. The fields of a new node have not.
    pub fn row(&self, place: usize, row: usize) -> bool {
        self.nodes
            .get(place)
            .and_then(|node| node.rows.get(row))
            .copied()
            .unwrap_or_default()
    }

    /// The sentences about variables and nodes that are not in the newer state, with their names: what is no longer there, and
    /// nodes to which nothing in it leads. These may still be allocated, and variables that are not shown may lead to them.
    pub fn missing(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let unreached = match self.unreached.len() {
            1 => "nothing shown points to it any more:",
            _ => "nothing shown points to them any more:",
        };
        let all = [
            ("no longer there:", &*self.gone),
            (unreached, &*self.unreached),
        ];
        all.into_iter().filter(|(_, names)| !names.is_empty())
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

/// For each row, whether a variable or field in it is new or has another value.
fn changed_rows(before: &[Variable], after: &[Variable], rows: &[Row]) -> Vec<bool> {
    let (old, new) = (numbered(before), numbered(after));
    let is_changed = |(key, value): &(Key<'_>, Value)| old_value(&old, *key) != Some(*value);
    rows.iter()
        .map(|row| new[row.places.clone()].iter().any(is_changed))
        .collect()
}

/// The names of the rows of which no variable is left.
fn gone_rows(before: &[Variable], after: &[Variable], rows: &[Row]) -> Vec<String> {
    let (old, new) = (numbered(before), numbered(after));
    let is_gone = |(key, _): &(Key<'_>, Value)| old_value(&new, *key).is_none();
    rows.iter()
        .filter(|row| old[row.places.clone()].iter().all(is_gone))
        .map(|row| row.name.clone())
        .collect()
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
fn node_changes(node: &Node, old: Option<&Node>, rows: &[Row]) -> NodeChanges {
    let Some(old) = old else {
        return NodeChanges {
            is_changed: true,
            rows: vec![false; rows.len()],
        };
    };
    NodeChanges {
        is_changed: node.is_freed != old.is_freed || node.record != old.record,
        rows: changed_rows(&old.fields, &node.fields, rows),
    }
}
