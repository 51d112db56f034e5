//! What is left out because it is not supported, so that the rest of the program can be read: bodies of functions, and
//! declarations at file level.
//!
//! A body is left out as if nothing in it had been read: the program is read again without it. A declaration is left out only if
//! no name of it got a meaning; whatever mentions such a name is not supported either.

use std::collections::HashMap;

use super::scopes::Symbol;
use super::source::Syntax;
use super::{Translated, Translator};
use crate::ir::{Outside, Statement};

/// Bodies of functions that are not supported, by the numbers of their routines, and why.
pub(super) type Bodies = HashMap<usize, Outside>;

/// The names of declarations that are not supported.
#[derive(Default)]
pub(super) struct Names {
    /// Those of functions, variables, types and members of enumerations.
    plain: HashMap<String, Outside>,
    /// The tags of structures, unions and enumerations.
    tags: HashMap<String, Outside>,
}

impl Translator<'_> {
    /// Leaves a declaration at file level out.
    ///
    /// # Errors
    /// If it must not be left out.
    pub(super) fn leave_out(&mut self, item: Syntax<'_>, outside: Outside) -> Translated<()> {
        let mut names = Declared::default();
        names.collect(item);
        let is_known = names.plain.iter().any(|name| match self.symbol(name) {
            Some(Symbol::Variable { .. } | Symbol::Row { .. }) => true,
            Some(Symbol::Routine(routine)) => self.routines[*routine].definition.is_some(),
            _ => false,
        });
        let is_empty = names.plain.is_empty() && names.tags.is_empty();
        if is_known || is_empty || self.deadline.is_over() {
            return Err(outside);
        }
        if item.kind() == "function_definition" {
            let functions = names.plain.iter().cloned();
            let functions = functions.map(|name| (name, outside.clone()));
            self.program.unread.extend(functions);
        }
        for name in names.plain {
            self.unread
                .plain
                .entry(name)
                .or_insert_with(|| outside.clone());
        }
        for tag in names.tags {
            self.unread
                .tags
                .entry(tag)
                .or_insert_with(|| outside.clone());
        }
        Ok(())
    }

    /// Notes why a function is not read, for whoever calls it.
    pub(super) fn note_unread(&mut self, item: Syntax<'_>, outside: &Outside) {
        if item.kind() != "function_definition" {
            return;
        }
        let mut names = Declared::default();
        names.collect(item);
        for name in names.plain {
            let reason = format!("`{name}` is not modelled: {}", outside.reason);
            self.unread.plain.entry(name).or_insert_with(|| Outside {
                reason,
                ..outside.clone()
            });
        }
    }

    /// Fails if a name has no meaning here because its declaration is not supported.
    pub(super) fn check_name(&self, name: &str) -> Translated<()> {
        let is_known = match self.symbol(name) {
            // It is declared, and its definition is what may not be supported.
            Some(Symbol::Routine(routine)) => self.routines[*routine].definition.is_some(),
            symbol => symbol.is_some(),
        };
        match self.unread.plain.get(name) {
            Some(outside) if !is_known => Err(outside.clone()),
            _ => Ok(()),
        }
    }

    /// The same for a tag.
    pub(super) fn check_tag(&self, tag: &str) -> Translated<()> {
        self.unread.tags.get(tag).cloned().map_or(Ok(()), Err)
    }

    /// The body of a function that is not supported: no run can enter it.
    pub(super) fn without_body(&mut self, routine: usize, item: Syntax<'_>, outside: Outside) {
        let id = self.function_of(routine);
        let opaque = Statement::Opaque(Box::new(outside), item.span());
        self.program.functions[id].body = vec![opaque];
    }
}

/// What a declaration gives a meaning.
#[derive(Default)]
struct Declared {
    plain: Vec<String>,
    tags: Vec<String>,
}

impl Declared {
    fn collect(&mut self, syntax: Syntax<'_>) {
        match syntax.kind() {
            "identifier" | "type_identifier" => self.plain.push(syntax.text().to_owned()),
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                let Some(body) = syntax.field("body") else {
                    return;
                };
                let tag = syntax.field("name").map(|name| name.text().to_owned());
                self.tags.extend(tag);
                for member in body.children() {
                    if member.kind() == "enumerator" {
                        let name = member.field("name").map(|name| name.text().to_owned());
                        self.plain.extend(name);
                    } else if let Some(ty) = member.field("type") {
                        self.specified(ty);
                    }
                }
            }
            _ => {
                if let Some(ty) = syntax.field("type") {
                    self.specified(ty);
                }
                let inner = syntax.fields("declarator");
                let wrapped = match (inner.is_empty(), syntax.kind()) {
                    (true, "parenthesized_declarator" | "attributed_declarator") => {
                        syntax.children()
                    }
                    _ => inner,
                };
                wrapped.into_iter().for_each(|part| self.collect(part));
            }
        }
    }

    /// What a type declares, as opposed to the name of one.
    fn specified(&mut self, ty: Syntax<'_>) {
        if ty.kind().ends_with("_specifier") {
            self.collect(ty);
        }
    }
}
