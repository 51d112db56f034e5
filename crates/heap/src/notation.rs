//! States as text: `head = n1; n1.data = 4; n1.next = n2; n2.next = null`, one entry a line or separated by semicolons. Nodes
//! are written as they are shown, fields with a dot or an arrow; what is not mentioned may be anything. `#` begins a comment.
//! A text that begins with a brace is JSON: a [`State`].

use std::collections::BTreeMap;

use nopol_basics::nearest::did_you_mean;
use nopol_program::ir::RecordId;

use super::ir::{Routine, Type};
use super::memory::{Memory, Node};
use super::state::{NodeId, State, Value};

/// Reads a state of a routine's variables.
///
/// # Errors
/// If an entry cannot be read, or names something that does not exist: a sentence about the entry.
pub fn parse(routine: &Routine, text: &str) -> Result<Memory, String> {
    if text.trim_start().starts_with('{') {
        let state: State =
            serde_json::from_str(text).map_err(|error| format!("this is not a state: {error}"))?;
        return Ok(Memory::from_state(routine, &state));
    }
    let mut memory = Memory::new(routine);
    let mut fields: BTreeMap<NodeId, Vec<(String, Value)>> = BTreeMap::new();
    let mut records: BTreeMap<NodeId, RecordId> = BTreeMap::new();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    for entry in lines.flat_map(|line| line.split(';')) {
        let entry = entry.trim();
        if entry.is_empty() {
            continue;
        }
        let Some((name, value)) = entry.split_once('=') else {
            return Err(format!(
                "`{entry}` is neither an entry `NAME = VALUE` nor a file that can be read"
            ));
        };
        let value = parse_value(value)?;
        let name = name.trim().replace("->", ".");
        match name.split_once('.') {
            Some((node, field)) if parse_node(node.trim()).is_some() => {
                let node = parse_node(node.trim()).unwrap_or(NodeId(0));
                let all = fields.entry(node).or_default();
                let field = field.trim();
                if all
                    .iter()
                    .any(|(name, held)| name == field && *held != value)
                {
                    return Err(format!("`{name}` has two values"));
                }
                all.push((field.to_owned(), value));
            }
            _ => {
                let found = variable(routine, &name)?;
                let held = memory.variables[found];
                if held != Value::Unknown && held != value {
                    return Err(format!("`{name}` has two values"));
                }
                check(&name, routine.variables[found].ty, value)?;
                memory.variables[found] = value;
                if let (Value::Node(node), Type::Pointer(record)) =
                    (value, routine.variables[found].ty)
                {
                    records.insert(node, record);
                }
            }
        }
    }
    infer(routine, &fields, &mut records)?;
    let named = fields.keys().chain(records.keys()).map(|node| node.0 + 1);
    let pointed = fields
        .values()
        .flatten()
        .filter_map(|(_, value)| match value {
            Value::Node(node) => Some(node.0 + 1),
            _ => None,
        });
    let count = named.chain(pointed).max().unwrap_or(0);
    if count > MOST_NODES {
        return Err(format!("there are more than {MOST_NODES} nodes"));
    }
    for number in 0..count {
        let id = NodeId(number);
        // The text says nothing about it.
        let Some(record) = records.get(&id).copied() else {
            memory.nodes.push(Node {
                record: RecordId::default(),
                fields: Vec::new(),
                is_freed: false,
                is_fixed: false,
            });
            continue;
        };
        let names = &routine.records[record].fields;
        let mut values = vec![Value::Unknown; names.len()];
        for (name, value) in fields.get(&id).into_iter().flatten() {
            match names.iter().position(|field| field.name == *name) {
                Some(at) => {
                    if let Some(ty) = routine.field_type(record, at) {
                        check(&format!("{id}.{name}"), ty, *value)?;
                    }
                    values[at] = *value;
                }
                None => {
                    let near = names.iter().map(|field| &*field.name);
                    return Err(format!(
                        "{id} has no field `{name}`{}",
                        did_you_mean(name, near)
                    ));
                }
            }
        }
        memory.nodes.push(Node {
            record,
            fields: values,
            is_freed: false,
            is_fixed: false,
        });
    }
    Ok(memory)
}

/// Checks that a variable of this type can hold a value.
fn check(name: &str, ty: Type, value: Value) -> Result<(), String> {
    match (ty, value) {
        (Type::Pointer(_), Value::Number(number)) if number != 0 => {
            Err(format!("`{name}` is a pointer: {value} does not fit"))
        }
        (Type::Number(_), Value::Null | Value::Node(_)) => {
            Err(format!("`{name}` is a number: {value} does not fit"))
        }
        (ty @ Type::Number(_), value) if ty.fit(value) != value => Err(format!(
            "`{name}` cannot hold {value}: it would be {}",
            ty.fit(value)
        )),
        _ => Ok(()),
    }
}

/// Most nodes of a state.
const MOST_NODES: u32 = 1000;

/// Which structure nodes are that no variable points to: what points to them knows, or their fields do.
fn infer(
    routine: &Routine,
    fields: &BTreeMap<NodeId, Vec<(String, Value)>>,
    records: &mut BTreeMap<NodeId, RecordId>,
) -> Result<(), String> {
    for (node, held) in fields {
        if records.contains_key(node) {
            continue;
        }
        let mut fitting = routine.records.iter_enumerated().filter(|(_, record)| {
            held.iter()
                .all(|(name, _)| record.fields.iter().any(|field| field.name == *name))
        });
        match fitting.next() {
            Some((record, _)) => {
                records.insert(*node, record);
            }
            None => {
                let names: Vec<String> = held.iter().map(|(name, _)| format!("`{name}`")).collect();
                return Err(format!("no structure has the fields {}", names.join(", ")));
            }
        }
    }
    for (node, held) in fields {
        let Some(record) = records.get(node).copied() else {
            continue;
        };
        for (name, value) in held {
            let names = &routine.records[record].fields;
            let Some(at) = names.iter().position(|field| field.name == *name) else {
                continue;
            };
            if let (Value::Node(target), Some(Type::Pointer(record))) =
                (value, routine.field_type(record, at))
            {
                records.entry(*target).or_insert(record);
            }
        }
    }
    Ok(())
}

/// The variable of this name.
///
/// # Errors
/// If there is none: a sentence with the nearest name.
pub fn variable(routine: &Routine, name: &str) -> Result<super::ir::VariableId, String> {
    let shown = routine.variables.iter_enumerated();
    let mut shown = shown.filter(|(_, variable)| !variable.is_hidden);
    if let Some((id, _)) = shown.clone().rfind(|(_, variable)| variable.name == name) {
        return Ok(id);
    }
    let names = shown.by_ref().map(|(_, variable)| &*variable.name);
    Err(format!(
        "`{}` has no variable `{name}`{}",
        routine.name,
        did_you_mean(name, names)
    ))
}

/// A node, as it is shown.
pub fn parse_node(text: &str) -> Option<NodeId> {
    let number: u32 = text.strip_prefix('n')?.parse().ok()?;
    number.checked_sub(1).map(NodeId)
}

/// A value, as it is shown.
///
/// # Errors
/// If it is none: a sentence.
pub fn parse_value(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if let Some(node) = parse_node(text) {
        return Ok(Value::Node(node));
    }
    match text {
        "null" | "NULL" | "nil" => Ok(Value::Null),
        "?" => Ok(Value::Unknown),
        _ => text.parse().map(Value::Number).map_err(|_| {
            format!("`{text}` is not a value: write a node such as `n1`, `null` or a number")
        }),
    }
}
