//! Arguments that may be wrong.

use super::Translator;
use super::build;
use super::source::Syntax;
use super::types::Type;
use crate::ir::{Expr, Lvalue, Statement};

impl Translator<'_> {
    /// The value of an argument, which is a place unless it is a variable, a constant or a call.
    pub(super) fn argument(&mut self, value: Expr, ty: &Type, syntax: Syntax<'_>) -> Expr {
        if Self::is_plain(&value) {
            return value;
        }
        self.placed(value, syntax, ty, false)
    }

    /// The same of one that is printed, maybe as a character. A constant is a place there, because nothing else of it can be
    /// wrong.
    pub(super) fn printed_argument(
        &mut self,
        value: Expr,
        ty: &Type,
        syntax: Syntax<'_>,
        is_character: bool,
    ) -> Expr {
        if Self::is_plain(&value) && !is_constant(syntax) && !self.is_of_library(syntax) {
            return value;
        }
        self.placed(value, syntax, ty, is_character)
    }

    /// Whether it is a call of a library function, of which no statement of the program has the result.
    fn is_of_library(&self, syntax: Syntax<'_>) -> bool {
        let inner = syntax.without_parentheses();
        let function = match inner.kind() {
            "cast_expression" => {
                let value = inner.field("value");
                return value.is_some_and(|value| self.is_of_library(value));
            }
            "call_expression" => inner.field("function"),
            _ => None,
        };
        function.is_some_and(|function| {
            let routine = self.routine(function.text());
            let definition = routine.and_then(|routine| self.routines[routine].definition);
            definition.is_none_or(|(item, _)| item.source.is_library)
        })
    }

    fn placed(&mut self, value: Expr, syntax: Syntax<'_>, of: &Type, is_character: bool) -> Expr {
        if self.is_folding || is_variable(syntax) {
            return value;
        }
        let Some(place) = self.value_place(syntax) else {
            return value;
        };
        self.program.places[place].is_character = is_character;
        self.note_type(Some(place), of);
        let (ty, span) = (value.ty, value.span);
        let variable = self.variable("#argument", vec![ty], false);
        self.typed.push((variable, of.clone()));
        let statements = vec![
            Statement::Declare(variable),
            Statement::Assign {
                place: Some(place),
                target: Lvalue::Variable(variable),
                value,
            },
        ];
        build::block(
            statements,
            build::load(Lvalue::Variable(variable), ty, span),
        )
    }
}

/// Whether it is written as a number or a character.
fn is_constant(syntax: Syntax<'_>) -> bool {
    let inner = syntax.without_parentheses();
    match inner.kind() {
        "number_literal" | "char_literal" => true,
        "unary_expression" => inner.field("argument").is_some_and(is_constant),
        _ => false,
    }
}

/// Whether it is a variable, or the address of one.
fn is_variable(syntax: Syntax<'_>) -> bool {
    let inner = syntax.without_parentheses();
    match inner.kind() {
        "identifier" | "string_literal" | "concatenated_string" => true,
        "pointer_expression" if inner.operator() == "&" => {
            inner.field("argument").is_some_and(is_variable)
        }
        _ => false,
    }
}
