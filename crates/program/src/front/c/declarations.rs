//! Declarations of variables and types.

use super::declarators::Declared;
use super::initializers::is_string;
use super::scopes::Symbol;
use super::source::Syntax;
use super::types::Type;
use super::{Inside, Translated, Translator};
use crate::ir::{Initially, Lvalue, Scalar, Statement};
use crate::written::Owner;

/// How the variables of a declaration live.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    /// As the block or the program does.
    Usual,
    /// As the program does, known only here.
    Static,
    /// Elsewhere.
    Extern,
}

impl Translator<'_> {
    /// Translates what declares something. Whether it does.
    pub(super) fn declaration(
        &mut self,
        item: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<bool> {
        match item.kind() {
            "declaration" => self.variables(item, statements)?,
            "type_definition" => {
                let base = self.specified(item)?;
                for declarator in item.fields("declarator") {
                    let Declared { name, ty } = self.declarator(declarator, base.clone())?;
                    self.note_lengths(declarator, self.owner.unwrap_or(Owner::Type));
                    self.types.named(&ty, &name);
                    self.bind(&name, Symbol::Type(ty));
                }
            }
            "struct_specifier" | "enum_specifier" | "union_specifier" => {
                self.specifier(item)?;
            }
            ";" | "empty_statement" => {}
            "expression_statement" if item.children().is_empty() => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn variables(&mut self, item: Syntax<'_>, statements: &mut Vec<Statement>) -> Translated<()> {
        let storage = self.storage(item)?;
        let is_constant = item
            .children()
            .iter()
            .any(|part| part.kind() == "type_qualifier" && part.text() == "const");
        let base = self.specified(item)?;
        for declarator in item.fields("declarator") {
            let (declarator, value) = match declarator.kind() {
                "init_declarator" => match declarator.field("declarator") {
                    Some(inner) => (inner, declarator.field("value")),
                    None => return self.outside(declarator, "this declaration is not supported"),
                },
                _ => (declarator, None),
            };
            if self.function.is_some()
                && storage == Storage::Usual
                && let Some((declared, count)) = self.open_array(declarator, base.clone())?
            {
                self.local_row(declarator, declared, count, statements)?;
                continue;
            }
            let mut declared = self.declarator(declarator, base.clone())?;
            if let Type::Function(prototype) = &declared.ty {
                let is_static = storage == Storage::Static;
                self.declare_routine(&declared.name, (**prototype).clone(), is_static);
                continue;
            }
            if let (Type::Array(element, None), Some(value)) = (&declared.ty, value) {
                let length = self.initialized_length(&declared.ty, value)?;
                declared.ty = Type::Array(element.clone(), Some(length));
            }
            if self.function.is_none() || storage != Storage::Usual {
                self.global(declarator, &declared, storage, value, is_constant)?;
            } else {
                self.local(declarator, &declared, value, is_constant, statements)?;
            }
        }
        Ok(())
    }

    fn storage(&self, item: Syntax<'_>) -> Translated<Storage> {
        let mut storage = Storage::Usual;
        for part in item.children() {
            match (part.kind(), part.text()) {
                ("storage_class_specifier", "static") => storage = Storage::Static,
                ("storage_class_specifier", "extern") => storage = Storage::Extern,
                (
                    "storage_class_specifier",
                    "register" | "auto" | "inline" | "__inline" | "__inline__",
                )
                | ("type_qualifier", "const" | "volatile" | "restrict" | "inline") => {}
                ("storage_class_specifier" | "type_qualifier", word) => {
                    return self.outside(part, format!("`{word}` is not supported"));
                }
                (kind, _)
                    if kind.contains("attribute")
                        || kind.starts_with("ms_")
                        || kind == "gnu_asm_expression" =>
                {
                    return self
                        .outside(part, format!("`{}` is not supported", self.written(part)));
                }
                _ => {}
            }
        }
        Ok(storage)
    }

    /// Whether a function definition or a declaration says `static`.
    pub(super) fn is_static(&self, item: Syntax<'_>) -> Translated<bool> {
        Ok(self.storage(item)? == Storage::Static)
    }

    fn global(
        &mut self,
        declarator: Syntax<'_>,
        declared: &Declared,
        storage: Storage,
        value: Option<Syntax<'_>>,
        is_constant: bool,
    ) -> Translated<()> {
        let name = &*declared.name;
        let is_at_file_level = self.function.is_none();
        let known = if is_at_file_level || storage == Storage::Extern {
            let here = if is_at_file_level {
                self.symbol(name)
            } else {
                None
            };
            here.or_else(|| {
                self.externals
                    .get(name)
                    .filter(|_| storage != Storage::Static)
            })
            .cloned()
        } else {
            None
        };
        let known = match known {
            Some(Symbol::Variable { id, ty, .. }) => Some((id, ty)),
            Some(_) => return self.outside(declarator, format!("`{name}` is declared twice")),
            None => None,
        };
        let is_complete = self.types.cells(&declared.ty).is_some();
        let ty = match &known {
            Some((_, ty)) if !is_complete => ty.clone(),
            _ => declared.ty.clone(),
        };
        let Some(cells) = self.types.scalars(&ty) else {
            return self.unsized_variable(declarator, declared);
        };
        let id = match known {
            Some((id, _)) => {
                self.program.variables[id].cells = cells;
                id
            }
            None => self.variable(name, cells, true),
        };
        if let Some(Inside { id: function, .. }) = self.function
            && storage == Storage::Static
        {
            self.program.variables[id].home = Some(function);
        }
        self.typed.push((id, ty.clone()));
        self.note_lengths(declarator, Owner::Length(id));
        if let Some(value) = value.filter(|_| is_constant) {
            self.initializers.insert(id, value.span());
        }
        let symbol = Symbol::Variable {
            id,
            ty: ty.clone(),
            constant: if is_constant {
                self.known(declared, value)
            } else {
                None
            },
        };
        if storage != Storage::Static {
            self.externals.insert(name.to_owned(), symbol.clone());
        }
        self.bind(name, symbol);
        if let Some(value) = value {
            // Nothing of the function counts: this is done before any is called.
            let function = self.function.take();
            let owner = self.owner.replace(Owner::Variable(id));
            self.note(value, value.span(), self.owner);
            let mut statements = Vec::new();
            let result = self.initialize(Lvalue::Variable(id), &ty, value, &mut statements);
            (self.function, self.owner) = (function, owner);
            result?;
            self.program.globals.append(&mut statements);
        }
        Ok(())
    }

    fn local(
        &mut self,
        declarator: Syntax<'_>,
        declared: &Declared,
        value: Option<Syntax<'_>>,
        is_constant: bool,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let Some(cells) = self.types.scalars(&declared.ty) else {
            return self.unsized_variable(declarator, declared);
        };
        let id = self.variable(&*declared.name, cells, false);
        // What a list or a string leaves out is zero.
        let is_listed = |value: Syntax<'_>| value.kind() == "initializer_list" || is_string(value);
        if !value.is_some_and(is_listed) {
            self.program.variables[id].initially = Initially::Unset;
        }
        self.typed.push((id, declared.ty.clone()));
        statements.push(Statement::Declare(id));
        self.declared.push(id);
        if let Some(value) = value.filter(|_| is_constant) {
            self.initializers.insert(id, value.span());
        }
        let constant = if is_constant {
            self.known(declared, value)
        } else {
            None
        };
        let symbol = Symbol::Variable {
            id,
            ty: declared.ty.clone(),
            constant,
        };
        self.bind(&declared.name, symbol);
        match value {
            Some(value) => self.initialize(Lvalue::Variable(id), &declared.ty, value, statements),
            None => Ok(()),
        }
    }

    /// An array of a computed length: memory of its own whenever it is declared.
    fn local_row(
        &mut self,
        declarator: Syntax<'_>,
        Declared { name, ty }: Declared,
        count: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let Type::Array(element, _) = &ty else {
            return self.outside(declarator, "this declaration is not supported");
        };
        let row = self.row_of(count, element, declarator)?;
        let pointer = self.temporary("row", row, statements);
        self.program.variables[pointer].is_row = true;
        self.declared.push(pointer);
        self.bind(&name, Symbol::Row { pointer, ty });
        Ok(())
    }

    /// The value of a constant variable, if it is known.
    fn known(&mut self, declared: &Declared, value: Option<Syntax<'_>>) -> Option<i128> {
        let scalar = declared.ty.scalar().filter(|_| declared.ty.is_number())?;
        let (number, _) = self.constant(value?).ok()?;
        Some(if scalar == Scalar::Bool {
            i128::from(number != 0)
        } else {
            scalar.wrap(number)
        })
    }

    fn unsized_variable<T>(&self, declarator: Syntax<'_>, declared: &Declared) -> Translated<T> {
        let Declared { name, ty } = declared;
        let reason = match ty {
            Type::Array(_, Some(_)) => format!("`{name}` is too large"),
            _ => format!(
                "`{name}` has the type `{}`, and its size is not known",
                self.types.name(ty)
            ),
        };
        self.outside(declarator, reason)
    }
}
