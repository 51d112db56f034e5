//! The types of the subject, as far as a memory graph needs them: which are numbers, which are pointers to
//! structures. gdb is asked once for each type.
//!
//! Reading the text of types is left to [`super::layout`], where the fields of structures lie to [`super::fields`].

use std::collections::HashMap;
use std::sync::Arc;

use super::fields::Field;
use super::layout::{self, Spelled};
use super::process::Gdb;
use super::stop;
use super::{Error, Result};

/// How deep names made by `typedef` are followed.
const DEPTH: usize = 50;

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pointee {
    /// A structure, or a pointer to one: its type as C spells it.
    Node(String),
    /// Anything else.
    Other,
}

/// What a memory graph can say of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An integer, a bool, a character or an enumeration.
    Integer {
        size: u64,
        is_signed: bool,
        /// Whether it is a `char`. With a word for its sign, it is used for numbers.
        is_character: bool,
    },
    /// A pointer.
    Pointer(Pointee),
    /// A structure: its type as C spells it.
    Record(String),
    /// Anything else.
    Other,
}

/// A type: an array of a kind, or the kind alone if there are no dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) dimensions: Vec<u64>,
}

/// The types seen so far.
#[derive(Debug, Default)]
pub(super) struct Types {
    bases: HashMap<String, Type>,
    pub(super) records: HashMap<String, Arc<Vec<Field>>>,
    sizes: HashMap<String, u64>,
}

impl Types {
    /// The meaning of a type as it is spelled.
    pub(super) fn resolve(&mut self, gdb: &mut Gdb, spelled: &Spelled) -> Result<Type> {
        self.resolve_at(gdb, spelled, 0)
    }

    fn resolve_at(&mut self, gdb: &mut Gdb, spelled: &Spelled, depth: usize) -> Result<Type> {
        if spelled.is_intricate {
            return Ok(Type {
                kind: Kind::Other,
                dimensions: Vec::new(),
            });
        }
        let mut found = self.base(gdb, &spelled.base, depth)?;
        if spelled.stars > 0 {
            let pointee = match found.kind {
                _ if !found.dimensions.is_empty() => Pointee::Other,
                Kind::Record(name) if spelled.stars == 1 => Pointee::Node(name),
                Kind::Record(name) => {
                    Pointee::Node(format!("{name} {}", "*".repeat(spelled.stars - 1)))
                }
                Kind::Pointer(Pointee::Node(name)) => {
                    let space = if name.ends_with('*') { "" } else { " " };
                    Pointee::Node(format!("{name}{space}{}", "*".repeat(spelled.stars)))
                }
                Kind::Integer { .. } | Kind::Pointer(Pointee::Other) | Kind::Other => {
                    Pointee::Other
                }
            };
            found = Type {
                kind: Kind::Pointer(pointee),
                dimensions: Vec::new(),
            };
        }
        let mut dimensions = spelled.dimensions.clone();
        dimensions.append(&mut found.dimensions);
        Ok(Type {
            kind: found.kind,
            dimensions,
        })
    }

    /// The meaning of a type without stars and brackets.
    fn base(&mut self, gdb: &mut Gdb, base: &str, depth: usize) -> Result<Type> {
        if let Some(known) = self.bases.get(base) {
            return Ok(known.clone());
        }
        let alone = |kind| Type {
            kind,
            dimensions: Vec::new(),
        };
        let words: Vec<&str> = base.split(' ').collect();
        let found = if depth > DEPTH || base.is_empty() || base == "void" {
            alone(Kind::Other)
        } else if base.contains('{') || words[0] == "union" {
            // Only a structure with a name can be asked for.
            alone(Kind::Other)
        } else if words[0] == "struct" {
            alone(Kind::Record(base.to_owned()))
        } else if words[0] == "enum" || words.iter().all(|word| INTEGER_WORDS.contains(word)) {
            alone(self.integer(gdb, base)?)
        } else if words.len() > 1 || OTHER_WORDS.contains(&base) {
            alone(Kind::Other)
        } else {
            // A name made by `typedef`, which this looks through once.
            match meaning(gdb, base)? {
                Some(meaning) if meaning.starts_with("struct {") && meaning.ends_with('}') => {
                    alone(Kind::Record(base.to_owned()))
                }
                Some(meaning) if meaning.starts_with("enum {") && meaning.ends_with('}') => {
                    alone(self.integer(gdb, base)?)
                }
                Some(meaning) if meaning != base => {
                    self.resolve_at(gdb, &layout::type_name(&meaning), depth + 1)?
                }
                _ => alone(Kind::Other),
            }
        };
        self.bases.insert(base.to_owned(), found.clone());
        Ok(found)
    }

