//! Reads a memory graph: which nodes belong together, and whether they are lists, trees or something else.
//!
//! The nodes are grouped by their records: two records are in one group when a node of one points to a node of the
//! other. Each group gets one [`Shape`], so that all nodes of a record are drawn in the same way from step to step.
//! How a shape is drawn is left to the other modules.

use std::collections::{BTreeMap, BTreeSet};

use nopol_heap::state::{Node, NodeId, State, Value};

use super::arrays::{Row, node_rows, variable_rows};

/// Names of fields that usually lead back or across, and so do not carry the structure.
const BACK: [&str; 14] = [
    "prev",
    "previous",
    "pred",
    "back",
    "parent",
    "up",
    "owner",
    "random",
    "rand",
    "rnd",
    "arbitrary",
    "arb",
    "other",
    "blink",
];

/// Names of fields that usually lead to the next node of a list.
const NEXT: [&str; 6] = ["next", "nxt", "link", "succ", "successor", "flink"];

/// Names of fields that usually lead to the children of a tree.
const CHILDREN: [&str; 13] = [
    "left", "right", "middle", "child", "sibling", "l", "r", "lchild", "rchild", "lson", "rson",
    "lhs", "rhs",
];

/// A state with its nodes found by their numbers and its variables by the nodes they point to.
pub struct Graph<'a> {
    /// The state itself.
    pub state: &'a State,
    /// The rows of the variables.
    pub variables: Vec<Row>,
    /// For each node, the variables that point to it, by their rows.
    pub labels: Vec<Vec<usize>>,
    nodes: Vec<Vec<Row>>,
    index: BTreeMap<NodeId, usize>,
}

impl<'a> Graph<'a> {
    /// Reads a state. When two nodes have the same number, pointers lead to the first.
    pub fn new(state: &'a State) -> Self {
        let mut index = BTreeMap::new();
        for (place, node) in state.nodes.iter().enumerate() {
            index.entry(node.id).or_insert(place);
        }
        let mut graph = Self {
            state,
            variables: variable_rows(state),
            labels: vec![Vec::new(); state.nodes.len()],
            nodes: node_rows(state),
            index,
        };
        for place in 0..graph.variables.len() {
            let value = graph.variables[place].value();
            if let Some(target) = value.and_then(|value| graph.target(value)) {
                graph.labels[target].push(place);
            }
        }
        graph
    }

    /// The place of the node that a value points to. There is none for a node that is not in the state.
    pub fn target(&self, value: Value) -> Option<usize> {
        match value {
            Value::Node(id) => self.index.get(&id).copied(),
            Value::Null | Value::Number(_) | Value::Unknown => None,
        }
    }

    /// The node at a place.
    pub fn node(&self, place: usize) -> &'a Node {
        &self.state.nodes[place]
    }

    /// The rows of the node at a place.
    pub fn rows(&self, place: usize) -> &[Row] {
        &self.nodes[place]
    }

    /// The value of the field with this name.
    pub fn field(&self, place: usize, name: &str) -> Option<Value> {
        self.node(place)
            .fields
            .iter()
            .find(|field| field.name == name)
            .map(|field| field.value)
    }

    /// The node that the field with this name points to.
    pub fn follow(&self, place: usize, name: &str) -> Option<usize> {
        self.field(place, name).and_then(|value| self.target(value))
    }

    /// The rows of the variables that point to no node of the state.
    pub fn scalars(&self) -> Vec<usize> {
        let target = |row: &Row| row.value().and_then(|value| self.target(value));
        let variables = self.variables.iter().enumerate();
        variables
            .filter(|(_, variable)| target(variable).is_none())
            .map(|(place, _)| place)
            .collect()
    }

    /// Sorts nodes: those that a variable points to come first, in the order of the variables.
    fn by_variables(&self, nodes: &mut [usize]) {
        nodes.sort_by_key(|&node| {
            (
                self.labels[node].first().copied().unwrap_or(usize::MAX),
                node,
            )
        });
    }
}

