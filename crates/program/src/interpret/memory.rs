//! The objects of a run. Locals whose address nobody took are given back when their function ends, so that long runs
//! stay small; all others live until the end.

use std::borrow::Cow;

use fixedbitset::FixedBitSet;
use nopol_basics::index;
use typed_index_collections::TiVec;

use super::value::{Address, Value};
use crate::ir::{Initially, MOST_CELLS, Scalar};

index! {
    /// An object of a run.
    ObjectId
}

#[derive(Clone, Debug)]
struct Object<'p> {
    types: Cow<'p, [Scalar]>,
    values: Vec<Value>,
    /// The cells that have no value: theirs is zero.
    unset: FixedBitSet,
    /// Whether there may be a pointer to it.
    is_shared: bool,
    /// Whether the program allocated it, and may give it back.
    is_allocated: bool,
    /// Whether the program gave it back, or it is a variable of a block or function that has ended.
    is_freed: bool,
    /// Whether nothing may write to it.
    is_constant: bool,
}

/// All objects.
#[derive(Clone, Debug, Default)]
pub struct Memory<'p> {
    objects: TiVec<ObjectId, Object<'p>>,
    free: Vec<ObjectId>,
    cells: usize,
}

impl<'p> Memory<'p> {
    /// A new object; none if there is no room.
    pub fn allocate(&mut self, types: Cow<'p, [Scalar]>, initially: Initially) -> Option<ObjectId> {
        self.cells += types.len().max(1);
        if self.cells > MOST_CELLS as usize {
            return None;
        }
        let values = types.iter().map(|ty| Value::zero(*ty));
        let mut unset = FixedBitSet::new();
        if initially == Initially::Unset {
            unset.grow(types.len());
            unset.insert_range(..);
        }
        Some(match self.free.pop() {
            Some(id) => {
                let object = &mut self.objects[id];
                object.values.clear();
                object.values.extend(values);
                object.types = types;
                object.unset = unset;
                object.is_shared = false;
                object.is_allocated = false;
                object.is_freed = false;
                object.is_constant = false;
                id
            }
            None => {
                let values = values.collect();
                self.objects.push_and_get_key(Object {
                    types,
                    values,
                    unset,
                    is_shared: false,
                    is_allocated: false,
                    is_freed: false,
                    is_constant: false,
                })
            }
        })
    }

    /// Gives an object back unless there may be pointers to it.
    pub fn release(&mut self, id: ObjectId) {
        let object = &mut self.objects[id];
        if !object.is_shared {
            self.cells -= object.types.len().max(1);
            self.free.push(id);
        }
    }

    /// Gives an object back; if there may be pointers to it, they lead to nothing from now on.
    pub fn end(&mut self, id: ObjectId) {
        self.objects[id].is_freed = self.objects[id].is_shared;
        self.release(id);
    }

    /// Says that nothing may write to an object any more.
    pub fn make_constant(&mut self, id: ObjectId) {
        self.objects[id].is_constant = true;
    }

    /// Whether nothing may write to an object.
    pub fn is_constant(&self, id: ObjectId) -> bool {
        self.objects[id].is_constant
    }

    /// Says that the program allocated an object.
    pub fn allocated(&mut self, id: ObjectId) {
        self.objects[id].is_allocated = true;
    }

    /// Whether the program allocated an object.
    pub fn is_of_heap(&self, id: ObjectId) -> bool {
        self.objects[id].is_allocated
    }

    /// Whether an address is the beginning of an object that the program allocated.
    pub fn is_allocated(&self, address: Address) -> bool {
        address.cell == 0 && self.objects[address.object].is_allocated
    }

    /// The program gives an object back.
    pub fn give_back(&mut self, id: ObjectId) {
        self.objects[id].is_freed = true;
    }

    /// Whether the program gave an object back, or it is a variable of a block or function that has ended.
    pub fn is_freed(&self, id: ObjectId) -> bool {
        self.objects[id].is_freed
    }

    /// Says that there may be pointers to an object.
    pub fn share(&mut self, id: ObjectId) {
        self.objects[id].is_shared = true;
    }

    /// What the cells of an object hold.
    pub fn values(&self, id: ObjectId) -> &[Value] {
        &self.objects[id].values
    }

    /// What a cell holds; none outside of the object.
    pub fn read(&self, address: Address) -> Option<Value> {
        let cell = usize::try_from(address.cell).ok()?;
        self.objects[address.object].values.get(cell).copied()
    }

    /// Writes into a cell that is there.
    pub fn write(&mut self, address: Address, value: Value) {
        let object = &mut self.objects[address.object];
        let cell = usize::try_from(address.cell).ok();
        if let Some((cell, ty)) =
            cell.and_then(|cell| Some((object.values.get_mut(cell)?, object.types.get(cell)?)))
        {
            *cell = value.fit(*ty);
        }
        if let Ok(cell) = usize::try_from(address.cell)
            && object.unset.contains(cell)
        {
            object.unset.remove(cell);
        }
    }

    /// Whether a cell has a value; what is outside of the object counts as zero.
    pub fn is_set(&self, address: Address) -> bool {
        let cell = usize::try_from(address.cell);
        !cell.is_ok_and(|cell| self.objects[address.object].unset.contains(cell))
    }

    /// Takes the value of an existing cell.
    pub fn unset(&mut self, address: Address) {
        let object = &mut self.objects[address.object];
        if let Ok(cell) = usize::try_from(address.cell)
            && cell < object.values.len()
        {
            object.unset.grow_and_insert(cell);
        }
    }
}
