//! Where the fields of structures lie, and what the bytes of a field mean. Structures in structures are dissolved into
//! fields such as `inner.key`, short arrays into `children[0]`.
//!
//! Members of unions have no known value: which of them is meant, only the program knows. What a type means is left
//! to [`super::types`], reading memory to [`super::memory`].

use std::sync::Arc;

use nopol_heap::state::{Value, Variable};

use super::layout::{self, Group};
use super::process::Gdb;
use super::types::{Kind, Type, Types, type_named};
use super::{Error, Result};

/// Up to how many elements an array is shown with.
const ELEMENTS: u64 = 64;

/// How deep structures in structures are followed.
const DEPTH: usize = 50;

/// A value in a piece of memory that can be shown. Structures in structures are dissolved.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its name: `key`, `inner.key`, `children[0]`.
    pub(super) name: String,
    pub(super) offset: u64,
    /// Never a record.
    pub(super) kind: Kind,
    /// The first bit and the number of bits of a bit-field.
    pub(super) bits: Option<(u32, u32)>,
}

impl Field {
    fn unknown(name: String) -> Self {
        Self {
            name,
            offset: 0,
            kind: Kind::Other,
            bits: None,
        }
    }

    /// The field with what it holds, as a memory graph has it.
    pub(super) fn holding(&self, value: Value) -> Variable {
        let is_character = matches!(
            self.kind,
            Kind::Integer {
                is_character: true,
                ..
            }
        );
        Variable {
            is_character,
            ..Variable::new(&*self.name, value)
        }
    }

    /// The number that a field holds. Nothing if it is not an integer, or one of more than 64 bits.
    pub(super) fn number(&self, bytes: &[u8]) -> Option<i128> {
        let Kind::Integer {
            size, is_signed, ..
        } = self.kind
        else {
            return None;
        };
        let (raw, width) = match self.bits {
            // Where the bits are counted from the other end, nothing is known.
            Some(_) if cfg!(target_endian = "big") => return None,
            Some((first, count)) => {
                let start = usize::try_from(self.offset).ok()?;
                // They may lie in one byte more than the type has.
                let mut wide = [0; 16];
                for (byte, found) in wide.iter_mut().zip(bytes.get(start..)?.iter().take(9)) {
                    *byte = *found;
                }
                let shifted = u128::from_le_bytes(wide) >> first;
                (u64::try_from(shifted & u128::from(u64::MAX)).ok()?, count)
            }
            None => (self.raw(bytes, size)?, u32::try_from(size * 8).ok()?),
        };
        if !(1..=64).contains(&width) {
            return None;
        }
        let unused = 64 - width;
        if is_signed {
            Some(((raw << unused).cast_signed() >> unused).into())
        } else {
            Some((raw << unused >> unused).into())
        }
    }

    /// The bytes of a field as a number without a sign.
    pub(super) fn raw(&self, bytes: &[u8], size: u64) -> Option<u64> {
        let start = usize::try_from(self.offset).ok()?;
        let size = usize::try_from(size).ok().filter(|size| *size <= 8)?;
        let found = bytes.get(start..start.checked_add(size)?)?;
        let mut wide = [0; 8];
        // The subject runs on this machine, and has its order of bytes.
        if cfg!(target_endian = "big") {
            wide[8 - size..].copy_from_slice(found);
        } else {
            wide[..size].copy_from_slice(found);
        }
        Some(u64::from_ne_bytes(wide))
    }
}

impl Types {
    /// The fields of what a pointer to this type points to.
    pub(super) fn node(&mut self, gdb: &mut Gdb, c_type: &str) -> Result<Arc<Vec<Field>>> {
        if !c_type.ends_with('*') {
            return self.record(gdb, c_type, 0);
        }
        let kind = self.resolve(gdb, &layout::type_name(c_type))?.kind;
        Ok(Arc::new(vec![Field {
            name: "*".to_owned(),
            offset: 0,
            kind,
            bits: None,
        }]))
    }