/// How a group of nodes hangs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Chains along the field with this name; single nodes when there is none.
    List(Option<String>),
    /// Trees along the fields with these names.
    Tree(Vec<String>),
    /// Anything else.
    Table,
}

/// Nodes that are drawn together.
pub struct Group {
    /// The tags of their records, in the order in which they first occur.
    pub records: Vec<String>,
    /// Their places in the state, in rising order.
    pub members: Vec<usize>,
    /// How they hang together.
    pub shape: Shape,
}

/// A walk along one field.
pub struct Chain {
    /// The nodes, in the order of the walk. There is always at least one.
    pub nodes: Vec<usize>,
    /// What the field of the last node holds, when it has the field.
    pub end: Option<Value>,
}

/// Divides the nodes of a state into groups.
pub fn groups(graph: &Graph<'_>) -> Vec<Group> {
    let mut records: Vec<&str> = Vec::new();
    for node in &graph.state.nodes {
        if !records.contains(&node.record.as_str()) {
            records.push(&node.record);
        }
    }
    let record_of = |node: &Node| {
        records
            .iter()
            .position(|&record| record == node.record)
            .unwrap_or_default()
    };
    let mut group_of: Vec<usize> = (0..records.len()).collect();
    for node in &graph.state.nodes {
        for target in node
            .fields
            .iter()
            .filter_map(|field| graph.target(field.value))
        {
            let (one, other) = (
                group_of[record_of(node)],
                group_of[record_of(graph.node(target))],
            );
            for group in &mut group_of {
                if *group == one.max(other) {
                    *group = one.min(other);
                }
            }
        }
    }
    (0..records.len())
        .filter(|&group| group_of[group] == group)
        .map(|group| {
            let members: Vec<usize> = (0..graph.state.nodes.len())
                .filter(|&place| group_of[record_of(graph.node(place))] == group)
                .collect();
            let names = records
                .iter()
                .enumerate()
                .filter(|&(record, _)| group_of[record] == group);
            let records = names.map(|(_, name)| (*name).to_string()).collect();
            let shape = shape(graph, &members);
            Group {
                records,
                members,
                shape,
            }
        })
        .collect()
}

/// Follows a field from every node where a walk along it starts, until each node was met once.
pub fn chains(graph: &Graph<'_>, members: &[usize], along: Option<&str>) -> Vec<Chain> {
    let next = |node: usize| along.and_then(|name| graph.follow(node, name));
    let mut starts = roots(members, |node| next(node).into_iter().collect());
    graph.by_variables(&mut starts);
    let mut others = members.to_vec();
    graph.by_variables(&mut others);
    starts.extend(others);

    let mut met = vec![false; graph.state.nodes.len()];
    let mut chains = Vec::new();
    for start in starts {
        let mut nodes = Vec::new();
        let mut here = Some(start);
        while let Some(node) = here.filter(|&node| !met[node]) {
            met[node] = true;
            nodes.push(node);
            here = next(node);
        }
        if let Some(&last) = nodes.last() {
            chains.push(Chain {
                nodes,
                end: along.and_then(|name| graph.field(last, name)),
            });
        }
    }
    chains
}

/// The nodes at which drawing the trees starts: those that are nobody's child, then whatever else could be needed.
pub fn tree_starts(graph: &Graph<'_>, members: &[usize], children: &[String]) -> Vec<usize> {
    let mut starts = roots(members, |node| {
        children
            .iter()
            .filter_map(|name| graph.follow(node, name))
            .collect()
    });
    graph.by_variables(&mut starts);
    let mut others = members.to_vec();
    graph.by_variables(&mut others);
    starts.extend(others);
    starts
}

/// The members that no other member leads to.
fn roots(members: &[usize], next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let targets: BTreeSet<usize> = members
        .iter()
        .flat_map(|&node| next(node).into_iter().filter(move |&target| target != node))
        .collect();
    members
        .iter()
        .copied()
        .filter(|node| !targets.contains(node))
        .collect()
}

