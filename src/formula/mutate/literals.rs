//! Integers as they are written in C and in Rust.

/// An integer in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal<'a> {
    /// Its value.
    pub value: i128,
    is_hexadecimal: bool,
    suffix: &'a str,
}

impl<'a> Literal<'a> {
    /// Reads a text that is an integer and nothing else; a sign may stand before it.
    pub fn of(text: &'a str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest.trim_start()),
            None => (1, text),
        };
        let (radix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, &digits[2..]),
            Some("0b") => (2, &digits[2..]),
            Some("0o") => (8, &digits[2..]),
            // Octal in C, but not in Rust: left alone.
            Some(two) if two.starts_with('0') && two.as_bytes()[1].is_ascii_digit() => return None,
            _ => (10, digits),
        };
        let is_digit = |c: char| c.is_digit(radix) || c == '_';
        let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let is_suffix = suffix.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_suffix {
            return None;
        }
        let value = i128::from_str_radix(&number.replace('_', ""), radix).ok()?;
        Some(Self {
            value: sign * value,
            is_hexadecimal: radix == 16,
            suffix,
        })
    }

    /// Another number, written in the same way.
    pub fn with(&self, value: i128) -> String {
        let suffix = self.suffix;
        match (self.is_hexadecimal, value < 0) {
            (true, false) => format!("{value:#x}{suffix}"),
            (true, true) => format!("-{:#x}{suffix}", -value),
            (false, _) => format!("{value}{suffix}"),
        }
    }
}