    /// The fields of a structure. There are none if only its name is known.
    fn record(&mut self, gdb: &mut Gdb, name: &str, depth: usize) -> Result<Arc<Vec<Field>>> {
        if let Some(known) = self.records.get(name) {
            return Ok(Arc::clone(known));
        }
        let mut fields = Vec::new();
        let spelled = type_named(gdb, name)?;
        match gdb.console(&format!("ptype /o {spelled}")) {
            Ok(text) if depth <= DEPTH => {
                if let Some(group) = layout::layout(&text) {
                    self.group(gdb, &group, "", 0, depth, &mut fields)?;
                }
            }
            Ok(_) | Err(Error::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
        let fields = Arc::new(fields);
        self.records.insert(name.to_owned(), Arc::clone(&fields));
        Ok(fields)
    }

    /// Adds the fields of a variable whose type has no name.
    pub(super) fn nameless(
        &mut self,
        gdb: &mut Gdb,
        expression: &str,
        shown: &str,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        match gdb.console(&format!("ptype /o {expression}")) {
            Ok(text) => {
                if let Some(group) = layout::layout(&text) {
                    self.group(gdb, &group, &format!("{shown}."), 0, 0, fields)?;
                }
                Ok(())
            }
            Err(Error::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds the fields of a group. `shift` is how far the group lies from where gdb shows it.
    fn group(
        &mut self,
        gdb: &mut Gdb,
        group: &Group,
        prefix: &str,
        shift: u64,
        depth: usize,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        for member in &group.members {
            let name = format!("{prefix}{}", member.spelled.name);
            let offset = member.offset.unwrap_or(0) + shift;
            let nested = member.nested.as_ref();
            // Which member of a union is meant, only the program knows.
            if group.is_union || nested.is_some_and(|inner| inner.is_union) {
                match nested {
                    Some(inner) if member.spelled.name.is_empty() => {
                        let hidden = Group {
                            is_union: true,
                            members: inner.members.clone(),
                        };
                        self.group(gdb, &hidden, prefix, shift, depth, fields)?;
                    }
                    _ => fields.push(Field::unknown(name)),
                }
                continue;
            }
            if let Some(inner) = nested {
                let Some(indices) = indices(&member.spelled.dimensions) else {
                    fields.push(Field::unknown(name));
                    continue;
                };
                let size = member.size / u64::try_from(indices.len()).unwrap_or(1).max(1);
                let mut shift = shift;
                for index in indices {
                    // The fields of a structure without a name belong to the outer one.
                    let prefix = match member.spelled.name.as_str() {
                        "" => prefix.to_owned(),
                        _ => format!("{name}{index}."),
                    };
                    self.group(gdb, inner, &prefix, shift, depth + 1, fields)?;
                    shift += size;
                }
                continue;
            }
            let found = self.resolve(gdb, &member.spelled)?;
            if let Some(count) = member.spelled.bits {
                fields.push(Field {
                    name,
                    offset,
                    kind: found.kind,
                    bits: Some((member.bit, count)),
                });
            } else {
                self.expand(gdb, &found, &name, offset, depth, fields)?;
            }
        }
        Ok(())
    }

    /// Adds the fields that a value of this type consists of.
    pub(super) fn expand(
        &mut self,
        gdb: &mut Gdb,
        found: &Type,
        name: &str,
        offset: u64,
        depth: usize,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        let Some(indices) = indices(&found.dimensions) else {
            fields.push(Field::unknown(name.to_owned()));
            return Ok(());
        };
        let size = self.kind_size(gdb, &found.kind)?;
        let mut offset = offset;
        for index in indices {
            let name = format!("{name}{index}");
            if let Kind::Record(record) = &found.kind {
                for field in self.record(gdb, record, depth + 1)?.iter() {
                    fields.push(Field {
                        name: format!("{name}.{}", field.name),
                        offset: offset + field.offset,
                        ..field.clone()
                    });
                }
            } else {
                fields.push(Field {
                    name,
                    offset,
                    kind: found.kind.clone(),
                    bits: None,
                });
            }
            offset += size;
        }
        Ok(())
    }
}

/// The indices of the elements of an array in their order: `[0][0]`, `[0][1]`. Without dimensions there is one, which
/// is empty. Nothing if there are too many.
fn indices(dimensions: &[u64]) -> Option<Vec<String>> {
    let mut total: u64 = 1;
    for dimension in dimensions {
        total = total.checked_mul(*dimension)?;
    }
    // One without elements is shown as a whole too.
    if total > ELEMENTS || total == 0 {
        return None;
    }
    let mut indices = vec![String::new()];
    for dimension in dimensions {
        indices = indices
            .iter()
            .flat_map(|outer| (0..*dimension).map(move |index| format!("{outer}[{index}]")))
            .collect();
    }
    Some(indices)
}
