//! Text as C reads and writes it: numbers, words and formatted values.

use crate::ir::Expected;

/// Whether C's `isspace` holds.
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a decimal number, byte by byte: blanks, a sign, digits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decimal {
    is_negative: bool,
    /// Whether there was a sign or a digit.
    pub has_begun: bool,
    /// Whether there was a digit.
    pub has_digits: bool,
    magnitude: i128,
}

impl Decimal {
    /// Takes the next byte if it still belongs to the number.
    pub fn take(&mut self, byte: u8) -> bool {
        match byte {
            b'0'..=b'9' => {
                self.has_begun = true;
                self.has_digits = true;
                let digit = i128::from(byte - b'0');
                self.magnitude = self.magnitude.saturating_mul(10).saturating_add(digit);
                true
            }
            b'+' | b'-' if !self.has_begun => {
                self.has_begun = true;
                self.is_negative = byte == b'-';
                true
            }
            _ => !self.has_begun && is_space(byte),
        }
    }

    /// The number; 0 without digits.
    pub fn value(self) -> i128 {
        if self.is_negative {
            -self.magnitude
        } else {
            self.magnitude
        }
    }
}

/// Standard input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'p> {
    rest: &'p [u8],
}

impl<'p> Input<'p> {
    /// All of these bytes.
    pub const fn new(bytes: &'p [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Takes bytes as long as this holds, but at most this many.
    pub fn take_while(&mut self, most: usize, mut belongs: impl FnMut(u8) -> bool) -> &'p [u8] {
        let taken = self
            .rest
            .iter()
            .take(most)
            .take_while(|byte| belongs(**byte));
        let (taken, rest) = self.rest.split_at(taken.count());
        self.rest = rest;
        taken
    }

    /// Takes the next byte.
    pub fn next(&mut self) -> Option<u8> {
        self.take_while(1, |_| true).first().copied()
    }

    /// Takes the next byte if it is this one.
    pub fn next_if(&mut self, byte: u8) -> bool {
        !self.take_while(1, |next| next == byte).is_empty()
    }

    /// Skips white space.
    pub fn skip_space(&mut self) {
        self.take_while(usize::MAX, is_space);
    }
}

/// A number in at least this many characters.
pub fn integer(value: i128, width: u8, zeros: bool, left: bool) -> String {
    let width = usize::from(width);
    match (left, zeros) {
        (true, _) => format!("{value:<width$}"),
        (false, true) => format!("{value:0width$}"),
        (false, false) => format!("{value:width$}"),
    }
}

/// Whether output is as expected.
pub fn is_expected(output: &[u8], expected: &Expected) -> bool {
    fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        bytes
            .split(|byte| is_space(*byte))
            .filter(|word| !word.is_empty())
    }
    if expected.words {
        words(output).eq(words(&expected.bytes))
    } else {
        output == expected.bytes
    }
}
