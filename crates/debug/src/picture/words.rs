//! Describes a memory graph in words, for those who cannot see the picture, and for tests.
//!
//! Only the structure is described: which variable leads where, and how the nodes follow each other. The data in the
//! nodes are left to the pictures.

use nopol_heap::state::{State, Value};

use super::shape::{Graph, Shape, chains, groups, tree_starts};
use super::text::hidden;

/// The structure of a state in one line, such as `head → n2 → n1 → null; current → n1`.
pub fn words(state: &State) -> String {
    let graph = Graph::new(state);
    let mut parts: Vec<String> = Vec::new();
    for group in groups(&graph) {
        match &group.shape {
            Shape::List(along) => list(&graph, &group.members, along.as_deref(), &mut parts),
            Shape::Tree(children) => tree(&graph, &group.members, children, &mut parts),
            Shape::Table => table(&graph, &group.members, &mut parts),
        }
    }
    for place in graph.scalars() {
        let variable = &graph.variables[place];
        match variable.value() {
            None | Some(Value::Number(_)) => {}
            Some(value) => parts.push(format!("{} → {value}", variable.name)),
        }
    }
    if state.hidden > 0 {
        parts.push(hidden(state.hidden));
    }
    if parts.is_empty() {
        return "no nodes".to_string();
    }
    parts.join("; ")
}

/// The variables that point to a node, before an arrow.
fn labels(graph: &Graph<'_>, node: usize) -> String {
    let names: Vec<&str> = graph.labels[node]
        .iter()
        .map(|&place| graph.variables[place].name.as_str())
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("{} → ", names.join(", "))
    }
}

/// The name of a node, with a word when it was freed.
fn name(graph: &Graph<'_>, node: usize) -> String {
    let node = graph.node(node);
    if node.is_freed {
        format!("{} (freed)", node.id)
    } else {
        node.id.to_string()
    }
}

/// Each chain, then the variables that point into it.
fn list(graph: &Graph<'_>, members: &[usize], along: Option<&str>, parts: &mut Vec<String>) {
    for chain in chains(graph, members, along) {
        let names: Vec<String> = chain.nodes.iter().map(|&node| name(graph, node)).collect();
        let first = chain
            .nodes
            .first()
            .map(|&node| labels(graph, node))
            .unwrap_or_default();
        let end = chain
            .end
            .map(|value| format!(" → {value}"))
            .unwrap_or_default();
        parts.push(format!("{first}{}{end}", names.join(" → ")));
        inner_labels(graph, chain.nodes.get(1..).unwrap_or_default(), parts);
    }
}

/// The variables that point to nodes that were described already.
fn inner_labels(graph: &Graph<'_>, nodes: &[usize], parts: &mut Vec<String>) {
    for &node in nodes.iter().filter(|&&node| !graph.labels[node].is_empty()) {
        parts.push(format!("{}{}", labels(graph, node), graph.node(node).id));
    }
}

/// Each tree with the children in brackets, then the variables that point into it.
fn tree(graph: &Graph<'_>, members: &[usize], children: &[String], parts: &mut Vec<String>) {
    /// What is left to write, the next last.
    enum Todo {
        Node(usize),
        Text(String),
    }
    let mut met = vec![false; graph.state.nodes.len()];
    for start in tree_starts(graph, members, children) {
        if met[start] {
            continue;
        }
        let mut text = labels(graph, start);
        let mut inner = Vec::new();
        let mut todo = vec![Todo::Node(start)];
        while let Some(next) = todo.pop() {
            let node = match next {
                Todo::Text(more) => {
                    text.push_str(&more);
                    continue;
                }
                Todo::Node(node) => node,
            };
            text.push_str(&name(graph, node));
            if std::mem::replace(&mut met[node], true) {
                continue;
            }
            inner.push(node);
            let below: Vec<(&String, usize)> = children
                .iter()
                .filter_map(|child| graph.follow(node, child).map(|target| (child, target)))
                .collect();
            if below.is_empty() {
                continue;
            }
            todo.push(Todo::Text(")".to_string()));
            for (place, &(child, target)) in below.iter().enumerate().rev() {
                todo.push(Todo::Node(target));
                todo.push(Todo::Text(format!(
                    "{}{child}: ",
                    if place == 0 { " (" } else { ", " }
                )));
            }
        }
        parts.push(text);
        inner_labels(graph, inner.get(1..).unwrap_or_default(), parts);
    }
}

/// Every pointer of every node.
fn table(graph: &Graph<'_>, members: &[usize], parts: &mut Vec<String>) {
    for &node in members {
        let pointers: Vec<String> = graph
            .node(node)
            .fields
            .iter()
            .filter(|field| matches!(field.value, Value::Node(_)))
            .map(|field| format!("{} {}", field.name, field.value))
            .collect();
        let list = if pointers.is_empty() {
            String::new()
        } else {
            format!(" ({})", pointers.join(", "))
        };
        parts.push(format!(
            "{}{}{list}",
            labels(graph, node),
            name(graph, node)
        ));
    }
}
