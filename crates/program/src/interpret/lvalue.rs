//! Finding cells, reading and writing them.

use super::memory::ObjectId;
use super::value::{Address, Value};
use super::{Carried, Flow, Interpreter};
use crate::ir::{Expr, FaultKind, Lvalue, MOST_CELLS, Scalar, Span};

/// The cell that an lvalue means.
#[derive(Clone, Copy, Debug)]
pub struct Located {
    /// Its address, also outside of its object; none through null.
    pub address: Option<Address>,
    /// Whether an index on the way is outside of its array.
    pub is_outside: bool,
    /// The index, if the outermost part of the lvalue is one.
    pub index: Option<i128>,
    /// The index that the program computes, even if an angelic one is used.
    pub original_index: Option<i128>,
    /// Where the index or pointer is written that led there.
    span: Option<Span>,
}

impl<'p> Interpreter<'p, '_> {
    /// Finds a cell, without a check whether it is there. With `angelic`, the outermost index has that value instead.
    pub fn locate(&mut self, lvalue: &'p Lvalue, angelic: Option<i128>) -> Flow<Located> {
        self.check_stack()?;
        match lvalue {
            Lvalue::Variable(variable) => Ok(Located {
                address: Some(self.variable(*variable)?),
                is_outside: false,
                index: None,
                original_index: None,
                span: None,
            }),
            Lvalue::Deref(pointer) => Ok(Located {
                address: self.eval(pointer)?.address(),
                is_outside: false,
                index: None,
                original_index: None,
                span: Some(pointer.span),
            }),
            Lvalue::Index {
                array,
                index,
                length,
                stride,
            } => {
                let array = self.locate(array, None)?;
                let (number, original) = self.index(index, angelic)?;
                let is_outside =
                    length.is_some_and(|length| !(0..i128::from(length)).contains(&number));
                let cells = number.saturating_mul(i128::from(*stride));
                Ok(Located {
                    address: array.address.map(|address| address.plus(cells)),
                    is_outside: array.is_outside || is_outside,
                    index: Some(number),
                    original_index: Some(original),
                    span: Some(index.span),
                })
            }
            Lvalue::Field(structure, cells) => {
                let located = self.locate(structure, None)?;
                Ok(Located {
                    address: located
                        .address
                        .map(|address| address.plus(i128::from(*cells))),
                    index: None,
                    original_index: None,
                    ..located
                })
            }
        }
    }

    /// The value of an index, and what the program computes. One that is replaced is still evaluated, but cannot fault.
    fn index(&mut self, index: &'p Expr, angelic: Option<i128>) -> Flow<(i128, i128)> {
        match angelic.filter(|_| index.is_written()) {
            None => {
                let number = self.eval(index)?.number();
                Ok((number, number))
            }
            Some(angelic) => Ok((angelic, self.eval_suppressed(index)?.number())),
        }
    }

    /// What a located cell holds, and whether it was ever set. It is written there or, if the lvalue says nothing, here.
    pub(super) fn read(&mut self, located: Located, ty: Scalar, here: Span) -> Flow<Carried> {
        let address = self.check(located, here)?;
        let is_set = address.is_none_or(|address| self.memory.is_set(address));
        let value = address.and_then(|address| self.memory.read(address));
        let value = value.map_or_else(|| Value::zero(ty), |value| value.fit(ty));
        Ok((value, is_set))
    }

    /// Writes into a located cell.
    pub(super) fn write(
        &mut self,
        located: Located,
        (value, is_set): Carried,
        here: Span,
    ) -> Flow<()> {
        if let Some(address) = self.check(located, here)? {
            if self.memory.is_constant(address.object) {
                self.fault(FaultKind::Constant, located.span.unwrap_or(here))?;
            }
            self.memory.write(address, value);
            if !is_set {
                self.memory.unset(address);
            }
        }
        Ok(())
    }

    /// What the cell this far from an address holds, and whether it was ever set.
    pub(super) fn read_at(
        &mut self,
        base: Option<Address>,
        cells: i128,
        ty: Scalar,
        here: Span,
    ) -> Flow<Carried> {
        self.read(Located::at(base, cells), ty, here)
    }

    /// Writes into the cell this far from an address.
    pub fn write_at(
        &mut self,
        base: Option<Address>,
        cells: i128,
        value: Value,
        here: Span,
    ) -> Flow<()> {
        self.write(Located::at(base, cells), (value, true), here)
    }

    /// Copies cells, as is written here. All are read before the first is written.
    pub fn copy(
        &mut self,
        source: &'p Lvalue,
        target: &'p Lvalue,
        cells: usize,
        here: Span,
    ) -> Flow<()> {
        let source = self.locate(source, None)?;
        let target = self.locate(target, None)?;
        // One cell more than there can be is a fault like any number of them.
        let most = MOST_CELLS + 1;
        let cells = u32::try_from(cells).map_or(most, |cells| cells.min(most));
        self.spend(u64::from(cells / 64))?;
        let mut values = Vec::new();
        for cell in 0..cells {
            let located = source.plus(cell);
            let address = self.check(located, here)?;
            // Zero becomes null in a cell for pointers.
            let value = address.and_then(|address| self.memory.read(address));
            let is_set = address.is_none_or(|address| self.memory.is_set(address));
            values.push((value.unwrap_or(Value::Number(0)), is_set));
        }
        for (cell, value) in (0..cells).zip(values) {
            self.write(target.plus(cell), value, here)?;
        }
        Ok(())
    }

    /// What it is to use an object that is no more there.
    pub(super) fn gone(&self, object: ObjectId) -> FaultKind {
        match self.memory.is_of_heap(object) {
            true => FaultKind::Freed,
            false => FaultKind::Gone,
        }
    }

    /// The address if it can be accessed or if it does not matter that it cannot.
    fn check(&mut self, located: Located, here: Span) -> Flow<Option<Address>> {
        let kind = match located.address {
            None => Some(FaultKind::NullPointer),
            Some(address) if self.memory.is_freed(address.object) => {
                Some(self.gone(address.object))
            }
            Some(address) => {
                (located.is_outside || !address.is_within() || self.memory.read(address).is_none())
                    .then_some(FaultKind::OutOfBounds)
            }
        };
        if let Some(kind) = kind {
            self.fault(kind, located.span.unwrap_or(here))?;
        }
        Ok(located.address)
    }
}

impl Located {
    /// The cell this far from an address.
    fn at(base: Option<Address>, cells: i128) -> Self {
        Self {
            address: base.map(|base| base.plus(cells)),
            is_outside: false,
            index: None,
            original_index: None,
            span: None,
        }
    }

    /// The cell this many cells further.
    fn plus(self, cells: u32) -> Self {
        Self {
            address: self.address.map(|address| address.plus(i128::from(cells))),
            ..self
        }
    }
}
