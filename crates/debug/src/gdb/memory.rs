//! Reads the memory graph: the variables, and the structures that can be reached from them.
//!
//! A structure costs one question to gdb. Which variables there are is left to [`super::variables`], and where the
//! fields of a type lie to [`super::types`].

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use nopol_heap::state::{Node, NodeId, State, Value, Variable};

use super::fields::Field;
use super::layout;
use super::names::{Names, tag};
use super::process::Gdb;
use super::stop;
use super::subject::Subject;
use super::types::{Kind, Pointee, Types, address_of, printed_type};
use super::variables::Local;
use super::{Error, Result};

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRequest {
    /// The global variables to show, by their names.
    pub globals: Vec<String>,
    /// How many nodes to show at most.
    pub most_nodes: usize,
    /// The locals that were never assigned to: what they hold means nothing, and is neither shown nor followed.
    pub unset: Vec<String>,
    /// Whether to show nodes that were seen before and that nothing leads to any more.
    pub lost: bool,
}

impl Default for StateRequest {
    fn default() -> Self {
        Self {
            globals: Vec::new(),
            most_nodes: 50,
            unset: Vec::new(),
            lost: false,
        }
    }
}

impl Subject {
    /// Reads the memory graph from the selected frame: breadth first from its variables, which are the given globals,
    /// the arguments, and the locals in scope. Nodes that are seen first get the next numbers.
    ///
    /// A global that is a structure is shown as its fields; if a pointer leads to it, as a name of that node.
    ///
    /// Where there are more nodes than asked for, pointers lead to nodes that are not in the graph, and `hidden`
    /// counts those.
    ///
    /// # Errors
    ///
    /// If gdb does not answer. What it cannot read is [`Value::Unknown`].
    pub fn read_state(&mut self, request: &StateRequest, names: &mut Names) -> Result<State> {
        self.update(names)?;
        let locals = self.locals()?;
        let mut walk = Walk {
            gdb: &mut self.gdb,
            types: &mut self.types,
            names,
            known: HashMap::new(),
            queue: VecDeque::new(),
        };
        let mut variables = Vec::new();
        let mut places = Vec::new();
        for name in &request.globals {
            let is_shadowed = locals.iter().any(|local| local.name == *name);
            let first = variables.len();
            let place = walk.global(name, is_shadowed, &mut variables)?;
            places.extend(place.map(|place| (first..variables.len(), place)));
        }
        for local in &locals {
            match request.unset.contains(&local.name) {
                true => variables.push(unknown(&local.name)),
                false => walk.local(local, &mut variables)?,
            }
        }
        let mut nodes = Vec::new();
        while nodes.len() < request.most_nodes
            && let Some(found) = walk.queue.pop_front()
        {
            nodes.push(walk.node(found)?);
        }
        // Where pointers lead to a global, two names of one thing would be two things.
        let named =
            |place: &GlobalRecord| match walk.known.get(&(place.address, place.c_type.clone())) {
                Some(Value::Node(node)) => Some(*node),
                _ => None,
            };
        let named: Vec<Option<NodeId>> = places.iter().map(|(_, place)| named(place)).collect();
        if request.lost && walk.queue.is_empty() {
            for (address, c_type) in walk.names.live() {
                let is_global = |(_, place): &(_, GlobalRecord)| place.address == address;
                if places.iter().any(is_global) {
                    continue;
                }
                walk.pointer(address, &Pointee::Node(c_type))?;
                while nodes.len() < request.most_nodes
                    && let Some(found) = walk.queue.pop_front()
                {
                    nodes.push(walk.node(found)?);
                }
            }
        }
        nodes.sort_by_key(|node: &Node| node.id);
        for ((fields, place), node) in places.into_iter().zip(named).rev() {
            if let Some(node) = node {
                variables.splice(fields, [Variable::new(place.name, Value::Node(node))]);
            }
        }
        Ok(State {
            variables,
            nodes,
            hidden: walk.queue.len(),
        })
    }
}

