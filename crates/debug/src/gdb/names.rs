//! The numbers of nodes: which node is at which address. First seen, first numbered; numbers are never used again.
//!
//! Structures of different types at one address, such as a structure and its first field, are different nodes. Where the
//! blocks of the subject are observed, they say when a node is freed, or its address given to another one; otherwise that
//! is for the caller to say.

use std::collections::HashMap;

use nopol_heap::state::NodeId;

use super::blocks::{Block, Blocks, Held};

/// What is known of a node.
#[derive(Clone, Debug)]
struct Entry {
    address: u64,
    /// The type as C spells it.
    c_type: String,
    is_freed: bool,
    /// The block in which it is; none if it is in no block, or the blocks are not observed.
    block: Option<Block>,
    /// Whether its address may belong to another node now.
    is_forgotten: bool,
}

/// The nodes of a session.
#[derive(Clone, Debug, Default)]
pub struct Names {
    entries: Vec<Entry>,
    /// Those that are not forgotten.
    by_address: HashMap<u64, Vec<NodeId>>,
    /// The blocks as they were when they were last observed.
    blocks: Blocks,
}

impl Names {
    /// The node of this C type, such as `struct node`, at an address. A new one gets the next number.
    pub fn number(&mut self, address: u64, c_type: &str) -> NodeId {
        if let Some(id) = self.find(address, c_type) {
            return id;
        }
        let id = NodeId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            address,
            c_type: c_type.to_owned(),
            is_freed: self.blocks.at(address) == Held::Freed,
            block: self.block(address),
            is_forgotten: false,
        });
        self.by_address.entry(address).or_default().push(id);
        id
    }

    /// The node of this C type at an address, if it has a number.
    pub fn find(&self, address: u64, c_type: &str) -> Option<NodeId> {
        self.at(address)
            .iter()
            .copied()
            .find(|id| self.c_type(*id) == Some(c_type))
    }

    /// The nodes at an address, of any type.
    pub fn at(&self, address: u64) -> &[NodeId] {
        self.by_address.get(&address).map_or(&[], Vec::as_slice)
    }

    /// Where a node is. A forgotten one is nowhere.
    pub fn address(&self, id: NodeId) -> Option<u64> {
        self.entry(id)
            .filter(|entry| !entry.is_forgotten)
            .map(|entry| entry.address)
    }

    /// The type of a node as C spells it: `struct node`, `struct node *` for a pointer to one, or a name made by
    /// `typedef`.
    pub fn c_type(&self, id: NodeId) -> Option<&str> {
        self.entry(id).map(|entry| entry.c_type.as_str())
    }

    /// The tag of a node: `node`, or `struct node *` for a pointer to one.
    pub fn record(&self, id: NodeId) -> Option<&str> {
        self.c_type(id).map(tag)
    }

    /// Whether a node was freed.
    pub fn is_freed(&self, id: NodeId) -> bool {
        self.entry(id).is_some_and(|entry| entry.is_freed)
    }

    /// Whether what a pointer of this type leads to was freed, be it numbered or not.
    pub(super) fn is_freed_at(&self, address: u64, c_type: &str) -> bool {
        match self.find(address, c_type) {
            Some(id) => self.is_freed(id),
            None => self.blocks.at(address) == Held::Freed,
        }
    }

    /// The blocks of the subject are these now: nodes were freed, or their memory belongs to new ones.
    pub(super) fn observe(&mut self, blocks: Blocks) {
        let mut reused = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| !entry.is_forgotten) {
            match blocks.at(entry.address) {
                Held::Allocated(block) if entry.block == Some(block) => {}
                Held::Allocated(_) => reused.push(entry.address),
                Held::Freed => entry.is_freed = true,
                Held::Elsewhere => {}
            }
        }
        for address in reused {
            self.forget(address);
        }
        self.blocks = blocks;
    }

    /// Whether any block was freed, or any node.
    pub(super) fn has_freed(&self) -> bool {
        let mut entries = self.entries.iter();
        self.blocks.has_freed() || entries.any(|entry| entry.is_freed && !entry.is_forgotten)
    }

    /// Whether a block or a node that was freed is at an address.
    pub(super) fn has_freed_at(&self, address: u64) -> bool {
        let mut nodes = self.at(address).iter();
        self.blocks.at(address) == Held::Freed || nodes.any(|id| self.is_freed(*id))
    }

    fn block(&self, address: u64) -> Option<Block> {
        match self.blocks.at(address) {
            Held::Allocated(block) => Some(block),
            Held::Freed | Held::Elsewhere => None,
        }
    }

    /// Notes that a node was freed. It is still shown while something points to it.
    pub fn mark_freed(&mut self, id: NodeId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.is_freed = true;
        }
    }

    /// Notes that an address belongs to something new, such as after `malloc`: what is seen there next gets a fresh
    /// number.
    pub fn forget(&mut self, address: u64) {
        for id in self.by_address.remove(&address).unwrap_or_default() {
            if let Some(entry) = self.entry_mut(id) {
                entry.is_forgotten = true;
            }
        }
    }

    /// Forgets where freed nodes are: code that was not followed may have allocated their memory again.
    pub fn forget_freed(&mut self) {
        let freed = self
            .entries
            .iter()
            .filter(|entry| entry.is_freed && !entry.is_forgotten);
        let freed: Vec<u64> = freed.map(|entry| entry.address).collect();
        for address in freed {
            self.forget(address);
        }
    }

    /// Where all nodes are that were neither freed nor forgotten, with their types.
    pub fn live(&self) -> Vec<(u64, String)> {
        let live = self.entries.iter();
        live.filter(|entry| !entry.is_freed && !entry.is_forgotten)
            .map(|entry| (entry.address, entry.c_type.clone()))
            .collect()
    }

    /// Forgets all addresses, for a new run of the program. Numbers go on.
    pub fn forget_all(&mut self) {
        self.by_address.clear();
        for entry in &mut self.entries {
            entry.is_forgotten = true;
        }
    }

    fn entry(&self, id: NodeId) -> Option<&Entry> {
        self.entries.get(usize::try_from(id.0).ok()?)
    }

    fn entry_mut(&mut self, id: NodeId) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(id.0).ok()?)
    }
}

/// The tag of a type as C spells it.
pub(super) fn tag(c_type: &str) -> &str {
    match c_type.strip_prefix("struct ") {
        Some(tag) if !tag.contains('*') => tag,
        _ => c_type,
    }
}
