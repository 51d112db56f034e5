//! Machine arithmetic on rows of signals, the lowest bit first.

use std::rc::Rc;

use super::{Bit, Circuit};

/// A machine integer, or a bool of one bit.
pub type Word = Rc<[Bit]>;

/// The constant with these low bits.
pub fn constant(value: i128, width: usize) -> Word {
    (0..width)
        .map(|at| Bit::constant(value >> at & 1 == 1))
        .collect()
}

/// The unsigned value of a word all of whose bits are constant.
pub fn known(word: &[Bit]) -> Option<u64> {
    let mut value = 0;
    for (at, bit) in word.iter().enumerate() {
        value |= u64::from(bit.known()?) << at;
    }
    Some(value)
}

/// The value of a word all of whose bits are constant.
fn known_value(word: &[Bit], signed: bool) -> Option<i128> {
    let value = i128::from(known(word)?);
    let is_negative = signed && top(word) == Bit::TRUE;
    Some(if is_negative {
        value - (1 << word.len())
    } else {
        value
    })
}

/// The powers of two that a number is the sum of, the lowest first, each with whether it is subtracted; no two neighbours
/// (the non-adjacent form), so that there are few: -2 has one, as has its opposite.
fn digits(mut number: i128) -> Vec<(usize, bool)> {
    let mut digits = Vec::new();
    let mut at = 0;
    while number != 0 {
        if number & 1 == 1 {
            let digit = 2 - number.rem_euclid(4);
            digits.push((at, digit < 0));
            number -= digit;
        }
        number >>= 1;
        at += 1;
    }
    digits
}

/// The word in another width.
pub fn resized(word: &[Bit], width: usize, signed: bool) -> Word {
    let fill = match word.last() {
        Some(&top) if signed => top,
        _ => Bit::FALSE,
    };
    (0..width)
        .map(|at| word.get(at).copied().unwrap_or(fill))
        .collect()
}

/// The sign: the highest bit.
fn top(word: &[Bit]) -> Bit {
    word.last().copied().unwrap_or(Bit::FALSE)
}

