//! The content of a value that an early exit constructs: for each field a variable with its name, or one of its type.
//! `Err(Error::Version(version))`, `Err(Error::OutOfRange { index, len: items.len() })`.

use nopol_expr::Type;

use super::messages::MESSAGE;
use crate::{DataType, DeclaredType, Function, Name, Variant};

/// Most contents of one value.
const MOST_CONTENTS: usize = 2;

/// The variant or struct to construct.
#[derive(Clone, Copy, Debug)]
pub struct Constructed<'s> {
    /// Its name.
    pub name: &'s str,
    fields: &'s [(String, DeclaredType)],
}

impl<'s> Constructed<'s> {
    /// A variant of an enum.
    pub fn variant(variant: &'s Variant) -> Self {
        Self {
            name: &variant.name,
            fields: &variant.fields,
        }
    }

    /// A value without content.
    pub fn bare(name: &'s str) -> Self {
        Self { name, fields: &[] }
    }

    /// A struct.
    pub fn item(item: &'s DataType) -> Self {
        Self {
            name: &item.name,
            fields: &item.fields,
        }
    }
}

/// The text after the name of a variant or struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The content with its parentheses or braces. Empty if there is none.
    pub text: String,
    /// The variables that the content reads.
    pub names: Vec<String>,
    /// The origin of its least likely part.
    pub source: Source,
}

/// The origin of a field's value, likeliest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A variable has the name of the field, or there is no field.
    #[default]
    Name,
    /// A variable has the type of the field.
    Type,
    /// The text does not occur in the program.
    MadeUp,
}

/// The context from which contents are made.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The function that returns the value.
    pub function: &'a Function,
    /// The variables visible somewhere in the function, outermost first.
    pub locals: &'a [Name],
}

/// A value for a field.
#[derive(Clone, Debug)]
struct Filling {
    text: String,
    name: Option<String>,
    source: Source,
}

impl Contents<'_> {
    /// The contents with which a value can be constructed, likeliest first. Empty if some field has no value.
    pub fn of(&self, of: &Constructed) -> Vec<Content> {
        let is_named = of
            .fields
            .iter()
            .any(|(name, _)| !name.starts_with(|c: char| c.is_ascii_digit()));
        let nth_filling = |nth: usize| -> Option<Vec<Filling>> {
            let fields = of.fields.iter();
            let filled = fields.map(|(name, ty)| {
                let wanted = match is_named {
                    true => name.clone(),
                    false => in_snake_case(of.name),
                };
                let all = self.fillings(&wanted, ty);
                all.get(nth).or(all.last()).cloned()
            });
            filled.collect()
        };
        let mut found: Vec<Content> = Vec::new();
        for filled in (0..MOST_CONTENTS).filter_map(nth_filling) {
            let parts = of.fields.iter().zip(&filled);
            let parts = parts.map(|((name, _), filling)| match is_named {
                true if filling.text == *name => name.clone(),
                true => format!("{name}: {}", filling.text),
                false => filling.text.clone(),
            });
            let parts = parts.collect::<Vec<_>>().join(", ");
            let content = Content {
                text: match (of.fields.is_empty(), is_named) {
                    (true, _) => String::new(),
                    (false, true) => format!(" {{ {parts} }}"),
                    (false, false) => format!("({parts})"),
                },
                names: filled.iter().filter_map(|it| it.name.clone()).collect(),
                source: filled.iter().map(|it| it.source).max().unwrap_or_default(),
            };
            if !found.contains(&content) {
                found.push(content);
            }
        }
        found
    }

    /// Values for a field, in this order: a variable with its name, one of its type, a length that the function
    /// computes, the length of a parameter, a message.
    fn fillings(&self, wanted: &str, ty: &DeclaredType) -> Vec<Filling> {
        let mut found: Vec<Filling> = Vec::new();
        let nearest = || self.locals.iter().rev().filter(|it| it.text != "self");
        let mut put = |text: String, name: &Name, source: Source| {
            if found.iter().all(|known| known.text != text) {
                found.push(Filling {
                    text,
                    name: Some(name.text.clone()),
                    source,
                });
            }
        };
        for name in nearest().filter(|name| name.text == wanted) {
            if let Some(text) = passed(name, ty) {
                put(text, name, Source::Name);
            }
        }
        for name in nearest().filter(|name| name.ty.is_some()) {
            if let Some(text) = passed(name, ty) {
                put(text, name, Source::Type);
            }
        }
        if ty.plain == "usize" {
            let lengths = self.function.expressions.iter();
            for length in lengths.filter(|it| it.text.ends_with(".len()")) {
                let [read] = &*length.names else { continue };
                if let Some(name) = nearest().find(|name| name.text == *read) {
                    put(length.text.clone(), name, Source::Type);
                }
            }
            let of_parameter = |name: &&Name| {
                self.function
                    .parameters
                    .iter()
                    .any(|it| it.text == name.text)
            };
            for name in nearest().filter(of_parameter) {
                if name.ty.as_ref().is_some_and(has_length) {
                    put(format!("{}.len()", name.text), name, Source::Type);
                }
            }
        }
        let message = match (&*ty.plain, ty.is_reference) {
            ("String", false) => Some(format!("String::from(\"{MESSAGE}\")")),
            ("str", true) => Some(format!("\"{MESSAGE}\"")),
            _ => None,
        };
        found.extend(message.map(|text| Filling {
            text,
            name: None,
            source: Source::MadeUp,
        }));
        found
    }
}

/// How to pass a variable where a type is wanted. `None` if its type does not fit. A variable without a declared type
/// always fits.
fn passed(name: &Name, wanted: &DeclaredType) -> Option<String> {
    let text = &name.text;
    let Some(ty) = &name.ty else {
        return Some(text.clone());
    };
    let is_scalar = Type::from_name(&wanted.plain).is_some();
    if ty.plain == "str" && wanted.plain == "String" && !wanted.is_reference {
        return Some(format!("{text}.to_owned()"));
    }
    (ty.plain == wanted.plain).then(|| match (ty.is_reference, wanted.is_reference) {
        (true, false) if is_scalar => format!("*{text}"),
        (true, false) => format!("{text}.clone()"),
        (false, true) => format!("&{text}"),
        _ => text.clone(),
    })
}

fn has_length(ty: &DeclaredType) -> bool {
    let plain = &*ty.plain;
    matches!(plain, "str" | "String") || plain.starts_with('[') || plain.starts_with("Vec<")
}

/// Converts `OutOfRange` to `out_of_range`.
fn in_snake_case(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}
