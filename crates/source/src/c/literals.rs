//! Converts C literals to constants of a type, and characters to literals (the Nopol paper, §3.3.1).

use nopol_expr::{Int, Type, Value};

/// The value of a literal as a constant of the given type; `None` if it cannot have that type. `text` may
/// start with a minus sign.
pub fn value(text: &str, ty: Type) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text),
    };
    let signed = |int: i128| Int::from_i128(if negative { -int } else { int });
    match ty {
        Type::Int(int) => {
            let value = signed(character(digits).or_else(|| integer(digits))?);
            value.fits(int).then_some(Value::Int(int, value))
        }
        Type::F64 => {
            let number = digits.trim_end_matches(['f', 'F', 'l', 'L']);
            let is_decimal = number.contains(['.', 'e', 'E']) && !number.starts_with("0x");
            let value: f64 = number.parse().ok().filter(|_| is_decimal)?;
            Some(Value::F64(
                (if negative { -value } else { value }).to_bits(),
            ))
        }
        Type::Str => Some(Value::Str(string(text)?.into())),
        Type::Bool | Type::F32 | Type::Char => None,
    }
}

/// A constant condition. It is a number if `true` and `false` are not known in the file.
pub fn truth(has_names: bool, value: bool) -> &'static str {
    match (has_names, value) {
        (true, true) => "true",
        (true, false) => "false",
        (false, true) => "1",
        (false, false) => "0",
    }
}

fn integer(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = digits.to_ascii_lowercase();
    match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(hex), _) => i128::from_str_radix(hex, 16).ok(),
        (_, Some(binary)) => i128::from_str_radix(binary, 2).ok(),
        _ if lower.len() > 1 && lower.starts_with('0') => i128::from_str_radix(&lower, 8).ok(),
        _ => lower.parse().ok(),
    }
}

/// The value of a character literal; `None` beyond ASCII, where the value is implementation-defined.
fn character(text: &str) -> Option<i128> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let bytes = unescape(inner)?;
    match bytes[..] {
        [byte] if byte < 128 => Some(byte.into()),
        _ => None,
    }
}

fn string(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    String::from_utf8(unescape(inner)?).ok()
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'x' => {
                let mut value = 0u8;
                while let Some(digit) = rest.peek().and_then(|digit| (*digit as char).to_digit(16))
                {
                    value = value.checked_mul(16)?.checked_add(digit as u8)?;
                    rest.next();
                }
                value
            }
            digit @ b'0'..=b'7' => {
                let mut value = digit - b'0';
                while let Some(digit) = rest.peek().filter(|digit| (b'0'..=b'7').contains(*digit)) {
                    value = value.checked_mul(8)?.checked_add(digit - b'0')?;
                    rest.next();
                }
                value
            }
            other => other,
        });
    }
    Some(bytes)
}

/// A character as a C literal.
pub fn quoted(byte: u8) -> String {
    match byte {
        0 => "'\\0'".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => format!("'{}'", std::ascii::escape_default(byte)),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::IntType;

    use super::*;

    #[test]
    fn literals_are_constants_of_the_types_they_can_have() {
        let int = |text| value(text, Type::Int(IntType::I32)).map(|value| value.to_string());
        assert_eq!(int("0x1F").as_deref(), Some("31"));
        assert_eq!(int("017").as_deref(), Some("15"));
        assert_eq!(int("10UL").as_deref(), Some("10"));
        assert_eq!(int("-1").as_deref(), Some("-1"));
        assert_eq!(int("'a'").as_deref(), Some("97"));
        assert_eq!(int("'\\n'").as_deref(), Some("10"));
        assert_eq!(int("'\\0'").as_deref(), Some("0"));
        assert_eq!(int("4294967296"), None);
        assert_eq!(int("2.5"), None);
        assert_eq!(value("-1", Type::Int(IntType::CUint)), None);
        let double = value("2.5f", Type::F64).unwrap();
        assert_eq!(double.to_string(), "2.5");
        assert_eq!(value("2", Type::F64), None);
        let text = value("\"a\\tb\"", Type::Str).unwrap();
        assert_eq!(text, Value::Str("a\tb".into()));
    }

    #[test]
    fn characters_are_written_as_in_c() {
        assert_eq!(quoted(b'a'), "'a'");
        assert_eq!(quoted(0), "'\\0'");
        assert_eq!(quoted(b'\n'), "'\\n'");
        assert_eq!(quoted(b'\''), "'\\''");
    }
}
