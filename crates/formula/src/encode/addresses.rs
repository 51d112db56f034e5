//! Addresses as circuits: where pointers and lvalues lead, and what is read and written there.

use std::rc::Rc;

use nopol_program::ir::{BinaryOp, FaultKind, Lvalue, Scalar};

use super::memory::{Carried, INDEX_BITS, ObjectId, Part, Target, Value, choose};
use super::{Bit, Encoder, Result, index_word};
use crate::circuit::word::{self, Word};

/// A number of cells that leads out of every object.
const FAR: i128 = -(1 << (INDEX_BITS - 1));

/// Where an lvalue may be.
#[derive(Clone, Debug)]
pub(super) struct Located {
    /// The cells, also outside of their objects.
    pub targets: Rc<[Target]>,
    /// Whether an index on the way is outside of its array.
    pub outside: Bit,
}

impl Located {
    /// Where a pointer points to.
    pub fn of(targets: Rc<[Target]>) -> Self {
        let outside = Bit::FALSE;
        Self { targets, outside }
    }
}

impl Encoder<'_> {
    pub(super) fn compare_pointers(&mut self, op: BinaryOp, a: &[Target], b: &[Target]) -> Bit {
        self.check_compared(a, b);
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if is_equality {
            self.check_neighbours(a, b);
        }
        let (mut same, mut less, mut unrelated) = (Bit::FALSE, Bit::FALSE, Bit::FALSE);
        for x in a {
            for y in b {
                let both = self.circuit.and(x.when, y.when);
                match (&x.address, &y.address) {
                    // Null has no order, not even to itself.
                    (None, None) if is_equality => same = self.circuit.or(same, both),
                    (Some((one, x)), Some((other, y))) if one == other => {
                        let equal = self.circuit.equal(x, y);
                        let equal = self.circuit.and(both, equal);
                        same = self.circuit.or(same, equal);
                        let below = self.circuit.less(x, y, true);
                        let below = self.circuit.and(both, below);
                        less = self.circuit.or(less, below);
                    }
                    _ => unrelated = self.circuit.or(unrelated, both),
                }
            }
        }
        if !is_equality {
            self.fault(FaultKind::OutOfBounds, unrelated);
        }
        let related = !unrelated;
        match op {
            BinaryOp::Eq => same,
            BinaryOp::Ne => !same,
            BinaryOp::Lt => less,
            BinaryOp::Le => self.circuit.or(less, same),
            BinaryOp::Ge => self.circuit.and(!less, related),
            BinaryOp::Gt => self.circuit.all([!less, !same, related]),
            _ => Bit::FALSE,
        }
    }

    /// Records the fault of comparing what leads to what is no more there: something else may be in its place, and a compiler may
    /// make null of the address of a variable.
    fn check_compared(&mut self, a: &[Target], b: &[Target]) {
        for (all, others) in [(a, b), (b, a)] {
            for target in all {
                let Some((object, _)) = target.address else {
                    continue;
                };
                let freed = self.was_freed(object);
                if freed == Bit::FALSE {
                    continue;
                }
                let mut elsewhere = Bit::constant(!self.memory.objects[object].is_allocated);
                for other in others {
                    if other
                        .address
                        .as_ref()
                        .is_some_and(|(other, _)| *other != object)
                    {
                        elsewhere = self.circuit.or(elsewhere, other.when);
                    }
                }
                let wrong = self.circuit.all([target.when, freed, elsewhere]);
                self.fault(FaultKind::Freed, wrong);
            }
        }
    }

    /// Records the fault of asking whether addresses are equal where a compiler decides it: one is behind its object or part and the
    /// other elsewhere, or both lead to string literals of which one may be the end of the other.
    fn check_neighbours(&mut self, a: &[Target], b: &[Target]) {
        for x in a {
            for y in b {
                let (Some((one, _)), Some((other, _))) = (&x.address, &y.address) else {
                    continue;
                };
                let elsewhere = match one == other {
                    true => !self.is_same_part(x, y),
                    false => Bit::TRUE,
                };
                let (is_x_outside, is_y_outside) = (self.is_outside(x), self.is_outside(y));
                let outside = self.circuit.or(is_x_outside, is_y_outside);
                let mut wrong = self.circuit.and(elsewhere, outside);
                if one != other && self.may_be_merged(*one, *other) {
                    wrong = Bit::TRUE;
                }
                let wrong = self.circuit.all([x.when, y.when, wrong]);
                self.fault(FaultKind::OutOfBounds, wrong);
            }
        }
    }

    /// Whether an address is outside of its object, or of the part that the pointer leads to.
    fn is_outside(&mut self, target: &Target) -> Bit {
        let Some((object, cell)) = &target.address else {
            return Bit::FALSE;
        };
        let length = self.memory.objects[*object].length.clone();
        let inside = self.circuit.less(cell, &length, false);
        let elsewhere = self.is_elsewhere(target);
        self.circuit.or(!inside, elsewhere)
    }

    /// Whether two pointers into one object lead to the same part of it.
    fn is_same_part(&mut self, x: &Target, y: &Target) -> Bit {
        match (&x.part, &y.part) {
            (None, None) => Bit::TRUE,
            (Some(x), Some(y)) if x.cells == y.cells => {
                let same = self.circuit.equal(&x.start, &y.start);
                let both_missing = self.circuit.and(x.is_missing, y.is_missing);
                let neither = self.circuit.and(!x.is_missing, !y.is_missing);
                let same = self.circuit.and(same, neither);
                self.circuit.or(same, both_missing)
            }
            (Some(x), Some(y)) => self.circuit.and(x.is_missing, y.is_missing),
            _ => Bit::FALSE,
        }
    }

    /// Whether two objects are string literals of which one ends as the other one does.
    fn may_be_merged(&mut self, one: ObjectId, other: ObjectId) -> bool {
        if !self.constants.contains(&one) || !self.constants.contains(&other) {
            return false;
        }
        let [one, other] = [one, other].map(|object| self.known_bytes(object));
        match (one, other) {
            (Some(one), Some(other)) => one.ends_with(&other) || other.ends_with(&one),
            _ => true,
        }
    }

    pub(super) fn distance(&mut self, a: &[Target], b: &[Target], stride: u32) -> Word {
        self.check_compared(a, b);
        let mut unrelated = Bit::FALSE;
        let mut result = index_word(0);
        for one_target in a {
            for other_target in b {
                let both = self.circuit.and(one_target.when, other_target.when);
                match (&one_target.address, &other_target.address) {
                    (Some((one, x)), Some((other, y))) if one == other => {
                        let (cells, _) = self.circuit.sub(x, y, true);
                        result = self.circuit.choose(both, &cells, &result);
                        let same = self.is_same_part(one_target, other_target);
                        let differ = self.circuit.and(both, !same);
                        unrelated = self.circuit.or(unrelated, differ);
                    }
                    _ => unrelated = self.circuit.or(unrelated, both),
                }
            }
        }
        self.fault(FaultKind::OutOfBounds, unrelated);
        match stride {
            0 | 1 => result,
            _ => {
                let stride = index_word(i128::from(stride));
                self.circuit.div_rem(&result, &stride, true).0
            }
        }
    }

    /// Whether areas of so many cells have nothing in common.
    pub(super) fn are_apart(
        &mut self,
        (to, cells): (&[Target], &Word),
        (from, others): (&[Target], &Word),
    ) -> Bit {
        let mut overlap = Bit::FALSE;
        for x in to {
            for y in from {
                let (Some((one, to)), Some((other, from))) = (&x.address, &y.address) else {
                    continue;
                };
                if one != other {
                    continue;
                }
                let (ahead, _) = self.circuit.sub(from, to, true);
                let (behind, _) = self.circuit.sub(to, from, true);
                let is_behind = self.circuit.less(from, to, true);
                let near = |this: &mut Self, distance: &Word, cells: &Word| {
                    let distance = word::resized(distance, cells.len(), false);
                    this.circuit.less(&distance, cells, false)
                };
                let (is_ahead_near, is_behind_near) =
                    (near(self, &ahead, cells), near(self, &behind, others));
                // At the same place both must have cells.
                let is_same = self.circuit.equal(from, to);
                let both_near = self.circuit.and(is_ahead_near, is_behind_near);
                let is_near = self.circuit.mux(is_behind, is_behind_near, is_ahead_near);
                let is_near = self.circuit.mux(is_same, both_near, is_near);
                let bit = self.circuit.all([x.when, y.when, is_near]);
                overlap = self.circuit.or(overlap, bit);
            }
        }
        !overlap
    }

    /// A signed number of elements of this many cells, as a number of cells. What is too large leads out of every object.
    pub(super) fn scaled(&mut self, number: &[Bit], stride: u32) -> Word {
        let index = word::resized(number, INDEX_BITS, true);
        let again = word::resized(&index, number.len(), true);
        let mut fits = match number.len() > INDEX_BITS {
            true => self.circuit.equal(&again, number),
            false => Bit::TRUE,
        };
        let mut cells = index;
        if stride != 1 {
            let stride = index_word(i128::from(stride));
            let (product, overflows) = self.circuit.mul(&cells, &stride, true);
            fits = self.circuit.and(fits, !overflows);
            cells = product;
        }
        self.circuit.choose(fits, &cells, &index_word(FAR))
    }

    /// A pointer this many cells further; null stays null.
    pub(super) fn moved(&mut self, targets: &[Target], by: &[Bit]) -> Rc<[Target]> {
        let far = index_word(FAR);
        let is_far = self.circuit.equal(by, &far);
        let move_one = |target: &Target| {
            let address = target.address.as_ref().map(|(object, cell)| {
                let (sum, overflows) = self.circuit.add(cell, by, true);
                let is_far = self.circuit.or(is_far, overflows);
                (*object, self.circuit.choose(is_far, &far, &sum))
            });
            Target {
                when: target.when,
                address,
                part: target.part.clone(),
            }
        };
        targets.iter().map(move_one).collect()
    }

    /// Finds a cell, without a check whether it is there.
    pub(super) fn locate(&mut self, lvalue: &Lvalue) -> Result<Located> {
        match lvalue {
            Lvalue::Variable(variable) => {
                let local = self.frame().objects.get(variable).copied();
                let object = local.or_else(|| self.globals.get(variable).copied());
                let object = match object {
                    Some(object) => object,
                    None => self.declared(*variable),
                };
                match Value::pointer(object, index_word(0)) {
                    Value::Pointer(targets) => Ok(Located::of(targets)),
                    Value::Bits(_) => Ok(Located::of([].into())),
                }
            }
            Lvalue::Deref(pointer) => Ok(Located::of(self.pointer(pointer)?)),
            Lvalue::Index {
                array,
                index,
                length,
                stride,
            } => {
                let array = self.locate(array)?;
                let signed = index.ty.is_signed();
                let index = self.bits(index)?;
                let index = word::resized(&index, index.len() + 1, signed);
                Ok(self.element(&array, &index, *length, *stride))
            }
            Lvalue::Field(structure, offset) => {
                let structure = self.locate(structure)?;
                let targets = self.moved(&structure.targets, &index_word(i128::from(*offset)));
                Ok(Located {
                    targets,
                    ..structure
                })
            }
        }
    }

    /// An element of an array, by a signed number.
    pub(super) fn element(
        &mut self,
        array: &Located,
        index: &[Bit],
        length: Option<u32>,
        stride: u32,
    ) -> Located {
        let mut outside = array.outside;
        if let Some(length) = length {
            let width = index.len().max(INDEX_BITS + 1);
            let (index, length) = (
                word::resized(index, width, true),
                word::constant(i128::from(length), width),
            );
            let inside = self.circuit.less(&index, &length, false);
            outside = self.circuit.or(outside, !inside);
        }
        let by = self.scaled(index, stride);
        let targets = self.moved(&array.targets, &by);
        Located { targets, outside }
    }

    /// The cell this many cells further.
    pub(super) fn further(&mut self, located: &Located, cells: u32) -> Located {
        let targets = self.moved(&located.targets, &index_word(i128::from(cells)));
        Located {
            targets,
            ..*located
        }
    }

    /// Records the faults of reading or writing where a pointer points to. When its cell is in its object.
    fn check(&mut self, target: &Target, outside: Bit) -> Bit {
        let Some((object, cell)) = &target.address else {
            self.fault(FaultKind::NullPointer, target.when);
            return Bit::FALSE;
        };
        let freed = self.was_freed(*object);
        let freed = self.circuit.and(target.when, freed);
        self.fault(FaultKind::Freed, freed);
        let length = self.memory.objects[*object].length.clone();
        let inside = self.circuit.less(cell, &length, false);
        let wrong = self.circuit.or(!inside, outside);
        let elsewhere = self.is_elsewhere(target);
        let wrong = self.circuit.or(wrong, elsewhere);
        let wrong = self.circuit.and(target.when, wrong);
        self.fault(FaultKind::OutOfBounds, wrong);
        inside
    }

    /// When a cell is not in the part of its object that the pointer leads to.
    fn is_elsewhere(&mut self, target: &Target) -> Bit {
        let (Some((_, cell)), Some(part)) = (&target.address, &target.part) else {
            return Bit::FALSE;
        };
        let (distance, _) = self.circuit.sub(cell, &part.start, true);
        let cells = index_word(i128::from(part.cells));
        let inside = self.circuit.less(&distance, &cells, false);
        self.circuit.or(part.is_missing, !inside)
    }

    /// Pointers to the first of so many cells, which are a part of what they lead to.
    pub(super) fn narrowed(&mut self, located: &Located, cells: u32) -> Rc<[Target]> {
        let mut all = Vec::with_capacity(located.targets.len());
        for target in located.targets.iter() {
            let part = target.address.as_ref().map(|(_, start)| start.clone());
            let part = part.map(|start| {
                let mut is_missing = located.outside;
                if let Some(around) = &target.part {
                    // The part begins at a distance from which so many cells are left.
                    let (distance, _) = self.circuit.sub(&start, &around.start, true);
                    let fits = match around.cells.checked_sub(cells) {
                        Some(most) => {
                            let most = index_word(i128::from(most) + 1);
                            self.circuit.less(&distance, &most, false)
                        }
                        None => Bit::FALSE,
                    };
                    is_missing = self.circuit.or(is_missing, around.is_missing);
                    is_missing = self.circuit.or(is_missing, !fits);
                }
                Part {
                    start,
                    cells,
                    is_missing,
                }
            });
            all.push(Target {
                part,
                ..target.clone()
            });
        }
        all.into()
    }

    /// What a located cell holds; a fault if it was never set.
    pub(super) fn read(&mut self, located: &Located, ty: Scalar) -> Value {
        let (value, unset) = self.carried_from(located, ty);
        self.fault(FaultKind::Unset, unset);
        value
    }

    /// What a located cell holds, to be moved.
    pub(super) fn carried_from(&mut self, located: &Located, ty: Scalar) -> Carried {
        let mut result = (Value::zero(ty), Bit::FALSE);
        for target in located.targets.iter() {
            let inside = self.check(target, located.outside);
            if let Some((object, cell)) = &target.address {
                let contents = *self.contents(*object);
                let (value, unset) = self.memory.read(self.circuit, *object, contents, cell, ty);
                let read = (value, self.circuit.and(unset, inside));
                result = choose(self.circuit, target.when, &read, &result);
            }
        }
        result
    }

    /// Writes into a located cell.
    pub(super) fn write_to(&mut self, located: &Located, value: &Value, ty: Scalar) {
        self.carry_to(located, &(value.clone(), Bit::FALSE), ty);
    }

    /// Moves a value of a type into a located cell.
    pub(super) fn carry_to(&mut self, located: &Located, value: &Carried, ty: Scalar) {
        for target in located.targets.iter() {
            let inside = self.check(target, located.outside);
            if let Some((object, cell)) = &target.address {
                if self.constants.contains(object) {
                    self.fault(FaultKind::Constant, target.when);
                }
                let when = self.circuit.and(target.when, inside);
                let is_signed = ty.is_signed();
                self.write(*object, cell, (value.clone(), is_signed), when);
            }
        }
    }
}
