//! What the cells of objects hold, as circuits: chains of writes and joins, read on demand, so that an object may be large
//! and an index unknown.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use nopol_basics::index;
use nopol_program::ir::{Initially, Scalar};
use typed_index_collections::TiVec;

use super::Extent;
use crate::circuit::word::{self, Word};
use crate::circuit::{Bit, Circuit};

index! {
    /// An object, in [`Memory::objects`].
    ObjectId
}

index! {
    /// What an object holds at a time, in [`Memory::contents`].
    ContentsId
}

/// How many bits the number of a cell has.
pub const INDEX_BITS: usize = 32;

/// A value that a cell can hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer or a bool.
    Bits(Word),
    /// Where it may point to, each under a condition; exactly one of these holds. `None` is null.
    Pointer(Rc<[Target]>),
}

/// Where a pointer may point to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// When it does.
    pub when: Bit,
    /// The object and the number of the cell.
    pub address: Option<(ObjectId, Word)>,
    /// The part of the object that it leads to, unless that is all of it.
    pub part: Option<Part>,
}

/// Cells of an object in a row: what a pointer leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The first one.
    pub start: Word,
    /// How many they are.
    pub cells: u32,
    /// When there is no such part, since it would leave the one that it is a part of.
    pub is_missing: Bit,
}

impl Value {
    /// The null pointer.
    pub fn null() -> Self {
        let when = Bit::TRUE;
        Self::Pointer(
            [Target {
                when,
                address: None,
                part: None,
            }]
            .into(),
        )
    }

    /// A pointer to a cell.
    pub fn pointer(object: ObjectId, cell: Word) -> Self {
        let address = Some((object, cell));
        let when = Bit::TRUE;
        let part = None;
        Self::Pointer(
            [Target {
                when,
                address,
                part,
            }]
            .into(),
        )
    }

    /// A bool.
    pub fn bit(bit: Bit) -> Self {
        Self::Bits([bit].into())
    }

    /// Zero of a type.
    pub fn zero(ty: Scalar) -> Self {
        match ty {
            Scalar::Pointer => Self::null(),
            _ => Self::Bits(word::constant(0, usize::from(ty.bits()))),
        }
    }

    /// How many bits it has; 0 of a pointer.
    fn width(&self) -> usize {
        match self {
            Self::Bits(bits) => bits.len(),
            Self::Pointer(_) => 0,
        }
    }

    /// The same number with as many bits; a pointer stays.
    fn resized(self, width: usize, is_signed: bool) -> Self {
        match self {
            Self::Bits(bits) if bits.len() != width && width > 0 => {
                Self::Bits(word::resized(&bits, width, is_signed))
            }
            other => other,
        }
    }

    /// `condition ? a : b`; `b` if they are not of a kind.
    pub fn choose(circuit: &mut Circuit, condition: Bit, a: &Self, b: &Self) -> Self {
        match (condition.known(), a, b) {
            (Some(true), ..) => a.clone(),
            (Some(false), ..) => b.clone(),
            _ if a == b => a.clone(),
            (None, Self::Bits(x), Self::Bits(y)) if x.len() == y.len() => {
                Self::Bits(circuit.choose(condition, x, y))
            }
            (None, Self::Pointer(x), Self::Pointer(y)) => {
                Self::Pointer(choose_targets(circuit, condition, x, y))
            }
            _ => b.clone(),
        }
    }
}

fn choose_targets(
    circuit: &mut Circuit,
    condition: Bit,
    a: &[Target],
    b: &[Target],
) -> Rc<[Target]> {
    let mut all: Vec<Target> = Vec::new();
    for (under, targets) in [(condition, a), (!condition, b)] {
        for target in targets {
            let when = circuit.and(under, target.when);
            let object = |target: &Target| {
                let object = target.address.as_ref().map(|(object, _)| *object);
                (object, target.part.as_ref().map(|part| part.cells))
            };
            if when == Bit::FALSE {
                continue;
            }
            match all.iter_mut().find(|other| object(other) == object(target)) {
                Some(other) => {
                    if let (Some((_, cell)), Some((_, new))) = (&mut other.address, &target.address)
                    {
                        *cell = circuit.choose(when, new, cell);
                    }
                    if let (Some(part), Some(new)) = (&mut other.part, &target.part) {
                        part.start = circuit.choose(when, &new.start, &part.start);
                        part.is_missing = circuit.mux(when, new.is_missing, part.is_missing);
                    }
                    other.when = circuit.or(other.when, when);
                }
                None => all.push(Target {
                    when,
                    ..target.clone()
                }),
            }
        }
    }
    all.into()
}

/// A value that may be moved without being used, and when it was never set.
pub type Carried = (Value, Bit);

/// What an object holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Contents {
    /// Zero everywhere, set or not, as the object begins.
    Zero(ObjectId),
    /// One cell was written, if a condition held.
    Written {
        under: ContentsId,
        cell: Word,
        value: Carried,
        /// Whether the value has a sign, for a cell that is wider.
        is_signed: bool,
        when: Bit,
    },
    /// The first if a condition holds, else the second.
    Joined(Bit, ContentsId, ContentsId),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// How many cells it has.
    pub length: Word,
    /// What they hold before anything is written.
    initially: Initially,
    /// Whether the program allocated it, and may give it back.
    pub is_allocated: bool,
}

