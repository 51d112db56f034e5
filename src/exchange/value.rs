//! Machine values as JSON, exactly: a value that JSON numbers cannot hold is a string.

use serde_json::Value as Json;

use nopol_expr::{Int, Type, Value};

/// The value in JSON. Integers beyond 64 bits, NaN, infinities and −0.0 are strings.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(_, int) => match int.to_i128() {
            Some(wide) => match (i64::try_from(wide), u64::try_from(wide)) {
                (Ok(signed), _) => signed.into(),
                (_, Ok(unsigned)) => unsigned.into(),
                _ => wide.to_string().into(),
            },
            None => int.to_string().into(),
        },
        Value::F32(bits) => {
            let exact = f64::from(f32::from_bits(*bits));
            float(exact, *bits == f32::NAN.to_bits(), u64::from(*bits))
        }
        Value::F64(bits) => float(f64::from_bits(*bits), *bits == f64::NAN.to_bits(), *bits),
        Value::Char(value) => value.to_string().into(),
        Value::Str(value) => (**value).into(),
    }
}

fn float(value: f64, is_usual_nan: bool, bits: u64) -> Json {
    let is_minus_zero = value == 0.0 && value.is_sign_negative();
    if is_usual_nan {
        "NaN".into()
    } else if value.is_nan() {
        // There are many NaNs; only their bits distinguish them.
        format!("0x{bits:x}").into()
    } else if value.is_infinite() || is_minus_zero {
        format!("{value:?}").into()
    } else {
        value.into()
    }
}

/// Reads a value of a type.
///
/// # Errors
/// A clause that says what is wrong and what to write instead.
pub fn from_json(json: &Json, ty: Type) -> Result<Value, String> {
    let text = match json {
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        _ => String::new(),
    };
    let read = match (ty, json) {
        (Type::Bool, Json::Bool(value)) => Some(Value::Bool(*value)),
        (Type::Int(int), Json::Number(_) | Json::String(_)) => Int::parse(&text)
            .filter(|value| value.fits(int))
            .map(|value| Value::Int(int, value)),
        (Type::F32, Json::Number(number)) => {
            let nearest = number.as_f64().map(|value| value as f32);
            let nearest = nearest.filter(|value| value.is_finite());
            nearest.map(|value| Value::F32(value.to_bits()))
        }
        (Type::F64, Json::Number(number)) => {
            number.as_f64().map(|value| Value::F64(value.to_bits()))
        }
        (Type::F32, Json::String(_)) => match text.strip_prefix("0x") {
            Some(bits) => u32::from_str_radix(bits, 16).ok(),
            None => text.parse().ok().map(f32::to_bits),
        }
        .map(Value::F32),
        (Type::F64, Json::String(_)) => match text.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok(),
            None => text.parse().ok().map(f64::to_bits),
        }
        .map(Value::F64),
        (Type::Char, Json::String(_)) => text.parse().ok().map(Value::Char),
        (Type::Str, Json::String(_)) => Some(Value::Str(text.into())),
        _ => None,
    };
    read.ok_or_else(|| {
        format!(
            "{json} is not a value of type {}; write {}",
            ty.name(),
            wanted(ty)
        )
    })
}

fn wanted(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "true or false",
        Type::Int(_) => {
            "an integer within the type's range, beyond 64 bits as a string of its digits"
        }
        Type::F32 | Type::F64 => "a number, or \"NaN\", \"inf\", \"-inf\", \"-0.0\"",
        Type::Char => "a string of one character",
        Type::Str => "a string",
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::IntType;

    use super::*;

    #[test]
    fn every_scalar_survives_the_way_through_text() {
        let int = |ty, text: &str| Value::Int(ty, Int::parse(text).unwrap());
        let values = [
            Value::Bool(true),
            int(IntType::I8, "-128"),
            int(IntType::U64, &u64::MAX.to_string()),
            int(IntType::U128, &u128::MAX.to_string()),
            int(IntType::I128, &i128::MIN.to_string()),
            Value::F32(0.1f32.to_bits()),
            Value::F32(f32::MIN_POSITIVE.to_bits()),
            Value::F32(f32::NAN.to_bits()),
            Value::F64(f64::NAN.to_bits()),
            Value::F64(f64::NAN.to_bits() | 1),
            Value::F64((-0.0f64).to_bits()),
            Value::F64(f64::NEG_INFINITY.to_bits()),
            Value::F64(5e-324f64.to_bits()),
            Value::F64(1e300f64.to_bits()),
            Value::Char('\u{0}'),
            Value::Char('ß'),
            Value::Str("a\"b\n".into()),
        ];
        for value in values {
            let text = to_json(&value).to_string();
            let json = serde_json::from_str(&text).unwrap();
            assert_eq!(from_json(&json, value.ty()).as_ref(), Ok(&value), "{text}");
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_what_to_write() {
        let error = from_json(&300.into(), Type::Int(IntType::U8)).unwrap_err();
        assert!(
            error.contains("300 is not a value of type u8; write an integer"),
            "{error}"
        );
        assert!(from_json(&1.5.into(), Type::Int(IntType::I64)).is_err());
        assert!(from_json(&"ab".into(), Type::Char).is_err());
        assert!(from_json(&1.into(), Type::Bool).is_err());
    }
}