/// Decides how the members of a group hang together.
fn shape(graph: &Graph<'_>, members: &[usize]) -> Shape {
    let mut pointers: Vec<&str> = Vec::new();
    for &member in members {
        for field in &graph.node(member).fields {
            let is_pointer = match field.value {
                Value::Null | Value::Node(_) => true,
                // A field that was not written yet is judged by its name, so that the shape does not change later.
                Value::Unknown => {
                    is_one_of(&field.name, &NEXT) || is_one_of(&field.name, &CHILDREN)
                }
                Value::Number(_) => false,
            };
            if is_pointer && !pointers.contains(&field.name.as_str()) {
                pointers.push(&field.name);
            }
        }
    }
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let children: Vec<&str> = pointers
        .iter()
        .copied()
        .filter(|name| is_one_of(name, &CHILDREN))
        .collect();
    if children.len() >= 2 {
        return Shape::Tree(owned(&children));
    }
    let count = |name: &str| {
        members
            .iter()
            .filter(|&&member| graph.follow(member, name).is_some())
            .count()
    };
    let used: Vec<&str> = pointers
        .iter()
        .copied()
        .filter(|name| count(name) > 0)
        .collect();
    let leads_back = |name: &str| is_one_of(name, &BACK);
    if let Some(name) = pointers.iter().find(|name| is_one_of(name, &NEXT))
        && (count(name) > 0 || used.iter().all(|name| leads_back(name)))
    {
        return Shape::List(Some((*name).to_string()));
    }
    let forward = forward(
        graph,
        members,
        if used.is_empty() { &pointers } else { &used },
    );
    if used.is_empty() || forward.len() < 2 {
        return Shape::List(forward.first().map(ToString::to_string));
    }
    let branches = |&node: &usize| {
        forward
            .iter()
            .filter(|name| graph.follow(node, name).is_some())
            .count()
            > 1
    };
    if is_forest(graph, members, &forward) && members.iter().any(branches) {
        return Shape::Tree(owned(&forward));
    }
    let best = forward.iter().rev().max_by_key(|name| count(name));
    match best {
        Some(name) if chains(graph, members, Some(name)).len() <= 1.max(members.len() / 3) => {
            Shape::List(Some((*name).to_string()))
        }
        _ => Shape::Table,
    }
}

/// Leaves out the fields that lead back: by their names, or because an earlier field leads the other way.
fn forward<'n>(graph: &Graph<'_>, members: &[usize], pointers: &[&'n str]) -> Vec<&'n str> {
    let mut forward: Vec<&str> = Vec::new();
    for &name in pointers.iter().filter(|name| !is_one_of(name, &BACK)) {
        let mut pairs = members
            .iter()
            .filter_map(|&node| graph.follow(node, name).map(|target| (node, target)))
            .peekable();
        let is_back = pairs.peek().is_some()
            && pairs.all(|(node, target)| {
                node != target
                    && forward
                        .iter()
                        .any(|earlier| graph.follow(target, earlier) == Some(node))
            });
        if !is_back {
            forward.push(name);
        }
    }
    if forward.is_empty() {
        pointers.to_vec()
    } else {
        forward
    }
}

/// Whether no node is reached twice along these fields, and none leads back to itself.
fn is_forest(graph: &Graph<'_>, members: &[usize], fields: &[&str]) -> bool {
    let mut parent: Vec<Option<usize>> = vec![None; graph.state.nodes.len()];
    for &node in members {
        for child in fields.iter().filter_map(|name| graph.follow(node, name)) {
            if child == node || parent[child].replace(node).is_some() {
                return false;
            }
        }
    }
    members.iter().all(|&node| {
        let mut steps = 0;
        let mut here = node;
        while let Some(above) = parent[here] {
            here = above;
            steps += 1;
            if steps > members.len() {
                return false;
            }
        }
        true
    })
}

/// Whether a name is one of these, in any case and with underscores or not.
fn is_one_of(name: &str, names: &[&str]) -> bool {
    let plain: String = name
        .chars()
        .filter(|&c| c != '_')
        .flat_map(char::to_lowercase)
        .collect();
    names.contains(&plain.as_str())
}
