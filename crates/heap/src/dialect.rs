//! How paths, values and comparisons are written in the language of a program, and whether a text is one.

use nopol_program::ir::{Dialect, PointerKind, RecordField};

use super::ir::{Atom, Path, Routine, Type, VariableId};

/// The methods that lead from an option to what is in it.
const OPENING: [&str; 5] = [
    ".as_ref().unwrap()",
    ".as_mut().unwrap()",
    ".as_deref().unwrap()",
    ".as_deref_mut().unwrap()",
    ".unwrap()",
];

/// The method that moves what is in an option out of it.
pub(super) const TAKING: &str = ".take()";

impl Routine {
    /// What kind of pointer a path leads to.
    pub fn access(&self, path: &Path) -> PointerKind {
        match self.last_field(path) {
            Some(field) => field.access,
            None => self
                .variables
                .get(path.base)
                .map_or(PointerKind::Raw, |variable| variable.access),
        }
    }

    fn last_field(&self, path: &Path) -> Option<&RecordField> {
        let (last, before) = path.fields.split_last()?;
        let before = Path {
            base: path.base,
            fields: before.to_vec(),
        };
        let Type::Pointer(record) = self.type_of(&before)? else {
            return None;
        };
        self.records.get(record)?.fields.get(*last)
    }

    /// How a path is written where it is read.
    pub fn written(&self, path: &Path) -> String {
        self.written_path(path, false)
    }

    /// How a path is written where it is assigned to.
    pub fn written_target(&self, path: &Path) -> String {
        self.written_path(path, true)
    }

    fn written_path(&self, path: &Path, is_target: bool) -> String {
        let variable = &self.variables[path.base];
        let mut text = variable.name.clone();
        let (mut ty, mut access) = (variable.ty, variable.access);
        for field in &path.fields {
            let Type::Pointer(record) = ty else {
                break;
            };
            let Some(of) = self.records[record].fields.get(*field) else {
                break;
            };
            text = match self.dialect {
                Dialect::C => through_arrow(&text, &of.name),
                Dialect::Rust => through_dot(&text, access, &of.name, is_target),
            };
            match self.field_type(record, *field) {
                Some(next) => (ty, access) = (next, of.access),
                None => break,
            }
        }
        text
    }

    /// How a leaf is written.
    pub fn written_atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Null => "NULL".to_owned(),
            Atom::Number(number) => number.to_string(),
            Atom::Read(path) => self.written(path),
        }
    }

    /// How a leaf is written where something of this kind is expected. `text` is the file's, which says how it writes null.
    pub fn written_as(&self, atom: &Atom, wanted: PointerKind, text: &str) -> String {
        match (self.dialect, atom) {
            (Dialect::Rust, Atom::Null) => null(wanted, text).to_owned(),
            // What is moved out of leaves nothing behind.
            (Dialect::Rust, Atom::Read(path))
                if wanted == PointerKind::OptionalOwned && !path.fields.is_empty() =>
            {
                format!("{}{TAKING}", self.written_target(path))
            }
            _ => self.written_atom(atom),
        }
    }

    /// Whether a text is this leaf, so that another one can take its place.
    pub fn is_written(&self, text: &str, atom: &Atom) -> bool {
        match self.dialect {
            Dialect::C => {
                !text.is_empty()
                    && text
                        .chars()
                        .all(|char| char.is_ascii_alphanumeric() || "_->.*() ".contains(char))
            }
            Dialect::Rust => match atom {
                Atom::Null => {
                    let text = plain(text);
                    text == "None" || text.ends_with("null_mut") || text.ends_with("null")
                }
                Atom::Number(_) => text.starts_with(|char: char| char.is_ascii_digit()),
                Atom::Read(path) => {
                    let text = text.strip_suffix(TAKING).unwrap_or(text);
                    plain(text) == plain(&self.written(path))
                }
            },
        }
    }

    /// Whether a value can be where one of this kind is expected.
    pub fn fits(&self, atom: &Atom, wanted: PointerKind) -> bool {
        match (self.dialect, atom) {
            (Dialect::C, _) | (_, Atom::Number(_)) => true,
            (Dialect::Rust, Atom::Null) => wanted.is_nullable(),
            (Dialect::Rust, Atom::Read(path)) => self.access(path) == wanted,
        }
    }

    /// The variable that a name means among these: a later one hides those before it.
    pub fn hides(&self, new: VariableId, old: VariableId) -> bool {
        self.variables[new].name == self.variables[old].name
    }
}

/// `p->f`
fn through_arrow(text: &str, name: &str) -> String {
    match name {
        "*" => format!("*{text}"),
        name if text.starts_with('*') => format!("({text})->{name}"),
        name => format!("{text}->{name}"),
    }
}

/// `(*p).f`, or `p.f` where the language follows the pointer by itself.
fn through_dot(text: &str, access: PointerKind, name: &str, is_target: bool) -> String {
    let text = match (access, name) {
        (PointerKind::Raw, "*") | (PointerKind::Reference, "*") => return format!("*{text}"),
        (PointerKind::Raw, _) => format!("(*{text})"),
        (PointerKind::OptionalReference | PointerKind::OptionalOwned, _) if is_target => {
            format!("{text}.as_mut().unwrap()")
        }
        (PointerKind::OptionalReference | PointerKind::OptionalOwned, _) => {
            format!("{text}.as_ref().unwrap()")
        }
        _ => text.to_owned(),
    };
    match text.starts_with('*') {
        true => format!("({text}).{name}"),
        false => format!("{text}.{name}"),
    }
}

/// The null pointer, as a file writes it.
fn null(wanted: PointerKind, text: &str) -> &'static str {
    if matches!(
        wanted,
        PointerKind::OptionalOwned | PointerKind::OptionalReference
    ) {
        return "None";
    }
    let spellings = [
        "std::ptr::null_mut()",
        "core::ptr::null_mut()",
        "ptr::null_mut()",
        "null_mut()",
    ];
    let found = spellings
        .into_iter()
        .find(|spelling| text.contains(spelling));
    found.unwrap_or(spellings[0])
}

/// A text without what only says how pointers are followed.
fn plain(text: &str) -> String {
    let mut text: String = text.split_whitespace().collect();
    for opening in OPENING {
        text = text.replace(opening, "");
    }
    text.replace("()", "\u{0}")
        .replace(['(', ')', '*'], "")
        .trim_end_matches('\u{0}')
        .to_owned()
}
