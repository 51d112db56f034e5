//! Names and what they mean.

use std::collections::HashMap;

use super::source::Syntax;
use super::types::{Prototype, Type};
use super::{Translated, Translator};
use crate::ir::{Expr, FunctionId, Span, Statement, VariableId};
use crate::visit::addressed_in;

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A variable.
    Variable {
        /// Which.
        id: VariableId,
        /// Its type.
        ty: Type,
        /// Its value, if it is constant.
        constant: Option<i128>,
    },
    /// An array of a computed length.
    Row {
        /// The variable that points to its first element.
        pointer: VariableId,
        /// Its type.
        ty: Type,
    },
    /// A type.
    Type(Type),
    /// A member of an enumeration.
    Enumerator(Enumerator),
    /// A function, in [`Translator::routines`].
    Routine(usize),
}

/// A member of an enumeration.
#[derive(Clone, Debug)]
pub(super) struct Enumerator {
    /// Its value.
    pub(super) value: i128,
    /// How that is computed, if anything of it is written.
    pub(super) written: Option<Expr>,
    /// What it depends on.
    pub(super) definitions: Vec<Span>,
}

/// What a tag means.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// A structure.
    Struct(usize),
    /// An enumeration.
    Enum(Type),
}

/// The names of a block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) symbols: HashMap<String, Symbol>,
    pub(super) tags: HashMap<String, Tag>,
}

/// A function that is declared.
#[derive(Clone)]
pub(super) struct Routine<'s> {
    /// Its name.
    pub(super) name: String,
    /// Its type: that of its definition, if there is one.
    pub(super) prototype: Prototype,
    /// Its definition and the number of its file.
    pub(super) definition: Option<(Syntax<'s>, usize)>,
    /// The function, once it is needed.
    pub(super) id: Option<FunctionId>,
}

impl<'s> Translator<'s> {
    /// What a name means here.
    pub(super) fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.symbols.get(name))
    }

    /// What a tag means here.
    pub(super) fn tag(&self, name: &str) -> Option<&Tag> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.tags.get(name))
    }

    /// Gives a name a meaning.
    pub(super) fn bind(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    /// Gives a tag a meaning.
    pub(super) fn bind_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name.to_owned(), tag);
        }
    }

    /// Does something in a scope of its own.
    pub(super) fn scoped<T>(
        &mut self,
        within: impl FnOnce(&mut Self) -> Translated<T>,
    ) -> Translated<T> {
        self.scopes.push(Scope::default());
        let result = within(self);
        self.scopes.pop();
        result
    }

    /// Translates a block, which has a scope of its own.
    pub(super) fn enclosed(
        &mut self,
        statements: &mut Vec<Statement>,
        within: impl FnOnce(&mut Self, &mut Vec<Statement>) -> Translated<()>,
    ) -> Translated<()> {
        let (outer, start) = (self.declared.len(), statements.len());
        let done = self.scoped(|this| within(this, statements));
        let declared = self.declared.split_off(outer);
        done?;
        let body = self.ended(declared, statements.split_off(start));
        statements.extend(body);
        Ok(())
    }

    /// A block's statements, given the variables that it declares: those that something may point to end with it.
    pub(super) fn ended(
        &self,
        mut declared: Vec<VariableId>,
        body: Vec<Statement>,
    ) -> Vec<Statement> {
        if declared.is_empty() {
            return body;
        }
        let addressed = addressed_in(&body);
        declared.retain(|id| addressed.contains(id) || self.program.variables[*id].is_row);
        match declared.is_empty() {
            true => body,
            false => vec![Statement::Scope(declared, body)],
        }
    }

    /// The function that a call of this name calls: of the file, of another file, or of the library's text.
    pub(super) fn routine(&self, name: &str) -> Option<usize> {
        let own = match self.symbol(name).or_else(|| self.externals.get(name)) {
            Some(Symbol::Routine(routine)) => Some(*routine),
            Some(_) => return None,
            None => None,
        };
        own.filter(|routine| self.routines[*routine].definition.is_some())
    }

    /// Declares a function.
    pub(super) fn declare_routine(
        &mut self,
        name: &str,
        prototype: Prototype,
        is_static: bool,
    ) -> usize {
        let known = match (self.symbol(name), self.externals.get(name)) {
            (Some(Symbol::Routine(routine)), _) => Some(*routine),
            (_, Some(Symbol::Routine(routine))) if !is_static => Some(*routine),
            _ => None,
        };
        let routine = known.unwrap_or_else(|| {
            self.routines.push(Routine {
                name: name.to_owned(),
                prototype,
                definition: None,
                id: None,
            });
            self.routines.len() - 1
        });
        if !is_static && known.is_none() {
            self.externals
                .insert(name.to_owned(), Symbol::Routine(routine));
        }
        self.bind(name, Symbol::Routine(routine));
        routine
    }
}