/// All objects, and everything that they ever hold.
#[derive(Clone, Debug)]
pub struct Memory {
    /// How large formulas may become.
    extent: Extent,
    /// The objects.
    pub objects: TiVec<ObjectId, Object>,
    contents: TiVec<ContentsId, Contents>,
    numbers: HashMap<Contents, ContentsId, RandomState>,
    /// What cells hold, read with as many bits; 0 of pointers.
    reads: HashMap<(ContentsId, Word, usize), Carried, RandomState>,
}

/// Steps of a read after which it is looked whether a limit is reached.
const OFTEN: usize = 256;

impl Memory {
    /// No objects yet.
    pub fn new(extent: Extent) -> Self {
        Self {
            extent,
            objects: TiVec::new(),
            contents: TiVec::new(),
            numbers: HashMap::default(),
            reads: HashMap::default(),
        }
    }

    /// A new object of as many cells.
    pub fn object(&mut self, length: Word, initially: Initially) -> ObjectId {
        self.objects.push_and_get_key(Object {
            length,
            initially,
            is_allocated: false,
        })
    }

    /// What an object holds before anything is written.
    pub fn zero(&mut self, object: ObjectId) -> ContentsId {
        self.shared(Contents::Zero(object))
    }

    fn shared(&mut self, contents: Contents) -> ContentsId {
        if let Some(&number) = self.numbers.get(&contents) {
            return number;
        }
        let number = self.contents.push_and_get_key(contents.clone());
        self.numbers.insert(contents, number);
        number
    }

    /// The first if a condition holds, else the second.
    pub fn joined(&mut self, condition: Bit, a: ContentsId, b: ContentsId) -> ContentsId {
        match condition.known() {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => self.shared(Contents::Joined(condition, a, b)),
        }
    }

    /// What it holds after a write under a condition. The cell is within the object, or nothing is written. With the value comes
    /// whether its type has a sign.
    pub fn written(
        &mut self,
        object: ObjectId,
        under: ContentsId,
        cell: &Word,
        (value, is_signed): (Carried, bool),
        when: Bit,
    ) -> ContentsId {
        if when == Bit::FALSE {
            return under;
        }
        // One cell needs no history.
        let under = match (word::known(&self.objects[object].length), when) {
            (Some(1), Bit::TRUE) => self.shared(Contents::Zero(object)),
            _ => under,
        };
        let cell = cell.clone();
        self.shared(Contents::Written {
            under,
            cell,
            value,
            is_signed,
            when,
        })
    }

    /// What a cell of the type holds, and when it was never set; 0 outside of the object, and also if a limit is reached on
    /// the way: chains are long.
    pub fn read(
        &mut self,
        circuit: &mut Circuit,
        object: ObjectId,
        contents: ContentsId,
        cell: &Word,
        ty: Scalar,
    ) -> Carried {
        let zero = (Value::zero(ty), Bit::FALSE);
        let width = zero.0.width();
        let length = word::known(&self.objects[object].length);
        if let (Some(number), Some(length)) = (word::known(cell), length)
            && number >= length
        {
            return zero;
        }
        // From the oldest to the newest, without recursion: chains are long.
        let mut todo = vec![(contents, false)];
        let mut steps = 0_usize;
        while let Some((at, is_ready)) = todo.pop() {
            steps += 1;
            if steps.is_multiple_of(OFTEN) && self.extent.reached(circuit).is_some() {
                return zero;
            }
            let key = (at, cell.clone(), width);
            if self.reads.contains_key(&key) {
                continue;
            }
            let (under, read) = match self.contents[at].clone() {
                Contents::Zero(object) => {
                    let unset = match self.objects[object].initially {
                        Initially::Zero => Bit::FALSE,
                        Initially::Unset => Bit::TRUE,
                    };
                    ([None; 2], Some((zero.0.clone(), unset)))
                }
                Contents::Written {
                    under,
                    cell: written,
                    value,
                    is_signed,
                    when,
                } => {
                    // A pointer may lead to a cell for a wider or narrower number beside an array, within a structure.
                    let value = (value.0.resized(width, is_signed), value.1);
                    let fits = matches!(value.0, Value::Pointer(_)) == (ty == Scalar::Pointer);
                    let same = if fits {
                        circuit.equal(&written, cell)
                    } else {
                        Bit::FALSE
                    };
                    let hit = circuit.and(same, when);
                    match hit.known() {
                        Some(true) => ([None; 2], Some(value)),
                        _ if is_ready => {
                            let old = self.known_read(under, cell, &zero);
                            (([None; 2]), Some(choose(circuit, hit, &value, &old)))
                        }
                        _ => ([Some(under), None], None),
                    }
                }
                Contents::Joined(condition, a, b) if is_ready => {
                    let (a, b) = (
                        self.known_read(a, cell, &zero),
                        self.known_read(b, cell, &zero),
                    );
                    ([None; 2], Some(choose(circuit, condition, &a, &b)))
                }
                Contents::Joined(_, a, b) => ([Some(a), Some(b)], None),
            };
            match read {
                Some(value) => {
                    self.reads.insert(key, value);
                }
                None => {
                    todo.push((at, true));
                    todo.extend(under.into_iter().flatten().map(|under| (under, false)));
                }
            }
        }
        self.known_read(contents, cell, &zero)
    }

    fn known_read(&self, contents: ContentsId, cell: &Word, zero: &Carried) -> Carried {
        let key = (contents, cell.clone(), zero.0.width());
        self.reads.get(&key).unwrap_or(zero).clone()
    }
}

/// `condition ? a : b`
pub fn choose(circuit: &mut Circuit, condition: Bit, a: &Carried, b: &Carried) -> Carried {
    let unset = circuit.mux(condition, a.1, b.1);
    (Value::choose(circuit, condition, &a.0, &b.0), unset)
}
