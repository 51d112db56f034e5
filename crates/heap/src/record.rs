//! Where runs of whole programs enter a routine: the memory there as a memory graph.

use std::collections::{BTreeMap, VecDeque};

use nopol_program::interpret::{Address, Entered, ObjectId, Value as Held};
use nopol_program::ir::RecordId;

use super::ir::{Routine, Type};
use super::memory::{Memory, Node};
use super::state::{NodeId, Value};

/// Most nodes of a memory graph.
const MOST_NODES: usize = 512;

/// The memory graph of what can be reached from globals and parameters. Nodes are numbered in the order in which they were
/// allocated. `None` if it is too large, or if a pointer leads into the middle of something.
pub fn memory(routine: &Routine, entered: &Entered<'_>) -> Option<Memory> {
    let mut memory = Memory::new(routine);
    let mut held: BTreeMap<_, Held> = BTreeMap::new();
    let mut found: BTreeMap<(u32, i64), RecordId> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for (id, variable) in routine.variables.iter_enumerated() {
        if variable.is_hidden {
            continue;
        }
        let Some((cell, offset)) = variable.origin else {
            continue;
        };
        // A global that was never used is as the program began.
        let zero = || match variable.ty {
            Type::Pointer(_) => Held::Pointer(None),
            Type::Number(_) => Held::Number(0),
        };
        let found = entered.variable(cell, offset);
        let found = found.or_else(|| variable.is_global.then(zero));
        if let Some(value) = found {
            held.insert(id, value);
            if let (Some(address), Type::Pointer(record)) = (value.address(), variable.ty) {
                queue.push_back((address, record));
            }
        }
    }
    while let Some((address, record)) = queue.pop_front() {
        let key = (address.object.number(), address.cell);
        if found.contains_key(&key) {
            continue;
        }
        found.insert(key, record);
        if found.len() > MOST_NODES {
            return None;
        }
        for (number, field) in routine.records[record].fields.iter().enumerate() {
            let value = entered.read(address.plus(i128::from(field.offset)))?;
            if let (Some(next), Some(Type::Pointer(target))) =
                (value.address(), routine.field_type(record, number))
            {
                queue.push_back((next, target));
            }
        }
    }
    let keys: Vec<_> = found.keys().copied().collect();
    let node = |address: Address| {
        let key = (address.object.number(), address.cell);
        let number = keys.binary_search(&key).ok()?;
        Some(NodeId(u32::try_from(number).ok()?))
    };
    let value = |held: Held, ty: Type| match (held, ty) {
        (Held::Pointer(None), _) => Value::Null,
        (Held::Pointer(Some(address)), Type::Pointer(_)) => {
            node(address).map_or(Value::Unknown, Value::Node)
        }
        (Held::Number(number), Type::Number(_)) => Value::Number(number),
        _ => Value::Unknown,
    };
    for (id, held) in held {
        memory.variables[id] = value(held, routine.variables[id].ty);
    }
    for ((object, cell), record) in found {
        let at = Address::new(ObjectId::new(object), cell);
        let mut values = Vec::new();
        for (number, field) in routine.records[record].fields.iter().enumerate() {
            let address = at.plus(i128::from(field.offset));
            let held = entered.read(address)?;
            let ty = routine.field_type(record, number);
            let ty = ty.filter(|_| entered.is_set(address));
            values.push(ty.map_or(Value::Unknown, |ty| value(held, ty)));
        }
        memory.nodes.push(Node {
            record,
            fields: values,
            is_freed: entered.is_freed(at),
            is_fixed: !entered.is_allocated(at),
        });
    }
    Some(memory)
}
