//! Numbers, characters and strings as they are written.

use super::types::Type;

/// The value and the type of an integer.
pub(super) fn integer(text: &str) -> Option<(i128, Type)> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(rest) = lower.strip_prefix("0x") {
        (rest, 16)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (rest, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (&lower[1..], 8)
    } else {
        (&*lower, 10)
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = match digits {
        "" if radix == 8 => 0,
        _ => i128::from(u64::from_str_radix(digits, radix).ok()?),
    };
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return None,
    };
    let types = [
        (Type::INT, i32::MAX.into(), !is_unsigned && !is_long),
        (
            Type::integer(32, false),
            u32::MAX.into(),
            !is_long && (is_unsigned || radix != 10),
        ),
        (Type::LONG, i64::MAX.into(), !is_unsigned),
        (Type::SIZE, u64::MAX.into(), is_unsigned || radix != 10),
    ];
    types
        .into_iter()
        .find(|(_, most, fits): &(Type, i128, bool)| *fits && value <= *most)
        .map(|(ty, ..)| (value, ty))
}

/// The value of a character literal.
pub(super) fn character(text: &str) -> Option<i128> {
    match bytes(text.strip_prefix('\'')?.strip_suffix('\'')?)?.as_slice() {
        [byte] => Some(i128::from(byte.cast_signed())),
        _ => None,
    }
}

/// The bytes of a string literal, without the 0 at the end.
pub(super) fn string(text: &str) -> Option<Vec<u8>> {
    bytes(text.strip_prefix('"')?.strip_suffix('"')?)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (escape, after) = rest.split_first()?;
        rest = after;
        bytes.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => *escape,
            b'\n' => continue,
            b'x' => {
                let length = rest.iter().take_while(|c| c.is_ascii_hexdigit()).count();
                let (digits, after) = rest.split_at(length);
                rest = after;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            b'0'..=b'7' => {
                let length = rest
                    .iter()
                    .take(2)
                    .take_while(|c| matches!(c, b'0'..=b'7'))
                    .count();
                let (digits, after) = rest.split_at(length);
                rest = after;
                let digits = digits.iter().fold(u32::from(escape - b'0'), |value, c| {
                    8 * value + u32::from(c - b'0')
                });
                u8::try_from(digits).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}
