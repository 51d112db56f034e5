//! Which structures variables are and point to, for those who want to know more than cells.

use super::types::{Struct, Type};
use super::{Front, Home};
use crate::ir::{PointerKind, Record, RecordField, RecordId, Scalar, Shape, Span};

/// The name of the field of a pointer that is pointed to.
const POINTER: &str = "*";

impl Front<'_> {
    /// Which structure a value of the type is or points to, and what kind of pointer it is.
    pub fn shape(&mut self, ty: &Type) -> (Shape, PointerKind) {
        if let Type::Struct(_) = ty {
            let shape = self.record(ty).map_or(Shape::Other, Shape::Record);
            return (shape, PointerKind::Raw);
        }
        match ty.target() {
            Some((to, access)) => {
                let shape = self.record(to).map_or(Shape::Other, Shape::Pointer);
                (shape, access)
            }
            None => (Shape::Other, PointerKind::Raw),
        }
    }

    /// The record that a pointer points to.
    pub fn record_behind(&mut self, ty: &Type) -> Option<RecordId> {
        let (to, _) = ty.target()?;
        self.record(to)
    }

    /// The record of a structure, or of a pointer that is pointed to.
    fn record(&mut self, ty: &Type) -> Option<RecordId> {
        let home = Home {
            file: 0,
            owner: None,
        };
        // A declaration outside of the subset is reported where it is used.
        let ty = self.known(&home, ty, Span::default()).ok()?;
        let name = ty.to_string();
        if let Some(id) = self.state.records.get(&name) {
            return Some(*id);
        }
        let is_pointer = ty
            .target()
            .is_some_and(|(to, _)| matches!(to, Type::Struct(_) | Type::Named(_)));
        if !is_pointer && !matches!(ty, Type::Struct(_)) {
            return None;
        }
        let id = self.state.program.records.push_and_get_key(Record {
            name: name.clone(),
            fields: Vec::new(),
        });
        self.state.records.insert(name, id);
        let mut fields = Vec::new();
        match &ty {
            Type::Struct(of) => self.add_fields(of, "", 0, &mut fields),
            _ => fields.extend(self.record_field(POINTER.to_owned(), 0, &ty)),
        }
        self.state.program.records[id].fields = fields;
        Some(id)
    }

    /// All fields, those of structures in place of the structures.
    fn add_fields(&mut self, of: &Struct, outer: &str, before: u32, fields: &mut Vec<RecordField>) {
        for field in &of.fields {
            let name = format!("{outer}{}", field.name);
            let offset = before + field.offset;
            match &field.ty {
                Type::Struct(inner) => {
                    self.add_fields(inner, &format!("{name}."), offset, fields);
                }
                ty => fields.extend(self.record_field(name, offset, ty)),
            }
        }
    }

    /// A field with one cell.
    fn record_field(&mut self, name: String, offset: u32, ty: &Type) -> Option<RecordField> {
        let scalar = ty.scalar()?;
        let (shape, access) = match scalar {
            Scalar::Pointer => self.shape(ty),
            _ => (Shape::Other, PointerKind::Raw),
        };
        Some(RecordField {
            name,
            offset,
            scalar,
            points_to: match shape {
                Shape::Pointer(record) => Some(record),
                _ => None,
            },
            access,
        })
    }
}
