//! Integers as they are written in C and in Rust.

use nopol_program::ir::{Dialect, Scalar};

/// An integer in a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// Its value.
    pub value: i128,
    /// How many bytes its sign has, with the blanks behind it.
    pub sign: usize,
    form: Form,
    suffix: String,
    dialect: Dialect,
}

/// How an integer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Decimal,
    Hexadecimal,
    /// With a 0 before it, as C has it.
    Octal,
    /// A character in quotation marks, which is an integer in C.
    Character,
    /// Rust's `b'a'`.
    Byte,
}

impl Literal {
    /// Reads a text that is an integer and nothing else; a sign may stand before it. `value` is that of the text, which is not
    /// worked out again if it is a character.
    pub fn of(text: &str, value: i128, dialect: Dialect) -> Option<Self> {
        let digits = text.strip_prefix('-').map_or(text, str::trim_start);
        let sign = text.len() - digits.len();
        let literal = |form, value: i128, suffix: &str| Self {
            value: if sign > 0 { -value } else { value },
            sign,
            form,
            suffix: suffix.to_owned(),
            dialect,
        };
        let own = if sign > 0 { -value } else { value };
        match (dialect, digits.ends_with('\'')) {
            (Dialect::C, true) if digits.starts_with('\'') => {
                return Some(literal(Form::Character, own, ""));
            }
            (Dialect::Rust, true) if digits.starts_with("b'") => {
                return Some(literal(Form::Byte, own, ""));
            }
            _ => {}
        }
        let is_octal = dialect == Dialect::C
            && digits.len() > 1
            && digits.starts_with('0')
            && digits.as_bytes()[1].is_ascii_digit();
        let (radix, form, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, Form::Hexadecimal, &digits[2..]),
            Some("0b" | "0B") => (2, Form::Decimal, &digits[2..]),
            Some("0o") => (8, Form::Decimal, &digits[2..]),
            _ if is_octal => (8, Form::Octal, &digits[1..]),
            _ => (10, Form::Decimal, digits),
        };
        let is_digit = |c: char| c.is_digit(radix) || c == '_';
        let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let is_suffix = suffix.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_suffix {
            return None;
        }
        let value = i128::from_str_radix(&number.replace('_', ""), radix).ok()?;
        Some(literal(form, value, suffix))
    }

    /// Another number of this type, written in the same way.
    pub fn with(&self, value: i128, ty: Scalar) -> String {
        let magnitude = value.unsigned_abs();
        let sign = if value < 0 { "-" } else { "" };
        let character = u8::try_from(magnitude).ok().map(char::from);
        let printable = character.filter(|c| matches!(c, ' '..='~') && !matches!(c, '\'' | '\\'));
        match (self.form, printable) {
            (Form::Character, Some(c)) => format!("{sign}'{c}'"),
            (Form::Character, None) if value == 0 => "'\\0'".to_owned(),
            (Form::Byte, Some(c)) => format!("{sign}b'{c}'"),
            (Form::Byte, None) => format!("{sign}b'\\x{magnitude:02x}'"),
            (Form::Hexadecimal, _) => format!("{sign}{magnitude:#x}{}", self.suffix_for(value, ty)),
            (Form::Octal, _) if value != 0 => {
                format!("{sign}0{magnitude:o}{}", self.suffix_for(value, ty))
            }
            _ => format!("{value}{}", self.suffix_for(value, ty)),
        }
    }

    /// The suffix; a small number without one would have another type in C than the one in whose place it is.
    fn suffix_for(&self, value: i128, ty: Scalar) -> &str {
        let is_small = value.unsigned_abs() <= i32::MAX.unsigned_abs().into();
        if self.dialect == Dialect::Rust || !self.suffix.is_empty() || !is_small {
            return &self.suffix;
        }
        match (ty.bits(), ty.is_signed()) {
            (64, true) => "L",
            (64, false) => "UL",
            (_, false) => "U",
            _ => "",
        }
    }
}
