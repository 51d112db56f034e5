//! Numeric value variables of one row. Without arithmetic, a value is its rank among the values of its type in
//! that row, in order encoding: one boolean per step, which lets the solver propagate `<` in both directions.
//! With arithmetic, it is a bit-vector that no sum overflows.

use nopol_expr::{Int, IntType};
use z3::ast::{BV, Bool};

use super::bounded::Bounded;
use super::{all, any};

/// How the numbers of a row are represented.
#[derive(Clone, Copy)]
pub(super) enum Format {
    /// Ranks from 0 up to this.
    Steps(usize),
    /// Integers of this number of bits, including the sign.
    Bits(u32),
}

/// A numeric value.
#[derive(Clone)]
pub(super) struct Number {
    scale: Scale,
}

#[derive(Clone)]
enum Scale {
    /// The value is at least 1, 2, …
    Steps(Vec<Bool>),
    /// A signed integer.
    Bits(BV),
}

impl Number {
    /// A fresh variable.
    pub fn new(format: Format, solver: &Bounded, mut name: impl FnMut() -> u32) -> Self {
        let scale = match format {
            Format::Bits(width) => Scale::Bits(BV::new_const(name(), width)),
            Format::Steps(count) => {
                let steps: Vec<Bool> = (0..count).map(|_| Bool::new_const(name())).collect();
                for pair in steps.windows(2) {
                    solver.assert(pair[1].implies(&pair[0]));
                }
                Scale::Steps(steps)
            }
        };
        Self { scale }
    }

    /// The constraint that the value is this rank.
    pub fn is_rank(&self, rank: usize) -> Bool {
        match &self.scale {
            Scale::Bits(bits) => bits.eq(BV::from_u64(rank as u64, bits.get_size())),
            Scale::Steps(steps) => {
                let reached = rank.checked_sub(1).and_then(|step| steps.get(step));
                let next = steps.get(rank).map(Bool::not);
                all(reached.cloned().into_iter().chain(next))
            }
        }
    }

    /// The constraint that the value is this integer, if integers are represented.
    pub fn is_int(&self, int: Int) -> Bool {
        match &self.scale {
            Scale::Bits(bits) => bits.eq(constant(int, bits.get_size())),
            Scale::Steps(_) => Bool::from_bool(false),
        }
    }

    /// The constraint that both are the same.
    pub fn is(&self, other: &Self) -> Bool {
        match (&self.scale, &other.scale) {
            (Scale::Bits(a), Scale::Bits(b)) => a.eq(b),
            (Scale::Steps(a), Scale::Steps(b)) => all(a.iter().zip(b).map(|(a, b)| a.iff(b))),
            _ => Bool::from_bool(false),
        }
    }

    /// Whether the value is smaller.
    pub fn less(&self, other: &Self, solver: &Bounded, mut name: impl FnMut() -> u32) -> Bool {
        match (&self.scale, &other.scale) {
            (Scale::Bits(a), Scale::Bits(b)) => a.bvslt(b),
            (Scale::Steps(a), Scale::Steps(b)) => {
                let less = Bool::new_const(name());
                for (a, b) in a.iter().zip(b) {
                    solver.assert(any([a.clone(), b.not(), less.clone()]));
                }
                // If smaller, the other is at least one step higher.
                for (step, higher) in b.iter().enumerate() {
                    let lower = step.checked_sub(1).and_then(|step| a.get(step));
                    let reached = lower.map_or_else(|| Bool::from_bool(true), Bool::clone);
                    solver.assert(any([less.not(), reached.not(), higher.clone()]));
                }
                match a.last() {
                    Some(top) => solver.assert(any([less.not(), top.not()])),
                    None => solver.assert(less.not()),
                }
                less
            }
            _ => Bool::from_bool(false),
        }
    }

    /// `self + other`, or `self - other` if the choice is taken. Ranks are not added.
    pub fn sum(&self, other: &Self, minus: &Bool) -> Self {
        let scale = match (&self.scale, &other.scale) {
            // One adder for both: `a - b` is `a + !b + 1`.
            (Scale::Bits(a), Scale::Bits(b)) => {
                let width = a.get_size();
                let carry = minus.ite(&BV::from_u64(1, width), &BV::from_u64(0, width));
                Scale::Bits(a.bvadd(minus.ite(&b.bvnot(), b)).bvadd(carry))
            }
            (scale, _) => scale.clone(),
        };
        Self { scale }
    }

    /// Whether the value lies between two integers.
    pub fn within(&self, low: Int, high: Int) -> Bool {
        let Scale::Bits(bits) = &self.scale else {
            return Bool::from_bool(true);
        };
        let width = bits.get_size();
        // No value exceeds a bound beyond the width.
        let below = (high.bits() < width).then(|| bits.bvsle(constant(high, width)));
        let above = (low.bits() < width).then(|| bits.bvsge(constant(low, width)));
        all(below.into_iter().chain(above))
    }
}

/// An integer as a bit-vector wide enough for it.
pub(super) fn constant(int: Int, width: u32) -> BV {
    match int.to_i128().and_then(|value| i64::try_from(value).ok()) {
        Some(value) => BV::from_i64(value, width),
        None => BV::from_str(width, &int.to_string()).unwrap_or_else(|| BV::from_u64(0, width)),
    }
}

/// The smallest and largest value of a type.
pub(super) fn bounds(ty: IntType) -> (Int, Int) {
    ty.bounds().into()
}