impl Circuit {
    /// A word of free signals.
    pub fn free(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.input()).collect()
    }

    /// `condition ? a : b`, bit by bit.
    pub fn choose(&mut self, condition: Bit, a: &Word, b: &Word) -> Word {
        match condition.known() {
            Some(true) => Rc::clone(a),
            Some(false) => Rc::clone(b),
            None if a == b => Rc::clone(a),
            None => self.zip(a, b, |circuit, a, b| circuit.mux(condition, a, b)),
        }
    }

    /// An operation bit by bit.
    pub fn zip(
        &mut self,
        a: &[Bit],
        b: &[Bit],
        mut op: impl FnMut(&mut Self, Bit, Bit) -> Bit,
    ) -> Word {
        a.iter().zip(b).map(|(&a, &b)| op(self, a, b)).collect()
    }

    /// The sum with a carry, and the carries into and out of the highest bit.
    fn sum(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Word, Bit, Bit) {
        let (mut carry, mut before) = (carry, carry);
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            before = carry;
            carry = self.majority(a, b, carry);
        }
        (sum.into(), before, carry)
    }

    /// `a + b`, and whether it overflows.
    pub fn add(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> (Word, Bit) {
        let (sum, into, out) = self.sum(a, b, Bit::FALSE);
        let overflow = if signed { self.xor(into, out) } else { out };
        (sum, overflow)
    }

    /// `a - b`, and whether it overflows.
    pub fn sub(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> (Word, Bit) {
        let b: Vec<Bit> = b.iter().map(|&bit| !bit).collect();
        let (difference, into, out) = self.sum(a, &b, Bit::TRUE);
        let overflow = if signed { self.xor(into, out) } else { !out };
        (difference, overflow)
    }

    /// `-a`
    pub fn negated(&mut self, a: &[Bit]) -> Word {
        self.sub(&constant(0, a.len()), a, true).0
    }

    /// `a * b`, and whether it overflows.
    pub fn mul(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> (Word, Bit) {
        let width = a.len();
        let known = |word: &[Bit]| word.iter().filter(|bit| bit.known().is_some()).count();
        let (a, b) = if known(a) > known(b) { (b, a) } else { (a, b) };
        let digits = known_value(b, signed).map(digits);
        let (a, b) = (resized(a, 2 * width, signed), resized(b, 2 * width, signed));
        let mut product = constant(0, 2 * width);
        let ones = b.iter().filter(|&&bit| bit == Bit::TRUE).count();
        if let Some(digits) = digits.filter(|digits| digits.len() < ones) {
            for (at, is_negative) in digits {
                let part = self.shifted_part(&a, Bit::TRUE, at);
                product = match is_negative {
                    true => self.sub(&product, &part, true).0,
                    false => self.sum(&product, &part, Bit::FALSE).0,
                };
            }
            return self.low_half(&product, signed);
        }
        // What is above the sign is a copy of it: of a signed word its weight is negative.
        let bits = if signed { width - 1 } else { width };
        for (at, &bit) in b.iter().take(bits).enumerate() {
            if bit != Bit::FALSE {
                let part = self.shifted_part(&a, bit, at);
                product = self.sum(&product, &part, Bit::FALSE).0;
            }
        }
        if signed && b[width - 1] != Bit::FALSE {
            let part = self.shifted_part(&a, b[width - 1], width - 1);
            product = self.sub(&product, &part, true).0;
        }
        self.low_half(&product, signed)
    }

    /// The lower half of a product, and whether that is not all of it.
    fn low_half(&mut self, product: &[Bit], signed: bool) -> (Word, Bit) {
        let width = product.len() / 2;
        let low: Word = product[..width].into();
        let expected = if signed { top(&low) } else { Bit::FALSE };
        let wrong: Vec<Bit> = product[width..]
            .iter()
            .map(|&bit| self.xor(bit, expected))
            .collect();
        let overflow = self.any(wrong);
        (low, overflow)
    }

    fn shifted_part(&mut self, a: &[Bit], bit: Bit, by: usize) -> Word {
        (0..a.len())
            .map(|at| match at.checked_sub(by) {
                Some(from) => self.and(a[from], bit),
                None => Bit::FALSE,
            })
            .collect()
    }

    /// `a / b` and `a % b`, towards zero; 0 and `a` if `b` is 0. The quotient of the smallest signed number by -1 wraps.
    pub fn div_rem(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> (Word, Word) {
        let zero = constant(0, a.len());
        let by_zero = self.equal(b, &zero);
        let (quotient, remainder) = if signed {
            let (a_sign, b_sign) = (top(a), top(b));
            let (x, y) = (self.absolute(a), self.absolute(b));
            let (quotient, remainder) = self.unsigned_div_rem(&x, &y);
            let opposite = self.xor(a_sign, b_sign);
            (
                self.negated_if(opposite, &quotient),
                self.negated_if(a_sign, &remainder),
            )
        } else {
            self.unsigned_div_rem(a, b)
        };
        let a: Word = a.into();
        (
            self.choose(by_zero, &zero, &quotient),
            self.choose(by_zero, &a, &remainder),
        )
    }

    fn absolute(&mut self, a: &[Bit]) -> Word {
        self.negated_if(top(a), &a.into())
    }

    fn negated_if(&mut self, condition: Bit, a: &Word) -> Word {
        if condition == Bit::FALSE {
            return Rc::clone(a);
        }
        let negated = self.negated(a);
        self.choose(condition, &negated, a)
    }

    /// Long division.
    fn unsigned_div_rem(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let width = a.len();
        if let (Some(a), Some(b)) = (known(a), known(b)) {
            let number = |value: Option<u64>| constant(i128::from(value.unwrap_or(0)), width);
            return (number(a.checked_div(b)), number(a.checked_rem(b)));
        }
        let b = resized(b, width + 1, false);
        let mut remainder = constant(0, width + 1);
        let mut quotient = vec![Bit::FALSE; width];
        for at in (0..width).rev() {
            let mut shifted = vec![a[at]];
            shifted.extend(&remainder[..width]);
            let shifted: Word = shifted.into();
            let (rest, borrow) = self.sub(&shifted, &b, false);
            quotient[at] = !borrow;
            remainder = self.choose(borrow, &shifted, &rest);
        }
        (quotient.into(), remainder[..width].into())
    }

    /// `a << by` or `a >> by` (with copies of the sign if `signed`), by an amount modulo the width, which is a power of two.
    pub fn shifted(&mut self, a: &Word, by: &[Bit], left: bool, signed: bool) -> Word {
        let fill = if signed && !left { top(a) } else { Bit::FALSE };
        let (width, mut word) = (a.len(), Rc::clone(a));
        for (stage, &bit) in by.iter().take(width.ilog2() as usize).enumerate() {
            let distance = 1_usize << stage;
            let moved: Word = (0..width)
                .map(|at| {
                    let from = if left {
                        at.checked_sub(distance)
                    } else {
                        Some(at + distance)
                    };
                    from.and_then(|from| word.get(from).copied())
                        .unwrap_or(fill)
                })
                .collect();
            word = self.choose(bit, &moved, &word);
        }
        word
    }

    /// Whether two words are equal.
    pub fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same = self.zip(a, b, |circuit, a, b| !circuit.xor(a, b));
        // A constant that differs is seen before any gate is made.
        match same.contains(&Bit::FALSE) {
            true => Bit::FALSE,
            false => self.all(same.iter().copied()),
        }
    }

    /// Whether `a < b`.
    pub fn less(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> Bit {
        let mut less = Bit::FALSE;
        let last = a.len().saturating_sub(1);
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let (a, b) = if signed && at == last { (b, a) } else { (a, b) };
            less = self.majority(!a, b, less);
        }
        less
    }

    /// Whether a word is not 0.
    pub fn nonzero(&mut self, a: &[Bit]) -> Bit {
        self.any(a.iter().copied())
    }
}
