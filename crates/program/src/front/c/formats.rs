//! Formats of `printf` and `scanf`.

use nopol_scalar::IntKind;

use super::types::Type;
use crate::ir::{Conversion, Scalar};

/// A piece of a format, and the type of its argument if it has one.
pub(super) struct Piece {
    pub(super) conversion: Conversion,
    pub(super) argument: Option<Argument>,
}

/// What a conversion expects.
pub(super) enum Argument {
    /// A number.
    Number(Type),
    /// A character.
    Character,
    /// A string.
    Text,
}

/// The pieces of a format; or the conversion that is not supported.
pub(super) fn pieces(format: &[u8], is_input: bool) -> Result<Vec<Piece>, String> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = format;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' && !rest.starts_with(b"%") {
            let (piece, length) = conversion(rest, is_input).ok_or_else(|| shown(rest))?;
            pieces.push(piece);
            rest = &rest[length..];
            continue;
        }
        if *first == b'%' {
            rest = &rest[1..];
            if is_input {
                return Err("%%".to_owned());
            }
        }
        let is_space = is_input && (first.is_ascii_whitespace() || *first == 0x0b);
        match pieces.last_mut().map(|piece| &mut piece.conversion) {
            Some(Conversion::Space) if is_space => {}
            Some(Conversion::Text(text)) if !is_space => text.push(*first),
            _ => pieces.push(Piece {
                conversion: if is_space {
                    Conversion::Space
                } else {
                    Conversion::Text(vec![*first])
                },
                argument: None,
            }),
        }
    }
    Ok(pieces)
}

/// The conversion through its letter, which comes after those for the size.
fn shown(rest: &[u8]) -> String {
    let is_last = |byte: &u8| byte.is_ascii_alphabetic() && !b"hljztLq".contains(byte);
    let end = rest
        .iter()
        .position(is_last)
        .map_or(rest.len(), |end| end + 1);
    format!("%{}", String::from_utf8_lossy(&rest[..end]))
}

/// The conversion after a `%` and its length.
fn conversion(rest: &[u8], is_input: bool) -> Option<(Piece, usize)> {
    let mut at = 0;
    let (mut zeros, mut left) = (false, false);
    while let Some(flag) = rest.get(at).filter(|_| !is_input) {
        match flag {
            b'0' => zeros = true,
            b'-' => left = true,
            _ => break,
        }
        at += 1;
    }
    let digits = rest[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let width = match std::str::from_utf8(&rest[at..at + digits]).ok()? {
        "" => None,
        digits => Some(digits.parse::<u8>().ok()?),
    };
    at += digits;
    let size = rest[at..]
        .iter()
        .take_while(|byte| matches!(byte, b'h' | b'l' | b'z' | b'j' | b't' | b'q'))
        .count();
    let bits = match &rest[at..at + size] {
        b"" => 32,
        b"h" => 16,
        b"hh" => 8,
        b"l" | b"ll" | b"z" | b"j" | b"t" | b"q" => 64,
        _ => return None,
    };
    at += size;
    let has_width = width.is_some() || zeros || left;
    let piece = match rest.get(at)? {
        letter @ (b'd' | b'i' | b'u') => {
            // What `%i` reads may be hexadecimal.
            if is_input && (has_width || *letter == b'i') {
                return None;
            }
            let signed = *letter != b'u';
            Piece {
                conversion: Conversion::Int {
                    ty: Scalar::Int(IntKind::new(bits, signed)),
                    width: width.unwrap_or(0),
                    zeros: zeros && !left,
                    left,
                },
                argument: Some(Argument::Number(Type::integer(bits, signed))),
            }
        }
        b'c' if !has_width && size == 0 => Piece {
            conversion: Conversion::Char,
            argument: Some(Argument::Character),
        },
        b's' if size == 0 && (is_input || !has_width) => Piece {
            conversion: match width {
                Some(width) => Conversion::Word(width),
                None => Conversion::Str,
            },
            argument: Some(Argument::Text),
        },
        _ => return None,
    };
    Some((piece, at + 1))
}