impl Subject {
    /// Whether one of these pointers may lead to something that was freed: `None` stands for pointers without names.
    ///
    /// # Errors
    ///
    /// If gdb does not answer.
    pub fn may_use_freed(
        &mut self,
        pointers: Option<&[String]>,
        names: &mut Names,
    ) -> Result<bool> {
        self.update(names)?;
        if !names.has_freed() {
            return Ok(false);
        }
        let Some(pointers) = pointers else {
            return Ok(true);
        };
        for pointer in pointers {
            let value = self.gdb.evaluate(&format!("(unsigned long) ({pointer})"));
            let is_freed = match value.map(|value| value.parse()) {
                Ok(Ok(address)) => names.has_freed_at(address),
                Ok(Err(_)) | Err(Error::Refused { .. }) => true,
                Err(error) => return Err(error),
            };
            if is_freed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells the nodes what became of their memory.
    fn update(&mut self, names: &mut Names) -> Result<()> {
        names.observe(self.blocks()?.unwrap_or_default());
        Ok(())
    }
}

/// A node whose fields are not decoded yet.
struct RawNode {
    id: NodeId,
    fields: Arc<Vec<Field>>,
    /// Nothing for a freed one, because its content means nothing.
    bytes: Option<Vec<u8>>,
}

/// Where a global structure lies.
struct GlobalRecord {
    name: String,
    address: u64,
    c_type: String,
}

struct Walk<'a> {
    gdb: &'a mut Gdb,
    types: &'a mut Types,
    names: &'a mut Names,
    /// Where pointers lead that were followed before.
    known: HashMap<(u64, String), Value>,
    queue: VecDeque<RawNode>,
}

impl Walk<'_> {
    fn global(
        &mut self,
        name: &str,
        is_shadowed: bool,
        variables: &mut Vec<Variable>,
    ) -> Result<Option<GlobalRecord>> {
        // A local with this name would be meant otherwise.
        let is_plain = name
            .chars()
            .all(|character| character.is_alphanumeric() || character == '_');
        let expression = match is_plain {
            true => format!("::{name}"),
            false => name.to_owned(),
        };
        let shown = if is_shadowed { &expression } else { name };
        match printed_type(self.gdb, &expression)? {
            Some(c_type) => self.placed(&expression, shown, &c_type, variables),
            None => {
                variables.push(unknown(shown));
                Ok(None)
            }
        }
    }

    fn local(&mut self, local: &Local, variables: &mut Vec<Variable>) -> Result<()> {
        let found = self
            .types
            .resolve(self.gdb, &layout::type_name(&local.c_type))?;
        if let (Some(text), true) = (&local.value, found.dimensions.is_empty()) {
            let value = match found.kind {
                Kind::Integer { .. } => printed_number(text).map(Value::Number),
                Kind::Pointer(pointee) => match stop::address(text) {
                    Some(address) if text.starts_with("0x") => {
                        Some(self.pointer(address, &pointee)?)
                    }
                    _ => None,
                },
                Kind::Record(_) | Kind::Other => None,
            };
            if let Some(value) = value {
                variables.push(Variable::new(&*local.name, value));
                return Ok(());
            }
        }
        self.placed(&local.name, &local.name, &local.c_type, variables)?;
        Ok(())
    }

    /// Adds a variable by what lies at its place in memory. The place, if it is a structure.
    fn placed(
        &mut self,
        expression: &str,
        shown: &str,
        c_type: &str,
        variables: &mut Vec<Variable>,
    ) -> Result<Option<GlobalRecord>> {
        let mut fields = Vec::new();
        let mut record = None;
        // Nobody can ask for a type without a name, but for that of the variable.
        let is_nameless = c_type.starts_with("struct {") && c_type.ends_with('}');
        if is_nameless {
            self.types
                .nameless(self.gdb, expression, shown, &mut fields)?;
        } else {
            let found = self.types.resolve(self.gdb, &layout::type_name(c_type))?;
            self.types
                .expand(self.gdb, &found, shown, 0, 0, &mut fields)?;
            if let (Kind::Record(of), true) = (found.kind, found.dimensions.is_empty()) {
                record = Some(of);
            }
        }
        let address = address_of(self.gdb, expression)?;
        let bytes = match address {
            Some(address) => self.read(address, &fields)?,
            None => None,
        };
        for field in &fields {
            let value = match &bytes {
                Some(bytes) => self.field(field, bytes)?,
                None => Value::Unknown,
            };
            variables.push(field.holding(value));
        }
        Ok(address.zip(record).map(|(address, c_type)| GlobalRecord {
            name: shown.to_owned(),
            address,
            c_type,
        }))
    }

