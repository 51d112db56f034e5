//! Memory graphs: the symbolic state of a program, its variables and the nodes of its heap (Wolverine2, section 3).
//!
//! Addresses are gone: nodes have numbers, in the order in which they were first seen, and keep them for as long as
//! a session or a recording lasts. Numbers are what they are.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of a node. It is shown as `n1` for number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0 + 1)
    }
}

/// What a variable or a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// The null pointer.
    Null,
    /// A pointer to a node.
    Node(NodeId),
    /// A number.
    Number(i128),
    /// Unknown: never written, unreadable, or a dangling pointer.
    Unknown,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Node(node) => node.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Unknown => f.write_str("?"),
        }
    }
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// What it holds.
    pub value: Value,
    /// Whether it holds a character, and the number is its code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_character: bool,
}

impl Variable {
    /// A variable that holds no character.
    pub fn new(name: impl Into<String>, value: Value) -> Self {
        Self {
            name: name.into(),
            value,
            is_character: false,
        }
    }
}

/// A node of the heap: a structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// The tag of the structure.
    pub record: String,
    /// The fields, in the order of their declaration.
    pub fields: Vec<Variable>,
    /// Whether it was given back with `free`.
    pub is_freed: bool,
    /// Whether it is known that it cannot be given back, because it was not allocated, or is in the middle of what was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fixed: bool,
}

/// A memory graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The variables: globals first, then those of the function, in the order of their declaration.
    pub variables: Vec<Variable>,
    /// The nodes, by their numbers.
    pub nodes: Vec<Node>,
    /// How many nodes there are beyond these, which are not shown.
    pub hidden: usize,
}
