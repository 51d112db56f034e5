//! Types as they are written: specifiers and declarators.

use std::rc::Rc;

use super::scopes::{Enumerator, Symbol, Tag};
use super::source::Syntax;
use super::types::{Field, Prototype, Type};
use super::{Translated, Translator};
use crate::written::Owner;

/// What a declarator declares.
pub(super) struct Declared {
    /// The name; empty if it has none.
    pub(super) name: String,
    /// Its type.
    pub(super) ty: Type,
}

impl Translator<'_> {
    /// The type that the specifiers of a declaration mean.
    pub(super) fn specified(&mut self, declaration: Syntax<'_>) -> Translated<Type> {
        let Some(specifier) = declaration.field("type") else {
            return self.outside(declaration, "this has no type");
        };
        self.specifier(specifier)
    }

    /// The type that a specifier means.
    pub(super) fn specifier(&mut self, specifier: Syntax<'_>) -> Translated<Type> {
        match specifier.kind() {
            "primitive_type" | "type_identifier" => self.named(specifier),
            "sized_type_specifier" => self.sized(specifier),
            "struct_specifier" => self.structure(specifier),
            "enum_specifier" => self.enumeration(specifier),
            "union_specifier" => self.outside(specifier, "`union` is not supported"),
            _ => self.outside(
                specifier,
                format!("the type `{}` is not supported", self.written(specifier)),
            ),
        }
    }

    /// The type of this name.
    pub(super) fn named(&mut self, specifier: Syntax<'_>) -> Translated<Type> {
        let name = specifier.text();
        if let Some(Symbol::Type(ty)) = self.symbol(name) {
            return Ok(ty.clone());
        }
        self.check_name(name)?;
        Ok(match name {
            "void" => Type::Void,
            "bool" | "_Bool" => Type::Bool,
            "char" | "int8_t" => Type::CHAR,
            "int" | "int32_t" | "wchar_t" => Type::INT,
            "uint8_t" => Type::integer(8, false),
            "int16_t" => Type::integer(16, true),
            "uint16_t" => Type::integer(16, false),
            "uint32_t" | "uint" => Type::integer(32, false),
            "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "intmax_t" | "time_t" => Type::LONG,
            "uint64_t" | "size_t" | "uintptr_t" | "uintmax_t" => Type::SIZE,
            "float" | "double" => return self.no_integer(specifier, name),
            _ => return self.outside(specifier, format!("the type `{name}` is not known")),
        })
    }

    fn no_integer(&self, specifier: Syntax<'_>, name: &str) -> Translated<Type> {
        self.outside(
            specifier,
            format!("the type `{name}` is used, and floating-point numbers are not supported"),
        )
    }

    /// `unsigned long` and the like.
    fn sized(&mut self, specifier: Syntax<'_>) -> Translated<Type> {
        let (mut bits, mut signed) = (32, true);
        for word in specifier.text().split_whitespace() {
            match word {
                "unsigned" => signed = false,
                "long" => bits = 64,
                "short" => bits = 16,
                "char" => bits = 8,
                "float" | "double" => return self.no_integer(specifier, word),
                "signed" | "int" | "const" | "volatile" => {}
                _ => {
                    return self.outside(
                        specifier,
                        format!("the type `{}` is not known", self.written(specifier)),
                    );
                }
            }
        }
        Ok(Type::integer(bits, signed))
    }

    fn structure(&mut self, specifier: Syntax<'_>) -> Translated<Type> {
        let span = specifier.span();
        let tag = specifier.field("name").map_or_else(
            || format!("{}:{}", span.file, span.start),
            |name| name.text().to_owned(),
        );
        let Some(body) = specifier.field("body") else {
            self.check_tag(&tag)?;
            if let Some(Tag::Struct(index)) = self.tag(&tag) {
                return Ok(Type::Struct(*index));
            }
            let index = self.types.structure(tag.clone());
            self.bind_tag(&tag, Tag::Struct(index));
            return Ok(Type::Struct(index));
        };
        let declared = self.scopes.last().and_then(|scope| scope.tags.get(&tag));
        let index = match declared {
            Some(Tag::Struct(index)) if self.types.structures[*index].fields.is_none() => *index,
            Some(_) => return self.outside(specifier, format!("`{tag}` is declared twice")),
            None => self.types.structure(tag.clone()),
        };
        self.bind_tag(&tag, Tag::Struct(index));
        let mut fields: Vec<Field> = Vec::new();
        let mut offset = 0;
        for member in body.children() {
            let before = (fields.len(), offset);
            match self.field_declaration(member, &mut fields, &mut offset) {
                // What mentions the field is not supported then.
                Err(_) if self.is_lenient => {
                    fields.truncate(before.0);
                    offset = before.1;
                }
                done => done?,
            }
        }
        self.types.structures[index].fields = Some(fields);
        Ok(Type::Struct(index))
    }

    /// Adds the fields of a declaration in a structure.
    fn field_declaration(
        &mut self,
        member: Syntax<'_>,
        fields: &mut Vec<Field>,
        offset: &mut u32,
    ) -> Translated<()> {
        if member.kind() != "field_declaration" {
            return self.outside(member, "this is not supported in structures");
        }
        if member
            .children()
            .iter()
            .any(|part| part.kind() == "bitfield_clause")
        {
            return self.outside(member, "bit-fields are not supported");
        }
        let base = self.specified(member)?;
        let declarators = member.fields("declarator");
        if declarators.is_empty() && matches!(base, Type::Struct(_)) {
            return self.outside(member, "unnamed structures in structures are not supported");
        }
        for declarator in declarators {
            let Declared { name, ty } = self.declarator(declarator, base.clone())?;
            let Some(cells) = self.types.cells(&ty) else {
                return self.outside(declarator, format!("the size of `{name}` is not known"));
            };
            self.note_lengths(declarator, self.owner.unwrap_or(Owner::Type));
            fields.push(Field {
                name,
                ty,
                offset: *offset,
            });
            *offset += cells;
        }
        Ok(())
    }

    /// Enumerations are `unsigned int` for gcc unless they have something negative; their members are `int`.
    fn enumeration(&mut self, specifier: Syntax<'_>) -> Translated<Type> {
        let tag = specifier.field("name").map(Syntax::text);
        let Some(body) = specifier.field("body") else {
            self.check_tag(tag.unwrap_or_default())?;
            return match tag.and_then(|tag| self.tag(tag)) {
                Some(Tag::Enum(ty)) => Ok(ty.clone()),
                _ => self.outside(specifier, "the members of the enumeration are not known"),
            };
        };
        let mut next = Enumerator {
            value: 0,
            written: None,
            definitions: Vec::new(),
        };
        let mut members = Vec::new();
        for member in body.children() {
            let Some(name) = member.field("name") else {
                return self.outside(member, "this is not supported in enumerations");
            };
            if let Some(value) = member.field("value") {
                next = self.enumerator(value)?;
            }
            if i32::try_from(next.value).is_err() {
                return self.outside(member, format!("`{}` does not fit an `int`", name.text()));
            }
            members.push((next.value, name.text().to_owned()));
            self.bind(name.text(), Symbol::Enumerator(next.clone()));
            next = next.following();
        }
        let ty = Type::enumeration(members);
        if let Some(tag) = tag {
            self.bind_tag(tag, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }

    /// What a declarator makes of the type before it.
    pub(super) fn declarator(
        &mut self,
        declarator: Syntax<'_>,
        base: Type,
    ) -> Translated<Declared> {
        self.declarator_of(declarator, base, false)
    }

    /// The same; if wanted, without the length of the outermost array.
    fn declarator_of(
        &mut self,
        declarator: Syntax<'_>,
        base: Type,
        is_open: bool,
    ) -> Translated<Declared> {
        let inner = declarator.field("declarator");
        let ty = match declarator.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                return Ok(Declared {
                    name: declarator.text().to_owned(),
                    ty: base,
                });
            }
            "parenthesized_declarator" | "abstract_parenthesized_declarator" => {
                let Some(inner) = declarator.children().first().copied() else {
                    return self.outside(declarator, "this declaration is not supported");
                };
                return self.declarator_of(inner, base, is_open);
            }
            "pointer_declarator" | "abstract_pointer_declarator" => {
                if matches!(base, Type::Function(_)) {
                    return self.outside(declarator, "pointers to functions are not supported");
                }
                base.pointer()
            }
            "array_declarator" | "abstract_array_declarator" => {
                let is_outermost = inner.is_none_or(|inner| inner.kind() == "identifier");
                let size = declarator.field("size");
                let size = size.filter(|_| !(is_open && is_outermost));
                let length = size.map(|size| self.length(size)).transpose()?;
                Type::Array(Rc::new(base), length)
            }
            "function_declarator" | "abstract_function_declarator" => {
                let parameters = match declarator.field("parameters") {
                    Some(parameters) => self.parameters(parameters)?,
                    None => None,
                };
                Type::Function(Rc::new(Prototype {
                    result: base,
                    parameters,
                }))
            }
            _ => return self.outside(declarator, "this declaration is not supported"),
        };
        match inner {
            Some(inner) => self.declarator_of(inner, ty, is_open),
            None => Ok(Declared {
                name: String::new(),
                ty,
            }),
        }
    }

    /// The parameters of a function; `None` if the list does not say.
    fn parameters(&mut self, list: Syntax<'_>) -> Translated<Option<Vec<(String, Type)>>> {
        let mut parameters = Vec::new();
        for parameter in list.children() {
            match parameter.kind() {
                "parameter_declaration" => {}
                // As in old programs: the types come after the list.
                "identifier" => return Ok(None),
                "variadic_parameter" => {
                    return self.outside(
                        parameter,
                        "functions with a variable number of arguments are not supported",
                    );
                }
                _ => return self.outside(parameter, "this parameter is not supported"),
            }
            let base = self.specified(parameter)?;
            let declared = match parameter.field("declarator") {
                Some(declarator) => self.parameter(declarator, base)?,
                None => Declared {
                    name: String::new(),
                    ty: base,
                },
            };
            parameters.push((declared.name, declared.ty));
        }
        if let [(name, Type::Void)] = parameters.as_slice()
            && name.is_empty()
        {
            return Ok(Some(Vec::new()));
        }
        let is_empty = parameters.is_empty();
        Ok(if is_empty { None } else { Some(parameters) })
    }

    /// An array of a computed length, without that length, and the length; `None` if the declarator is no such array.
    pub(super) fn open_array<'n>(
        &mut self,
        declarator: Syntax<'n>,
        base: Type,
    ) -> Translated<Option<(Declared, Syntax<'n>)>> {
        let (mut at, mut size) = (declarator, None);
        while at.kind() == "array_declarator"
            && let Some(inner) = at.field("declarator")
        {
            size = at.field("size");
            at = inner;
        }
        let Some(size) = size.filter(|_| at.kind() == "identifier") else {
            return Ok(None);
        };
        if self.length(size).is_ok() {
            return Ok(None);
        }
        let declared = self.declarator_of(declarator, base, true)?;
        Ok(Some((declared, size)))
    }

    /// A parameter: arrays are pointers, and the length of the outermost one does not matter.
    pub(super) fn parameter(&mut self, declarator: Syntax<'_>, base: Type) -> Translated<Declared> {
        let declared = self.declarator_of(declarator, base, true)?;
        let ty = match declared.ty {
            Type::Array(element, _) => Type::Pointer(element),
            Type::Function(_) => {
                return self.outside(declarator, "pointers to functions are not supported");
            }
            ty => ty,
        };
        Ok(Declared { ty, ..declared })
    }

    /// The type that a type name means, as in casts.
    pub(super) fn type_name(&mut self, descriptor: Syntax<'_>) -> Translated<Type> {
        let base = self.specified(descriptor)?;
        match descriptor.field("declarator") {
            Some(declarator) => Ok(self.declarator(declarator, base)?.ty),
            None => Ok(base),
        }
    }
}
