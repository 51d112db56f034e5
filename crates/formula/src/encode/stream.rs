//! Standard input and output of a run. Both texts are known, so all that is open is how far a run has come in them.

use std::rc::Rc;

use nopol_program::ir::Expected;

use crate::circuit::{Bit, Circuit};

/// How far a run has come in a text: the possible states, each under a condition, at most one of which holds. None
/// holds once the output was wrong.
pub type Progress = Rc<[(usize, Bit)]>;

/// At the start.
pub fn start() -> Progress {
    [(0, Bit::TRUE)].into()
}

/// `condition ? a : b`
pub fn choose(circuit: &mut Circuit, condition: Bit, a: &Progress, b: &Progress) -> Progress {
    match condition.known() {
        Some(true) => return Rc::clone(a),
        Some(false) => return Rc::clone(b),
        None if a == b => return Rc::clone(a),
        None => {}
    }
    let of = |side: &Progress, state| {
        let found = side.iter().find(|(other, _)| *other == state);
        found.map_or(Bit::FALSE, |(_, bit)| *bit)
    };
    let mut states: Vec<usize> = a.iter().chain(b.iter()).map(|(state, _)| *state).collect();
    states.sort_unstable();
    states.dedup();
    let joined = states
        .into_iter()
        .map(|state| (state, circuit.mux(condition, of(a, state), of(b, state))));
    joined.filter(|(_, bit)| *bit != Bit::FALSE).collect()
}

/// Joins what leads to the same state.
fn sum(circuit: &mut Circuit, mut all: Vec<(usize, Bit)>) -> Progress {
    all.retain(|(_, bit)| *bit != Bit::FALSE);
    all.sort_unstable();
    let mut merged: Vec<(usize, Bit)> = Vec::new();
    for (at, bit) in all {
        match merged.last_mut() {
            Some((last, sum)) if *last == at => *sum = circuit.or(*sum, bit),
            _ => merged.push((at, bit)),
        }
    }
    merged.into()
}

/// The output that a run must have, and how printing moves through it.
#[derive(Clone, Debug)]
pub struct Output {
    bytes: Vec<u8>,
    words: bool,
}

impl Output {
    /// What is expected. If only words count, states are twice the position, plus one if white space was printed there.
    pub fn new(expected: &Expected) -> Self {
        let bytes = if expected.words {
            let words = expected.bytes.split(u8::is_ascii_whitespace);
            let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
            words.join(&b' ')
        } else {
            expected.bytes.clone()
        };
        Self {
            bytes,
            words: expected.words,
        }
    }

    /// The state after a byte, if it is right.
    fn after(&self, state: usize, byte: u8) -> Option<usize> {
        if !self.words {
            return (self.bytes.get(state) == Some(&byte)).then_some(state + 1);
        }
        let (at, spaced) = (state / 2, state % 2 == 1);
        let is_first = at == 0;
        if byte.is_ascii_whitespace() {
            // Only after a word's end.
            let ends = self.bytes.get(at).is_none_or(|next| *next == b' ');
            return if is_first {
                Some(state)
            } else {
                ends.then_some(2 * at + 1)
            };
        }
        let at = if spaced && self.bytes.get(at) == Some(&b' ') {
            at + 1
        } else {
            at
        };
        (self.bytes.get(at) == Some(&byte) && byte != b' ').then_some(2 * (at + 1))
    }

    fn after_all(&self, state: usize, bytes: &[u8]) -> Option<usize> {
        bytes
            .iter()
            .try_fold(state, |state, byte| self.after(state, *byte))
    }

    /// Prints known bytes.
    pub fn text(&self, circuit: &mut Circuit, from: &Progress, bytes: &[u8]) -> Progress {
        let moved = from
            .iter()
            .filter_map(|&(state, bit)| Some((self.after_all(state, bytes)?, bit)));
        sum(circuit, moved.collect())
    }

    /// Prints a number: `shown` gives its bytes, `is` the signal that the value is that number.
    pub fn number(
        &self,
        circuit: &mut Circuit,
        from: &Progress,
        shown: &dyn Fn(i128) -> Vec<u8>,
        is: &mut dyn FnMut(&mut Circuit, i128) -> Bit,
    ) -> Progress {
        let mut moved = Vec::new();
        for &(state, bit) in from.iter() {
            for number in self.numbers_at(state) {
                if let Some(after) = self.after_all(state, &shown(number)) {
                    let same = is(circuit, number);
                    moved.push((after, circuit.and(bit, same)));
                }
            }
        }
        sum(circuit, moved)
    }

    /// The numbers that the text goes on with: every prefix of the digits that come next.
    fn numbers_at(&self, state: usize) -> Vec<i128> {
        let at = if self.words { state / 2 } else { state };
        let rest = self.bytes.get(at..).unwrap_or_default();
        let blanks = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = &rest[blanks..];
        let (negative, digits) = match rest.first() {
            Some(b'-') => (true, &rest[1..]),
            _ => (false, rest),
        };
        let mut numbers = Vec::new();
        let mut number = 0;
        for digit in digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .take(20)
        {
            number = number * 10 + i128::from(digit - b'0');
            numbers.push(if negative { -number } else { number });
        }
        numbers.dedup();
        numbers
    }

    /// Prints one byte that is not known: `is` gives the signal that it is that byte.
    pub fn byte(
        &self,
        circuit: &mut Circuit,
        from: &Progress,
        is: &mut dyn FnMut(&mut Circuit, u8) -> Bit,
    ) -> Progress {
        let mut moved = Vec::new();
        for &(state, bit) in from.iter() {
            let at = if self.words { state / 2 } else { state };
            let next = self
                .bytes
                .get(at..)
                .unwrap_or_default()
                .iter()
                .take(2)
                .copied();
            let mut bytes: Vec<u8> = next.collect();
            if self.words {
                bytes.extend(b" \t\n\r\x0b\x0c");
            }
            bytes.sort_unstable();
            bytes.dedup();
            for byte in bytes {
                if let Some(after) = self.after(state, byte) {
                    let same = is(circuit, byte);
                    moved.push((after, circuit.and(bit, same)));
                }
            }
        }
        sum(circuit, moved)
    }

    /// Whether all of it was printed.
    pub fn is_done(&self, circuit: &mut Circuit, at: &Progress) -> Bit {
        let end = self.bytes.len();
        let done = |state: usize| match self.words {
            true => state / 2 == end,
            false => state == end,
        };
        let bits: Vec<Bit> = at
            .iter()
            .filter(|(state, _)| done(*state))
            .map(|(_, bit)| *bit)
            .collect();
        circuit.any(bits)
    }
}
