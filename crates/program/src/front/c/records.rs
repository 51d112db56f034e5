//! Which structures variables are and point to, for those who want to know more than cells.

use std::collections::HashMap;

use super::Translator;
use super::types::{Field, Type, Types};
use crate::ir::{PointerKind, Program, Record, RecordField, RecordId, Shape};

/// Structures that already have a record: those of the same tag share one.
type Known = HashMap<String, RecordId>;

impl Translator<'_> {
    /// Says of all variables and results which structures they are or point to. All structures are known by now.
    pub(super) fn records(&mut self) {
        let mut known = Known::new();
        for (variable, ty) in std::mem::take(&mut self.typed) {
            let shape = match &ty {
                Type::Struct(_) => record(&self.types, &mut self.program, &mut known, &ty)
                    .map_or(Shape::Other, Shape::Record),
                _ => target(&self.types, &mut self.program, &mut known, &ty)
                    .map_or(Shape::Other, Shape::Pointer),
            };
            self.program.variables[variable].shape = shape;
        }
        for routine in &self.routines {
            if let Some(id) = routine.id {
                self.program.functions[id].result_points_to = target(
                    &self.types,
                    &mut self.program,
                    &mut known,
                    &routine.prototype.result,
                );
            }
        }
    }
}

/// The record that a pointer points to.
fn target(
    types: &Types,
    program: &mut Program,
    known: &mut Known,
    pointer: &Type,
) -> Option<RecordId> {
    match pointer {
        Type::Pointer(target) => record(types, program, known, target),
        _ => None,
    }
}

/// The record of a structure, or of a pointer that is pointed to.
fn record(types: &Types, program: &mut Program, known: &mut Known, ty: &Type) -> Option<RecordId> {
    let fields = match ty {
        Type::Struct(index) => types.structures.get(*index)?.fields.clone()?,
        // A pointer to a number has no structure behind it that could be drawn.
        Type::Pointer(target) if matches!(**target, Type::Struct(_)) => vec![Field {
            name: "*".to_owned(),
            ty: ty.clone(),
            offset: 0,
        }],
        _ => return None,
    };
    let name = types.name(ty);
    if let Some(id) = known.get(&name) {
        return Some(*id);
    }
    let id = program.records.push_and_get_key(Record {
        name: name.clone(),
        fields: Vec::new(),
    });
    known.insert(name, id);
    let mut flat = Vec::new();
    flatten(types, &fields, "", 0, &mut flat);
    let mut scalars = Vec::new();
    for field in flat {
        let Some(scalar) = field.ty.scalar() else {
            continue;
        };
        scalars.push(RecordField {
            points_to: target(types, program, known, &field.ty),
            access: PointerKind::Raw,
            name: field.name,
            offset: field.offset,
            scalar,
        });
    }
    program.records[id].fields = scalars;
    Some(id)
}

/// All fields, those of structures in place of the structures.
fn flatten(types: &Types, fields: &[Field], outer: &str, before: u32, flat: &mut Vec<Field>) {
    for field in fields {
        let name = format!("{outer}{}", field.name);
        let offset = before + field.offset;
        match &field.ty {
            Type::Struct(index) => {
                let inner = types.structures.get(*index);
                if let Some(inner) = inner.and_then(|inner| inner.fields.as_ref()) {
                    flatten(types, inner, &format!("{name}."), offset, flat);
                }
            }
            ty => flat.push(Field {
                name,
                ty: ty.clone(),
                offset,
            }),
        }
    }
}
