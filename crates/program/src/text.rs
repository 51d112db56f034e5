//! Formats of reading and printing, for the interpreter and for circuits alike.

use super::ir::{Conversion, Dialect, Scalar};

/// What one conversion of a `scanf` read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// A number or a character, in the type of its cell.
    Number(Scalar, i128),
    /// A word, without the ending 0.
    Word(Vec<u8>),
}

/// What a `scanf` did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// What was read, one value for each assigned conversion.
    pub values: Vec<Scanned>,
    /// Where the input goes on.
    pub end: usize,
    /// What it returns: the number of values, or -1 if the input ended before the first.
    pub result: i128,
}

/// Reads as `scanf` does from a position of the input.
pub fn scan(input: &[u8], from: usize, conversions: &[Conversion]) -> Scan {
    let mut at = from.min(input.len());
    let mut values: Vec<Scanned> = Vec::new();
    let skip = |at: &mut usize| {
        let rest = &input[*at..];
        *at += rest.iter().take_while(|byte| is_space(**byte)).count();
    };
    let mut ended = false;
    for conversion in conversions {
        match conversion {
            Conversion::Space => {
                skip(&mut at);
                continue;
            }
            Conversion::Text(bytes) => {
                let rest = &input[at..];
                let same = rest.iter().zip(bytes).take_while(|(a, b)| a == b).count();
                at += same;
                if same == bytes.len() {
                    continue;
                }
            }
            Conversion::Int { ty, .. } => {
                skip(&mut at);
                let rest = &input[at..];
                let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
                let digits = rest[sign..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                if digits > 0 {
                    let number = parse_int(&rest[..sign + digits]);
                    values.push(Scanned::Number(*ty, fitted(number, *ty)));
                    at += sign + digits;
                    continue;
                }
            }
            Conversion::Char => {
                if let Some(byte) = input.get(at) {
                    values.push(Scanned::Number(
                        Scalar::CHAR,
                        Scalar::CHAR.wrap(i128::from(*byte)),
                    ));
                    at += 1;
                    continue;
                }
            }
            Conversion::Str | Conversion::Word(_) => {
                skip(&mut at);
                let most = match conversion {
                    Conversion::Word(most) => usize::from(*most),
                    _ => usize::MAX,
                };
                let rest = input[at..].iter().take(most);
                let length = rest.take_while(|byte| !is_space(**byte)).count();
                let rest = &input[at..];
                if length > 0 {
                    values.push(Scanned::Word(rest[..length].to_vec()));
                    at += length;
                    continue;
                }
            }
        }
        ended = at >= input.len();
        break;
    }
    let result = match values.len() {
        0 if ended => -1,
        count => count as i128,
    };
    Scan {
        values,
        end: at,
        result,
    }
}

/// The line that begins at a position, with its end, but at most this many bytes.
pub fn line(input: &[u8], from: usize, most: usize) -> &[u8] {
    let rest = input.get(from..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(rest.len(), |at| at + 1);
    &rest[..end.min(most)]
}

/// The number that a text begins with, as `atoi` reads it; 0 without one.
pub fn parse_int(bytes: &[u8]) -> i128 {
    let blanks = bytes.iter().take_while(|byte| is_space(**byte)).count();
    let (negative, digits) = match &bytes[blanks..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0_i128, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(i128::from(digit - b'0'))
    });
    if negative { -number } else { number }
}

/// What the library makes of a number that it read for a cell of this type: it reads a `long`, or an `unsigned long` for an unsigned
/// type, of which the nearest is taken, and keeps the low bits.
pub fn fitted(number: i128, ty: Scalar) -> i128 {
    let wide = if ty.is_signed() {
        number.clamp(i64::MIN.into(), i64::MAX.into())
    } else {
        number.clamp(-i128::from(u64::MAX), u64::MAX.into())
    };
    ty.wrap(wide)
}

/// A number as a conversion prints it.
pub fn shown(conversion: &Conversion, number: i128) -> Vec<u8> {
    let Conversion::Int {
        width, zeros, left, ..
    } = conversion
    else {
        return Vec::new();
    };
    let width = usize::from(*width);
    match (left, zeros) {
        (true, _) => format!("{number:<width$}"),
        (false, true) => format!("{number:0width$}"),
        (false, false) => format!("{number:width$}"),
    }
    .into_bytes()
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// A character as the language writes it; `None` if it is none, or in C one that has no short name.
pub fn character(dialect: Dialect, value: i128) -> Option<String> {
    let code = u32::try_from(value).ok()?;
    let character = char::from_u32(code)?;
    if dialect == Dialect::Rust {
        return Some(format!("{character:?}"));
    }
    let escaped = match code {
        0 => "\\0",
        7 => "\\a",
        8 => "\\b",
        9 => "\\t",
        10 => "\\n",
        11 => "\\v",
        12 => "\\f",
        13 => "\\r",
        0x27 => "\\'",
        0x5c => "\\\\",
        0x20..=0x7e => return Some(format!("'{character}'")),
        _ => return None,
    };
    Some(format!("'{escaped}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_written_as_their_language_does() {
        let of = |dialect, value: i128| character(dialect, value);
        let c = [97, 10, 0, 39, 92, 233, -1, 65539];
        let c = c.map(|value| of(Dialect::C, value).unwrap_or_default());
        assert_eq!(c, ["'a'", "'\\n'", "'\\0'", "'\\''", "'\\\\'", "", "", ""]);
        let rust = [97, 10, 0, 39, 92, 233, 0xd800];
        let rust = rust.map(|value| of(Dialect::Rust, value).unwrap_or_default());
        assert_eq!(
            rust,
            ["'a'", "'\\n'", "'\\0'", "'\\''", "'\\\\'", "'é'", ""]
        );
    }
}
