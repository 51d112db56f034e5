//! The literals of a piece of code, as written. They become constants for the synthesizer (the Nopol paper, §3.3.1,
//! second strategy).

use nopol_expr::{Int, IntType, Type, Value};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, Lit, LitBool};

use super::modules::is_test_code;

/// Literals in token order, without duplicates.
pub fn of_tokens(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

/// Literals of a file outside its test code, documentation and attributes.
pub fn of_file(file: &syn::File) -> Vec<String> {
    let mut found = Vec::new();
    of_items(&file.items, &mut found);
    found
}

fn of_items(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(module) if is_test_code(&module.attrs) => {}
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    of_items(items, found);
                }
            }
            Item::Fn(function) if is_test_code(&function.attrs) => {}
            Item::Fn(_) | Item::Impl(_) | Item::Const(_) | Item::Static(_) | Item::Trait(_) => {
                collect(item.to_token_stream(), found);
            }
            _ => {}
        }
    }
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let mut after_hash = false;
    for token in tokens {
        match token {
            // An attribute `#[…]`. Documentation is an attribute, too.
            TokenTree::Group(_) if after_hash => after_hash = false,
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if !found.contains(&text) {
                    found.push(text);
                }
            }
            TokenTree::Punct(punct) => {
                after_hash = punct.as_char() == '#' || (after_hash && punct.as_char() == '!');
            }
            TokenTree::Ident(_) => after_hash = false,
        }
    }
}

/// The value of a literal as a constant of the given type. `None` if it cannot have that type. `text` may start with a
/// minus sign.
pub fn value(text: &str, ty: Type) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text),
    };
    let literal = literal(digits.trim())?;
    match (&literal, ty) {
        (Lit::Int(int), Type::Int(int_type)) => {
            let fits = int.suffix().is_empty() || int.suffix() == int_type.name();
            let sign = if negative { "-" } else { "" };
            let value = Int::parse(&format!("{sign}{}", int.base10_digits()))?;
            (fits && value.fits(int_type)).then_some(Value::Int(int_type, value))
        }
        (Lit::Byte(byte), Type::Int(IntType::U8)) if !negative => Some(Value::Int(
            IntType::U8,
            Int::from_u128(u128::from(byte.value())),
        )),
        (Lit::Float(float), Type::F64 | Type::F32) => {
            let fits = float.suffix().is_empty() || float.suffix() == ty.name();
            let sign = if negative { -1.0 } else { 1.0 };
            let value: f64 = float.base10_digits().parse().ok()?;
            // Parsed separately, because rounding through f64 first could differ from rustc's result.
            let narrow: f32 = float.base10_digits().parse().ok()?;
            fits.then_some(match ty {
                Type::F64 => Value::F64((sign * value).to_bits()),
                _ => Value::F32((sign as f32 * narrow).to_bits()),
            })
        }
        (Lit::Bool(value), Type::Bool) => Some(Value::Bool(value.value)),
        (Lit::Char(value), Type::Char) => Some(Value::Char(value.value())),
        (Lit::Str(value), Type::Str) => Some(Value::Str(value.value().into())),
        _ => None,
    }
}

/// The text as a literal. `None` if it is anything else.
fn literal(text: &str) -> Option<Lit> {
    match text {
        "true" | "false" => Some(Lit::Bool(LitBool::new(text == "true", Span::call_site()))),
        _ if text.starts_with('-') => None,
        _ => Some(Lit::new(text.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_constants_of_the_types_they_can_have() {
        let usize = Type::Int(IntType::Usize);
        assert_eq!(value("1_000", usize).unwrap().to_string(), "1000");
        assert_eq!(value("-1", usize), None);
        assert_eq!(value("3u8", usize), None);
        assert_eq!(
            value("b'\\t'", Type::Int(IntType::U8)).unwrap().to_string(),
            "9"
        );
        assert_eq!(value("2.5", Type::F64).unwrap().to_string(), "2.5");
        assert_eq!(value("2", Type::F64), None);
    }

    #[test]
    fn literals_are_found_outside_attributes() {
        let tokens = "#[doc = \"no\"] fn f() { g(1, [2, 1]); h('c') }"
            .parse()
            .unwrap();
        assert_eq!(of_tokens(tokens), ["1", "2", "'c'"]);
    }
}
