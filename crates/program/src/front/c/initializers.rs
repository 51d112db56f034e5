//! Initializers of variables.

use nopol_scalar::IntKind;

use super::build;
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{Lvalue, Scalar, Statement, VariableId};

/// The items of a list in braces, and how many are used up.
struct Items<'s> {
    items: Vec<Syntax<'s>>,
    at: usize,
}

impl<'s> Items<'s> {
    fn peek(&self) -> Option<Syntax<'s>> {
        self.items.get(self.at).copied()
    }
}

impl Translator<'_> {
    /// Initializes a variable or a part of one, all cells of which are zero.
    pub(super) fn initialize(
        &mut self,
        target: Lvalue,
        ty: &Type,
        value: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let is_list = value.kind() == "initializer_list";
        if let Type::Array(element, length) = ty {
            let mut text = value.without_parentheses();
            if is_list && let [only] = value.children().as_slice() {
                text = *only;
            }
            if is_string(text) && matches!(**element, Type::Int(IntKind { bits: 8, .. }, _)) {
                let mut bytes = self.string(text)?;
                bytes.truncate(length.unwrap_or(u32::MAX) as usize);
                self.write_bytes(&target, &bytes, element, text, statements);
                return Ok(());
            }
        }
        if is_list {
            self.program.lists.insert(value.span());
            let mut items = Items {
                items: value.children(),
                at: 0,
            };
            self.fill(&target, ty, &mut items, true, statements)?;
            return match items.peek() {
                Some(item) => self.outside(item, "this initializer has nothing to initialize"),
                None => Ok(()),
            };
        }
        match ty {
            Type::Struct(_) => {
                let copy = self.copy(target, ty, value)?;
                statements.push(copy);
            }
            Type::Array(..) => return self.outside(value, "this cannot initialize an array"),
            // Only counted: a value may refer to the variable, which has no type yet.
            _ if self.is_folding => {}
            _ => {
                let expr = self.converted(value, ty)?;
                let place = self.value_place(value);
                self.note_type(place, ty);
                statements.push(Statement::Assign {
                    place,
                    target,
                    value: expr,
                });
            }
        }
        Ok(())
    }

    /// How many elements an initializer gives an array of unknown length.
    pub(super) fn initialized_length(
        &mut self,
        array: &Type,
        value: Syntax<'_>,
    ) -> Translated<u32> {
        if is_string(value) {
            let length = self.string(value)?.len() + 1;
            return u32::try_from(length).map_err(|_| self.error(value, "the string is too long"));
        }
        let mut items = Items {
            items: value.children(),
            at: 0,
        };
        let target = Lvalue::Variable(VariableId::default());
        self.folding(|this| this.fill(&target, array, &mut items, true, &mut Vec::new()))
    }

    /// Initializes with the next items of a list; `is_whole` if the list is for nothing else. Returns how many elements
    /// or fields there are up to the last one that is initialized. An item for a whole element or field replaces what
    /// earlier ones gave it (C11, 6.7.9p19).
    fn fill(
        &mut self,
        target: &Lvalue,
        ty: &Type,
        items: &mut Items<'_>,
        is_whole: bool,
        statements: &mut Vec<Statement>,
    ) -> Translated<u32> {
        let count = match ty {
            Type::Array(_, length) => length.unwrap_or(u32::MAX),
            Type::Struct(index) => {
                let fields = self.types.structures[*index]
                    .fields
                    .as_ref()
                    .map_or(0, Vec::len);
                u32::try_from(fields).unwrap_or_default()
            }
            _ => {
                if let Some(item) = items.peek() {
                    items.at += 1;
                    self.initialize(target.clone(), ty, item, statements)?;
                }
                return Ok(1);
            }
        };
        let (mut next, mut most) = (0, 0);
        // The statements for each element or field, in the order of the list.
        let mut made: Vec<(u32, Vec<Statement>)> = Vec::new();
        while next < count || is_whole {
            most = most.max(next);
            let Some(item) = items.peek() else {
                break;
            };
            if item.kind() == "initializer_pair" {
                if !is_whole {
                    break;
                }
                let [designator] = item.fields("designator")[..] else {
                    return self
                        .outside(item, "designators of more than one part are not supported");
                };
                let Some(value) = item.field("value") else {
                    return self.outside(item, "this initializer is not supported");
                };
                next = self.designated(ty, designator)?;
                let (part, part_ty) = self.member(target, ty, next, item)?;
                items.at += 1;
                made.retain(|(of, _)| *of != next);
                let mut own = Vec::new();
                self.initialize(part, &part_ty, value, &mut own)?;
                made.push((next, own));
                next += 1;
                continue;
            }
            if next >= count {
                break;
            }
            let (part, part_ty) = self.member(target, ty, next, item)?;
            let is_own = match &part_ty {
                Type::Array(..) => item.kind() == "initializer_list" || is_string(item),
                Type::Struct(_) => item.kind() == "initializer_list" || self.is_structure(item),
                _ => true,
            };
            let mut own = Vec::new();
            if is_own {
                items.at += 1;
                made.retain(|(of, _)| *of != next);
                self.initialize(part, &part_ty, item, &mut own)?;
            } else {
                self.fill(&part, &part_ty, items, false, &mut own)?;
            }
            made.push((next, own));
            next += 1;
        }
        statements.extend(made.into_iter().flat_map(|(_, own)| own));
        Ok(most.max(next))
    }

    /// Whether the expression is a structure: otherwise it initializes the first field of one.
    fn is_structure(&mut self, item: Syntax<'_>) -> bool {
        let ty = self.folding(|this| this.lvalue(item));
        ty.is_ok_and(|(_, ty)| matches!(ty, Type::Struct(_)))
    }

    fn designated(&mut self, ty: &Type, designator: Syntax<'_>) -> Translated<u32> {
        let Some(inner) = designator.children().first().copied() else {
            return self.outside(designator, "this designator is not supported");
        };
        match (designator.kind(), ty) {
            ("subscript_designator", Type::Array(..)) => self.length(inner),
            ("field_designator", Type::Struct(index)) => {
                let fields = self.types.structures[*index].fields.as_ref();
                let found = fields
                    .and_then(|fields| fields.iter().position(|field| field.name == inner.text()));
                found
                    .and_then(|found| u32::try_from(found).ok())
                    .ok_or_else(|| {
                        self.error(inner, format!("there is no field `{}`", inner.text()))
                    })
            }
            _ => self.outside(designator, "this designator is not supported"),
        }
    }

    /// An element or a field.
    fn member(
        &self,
        target: &Lvalue,
        ty: &Type,
        number: u32,
        item: Syntax<'_>,
    ) -> Translated<(Lvalue, Type)> {
        let part = match ty {
            Type::Array(element, length) => self
                .types
                .cells(element)
                .filter(|_| length.is_none_or(|length| number < length))
                .map(|stride| {
                    (
                        element_of(target, number, *length, stride, item),
                        (**element).clone(),
                    )
                }),
            Type::Struct(index) => {
                let fields = self.types.structures[*index].fields.as_ref();
                fields
                    .and_then(|fields| fields.get(number as usize))
                    .map(|field| {
                        (
                            Lvalue::Field(Box::new(target.clone()), field.offset),
                            field.ty.clone(),
                        )
                    })
            }
            _ => None,
        };
        part.ok_or_else(|| self.error(item, "this initializer has nothing to initialize"))
    }

    /// Writes bytes into an array of characters.
    pub(super) fn write_bytes(
        &self,
        target: &Lvalue,
        bytes: &[u8],
        element: &Type,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) {
        let scalar = element.scalar().unwrap_or(Scalar::INT);
        for (number, byte) in (0_u32..).zip(bytes) {
            let byte = scalar.wrap(i128::from(*byte));
            if byte != 0 {
                let cell = element_of(target, number, None, 1, syntax);
                statements.push(build::assign(
                    cell,
                    build::constant(byte, scalar, syntax.span()),
                ));
            }
        }
    }
}

fn element_of(
    array: &Lvalue,
    number: u32,
    length: Option<u32>,
    stride: u32,
    syntax: Syntax<'_>,
) -> Lvalue {
    Lvalue::Index {
        array: Box::new(array.clone()),
        // The index is not written; the span is that of the value.
        index: build::constant(
            i128::from(number),
            Scalar::INT,
            build::nowhere(syntax.span()),
        ),
        length,
        stride,
    }
}

/// Whether it is a string.
pub(super) fn is_string(value: Syntax<'_>) -> bool {
    matches!(value.kind(), "string_literal" | "concatenated_string")
}
