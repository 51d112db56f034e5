//! The rows of a picture: one for each variable or field, but only one for an array of numbers.
//!
//! The state has the elements of arrays one by one, as `name[0]` and `name[1]`, so that each can be named and changed.
//! Arrays of characters are shown as text, other arrays as a list. Elements from which an arrow may start keep their
//! own rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use nopol_heap::state::{State, Value, Variable};

/// The most characters that an array is shown with. `…` stands for what is left out.
const MOST: usize = 24;

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name of the variable, the field or the array.
    pub name: String,
    /// What it holds.
    pub held: Held,
    /// The places of what it shows, among the variables or fields.
    pub places: Range<usize>,
}

/// What a row shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// A value. Of an array only that it is unknown.
    Value(Value),
    /// The numbers of an array, as they are shown.
    Array(String),
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Array(text) => f.write_str(text),
        }
    }
}

impl Row {
    /// The value. An array of numbers has none.
    pub fn value(&self) -> Option<Value> {
        match &self.held {
            Held::Value(value) => Some(*value),
            Held::Array(_) => None,
        }
    }
}

/// The rows of the variables.
pub fn variable_rows(state: &State) -> Vec<Row> {
    rows(&state.variables, &linked(&state.variables))
}

/// The rows of each node. An array that holds a pointer in one node holds pointers in all nodes of the same record.
pub fn node_rows(state: &State) -> Vec<Vec<Row>> {
    let mut links: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in &state.nodes {
        let of_record = links.entry(&node.record).or_default();
        of_record.append(&mut linked(&node.fields));
    }
    let nodes = state.nodes.iter();
    nodes
        .map(|node| rows(&node.fields, &links[&*node.record]))
        .collect()
}

/// How an array among these variables or fields is shown. Nothing if there is no array with this name in one row.
pub fn array(all: &[Variable], name: &str) -> Option<String> {
    let mut rows = rows(all, &linked(all)).into_iter();
    let found = rows.find(|row| row.name == name && all[row.places.start].name != name);
    found.map(|row| row.held.to_string())
}

/// The arrays that hold pointers.
fn linked(all: &[Variable]) -> BTreeSet<&str> {
    let pointers = all
        .iter()
        .filter(|one| matches!(one.value, Value::Null | Value::Node(_)));
    pointers
        .filter_map(|one| element(&one.name))
        .map(|(array, _)| array)
        .collect()
}

/// The array and the index of an element: `m[1]` and 0 for `m[1][0]`.
fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

/// The rows of these variables or fields, with arrays joined unless they hold pointers.
fn rows(all: &[Variable], linked: &BTreeSet<&str>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    while let Some(first) = all.get(start) {
        let row = match element(&first.name) {
            Some((array, 0)) if !linked.contains(array) => {
                let end = start + length(array, &all[start..]);
                Row {
                    name: array.to_owned(),
                    held: joined(&all[start..end]),
                    places: start..end,
                }
            }
            _ => Row {
                name: first.name.clone(),
                held: Held::Value(first.value),
                places: start..start + 1,
            },
        };
        start = row.places.end;
        rows.push(row);
    }
    rows
}

/// How many of these are the elements of an array, one after the other.
fn length(array: &str, all: &[Variable]) -> usize {
    let elements = all
        .iter()
        .enumerate()
        .take_while(|(index, one)| element(&one.name) == Some((array, *index)));
    elements.count()
}

/// What an array holds.
fn joined(elements: &[Variable]) -> Held {
    if elements.iter().all(|one| one.value == Value::Unknown) {
        return Held::Value(Value::Unknown);
    }
    Held::Array(text(elements).unwrap_or_else(|| list(elements)))
}

/// An array of characters in quotes, up to the zero that ends it. Nothing if it holds anything else than text.
fn text(elements: &[Variable]) -> Option<String> {
    let byte = |one: &Variable| match one.value {
        Value::Number(number) if one.is_character => {
            let signed = i8::try_from(number).map(i8::cast_unsigned);
            signed.or_else(|_| u8::try_from(number)).ok()
        }
        _ => None,
    };
    let bytes = elements.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    let text = match bytes.iter().position(|byte| *byte == 0) {
        // Small numbers behind a zero at the beginning: rather an array of them than an empty text.
        Some(0) if !is_text(&bytes) => return None,
        end => &bytes[..end.unwrap_or(bytes.len())],
    };
    let text = std::str::from_utf8(text)
        .ok()
        .filter(|text| is_text(text.as_bytes()))?;
    let characters: Vec<char> = text.chars().collect();
    Some(cut(characters.len(), |kept| {
        let mut shown: String = characters[..kept].iter().collect();
        if kept < characters.len() {
            shown.push('…');
        }
        format!("{shown:?}")
    }))
}

/// Whether all bytes may belong to text, or are zero.
fn is_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| *byte == 0 || byte.is_ascii_whitespace() || !byte.is_ascii_control())
}

/// An array in brackets.
fn list(elements: &[Variable]) -> String {
    cut(elements.len(), |kept| {
        let mut shown: Vec<String> = elements[..kept]
            .iter()
            .map(|one| one.value.to_string())
            .collect();
        if kept < elements.len() {
            shown.push("…".to_owned());
        }
        format!("[{}]", shown.join(", "))
    })
}

/// As many of the first elements as there is room for, in the way in which a number of them is shown.
fn cut(count: usize, shown: impl Fn(usize) -> String) -> String {
    (0..=count)
        .rev()
        .map(shown)
        .find(|shown| shown.chars().count() <= MOST)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How an array of these bytes is shown.
    fn shown(bytes: &[u8]) -> String {
        let elements: Vec<Variable> = (0..)
            .zip(bytes)
            .map(|(index, byte): (u32, _)| Variable {
                is_character: true,
                ..Variable::new(
                    format!("name[{index}]"),
                    Value::Number(byte.cast_signed().into()),
                )
            })
            .collect();
        array(&elements, "name").unwrap()
    }

    #[test]
    fn characters_are_text_up_to_the_first_zero() {
        assert_eq!(shown(b"mow\0\x07\xff"), "\"mow\"");
        assert_eq!(shown(b"\0\0\0"), "\"\"");
        // Where `ow` was before.
        assert_eq!(shown(b"\0ow\0"), "\"\"");
        assert_eq!(shown(b"a\"b\\\n\0"), r#""a\"b\\\n""#);
        assert_eq!(shown("Gr\u{fc}n\0".as_bytes()), "\"Gr\u{fc}n\"");
        assert_eq!(shown(b"XO "), "\"XO \"");
        assert_eq!(
            shown(b"abcdefghijklmnopqrstuvwxyz\0"),
            "\"abcdefghijklmnopqrstu…\""
        );
    }

    #[test]
    fn characters_that_are_no_text_are_numbers() {
        assert_eq!(shown(b"\0\x01\0\x01"), "[0, 1, 0, 1]");
        assert_eq!(shown(b"\xfc\x02"), "[-4, 2]");
        assert_eq!(shown(b"\xfcx\0"), "[-4, 120, 0]");
    }
}
