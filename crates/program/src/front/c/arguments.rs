//! Arguments that may be wrong.

use super::Translator;
use super::build;
use super::source::Syntax;
use crate::ir::{Expr, Lvalue, Statement};

impl Translator<'_> {
    /// The value of an argument, which is a place unless it is a variable, a constant or a call.
    pub(super) fn argument(&mut self, value: Expr, syntax: Syntax<'_>) -> Expr {
        if self.is_folding || Self::is_plain(&value) || is_variable(syntax) {
            return value;
        }
        let Some(place) = self.value_place(syntax) else {
            return value;
        };
        let (ty, span) = (value.ty, value.span);
        let variable = self.variable("#argument", vec![ty], false);
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