    fn node(&mut self, found: RawNode) -> Result<Node> {
        let mut fields = Vec::with_capacity(found.fields.len());
        for field in found.fields.iter() {
            let value = match &found.bytes {
                Some(bytes) => self.field(field, bytes)?,
                None => Value::Unknown,
            };
            fields.push(field.holding(value));
        }
        Ok(Node {
            id: found.id,
            record: self.names.record(found.id).unwrap_or_default().to_owned(),
            fields,
            is_freed: self.names.is_freed(found.id),
            is_fixed: false,
        })
    }

    fn field(&mut self, field: &Field, bytes: &[u8]) -> Result<Value> {
        match &field.kind {
            Kind::Integer { .. } => Ok(field.number(bytes).map_or(Value::Unknown, Value::Number)),
            Kind::Pointer(pointee) => {
                let size = self.types.kind_size(self.gdb, &field.kind)?;
                match field.raw(bytes, size) {
                    Some(address) => self.pointer(address, pointee),
                    None => Ok(Value::Unknown),
                }
            }
            Kind::Record(_) | Kind::Other => Ok(Value::Unknown),
        }
    }

    /// What a pointer holds. A node that is seen for the first time joins the queue.
    fn pointer(&mut self, address: u64, pointee: &Pointee) -> Result<Value> {
        if address == 0 {
            return Ok(Value::Null);
        }
        let c_type = match pointee {
            Pointee::Node(c_type) => c_type.clone(),
            // A pointer to anything leads to a node if it is known from elsewhere.
            Pointee::Other => {
                let first = self.names.at(address).first();
                match first.and_then(|id| self.names.c_type(*id)) {
                    Some(c_type) => c_type.to_owned(),
                    None => return Ok(Value::Unknown),
                }
            }
        };
        let key = (address, c_type);
        if let Some(value) = self.known.get(&key) {
            return Ok(*value);
        }
        let fields = self.types.node(self.gdb, &key.1)?;
        let is_freed = self.names.is_freed_at(address, &key.1);
        let bytes = match is_freed {
            true => None,
            false => self.read(address, &fields)?,
        };
        let value = if bytes.is_some() || is_freed {
            let id = self.names.number(address, &key.1);
            self.queue.push_back(RawNode { id, fields, bytes });
            Value::Node(id)
        } else {
            Value::Unknown
        };
        self.known.insert(key, value);
        Ok(value)
    }

    /// Reads the memory in which these fields lie. Nothing if it cannot be read.
    fn read(&mut self, address: u64, fields: &[Field]) -> Result<Option<Vec<u8>>> {
        // Reading at least one byte shows whether the memory is mapped.
        let mut length = 1;
        for field in fields {
            let size = self.types.kind_size(self.gdb, &field.kind)?;
            length = length.max(field.offset + size);
        }
        let command = format!("-data-read-memory-bytes {address:#x} {length}");
        let answer = match self.gdb.command(&command) {
            Ok(answer) => answer,
            Err(Error::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let pieces = answer.item("memory", &command)?.elements();
        let contents = pieces.first().and_then(|piece| piece.text("contents"));
        let bytes = contents.and_then(hexadecimal).unwrap_or_default();
        // Where memory ends within a structure, gdb gives a part of it.
        let is_whole = u64::try_from(bytes.len()).is_ok_and(|found| found >= length);
        Ok(is_whole.then_some(bytes))
    }
}

/// The number that gdb prints for an integer: `3`, `97 'a'`, `true`. Nothing for the names of enumerations.
pub(super) fn printed_number(text: &str) -> Option<i128> {
    match text.split(' ').next()? {
        "true" => Some(1),
        "false" => Some(0),
        number => number.parse().ok(),
    }
}

/// The type of a node as it is shown.
pub(super) fn shown_type(pointee: &Pointee) -> Option<&str> {
    match pointee {
        Pointee::Node(c_type) => Some(tag(c_type)),
        Pointee::Other => None,
    }
}

fn unknown(name: &str) -> Variable {
    Variable::new(name, Value::Unknown)
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