    fn integer(&mut self, gdb: &mut Gdb, name: &str) -> Result<Kind> {
        let size = self.size(gdb, name)?;
        let is_signed = match gdb.evaluate(&format!("(({name}) -1) < 0")) {
            Ok(answer) => answer != "0",
            Err(Error::Refused { .. }) => true,
            Err(error) => return Err(error),
        };
        Ok(match size {
            1..=8 => Kind::Integer {
                size,
                is_signed,
                is_character: name == "char",
            },
            _ => Kind::Other,
        })
    }

    /// The size of a type, zero if it is not known.
    pub(super) fn size(&mut self, gdb: &mut Gdb, name: &str) -> Result<u64> {
        if let Some(size) = self.sizes.get(name) {
            return Ok(*size);
        }
        let spelled = type_named(gdb, name)?;
        let size = match gdb.evaluate(&format!("sizeof({spelled})")) {
            Ok(answer) => answer.parse().unwrap_or(0),
            Err(Error::Refused { .. }) => 0,
            Err(error) => return Err(error),
        };
        self.sizes.insert(name.to_owned(), size);
        Ok(size)
    }

    /// The size of a value of this kind.
    pub(super) fn kind_size(&mut self, gdb: &mut Gdb, kind: &Kind) -> Result<u64> {
        match kind {
            Kind::Integer { size, .. } => Ok(*size),
            Kind::Pointer(_) => self.size(gdb, "void *"),
            Kind::Record(name) => self.size(gdb, name),
            Kind::Other => Ok(0),
        }
    }
}

const INTEGER_WORDS: [&str; 9] = [
    "signed", "unsigned", "char", "short", "int", "long", "_Bool", "bool", "__int128",
];

const OTHER_WORDS: [&str; 4] = ["float", "double", "__unknown__", "<data"];

/// What `whatis` prints for a type or an expression.
pub(super) fn printed_type(gdb: &mut Gdb, expression: &str) -> Result<Option<String>> {
    match gdb.console(&format!("whatis {expression}")) {
        Ok(text) => Ok(text
            .trim()
            .strip_prefix("type = ")
            .map(|found| found.trim().to_owned())),
        Err(Error::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How a type is written in an expression: one that a variable of the same name hides is found outside of the function.
pub(super) fn type_named(gdb: &mut Gdb, name: &str) -> Result<String> {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_hidden = is_word
        && match gdb.evaluate(name) {
            Ok(_) => true,
            Err(Error::Refused { .. }) => false,
            Err(error) => return Err(error),
        };
    Ok(match is_hidden {
        true => format!("::{name}"),
        false => name.to_owned(),
    })
}

/// The type that a name made by `typedef` stands for.
fn meaning(gdb: &mut Gdb, name: &str) -> Result<Option<String>> {
    let spelled = type_named(gdb, name)?;
    if spelled == name {
        return printed_type(gdb, name);
    }
    // `whatis` does not look through such a name.
    let printed = match gdb.console(&format!("ptype {spelled}")) {
        Ok(text) => text,
        Err(Error::Refused { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let printed = printed.trim().trim_start_matches("type = ");
    Ok(Some(match (printed.find('{'), printed.rfind('}')) {
        (Some(start), Some(end)) => {
            let tag = printed[..start].trim();
            let stars = &printed[end + 1..];
            match tag.contains(' ') {
                true => format!("{tag}{stars}"),
                false => format!("{tag} {{...}}{stars}"),
            }
        }
        _ => printed.to_owned(),
    }))
}

/// Where a value lies.
pub(super) fn address_of(gdb: &mut Gdb, expression: &str) -> Result<Option<u64>> {
    match gdb.evaluate(&format!("&({expression})")) {
        Ok(text) => Ok(stop::address(&text)),
        Err(Error::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
